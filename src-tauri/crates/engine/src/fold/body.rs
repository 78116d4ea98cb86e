//! Containers (SEMANTICS 6): frames open and end, children fail, a body goes on or is over. An iteration has no event of
//! its own: it begins with the first event at its path, and what follows from its end follows from the state.

use super::{activate, case, close, one_or_list, slot_mut, slot_ref};
use crate::{
    compiled::Compiled,
    scope::Context,
    state::{At, Body, Cut, EdgeState, Frame, NodeRun, OpenExit, Outcome, Own, Phase, RunState},
};
use serde_json::Value;
use signalbox_model::{ErrorPayload, Item, NodeState, Role};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Iterations of a parallel loop at the same time when its config does not say.
const CONCURRENCY: usize = 8;

/// The number of the node that an event names. The first event of an iteration opens it.
pub(super) fn number(compiled: &Compiled, state: &mut RunState, path: Option<&str>, step: &str) -> Option<usize> {
    let Some(path) = path else {
        let node = *compiled.files.first()?.index.get(step)?;
        return (compiled.nodes[node].region == 0).then_some(node);
    };
    let frame = match state.frames.at(path) {
        Some(frame) => frame,
        None => open_at(compiled, state, path)?,
    };
    inside(compiled, state, frame, step)
}

/// The number of a node at a path that is open.
pub(crate) fn known(compiled: &Compiled, state: &RunState, path: Option<&str>, step: &str) -> Option<usize> {
    match path {
        None => compiled.node_index(step),
        Some(path) => inside(compiled, state, state.frames.at(path)?, step),
    }
}

fn inside(compiled: &Compiled, state: &RunState, frame: usize, step: &str) -> Option<usize> {
    let region = state.frames.get(frame)?.region;
    let file = compiled.nodes[*compiled.regions[region].nodes.first()?].file;
    let node = *compiled.files[file].index.get(step)?;
    (compiled.nodes[node].region == region).then(|| compiled.nodes.number(frame, node))
}

/// `loop[3]`, `par/b2`, `sub`, `sub[2]`: the container there has to go on with it.
fn open_at(compiled: &Compiled, state: &mut RunState, path: &str) -> Option<usize> {
    let split = |path: &str| path.rsplit_once('/').map_or((None, path.to_owned()), |(o, l)| (Some(o.to_owned()), l.to_owned()));
    let (outer, last) = split(path);
    let (id, number) = match last.strip_suffix(']').and_then(|last| last.split_once('[')) {
        Some((id, number)) => (id, number.parse().ok()?),
        None => (last.as_str(), 0),
    };
    let here = known(compiled, state, outer.as_deref(), id).map(|node| (node, compiled.nodes[node].role));
    let (node, slot, index) = match here {
        Some((node, Role::Loop)) => (node, 0, number),
        Some((node, Role::Subworkflow)) => (node, number, 0),
        _ => {
            let (outer, id) = split(outer.as_deref()?);
            let node = known(compiled, state, outer.as_deref(), &id)?;
            let branch = compiled.nodes[node].bodies.iter().position(|body| {
                compiled.regions[*body].entries.first().is_some_and(|entry| *compiled.nodes[*entry].id == *last)
            })?;
            (node, 0, branch)
        }
    };
    let body = slot_ref(state, node, slot).filter(|slot| slot.phase == Phase::Inside)?.body.as_ref()?;
    if body.upcoming() != index {
        return None;
    }
    Some(open(compiled, state, node, slot, index))
}

/// Where a node stands: the path of its frame.
pub(crate) fn path_of(compiled: &Compiled, state: &RunState, node: usize) -> Option<Arc<str>> {
    state.frames.get(compiled.nodes.frame(node)).map(|frame| Arc::clone(&frame.path))
}

/// The frames around a node, innermost first.
pub(crate) fn around<'a>(
    compiled: &'a Compiled,
    state: &'a RunState,
    node: usize,
) -> impl Iterator<Item = (usize, &'a Frame)> {
    let first = compiled.nodes.frame(node);
    std::iter::successors(state.frames.get(first).map(|frame| (first, frame)), |(_, frame)| {
        let outer = compiled.nodes.frame(frame.container);
        state.frames.get(outer).map(|frame| (outer, frame))
    })
}

