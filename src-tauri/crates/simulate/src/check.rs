//! Runs a test and compares what came out with what it expects.

use crate::compare::{Difference, differences};
use crate::compatibility;
use crate::coverage::Coverage;
use crate::expectations::{Observed, state_name};
use crate::replay::Replay;
use crate::sandbox::Kinds;
use crate::simulation::{End, Limits, Simulation, Start};
use crate::test_file::{CallReply, Expectations, MASK, TestFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_engine::{Compiled, params};
use signalbox_model::{EventBody, RunEvent};
use std::sync::Arc;

/// What a test came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestResult {
    /// Name of the test.
    pub name: String,
    /// Everything is as expected.
    pub passed: bool,
    /// What is not.
    pub differences: Vec<Difference>,
    /// What is worth knowing and no failure: the workflow changed since, answers that were not needed.
    pub notes: Vec<String>,
    /// Simulated time from start to end, milliseconds.
    pub simulated_ms: i64,
    /// Steps and ports that the test reached.
    pub coverage: Coverage,
}

/// A finished simulation of a test.
pub struct Finished {
    /// Why it is over.
    pub end: End,
    /// What it came to.
    pub observed: Observed,
    /// All events.
    pub events: Vec<RunEvent>,
    /// Answers that were not used, one sentence each.
    pub unused: Vec<String>,
    /// Recorded errors that no call had: the engine finds them before a call is made, and finds them again.
    early_errors: Vec<usize>,
    /// Answers of people that their task did not offer.
    refused: Vec<Difference>,
    simulated_ms: i64,
}

/// Runs a test without comparing.
pub fn simulate(test: &TestFile, compiled: &Arc<Compiled>, kinds: Kinds<'_>) -> Finished {
    let mut replay = Replay::new(test, kinds);
    let mut simulation = Simulation::new(Arc::clone(compiled), &mut replay, Limits::default());
    simulation.start(Start {
        params: params::complete(&compiled.workflow, &Value::Object(test.params.clone())),
        context: test.context.clone(),
        seed: test.seed(),
        until: test.until.clone(),
        rerun: test.rerun.as_ref().map(|rerun| (rerun.from.clone(), (*rerun.base).clone())),
        now_ms: test.started_ms(),
    });
    if let Some(ms) = test.cancel_after_ms {
        simulation.cancel_after(ms);
    }
    let pauses = test.expect.status.as_deref() == Some("paused");
    let end = simulation.run(|run| pauses && run.waits_for_good());
    let simulated_ms = simulation.elapsed_ms();
    let (events, state) = simulation.into_events();
    let observed = Observed::new(compiled, &state, &events);
    let is_early = |call: &CallReply| call.error.is_some() && call.after_ms == 0;
    let early_errors = replay.unused_calls().filter(|(_, call)| is_early(call)).map(|(at, _)| at).collect();
    let called = |call: &CallReply| place(&call.step, call.path.as_deref(), call.item);
    let mut unused: Vec<String> = replay
        .unused_calls()
        .map(|(at, call)| format!("calls[{at}]: {} was not called this way; its answer was not used", called(call)))
        .collect();
    unused.extend(
        replay
            .unused_people()
            .map(|(at, act)| format!("people[{at}]: nobody was asked to {} at '{}'", act.action, act.step)),
    );
    let mut refused: Vec<Difference> = replay
        .unused_mocks()
        .filter(|_| matches!(end, End::Settled | End::Stopped))
        .map(|(at, mock)| Difference {
            step: Some(mock.step.clone()),
            field: format!("mocks/{at}"),
            expected: Some(json!("a call that the mock answers")),
            actual: None,
            message: format!("mocks[{at}] was not used: {} was not called this way.", called(mock)),
        })
        .collect();
    refused.extend(replay.refused().iter().map(|(at, offered)| {
        let act = &test.people[*at];
        Difference {
            step: Some(act.step.clone()),
            field: format!("people/{at}/action"),
            expected: Some(json!(act.action)),
            actual: Some(json!(offered)),
            message: format!(
                "people[{at}]: the task at '{}' does not offer '{}'; it offers {offered}.",
                act.step, act.action
            ),
        }
    }));
    Finished { end, observed, events, unused, early_errors, refused, simulated_ms }
}

fn place(step: &str, path: Option<&str>, item: Option<usize>) -> String {
    let step = path.map_or_else(|| format!("'{step}'"), |path| format!("'{path}/{step}'"));
    item.map_or(step.clone(), |item| format!("{step} (item {item})"))
}

