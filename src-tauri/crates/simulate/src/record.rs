//! Events of a run → a test: what it started with, what the outside answered, what people did.

use crate::compatibility::definition_hash;
use crate::test_bytes::TestBytes;
use crate::test_file::{CallError, CallReply, Expectations, FORMAT, MASK, PersonAction, RerunStart, TestFile};
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_engine::Catalog;
use signalbox_model::event::{StepDone, StepError, StepStart, WorkflowStart};
use signalbox_model::{Binaries, Effects, ErrorPayload, ErrorType, EventBody, Map, RunEvent, Workflow, time};
use signalbox_nodes::{contained, reads_bytes};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Places that a note names at most.
const PLACES: usize = 5;

/// Why a run cannot become a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordError {
    /// What is in the way, and where.
    pub message: String,
    /// What to do instead.
    pub hint: String,
}

/// A test without expectations, and what a person should know about it.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The test.
    pub test: TestFile,
    /// One sentence each.
    pub notes: Vec<String>,
}

/// A call under way: when it began, its settings, whether its output is pinned, and the variables it has written.
#[derive(Clone)]
struct Begun {
    at_ms: i64,
    config: Arc<Value>,
    kind: String,
    pinned: bool,
    changed: Map,
}

/// (step, path, item).
type Place = (String, Option<String>, Option<usize>);

fn refuse<T>(message: impl Into<String>, hint: &str) -> Result<T, RecordError> {
    Err(RecordError { message: message.into(), hint: hint.to_owned() })
}

