//! The world of a proof: recorded answers where there are some, made-up ones elsewhere, and one fault or two.

use super::faults::{FaultGroup, FaultKind};
use super::scope::{own_id, scoped};
use crate::replay::{Replay, failure_of};
use crate::sample;
use crate::sandbox::{Kinds, StepCode};
use crate::simulation::{CallInfo, Environment, PersonInput, Reply, TaskInfo};
use crate::test_bytes::TestBytes;
use crate::test_file::{CallReply, TestFile};
use serde_json::{Value, json};
use signalbox_engine::Compiled;
use signalbox_engine::effect::{CallOutput, OutItem};
use signalbox_model::task::Answer;
use signalbox_model::{Effects, Item, TaskAction, TaskKind, TaskReason};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Seed of a run without a recorded one.
pub(super) const SEED: u64 = 7;
/// How long a made-up call takes.
const CALL_MS: i64 = 50;
/// How long a made-up person takes.
const PERSON_MS: i64 = 60_000;
/// Entries that a list has at least in a huge result.
pub(super) const HUGE: usize = 500;
/// Characters that a text has at least in a huge result without a list.
const HUGE_TEXT: usize = 1_000_000;

/// Where the fault was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Where in nested containers; empty at the top.
    pub(super) path: String,
    /// Index of the item.
    pub(super) item: Option<usize>,
}

/// A fault that is put into a run: at the first place at which its step is called.
#[derive(Debug, Clone)]
pub(super) struct Injected {
    step: String,
    kind: FaultKind,
    first_call_only: bool,
    place: Option<Place>,
    calls: u32,
}

impl Injected {
    /// The fault of a group.
    pub(super) fn new(group: &FaultGroup, first_call_only: bool) -> Self {
        Self { step: group.step.clone(), kind: group.kind.clone(), first_call_only, place: None, calls: 0 }
    }

    /// Whether a step at a path has the fault.
    fn is_in(&self, compiled: &Compiled, path: &str, step: &str) -> bool {
        own_id(&self.step) == step && self.step == scoped(compiled, Some(path), step)
    }

    /// Whether a call has the fault.
    fn hits(&mut self, compiled: &Compiled, call: &CallInfo<'_>) -> bool {
        if self.kind == FaultKind::Silence || !self.is_in(compiled, &call.call.key.path, &call.call.node_id) {
            return false;
        }
        let here = Place { path: call.call.key.path.to_string(), item: call.item };
        if *self.place.get_or_insert_with(|| here.clone()) != here {
            return false;
        }
        self.calls += 1;
        let once = self.first_call_only || matches!(self.kind, FaultKind::Crash | FaultKind::Cancel);
        !once || self.calls == 1
    }
}

/// The world of a proof.
pub(super) struct ProofEnvironment<'p> {
    compiled: &'p Compiled,
    kinds: Kinds<'p>,
    test: Option<&'p TestFile>,
    replay: Option<Replay<'p>>,
    /// Runs steps that need no more than their items.
    code: StepCode<'p>,
    /// Steps whose code failed with made-up answers: theirs are made up, too.
    sampled: &'p RefCell<BTreeSet<String>>,
    /// A failure of such code is noted in `sampled`.
    learns: bool,
    /// In the order of a pair: the second is in a step that the first leads to.
    faults: Vec<Injected>,
}

impl<'p> ProofEnvironment<'p> {
    pub(super) fn new(
        (compiled, kinds): (&'p Compiled, Kinds<'p>),
        test: Option<&'p TestFile>,
        faults: Vec<Injected>,
        sampled: &'p RefCell<BTreeSet<String>>,
    ) -> Self {
        // A recorded answer is used for every call of its step, before its code.
        let replay = test.map(|test| Replay::new(test, Kinds::without_code(kinds.catalog())));
        let (seed, bytes) = test.map_or((SEED, TestBytes::default()), |test| (test.seed(), test.bytes.clone()));
        let code = StepCode::new(kinds, seed, bytes);
        Self { compiled, kinds, test, replay, code, sampled, learns: false, faults }
    }

    /// For the run without a fault.
    pub(super) fn learning(self) -> Self {
        Self { learns: true, ..self }
    }

    /// Where each fault was; none for one that did not happen.
    pub(super) fn places(&self) -> Vec<Option<Place>> {
        self.faults.iter().map(|fault| fault.place.clone()).collect()
    }

    /// The answer without a fault.
    fn healthy(&mut self, call: &CallInfo<'_>) -> Reply {
        let reply = self.replay.as_mut().map_or(Reply::Missing, |replay| replay.reply(call));
        match reply {
            Reply::Missing => {}
            reply => return reply,
        }
        if call.call.effects == Effects::None {
            return Reply::Code(0);
        }
        let (step, path) = (&*call.call.node_id, &*call.call.key.path);
        let name = scoped(self.compiled, Some(path), step);
        let is_its = |one: &CallReply| scoped(self.compiled, one.path.as_deref(), &one.step) == name;
        // Another call of the same step: a retry that the recorded run did not need.
        let recorded = self
            .test
            .and_then(|test| test.calls.iter().find(|one| one.step == step && one.output.is_some() && is_its(one)));
        if let Some(recorded) = recorded {
            return crate::replay::recorded_reply(recorded, call, None);
        }
        if let Some(reply) = self.own_code(call, &name) {
            return reply;
        }
        let Some(kind) = self.kinds.get(&call.call.kind) else { return Reply::Missing };
        if kind.kind == "builtin.audit" {
            return Reply::Output(crate::replay::pass(call, "success"), CALL_MS);
        }
        let (port, data) = sample::answer(&call.call.workflow, step, kind, call);
        Reply::Output(CallOutput::port(&port, data), CALL_MS)
    }
}