/// Runs a test and compares.
pub fn run_test(test: &TestFile, compiled: &Arc<Compiled>, kinds: Kinds<'_>) -> TestResult {
    let (mut differences, mut notes) = compatibility::check(test, compiled, kinds.catalog());
    differences.extend(unusable(test, compiled));
    let finished = simulate(test, compiled, kinds);
    differences.extend(finished.refused.clone());
    match &finished.end {
        End::Settled | End::Stopped => {}
        // What does not fit is reported step by step; that the engine refuses it, too, adds nothing.
        End::Fault(_) if test.rerun.is_some() && !differences.is_empty() => {}
        end => differences.push(ended(end)),
    }
    if matches!(finished.end, End::Settled | End::Stopped) {
        let params = params::complete(&compiled.workflow, &Value::Object(test.params.clone()));
        compare(&test.expect, &finished.observed, &params, &mut differences);
    }
    let failed = finished.observed.summary.error.as_ref();
    if let Some(error) = failed.filter(|_| differences.iter().any(|one| one.field == "status")) {
        let step = finished.observed.summary.failed_step_id.as_deref().unwrap_or_default();
        notes.push(format!("The run failed at '{step}' with {}: {}", error.code(), error.message));
    }
    notes.extend(finished.unused);
    TestResult {
        name: test.name.clone(),
        passed: differences.is_empty(),
        differences,
        notes,
        simulated_ms: finished.simulated_ms,
        coverage: Coverage::of(compiled, &finished.events),
    }
}

/// Input that a run would not start with, and a test that would pass whatever happens.
fn unusable(test: &TestFile, compiled: &Compiled) -> Vec<Difference> {
    let run = |field: &str, message: String| Difference {
        step: None,
        field: field.to_owned(),
        expected: None,
        actual: None,
        message,
    };
    let mut found = Vec::new();
    if test.expect == Expectations::default() {
        let message = "The test expects nothing, so it would always pass. Add `expect` with at least a status.";
        found.push(run("expect", message.to_owned()));
    }
    let given = Value::Object(test.params.clone());
    // A mask has no type but that of a text.
    if !given.to_string().contains(MASK) {
        let given = params::complete(&compiled.workflow, &given);
        let wrong = params::check(&compiled.workflow, &given).into_iter();
        found.extend(wrong.map(|wrong| run("params", format!("params: {}. {}.", wrong.message, wrong.hint))));
    }
    found
}

/// Why a simulation could not go on.
fn ended(end: &End) -> Difference {
    let run = |field: &str, message: String| Difference {
        step: None,
        field: field.to_owned(),
        expected: None,
        actual: None,
        message,
    };
    match end {
        End::Unanswered(call) => {
            let path = Some(call.path.as_str()).filter(|path| !path.is_empty());
            let which = match (call.visit, call.attempt) {
                (1, 0) => String::new(),
                (visit, 0) => format!(", visit {visit}"),
                (1, attempt) => format!(", retry {attempt}"),
                (visit, attempt) => format!(", visit {visit}, retry {attempt}"),
            };
            Difference {
                step: Some(call.step.clone()),
                field: "call".to_owned(),
                expected: None,
                actual: Some(json!({ "call": call.number, "path": path, "item": call.item })),
                message: format!(
                    "{} ({}) would call the outside world: the test has no answer for call {}{which}. Add one to `calls` or \
                     `mocks`, or save the test again.",
                    place(&call.step, path, call.item),
                    call.kind,
                    call.number
                ),
            }
        }
        End::TooManyEvents => run("events", "The run does not end: it has more than 200,000 events.".to_owned()),
        End::TooLong => run("duration", "The run does not end within 400 days of simulated time.".to_owned()),
        End::Fault(why) => run("engine", format!("The simulation stopped; this is a fault of the program: {why}.")),
        End::Settled | End::Stopped => run("run", String::new()),
    }
}

/// A value in a message: short.
pub fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 120 {
        return text;
    }
    let cut: String = text.chars().take(117).collect();
    format!("{cut}…")
}

fn differ(step: Option<&str>, field: String, expected: Option<Value>, actual: Option<Value>) -> Difference {
    let subject = step.map_or_else(|| field.clone(), |step| format!("'{step}' {field}"));
    let message = match (&expected, &actual) {
        (Some(expected), Some(actual)) => format!("{subject}: expected {}, got {}.", short(expected), short(actual)),
        (Some(expected), None) => format!("{subject}: expected {}, got nothing.", short(expected)),
        (None, Some(actual)) => format!("{subject}: expected nothing, got {}.", short(actual)),
        (None, None) => subject,
    };
    Difference { step: step.map(str::to_owned), field, expected, actual, message }
}

