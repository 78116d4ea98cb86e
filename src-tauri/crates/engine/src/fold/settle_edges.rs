//! Settlement (SEMANTICS 2): a node that has ended settles its wires, and what follows from it without an event.

use super::{activate, body, bytes_of, case, error_item, one_or_list, until};
use crate::{
    compiled::Compiled,
    recovery::EdgeKind,
    state::{EdgeState, Phase, Results, RunState, StoredView},
};
use signalbox_model::{Data, ErrorPayload, Item, Items, Mode, NodeState};
use std::sync::Arc;

/// All slots are closed: ports settle, in item order.
pub(super) fn end_activation(compiled: &Compiled, state: &mut RunState, node: usize) {
    let Some(activation) = state.nodes[node].activation.take() else { return };
    state.work.ended(node);
    let mut ports: Vec<(String, Items)> = Vec::new();
    let mut fallback = Vec::new();
    let mut left = Vec::new();
    let (mut any_failed, mut any_handled, mut any_cancelled, mut any_skipped) = (false, false, false, false);
    let each = compiled.nodes[node].mode == Mode::Each;
    let Results { others, ports: names, put_out } = activation.slots.into_results();
    let mut others = others.into_iter().peekable();
    // What is all of one way need not be looked at.
    let (whole, put_out) = if others.peek().is_none() && put_out.is_sorted() {
        (put_out, Default::default())
    } else {
        (Default::default(), put_out)
    };
    ports.extend(whole.into_lists().map(|(port, items)| (names[port].clone(), items)));
    let mut plain = ports.is_empty().then(|| put_out.by_slot()).into_iter().flatten().peekable();
    for (index, slot) in others {
        while let Some((_, port, item)) = plain.next_if(|(slot, _, _)| *slot < index) {
            on(&mut ports, &names[port], [item.into_owned()]);
        }
        let paired = if each || activation.input.len() == 1 { Some(index) } else { None };
        let red =
            |error: &Arc<ErrorPayload>| error_item(error, paired, bytes_of(compiled, node, &activation.input, index));
        match slot.phase {
            Phase::OnError { error } => {
                any_handled = true;
                on(&mut ports, "error", [red(&error)]);
            }
            Phase::OnFallback { error } => {
                any_handled = true;
                fallback.push(red(&error));
            }
            Phase::Exited { edges, items, skipped } => {
                if skipped {
                    any_skipped = true;
                } else {
                    any_handled = true;
                }
                left.push((index, edges, items));
            }
            Phase::PersonSkipped { ports: through, fallback: skipped } => {
                any_skipped = true;
                for (port, items) in through {
                    on(&mut ports, &port, items);
                }
                fallback.extend(skipped.map(|error| red(&error)));
            }
            Phase::Failed => any_failed = true,
            Phase::Cancelled => any_cancelled = true,
            // Closed slots only: `open` counts the others; those that have ended plainly stand apart.
            Phase::Done { .. }
            | Phase::Fresh
            | Phase::Running
            | Phase::Sleeping { .. }
            | Phase::RetryAt { .. }
            | Phase::Undecided { .. }
            | Phase::Reenter
            | Phase::Case(_)
            | Phase::Inside
            | Phase::Asking { .. }
            | Phase::Interrupted => {}
        }
    }
    for (_, port, item) in plain {
        on(&mut ports, &names[port], [item.into_owned()]);
    }
    // A container's port is taken without items, too.
    names.iter().for_each(|port| on(&mut ports, port, []));
    state.nodes[node].state = if any_failed {
        NodeState::Failed
    } else if any_cancelled {
        NodeState::Cancelled
    } else if any_handled {
        NodeState::ErrorHandled
    } else if any_skipped {
        NodeState::Skipped
    } else {
        NodeState::Succeeded
    };
    if compiled.nodes[node].referenced {
        let green = || ports.iter().filter(|(port, _)| port != "error");
        let data: Vec<Data> =
            green().flat_map(|(_, items)| (0..items.len()).filter_map(|index| items.kept(index))).collect();
        if !data.is_empty() {
            let follows = compiled.file(node).follows_items;
            let counts = green().filter(|_| follows).map(|(port, items)| (Arc::from(port.as_str()), items.len()));
            let ports = counts.collect();
            state.nodes[node].last = Some(StoredView { output: one_or_list(&data), items: Arc::new(data), ports });
        }
    }
    until::ended(compiled, state, node);
    route(compiled, state, node, ports, fallback, left);
}