/// Makes a test of the events of a run. `file` is the name of the workflow's file, `workflows` the definition that the run was
/// pinned to and those that it calls. `bytes_of` gives the bytes of a hash that the test is to hold.
///
/// # Errors
/// When the run did something that a test cannot repeat.
pub fn record(
    name: &str,
    file: &str,
    events: &[RunEvent],
    workflows: &[&Workflow],
    catalog: &Catalog,
    bytes_of: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Recording, RecordError> {
    let Some(RunEvent { ts, body: EventBody::WorkflowStart(start), .. }) = events.first() else {
        return refuse("The run has no events.", "Choose a run that has started.");
    };
    check(events)?;
    let started_ms = time::parse(ts).unwrap_or_default();
    let mut recorder = Recorder {
        catalog,
        workflows,
        begun: HashMap::new(),
        tasks: HashMap::new(),
        calls: Vec::new(),
        people: Vec::new(),
        has_bytes: start.base.as_ref().filter(|base| !base.binaries().is_empty()).and(start.resumed_from.clone()),
        uploaded: BTreeSet::new(),
        own_code: BTreeSet::new(),
    };
    let mut cancel_after_ms = None;
    // Calls that a crash cut off are told right after `workflow_resumed`.
    let is_cut = |event: &RunEvent| matches!(event.body, EventBody::StepInterrupted(_));
    for (at, event) in events.iter().enumerate() {
        match &event.body {
            EventBody::WorkflowCancelled(_) => {
                let end = time::parse(&event.ts).unwrap_or(started_ms);
                // Calls that were under way got their grace before the run ended.
                let cut = recorder.calls.iter().filter(|call| call.never).map(|call| call.after_ms).max();
                cancel_after_ms = Some((end - started_ms - cut.map_or(0, |_| signalbox_engine::GRACE_MS)).max(0));
            }
            _ => {
                let resumed = events[..at].iter().rev().find(|before| !is_cut(before));
                let crashed = resumed.is_some_and(|before| matches!(before.body, EventBody::WorkflowResumed(_)));
                recorder.event(event, crashed)?;
            }
        }
    }
    let kept = start.base.iter().flat_map(|base| base.binaries());
    let (bytes, left_out) = recorder.bytes(kept, bytes_of);
    recorder.leave_code(left_out == 0);
    let test = TestFile {
        signalbox_test: FORMAT,
        name: name.to_owned(),
        workflow: file.to_owned(),
        definition: workflows.first().map(|workflow| definition_hash(workflow)),
        started_at: ts.clone(),
        seed: Some(start.seed.clone()),
        params: start.params.as_object().cloned().unwrap_or_default(),
        context: start.context.clone().unwrap_or_default(),
        until: start.until.clone(),
        rerun: rerun_of(start),
        calls: recorder.calls,
        people: recorder.people,
        cancel_after_ms,
        mocks: Vec::new(),
        expect: Expectations::default(),
        bytes,
    };
    if let Some(hidden) = test.seed.as_ref().filter(|seed| u64::from_str_radix(seed, 16).is_err()) {
        return refuse(format!("The seed of the run is '{hidden}'."), "Choose another run.");
    }
    let mut notes = notes(&test, workflows);
    if let Some(step) = recorder.has_bytes.filter(|_| left_out > 0) {
        let which = if left_out == 1 { "1 file".to_owned() } else { format!("{left_out} files") };
        let message = format!("The test does not hold {which} of the run ('{step}' gave or got some).");
        notes.push(format!("{message} Steps that read them have their recorded answers, or fail: mock those."));
    }
    if !test.bytes.is_empty() {
        let size = test.bytes.size().div_ceil(1024);
        notes.push(format!("The test holds {size} KiB of files. Nothing in them is masked."));
    }
    Ok(Recording { test, notes })
}

/// What a test cannot repeat.
fn check(events: &[RunEvent]) -> Result<(), RecordError> {
    let ended = events.iter().any(|event| event.body.is_terminal());
    let waits = events.iter().rev().find(|event| !matches!(event.body, EventBody::Telemetry(_)));
    let waits = waits.is_some_and(|event| {
        matches!(
            event.body,
            EventBody::HumanTaskCreated(_) | EventBody::HumanTaskReminded(_) | EventBody::HumanTaskHeld(_)
        )
    });
    if !ended && !waits {
        return refuse("The run has not ended.", "Wait until it has ended, or waits for a person.");
    }
    for event in events {
        let step = event.step_id.as_deref().unwrap_or_default();
        if let EventBody::InputEdited(_) = &event.body {
            let message = format!("The input of '{step}' was changed in the debugger.");
            return refuse(message, "Run the workflow without changing inputs, and save that run.");
        }
    }
    Ok(())
}

/// What a re-run has of its original.
fn rerun_of(start: &WorkflowStart) -> Option<RerunStart> {
    let from = start.resumed_from.clone()?;
    start.base.clone().map(|base| RerunStart { from, base })
}

struct Recorder<'c> {
    catalog: &'c Catalog,
    workflows: &'c [&'c Workflow],
    begun: HashMap<Place, Begun>,
    /// Task → its step, where, and when it was created.
    tasks: HashMap<String, (String, Option<String>, i64)>,
    calls: Vec<CallReply>,
    people: Vec<PersonAction>,
    /// A step whose bytes come from outside.
    has_bytes: Option<String>,
    /// Hashes of the files that the run was started with.
    uploaded: BTreeSet<String>,
    /// Those of `calls` whose steps can run their code in the test.
    own_code: BTreeSet<usize>,
}

