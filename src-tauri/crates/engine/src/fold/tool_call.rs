//! A step that waits for a person who allows a call of a tool (ADR 51) or answers what was asked back (ADR 123): what it waits
//! with, and what the person said.

use super::{
    case::{case_of, put},
    slot_mut, slot_ref,
};
use crate::{
    compiled::Compiled,
    effect::{Granted, Suspended, ToolAnswer},
    question::INPUT_REQUIRED,
    state::{At, RunState},
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
    let waits = slot_ref(state, node, slot).and_then(|slot| slot.suspended.as_deref());
    let asks =
        || case_of(state, node, slot).is_some_and(|case| [TOOL_APPROVAL, INPUT_REQUIRED].contains(&case.error.code()));
    waits.is_some_and(|waits| waits.answer.is_none()) && asks()
}

/// A person said whether the call may be made; what was allowed for the run holds for all of it.
pub(super) fn answered(compiled: &Compiled, state: &mut RunState, (node, slot): (usize, usize), answer: &Answer) {
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
