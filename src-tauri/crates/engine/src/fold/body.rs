//! Bodies of containers (SEMANTICS 6): how they begin, go on and end. An iteration has no event of its own: it begins
//! with the first event at its path, and what follows from its end follows from the state.

use super::cancel_scope::remove;
use super::place::{around, inside, is_cut, known, path_of};
use super::{activate, imported_checkpoint, one_or_list, slot_mut, slot_ref, until};
use crate::{
    compiled::Compiled,
    config,
    expr::Expr,
    params,
    prepare::node_scope,
    state::{Aside, Body, EdgeState, Frame, NodeRun, OpenExit, Outcome, Own, Phase, RunState},
};
use serde_json::Value;
use signalbox_model::{Data, Item, Map, Mode, Role, Workflow};
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

/// `loop[3]`, `par/b2`, `sub`, `sub[2]`: the container there has to go on with it.
fn open_at(compiled: &Compiled, state: &mut RunState, path: &str) -> Option<usize> {
    let split =
        |path: &str| path.rsplit_once('/').map_or((None, path.to_owned()), |(o, l)| (Some(o.to_owned()), l.to_owned()));
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
    if body.upcoming() != index && state.basing.is_none() {
        return None;
    }
    Some(open(compiled, state, node, slot, index))
}

/// A container does not stop at the first failed child.
pub(crate) fn collects(config: &Value) -> bool {
    config.get("onChildError").and_then(Value::as_str) == Some("collect_errors")
}