impl Recorder<'_> {
    fn event(&mut self, event: &RunEvent, crashed: bool) -> Result<(), RecordError> {
        let at_ms = time::parse(&event.ts).unwrap_or_default();
        let Some(step) = event.step_id.clone() else { return Ok(()) };
        let place = || (step.clone(), event.path.clone(), event.item);
        match &event.body {
            EventBody::StepStart(StepStart { kind, config, pinned, origin: None, .. }) => {
                let role = self.catalog.get(kind).map(|kind| kind.role);
                if *pinned
                    && role.is_some_and(|role| {
                        !matches!(role, signalbox_model::Role::Step | signalbox_model::Role::Trigger)
                    })
                {
                    let message =
                        format!("The output of '{step}' was pinned, and a test cannot replace a step of this kind.");
                    return refuse(message, "Unpin it, run the workflow again, and save that run.");
                }
                let begun = Begun {
                    at_ms,
                    config: Arc::clone(config),
                    kind: kind.clone(),
                    pinned: *pinned,
                    changed: Map::new(),
                };
                self.begun.insert(place(), begun);
            }
            EventBody::StepDone(done) if done.origin.is_none() => {
                if let Some(begun) = self.reaches_out(&place()) {
                    let reply = self.reply(event, &step, at_ms - begun.at_ms);
                    let paired = paired_of(done, &begun.kind, self.catalog);
                    let binary = binary_of(done);
                    self.note_code(&begun, &step, !binary.is_empty());
                    let writes = self.own_writes(&step, begun.changed);
                    self.calls.push(CallReply { output: Some(ports_of(done)), binary, paired, writes, ..reply });
                } else if self.begun.get(&place()).is_some_and(|begun| self.is_trigger(&begun.kind)) {
                    let files: Vec<String> = hashes(binary_of(done).values().flatten()).map(str::to_owned).collect();
                    if !files.is_empty() {
                        self.has_bytes.get_or_insert(step.clone());
                    }
                    self.uploaded.extend(files);
                }
            }
            EventBody::StepError(StepError { error, origin: None, held }) => {
                // One that the engine found before a call is not used again; `propose` takes it out.
                if let Some(begun) = self.reaches_out(&place()) {
                    let reply = self.reply(event, &step, at_ms - begun.at_ms);
                    // How long it takes on this machine, and whether the process lives, is nothing that a test repeats.
                    if !matches!(error.code(), "TIMEOUT" | "CRASHED" | "READER_FAILED") {
                        self.note_code(&begun, &step, false);
                    }
                    let error = error_of(error, held.as_deref());
                    self.calls.push(CallReply { error: Some(error), ..reply });
                }
            }
            EventBody::StepInterrupted(cut) if cut.origin.is_none() => {
                if let Some(begun) = self.reaches_out(&place()) {
                    let reply = self.reply(event, &step, at_ms - begun.at_ms);
                    self.calls.push(CallReply { crash: crashed, never: !crashed, ..reply });
                }
            }
            // A healer that asked a model: its proposal, or that it had none.
            EventBody::AutoFixAttempt(tried) => {
                let Some(asked) = &tried.asked else { return Ok(()) };
                let reply = CallReply {
                    attempt: asked.number.checked_sub(1).filter(|tries| *tries > 0),
                    ..self.reply(event, &step, 0)
                };
                let fixed = tried.fixed_input.as_deref().cloned();
                let output = fixed.map(|fixed| IndexMap::from([("success".to_owned(), vec![fixed])]));
                let error = output.is_none().then(|| no_proposal(&tried.violations));
                self.calls.push(CallReply { output, error, ..reply });
            }
            EventBody::VarChanged(change) => {
                if let Some(begun) = self.begun.get_mut(&place()) {
                    let name = change.name.trim_start_matches('$').to_owned();
                    begun.changed.insert(name, (*change.new_value).clone());
                }
            }
            EventBody::HumanTaskCreated(task) => {
                self.tasks.insert(task.task_id.clone(), (step, event.path.clone(), at_ms));
            }
            EventBody::HumanTaskHeld(held) => self.person(&held.task_id, at_ms, "hold", None),
            EventBody::HumanTaskContinued(held) => self.person(&held.task_id, at_ms, "continue", None),
            // A policy decides again by itself; so does an answer that was kept.
            EventBody::HumanTaskCompleted(done) if done.answer.operator_id.is_some() => {
                self.person(&done.task_id, at_ms, done.answer.action.as_str(), Some(&done.answer));
            }
            _ => {}
        }
        Ok(())
    }

    /// The call, if it was made outside or its output was pinned.
    fn reaches_out(&mut self, place: &Place) -> Option<Begun> {
        let begun = self.begun.get(place)?;
        let kind = self.catalog.get(&begun.kind)?;
        let outside = kind.effects.of(&begun.config) != Effects::None && begun.kind != "builtin.audit";
        (outside || begun.pinned).then(|| begun.clone())
    }

    fn is_trigger(&self, kind: &str) -> bool {
        self.catalog.get(kind).is_some_and(|kind| kind.role == signalbox_model::Role::Trigger)
    }

    /// The bytes that calls from outside gave, as far as there are some, and how many there are not.
    fn bytes<'b>(
        &'b self,
        kept: impl Iterator<Item = &'b str>,
        bytes_of: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> (TestBytes, usize) {
        let outside = self.calls.iter().enumerate().filter(|(at, _)| !self.own_code.contains(at));
        let named = outside.flat_map(|(_, call)| hashes(call.binary.values().flatten()));
        let wanted: BTreeSet<&str> = kept.chain(named).chain(self.uploaded.iter().map(String::as_str)).collect();
        let mut bytes = TestBytes::default();
        let mut left_out = 0;
        for sha256 in wanted {
            match bytes_of(sha256) {
                Some(found) => bytes.insert(found),
                None => left_out += 1,
            }
        }
        (bytes, left_out)
    }

    /// Notes whether the call that is recorded next can run its code, or has bytes from outside.
    fn note_code(&mut self, begun: &Begun, step: &str, has_bytes: bool) {
        if !begun.pinned && contained(&begun.kind, &begun.config).is_some() {
            self.own_code.insert(self.calls.len());
        } else if has_bytes {
            self.has_bytes.get_or_insert(step.to_owned());
        }
    }

    /// Leaves out what the code of the steps gives again. Steps that read bytes can do so where the test has all of them.
    fn leave_code(&mut self, has_all_bytes: bool) {
        let own = std::mem::take(&mut self.own_code);
        let mut at = 0;
        let begun: HashMap<&str, &str> =
            self.begun.iter().map(|((step, ..), begun)| (step.as_str(), begun.kind.as_str())).collect();
        self.calls.retain(|call| {
            at += 1;
            let reads = || begun.get(call.step.as_str()).is_some_and(|kind| reads_bytes(kind));
            !own.contains(&(at - 1)) || (!has_all_bytes && reads())
        });
    }

    /// Variables that the step wrote by itself, not by its `out`.
    fn own_writes(&self, step: &str, changed: Map) -> Map {
        let node = self.workflows.iter().find_map(|workflow| workflow.nodes.get(step));
        let out = node.and_then(|node| node.out.as_ref());
        let by_out = |name: &str| {
            let names = out.into_iter().flat_map(Map::keys).filter_map(|target| target.strip_prefix('$'));
            names.into_iter().any(|target| target.split(['.', '[']).next() == Some(name))
        };
        changed.into_iter().filter(|(name, _)| !by_out(name)).collect()
    }

    fn reply(&self, event: &RunEvent, step: &str, took: i64) -> CallReply {
        CallReply {
            step: step.to_owned(),
            path: event.path.clone(),
            item: event.item,
            visit: event.visit.filter(|visit| *visit > 1),
            attempt: event.attempt.filter(|attempt| *attempt > 0),
            after_ms: took.max(0),
            ..CallReply::default()
        }
    }

    fn person(&mut self, task: &str, at_ms: i64, action: &str, answer: Option<&signalbox_model::task::Answer>) {
        let Some((step, path, created)) = self.tasks.get(task).cloned() else { return };
        self.people.push(PersonAction {
            step,
            path,
            after_ms: (at_ms - created).max(0),
            action: action.to_owned(),
            input: answer.and_then(|answer| answer.corrected_input.as_deref().cloned()),
            target: answer.and_then(|answer| answer.target_node_id.clone()),
            grant: answer.and_then(|answer| answer.tool_grant),
            budget_micros: answer.and_then(|answer| answer.budget_micros),
            notes: answer.and_then(|answer| answer.notes.clone()),
            by: answer.and_then(|answer| answer.operator_id.clone()),
        });
    }
}

