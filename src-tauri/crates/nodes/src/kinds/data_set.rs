//! `data.set`: sets fields of the item by path. Objects on the way are made, list elements never.

use crate::support::{first, flag, kind_of, made, made_data, with_fields, wrong_setting};
use crate::{Kind, Outcome, cel};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use signalbox_engine::config;
use signalbox_engine::effect::CallSlot;
use signalbox_model::data::{Piece, Read};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::path::{self, Segment};
use signalbox_model::{Data, NodeFailure};

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let null = Value::Null;
    let assign = slot.config.get("assign").unwrap_or(&null);
    let assign = assign.as_object().ok_or_else(|| wrong_setting("assign", "an object", assign))?;
    let keep = flag(slot, "keep", true)?;
    if keep
        && let Some(Data::Text(came)) = slot.input.kept(0)
        && let Read::Object(object) = came.read()
        && let Some(set) = members(slot, assign)?
    {
        return Ok(made_data(slot, with_members(object, set)));
    }
    let mut data = if keep { (*first(slot)).clone() } else { Value::Object(Map::new()) };
    if data.is_null() {
        data = Value::Object(Map::new());
    }
    let is_long = |target: &String| config::late(&slot.config, &pointer(target)).is_some();
    if data.is_object()
        && assign.keys().any(is_long)
        && let Some(set) = members(slot, assign)?
        && let Data::Text(came) = Data::written(data.to_string())
        && let Read::Object(object) = came.read()
    {
        return Ok(made_data(slot, with_members(object, set)));
    }
    for (target, value) in assign {
        match cel::long_setting(slot, &pointer(target))? {
            Some(long) => put(&mut data, target, &long.value())?,
            None => put(&mut data, target, value)?,
        }
    }
    Ok(made(slot, data))
}

/// Where the value of a field stands in the settings.
fn pointer(target: &str) -> String {
    format!("/assign/{}", pointer_token(target))
}

/// The fields that are set, by name; what is long is text. Nothing when a path leads further into the item.
fn members(slot: &CallSlot, assign: &Map<String, Value>) -> Result<Option<IndexMap<String, Data>>, NodeFailure> {
    let mut set = IndexMap::with_capacity(assign.len());
    for (target, value) in assign {
        let Ok(path) = path::parse(target) else { return Ok(None) };
        let [Segment::Key(name)] = path.as_slice() else { return Ok(None) };
        let data = match cel::long_setting(slot, &pointer(target))? {
            Some(long) => long.data(),
            None => value.clone().into(),
        };
        set.insert(name.clone(), data);
    }
    Ok(Some(set))
}

/// A large object with members set: what is large is shared, and not copied.
fn with_members(object: Piece<'_>, set: IndexMap<String, Data>) -> Data {
    with_fields(&object, set.into_iter().map(|(name, value)| (Value::from(name).to_string(), value)).collect())
}

fn put(data: &mut Value, target: &str, value: &Value) -> Result<(), NodeFailure> {
    let segments = path::parse(target).map_err(|bad| {
        NodeFailure::validation("BAD_PATH", format!("{bad}. Write it like 'name', 'address.city' or 'rows[0].id'"))
            .detail("path", target)
    })?;
    let mut here = data;
    for (depth, segment) in segments.iter().enumerate() {
        let blocked = |found: &Value| {
            let why = match (segment, found) {
                (Segment::Index(index), Value::Array(list)) => {
                    format!("the list has {} elements and no [{index}]; elements are never added", list.len())
                }
                (Segment::Index(_), other) => format!("there is {} where a list is needed", kind_of(other)),
                (Segment::Key(name), other) => {
                    format!("'{name}' cannot be put into {}", kind_of(other))
                }
            };
            let hint =
                if depth == 0 { ". Switch 'Keep the other fields' off to start from an empty object" } else { "" };
            NodeFailure::validation("BAD_PATH", format!("'{target}' cannot be set: {why}{hint}")).detail("path", target)
        };
        // A null on the way counts as not there yet.
        if here.is_null() && depth > 0 && matches!(segment, Segment::Key(_)) {
            *here = Value::Object(Map::new());
        }
        let ready = match (segment, &mut *here) {
            (Segment::Key(name), Value::Object(map)) => {
                map.entry(name.clone()).or_insert(Value::Null);
                true
            }
            (Segment::Index(index), Value::Array(list)) => *index < list.len(),
            _ => false,
        };
        if !ready {
            return Err(blocked(here));
        }
        let Some(next) = step(here, segment) else { return Ok(()) };
        here = next;
    }
    *here = value.clone();
    Ok(())
}

fn step<'a>(here: &'a mut Value, segment: &Segment) -> Option<&'a mut Value> {
    match (segment, here) {
        (Segment::Key(name), Value::Object(map)) => map.get_mut(name),
        (Segment::Index(index), Value::Array(list)) => list.get_mut(*index),
        _ => None,
    }
}
