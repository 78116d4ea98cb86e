//! A CSV text of each item by itself: a table of one row, which hardly anybody wants.

use serde_json::Value;
use signalbox_model::{Code, Diagnostic, Workflow, descriptor::Mode, diagnostic::pointer_token};

const KIND: &str = "data.format";

pub(super) fn check(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.kind == KIND) {
        let Some(config) = &node.config else { continue };
        let csv = config.get("format").and_then(Value::as_str) == Some("csv");
        let whole = config.get("from").is_none_or(Value::is_null);
        if csv && whole && node.mode.is_none_or(|mode| mode == Mode::Each) {
            found.push(Diagnostic::warning(
                Code::BadConfig,
                format!("/nodes/{}/config/format", pointer_token(id)),
                "Each item becomes a separate CSV text with one row",
                "For one table of all items, choose 'All at once' under 'Items'",
            ));
        }
    }
}
