//! `data.rename`: fields get other names, in their places.

use crate::fields::{Field, choice, settings_rows};
use crate::support::{first, kind_of, made, wrong_setting};
use crate::{Kind, Outcome};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::{Map, NodeFailure};
use std::collections::BTreeMap;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let skips = choice(slot, "missing", &["error", "skip"])? == "skip";
    let mut data = (*first(slot)).clone();
    // All at once, so that two names can be swapped: where each stands is looked up before anything changes.
    let mut new_names: BTreeMap<Vec<String>, BTreeMap<String, String>> = BTreeMap::new();
    for row in settings_rows(slot, "fields")? {
        let text = |key: &str| row.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (Some(old), Some(new)) = (text("field"), text("name")) else {
            return Err(wrong_setting("fields", "a list of fields with their new names", &Value::Null));
        };
        let field = Field::new(old);
        if field.find(&data).is_none() {
            if skips {
                continue;
            }
            field.require(&data, slot.item)?;
        }
        let Some((last, parent)) = field.keys(&data).and_then(|mut keys| keys.pop().map(|last| (last, keys))) else {
            let words = format!("'{old}' leads through a list; rename fields of its entries after 'Split a list'");
            return Err(NodeFailure::validation("BAD_PATH", words).detail("field", old));
        };
        new_names.entry(parent).or_default().insert(last, new.to_owned());
    }
    // The deepest first: the way to it has its old names.
    let mut levels: Vec<_> = new_names.into_iter().collect();
    levels.sort_by_key(|(parent, _)| std::cmp::Reverse(parent.len()));
    for (parent, names) in levels {
        let Some(at) = parent.iter().try_fold(&mut data, |here, key| here.as_object_mut()?.get_mut(key)) else {
            continue;
        };
        let Value::Object(map) = at else {
            let words = format!("Item {} is {} and has no fields", slot.item + 1, kind_of(at));
            return Err(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("index", slot.item));
        };
        *map = renamed(std::mem::take(map), &names, slot.item)?;
    }
    Ok(made(slot, data))
}

fn renamed(map: Map, names: &BTreeMap<String, String>, index: usize) -> Result<Map, NodeFailure> {
    let mut made = Map::new();
    for (old, value) in map {
        let new = names.get(&old).unwrap_or(&old).clone();
        if made.contains_key(&new) {
            let words = format!(
                "Item {} would have two fields '{new}'; choose another name, or take one of them out with 'Pick fields'",
                index + 1
            );
            return Err(NodeFailure::validation("FIELD_EXISTS", words).detail("field", new).detail("index", index));
        }
        made.insert(new, value);
    }
    Ok(made)
}
