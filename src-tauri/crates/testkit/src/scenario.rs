//! Scenarios as data: a workflow, a script of the world, and what must come out. Files are `tests/scenarios/*.yaml`, each
//! a list. Every scenario also checks what holds for every run: gapless `seq`, one terminal event, one end per call,
//! `fold(events) == state`.

use crate::{Answer, Driver, TestWorld};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_engine::catalog::Catalog;
use signalbox_engine::{Compiled, summary, validate};
use signalbox_model::event::EventBody;
use signalbox_model::{Map, RunEvent, RunSummary, TaskAction, Workflow};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One scenario.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// Begins with the scenarios it proves, for example `TS-024 a retry …`.
    pub name: String,
    /// The workflow; `signalbox`, `id`, `name` and `edges` may be left out.
    pub workflow: Value,
    /// The run's input.
    #[serde(default)]
    pub params: Map,
    /// Initial context values.
    #[serde(default)]
    pub context: Map,
    /// `GET /path` → answers in order; the last repeats.
    #[serde(default)]
    pub http: IndexMap<String, Vec<Answer>>,
    /// What the model answers, in order; the last repeats.
    #[serde(default)]
    pub llm: Vec<crate::llm::ScriptedAnswer>,
    /// Approved servers: name → tools.
    #[serde(default)]
    pub tools: IndexMap<String, Vec<crate::tools::Scripted>>,
    /// Path → text.
    #[serde(default)]
    pub files: IndexMap<String, String>,
    /// Cancels so many milliseconds after the start.
    #[serde(default)]
    pub cancel_after_ms: Option<i64>,
    /// What people answer, in order, each to the oldest open task.
    #[serde(default)]
    pub people: Vec<Person>,
    /// The audit chain refuses, for this reason.
    #[serde(default)]
    pub audit_refuses: Option<String>,
    /// Cuts the run off as soon as it has this many events, then resumes it.
    #[serde(default)]
    pub crash_after: Option<usize>,
    /// What must come out.
    pub expect: Expect,
}

/// An answer of a person.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Person {
    /// Milliseconds after the run began to wait.
    #[serde(default)]
    pub after_ms: i64,
    /// What is chosen; `hold` and `continue` are no answers.
    pub action: String,
    /// The corrected input.
    #[serde(default)]
    pub input: Option<Value>,
    /// The step of an alternative.
    #[serde(default)]
    pub target: Option<String>,
    /// How far an approval of a call of a tool goes.
    #[serde(default)]
    pub grant: Option<signalbox_model::ToolGrant>,
    /// Why.
    #[serde(default)]
    pub notes: Option<String>,
}

/// What must come out; what is absent is not looked at.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expect {
    /// Codes of the diagnostics of a file that cannot run, in order; the run is then not started.
    #[serde(default)]
    pub diagnostics: Option<Vec<String>>,
    /// Status of the run.
    #[serde(default)]
    pub status: Option<String>,
    /// All events in short, see [`line`].
    #[serde(default)]
    pub events: Option<Vec<String>>,
    /// Events (or parts of them) that must stand in this order, others may stand between.
    #[serde(default)]
    pub contains: Vec<Value>,
    /// Parts that no event may have.
    #[serde(default)]
    pub absent: Vec<Value>,
    /// The final context, whole.
    #[serde(default)]
    pub context: Option<Value>,
    /// The output, whole.
    #[serde(default)]
    pub output: Option<Value>,
    /// Parts of the summary.
    #[serde(default)]
    pub summary: Option<Value>,
    /// `node: STATE visits/attempts`, any part from the left.
    #[serde(default)]
    pub steps: IndexMap<String, String>,
    /// `GET /path` → number of requests.
    #[serde(default)]
    pub requests: IndexMap<String, usize>,
    /// What each question to the model has in it, in order; there are as many questions.
    #[serde(default)]
    pub questions: Option<Vec<Vec<String>>>,
    /// Calls of tools, in order: `server/tool {arguments}`.
    #[serde(default)]
    pub calls: Option<Vec<String>>,
    /// Names of the entries that Audit nodes made, in order.
    #[serde(default)]
    pub audit: Option<Vec<String>>,
    /// Path → text that was written; artifacts are `artifact:/path`.
    #[serde(default)]
    pub files: IndexMap<String, String>,
    /// Milliseconds of manual time from start to end.
    #[serde(default)]
    pub duration_ms: Option<i64>,
}

/// Reads every scenario of a folder, sorted by file.
pub fn load(folder: &Path) -> Vec<(PathBuf, Scenario)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    files.sort();
    files
        .into_iter()
        .flat_map(|path| {
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let list: Vec<Scenario> =
                serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            list.into_iter().map(move |scenario| (path.clone(), scenario))
        })
        .collect()
}

