//! Connector files: the shipped ones, and those of a person.

use crate::formats::yaml_options;
use serde_json::Value;
use signalbox_engine::connector::file::problems;
use signalbox_model::{Code, Connector, Diagnostic};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Largest connector file, bytes.
pub const LARGEST: usize = 32 * 1024 * 1024;
/// Deepest nesting of a file.
const DEEPEST: usize = 128;

/// What `build.rs` made of `connectors/`.
const SHIPPED: &str = include_str!(concat!(env!("OUT_DIR"), "/connectors.json"));

static CONNECTORS: LazyLock<BTreeMap<String, Arc<Connector>>> = LazyLock::new(|| {
    // A test compares this with every file, so nothing is dropped here.
    let all: Vec<Connector> = serde_json::from_str(SHIPPED).unwrap_or_default();
    all.into_iter().map(|connector| (connector.name.clone(), Arc::new(connector))).collect()
});

/// The connectors of this program, by name.
pub fn shipped() -> &'static BTreeMap<String, Arc<Connector>> {
    &CONNECTORS
}

/// Reads YAML or JSON as a value, within limits.
///
/// # Errors
/// Why it cannot be read, in plain words.
pub fn read_value(text: &str) -> Result<Value, String> {
    if text.len() > LARGEST {
        return Err(format!("it has {} bytes, and {LARGEST} are the most", text.len()));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err("it is empty".into());
    }
    let value: Value = if text.trim_start().starts_with(['{', '[']) {
        match serde_json::from_str(text) {
            Ok(value) => value,
            // YAML has braces as well.
            Err(error) => serde_saphyr::from_str_with_options(text, yaml_options())
                .map_err(|_| format!("it is not valid JSON: {error}"))?,
        }
    } else {
        let mut options = yaml_options();
        let budget = options.budget.get_or_insert_default();
        // A document with a thousand operations has more than the usual file.
        (budget.max_events, budget.max_nodes, budget.max_total_scalar_bytes) = (8_000_000, 4_000_000, LARGEST);
        // As deep as JSON may be: what an API description in JSON becomes is written as YAML and read again.
        budget.max_depth = DEEPEST;
        serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| format!("it is not valid YAML: {}", first_line(&error.to_string())))?
    };
    if depth(&value, 0) > DEEPEST {
        return Err(format!("it is nested more than {DEEPEST} levels"));
    }
    Ok(value)
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().chars().take(300).collect()
}

fn depth(value: &Value, at: usize) -> usize {
    if at > DEEPEST {
        return at;
    }
    match value {
        Value::Array(list) => list.iter().map(|one| depth(one, at + 1)).max().unwrap_or(at),
        Value::Object(map) => map.values().map(|one| depth(one, at + 1)).max().unwrap_or(at),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => at,
    }
}

/// Reads a connector file and checks it; the connector is given when the file has its shape.
pub fn read(text: &str) -> (Option<Connector>, Vec<Diagnostic>) {
    let unreadable = |message: String, hint: &str| (None, vec![Diagnostic::error(Code::BadFile, "", message, hint)]);
    let value = match read_value(text) {
        Ok(value) => value,
        Err(why) => return unreadable(format!("The file cannot be read: {why}"), "Correct it in a text editor"),
    };
    if value.get("openapi").is_some() || value.get("swagger").is_some() {
        let message = "The file is an OpenAPI document and no connector file";
        return unreadable(message.into(), "Import it with `signalbox connectors add FILE`");
    }
    match serde_json::from_value::<Connector>(value) {
        Ok(connector) => {
            let found = problems(&connector);
            (Some(connector), found)
        }
        Err(error) => unreadable(
            format!("The file is not a connector: {}", first_line(&error.to_string())),
            "Compare it with one that works: signalbox connectors show slack --file",
        ),
    }
}

/// A connector as the text of its file.
///
/// # Errors
/// It cannot be written, in plain words.
pub fn write(connector: &Connector) -> Result<String, String> {
    serde_saphyr::to_string(connector).map_err(|error| error.to_string())
}