/// The same node or one outside it, as a node here sees it (SEMANTICS 3).
pub(crate) fn visible(compiled: &Compiled, state: &RunState, node: usize, local: usize) -> Option<usize> {
    let region = compiled.nodes[local].region;
    if compiled.nodes[node].region == region {
        return Some(compiled.beside(node, local));
    }
    around(compiled, state, node)
        .map(|(_, frame)| frame.container)
        .find(|container| compiled.nodes[*container].region == region)
        .map(|container| compiled.beside(container, local))
}

/// The sub-workflow around a node: its own params and context.
pub(crate) fn own<'a>(compiled: &'a Compiled, state: &'a RunState, node: usize) -> Option<&'a Own> {
    around(compiled, state, node).find_map(|(_, frame)| frame.own.as_deref())
}

/// The variables that a node reads and writes.
pub(crate) fn context<'a>(compiled: &'a Compiled, state: &'a RunState, node: usize) -> &'a Context {
    own(compiled, state, node).map_or(&state.context, |own| &own.context)
}

pub(super) fn context_mut<'a>(compiled: &Compiled, state: &'a mut RunState, node: usize) -> &'a mut Context {
    let frame = around(compiled, state, node).find(|(_, frame)| frame.own.is_some()).map(|(number, _)| number);
    match frame.and_then(|frame| state.frames.get_mut(frame)).and_then(|frame| frame.own.as_mut()) {
        Some(own) => &mut own.context,
        None => &mut state.context,
    }
}

/// Something around the node was cut off: nothing new starts here.
pub(crate) fn is_cut(compiled: &Compiled, state: &RunState, node: usize) -> bool {
    let frame = compiled.nodes.frame(node);
    frame != 0
        && (state.frames.get(frame).is_none() || around(compiled, state, node).any(|(_, frame)| frame.cut.is_some()))
}

/// A container does not stop at the first failed child.
pub(crate) fn collects(config: &Value) -> bool {
    config.get("onChildError").and_then(Value::as_str) == Some("collect_errors")
}

/// The container right around a node collects errors: line 4 of SEMANTICS 4 never asks a person.
pub(crate) fn is_collected(compiled: &Compiled, state: &RunState, node: usize) -> bool {
    let Some((_, frame)) = around(compiled, state, node).next() else { return false };
    let body = slot_ref(state, frame.container, frame.slot).and_then(|slot| slot.body.as_ref());
    body.is_some_and(|body| collects(&body.config))
}

fn concurrency(role: Role, config: &Value) -> usize {
    if role != Role::Loop {
        return usize::MAX;
    }
    if config.get("mode").and_then(Value::as_str) != Some("parallel") {
        return 1;
    }
    let wanted = config.get("maxConcurrency").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    wanted.unwrap_or(CONCURRENCY).max(1)
}

fn body_mut(state: &mut RunState, node: usize, slot: usize) -> Option<&mut Body> {
    slot_mut(state, node, slot)?.body.as_deref_mut()
}

/// A container begins. Entered again with the same input it goes on where it failed; with another it starts over.
pub(super) fn entered(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize) {
    let items = super::activation_input(state, node).len();
    let this = &compiled.nodes[node];
    let Some(known) = slot_mut(state, node, slot) else { return };
    let (config, input) = (known.config.clone().unwrap_or_default(), known.input.clone());
    let body = known.body.get_or_insert_default();
    if body.config != config || body.input != input {
        let total = match this.role {
            Role::Loop if config.get("while").is_some() => None,
            Role::Loop => Some(config.get("source").map_or(items, |list| list.as_array().map_or(0, Vec::len))),
            Role::Parallel => Some(this.bodies.len()),
            _ => Some(1),
        };
        **body = Body { config, input, total, highest: body.highest, ..Body::default() };
    } else {
        body.next = 0;
        body.broken = false;
        body.failed = None;
        body.errors.clear();
        body.live.clear();
        for outcome in &mut body.done {
            if matches!(outcome, Some(Outcome::Rejected(_))) {
                *outcome = None;
            }
        }
    }
    known.phase = Phase::Inside;
    // Children of a container that is entered again have its number; a child may be further on its own.
    body.highest = if body.highest == 0 { known.visit } else { known.visit.max(body.highest + 1) };
    let visit = body.highest;
    visited(compiled, state, node, visit);
    state.inside.insert((node, slot));
    refresh(compiled, state, node, slot);
}

