//! A step that waits for a person who allows a call of a tool (ADR 51) or answers what was asked back (ADR 123): what it waits
//! with, and what the person said.

use super::{
    begun_slot,
    case::{case_of, put},
    slot_mut,
};
use crate::{
    compiled::Compiled,
    effect::{CallOutput, Granted, Suspended, ToolAnswer},
    guard::question,
    question::INPUT_REQUIRED,
    state::{At, RunState, Slot},
    tool_rules::TOOL_APPROVAL,
};
use serde_json::Value;
use signalbox_model::{ErrorPayload, TaskAction, ToolGrant, task::Answer};
use std::sync::Arc;

/// A call waits for a person: no wire, rule or policy decides about it.
pub(super) fn waits(
    state: &mut RunState,
    (node, slot): (usize, usize),
    error: &Arc<ErrorPayload>,
    conversation: &Arc<Value>,
) {
    if let Some(known) = slot_mut(state, node, slot) {
        known.along = None;
        known.suspended = Some(Box::new(Suspended { conversation: Arc::clone(conversation), answer: None }));
    }
    put(state, node, slot, Arc::clone(error), At::Ask, None);
}

/// Whether a slot waits for such a person.
pub(crate) fn is_waiting(state: &RunState, node: usize, slot: usize) -> bool {
    let waits = begun_slot(state, node, slot).and_then(|slot| slot.suspended.as_deref());
    let asks =
        || case_of(state, node, slot).is_some_and(|case| [TOOL_APPROVAL, INPUT_REQUIRED].contains(&case.error.code()));
    waits.is_some_and(|waits| waits.answer.is_none()) && asks()
}

/// A person said whether the call may be made; what was allowed for the run holds for all of it.
pub(super) fn answered(compiled: &Compiled, state: &mut RunState, (node, slot): (usize, usize), answer: &Answer) {
    let waits = begun_slot(state, node, slot).and_then(|slot| slot.suspended.as_deref());
    if let Some(conversation) =
        waits.map(|waits| Arc::clone(&waits.conversation)).filter(|it| question::is_of_check(it))
    {
        return checked(state, (node, slot), &conversation, answer);
    }
    let is_question = case_of(state, node, slot).is_some_and(|case| case.error.code() == INPUT_REQUIRED);
    let allowed = match answer.action {
        TaskAction::Approve | TaskAction::Submit => true,
        TaskAction::Reject => false,
        // Nobody answered in time: the step continues and reports that to the agent.
        TaskAction::Retry if is_question => false,
        // The step ends with these.
        TaskAction::Retry | TaskAction::Correct | TaskAction::Skip | TaskAction::Alternative | TaskAction::Abort => {
            return;
        }
    };
    if allowed && answer.tool_grant == Some(ToolGrant::Run) {
        let error = case_of(state, node, slot).map(|case| Arc::clone(&case.error));
        let asked = error.as_ref().and_then(|error| error.details.as_ref()?.get("toolCall"));
        let text = |name: &str| asked.and_then(|asked| asked.get(name)?.as_str()).map(str::to_owned);
        if let (Some(rule), Some(server), Some(tool)) = (text("place"), text("server"), text("tool")) {
            let granted = Granted { workflow: compiled.file(node).workflow.id.clone(), rule, server, tool };
            if !state.granted.contains(&granted) {
                state.granted.push(granted);
            }
        }
    }
    if let Some(waits) = slot_mut(state, node, slot).and_then(|known| known.suspended.as_deref_mut()) {
        waits.answer = Some(ToolAnswer {
            allowed,
            notes: answer.notes.clone(),
            values: answer.corrected_input.clone(),
            expired: answer.action == TaskAction::Retry,
        });
    }
}

/// A person decided about what a safety check found: it holds for this data. What the call had made is kept for the next visit.
fn checked(state: &mut RunState, (node, slot): (usize, usize), conversation: &Value, answer: &Answer) {
    let Some((decided, told)) = question::decided(conversation, answer) else { return };
    let Some(known) = slot_mut(state, node, slot) else { return };
    known.decided.retain(|before| decided.iter().all(|now| now.at != before.at));
    known.decided.extend(decided);
    match known.suspended.as_deref_mut() {
        Some(waits) if question::kept_output(conversation).is_some() => waits.answer = Some(told),
        _ => known.suspended = None,
    }
}

/// What a call had made whose result a person has decided about.
pub(crate) fn kept_output(state: &RunState, node: usize, slot: usize) -> Option<CallOutput> {
    output_of(begun_slot(state, node, slot)?)
}

fn output_of(known: &Slot) -> Option<CallOutput> {
    let waits = known.suspended.as_deref()?;
    waits.answer.as_ref()?;
    question::kept_output(&waits.conversation)
}

/// A call begins. What was decided about the result of an earlier one says nothing about that of this one.
pub(super) fn begins(known: &mut Slot) {
    if !known.decided.is_empty() && output_of(known).is_none() {
        known.decided.retain(|one| one.at.starts_with("/before"));
    }
}

/// A call failed, and does not wait: a result that was kept is not used again.
pub(super) fn is_over(state: &mut RunState, node: usize, slot: usize) {
    let of_check = |waits: &Suspended| question::is_of_check(&waits.conversation);
    if let Some(known) = slot_mut(state, node, slot).filter(|known| known.suspended.as_deref().is_some_and(of_check)) {
        known.suspended = None;
    }
}
