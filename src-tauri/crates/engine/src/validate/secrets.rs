//! References to secrets that stand where no secret is resolved: they would be sent as the text that they are.

use super::words;
use crate::config;
use serde_json::Value;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Diagnostic, Node, NodeDescriptor, secret_ref};

pub(super) fn check(at: &str, node: &Node, descriptor: &NodeDescriptor, found: &mut Vec<Diagnostic>) {
    let properties = descriptor.config.get("properties").and_then(Value::as_object);
    let takes = |(_, schema): &(&String, &Value)| schema.pointer("/x-ui/widget") == Some(&Value::from("credential"));
    // The field itself is `x-raw`, so the walk below passes it by.
    let own = properties.and_then(|all| all.iter().find(takes)).and_then(|(_, field)| field.get("title")?.as_str());
    let hint = match own {
        Some(title) => format!("Choose it as the step's “{title}”"),
        None => "A secret goes into a request only, as the “Credential” of an HTTP request".to_owned(),
    };
    let step = words::step(node, Some(descriptor));
    let mut values: Vec<(String, Option<&Value>, &Value)> = Vec::new();
    for (place, list) in [("in", &node.input), ("out", &node.out)] {
        for (name, value) in list.iter().flatten() {
            values.push((format!("{at}/{place}/{}", pointer_token(name)), None, value));
        }
    }
    if let Some(config) = &node.config {
        values.push((format!("{at}/config"), Some(&descriptor.config), config));
    }
    if let Some(print) = &node.print {
        values.push((format!("{at}/print"), None, print));
    }
    for (pointer, schema, value) in values {
        config::walk(value, schema, &pointer, &mut |pointer, _, text| {
            if secret_ref::mentioned(text) {
                found.push(Diagnostic::error(
                    Code::SecretPlace,
                    pointer,
                    format!("{step} names a secret where it would be taken as text"),
                    hint.clone(),
                ));
            }
        });
    }
}
