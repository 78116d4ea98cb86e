//! Calls that were interrupted: whether they are made again, or a person is asked what became of them.

use super::{add_error_input, base, cancel_scope, case, close, nothing_new, slot_mut, slot_ref};
use crate::compiled::Compiled;
use crate::error_codes::{INTERRUPTED, MAY_HAVE_HAPPENED};
use crate::state::{At, Phase, RunState};
use serde_json::Value;
use signalbox_model::{ErrorPayload, ErrorType, Replay, RunEvent};
use std::sync::Arc;

/// A call was cut off: it is called again, or a person says whether it happened.
pub(super) fn interrupted(compiled: &Compiled, state: &mut RunState, node: usize, event: &RunEvent, unknown: bool) {
    let Some(activation) = state.nodes[node].activation.as_mut() else { return };
    activation.staged.clear();
    let cut: Vec<usize> = activation
        .slots
        .open()
        .filter(|(index, slot)| {
            event.item.is_none_or(|item| item == *index)
                && matches!(slot.phase, Phase::Running | Phase::Sleeping { .. } | Phase::Asking { .. } | Phase::Inside)
        })
        .map(|(index, _)| index)
        .collect();
    for index in cut {
        case::no_longer_asked(state, (node, index));
        state.work.call_ended((node, index));
        if base::goes_on(compiled, state, node, index) {
            continue;
        }
        cancel_scope::left(compiled, state, node, index);
        if nothing_new(state, compiled, node) {
            close(compiled, state, node, index, Phase::Cancelled);
        } else if unknown && asks(compiled, state, node, index) {
            // A person has to say whether it happened.
            let error = interrupted_error(compiled, state, node, index, &event.ts);
            case::put(state, node, index, error, At::Ask, None);
        } else if let Some(slot) = slot_mut(state, node, index) {
            slot.phase = Phase::Interrupted;
            slot.interruptions += 1;
            state.work.set_undecided((node, index), true);
        }
    }
}

/// The call is a `write` whose descriptor says `replay: ask`, and no idempotency key makes it safe: a key does that where it
/// is sent along.
pub(crate) fn asks(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> bool {
    let config = slot_ref(state, node, slot).and_then(|s| s.config.clone()).unwrap_or_default();
    call_asks(compiled, node, &config)
}

pub(crate) fn call_asks(compiled: &Compiled, node: usize, config: &Value) -> bool {
    let node = &compiled.nodes[node];
    !node.node.sends_key()
        && matches!(node.descriptor.effects.of(config), signalbox_model::Effects::Write)
        && matches!(node.descriptor.replay.of(config), Replay::Ask)
}

pub(super) fn interrupted_error(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slot: usize,
    ts: &str,
) -> Arc<ErrorPayload> {
    let mut details = signalbox_model::Map::new();
    details.insert("code".into(), INTERRUPTED.into());
    details.insert("effect".into(), "unknown".into());
    add_error_input(compiled, state, node, slot, &mut details);
    Arc::new(ErrorPayload {
        error_type: ErrorType::UnknownError,
        message: MAY_HAVE_HAPPENED.into(),
        retryable: false,
        origin_node: compiled.nodes[node].id.to_string(),
        origin_run_id: Some(state.run_id.to_string()),
        attempt: slot_ref(state, node, slot).map(|s| s.attempt),
        max_attempts: Some(compiled.nodes[node].max_attempts),
        timestamp: ts.to_owned(),
        suggested_action: Some(signalbox_model::SuggestedAction::HumanReview),
        provenance_ref: None,
        trace_id: Some(state.trace_id()),
        details: Some(details),
    })
}
