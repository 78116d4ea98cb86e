//! The environment of a test: its mocks, then its recorded answers, then the code of steps without effects and of those that need
//! no more than their items.

use crate::sandbox::{Kinds, StepCode};
use crate::simulation::{CallInfo, Environment, PersonInput, Reply, TaskInfo};
use crate::test_file::{CallError, CallReply, PersonAction, TestFile};
use serde_json::Value;
use signalbox_engine::effect::{CallOutput, OutItem, passed};
use signalbox_engine::kept_input::{KeptInput, RESULT};
use signalbox_model::task::Answer;
use signalbox_model::{Effects, ErrorType, Items, NodeDescriptor, NodeFailure, TaskAction};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Answers of a test file.
pub struct Replay<'t> {
    test: &'t TestFile,
    kinds: Kinds<'t>,
    code: StepCode<'t>,
    /// Recorded calls by step.
    calls: BTreeMap<&'t str, Vec<usize>>,
    used_calls: BTreeSet<usize>,
    used_mocks: BTreeSet<usize>,
    used_people: BTreeSet<usize>,
    /// Answers that their task did not offer: (index, what it offers).
    refused: Vec<(usize, String)>,
}

impl<'t> Replay<'t> {
    /// The environment of a test.
    pub fn new(test: &'t TestFile, kinds: Kinds<'t>) -> Self {
        let mut calls: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, call) in test.calls.iter().enumerate() {
            calls.entry(&call.step).or_default().push(at);
        }
        Self {
            test,
            kinds,
            code: StepCode::new(kinds, test.seed(), test.bytes.clone()),
            calls,
            used_calls: BTreeSet::new(),
            used_mocks: BTreeSet::new(),
            used_people: BTreeSet::new(),
            refused: Vec::new(),
        }
    }

    /// Recorded calls that were not made.
    pub fn unused_calls(&self) -> impl Iterator<Item = (usize, &CallReply)> {
        self.test.calls.iter().enumerate().filter(|(at, _)| !self.used_calls.contains(at))
    }

    /// Mocks that no call matched.
    pub fn unused_mocks(&self) -> impl Iterator<Item = (usize, &CallReply)> {
        self.test.mocks.iter().enumerate().filter(|(at, _)| !self.used_mocks.contains(at))
    }

    /// People who were not asked.
    pub fn unused_people(&self) -> impl Iterator<Item = (usize, &PersonAction)> {
        self.test.people.iter().enumerate().filter(|(at, _)| !self.used_people.contains(at))
    }

    /// Answers that their task did not offer, and what it offers.
    pub fn refused(&self) -> &[(usize, String)] {
        &self.refused
    }

    fn recorded(&mut self, call: &CallInfo<'_>) -> Option<usize> {
        let key = &call.call.key;
        let fits = |reply: &CallReply| {
            reply.path.as_deref().unwrap_or_default() == &*key.path
                && reply.visit.unwrap_or(1) == key.visit
                && reply.attempt.unwrap_or(0) == key.attempt
                && (reply.item == call.item || reply.item.is_none())
        };
        let mut all = self.calls.get(&*call.call.node_id)?.iter().copied();
        let found = all.find(|at| !self.used_calls.contains(at) && fits(&self.test.calls[*at]))?;
        self.used_calls.insert(found);
        Some(found)
    }
}

/// Whether a mock is meant for a call.
pub(crate) fn mock_fits(mock: &CallReply, call: &CallInfo<'_>) -> bool {
    let here = mock.path.is_some() || mock.item.is_some();
    mock.step == *call.call.node_id
        && mock.path.as_deref().is_none_or(|path| path == &*call.call.key.path)
        && mock.item.is_none_or(|item| Some(item) == call.item || (item == 0 && call.item.is_none()))
        && mock.visit.is_none_or(|visit| visit == call.call.key.visit)
        && mock.attempt.is_none_or(|attempt| attempt == call.call.key.attempt)
        && mock.call.is_none_or(|n| n == if here { call.number_here } else { call.number })
}

