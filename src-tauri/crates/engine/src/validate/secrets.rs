//! References to secrets that stand where no secret is resolved: they would be sent as the text that they are.

use super::words;
use crate::config::{self, Written};
use serde_json::Value;
use signalbox_model::{Code, Diagnostic, Node, NodeDescriptor, secret_ref};

pub(super) fn check(at: &str, node: &Node, descriptor: &NodeDescriptor, found: &mut Vec<Diagnostic>) {
    let properties = descriptor.config.get("properties").and_then(Value::as_object);
    let takes = |(_, schema): &(&String, &Value)| schema.pointer("/x-ui/widget") == Some(&Value::from("credential"));
    // The field itself is `x-raw`, so the walk below passes it by.
    let own = properties.and_then(|all| all.iter().find(takes)).and_then(|(_, field)| field.get("title")?.as_str());
    let hint = || match own {
        Some(title) => format!("Choose it as the step's “{title}”"),
        None => "Secrets can only be used as the “Credential” of an HTTP request".to_owned(),
    };
    for Written { pointer, schema, value, .. } in config::written(node, Some(descriptor)) {
        config::walk(&value, schema, &format!("{at}{pointer}"), &mut |pointer, _, text| {
            if secret_ref::mentioned(text) {
                found.push(Diagnostic::error(
                    Code::SecretPlace,
                    pointer,
                    format!("{} uses a secret where it would be sent as text", words::step(node, Some(descriptor))),
                    hint(),
                ));
            }
        });
    }
}