/// Opens an iteration, a branch or a sub-workflow: its entries are activated.
pub(crate) fn open(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize, index: usize) -> usize {
    let this = &compiled.nodes[node];
    let region = match this.role {
        Role::Parallel => this.bodies.get(index),
        _ => this.bodies.first(),
    };
    let region = region.copied().unwrap_or_default();
    let parts = &compiled.regions[region];
    let outer = path_of(compiled, state, node).map_or_else(String::new, |path| format!("{path}/"));
    let several = state.nodes[node].activation.as_ref().is_some_and(|a| a.slots.len() > 1);
    let own = match this.role {
        Role::Loop => format!("{outer}{}[{index}]", this.id),
        Role::Parallel => {
            let entry = parts.entries.first().map_or("", |entry| &compiled.nodes[*entry].id);
            format!("{outer}{}/{entry}", this.id)
        }
        _ if several => format!("{outer}{}[{slot}]", this.id),
        _ => format!("{outer}{}", this.id),
    };
    let items = entering(compiled, state, node, slot, index);
    let visit = body_mut(state, node, slot).map_or(1, |body| body.highest);
    let frame = state.frames.push(Frame {
        container: node,
        slot,
        index,
        region,
        path: Arc::from(own),
        visit,
        open: parts.settle,
        item: (this.role == Role::Loop).then(|| items.first().map(|item| Arc::clone(&item.data)).unwrap_or_default()),
        own: (this.role == Role::Subworkflow).then(|| {
            let file = parts.nodes.first().map(|first| &compiled.files[compiled.nodes[*first].file]);
            let initial = file.map(|file| file.workflow.initial_context()).unwrap_or_default();
            let context = initial.into_iter().map(|(name, value)| (name, Arc::new(value))).collect();
            let params = items.first().map(|item| Arc::clone(&item.data)).unwrap_or_default();
            Box::new(Own { params, context: Arc::new(context) })
        }),
        leaves: Vec::new(),
        cut: None,
    });
    for local in &parts.nodes {
        let run = NodeRun::pending(compiled.nodes[*local].in_edges.len());
        state.nodes.insert(compiled.nodes.number(frame, *local), run);
    }
    for local in &parts.edges {
        state.edges.insert(compiled.edges.number(frame, *local), EdgeState::Open);
    }
    for (edge, open) in &parts.exits {
        state.exits.insert(compiled.edges.number(frame, *edge), OpenExit { open: *open, items: Vec::new() });
    }
    if let Some(body) = body_mut(state, node, slot) {
        body.live.insert(frame);
        body.next = body.next.max(index + 1);
    }
    for entry in &parts.entries {
        activate(compiled, state, compiled.nodes.number(frame, *entry), items.clone());
    }
    refresh(compiled, state, node, slot);
    frame
}

