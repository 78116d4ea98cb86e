//! The hash of what a person approves of a server, and of each of its tools. The order of the names of an object says nothing.

use serde_json::{Map, Value, json};
use signalbox_model::hash::sha256_hex;
use std::collections::BTreeMap;

/// The same value with the names of its objects in order.
pub fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(sorted).collect(),
        Value::Object(object) => {
            let mut names: Vec<&String> = object.keys().collect();
            names.sort_unstable();
            let fields: Map<String, Value> =
                names.into_iter().filter_map(|name| Some((name.clone(), sorted(object.get(name)?)))).collect();
            Value::Object(fields)
        }
        other => other.clone(),
    }
}

/// The hash of how a server is started or reached, and of everything that it says of its tools.
pub fn approval_hash(definition: &Value, tools: &[Value]) -> String {
    let whole = json!({ "definition": definition, "tools": tools });
    sha256_hex(format!("signalbox.tools.v1\n{}", sorted(&whole)).as_bytes())
}

/// The hash of everything that a server says of a tool, for each of its tools by name.
pub fn tool_hashes(tools: &[Value]) -> BTreeMap<String, String> {
    let one = |tool: &Value| {
        let name = tool["name"].as_str().unwrap_or_default().to_owned();
        (name, sha256_hex(format!("signalbox.tool.v1\n{}", sorted(tool)).as_bytes()))
    };
    tools.iter().map(one).collect()
}