impl Environment for Replay<'_> {
    fn reply(&mut self, call: &CallInfo<'_>) -> Reply {
        let descriptor = self.kinds.get(&call.call.kind).cloned();
        if let Some((at, mock)) = self.test.mocks.iter().enumerate().find(|(_, mock)| mock_fits(mock, call)) {
            self.used_mocks.insert(at);
            if mock.is_delay() {
                let after = mock.after_ms;
                return later(self.without_mocks(call, descriptor.as_deref()), after);
            }
            return reply_of(mock, call, descriptor.as_deref());
        }
        self.without_mocks(call, descriptor.as_deref())
    }

    fn people(&mut self, task: &TaskInfo<'_>) -> Vec<(i64, PersonInput)> {
        let mut acts = Vec::new();
        for (at, act) in self.test.people.iter().enumerate() {
            let fits = act.step == task.step && act.path.as_deref().unwrap_or_default() == task.path;
            if self.used_people.contains(&at) || !fits {
                continue;
            }
            self.used_people.insert(at);
            let Some(answer) = answer_of(act) else {
                acts.push((act.after_ms, PersonInput::Hold(act.action == "hold")));
                continue;
            };
            if task.task.allowed_actions.contains(&answer.action) {
                acts.push((act.after_ms, PersonInput::Answer(answer)));
            } else {
                let offered: Vec<&str> = task.task.allowed_actions.iter().map(|action| action.as_str()).collect();
                self.refused.push((at, offered.join(", ")));
            }
            // What follows belongs to the next task of the step.
            break;
        }
        acts
    }
}

impl Replay<'_> {
    /// How a call ends by what was recorded, or by the code of the step.
    fn without_mocks(&mut self, call: &CallInfo<'_>, descriptor: Option<&NodeDescriptor>) -> Reply {
        if let Some(at) = self.recorded(call) {
            return recorded_reply(&self.test.calls[at], call, descriptor);
        }
        match call.call.effects {
            Effects::None => Reply::Code(0),
            // An entry of the audit chain has no answer but that it was written.
            _ if &*call.call.kind == "builtin.audit" => Reply::Output(pass(call, "success"), 0),
            Effects::Read | Effects::Write => match self.code.run(call) {
                Some(Ok(output)) => Reply::Output(output, 0),
                Some(Err(failure)) => Reply::Failure(failure, 0),
                None => Reply::Missing,
            },
        }
    }
}

/// The answer of a person; none when it is none.
fn answer_of(act: &PersonAction) -> Option<Answer> {
    let action = TaskAction::parse(&act.action)?;
    Some(Answer {
        corrected_input: act.input.clone().map(Arc::new),
        target_node_id: act.target.clone(),
        notes: act.notes.clone(),
        budget_micros: act.budget_micros,
        tool_grant: act.grant,
        operator_id: Some(act.by.clone().unwrap_or_else(|| "user:test".to_owned())),
        ..Answer::by_policy(action)
    })
}

/// The same end so much later.
fn later(reply: Reply, ms: i64) -> Reply {
    match reply {
        Reply::Code(after) => Reply::Code(after.saturating_add(ms)),
        Reply::Output(output, after) => Reply::Output(output, after.saturating_add(ms)),
        Reply::Failure(failure, after) => Reply::Failure(failure, after.saturating_add(ms)),
        Reply::Crash(after) => Reply::Crash(after.saturating_add(ms)),
        Reply::Cancel(after) => Reply::Cancel(after.saturating_add(ms)),
        other @ (Reply::Never | Reply::Missing) => other,
    }
}

/// The input of a slot through a port.
pub(crate) fn pass(call: &CallInfo<'_>, port: &str) -> CallOutput {
    let data = (0..call.slot.input.len()).filter_map(|at| call.slot.input.kept(at));
    CallOutput::list(port, passed(data))
}

