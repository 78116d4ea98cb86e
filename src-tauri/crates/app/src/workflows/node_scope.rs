//! Where a node of a file lives in a run: the containers around it, and the paths that its iterations and branches have.

use crate::workflows::check;
use signalbox_model::{Role, Workflow};
use std::collections::HashSet;

/// One container of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// The container.
    pub(crate) container: &'a str,
    /// Of a loop: which iteration.
    pub(crate) index: Option<usize>,
    /// The path of the container itself.
    pub(crate) outer: &'a str,
    /// The path of what is in it.
    pub(crate) path: &'a str,
}

/// What the engine does for a node of a file.
pub(crate) fn role(workflow: &Workflow, id: &str) -> Option<Role> {
    workflow.nodes.get(id).and_then(|node| check::catalog().get(&node.kind)).map(|descriptor| descriptor.role)
}

/// The containers of a path, the outermost first; `None` when it leads into another file, or nowhere in this one.
pub(crate) fn frames<'a>(workflow: &Workflow, path: &'a str) -> Option<Vec<Frame<'a>>> {
    let mut frames: Vec<Frame<'a>> = Vec::new();
    let mut begin = 0;
    while begin < path.len() {
        let end = |from: usize| path[from..].find('/').map_or(path.len(), |at| from + at);
        let outer = frames.last().map_or("", |frame| frame.path);
        let mut stop = end(begin);
        let segment = &path[begin..stop];
        let (container, index) = match segment.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
            // As the log writes it: `01` and `+1` are no numbers of its.
            Some((container, index)) => {
                (container, Some(index.parse().ok().filter(|n: &usize| n.to_string() == index)?))
            }
            None => (segment, None),
        };
        match (role(workflow, container)?, index) {
            (Role::Loop, Some(_)) => {}
            // A branch is named by its entry.
            (Role::Parallel, None) if stop < path.len() => stop = end(stop + 1),
            _ => return None,
        }
        frames.push(Frame { container, index, outer, path: &path[..stop] });
        begin = stop + 1;
    }
    Some(frames)
}

/// The path of what is in one iteration of a loop at a path.
pub(crate) fn iteration(at: &str, container: &str, index: usize) -> String {
    let at = if at.is_empty() { String::new() } else { format!("{at}/") };
    format!("{at}{container}[{index}]")
}

/// The containers around a node, the outermost first.
pub(crate) fn around<'a>(workflow: &'a Workflow, node: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut next = workflow.nodes.get(node).and_then(|node| node.parent.as_deref());
    // It ends, whatever the file says.
    while let Some(container) = next.filter(|_| found.len() < workflow.nodes.len()) {
        found.push(container);
        next = workflow.nodes.get(container).and_then(|node| node.parent.as_deref());
    }
    found.reverse();
    found
}

/// The nodes that wires lead from to a node, or to a container around it, however many are between: what its expressions can name.
pub(crate) fn before<'a>(workflow: &'a Workflow, node: &'a str) -> HashSet<&'a str> {
    let mut found = HashSet::new();
    let mut next: Vec<&str> = around(workflow, node);
    next.push(node);
    while let Some(to) = next.pop() {
        for edge in workflow.edges.iter().filter(|edge| edge.to == to) {
            let from = edge.from.node();
            if found.insert(from) {
                next.push(from);
            }
        }
    }
    found
}

/// A node of this file can be at this path.
pub(crate) fn is_at(workflow: &Workflow, node: &str, path: &str) -> bool {
    frames(workflow, path).is_some_and(|frames| {
        let containers = around(workflow, node);
        frames.len() == containers.len() && frames.iter().zip(containers).all(|(frame, id)| frame.container == id)
    })
}

#[cfg(test)]
mod tests;
