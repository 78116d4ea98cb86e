//! Which trigger a run begins at. The event that fired it stands in the params under [`PARAM`]; a run that a person starts
//! has none, and begins at the manual start, or without one at the first trigger of the file.

pub use crate::params::TRIGGER as PARAM;

use crate::compiled::Compiled;
use serde_json::Value;
use signalbox_model::Role;
use std::collections::BTreeSet;

/// The kind that a person starts.
pub const MANUAL: &str = "trigger.manual";

/// Triggers of the file that do not start this run.
pub(crate) fn left_out(compiled: &Compiled, params: &Value) -> BTreeSet<usize> {
    let entries = compiled.regions.first().map(|region| region.entries.as_slice()).unwrap_or_default();
    let is_trigger = |node: &usize| compiled.nodes[*node].role == Role::Trigger;
    let triggers: Vec<usize> = entries.iter().copied().filter(is_trigger).collect();
    let is_manual = |node: &usize| &*compiled.nodes[*node].kind == MANUAL;
    let fired = params.get(PARAM).and_then(|event| event.get("nodeId")?.as_str());
    let fired = fired.and_then(|id| triggers.iter().copied().find(|node| &*compiled.nodes[*node].id == id));
    let starts = |node: &usize| match fired {
        Some(fired) => *node == fired,
        None if triggers.iter().any(is_manual) => is_manual(node),
        None => triggers.first() == Some(node),
    };
    triggers.iter().copied().filter(|node| !starts(node)).collect()
}