/// The catalog of the built-in kinds.
pub fn catalog() -> Catalog {
    signalbox_nodes::built_in().clone()
}

/// A workflow from data in which the formal fields may be missing.
pub fn workflow(data: &Value) -> Result<Workflow, serde_json::Error> {
    let mut all = serde_json::json!({ "signalbox": 1, "id": "scenario", "name": "Scenario", "nodes": {}, "edges": [] });
    if let (Some(all), Some(data)) = (all.as_object_mut(), data.as_object()) {
        for (key, value) in data {
            all.insert(key.clone(), value.clone());
        }
    }
    serde_json::from_value(all)
}

/// Compiles a workflow that must be valid.
pub fn compile(workflow: Workflow) -> Arc<Compiled> {
    let compiled = Compiled::new(Arc::new(workflow), "0".repeat(64).as_str(), &catalog());
    Arc::new(compiled.unwrap_or_else(|found| panic!("the workflow does not compile: {found:#?}")))
}

/// An event in short: `step_start fetch`, with ` v2`, ` a1`, ` [3]` for visit, attempt and item where they are not the
/// first, and the finer cause or the port behind it.
pub fn line(event: &RunEvent) -> String {
    let mut text = event.body.type_name().to_owned();
    if let Some(step) = &event.step_id {
        text.push(' ');
        if let Some(path) = &event.path {
            text.push_str(path);
            text.push('/');
        }
        text.push_str(step);
    }
    if let Some(item) = event.item {
        text.push_str(&format!(" [{item}]"));
    }
    if let Some(visit) = event.visit.filter(|visit| *visit > 1) {
        text.push_str(&format!(" v{visit}"));
    }
    if let Some(attempt) = event.attempt.filter(|attempt| *attempt > 0) {
        text.push_str(&format!(" a{attempt}"));
    }
    match &event.body {
        EventBody::StepError(body) => text.push_str(&format!(" {}", body.error.code())),
        EventBody::WorkflowFailed(body) => text.push_str(&format!(" {} {}", body.failed_step_id, body.error.code())),
        EventBody::RetryScheduled(body) => text.push_str(&format!(" {}ms", body.delay_ms)),
        EventBody::ErrorHandled(body) => text.push_str(&format!(" {} {}", body.rule, body.action)),
        EventBody::VarChanged(body) => text.push_str(&format!(" {}", body.name)),
        EventBody::StepDone(body) => {
            for (port, count) in body.ports.iter().filter(|(port, count)| port.as_str() != "success" || **count != 1) {
                text.push_str(&format!(" {port}:{count}"));
            }
        }
        EventBody::WorkflowDone(body) => {
            if let Some(stop) = &body.stop_id {
                text.push_str(&format!(" {stop}"));
            }
        }
        EventBody::AutoFixAttempt(body) => {
            text.push_str(if body.accepted { " accepted" } else { " refused" });
        }
        EventBody::HumanTaskCompleted(body) => text.push_str(&format!(" {}", body.answer.action.as_str())),
        EventBody::Escalated(body) => text.push_str(&format!(" level {}", body.level)),
        EventBody::HumanTaskCreated(_)
        | EventBody::HumanTaskReminded(_)
        | EventBody::HumanTaskHeld(_)
        | EventBody::HumanTaskContinued(_)
        | EventBody::HumanTaskClosed(_)
        | EventBody::PauseTimeout(_)
        | EventBody::WorkflowStart(_)
        | EventBody::WorkflowCancelled(_)
        | EventBody::WorkflowResumed(_)
        | EventBody::BreakpointsSet(_)
        | EventBody::WorkflowPaused(_)
        | EventBody::WorkflowContinued(_)
        | EventBody::InputEdited(_)
        | EventBody::StepStart(_)
        | EventBody::StepInterrupted(_)
        | EventBody::StepSkipped(_)
        | EventBody::Telemetry(_) => {}
    }
    text
}

/// Runs one scenario; the list of what is wrong, empty when all is well.
pub fn run(scenario: &Scenario) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(codes) = &scenario.expect.diagnostics {
        let workflow = match workflow(&scenario.workflow) {
            Ok(workflow) => workflow,
            Err(error) => return vec![format!("the workflow cannot be read: {error}")],
        };
        let found = validate::check(&workflow, &catalog());
        let found: Vec<String> = found.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        differ(&mut wrong, "diagnostics", codes, &found);
        return wrong;
    }
    let driver = match drive(scenario) {
        Ok(driver) => driver,
        Err(why) => return vec![why],
    };
    oracles(&driver.events, &mut wrong);
    expectations(scenario, &driver, &mut wrong);
    if !wrong.is_empty() {
        let log: Vec<String> = driver.events.iter().map(line).collect();
        wrong.push(format!("the run was:\n    {}", log.join("\n    ")));
    }
    wrong
}