/// What the entries of a body get.
fn entering(compiled: &Compiled, state: &RunState, node: usize, slot: usize, index: usize) -> Vec<Item> {
    let known = slot_ref(state, node, slot);
    let data = known.map(|slot| slot.input.as_slice()).unwrap_or_default();
    let config = known.and_then(|slot| slot.config.clone()).unwrap_or_default();
    let came = super::activation_input(state, node);
    let plain = |data: Arc<Value>| Item { id: "1".into(), data, binary: None, error: None, paired_item: None };
    // `in`, a repair or a person may have changed data and number of the items.
    let own = |index: usize, data: &Arc<Value>| match came.get(index) {
        Some(item) => Item { data: Arc::clone(data), paired_item: None, ..item.clone() },
        None => plain(Arc::clone(data)),
    };
    match compiled.nodes[node].role {
        Role::Parallel => data.iter().enumerate().map(|(index, data)| own(index, data)).collect(),
        Role::Loop => {
            let element = config.get("source").and_then(Value::as_array).and_then(|list| list.get(index));
            let item = match element {
                Some(element) => Some(plain(Arc::new(element.clone()))),
                None if config.get("while").is_some() => data.first().map(|data| plain(Arc::clone(data))),
                None => data.get(index).map(|data| own(index, data)),
            };
            vec![item.unwrap_or_else(|| plain(Arc::default()))]
        }
        _ => vec![plain(Arc::new(config.get("params").cloned().unwrap_or_else(|| Value::Object(Default::default()))))],
    }
}

/// Keeps `bodies` in step: there is something to decide about a container when its body may go on, is over, or is cut.
pub(super) fn refresh(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize) {
    let decide = state.inside.contains(&(node, slot)) && !is_cut(compiled, state, node) && {
        let body = slot_ref(state, node, slot).and_then(|slot| slot.body.as_deref());
        body.is_some_and(|body| {
            let cut = body.live.iter().any(|frame| state.frames.get(*frame).is_some_and(|f| f.cut.is_some()));
            let more = body.failed.is_none()
                && !body.broken
                && body.total.is_some_and(|total| body.upcoming() < total)
                && body.live.len() < concurrency(compiled.nodes[node].role, &body.config);
            cut || body.live.is_empty() || more
        })
    };
    if decide {
        state.bodies.insert((node, slot));
    } else {
        state.bodies.remove(&(node, slot));
    }
}

/// A node has ended or was skipped; the last one ends its frame.
pub(super) fn settled(compiled: &Compiled, state: &mut RunState, node: usize) {
    let frame = compiled.nodes.frame(node);
    if frame == 0 {
        return;
    }
    let Some(known) = state.frames.get_mut(frame) else { return };
    known.open = known.open.saturating_sub(1);
    if known.open == 0 {
        end(compiled, state, frame);
    }
}

/// Nothing in a frame is open any more: what is left of it is its result.
fn end(compiled: &Compiled, state: &mut RunState, frame: usize) {
    let Some(gone) = remove(compiled, state, frame, false) else { return };
    let outcome = outcome(compiled, &gone);
    if let Some(body) = body_mut(state, gone.container, gone.slot) {
        body.live.remove(&frame);
        body.ended(gone.index, outcome);
    }
    refresh(compiled, state, gone.container, gone.slot);
}

fn outcome(compiled: &Compiled, gone: &Frame) -> Outcome {
    let mut leaves = gone.leaves.clone();
    leaves.sort_by_key(|(node, _)| *node);
    if compiled.nodes[gone.container].role == Role::Loop {
        let data: Vec<Arc<Value>> = leaves.into_iter().map(|(_, item)| item.data).collect();
        Outcome::Result(one_or_list(&data))
    } else {
        Outcome::Leaves(leaves)
    }
}

