//! Where data from outside reaches a step: what a service, a file, a tool or a model said is nobody's instruction (TRUST). It
//! follows from the wires alone, so it says "may", and is told before a run.

use serde_json::Value;
use signalbox_model::{Node, Workflow};
use std::collections::{BTreeSet, VecDeque};

/// Kinds whose results come from outside.
const UNTRUSTED: [&str; 18] = [
    "a2a.agent",
    "archive.unpack",
    "connector.call",
    "db.query",
    "db.tables",
    "pdf.read",
    "sheet.read",
    "table.read",
    "http.request",
    "file.read",
    "file.list",
    "mcp.tool",
    "llm.chat",
    "agent.task",
    // Mail is written by anybody.
    "mail.read",
    "trigger.webhook",
    // Documents are of anybody.
    "rag.retrieve",
    // What its steps bring is not looked at from here.
    "flow.subworkflow",
];

/// Whether a model of this step may read what comes from outside: by the wires, by files that it names itself, and, for an
/// agent, by variables that any step may have written.
#[must_use]
pub fn reaches(workflow: &Workflow, id: &str) -> bool {
    let Some(node) = workflow.nodes.get(id) else { return true };
    let names = |field: &str| node.config.as_ref().and_then(|config| config.get(field)).is_some_and(is_given);
    source(workflow, id).is_some()
        || names("docs")
        || names("images")
        || (node.kind == crate::agent::KIND
            && workflow.nodes.iter().any(|(other, node)| other != id && writes_from_outside(node)))
}

/// Whether a step may put what comes from outside into a variable, wherever it stands.
fn writes_from_outside(node: &Node) -> bool {
    UNTRUSTED.contains(&node.kind.as_str()) && (node.kind == crate::agent::KIND || node.out.is_some())
}

fn is_given(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
}

/// The nearest step before this one, or before the containers around it, whose results come from outside.
#[must_use]
pub fn source<'a>(workflow: &'a Workflow, id: &str) -> Option<&'a str> {
    let (mut seen, mut next) = (BTreeSet::from([id]), VecDeque::from([id]));
    while let Some(here) = next.pop_front() {
        let wires = workflow.edges.iter().filter(|edge| edge.to == here).map(|edge| edge.from.node());
        let around = workflow.nodes.get(here).and_then(|node| node.parent.as_deref());
        for before in wires.chain(around) {
            let Some((name, node)) = workflow.nodes.get_key_value(before) else { continue };
            if UNTRUSTED.contains(&node.kind.as_str()) {
                return Some(name);
            }
            if seen.insert(name) {
                next.push_back(name);
            }
        }
    }
    None
}
