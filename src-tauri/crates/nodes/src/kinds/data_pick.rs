//! `data.pick`: only some fields of each item go on, or all but some.

use crate::fields::{choice, fields, misfit};
use crate::support::{first, flag, made};
use crate::{Kind, Outcome};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::{Map, NodeFailure};

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let drops = choice(slot, "action", &["keep", "drop"])? == "drop";
    let skips = choice(slot, "missing", &["error", "skip"])? == "skip";
    let flat = flag(slot, "flat", false)?;
    let data = first(slot);
    if !data.is_object() {
        return Err(misfit("", "an object with fields", &data, slot.item));
    }
    let mut made_of = if drops { (*data).clone() } else { Value::Object(Map::new()) };
    for field in fields(slot, "fields")? {
        let value = match field.find(&data) {
            None if skips => continue,
            None => field.require(&data, slot.item)?,
            Some(value) => value,
        };
        if drops {
            field.remove(&mut made_of);
            continue;
        }
        // A path is told by the item that it leads through.
        let mut keys = field.keys(&data).unwrap_or_else(|| vec![field.name.clone()]);
        if flat {
            keys.drain(..keys.len().saturating_sub(1));
            if let Some(name) = keys.first().filter(|name| made_of.get(name.as_str()).is_some()) {
                return Err(twice(name, slot.item));
            }
        }
        put(&mut made_of, &keys, value.clone());
    }
    Ok(made(slot, made_of))
}

fn twice(name: &str, index: usize) -> NodeFailure {
    let words = format!(
        "Item {} would have two fields '{name}'; turn 'Without their objects' off, or give one of them another name with 'Rename fields' first",
        index + 1
    );
    NodeFailure::validation("FIELD_EXISTS", words).detail("field", name).detail("index", index)
}

fn put(data: &mut Value, keys: &[String], value: Value) {
    let Some((first, rest)) = keys.split_first() else { return };
    if !data.is_object() {
        *data = Value::Object(Map::new());
    }
    let Some(map) = data.as_object_mut() else { return };
    if rest.is_empty() {
        map.insert(first.clone(), value);
    } else {
        put(map.entry(first.clone()).or_insert_with(|| Value::Object(Map::new())), rest, value);
    }
}
