//! Fields of items by name, as people choose them from a list: how they are found, and what is said when one is missing.

use crate::support::{kind_of, setting, wrong_setting};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::data::{Read, Text};
use signalbox_model::path::{self, Segment};
use signalbox_model::{Data, Map, NodeFailure};
use std::sync::Arc;

/// The data of each item of a slot: the one place where the steps of this crate that work on lists read them.
pub(crate) fn rows(slot: &CallSlot) -> Vec<Arc<Value>> {
    (0..slot.input.len()).filter_map(|index| slot.input.data(index)).collect()
}

/// A field by its name, or by a path like `address.city`.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// As it was written.
    pub(crate) name: String,
    path: Option<Vec<Segment>>,
}

impl Field {
    pub(crate) fn new(name: &str) -> Self {
        let path = path::parse(name).ok().filter(|path| path.len() > 1 || name.starts_with('['));
        Self { name: name.to_owned(), path }
    }

    /// A name that stands there as it is written comes before a path: headers of tables may have points.
    pub(crate) fn find<'a>(&self, data: &'a Value) -> Option<&'a Value> {
        let plain = data.as_object().and_then(|map| map.get(&self.name));
        plain.or_else(|| path::resolve(data, &self.name, self.path.as_ref()?).ok())
    }

    /// The keys that lead to it, or `None` when the path goes through a list.
    pub(crate) fn keys(&self, data: &Value) -> Option<Vec<String>> {
        let is_plain = data.as_object().is_some_and(|map| map.contains_key(&self.name));
        let Some(path) = self.path.as_ref().filter(|_| !is_plain) else { return Some(vec![self.name.clone()]) };
        let key = |segment: &Segment| match segment {
            Segment::Key(name) => Some(name.clone()),
            Segment::Index(_) => None,
        };
        path.iter().map(key).collect()
    }

    /// Its value in an item, which must have it.
    pub(crate) fn require<'a>(&self, data: &'a Value, index: usize) -> Result<&'a Value, NodeFailure> {
        self.find(data).ok_or_else(|| missing(&self.name, data, index))
    }

    /// Takes it out of an object.
    pub(crate) fn remove(&self, data: &mut Value) -> Option<Value> {
        let keys = self.keys(data)?;
        let (last, before) = keys.split_last()?;
        let parent = before.iter().try_fold(data, |here, key| here.as_object_mut()?.get_mut(key))?;
        parent.as_object_mut()?.shift_remove(last)
    }

    /// Puts a value where it stands; objects on the way are made.
    pub(crate) fn put(&self, data: &mut Value, value: Value) -> Result<(), NodeFailure> {
        let blocked = || {
            let words = format!("'{}' cannot be written: there is something else than an object on the way", self.name);
            NodeFailure::validation("BAD_PATH", words).detail("field", self.name.as_str())
        };
        let keys = self.keys(data).ok_or_else(blocked)?;
        let Some((last, before)) = keys.split_last() else { return Err(blocked()) };
        let mut here = data;
        for key in before {
            let map = here.as_object_mut().ok_or_else(blocked)?;
            here = map.entry(key.clone()).or_insert_with(|| Value::Object(Map::new()));
        }
        here.as_object_mut().ok_or_else(blocked)?.insert(last.clone(), value);
        Ok(())
    }
}

/// An item has no such field.
fn missing(name: &str, data: &Value, index: usize) -> NodeFailure {
    let item = index + 1;
    let has = path::available(data);
    let words = match data {
        Value::Object(_) if has.is_empty() => format!("Item {item} has no field '{name}': it is an empty object"),
        Value::Object(_) => format!("Item {item} has no field '{name}'. It has: {}", has.join(", ")),
        other => format!("Item {item} has no field '{name}': it is {}", kind_of(other)),
    };
    NodeFailure::validation("MISSING_FIELD", words)
        .detail("field", name)
        .detail("index", index)
        .detail("available", has)
}

