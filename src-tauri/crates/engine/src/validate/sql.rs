//! Expressions inside SQL: data is never pasted into a statement.

use super::words;
use crate::expr::Expr;
use serde_json::Value;
use signalbox_model::{Code, Diagnostic, Node, NodeDescriptor};

const KIND: &str = "db.query";

pub(super) fn check(at: &str, node: &Node, descriptor: &NodeDescriptor, found: &mut Vec<Diagnostic>) {
    if node.kind != KIND {
        return;
    }
    let Some(sql) = node.config.as_ref().and_then(|config| config.get("sql")).and_then(Value::as_str) else { return };
    let (written, source) = match sql.strip_prefix('=') {
        Some(source) => ("an expression", source.trim()),
        None => match hole(sql) {
            Some(source) => ("{{ }}", source),
            None => return,
        },
    };
    let name: String = source.chars().rev().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let name: String = name.chars().rev().skip_while(char::is_ascii_digit).collect();
    let name = if name.is_empty() { "value" } else { name.as_str() };
    let step = words::step(node, Some(descriptor));
    let hint = if written == "{{ }}" {
        format!(
            "Write :{name} instead of {{{{ {source} }}}}, without quotes, and add the parameter '{name}' with the value = {source}"
        )
    } else {
        "Write the SQL as text with :name where a value goes, and add a parameter of this name".to_owned()
    };
    found.push(Diagnostic::error(
        Code::BadConfig,
        format!("{at}/config/sql"),
        format!(
            "The SQL of {step} has {written}: data inside SQL could change the statement, so values are parameters"
        ),
        hint,
    ));
}

/// The first expression between braces; an array like '{{1,2},{3,4}}' is none.
fn hole(sql: &str) -> Option<&str> {
    let mut rest = sql;
    while let Some(open) = rest.find("{{") {
        let behind = &rest[open + 2..];
        let inside = behind.find("}}").map(|close| behind[..close].trim());
        if let Some(source) = inside.filter(|source| Expr::compile(source).is_ok()) {
            return Some(source);
        }
        rest = behind;
    }
    None
}

#[cfg(test)]
mod tests;
