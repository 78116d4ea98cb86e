//! Every reference of the steps that a try did not reach, checked against what the other steps put out (K-52). Steps that ran
//! have checked theirs by running.

use crate::issue::Issue;
use serde_json::Value;
use signalbox_engine::{Catalog, config};
use signalbox_model::path::{self, Segment};
use signalbox_model::{Node, Workflow};
use std::collections::{BTreeMap, BTreeSet};

/// What a try left: the first item that each step put out at each port, and the steps that were called.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// Step and port → data of the first item.
    pub outputs: BTreeMap<(String, String), Value>,
    /// Steps that were called, also those that failed.
    pub called: BTreeSet<String>,
    /// Steps whose output is a sample: nothing can be said about what it holds.
    pub stubs: BTreeSet<String>,
}

impl Recorded {
    fn output(&self, step: &str) -> Option<&Value> {
        if self.stubs.contains(step) {
            return None;
        }
        let own = self.outputs.get(&(step.to_owned(), "success".to_owned()));
        own.or_else(|| {
            self.outputs.iter().find(|((id, port), _)| id == step && port != "error").map(|(_, value)| value)
        })
    }
}

/// References of steps that were not called that lead nowhere in what was recorded.
pub fn missing_references(workflow: &Workflow, catalog: &Catalog, recorded: &Recorded) -> Vec<Issue> {
    let open = workflow.nodes.iter().filter(|(id, node)| !recorded.called.contains(*id) && node.parent.is_none());
    open.flat_map(|(id, node)| of_node(workflow, catalog, recorded, id, node)).collect()
}

fn of_node(workflow: &Workflow, catalog: &Catalog, recorded: &Recorded, id: &str, node: &Node) -> Vec<Issue> {
    let mut found: Vec<Issue> = Vec::new();
    let item = arriving(workflow, recorded, id, node);
    for written in config::expressions(node, catalog.get(&node.kind).map(|kind| &**kind)) {
        // `has(item.x)` asks whether it is there.
        if written.after || written.text.contains("has(") {
            continue;
        }
        for expression in written.expressions.iter().flatten() {
            for path in &expression.references().paths {
                let issue = check(path, item, recorded).map(|missing| Issue::of_missing(id, &missing));
                if let Some(issue) = issue.filter(|issue| !found.contains(issue)) {
                    found.push(issue);
                }
            }
        }
    }
    found
}

fn check(text: &str, item: Option<&Value>, recorded: &Recorded) -> Option<path::Missing> {
    let segments = path::parse(text).ok()?;
    let (value, rest) = match segments.as_slice() {
        [Segment::Key(root), rest @ ..] if root == "item" => (item?, rest),
        [Segment::Key(root), Segment::Key(step), Segment::Key(output), rest @ ..]
            if root == "nodes" && output == "output" =>
        {
            (recorded.output(step)?, rest)
        }
        _ => return None,
    };
    path::resolve(value, text, rest).err()
}

/// The item that a step would get, where exactly one wire leads to it and something came along it.
fn arriving<'r>(workflow: &Workflow, recorded: &'r Recorded, id: &str, node: &Node) -> Option<&'r Value> {
    let mut wires = workflow.edges.iter().filter(|edge| edge.to == id);
    let (wire, None, None) = (wires.next()?, wires.next(), &node.input) else { return None };
    let from = wire.from.node();
    if recorded.stubs.contains(from) {
        return None;
    }
    let own = recorded.outputs.get(&(from.to_owned(), wire.from.port().to_owned()));
    match wire.from.port() {
        "error" => own,
        // Another way out of the same step hands on the same item.
        _ => own.or_else(|| recorded.output(from)),
    }
}

#[cfg(test)]
mod tests;