/// The container right around a node collects errors: line 4 of SEMANTICS 4 never asks a person.
pub(crate) fn is_collected(compiled: &Compiled, state: &RunState, node: usize) -> bool {
    let Some((_, frame)) = around(compiled, state, node).next() else { return false };
    if until::fails_for_all(compiled, state, node) {
        return false;
    }
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

pub(super) fn body_mut(state: &mut RunState, node: usize, slot: usize) -> Option<&mut Body> {
    slot_mut(state, node, slot)?.body.as_deref_mut()
}

/// How often a loop runs; unknown with `while`. `items` as they are after `in`, a repair or a person (SEMANTICS 3).
pub(crate) fn iterations(config: &Value, items: usize) -> Option<usize> {
    match config.get("while") {
        Some(_) => None,
        None => Some(match config.get("source") {
            Some(_) => config::entries(config).unwrap_or(0),
            None => items,
        }),
    }
}

/// The list of a loop that stayed an expression in its settings: what it gives now is what is iterated over.
fn long_source(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Option<Data> {
    let known = slot_ref(state, node, slot)?;
    let source = Expr::compile(config::late(known.config.as_ref()?, "/source")?).ok()?;
    source.eval_text(&node_scope(compiled, state, node, slot, &known.input, None)).ok()
}

/// A container begins. Entered again with the same input it goes on where it failed; with another it starts over.
pub(super) fn entered(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize) {
    let this = &compiled.nodes[node];
    let before = imported_checkpoint::of(compiled, state, node).cloned();
    let only = until::begun_in(compiled, state, node).filter(|_| state.basing.is_none());
    let source = if this.role == Role::Loop { long_source(compiled, state, node, slot) } else { None };
    let Some(known) = slot_mut(state, node, slot) else { return };
    let (config, input) = (known.config.clone().unwrap_or_default(), known.input.clone());
    let body = known.body.get_or_insert_default();
    if body.config != config || body.input != input || body.source != source {
        let total = match this.role {
            Role::Loop => iterations(&config, input.len()),
            Role::Parallel => Some(this.bodies.len()),
            _ => Some(1),
        };
        // Another input starts over, whatever ended elsewhere.
        let before = before.filter(|_| body.highest == 0);
        **body = Body { config, input, source, total, highest: body.highest, ..Body::default() };
        let ended = before.map(|before| imported_checkpoint::ended(compiled, node, body, &before));
        for index in ended.unwrap_or_default() {
            body.ended(index, Outcome::Elsewhere);
        }
    } else {
        body.again();
    }
    known.phase = Phase::Inside;
    // Children of a container that is entered again have its number; a child may be further on its own.
    if let Some(index) = only {
        // The other iterations stay as they are.
        body.next = index;
    }
    body.highest = if body.highest == 0 { known.visit } else { known.visit.max(body.highest + 1) };
    let visit = body.highest;
    visited(compiled, state, node, visit);
    state.work.body_begins((node, slot));
    open_empty(compiled, state, node, slot);
    refresh(compiled, state, node, slot);
}

/// A branch whose entry takes items one by one ends as it begins when there are none, and so does one of which nothing runs.
/// No event tells of that: it follows from the container's beginning.
fn open_empty(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize) {
    let this = &compiled.nodes[node];
    let body = slot_ref(state, node, slot).and_then(|slot| slot.body.as_deref());
    let Some(body) = body.filter(|_| this.role == Role::Parallel) else { return };
    let ends_at_once = |index: &usize| {
        let region = this.bodies[*index];
        let entry = compiled.regions[region].entries.first();
        (body.input.is_empty() && entry.is_some_and(|entry| compiled.nodes[*entry].mode == Mode::Each))
            || until::leaves_branch_out(compiled, state, node, region)
    };
    let open = (0..this.bodies.len()).filter(|index| body.outcome(*index).is_none());
    // The other branches are still to come, in their order.
    for index in open.filter(ends_at_once).collect::<Vec<_>>() {
        self::open_beside(compiled, state, node, slot, index);
    }
}

/// Opens an iteration, a branch or a sub-workflow: its entries are activated.
pub(crate) fn open(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize, index: usize) -> usize {
    if let Some(body) = body_mut(state, node, slot) {
        body.next = body.next.max(index + 1);
    }
    open_beside(compiled, state, node, slot, index)
}

/// [`open`] that does not change which one comes next.
fn open_beside(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize, index: usize) -> usize {
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
    }
    for entry in &parts.entries {
        activate(compiled, state, compiled.nodes.number(frame, *entry), items.clone().into());
    }
    refresh(compiled, state, node, slot);
    frame
}

/// The params of a sub-workflow, its own defaults filled in.
pub(crate) fn given_params(file: &Workflow, config: &Value) -> Value {
    let none = Value::Object(Map::new());
    params::complete(file, config.get("params").filter(|given| !given.is_null()).unwrap_or(&none))
}

/// What the entries of a body get.
fn entering(compiled: &Compiled, state: &RunState, node: usize, slot: usize, index: usize) -> Vec<Item> {
    let known = slot_ref(state, node, slot);
    let data = known.map(|slot| slot.input.as_slice()).unwrap_or_default();
    let config = known.and_then(|slot| slot.config.clone()).unwrap_or_default();
    let came = super::activation_input(state, node);
    // What is made for a body out of what entered its container has its bytes.
    let plain = |data: Arc<Value>| Item {
        id: "1".into(),
        data,
        binary: super::bytes_of(compiled, node, came, slot),
        error: None,
        paired_item: None,
    };
    // `in`, a repair or a person may have changed data and number of the items.
    let own = |index: usize, data: &Data| match came.bare(index) {
        Some(item) => Item { data: data.value(), paired_item: None, ..item },
        None => plain(data.value()),
    };
    match compiled.nodes[node].role {
        Role::Parallel => data.iter().enumerate().map(|(index, data)| own(index, data)).collect(),
        Role::Loop => {
            let body = known.and_then(|slot| slot.body.as_deref());
            let item = match body.and_then(|body| body.element(index)) {
                Some(element) => Some(plain(Arc::new(element))),
                None if config.get("while").is_some() => data.first().map(|data| plain(data.value())),
                None => data.get(index).map(|data| own(index, data)),
            };
            vec![item.unwrap_or_else(|| plain(Arc::default()))]
        }
        _ => {
            let first = compiled.nodes[node].bodies.first().and_then(|body| compiled.regions[*body].nodes.first());
            let params = first.map(|first| given_params(&compiled.file(*first).workflow, &config));
            vec![plain(Arc::new(params.unwrap_or_default()))]
        }
    }
}

/// Keeps the index of bodies in step: there is something to decide about a container when its body may go on, is over, or is cut.
pub(super) fn refresh(compiled: &Compiled, state: &mut RunState, node: usize, slot: usize) {
    let concurrency = if until::goes_one_by_one(compiled, state, node) { |_, _: &Value| 1 } else { concurrency };
    let only = until::begun_in(compiled, state, node).is_some();
    let decide = state.work.inside().contains(&(node, slot)) && !is_cut(compiled, state, node) && {
        let body = slot_ref(state, node, slot).and_then(|slot| slot.body.as_deref());
        body.is_some_and(|body| {
            let cut = body.live.iter().any(|frame| state.frames.get(*frame).is_some_and(|f| f.cut.is_some()));
            let more = !only
                && body.failed.is_none()
                && !body.broken
                && body.weight <= compiled.most
                && body.total.is_some_and(|total| body.upcoming() < total)
                && body.live.len() < concurrency(compiled.nodes[node].role, &body.config);
            cut || body.live.is_empty() || more
        })
    };
    state.work.set_body_undecided((node, slot), decide);
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
    until::passed(compiled, state, &gone);
    refresh(compiled, state, gone.container, gone.slot);
}

pub(super) fn outcome(compiled: &Compiled, gone: &Frame) -> Outcome {
    let mut leaves = gone.leaves.clone();
    leaves.sort_by_key(|(node, _)| *node);
    // The bytes of what an iteration made are its result's, too; without any the data is enough.
    let bytes = leaves.iter().any(|(_, item)| item.binary.is_some());
    if compiled.nodes[gone.container].role == Role::Loop && !bytes {
        let data: Vec<Data> = leaves.into_iter().map(|(_, item)| item.data.into()).collect();
        Outcome::Result(Aside::of(one_or_list(&data).value()))
    } else {
        Outcome::Leaves(leaves)
    }
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
