//! A burst: `step` and the pure calls alternate in memory until only effects are left; one commit then holds it all.

use serde_json::Value;
use signalbox_engine::effect::{Call, Effect};
use signalbox_engine::input::Input;
use signalbox_engine::{Compiled, RunState, StepError, step};
use signalbox_model::event::{EventBody, Telemetry};
use signalbox_model::{Effects, ErrorType, Map, NodeFailure, RunEvent};
use signalbox_nodes::{Kind, Outcome};
use signalbox_ports::Clock;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What a burst led to.
#[derive(Default)]
pub(crate) struct StepBatch {
    /// Events to commit.
    pub(crate) events: Vec<RunEvent>,
    /// What to do after the commit.
    pub(crate) effects: Vec<Effect>,
    /// Pure calls that the limits left for the next burst; their `step_start` is among the events.
    pub(crate) left: VecDeque<Call>,
    /// Inputs that the limits left for the next burst.
    pub(crate) inputs: VecDeque<Input>,
    /// The commit must be synced.
    pub(crate) durable: bool,
}

/// When a burst ends although it could go on.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) events: usize,
    pub(crate) time: Duration,
}

/// Runs `inputs` and the pure calls of the burst before, and what follows from them.
pub(crate) fn run(
    compiled: &Compiled,
    state: &mut RunState,
    mut inputs: VecDeque<Input>,
    mut pure: VecDeque<Call>,
    code: fn(&str) -> Option<Kind>,
    clock: &dyn Clock,
    limits: Limits,
) -> Result<StepBatch, StepError> {
    let began = Instant::now();
    let mut burst = StepBatch::default();
    loop {
        let input = match inputs.pop_front() {
            Some(input) => input,
            None => match pure.pop_front() {
                Some(call) => carry_out(call, code, clock),
                None => break,
            },
        };
        let out = step(compiled, state, input)?;
        burst.events.extend(out.events);
        burst.durable |= out.durable;
        for effect in out.effects {
            match effect {
                Effect::Call(call) if is_pure(&call, code) => pure.push_back(*call),
                // What was decided in this burst has not begun: it need not begin.
                Effect::CancelCall(key) => {
                    let begun = burst.effects.len() + pure.len();
                    burst.effects.retain(|effect| !matches!(effect, Effect::Call(call) if call.key == key));
                    pure.retain(|call| call.key != key);
                    if begun == burst.effects.len() + pure.len() {
                        burst.effects.push(Effect::CancelCall(key));
                    }
                }
                // What is due needs no waiting outside: a retry without a delay is part of the commit of its error (ADR 39).
                Effect::Timer { timer, due_ms } if due_ms <= clock.now_ms() => {
                    inputs.push_back(Input::TimerFired { timer, now: clock.now_ms() });
                }
                Effect::Call(_) | Effect::Timer { .. } | Effect::CancelCalls | Effect::WriteArtifact { .. } => {
                    burst.effects.push(effect);
                }
            }
        }
        if state.status().is_terminal() {
            // Whatever is still to be done belongs to a run that has ended.
            return Ok(burst);
        }
        if burst.events.len() >= limits.events || began.elapsed() >= limits.time {
            break;
        }
    }
    burst.left = pure;
    burst.inputs = inputs;
    Ok(burst)
}

fn is_pure(call: &Call, code: fn(&str) -> Option<Kind>) -> bool {
    // One with a fault may wait.
    call.fault.is_none() && call.effects == Effects::None && matches!(code(&call.kind), Some(Kind::Pure(_)) | None)
}

fn carry_out(call: Call, code: fn(&str) -> Option<Kind>, clock: &dyn Clock) -> Input {
    let results = match code(&call.kind) {
        Some(Kind::Pure(code)) => {
            call.slots.iter().map(|slot| (slot.item, signalbox_nodes::run_pure(code, slot))).collect()
        }
        Some(Kind::Effect(_)) | None => no_code(&call),
    };
    Input::NodeFinished { key: call.key, results, now: clock.now_ms() }
}

/// The answer of a call whose kind has no code: a fault of the program, told like any other error.
pub(crate) fn no_code(call: &Call) -> Vec<(usize, Outcome)> {
    let failure = || {
        let message = format!("This program has a description of '{}' but no code for it", call.kind);
        NodeFailure::new(ErrorType::UnknownError, "INTERNAL", message)
    };
    call.slots.iter().map(|slot| (slot.item, Err(failure()))).collect()
}

