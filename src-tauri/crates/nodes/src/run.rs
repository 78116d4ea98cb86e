//! Calls a kind so that nothing it does reaches the scheduler except a result: a panic becomes UnknownError `INTERNAL`,
//! a call that is over its time becomes `Timeout`.

use crate::fields::rows;
use crate::model_check;
use crate::{EffectFn, Kind, Outcome, PureFn};
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use serde_json::Value;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_engine::kept_input::KeptInput;
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::{CallLog, Scrubber, World};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

fn panicked(panic: &(dyn Any + Send)) -> NodeFailure {
    let words = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let failure = NodeFailure::new(
        ErrorType::UnknownError,
        "INTERNAL",
        "The step's own code stopped unexpectedly; this is a fault of the program, not of your workflow",
    )
    .suggest(SuggestedAction::HumanReview);
    match words {
        Some(words) => failure.detail("panic", words.chars().take(500).collect::<String>()),
        None => failure,
    }
}

/// Runs code without effects on one slot.
pub fn run_pure(code: PureFn, slot: &CallSlot) -> Outcome {
    // The slot is shared data without interior mutability: nothing half-changed can be seen afterwards.
    catch_unwind(AssertUnwindSafe(|| code(slot))).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

/// Runs code with effects on one slot within the call's time limit. What it gives is free of the secrets that this
/// process knows, the conversation of a step that waits included: here is the border behind which everything is stored and shown.
pub async fn run_effect(code: EffectFn, call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let outcome = keeping_input(code, call, slot, world, log).await;
    without_secrets(outcome, &world.secrets.scrubber())
}

/// A step that keeps its input adds its result to it.
async fn keeping_input(code: EffectFn, call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let kept = KeptInput::of(&slot.config, || rows(slot))?;
    let output = carry_out(code, call, slot, world, log).await?;
    Ok(match kept {
        Some(kept) => kept.around(output, &slot.input),
        None => output,
    })
}

fn without_secrets(outcome: Outcome, scrubber: &Scrubber) -> Outcome {
    match outcome {
        Ok(mut output) => {
            let clean = |data: &mut Arc<Value>| {
                if scrubber.finds_in(data) {
                    scrubber.value(Arc::make_mut(data));
                }
            };
            output.ports.values_mut().for_each(|items| items.change(|text| scrubber.finds(text.as_bytes()), clean));
            output.meta.iter_mut().for_each(clean);
            scrubber.map(&mut output.writes);
            Ok(output)
        }
        Err(mut failure) => {
            failure.message = scrubber.text(&failure.message).into_owned();
            scrubber.map(&mut failure.details);
            if let Some(held) = failure.held.as_mut().filter(|held| scrubber.finds_in(held)) {
                scrubber.value(Arc::make_mut(held));
            }
            Err(failure)
        }
    }
}

async fn carry_out(code: EffectFn, call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let work = AssertUnwindSafe(async { code(call, slot, world, log).await }).catch_unwind();
    let Some(limit) = call.timeout_ms else {
        return work.await.unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
    };
    let due = world.clock.now_ms().saturating_add(i64::try_from(limit).unwrap_or(i64::MAX));
    match select(Box::pin(work), world.clock.sleep_until(due)).await {
        Either::Left((result, _)) => result.unwrap_or_else(|panic| Err(panicked(panic.as_ref()))),
        Either::Right(((), _)) => Err(timed_out(limit)),
    }
}

/// The failure of a call that took longer than so many milliseconds.
pub fn timed_out(limit: u64) -> NodeFailure {
    let message = format!("The step did not finish within {}", duration(limit));
    NodeFailure::new(ErrorType::Timeout, "TIMEOUT", message).retryable().detail("timeoutMs", limit).maybe_happened()
}

/// Runs a whole call slot by slot: (item index, outcome) in slot order, as `Input::NodeFinished` wants it.
pub async fn run_call(code: Kind, call: &Call, world: &World, log: &dyn CallLog) -> Vec<(usize, Outcome)> {
    let mut results = Vec::with_capacity(call.slots.len());
    let guards = model_check::of(call);
    for slot in &call.slots {
        let run = async {
            match code {
                Kind::Pure(code) => run_pure(code, slot),
                Kind::Effect(code) => run_effect(code, call, slot, world, log).await,
            }
        };
        let outcome = match &guards {
            Some(guards) => {
                let outcome = model_check::around(guards, call, slot, world, log, run).await;
                without_secrets(outcome, &world.secrets.scrubber())
            }
            None => run.await,
        };
        results.push((slot.item, outcome));
    }
    results
}

/// `250 ms`, `30 s`, `2.5 s`.
pub(crate) fn duration(ms: u64) -> String {
    if ms < 1_000 {
        format!("{ms} ms")
    } else if ms.is_multiple_of(1_000) {
        format!("{} s", ms / 1_000)
    } else {
        format!("{}.{} s", ms / 1_000, ms % 1_000 / 100)
    }
}

#[cfg(test)]
mod tests;
