//! The base of a re-run (SEMANTICS 9): the events of the original that stand are folded by the same function; what ended
//! or cut off the original does not end the new run, and then the step is activated with its recorded input.

use super::place::{around, is_cut, path_of};
use super::{
    FoldError, activate, apply, body, cancel_scope, case, imported_checkpoint, interrupted_error, refresh_startable,
    slot_mut, slot_ref, until,
};
use crate::{
    compiled::Compiled,
    scope::Context,
    state::{At, Case, EdgeState, Made, Phase, RunState, Slot},
};
use signalbox_model::{
    ErrorPayload, Item, Map, Mode, NodeState, RunEvent,
    base::{Begun, Sent, named, parted},
    event::WorkflowStart,
    task::HumanTaskCompleted,
    time,
};
use std::{collections::BTreeSet, sync::Arc};

/// The state before the step of a re-run; nothing for other runs.
pub(super) fn fold(compiled: &Compiled, state: &mut RunState, start: &WorkflowStart) -> Result<(), FoldError> {
    fold_watched(compiled, state, start, &mut |_, _| {})
}

/// [`fold`] that tells of every event before and of every state after it; an error is about the event told last.
pub(crate) fn fold_watched(
    compiled: &Compiled,
    state: &mut RunState,
    start: &WorkflowStart,
    watch: &mut dyn FnMut(&RunEvent, Option<&RunState>),
) -> Result<(), FoldError> {
    let (Some(base), Some(from)) = (&start.base, &start.resumed_from) else { return Ok(()) };
    let (seq, started_ms, status) = (state.seq, state.started_ms, state.status);
    state.basing = Some(Arc::from(from.as_str()));
    // Where a person decides first no step begins: the case of the failed step stands, and waits for the answer.
    let last = usize::from(!base.begins_with_a_person());
    let (begun, here) = base.begun.split_at(base.begun.len().saturating_sub(last));
    let impossible = |why| FoldError::Impossible { seq, event: "workflow_start", why };
    if let Some(known) = &base.foreign {
        imported_checkpoint::settled(compiled, state, known)
            .ok_or(impossible("the step of its checkpoint is not known"))?;
        state.foreign = Some(known.clone());
    }
    for event in &base.events {
        watch(event, None);
        begin_named(compiled, state, begun, event);
        apply(compiled, state, event, event.seq.unwrap_or_default())?;
        watch(event, Some(state));
        // What a run ended by is not among them.
        state.status = status;
    }
    if let Some(sent) = &base.sent {
        failed_again(compiled, state, sent).ok_or(impossible("its failed call is not known"))?;
    }
    still(compiled, state, &time::format(started_ms));
    for here in here {
        let node = reached(compiled, state, &here.step).ok_or(impossible("its step cannot be begun"))?;
        begin(compiled, state, node, here.input.clone());
        again_from_first(compiled, state, node);
    }
    state.basing = None;
    until::leave_open(compiled, state);
    (state.seq, state.started_ms, state.last_ms, state.status) = (seq, started_ms, started_ms, status);
    state.run_seen = Made::default();
    (state.ending, state.stop_id) = (None, None);
    if let Some(context) = &start.context {
        state.context = shared(context);
    }
    // What was allowed for a run was allowed for that run.
    state.granted.clear();
    state.kept_answers.clone_from(&base.answers);
    state.reopens.clone_from(&base.asks);
    state.sent.clone_from(&base.sent);
    Ok(())
}

fn shared(context: &Map) -> Context {
    Arc::new(context.iter().map(|(name, value)| (name.clone(), Arc::new(value.clone()))).collect())
}

/// An earlier re-run began here by name, not by wires that may be different now.
fn begin_named(compiled: &Compiled, state: &mut RunState, begun: &[Begun], event: &RunEvent) {
    let Some(step) = event.step_id.as_deref().filter(|_| !begun.is_empty() && event.body.origin().is_none()) else {
        return;
    };
    let name = named(event.path.as_deref(), step);
    let Some(known) = begun.iter().rev().find(|known| known.step == name) else { return };
    if let Some(node) = reached(compiled, state, &name)
        && state.nodes[node].calls == 0
    {
        begin(compiled, state, node, known.input.clone());
        let changed = known.context.iter().map(|(name, value)| (name.clone(), Arc::new(value.clone())));
        Arc::make_mut(&mut state.context).extend(changed);
    }
}

/// The call that failed the original: what was decided about it does not stand, a person is asked.
fn failed_again(compiled: &Compiled, state: &mut RunState, sent: &Sent) -> Option<()> {
    let node = reached(compiled, state, &sent.step)?;
    slot_ref(state, node, sent.item)?;
    case::put(state, node, sent.item, Arc::clone(&sent.error), At::Ask, None);
    refresh_startable(state, node);
    Some(())
}

