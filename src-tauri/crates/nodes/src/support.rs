//! Small helpers for reading a slot and handing items on.

use serde_json::Value;
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem, passed};
use signalbox_engine::trigger::PARAM;
use signalbox_model::data::{Piece, TEXT_FROM};
use signalbox_model::{Data, Item, Items, NodeFailure};
use std::sync::Arc;

/// What a value is, in words a person uses.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A setting has the wrong type at run time (an expression gave something else than the schema asks for).
pub(crate) fn wrong_setting(field: &str, wanted: &str, got: &Value) -> NodeFailure {
    NodeFailure::validation(
        "INPUT_INVALID",
        format!("The setting '{field}' must be {wanted}, but it is {}", kind_of(got)),
    )
    .detail("field", field)
}

/// A setting is none of the words that it can be.
pub(crate) fn wrong_choice(field: &str, wanted: &str, got: &Value) -> NodeFailure {
    let Value::String(word) = got else { return wrong_setting(field, wanted, got) };
    let word: String = word.chars().take(40).collect();
    NodeFailure::validation("INPUT_INVALID", format!("The setting '{field}' must be {wanted}, but it is '{word}'"))
        .detail("field", field)
}

/// A setting, unless it is absent or null.
pub(crate) fn setting<'a>(slot: &'a CallSlot, field: &str) -> Option<&'a Value> {
    slot.config.get(field).filter(|value| !value.is_null())
}

/// Text that must be there.
pub(crate) fn text<'a>(slot: &'a CallSlot, field: &str) -> Result<&'a str, NodeFailure> {
    match slot.config.get(field) {
        Some(Value::String(text)) => Ok(text),
        other => Err(wrong_setting(field, "text", other.unwrap_or(&Value::Null))),
    }
}

/// Text with a default.
pub(crate) fn text_or<'a>(slot: &'a CallSlot, field: &str, default: &'a str) -> Result<&'a str, NodeFailure> {
    if setting(slot, field).is_none() { Ok(default) } else { text(slot, field) }
}

/// True or false with a default.
pub(crate) fn flag(slot: &CallSlot, field: &str, default: bool) -> Result<bool, NodeFailure> {
    match setting(slot, field) {
        None => Ok(default),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(wrong_setting(field, "true or false", other)),
    }
}

/// A whole number in a range, unless it is absent or null.
pub(crate) fn whole(slot: &CallSlot, field: &str, least: u64, most: u64) -> Result<Option<u64>, NodeFailure> {
    setting(slot, field).map(|value| whole_of(field, value, least, most)).transpose()
}

/// A value that is a whole number in a range.
pub(crate) fn whole_of(field: &str, value: &Value, least: u64, most: u64) -> Result<u64, NodeFailure> {
    let number = value.as_u64().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| wrong_setting(field, &format!("a whole number from {least} to {most}"), value))
}

/// Data of the slot's first item; null without items.
pub(crate) fn first(slot: &CallSlot) -> Arc<Value> {
    slot.input.data(0).unwrap_or_default()
}

/// Lineage of what was made from the first item.
pub(crate) fn origin(slot: &CallSlot) -> Option<usize> {
    (!slot.input.is_empty()).then_some(0)
}

/// The event of the trigger that started the run; none when a person started it.
pub(crate) fn fired_event(slot: &CallSlot) -> Option<Value> {
    // The first item holds the run's input.
    let came = slot.input.data(0);
    let fired = came.as_deref().and_then(|data| data.get(PARAM)?.get("payload"));
    fired.or_else(|| slot.scope.params.get(PARAM)?.get("payload")).cloned()
}

/// One item through `success`, made from the first item.
pub(crate) fn made(slot: &CallSlot, data: Value) -> CallOutput {
    CallOutput::items("success", vec![OutItem::new(Arc::new(data), origin(slot))])
}

/// One item through `success`, made from the first item, whose data is this compact JSON text.
pub(crate) fn made_text(slot: &CallSlot, text: String) -> CallOutput {
    made_data(slot, Data::written(text))
}

/// One item through `success`, made from the first item, with data that may be text.
pub(crate) fn made_data(slot: &CallSlot, data: Data) -> CallOutput {
    let mut items = Items::new();
    items.push_data(Item { id: "1".into(), paired_item: origin(slot), ..Item::default() }, data);
    CallOutput::list("success", items)
}

/// An object with other values of some fields, or with new ones; their names are as JSON writes them. What is large is shared and not
/// copied, and of a small object there is one text.
pub(crate) fn with_fields(object: &Piece<'_>, mut fields: Vec<(String, Data)>) -> Data {
    let length = object.length() + fields.iter().map(|(name, data)| name.len() + data.length()).sum::<usize>();
    let mut taken = |key: &str| {
        let place = fields.iter().position(|(name, _)| name == key)?;
        Some(fields.remove(place).1)
    };
    if length < TEXT_FROM {
        let mut text = String::with_capacity(length + 64);
        let begin = |text: &mut String, key: &str| {
            text.push(if text.is_empty() { '{' } else { ',' });
            text.push_str(key);
            text.push(':');
        };
        for (key, value) in object.written_members() {
            begin(&mut text, key);
            match taken(key) {
                Some(new) => new.append(&mut text),
                None => text.push_str(value),
            }
        }
        for (key, new) in fields {
            begin(&mut text, &key);
            new.append(&mut text);
        }
        text.push_str(if text.is_empty() { "{}" } else { "}" });
        return Data::written(text);
    }
    let mut members: Vec<(String, Data)> =
        object.member_texts().map(|(key, own)| (key.to_owned(), taken(key).unwrap_or(own))).collect();
    members.extend(fields);
    Data::object(members)
}

/// All items of the slot, unchanged, through one port.
pub(crate) fn pass(slot: &CallSlot, port: &str) -> CallOutput {
    CallOutput::list(port, passed((0..slot.input.len()).filter_map(|index| slot.input.kept(index))))
}

/// Adds an item at the end of a list that a step makes; its id is its place.
pub(crate) fn push(items: &mut Items, data: Data, paired_item: Option<usize>) {
    let id = (items.len() + 1).to_string();
    items.push_data(Item { id, paired_item, ..Item::default() }, data);
}

/// The items of the slot through two ports, as they are: those that `is_first` says yes to through the first one.
pub(crate) fn chosen(slot: &CallSlot, first: &str, second: &str, is_first: impl Fn(usize) -> bool) -> CallOutput {
    let through = |wanted: bool| {
        let mut items = Items::new();
        for index in (0..slot.input.len()).filter(|index| is_first(*index) == wanted) {
            let Some(data) = slot.input.kept(index) else { continue };
            push(&mut items, data, Some(index));
        }
        items
    };
    let mut output = CallOutput::list(first, through(true));
    output.ports.insert(second.to_owned(), through(false));
    output
}