/// Takes a frame away; its nodes are added to what the summary tells of them.
fn remove(compiled: &Compiled, state: &mut RunState, frame: usize, cut: bool) -> Option<Frame> {
    let gone = state.frames.remove(frame)?;
    forget(compiled, state, frame);
    let parts = &compiled.regions[gone.region];
    for local in &parts.nodes {
        let Some(mut run) = state.nodes.remove(compiled.nodes.number(frame, *local)) else { continue };
        if cut {
            run.state = cancelled(run.state);
        }
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

/// Nothing of a frame is to be started or decided any more.
fn forget(compiled: &Compiled, state: &mut RunState, frame: usize) {
    let count = compiled.nodes.len();
    let (first, end) = (frame * count, (frame + 1) * count);
    for set in [&mut state.ready, &mut state.startable] {
        for node in set.range(first..end).copied().collect::<Vec<_>>() {
            set.remove(&node);
        }
    }
    for set in [&mut state.undecided, &mut state.timed, &mut state.bodies] {
        for place in set.range((first, 0)..(end, 0)).copied().collect::<Vec<_>>() {
            set.remove(&place);
        }
    }
}

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

/// A slot has a new visit: a container around it that is entered again goes on behind it.
pub(super) fn visited(compiled: &Compiled, state: &mut RunState, node: usize, visit: u32) {
    let containers: Vec<(usize, usize)> =
        around(compiled, state, node).map(|(_, frame)| (frame.container, frame.slot)).collect();
    for (container, slot) in containers {
        if let Some(body) = body_mut(state, container, slot) {
            body.highest = body.highest.max(visit);
        }
    }
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
    cut(compiled, state, frame, Cut::Failed(Arc::clone(&error)));
    close(compiled, state, node, slot, Phase::Failed);
    state.nodes[node].state = NodeState::Failed;
    let mut siblings = Vec::new();
    if let Some(body) = body_mut(state, container, place) {
        body.errors.push(Arc::clone(&error));
        if !collects(&body.config) {
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
pub(super) fn stopped(compiled: &Compiled, state: &mut RunState, node: usize, entered: &[Item]) -> bool {
    let found = around(compiled, state, node).find(|(_, frame)| frame.own.is_some());
    let Some((number, (container, slot))) = found.map(|(number, frame)| (number, (frame.container, frame.slot))) else {
        return false;
    };
    if let Some(frame) = state.frames.get_mut(number) {
        let local = compiled.nodes.local(node);
        frame.leaves.extend(entered.iter().map(|item| (local, item.clone())));
    }
    cut(compiled, state, number, Cut::Stopped);
    refresh(compiled, state, container, slot);
    true
}

/// A break was reached: the loop around it launches no more.
pub(super) fn broken(compiled: &Compiled, state: &mut RunState, node: usize) {
    let found = around(compiled, state, node)
        .map(|(_, frame)| (frame.container, frame.slot))
        .find(|(container, _)| compiled.nodes[*container].role == Role::Loop);
    if let Some((container, slot)) = found {
        if let Some(body) = body_mut(state, container, slot) {
            body.broken = true;
        }
        refresh(compiled, state, container, slot);
    }
}

/// A call in a frame that needs an end when the frame is cut: (node, slot, the recovery node whose call it is).
pub(crate) type OpenCall = (usize, usize, Option<usize>);

/// The calls that have begun in a frame and have not ended.
pub(crate) fn open_calls(compiled: &Compiled, state: &RunState, frame: usize) -> Vec<OpenCall> {
    let Some(known) = state.frames.get(frame) else { return Vec::new() };
    let mut found = Vec::new();
    for local in &compiled.regions[known.region].nodes {
        let node = compiled.nodes.number(frame, *local);
        let slots = state.nodes.get(node).and_then(|run| run.activation.as_ref());
        for (slot, known) in slots.iter().flat_map(|a| a.slots.iter().enumerate()) {
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

/// What is to be ended in the cut frames of a container: tasks first, then calls, the innermost first.
pub(crate) fn cut_off(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> (Vec<String>, Vec<OpenCall>) {
    let body = slot_ref(state, node, slot).and_then(|slot| slot.body.as_deref());
    let mut all = BTreeSet::new();
    for frame in body.iter().flat_map(|body| body.live.iter()) {
        if state.frames.get(*frame).is_some_and(|frame| frame.cut.is_some()) {
            all.extend(family(compiled, state, *frame));
        }
    }
    let calls = all.iter().rev().flat_map(|frame| open_calls(compiled, state, *frame)).collect();
    (tasks_in(compiled, state, &all), calls)
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
    if !state.inside.remove(&(node, slot)) {
        return;
    }
    state.bodies.remove(&(node, slot));
    let live: Vec<usize> = body_mut(state, node, slot).map(|body| std::mem::take(&mut body.live)).into_iter().flatten().collect();
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
