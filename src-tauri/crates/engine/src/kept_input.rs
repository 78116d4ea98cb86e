//! The settings `keepInput` and `resultField`: a step's result is added to its item instead of taking its place.

use crate::effect::{CallOutput, OutItem};
use serde_json::{Map, Value, json};
use signalbox_model::{Items, NodeFailure};
use std::sync::Arc;

/// The field of the result when no name is set.
pub const RESULT: &str = "result";

/// What a result is added to.
#[derive(Debug)]
pub struct KeptInput {
    item: Map<String, Value>,
    field: String,
}

impl KeptInput {
    /// As the config of a step asks for it; nothing when it does not. Asked before the call, so that a name that is taken
    /// costs no call. The input is read only when it is kept: it may be long text.
    pub fn of(config: &Value, input: impl FnOnce() -> Vec<Arc<Value>>) -> Result<Option<Self>, NodeFailure> {
        let wrong =
            |field: &str, words: String| Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", field));
        match config.get("keepInput") {
            None | Some(Value::Null | Value::Bool(false)) => return Ok(None),
            Some(Value::Bool(true)) => {}
            Some(_) => return wrong("keepInput", "The setting 'keepInput' must be true or false".to_owned()),
        }
        let field = match config.get("resultField") {
            None | Some(Value::Null) => RESULT,
            Some(Value::String(name)) if !name.is_empty() => name,
            Some(_) => return wrong("resultField", "The setting 'resultField' must be the name of a field".to_owned()),
        };
        let input = input();
        let item = match input.as_slice() {
            [only] => match &**only {
                Value::Object(map) => map.clone(),
                Value::Null => Map::new(),
                other => Map::from_iter([("input".to_owned(), other.clone())]),
            },
            [] => Map::new(),
            several => Map::from_iter([("items".to_owned(), several.iter().map(|data| (**data).clone()).collect())]),
        };
        if item.contains_key(field) {
            return wrong(
                "resultField",
                format!(
                    "The item has a field '{field}' already, so the result would replace it; choose another name for the result"
                ),
            );
        }
        Ok(Some(Self { item, field: field.to_owned() }))
    }

    /// The input with a result in it.
    pub fn with(&self, result: &Value) -> Value {
        let mut item = self.item.clone();
        item.insert(self.field.clone(), result.clone());
        Value::Object(item)
    }

    /// Every item that a call made, each with the input; the bytes of the input stay with it.
    pub fn around(&self, mut output: CallOutput, input: &Items) -> CallOutput {
        let bytes = signalbox_model::item::together(input.binaries());
        for (port, items) in &mut output.ports {
            // One after the other: there may be very many.
            let all = std::mem::take(items);
            let made = all.iter().map(|item| {
                let own = item.binary.iter().flatten().map(|(name, bytes)| (name.clone(), bytes.clone()));
                let binary = match (&bytes, item.binary.is_some()) {
                    (None, false) => None,
                    (kept, _) => {
                        let mut all = kept.clone().unwrap_or_default();
                        all.extend(own);
                        Some(all)
                    }
                };
                OutItem { data: Arc::new(self.with(&item.data)), binary, paired: item.paired_item }
            });
            let wrapped = CallOutput::items(port, made).ports.swap_remove(port);
            *items = wrapped.unwrap_or_default();
        }
        output
    }
}

/// An example of such an item, for names before the first run.
pub fn example(config: &Value, item: &Value, result: Value) -> Option<Value> {
    (config.get("keepInput") == Some(&Value::Bool(true))).then(|| {
        let field = config.get("resultField").and_then(Value::as_str).filter(|name| !name.is_empty()).unwrap_or(RESULT);
        let mut example = if item.is_object() { item.clone() } else { json!({}) };
        example[field] = result;
        example
    })
}
