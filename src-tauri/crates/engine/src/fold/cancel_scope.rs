//! What is cut off: a child's error in a container, a Stop in a sub-workflow, the end of a container (K-53). Nothing new
//! starts in a frame that is cut; `step` gives what has begun there its end, and then the frame is gone.

use super::{
    base,
    body::{body_mut, collects, outcome, refresh},
    case, close,
    ending::had_nothing_to_do,
    place::{around, is_cut},
    slot_ref, until,
};
use crate::{
    compiled::Compiled,
    state::{At, Cut, Frame, NodeRun, Outcome, Phase, RunState},
};
use signalbox_model::{ErrorPayload, Items, NodeState};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A frame and everything in it, the outer ones first.
fn family(compiled: &Compiled, state: &RunState, frame: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([frame]);
    for (number, inner) in state.frames.after(frame) {
        if found.contains(&compiled.nodes.frame(inner.container)) {
            found.insert(number);
        }
    }
    found
}

/// Nothing of a frame is to be started or decided any more.
fn forget(compiled: &Compiled, state: &mut RunState, frame: usize) {
    let count = compiled.nodes.len();
    state.work.forget_starts(frame * count..(frame + 1) * count);
}

/// Takes a frame away; its nodes are added to what the summary tells of them.
pub(super) fn remove(compiled: &Compiled, state: &mut RunState, frame: usize, cut: bool) -> Option<Frame> {
    // What stands where a re-run begins, and has not begun or begins again, was not cut off.
    let begins = base::is_open(compiled, state, compiled.nodes.number(frame, 0));
    let gone = state.frames.remove(frame)?;
    forget(compiled, state, frame);
    // In the base of a re-run a container may end around one whose end does not stand.
    let count = compiled.nodes.len();
    state.work.forget_bodies(frame * count..(frame + 1) * count);
    let parts = &compiled.regions[gone.region];
    let number = |local: &usize| compiled.nodes.number(frame, *local);
    let idle: BTreeSet<usize> = match cut {
        true => parts.nodes.iter().map(number).filter(|node| had_nothing_to_do(compiled, state, *node)).collect(),
        false => BTreeSet::new(),
    };
    for local in &parts.nodes {
        let Some(mut run) = state.nodes.remove(number(local)) else { continue };
        if cut && !idle.contains(&number(local)) && !(begins && run.state == NodeState::Pending) {
            run.state = cancelled(run.state);
        }
        state.gone.add(&gone.path, &compiled.nodes[*local].id, &run);
        add(&mut state.nodes[*local], &run);
    }
    for local in &parts.edges {
        state.edges.remove(compiled.edges.number(frame, *local));
    }
    for (local, _) in &parts.exits {
        state.exits.remove(&compiled.edges.number(frame, *local));
    }
    Some(gone)
}

/// State of a node that is cut off.
pub(super) fn cancelled(state: NodeState) -> NodeState {
    match state {
        NodeState::Pending | NodeState::Running | NodeState::Retrying | NodeState::AwaitingHitl => NodeState::Cancelled,
        NodeState::Skipped
        | NodeState::Succeeded
        | NodeState::ErrorHandled
        | NodeState::Cancelled
        | NodeState::Failed => state,
    }
}

/// The worst state over paths, and the sums (INTERFACES 1).
pub(crate) fn add(sum: &mut NodeRun, run: &NodeRun) {
    sum.visits = sum.visits.saturating_add(run.visits);
    sum.calls = sum.calls.saturating_add(run.calls);
    sum.state = match (sum.state, run.state) {
        (NodeState::Pending, state) | (state, NodeState::Pending) => state,
        (one, other) => one.max(other),
    };
}

/// Nothing new starts in a frame. What has begun there gets its end from `step`.
fn cut(compiled: &Compiled, state: &mut RunState, frame: usize, why: Cut) {
    let Some(known) = state.frames.get_mut(frame) else { return };
    if known.cut.is_some() {
        return;
    }
    known.cut = Some(why);
    state.frames.mark_cut(frame);
    let all = family(compiled, state, frame);
    for frame in &all {
        forget(compiled, state, *frame);
    }
    // A task that also stands for others stays for them.
    let here = |node: usize| all.contains(&compiled.nodes.frame(node));
    for task in state.tasks.values_mut() {
        if task.cases.iter().any(|(node, _)| !here(*node)) {
            task.cases.retain(|(node, _)| !here(*node));
        }
    }
}

/// A child failed and nobody handled it: `onChildError` of the container right around it decides (K-53).
pub(super) fn child_failed(
    compiled: &Compiled,
    state: &mut RunState,
    node: usize,
    slot: usize,
    error: Arc<ErrorPayload>,
    step: String,
) {
    let frame = compiled.nodes.frame(node);
    let Some((container, place)) = state.frames.get(frame).map(|frame| (frame.container, frame.slot)) else { return };
    if base::is_open(compiled, state, node) || base::is_around(compiled, state, container, place) {
        return base::again(compiled, state, node, slot);
    }
    cut(compiled, state, frame, Cut::Failed(Arc::clone(&error)));
    close(compiled, state, node, slot, Phase::Failed);
    state.nodes[node].state = NodeState::Failed;
    let mut siblings = Vec::new();
    let for_all = until::fails_for_all(compiled, state, node);
    if let Some(body) = body_mut(state, container, place) {
        body.errors.push(Arc::clone(&error));
        if for_all || !collects(&body.config) {
            body.failed.get_or_insert((error, step));
            siblings.extend(body.live.iter().copied());
        }
    }
    for sibling in siblings {
        cut(compiled, state, sibling, Cut::Sibling);
    }
    refresh(compiled, state, container, place);
}

