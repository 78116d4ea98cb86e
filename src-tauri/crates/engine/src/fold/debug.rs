//! Stops, breakpoints and edited inputs (ADR 33).

use super::{input_shape::is_list, slot_mut};
use crate::{
    compiled::Compiled,
    state::{Debug, Met, Pace, RunState},
};
use serde_json::Value;
use signalbox_model::{
    RunEvent,
    debug::{BreakpointsSet, InputEdited, Onward, Stopped, WorkflowContinued, WorkflowPaused},
};
use std::sync::Arc;

fn of(state: &mut RunState) -> &mut Debug {
    state.debug.get_or_insert_with(Box::default)
}

pub(super) fn breakpoints_set(state: &mut RunState, set: &BreakpointsSet) {
    of(state).breakpoints.clone_from(&set.breakpoints);
}

pub(super) fn paused(state: &mut RunState, event: &RunEvent, paused: &WorkflowPaused) {
    let debug = of(state);
    debug.stopped = Some(Stopped {
        reason: paused.reason,
        since: event.ts.clone(),
        step_id: event.step_id.clone(),
        path: event.path.clone(),
        item: event.item,
        from: paused.from.clone(),
        condition: paused.condition.clone(),
        condition_error: paused.condition_error.clone(),
        operator_id: paused.operator_id.clone(),
    });
    debug.pace = Pace::Free;
    if let Some(met) = Met::of(event) {
        debug.met.retain(|known| *known != met);
        debug.met.push(met);
    }
}

pub(super) fn continued(state: &mut RunState, continued: &WorkflowContinued) {
    let debug = of(state);
    debug.stopped = None;
    debug.pace = match continued.mode {
        Onward::Continue => Pace::Free,
        Onward::Step => Pace::One,
    };
}

/// A call has begun.
pub(super) fn began(state: &mut RunState, event: &RunEvent) {
    let Some(debug) = state.debug.as_mut() else { return };
    if debug.pace == Pace::One {
        debug.pace = Pace::None;
    }
    if !debug.met.is_empty()
        && let Some(began) = Met::of(event)
    {
        debug.met.retain(|met| *met != began);
    }
}

/// The new input takes the place of what `in` made; the config is evaluated again and the key is a new one, as after a
/// correction (SEMANTICS 3, 8).
pub(super) fn edited(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize, edited: &InputEdited) {
    let list = is_list(compiled, state, node, slot);
    let Some(known) = slot_mut(state, node, slot) else { return };
    known.input = match (list, edited.input.as_ref()) {
        (true, Value::Array(all)) => all.iter().map(|data| data.clone().into()).collect(),
        _ => vec![Arc::clone(&edited.input).into()],
    };
    known.replaced = true;
    known.decided.clear();
    known.config = None;
    known.idempotency_key = None;
    known.fixes += 1;
}
