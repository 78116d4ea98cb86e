//! Regions: which nodes live together (SEMANTICS 1 and 6). The top is one, the body of a loop is one, each branch of a
//! parallel is one. A frame is a region at a path.

use crate::compiled::{CompiledEdge, CompiledNode};
use signalbox_model::{Role, Workflow};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Nodes that are activated at the same paths.
#[derive(Debug, Default)]
pub(crate) struct Region {
    pub(crate) nodes: Vec<usize>,
    pub(crate) edges: Vec<usize>,
    pub(crate) entries: Vec<usize>,
    /// Exit wires and how many origins may use each.
    pub(crate) exits: Vec<(usize, usize)>,
    /// How many of its nodes settle: all but recovery nodes and what only an `onAbort` leads to.
    pub(crate) settle: usize,
}

/// Divides the nodes of a file: those without `parent` belong to `top`, the others to new regions.
pub(crate) fn divide(
    workflow: &Workflow,
    index: &HashMap<String, usize>,
    top: usize,
    regions: &mut Vec<Region>,
    nodes: &mut [CompiledNode],
    edges: &[CompiledEdge],
    on_abort: Option<usize>,
    exits: &[(usize, usize)],
) {
    let mut inside: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (id, node) in &workflow.nodes {
        let Some(i) = index.get(id).copied() else { continue };
        match node.parent.as_ref().and_then(|parent| index.get(parent)) {
            Some(container) => inside.entry(*container).or_default().push(i),
            None => nodes[i].region = top,
        }
    }
    for (container, children) in inside {
        let groups = match nodes[container].role {
            Role::Parallel => branches(&children, nodes, edges),
            _ => vec![children],
        };
        for group in groups {
            nodes[container].bodies.push(regions.len());
            for i in group {
                nodes[i].region = regions.len();
            }
            regions.push(Region::default());
        }
    }
    // Only reached from an abort: never an entry, and nothing waits for it.
    let aside = on_abort.map_or_else(BTreeSet::new, |start| reach(&[start], nodes, edges));
    let main: Vec<usize> = index.values().copied().filter(|i| is_entry(&nodes[*i]) && Some(*i) != on_abort).collect();
    let main = reach(&main, nodes, edges);
    for i in index.values().copied().collect::<BTreeSet<usize>>() {
        let region = &mut regions[nodes[i].region];
        region.nodes.push(i);
        region.edges.extend(&nodes[i].out_edges);
        if is_entry(&nodes[i]) && Some(i) != on_abort {
            region.entries.push(i);
        }
        let only_aside = aside.contains(&i) && !main.contains(&i);
        region.settle += usize::from(nodes[i].recovery.is_none() && !only_aside);
    }
    for (edge, origins) in exits {
        regions[nodes[edges[*edge].from].region].exits.push((*edge, *origins));
    }
}

fn is_entry(node: &CompiledNode) -> bool {
    node.in_edges.is_empty() && node.recovery.is_none()
}

/// One group per entry: what is reachable from it. A node that nothing reaches stays with the first.
fn branches(children: &[usize], nodes: &[CompiledNode], edges: &[CompiledEdge]) -> Vec<Vec<usize>> {
    let entries: Vec<usize> = children.iter().copied().filter(|i| is_entry(&nodes[*i])).collect();
    let mut left: BTreeSet<usize> = children.iter().copied().collect();
    let mut groups = Vec::new();
    for entry in &entries {
        let group: Vec<usize> = reach(&[*entry], nodes, edges).into_iter().filter(|i| left.remove(i)).collect();
        groups.push(group);
    }
    if let Some(first) = groups.first_mut() {
        first.extend(left);
    }
    groups
}

fn reach(starts: &[usize], nodes: &[CompiledNode], edges: &[CompiledEdge]) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut todo = starts.to_vec();
    while let Some(i) = todo.pop() {
        if seen.insert(i) {
            todo.extend(nodes[i].out_edges.iter().map(|edge| edges[*edge].to));
        }
    }
    seen
}