/// A field has a value that the step can do nothing with.
pub(crate) fn misfit(name: &str, wanted: &str, got: &Value, index: usize) -> NodeFailure {
    let shown = match got {
        Value::String(text) => format!("the text '{}'", text.chars().take(60).collect::<String>()),
        other => kind_of(other).to_owned(),
    };
    let place = if name.is_empty() { String::new() } else { format!("The field '{name}' of ") };
    let begin = if name.is_empty() { "Item" } else { "item" };
    NodeFailure::validation(
        "SCHEMA_MISMATCH",
        format!("{place}{begin} {} must be {wanted}, but it is {shown}", index + 1),
    )
    .detail("field", name)
    .detail("index", index)
}

/// A number with more digits than a value holds.
pub(crate) fn too_long(what: &str) -> NodeFailure {
    NodeFailure::validation(
        "NUMBER_TOO_LONG",
        format!(
            "{what} has more digits than a number keeps: whole numbers have 64 bits, decimals 17 digits. Round it, or keep it as text"
        ),
    )
}

/// One name of a setting; `None` when it is empty.
pub(crate) fn field(slot: &CallSlot, name: &str) -> Result<Option<Field>, NodeFailure> {
    match setting(slot, name) {
        None => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(Field::new(text))),
        Some(other) => Err(wrong_setting(name, "the name of a field", other)),
    }
}

/// One name that must be there.
pub(crate) fn one_field(slot: &CallSlot, name: &str) -> Result<Field, NodeFailure> {
    field(slot, name)?.ok_or_else(|| wrong_setting(name, "the name of a field", &Value::Null))
}

/// The list, the object or the long text of that name in the data of the slot's first item, when that is kept as text. Nothing is made into values.
pub(crate) fn text_member(slot: &CallSlot, name: &str) -> Option<Text> {
    let Data::Text(whole) = slot.input.kept(0)? else { return None };
    let Read::Object(object) = whole.read() else { return None };
    match object.member(name)? {
        Read::List(piece) | Read::Object(piece) | Read::LongText(piece) => match piece.data() {
            Data::Text(text) => Some(text),
            Data::Value(_) => None,
        },
        Read::Null | Read::Bool(_) | Read::Number(_) | Read::Text(_) => None,
    }
}

/// A list of names.
pub(crate) fn fields(slot: &CallSlot, name: &str) -> Result<Vec<Field>, NodeFailure> {
    let wrong = |value: &Value| wrong_setting(name, "a list of names of fields", value);
    match setting(slot, name) {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => {
            list.iter().map(|one| one.as_str().map(Field::new).ok_or_else(|| wrong(one))).collect()
        }
        Some(other) => Err(wrong(other)),
    }
}

/// The objects of a list of rows.
pub(crate) fn settings_rows<'a>(slot: &'a CallSlot, name: &str) -> Result<Vec<&'a Map>, NodeFailure> {
    let wrong = |value: &Value| wrong_setting(name, "a list of objects", value);
    match setting(slot, name) {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => list.iter().map(|one| one.as_object().ok_or_else(|| wrong(one))).collect(),
        Some(other) => Err(wrong(other)),
    }
}

/// Which of these a setting says; the first is the default.
pub(crate) fn choice<'a>(slot: &'a CallSlot, name: &str, known: &[&'a str]) -> Result<&'a str, NodeFailure> {
    let wanted = || known.join(", ");
    match setting(slot, name) {
        None => Ok(known.first().copied().unwrap_or_default()),
        Some(Value::String(text)) => {
            known.iter().find(|one| **one == text.as_str()).copied().ok_or_else(|| unknown(name, text, &wanted()))
        }
        Some(other) => Err(wrong_setting(name, &format!("one of {}", wanted()), other)),
    }
}

fn unknown(name: &str, text: &str, wanted: &str) -> NodeFailure {
    NodeFailure::validation(
        "INPUT_INVALID",
        format!("The setting '{name}' must be one of {wanted}, but it is '{text}'"),
    )
    .detail("field", name)
}