/// About how many bytes events take in the log; and how many calls they begin.
pub(crate) fn weigh(events: &[RunEvent]) -> (usize, usize) {
    let calls = events.iter().filter(|event| matches!(event.body, EventBody::StepStart(_))).count();
    (events.iter().map(|event| EVENT + payload(&event.body)).sum(), calls)
}

/// About how many bytes an event takes without the values in it.
const EVENT: usize = 200;

fn payload(body: &EventBody) -> usize {
    match body {
        EventBody::WorkflowStart(start) => weight(&start.params) + start.context.as_ref().map_or(0, fields),
        EventBody::StepStart(start) => {
            let configs = start.configs.iter().flat_map(|configs| configs.values());
            weight(&start.config)
                + start.resolved_inputs.as_ref().map_or(0, |data| data.weight(weight))
                + configs.map(|config| weight(config)).sum::<usize>()
                + start.input.iter().map(|input| input.data.weight(weight)).sum::<usize>()
        }
        EventBody::StepDone(done) => {
            let items = done.items.values().map(|items| items.weight(weight)).sum::<usize>();
            items + done.outputs.as_ref().map_or(0, fields)
        }
        EventBody::StepError(failed) => {
            failed.error.details.as_ref().map_or(0, fields) + failed.held.as_deref().map_or(0, weight)
        }
        EventBody::WorkflowFailed(failed) => failed.error.details.as_ref().map_or(0, fields),
        EventBody::VarChanged(change) => weight(&change.new_value) + change.old_value.as_deref().map_or(0, weight),
        EventBody::AutoFixAttempt(tried) => {
            tried.fixed_input.as_deref().map_or(0, weight) + tried.patch.as_ref().map_or(0, weight)
        }
        EventBody::HumanTaskCreated(created) => {
            let error = created.error.as_ref().and_then(|error| error.details.as_ref());
            weight(&created.input) + error.map_or(0, fields) + created.schema.as_ref().map_or(0, weight)
        }
        EventBody::HumanTaskCompleted(done) => done.answer.corrected_input.as_deref().map_or(0, weight),
        EventBody::InputEdited(edited) => weight(&edited.input).saturating_mul(2),
        EventBody::WorkflowDone(_) | EventBody::WorkflowCancelled(_) | EventBody::WorkflowResumed(_) => 0,
        EventBody::BreakpointsSet(_) | EventBody::WorkflowPaused(_) | EventBody::WorkflowContinued(_) => 0,
        EventBody::StepInterrupted(_) | EventBody::StepSkipped(_) => 0,
        EventBody::RetryScheduled(_) | EventBody::ErrorHandled(_) => 0,
        EventBody::HumanTaskReminded(_) | EventBody::HumanTaskClosed(_) | EventBody::Escalated(_) => 0,
        EventBody::HumanTaskHeld(_) | EventBody::HumanTaskContinued(_) => 0,
        EventBody::PauseTimeout(_) => 0,
        EventBody::Telemetry(report) => reported(report),
    }
}

fn reported(report: &Telemetry) -> usize {
    match report {
        Telemetry::StepPrint(print) => weight(&print.value),
        Telemetry::PauseResumed(resumed) => resumed.payload.as_deref().map_or(0, weight),
        Telemetry::PauseStart(_) | Telemetry::PauseRejected(_) => 0,
        Telemetry::FileStart(_) | Telemetry::FileDone(_) => 0,
        Telemetry::LlmToken(said) | Telemetry::LlmThinking(said) => said.delta.len(),
        Telemetry::LlmToolUse(said) => weight(&said.input),
        Telemetry::LlmToolResult(said) => said.content.len(),
        Telemetry::LlmError(said) => said.error.len(),
        Telemetry::LlmDone(_) => 0,
        Telemetry::ToolStart(said) => weight(&said.input) + said.input_summary.len(),
        Telemetry::ToolMessage(said) => said.message.len() + said.data.as_deref().map_or(0, weight),
        Telemetry::ToolDone(said) => weight(&said.output) + weight(&said.tool_result) + said.output_summary.len(),
        Telemetry::ToolError(said) => {
            let answer = said.output.as_deref().map_or(0, weight) + said.tool_result.as_deref().map_or(0, weight);
            answer + said.error.details.as_ref().map_or(0, fields)
        }
    }
}

fn fields(map: &Map) -> usize {
    map.values().map(weight).sum()
}

/// About how many bytes a value takes as text.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(list) => 2 + list.iter().map(|value| weight(value) + 1).sum::<usize>(),
        Value::Object(map) => 2 + map.iter().map(|(key, value)| key.len() + 4 + weight(value)).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests;
