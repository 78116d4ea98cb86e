//! The order of a graph: what comes before what.

use crate::recovery::{EdgeKind, Recovery};
use indexmap::IndexMap;
use signalbox_model::Workflow;

/// Indexes of the nodes in topological order of the drawn and implicit edges, re-entries aside; when there is no such
/// order, those of the nodes on a cycle.
pub(crate) fn topological(workflow: &Workflow) -> Result<Vec<usize>, Vec<usize>> {
    let index: IndexMap<&str, usize> = workflow.nodes.keys().enumerate().map(|(i, id)| (id.as_str(), i)).collect();
    let mut out = vec![Vec::new(); index.len()];
    let mut incoming = vec![0_usize; index.len()];
    let recovery = Recovery::of(workflow);
    let drawn = workflow
        .edges
        .iter()
        .zip(&recovery.edges)
        .filter(|(_, kind)| **kind != EdgeKind::Reentry)
        .map(|(e, _)| (e.from.node(), e.to.as_str()));
    let implicit = workflow.nodes.iter().filter_map(|(id, node)| {
        node.error_handling.as_ref().and_then(|e| e.fallback_node_id.as_deref()).map(|to| (id.as_str(), to))
    });
    for (from, to) in drawn.chain(implicit) {
        if let (Some(from), Some(to)) = (index.get(from), index.get(to)) {
            out[*from].push(*to);
            incoming[*to] += 1;
        }
    }
    let mut order = Vec::with_capacity(index.len());
    let mut ready: Vec<usize> = (0..index.len()).filter(|i| incoming[*i] == 0).collect();
    while let Some(i) = ready.pop() {
        order.push(i);
        for to in &out[i] {
            incoming[*to] -= 1;
            if incoming[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    if order.len() == index.len() {
        Ok(order)
    } else {
        // What is left holds every cycle; peel off nodes that only hang behind one.
        let mut rest: Vec<bool> = incoming.iter().map(|n| *n > 0).collect();
        loop {
            let loose: Vec<usize> =
                (0..rest.len()).filter(|i| rest[*i] && !out[*i].iter().any(|to| rest[*to])).collect();
            if loose.is_empty() {
                break;
            }
            for i in loose {
                rest[i] = false;
            }
        }
        Err((0..rest.len()).filter(|i| rest[*i]).collect())
    }
}