/// Runs one scenario to its end, whatever comes out.
pub fn drive(scenario: &Scenario) -> Result<Driver, String> {
    let workflow = workflow(&scenario.workflow).map_err(|error| format!("the workflow cannot be read: {error}"))?;
    let compiled = Compiled::new(Arc::new(workflow), "0".repeat(64).as_str(), &catalog())
        .map_err(|found| format!("the workflow does not compile: {found:#?}"))?;
    let compiled = Arc::new(compiled);
    let test = TestWorld::default();
    for (key, answers) in &scenario.http {
        test.http.on(key, answers.clone());
    }
    test.llm.says(scenario.llm.clone());
    test.tools.has(scenario.tools.clone());
    for (path, content) in &scenario.files {
        test.files.put(path, content.as_str());
    }
    let mut driver = Driver::new(compiled, test);
    driver.start(Value::Object(scenario.params.clone()), scenario.context.clone(), None);
    if let Some(ms) = scenario.cancel_after_ms {
        driver.cancel_after(ms);
    }
    if let Some(why) = &scenario.audit_refuses {
        driver.test.audit.refuse(why);
    }
    for person in &scenario.people {
        if matches!(person.action.as_str(), "hold" | "continue") {
            driver.hold_after(person.after_ms, person.action == "hold");
            continue;
        }
        let Some(action) = TaskAction::parse(&person.action) else {
            return Err(format!("'{}' is no answer", person.action));
        };
        let answer = signalbox_model::task::Answer {
            action,
            corrected_input: person.input.clone().map(Arc::new),
            target_node_id: person.target.clone(),
            budget_micros: None,
            tool_grant: person.grant,
            notes: person.notes.clone(),
            operator_id: Some("user:test".into()),
        };
        driver.answer_after(person.after_ms, answer);
    }
    if let Some(keep) = scenario.crash_after {
        driver.run_until(|driver| driver.events.len() >= keep);
        driver = driver.crash_and_resume(keep);
    }
    driver.run();
    Ok(driver)
}

fn differ<T: PartialEq + std::fmt::Debug + ?Sized>(wrong: &mut Vec<String>, what: &str, expected: &T, found: &T) {
    if expected != found {
        wrong.push(format!("{what}: expected {expected:?}, found {found:?}"));
    }
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| panic!("what the engine made is JSON: {error}"))
}

fn expectations(scenario: &Scenario, driver: &Driver, wrong: &mut Vec<String>) {
    let expect = &scenario.expect;
    let summary: RunSummary = summary::of(&driver.compiled, &driver.state);
    let events: Vec<Value> = driver.events.iter().map(json).collect();
    if let Some(status) = &expect.status {
        differ(wrong, "status", status.as_str(), summary.status.as_str());
    }
    if let Some(lines) = &expect.events {
        let found: Vec<String> = driver.events.iter().map(line).collect();
        if lines != &found {
            wrong.push(format!("events: expected\n    {}", lines.join("\n    ")));
        }
    }
    let mut from = 0;
    for part in &expect.contains {
        match events[from..].iter().position(|event| includes(event, part)) {
            Some(at) => from += at + 1,
            None => wrong.push(format!("no event from seq {} on has {part}", from + 1)),
        }
    }
    for part in &expect.absent {
        if let Some(event) = events.iter().find(|event| includes(event, part)) {
            wrong.push(format!("an event must not be there: {event}"));
        }
    }
    if let Some(context) = &expect.context {
        differ(wrong, "context", context, &Value::Object(summary.context.clone()));
    }
    if let Some(output) = &expect.output {
        differ(wrong, "output", output, &Value::Array(summary.output.clone()));
    }
    if let Some(part) = &expect.summary {
        let whole = json(&summary);
        if !includes(&whole, part) {
            wrong.push(format!("the summary does not have {part}: {whole}"));
        }
    }
    for (node, expected) in &expect.steps {
        let found = summary.steps.get(node).map_or_else(
            || "no such node".to_owned(),
            |step| {
                let state = json(&step.state);
                format!("{} {}/{}", state.as_str().unwrap_or_default(), step.visits, step.attempts)
            },
        );
        if !found.starts_with(expected.as_str()) {
            wrong.push(format!("step {node}: expected {expected}, found {found}"));
        }
    }
    for (key, count) in &expect.requests {
        differ(wrong, key, count, &driver.test.http.count(key));
    }
    if let Some(questions) = &expect.questions {
        differ(wrong, "questions", &questions.len(), &driver.test.llm.questions().len());
        for (at, parts) in questions.iter().enumerate() {
            let words = driver.test.llm.words(at);
            for part in parts.iter().filter(|part| !words.contains(part.as_str())) {
                wrong.push(format!("question {at} does not have '{part}': {words}"));
            }
        }
    }
    if let Some(calls) = &expect.calls {
        differ(wrong, "calls", calls, &driver.test.tools.calls());
    }
    if let Some(names) = &expect.audit {
        let found: Vec<String> = driver.test.audit.notes().into_iter().map(|note| note.event).collect();
        differ(wrong, "audit", names, &found);
    }
    for (path, text) in &expect.files {
        let found = driver.test.files.get(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        differ(wrong, path, &Some(text.clone()), &found);
    }
    if let Some(ms) = expect.duration_ms {
        differ(wrong, "duration", &ms, &summary.duration_ms);
    }
}

/// Whether `whole` has everything that `part` has; lists are compared from their beginning.
pub fn includes(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|found| includes(found, value)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| includes(whole, part))
        }
        (Value::Number(whole), Value::Number(part)) => whole.as_f64() == part.as_f64(),
        (whole, part) => whole == part,
    }
}