/// A Stop was reached: inside a sub-workflow it ends that one only. False when there is none around it.
pub(super) fn stopped(compiled: &Compiled, state: &mut RunState, node: usize, entered: &Items) -> bool {
    let found = around(compiled, state, node).find(|(_, frame)| frame.own.is_some());
    let Some((number, (container, slot))) = found.map(|(number, frame)| (number, (frame.container, frame.slot))) else {
        return false;
    };
    if let Some(frame) = state.frames.get_mut(number) {
        let local = compiled.nodes.local(node);
        frame.leaves.extend(entered.iter().map(|item| (local, item.into_owned())));
    }
    cut(compiled, state, number, Cut::Stopped);
    refresh(compiled, state, container, slot);
    true
}

/// A call in a frame that needs an end when the frame is cut: (node, slot, the recovery node whose call it is).
pub(crate) type OpenCall = (usize, usize, Option<usize>);

/// The calls that have begun in a frame and have not ended.
fn open_calls(compiled: &Compiled, state: &RunState, frame: usize) -> Vec<OpenCall> {
    let Some(known) = state.frames.get(frame) else { return Vec::new() };
    let mut found = Vec::new();
    for local in &compiled.regions[known.region].nodes {
        let node = compiled.nodes.number(frame, *local);
        let slots = state.nodes.get(node).and_then(|run| run.activation.as_ref());
        for (slot, known) in slots.iter().flat_map(|a| a.slots.open()) {
            match &known.phase {
                Phase::Running | Phase::Sleeping { .. } | Phase::Asking { .. } | Phase::Inside => {
                    found.push((node, slot, None));
                }
                Phase::Case(case) => match &case.at {
                    At::Running(recovery) | At::Answered { node: recovery, .. } | At::Expired { node: recovery } => {
                        found.push((node, slot, Some(*recovery)));
                    }
                    At::Asked => {
                        let task = state.tasks.values().find(|task| task.cases.contains(&(node, slot)));
                        found.extend(task.and_then(|task| task.asks).map(|human| (node, slot, Some(human))));
                    }
                    At::Node(_) | At::BuiltInFix | At::Ask | At::Retry => {}
                },
                _ => {}
            }
        }
    }
    found
}

/// The frames of a container that were cut off, with all that is in them.
fn cut_frames(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> BTreeSet<usize> {
    let body = slot_ref(state, node, slot).and_then(|slot| slot.body.as_deref());
    let live = body.iter().flat_map(|body| body.live.iter());
    let cut = live.filter(|frame| state.frames.get(**frame).is_some_and(|frame| frame.cut.is_some()));
    cut.flat_map(|frame| family(compiled, state, *frame)).collect()
}

/// Tasks that nobody has to answer any more because their frames were cut off.
pub(crate) fn tasks_cut_off(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Vec<String> {
    tasks_in(compiled, state, &cut_frames(compiled, state, node, slot))
}

/// Calls that are to be ended because their frames were cut off, the innermost first. Asked for when the tasks are
/// closed: that ends the wait of a human node's call.
pub(crate) fn calls_cut_off(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Vec<OpenCall> {
    let all = cut_frames(compiled, state, node, slot);
    all.iter().rev().flat_map(|frame| open_calls(compiled, state, *frame)).collect()
}

fn tasks_in(compiled: &Compiled, state: &RunState, frames: &BTreeSet<usize>) -> Vec<String> {
    let here = |(node, _): &(usize, usize)| frames.contains(&compiled.nodes.frame(*node));
    let tasks = state.tasks.iter().filter(|(_, task)| task.cases.iter().all(here));
    tasks.map(|(id, _)| id.clone()).collect()
}

/// Frames that were cut off and in which nothing is under way any more are gone.
pub(super) fn reap(compiled: &Compiled, state: &mut RunState) {
    for frame in state.frames.cut() {
        let Some(known) = state.frames.get(frame) else {
            state.frames.reaped(frame);
            continue;
        };
        // What is inside another one that is cut goes with it.
        if is_cut(compiled, state, known.container) {
            continue;
        }
        let (container, slot, index, why) = (known.container, known.slot, known.index, known.cut.clone());
        let all = family(compiled, state, frame);
        let quiet = all.iter().all(|frame| open_calls(compiled, state, *frame).is_empty())
            && tasks_in(compiled, state, &all).is_empty();
        if !quiet {
            continue;
        }
        let outcome = match why {
            Some(Cut::Failed(error)) => Some(Outcome::Rejected(error)),
            Some(Cut::Stopped) => state.frames.get(frame).map(|gone| outcome(compiled, gone)),
            Some(Cut::Sibling) | None => None,
        };
        for frame in all.into_iter().rev() {
            remove(compiled, state, frame, true);
            state.frames.reaped(frame);
        }
        if let Some(body) = body_mut(state, container, slot) {
            body.live.remove(&frame);
            if let Some(outcome) = outcome {
                body.ended(index, outcome);
            }
        }
        refresh(compiled, state, container, slot);
    }
}

/// A container's call has ended, however: what is still open in it is gone.
pub(super) fn left(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize) {
    if !state.work.body_ended((node, slot)) {
        return;
    }
    let live: Vec<usize> =
        body_mut(state, node, slot).map(|body| std::mem::take(&mut body.live)).into_iter().flatten().collect();
    for frame in live {
        for frame in family(compiled, state, frame).into_iter().rev() {
            remove(compiled, state, frame, true);
            state.frames.reaped(frame);
        }
    }
}

/// Nobody answers a task any more; the call of a human node that asked is still to be ended.
pub(super) fn task_closed(state: &mut RunState, task: &str) {
    let Some(task) = state.tasks.remove(task) else { return };
    for (node, slot) in task.cases {
        if let (Some(human), Some(_)) = (task.asks, case::case_of(state, node, slot)) {
            case::given_up(state, node, slot, human);
        }
    }
}