fn ports_of(done: &StepDone) -> IndexMap<String, Vec<Value>> {
    let data = |items: &signalbox_model::Items| items.pieces().map(|(_, data)| (*data.value()).clone()).collect();
    done.items.iter().map(|(port, items)| (port.clone(), data(items))).collect()
}

fn hashes<'b>(of: impl Iterator<Item = &'b Binaries>) -> impl Iterator<Item = &'b str> {
    of.flat_map(Binaries::values).map(|one| one.sha256.as_str())
}

/// Port → for each item its bytes by name; without ports whose items have none.
fn binary_of(done: &StepDone) -> IndexMap<String, Vec<Binaries>> {
    let named = |items: &signalbox_model::Items| {
        (0..items.len()).map(|at| items.binary(at).cloned().unwrap_or_default()).collect::<Vec<_>>()
    };
    let ports = done.items.iter().filter(|(_, items)| items.binaries().next().is_some());
    ports.map(|(port, items)| (port.clone(), named(items))).collect()
}

/// Lineage, for steps that take all items together.
fn paired_of(done: &StepDone, kind: &str, catalog: &Catalog) -> Option<Vec<Option<usize>>> {
    let all = catalog.get(kind).is_some_and(|kind| kind.modes.contains(&signalbox_model::Mode::All));
    let items = done.items.get("success").filter(|_| all)?;
    let paired: Vec<Option<usize>> = items.pieces().map(|(item, _)| item.paired_item).collect();
    paired.iter().any(|paired| *paired != Some(0)).then_some(paired)
}

