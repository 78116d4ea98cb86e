//! What a node leads to.

use crate::compiled::Compiled;
use crate::recovery::EdgeKind;
use std::collections::BTreeSet;

/// A node and everything after it.
pub(crate) fn reach(compiled: &Compiled, from: usize) -> BTreeSet<usize> {
    reach_all(compiled, [from])
}

/// These nodes and everything after them. A way back belongs to the case of its origin and leads nowhere.
pub(crate) fn reach_all(compiled: &Compiled, from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut todo: Vec<usize> = from.into_iter().collect();
    while let Some(node) = todo.pop() {
        if seen.insert(node) {
            let ways = compiled.nodes[node].out_edges.iter().map(|edge| &compiled.edges[*edge]);
            todo.extend(ways.filter(|edge| edge.kind != EdgeKind::Reentry).map(|edge| edge.to));
        }
    }
    seen
}