/// The number of a named step; its iteration is opened when it was not.
fn reached(compiled: &Compiled, state: &mut RunState, name: &str) -> Option<usize> {
    let (path, step) = parted(name);
    body::number(compiled, state, path, step)
}

/// Activates a step with these items, whatever its wires brought.
fn begin(compiled: &Compiled, state: &mut RunState, node: usize, input: Vec<Item>) {
    // A step that takes several lists together must still know which is which.
    let known = compiled.nodes[node].mode == Mode::All && brought_by_wires(compiled, state, node) == Some(input.len());
    for edge in &compiled.nodes[node].in_edges {
        let edge = compiled.wire(node, *edge);
        // Nothing of what it gets came along a wire.
        if let Some(wire) = state.edges.get_mut(edge).filter(|_| !known) {
            *wire = EdgeState::Dead;
        }
    }
    state.work.ended(node);
    let run = &mut state.nodes[node];
    (run.open_in, run.visits, run.calls, run.state, run.activation) = (0, 0, 0, NodeState::Pending, None);
    activate(compiled, state, node, input.into());
}

/// How many items the wires of a step brought in the original; `None` when there is only one wire.
fn brought_by_wires(compiled: &Compiled, state: &RunState, node: usize) -> Option<usize> {
    let wires = &compiled.nodes[node].in_edges;
    let items = |edge: &usize| match state.edges.get(compiled.wire(node, *edge)) {
        Some(EdgeState::Consumed(items)) => *items,
        Some(EdgeState::Open | EdgeState::Dead | EdgeState::Taken(_)) | None => 0,
    };
    (wires.len() > 1).then(|| wires.iter().map(items).sum())
}

/// The containers around the step execute again, too: what the original tried of them counts for the original.
fn again_from_first(compiled: &Compiled, state: &mut RunState, node: usize) {
    let containers: Vec<_> = around(compiled, state, node).map(|(_, frame)| (frame.container, frame.slot)).collect();
    for (container, slot) in containers {
        if let Some(known) = slot_mut(state, container, slot) {
            (known.attempt, known.heals) = (0, 0);
        }
    }
}

/// Nothing runs, waits or sleeps in a base: what had not ended begins again, who was asked is asked again.
fn still(compiled: &Compiled, state: &mut RunState, ts: &str) {
    let asked: Vec<_> = std::mem::take(&mut state.tasks).into_values().collect();
    let human = |place| asked.iter().find(|task| task.cases.contains(&place)).and_then(|task| task.asks);
    state.work.stop_calls();
    let open: Vec<(usize, usize)> = state
        .nodes
        .all()
        .flat_map(|(node, run)| {
            // Of those that have not begun one stands for all: they stand as they begin.
            let begun = run.activation.iter().flat_map(|a| a.slots.open()).filter(|(_, slot)| !slot.phase.is_closed());
            let fresh = run.activation.iter().filter_map(|a| a.slots.fresh(0).next());
            let open: BTreeSet<usize> = begun.map(|(slot, _)| slot).chain(fresh).collect();
            open.into_iter().map(move |slot| (node, slot))
        })
        .collect();
    for (node, slot) in open {
        if is_cut(compiled, state, node) {
            continue;
        }
        let Some(known) = slot_mut(state, node, slot) else { continue };
        // A person allowed that call in the original: here it is asked about again (ADR 51).
        if let Some(waits) = known.suspended.as_deref_mut() {
            waits.answer = None;
        }
        match known.phase.clone() {
            Phase::Inside => unopened(compiled, state, node, slot),
            Phase::Case(case) if is_undecided(compiled, node, known, &case) => {
                undecided(compiled, state, node, slot, case.error);
            }
            Phase::Case(case) => {
                let at = match case.at.clone() {
                    At::Asked => human((node, slot)).map_or(At::Ask, At::Node),
                    At::Running(node) | At::Answered { node, .. } | At::Expired { node } => At::Node(node),
                    at @ (At::Node(_) | At::BuiltInFix | At::Ask | At::Retry) => at,
                };
                let Case { error, intent, .. } = *case;
                case::put(state, node, slot, error, at, intent);
            }
            // Whether it happened, a person says (SEMANTICS 8).
            Phase::Running if super::asks(compiled, state, node, slot) => {
                let error = interrupted_error(compiled, state, node, slot, ts);
                case::put(state, node, slot, error, At::Ask, None);
            }
            Phase::Undecided { error } => undecided(compiled, state, node, slot, error),
            _ => again(compiled, state, node, slot),
        }
    }
}

