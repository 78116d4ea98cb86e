//! Where a node stands: the frames around it, and what it sees there (SEMANTICS 1, 3).

use crate::{
    compiled::Compiled,
    scope::Context,
    state::{Frame, Own, RunState},
};
use std::sync::Arc;

/// The number of a node at a path that is open.
pub(crate) fn known(compiled: &Compiled, state: &RunState, path: Option<&str>, step: &str) -> Option<usize> {
    match path {
        None => compiled.node_index(step),
        Some(path) => inside(compiled, state, state.frames.at(path)?, step),
    }
}

pub(super) fn inside(compiled: &Compiled, state: &RunState, frame: usize, step: &str) -> Option<usize> {
    let region = state.frames.get(frame)?.region;
    let file = compiled.nodes[*compiled.regions[region].nodes.first()?].file;
    let node = *compiled.files[file].index.get(step)?;
    (compiled.nodes[node].region == region).then(|| compiled.nodes.number(frame, node))
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

/// The visit with which a slot of a node begins: inside a container its own.
pub(crate) fn first_visit(compiled: &Compiled, state: &RunState, node: usize) -> u32 {
    state.frames.get(compiled.nodes.frame(node)).map_or(1, |frame| frame.visit)
}