fn compare(expect: &Expectations, observed: &Observed, params: &Value, found: &mut Vec<Difference>) {
    let summary = &observed.summary;
    let mut value = |step: Option<&str>, field: &str, expected: &Value, actual: &Value| {
        for one in differences(expected, actual) {
            found.push(differ(step, format!("{field}{}", one.pointer), one.expected, one.actual));
        }
    };
    if let Some(status) = &expect.status {
        value(None, "status", &json!(status), &json!(summary.status.as_str()));
    }
    if let Some(step) = &expect.failed_step {
        value(None, "failedStep", &json!(step), &json!(summary.failed_step_id));
    }
    if let Some(code) = &expect.error_code {
        value(None, "errorCode", &json!(code), &json!(summary.error.as_ref().map(|error| error.code())));
    }
    if let Some(output) = &expect.output {
        value(None, "output", &json!(output), &json!(summary.output));
    }
    for (name, expected) in &expect.context {
        value(None, &format!("context/{name}"), expected, summary.context.get(name).unwrap_or(&Value::Null));
    }
    for (step, state) in &expect.steps {
        let Some(now) = summary.steps.get(step) else { continue };
        let actual =
            if now.attempts == 0 && state != "SKIPPED" { json!("not called") } else { json!(state_name(now.state)) };
        value(Some(step), "state", &json!(state), &actual);
    }
    for (step, ports) in &expect.ports {
        let none = indexmap::IndexMap::new();
        let now = observed.ports.get(step).unwrap_or(&none);
        for (port, items) in ports {
            value(Some(step), &format!("ports/{port}"), &json!(items), &json!(now.get(port).unwrap_or(&0)));
        }
        for (port, items) in now.iter().filter(|(port, items)| **items > 0 && !ports.contains_key(*port)) {
            value(Some(step), &format!("ports/{port}"), &json!(0), &json!(items));
        }
    }
    for step in &expect.not_called {
        let calls = observed.calls.get(step).map_or(0, Vec::len);
        if calls > 0 {
            value(Some(step), "calls", &json!(0), &json!(calls));
        }
    }
    for (at, assertion) in expect.assertions.iter().enumerate() {
        let (actual, message) = match observed.holds(assertion, params) {
            Ok(true) => continue,
            Ok(false) => (json!(false), format!("assertions[{at}]: `{assertion}` is false.")),
            Err(why) => (json!(why), format!("assertions[{at}]: `{assertion}` cannot be evaluated: {why}")),
        };
        found.push(Difference {
            step: None,
            field: format!("assertions/{at}"),
            expected: Some(json!(true)),
            actual: Some(actual),
            message,
        });
    }
}

/// Fills in expectations that the test fulfils now; sentences about what differs from the recorded run.
pub fn propose(test: &mut TestFile, recorded: &[RunEvent], compiled: &Arc<Compiled>, kinds: Kinds<'_>) -> Vec<String> {
    let end = recorded.iter().rev().find_map(|event| match &event.body {
        EventBody::WorkflowDone(_) => Some("completed"),
        EventBody::WorkflowFailed(_) => Some("failed"),
        EventBody::WorkflowCancelled(_) => Some("cancelled"),
        _ => None,
    });
    let end = end.unwrap_or("paused");
    test.expect.status = Some(end.to_owned());
    let mut finished = simulate(test, compiled, kinds);
    if !finished.early_errors.is_empty() {
        let early = &finished.early_errors;
        let mut at = 0;
        test.calls.retain(|_| {
            at += 1;
            !early.contains(&(at - 1))
        });
        finished = simulate(test, compiled, kinds);
    }
    let mut notes = Vec::new();
    match &finished.end {
        End::Settled | End::Stopped => {
            let declares = |kind: &str| {
                let ports = kinds.get(kind).map(|kind| kind.ports.len() + usize::from(kind.dynamic_ports.is_some()));
                ports.unwrap_or_default().saturating_sub(1)
            };
            test.expect = finished.observed.propose(compiled, &declares);
        }
        end => {
            notes.push(format!("The recorded run cannot be repeated: {}", ended(end).message));
            return notes;
        }
    }
    let came = finished.observed.summary.status.as_str();
    if came != end {
        notes.push(format!(
            "The run ended {end}; repeated with the saved answers it ends {came}. Check what the test expects."
        ));
    }
    notes.extend(finished.unused.iter().map(|unused| format!("{unused}.")));
    notes
}