impl ProofEnvironment<'_> {
    /// What the code of a step gives that needs no more than its items. Made-up items may be none that it takes.
    fn own_code(&mut self, call: &CallInfo<'_>, name: &str) -> Option<Reply> {
        if self.sampled.borrow().contains(name) {
            return None;
        }
        match self.code.run(call)? {
            Ok(output) => Some(Reply::Output(output, CALL_MS)),
            Err(_) if self.learns && self.test.is_none() => {
                self.sampled.borrow_mut().insert(name.to_owned());
                None
            }
            Err(failure) => Some(Reply::Failure(failure, CALL_MS)),
        }
    }
}

/// Lists and free texts of a value without their content. Numbers and flags stay.
fn emptied(value: &Value) -> Value {
    match value {
        Value::Array(_) => json!([]),
        Value::String(_) => json!(""),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), emptied(value))).collect(),
        other => other.clone(),
    }
}

/// The first list of a value with [`HUGE`] entries, or else its first text with [`HUGE_TEXT`] characters.
fn enlarge(value: &mut Value) -> bool {
    fn lists(value: &mut Value) -> bool {
        match value {
            Value::Array(list) => {
                let Some(last) = list.last().cloned() else { return false };
                while list.len() < HUGE {
                    list.push(last.clone());
                }
                true
            }
            Value::Object(fields) => fields.values_mut().any(lists),
            _ => false,
        }
    }
    fn texts(value: &mut Value) -> bool {
        match value {
            Value::String(text) => {
                let unit = if text.is_empty() { "x".to_owned() } else { text.clone() };
                *text = unit.repeat(HUGE_TEXT / unit.len() + 1);
                true
            }
            Value::Object(fields) => fields.values_mut().any(texts),
            _ => false,
        }
    }
    lists(value) || texts(value)
}

/// An empty result has no bytes.
fn with_bytes(made: OutItem, item: &Item, kind: &FaultKind) -> OutItem {
    OutItem { binary: item.binary.clone().filter(|_| *kind != FaultKind::Empty), ..made }
}

/// An output with other data.
fn changed(reply: Reply, kind: &FaultKind) -> Reply {
    let Reply::Output(output, after) = reply else { return reply };
    let mut made = CallOutput { meta: output.meta.clone(), writes: output.writes.clone(), ..CallOutput::default() };
    for (port, items) in &output.ports {
        let mut items: Vec<OutItem> = items
            .iter()
            .map(|item| with_bytes(OutItem::new(Arc::clone(&item.data), item.paired_item), &item, kind))
            .collect();
        if *kind == FaultKind::Empty {
            items.iter_mut().for_each(|item| item.data = Arc::new(emptied(&item.data)));
        } else if items.len() > 1 {
            let last = items.last().cloned();
            while let (true, Some(last)) = (items.len() < HUGE, &last) {
                items.push(last.clone());
            }
        } else {
            items.iter_mut().for_each(|item| {
                enlarge(Arc::make_mut(&mut item.data));
            });
        }
        made.ports.extend(CallOutput::items(port, items).ports);
    }
    Reply::Output(made, after)
}

impl Environment for ProofEnvironment<'_> {
    fn reply(&mut self, call: &CallInfo<'_>) -> Reply {
        let own = call.call.key.origin.is_none();
        let compiled = self.compiled;
        let mut faults = self.faults.iter_mut().filter(|_| own);
        let hit = faults.find_map(|fault| fault.hits(compiled, call).then(|| fault.kind.clone()));
        match hit {
            None | Some(FaultKind::Silence) => self.healthy(call),
            Some(FaultKind::Error(error)) => {
                Reply::Failure(failure_of(&error, self.kinds.get(&call.call.kind).map(|kind| &**kind)), CALL_MS)
            }
            Some(FaultKind::Timeout) => Reply::Never,
            Some(FaultKind::Crash) => Reply::Crash(CALL_MS),
            Some(FaultKind::Cancel) => Reply::Cancel(CALL_MS),
            Some(kind @ (FaultKind::Empty | FaultKind::Huge)) => changed(self.healthy(call), &kind),
        }
    }

    fn people(&mut self, task: &TaskInfo<'_>) -> Vec<(i64, PersonInput)> {
        let compiled = self.compiled;
        let silent =
            |fault: &&mut Injected| fault.kind == FaultKind::Silence && fault.is_in(compiled, task.path, task.step);
        if let Some(fault) = self.faults.iter_mut().find(silent) {
            let here = Place { path: task.path.to_owned(), item: None };
            if *fault.place.get_or_insert_with(|| here.clone()) == here {
                return Vec::new();
            }
        }
        let recorded = self.replay.as_mut().map(|replay| replay.people(task)).unwrap_or_default();
        if !recorded.is_empty() {
            return recorded;
        }
        let answer = |action, input: Option<Value>| {
            let answer = Answer {
                corrected_input: input.map(Arc::new),
                operator_id: Some("user:test".to_owned()),
                ..Answer::by_policy(action)
            };
            vec![(PERSON_MS, PersonInput::Answer(answer))]
        };
        match (task.task.kind, task.task.reason) {
            (TaskKind::Approval, _) | (_, TaskReason::ToolCall) => answer(TaskAction::Approve, None),
            (TaskKind::Form | TaskKind::Pause, _) | (_, TaskReason::Question) => {
                let schema = task.task.schema.clone().unwrap_or_default();
                answer(TaskAction::Submit, Some(signalbox_planner::example(&schema, 4)))
            }
            (TaskKind::Decision, _) => Vec::new(),
        }
    }
}