/// Adds to a port; ids are places there.
fn on(ports: &mut Vec<(String, Items)>, port: &str, items: impl IntoIterator<Item = Item>) {
    let known = ports.iter().position(|(known, _)| known == port).unwrap_or_else(|| {
        ports.push((port.to_owned(), Items::new()));
        ports.len() - 1
    });
    items.into_iter().for_each(|item| ports[known].1.push_numbered(item));
}

/// Settles the outgoing edges of a node and everything that follows from it without an event.
pub(super) fn route(
    compiled: &Compiled,
    state: &mut RunState,
    node: usize,
    ports: Vec<(String, Items)>,
    fallback: Vec<Item>,
    left: Vec<(usize, Vec<usize>, Vec<Item>)>,
) {
    // What other iterations put out in the original stays theirs.
    let last = state.basing.is_none() && until::is_last(compiled, state, node);
    if (!compiled.nodes[node].success_wired || last)
        && let Some((_, items)) = ports.iter().find(|(port, _)| port == "success")
    {
        match state.frames.get_mut(compiled.nodes.frame(node)) {
            Some(frame) if !last => {
                let local = compiled.nodes.local(node);
                frame.leaves.extend(items.iter().map(|item| (local, item.into_owned())));
            }
            Some(_) | None => state.output.extend(items.pieces().map(|(_, data)| data)),
        }
    }
    let container = compiled.is_container(node);
    let ports: Vec<(String, Arc<Items>)> = ports.into_iter().map(|(p, items)| (p, Arc::new(items))).collect();
    let fallback = Arc::new(Items::from(fallback));
    let mut todo = Vec::new();
    for edge in &compiled.nodes[node].out_edges {
        let items = if compiled.edges[*edge].fallback {
            Some(&fallback)
        } else {
            ports.iter().find(|(p, _)| **p == *compiled.edges[*edge].port).map(|(_, items)| items)
        };
        let settled = match items {
            // A container that ended well goes on, whatever it made.
            Some(items) if !items.is_empty() || (container && !compiled.edges[*edge].fallback) => {
                EdgeState::Taken(Arc::clone(items))
            }
            Some(_) | None => EdgeState::Dead,
        };
        settle(compiled, state, compiled.wire(node, *edge), settled, &mut todo);
    }
    case::origin_ended(compiled, state, node, left, &mut todo);
    while let Some(ready) = todo.pop() {
        join(compiled, state, ready, &mut todo);
    }
    body::settled(compiled, state, node);
}

pub(super) fn settle_with(
    compiled: &Compiled,
    state: &mut RunState,
    edge: usize,
    items: Vec<Item>,
    todo: &mut Vec<usize>,
) {
    let settled = if items.is_empty() { EdgeState::Dead } else { EdgeState::Taken(Arc::new(items.into())) };
    settle(compiled, state, edge, settled, todo);
}

pub(super) fn settle(
    compiled: &Compiled,
    state: &mut RunState,
    edge: usize,
    settled: EdgeState,
    todo: &mut Vec<usize>,
) {
    if state.edges.get(edge) != Some(&EdgeState::Open) || compiled.edges[edge].kind == EdgeKind::ToRecovery {
        return;
    }
    state.edges[edge] = settled;
    let to = compiled.target(edge);
    state.nodes[to].open_in -= 1;
    if state.nodes[to].open_in == 0 {
        todo.push(to);
    }
}

/// All incoming edges of a node are settled.
pub(super) fn join(compiled: &Compiled, state: &mut RunState, node: usize, todo: &mut Vec<usize>) {
    let mut input = Items::new();
    let mut taken = false;
    for edge in &compiled.nodes[node].in_edges {
        let edge = compiled.wire(node, *edge);
        if let EdgeState::Taken(items) = &state.edges[edge] {
            taken = true;
            input.append_numbered(items);
            state.edges[edge] = EdgeState::Consumed(items.len());
        }
    }
    if taken {
        activate(compiled, state, node, input);
        return;
    }
    state.nodes[node].state = NodeState::Skipped;
    for edge in &compiled.nodes[node].out_edges {
        settle(compiled, state, compiled.wire(node, *edge), EdgeState::Dead, todo);
    }
    case::origin_ended(compiled, state, node, Vec::new(), todo);
    body::settled(compiled, state, node);
}
