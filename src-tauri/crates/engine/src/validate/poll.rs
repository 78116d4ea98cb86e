//! Steps that ask a source for new items: an address, or a workflow. One of them has to be there.

use serde_json::Value;
use signalbox_model::{Code, Diagnostic, Workflow, diagnostic::pointer_token};

/// The kind of step that asks a source.
pub(super) const KIND: &str = "trigger.poll";

/// The id in the settings of a step whose source is a workflow.
pub fn source_workflow(config: &Value) -> Option<&str> {
    let source =
        config.get("source").filter(|source| source.get("kind").and_then(Value::as_str) == Some("workflow"))?;
    Some(source.get("workflow").and_then(Value::as_str).unwrap_or_default())
}

pub(super) fn check(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.kind == KIND) {
        let empty = Value::Null;
        let config = node.config.as_ref().unwrap_or(&empty);
        let at = format!("/nodes/{}/config", pointer_token(id));
        let (path, message, hint) = match source_workflow(config) {
            Some("") => ("source/workflow", "No workflow is chosen as the source", "Choose a workflow of the library"),
            Some(_) => continue,
            // An empty address is told with the other settings.
            None if config.get("url").is_some() => continue,
            None => ("url", "The source has no address", "Enter an address, or choose a workflow as the source"),
        };
        found.push(Diagnostic::error(Code::MissingConfig, format!("{at}/{path}"), message, hint));
    }
}
