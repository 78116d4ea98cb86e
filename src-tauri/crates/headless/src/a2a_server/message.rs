//! What a message says, as the params of a run.

use serde_json::{Map, Value};
use signalbox_model::lossless;

/// Data parts are params by their names. Text is the param `message`, or the only param that is text; text that is a JSON object
/// is read as data.
pub(super) fn arguments(message: &Value, schema: &Value) -> Result<Map<String, Value>, String> {
    let Some(parts) = message["parts"].as_array().filter(|parts| !parts.is_empty()) else {
        return Err("The message has no parts.".into());
    };
    let mut arguments = Map::new();
    let mut texts = Vec::new();
    for part in parts {
        match (part.get("text"), part.get("data")) {
            (Some(Value::String(text)), _) => texts.push(text.as_str()),
            (None, Some(Value::Object(data))) => arguments.extend(data.clone()),
            (None, Some(_)) => {
                return Err("A data part must be an object: its fields are the params of the workflow.".into());
            }
            _ => return Err("Only text and data parts are accepted.".into()),
        }
    }
    if texts.is_empty() {
        return Ok(arguments);
    }
    let text = texts.join("\n");
    if let Ok(Value::Object(data)) = serde_json::from_str(&text) {
        if let Some(loss) = lossless::loss(&text) {
            return Err(format!("The params in the text are not valid: {}.", loss.told()));
        }
        arguments.extend(data);
        return Ok(arguments);
    }
    let Some(name) = text_param(schema) else {
        return Err("The workflow does not take text: send a data part with its params.".into());
    };
    arguments.insert(name, Value::String(text));
    Ok(arguments)
}

/// The param that text goes to.
fn text_param(schema: &Value) -> Option<String> {
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty()) else {
        return Some("message".into());
    };
    if properties.contains_key("message") {
        return Some("message".into());
    }
    let mut texts = properties.iter().filter(|(_, one)| one["type"] == "string").map(|(name, _)| name);
    match (texts.next(), texts.next()) {
        (Some(name), None) => Some(name.clone()),
        _ => None,
    }
}
