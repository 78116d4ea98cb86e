//! Numbers in scripts that would be other numbers when the script runs.

use super::words;
use crate::script_numbers;
use serde_json::Value;
use signalbox_model::{Code, Diagnostic, Node, NodeDescriptor};

const KIND: &str = "code.javascript";

pub(super) fn check(at: &str, node: &Node, descriptor: &NodeDescriptor, found: &mut Vec<Diagnostic>) {
    if node.kind != KIND {
        return;
    }
    let source = node.config.as_ref().and_then(|config| config.get("source")).and_then(Value::as_str);
    let Some(number) = source.and_then(script_numbers::rounded) else { return };
    let read = number.read.unwrap_or_else(|| "another number".to_owned());
    found.push(Diagnostic::error(
        Code::BadConfig,
        format!("{at}/config/source"),
        format!(
            "The script of {} has the number {} (line {}, column {}), which JavaScript reads as {read}",
            words::step(node, Some(descriptor)),
            number.written,
            number.line,
            number.column,
        ),
        format!(
            "Write {}n, a BigInt, which is put out with all digits and computes with other BigInt values only, or a text in quotes",
            number.written.split('.').next().unwrap_or_default()
        ),
    ));
}