/// What a reply of a file means for a call.
pub(crate) fn reply_of(reply: &CallReply, call: &CallInfo<'_>, descriptor: Option<&NodeDescriptor>) -> Reply {
    let after = reply.after_ms;
    if reply.crash {
        return Reply::Crash(after);
    }
    if reply.never {
        return Reply::Never;
    }
    if let Some(error) = &reply.error {
        return Reply::Failure(failure_of(error, descriptor), after);
    }
    if let Some(port) = &reply.pass {
        return Reply::Output(pass(call, port), after);
    }
    let mut output =
        CallOutput { meta: reply.meta.clone().map(Arc::new), writes: reply.writes.clone(), ..CallOutput::default() };
    for (port, items) in reply.output.iter().flatten() {
        let paired = |at: usize| match &reply.paired {
            Some(paired) if port == "success" => paired.get(at).copied().flatten(),
            _ => Some(0),
        };
        let named = reply.binary.get(port);
        let made = items.iter().enumerate().map(|(at, data)| OutItem {
            binary: named.and_then(|named| named.get(at)).filter(|names| !names.is_empty()).cloned(),
            ..OutItem::new(Arc::new(data.clone()), paired(at))
        });
        let made: Items = CallOutput::items(port, made).ports.swap_remove(port).unwrap_or_default();
        output.ports.insert(port.clone(), made);
    }
    Reply::Output(output, after)
}

/// What a recorded reply means for a call. Of a step that adds its result to its item the result alone was answered: the item
/// is the one that comes now.
pub(crate) fn recorded_reply(reply: &CallReply, call: &CallInfo<'_>, descriptor: Option<&NodeDescriptor>) -> Reply {
    let Reply::Output(mut output, after) = reply_of(reply, call, descriptor) else {
        return reply_of(reply, call, descriptor);
    };
    let config = &call.slot.config;
    let kept = match KeptInput::of(config, || {
        (0..call.slot.input.len()).filter_map(|at| call.slot.input.data(at)).collect()
    }) {
        Ok(Some(kept)) => kept,
        Ok(None) => return Reply::Output(output, after),
        Err(failure) => return Reply::Failure(failure, after),
    };
    let field = config.get("resultField").and_then(Value::as_str).unwrap_or(RESULT);
    for (port, items) in &mut output.ports {
        let made: Vec<OutItem> = items
            .iter()
            .map(|item| {
                let data = item.data.get(field).map_or_else(|| Arc::clone(&item.data), |own| Arc::new(kept.with(own)));
                OutItem { binary: item.binary.clone(), ..OutItem::new(data, item.paired_item) }
            })
            .collect();
        *items = CallOutput::items(port, made).ports.swap_remove(port).unwrap_or_default();
    }
    Reply::Output(output, after)
}

/// A failure with what the kind of the step declares for its code.
pub(crate) fn failure_of(error: &CallError, descriptor: Option<&NodeDescriptor>) -> NodeFailure {
    let declared = descriptor.and_then(|kind| kind.errors.iter().find(|declared| declared.code == error.code));
    let error_type = error.error_type.or(declared.map(|one| one.error_type)).unwrap_or(ErrorType::ToolError);
    let words = declared.map_or("Mocked in the test.", |one| one.when.as_str());
    let mut failure =
        NodeFailure::new(error_type, &error.code, error.message.clone().unwrap_or_else(|| words.to_owned()));
    if error.retryable.unwrap_or(declared.is_some_and(|one| one.retryable)) {
        failure = failure.retryable();
    }
    if let Some(action) = error.suggested_action {
        failure = failure.suggest(action);
    }
    failure.may_have_happened = error.may_have_happened;
    failure.retry_after_ms = error.retry_after_ms;
    failure.details = error.details.clone();
    failure.held = error.held.clone().map(Arc::new);
    failure
}