/// The red wire of a failed call leads to a recovery node that has not begun with it: nothing was decided. One that had begun
/// goes on, a person who was asked is asked again.
fn is_undecided(compiled: &Compiled, node: usize, slot: &Slot, case: &Case) -> bool {
    let At::Node(recovery) = case.at else { return false };
    let from = slot.along.and_then(|edge| compiled.edges.get(edge)).map(|edge| edge.from);
    from == Some(compiled.nodes.local(node)) && slot.runs_of(recovery) == 0
}

/// It failed, and nothing was decided about it: it had not ended, and begins again. What it did may be as unknown as that of
/// a call that was cut off.
fn undecided(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize, error: Arc<ErrorPayload>) {
    if super::asks(compiled, state, node, slot) {
        case::put(state, node, slot, error, At::Ask, None);
    } else {
        again(compiled, state, node, slot);
    }
}

/// Iterations that had begun, and of which nothing stands, begin again.
fn unopened(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize) {
    let Some(body) = slot_ref(state, node, slot).and_then(|slot| slot.body.as_deref()) else { return };
    let live: Vec<usize> =
        body.live.iter().filter_map(|frame| state.frames.get(*frame)).map(|frame| frame.index).collect();
    let begun = (0..body.next).filter(|index| body.outcome(*index).is_none() && !live.contains(index));
    for index in begun.collect::<Vec<_>>() {
        body::open(compiled, state, node, slot, index);
    }
    body::refresh(compiled, state, node, slot);
}

/// A slot that had not ended, or that ended the original, begins again. A container keeps what is fulfilled.
pub(super) fn again(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize) {
    case::no_longer_asked(state, (node, slot));
    state.work.closed((node, slot));
    cancel_scope::left(compiled, state, node, slot);
    let visit = super::place::first_visit(compiled, state, node);
    let Some(activation) = state.nodes[node].activation.as_mut() else { return };
    let Some(known) = activation.slots.get_mut(slot) else { return };
    let body = known.body.take();
    *known = Slot { body, ..Slot::fresh(visit) };
    activation.staged.clear();
    activation.next_fresh = activation.next_fresh.min(slot);
    let untouched = activation.slots.untouched();
    state.nodes[node].state = NodeState::Pending;
    if untouched {
        state.work.set_startable(node, false);
        state.work.fired(node);
    } else {
        refresh_startable(state, node);
    }
}

/// While a base is folded: the step stands where the new run begins, so nothing that ended there ends it.
pub(super) fn is_open(compiled: &Compiled, state: &RunState, node: usize) -> bool {
    let Some(from) = state.basing.as_deref() else { return false };
    path_of(compiled, state, node)
        .is_none_or(|path| from.strip_prefix(&*path).is_some_and(|rest| rest.starts_with('/')))
}

/// While a base is folded: the container stands around the step, and stops at the first failed child. Such a failure
/// ended the container of the original; the child begins again.
pub(super) fn is_around(compiled: &Compiled, state: &RunState, container: usize, slot: usize) -> bool {
    let Some(from) = state.basing.as_deref() else { return false };
    let name = named(path_of(compiled, state, container).as_deref(), &compiled.nodes[container].id);
    let body = slot_ref(state, container, slot).and_then(|slot| slot.body.as_deref());
    from.strip_prefix(&*name).is_some_and(|rest| rest.starts_with(['/', '[']))
        && body.is_some_and(|body| !body::collects(&body.config))
}

/// While a base is folded: the end of the original cut a container off; its body goes on where it was.
pub(super) fn goes_on(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> bool {
    state.basing.is_some()
        && slot_ref(state, node, slot).is_some_and(|slot| slot.phase == Phase::Inside)
        && !is_cut(compiled, state, node)
        && around(compiled, state, node).all(|(_, frame)| frame.cut.is_none())
}

/// An answer of the original was given again: once.
pub(super) fn given_again(state: &mut RunState, event: &RunEvent, done: &HumanTaskCompleted) {
    let step = event.step_id.as_deref().map(|step| named(event.path.as_deref(), step));
    let origin = done.origin.as_ref().map(|origin| named(origin.path.as_deref(), &origin.step_id));
    let item = done.origin.as_ref().map_or(event.item, |origin| origin.item).unwrap_or(0);
    let same = state
        .kept_answers
        .iter()
        .position(|kept| Some(&kept.step) == step.as_ref() && kept.origin == origin && kept.item == item);
    if let Some(index) = same {
        state.kept_answers.remove(index);
    }
}
