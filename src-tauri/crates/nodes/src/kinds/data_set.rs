//! `data.set`: sets fields of the item by path. Objects on the way are made, list elements never.

use crate::support::{first, flag, kind_of, made, made_text, wrong_setting};
use crate::{Kind, Outcome};
use serde_json::{Map, Value};
use signalbox_engine::effect::CallSlot;
use signalbox_model::data::{Piece, Read};
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
        && let Some(text) = with_members(object, assign)
    {
        return Ok(made_text(slot, text));
    }
    let mut data = if keep { (*first(slot)).clone() } else { Value::Object(Map::new()) };
    if data.is_null() {
        data = Value::Object(Map::new());
    }
    for (target, value) in assign {
        put(&mut data, target, value)?;
    }
    Ok(made(slot, data))
}

/// The text of a large object with members set: its other members are copied as they are written. Nothing when a path leads
/// further into it.
fn with_members(object: Piece<'_>, assign: &Map<String, Value>) -> Option<String> {
    let mut set = Map::new();
    for (target, value) in assign {
        match path::parse(target).ok()?.as_slice() {
            [Segment::Key(name)] => set.insert(name.clone(), value.clone()),
            _ => return None,
        };
    }
    let mut text = String::with_capacity(object.text().len());
    let mut member = |name: &str, value: &str| {
        text.push(if text.is_empty() { '{' } else { ',' });
        text.push_str(name);
        text.push(':');
        text.push_str(value);
    };
    for (name, (key, value)) in object.names().zip(object.written_members()) {
        match set.shift_remove(&*name) {
            Some(value) => member(key, &value.to_string()),
            None => member(key, value),
        }
    }
    for (name, value) in set {
        member(&Value::from(name).to_string(), &value.to_string());
    }
    text.push('}');
    Some(text)
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