fn error_of(error: &ErrorPayload, held: Option<&Value>) -> CallError {
    let mut details = error.details.clone().unwrap_or_default();
    let unknown = details.get("effect").is_some_and(|effect| effect == "unknown");
    let retry_after_ms = details.get("retryAfterMs").and_then(Value::as_u64);
    // What the engine adds.
    for name in ["code", "input", "inputBytes", "effect", "retryAfterMs", "humanRound"] {
        details.shift_remove(name);
    }
    CallError {
        error_type: Some(error.error_type),
        code: error.code().to_owned(),
        message: Some(error.message.clone()),
        retryable: Some(error.retryable || unknown),
        may_have_happened: unknown,
        retry_after_ms,
        suggested_action: error.suggested_action.filter(|_| !unknown),
        details,
        held: held.cloned(),
    }
}

/// A model that a healer asked has proposed nothing of use.
fn no_proposal(violations: &[String]) -> CallError {
    CallError {
        error_type: Some(ErrorType::LLMError),
        code: "NO_STRUCTURED_OUTPUT".to_owned(),
        message: Some(
            violations.first().cloned().unwrap_or_else(|| "The model proposed nothing that fits.".to_owned()),
        ),
        retryable: Some(false),
        may_have_happened: false,
        retry_after_ms: None,
        suggested_action: None,
        details: Map::new(),
        held: None,
    }
}

/// What a person should know: hidden values, bytes, and what a run does not record.
fn notes(test: &TestFile, workflows: &[&Workflow]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut hidden = Vec::new();
    find_masks(&Value::Object(test.params.clone()), "params", &mut hidden);
    find_masks(&Value::Object(test.context.clone()), "context", &mut hidden);
    if let Some(rerun) = &test.rerun {
        let kept = serde_json::to_value(&rerun.base).unwrap_or_default();
        find_masks(&kept, "the results that were kept", &mut hidden);
    }
    for call in &test.calls {
        let reply = serde_json::to_value(call).unwrap_or_default();
        find_masks(&reply, &format!("the answer of '{}'", call.step), &mut hidden);
    }
    for act in &test.people {
        find_masks(
            &serde_json::to_value(act).unwrap_or_default(),
            &format!("the answer at '{}'", act.step),
            &mut hidden,
        );
    }
    if !hidden.is_empty() {
        let more = hidden.len().saturating_sub(PLACES);
        hidden.truncate(PLACES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        notes.push(format!(
            "Hidden values are saved as masks: {}{more}. Where the workflow decides by one of them, write a made-up value in its place.",
            hidden.join("; ")
        ));
    }
    for (id, node) in workflows.iter().flat_map(|workflow| &workflow.nodes) {
        let uses =
            |value: Option<&Map>| value.is_some_and(|map| Value::Object(map.clone()).to_string().contains("_meta"));
        let prints = node.print.as_ref().is_some_and(|print| print.to_string().contains("_meta"));
        if (uses(node.out.as_ref()) || prints) && test.calls.iter().any(|call| call.step == *id) {
            notes.push(format!(
                "'{id}' uses `_meta`, which runs do not record. Write it as `meta` of the step's calls."
            ));
        }
    }
    notes
}

fn find_masks(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains(MASK) => found.push(place.to_owned()),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, one)| find_masks(one, &format!("{place}/{at}"), found))
        }
        Value::Object(map) => map.iter().for_each(|(name, one)| find_masks(one, &format!("{place}/{name}"), found)),
        _ => {}
    }
}