/// What holds for the events of every run.
pub fn oracles(events: &[RunEvent], wrong: &mut Vec<String>) {
    for (index, event) in events.iter().enumerate() {
        if event.seq != Some(index as u64 + 1) {
            wrong.push(format!("seq {:?} stands at place {}", event.seq, index + 1));
        }
    }
    let terminal: Vec<usize> = (0..events.len()).filter(|at| events[*at].body.is_terminal()).collect();
    if terminal.len() > 1 || terminal.first().is_some_and(|at| at + 1 != events.len()) {
        wrong.push(format!("terminal events at {terminal:?} of {}", events.len()));
    }
    // Calls under way by (path, step, item, visit, attempt). A batch ends with one step_done, or with as many errors as items.
    let mut open: BTreeMap<_, usize> = BTreeMap::new();
    for event in events {
        // A recovery node counts its visits for each failed slot apart.
        let origin = event.body.origin().cloned();
        let key = (event.path.clone(), event.step_id.clone(), event.item, event.visit, event.attempt, origin);
        let whole = (key.0.clone(), key.1.clone(), None, key.3, key.4, key.5.clone());
        match &event.body {
            EventBody::StepStart(start) => {
                if open.insert(key, start.input.len()).is_some() {
                    wrong.push(format!("a call began twice: {}", line(event)));
                }
            }
            EventBody::StepDone(_) | EventBody::StepInterrupted(_) => {
                if open.remove(&key).is_none() && open.remove(&whole).is_none() {
                    wrong.push(format!("a call ended that was not under way: {}", line(event)));
                }
            }
            EventBody::StepError(_) => {
                let key = if open.contains_key(&key) { key } else { whole };
                match open.get_mut(&key) {
                    // Of a batch: the step_done closes it, or the last error.
                    Some(left) if *left > 1 => *left -= 1,
                    Some(_) => {
                        open.remove(&key);
                    }
                    None => wrong.push(format!("a call failed that was not under way: {}", line(event))),
                }
            }
            EventBody::WorkflowStart(_)
            | EventBody::WorkflowDone(_)
            | EventBody::WorkflowFailed(_)
            | EventBody::WorkflowCancelled(_)
            | EventBody::WorkflowResumed(_)
            | EventBody::BreakpointsSet(_)
            | EventBody::WorkflowPaused(_)
            | EventBody::WorkflowContinued(_)
            | EventBody::InputEdited(_)
            | EventBody::StepSkipped(_)
            | EventBody::VarChanged(_)
            | EventBody::RetryScheduled(_)
            | EventBody::ErrorHandled(_)
            | EventBody::AutoFixAttempt(_)
            | EventBody::HumanTaskCreated(_)
            | EventBody::HumanTaskCompleted(_)
            | EventBody::HumanTaskReminded(_)
            | EventBody::HumanTaskHeld(_)
            | EventBody::HumanTaskContinued(_)
            | EventBody::HumanTaskClosed(_)
            | EventBody::Escalated(_)
            | EventBody::PauseTimeout(_)
            | EventBody::Telemetry(_) => {}
        }
    }
    if !terminal.is_empty() && !open.is_empty() {
        wrong.push(format!("calls without an end: {:?}", open.keys().collect::<Vec<_>>()));
    }
}
