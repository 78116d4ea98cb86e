//! `data.sort`: stable order by the value of an expression over each item.

use crate::support::{kind_of, text_or, wrong_setting};
use crate::{Kind, Outcome, cel};
use serde_json::{Number, Value};
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::NodeFailure;
use std::cmp::Ordering;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let descending = match text_or(slot, "order", "asc")? {
        "asc" => false,
        "desc" => true,
        _ => return Err(wrong_setting("order", "'asc' or 'desc'", &slot.config["order"])),
    };
    let by = cel::setting_expr(slot, "by")?;
    let mut scope = slot.scope.clone();
    let mut keyed = Vec::with_capacity(slot.input.len());
    for index in 0..slot.input.len() {
        // A row that is text is read where it stands.
        scope.item = slot.input.kept(index).unwrap_or_default();
        let key = cel::value("by", &by, &scope).map_err(|failure| failure.detail("index", index))?;
        keyed.push((Key::of(key), u32::try_from(index).unwrap_or(u32::MAX)));
    }
    check(&keyed)?;
    keyed.sort_by(|(a, _), (b, _)| {
        let order = a.compare(b);
        if descending { order.reverse() } else { order }
    });
    let order: Vec<usize> = keyed.into_iter().map(|(_, index)| index as usize).collect();
    Ok(CallOutput::list("success", slot.input.reordered(&order)))
}

/// The key of an item. There may be millions of them, and a value takes three times as much.
enum Key {
    Text(Box<str>),
    Number(Number),
    Other(Box<Value>),
}

impl Key {
    fn of(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.into()),
            Value::Number(number) => Self::Number(number),
            other => Self::Other(other.into()),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Number(_) => "a number",
            Self::Other(value) => kind_of(value),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Text(_) => TEXT,
            Self::Number(_) => NUMBER,
            Self::Other(value) => rank(value),
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => number(one, other),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (Self::Other(one), Self::Other(other)) => compare(one, other),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

/// Keys must be comparable with each other: all numbers, all texts, all booleans, or lists of these; null may be
/// anywhere and comes first.
fn check(keyed: &[(Key, u32)]) -> Result<(), NodeFailure> {
    let mut known: Option<(&Key, u32)> = None;
    for (key, index) in keyed {
        if key.rank() == OBJECT {
            return Err(mixed(format!("The sort key of item {index} is an object; choose one of its fields")));
        }
        if key.rank() == NULL {
            continue;
        }
        match known {
            Some((first, at)) if first.rank() != key.rank() => {
                return Err(mixed(format!(
                    "The sort key of item {at} is {}, that of item {index} is {}; they have no order",
                    first.kind(),
                    key.kind()
                )));
            }
            Some(_) => {}
            None => known = Some((key, *index)),
        }
    }
    Ok(())
}

fn mixed(message: String) -> NodeFailure {
    NodeFailure::validation("SCHEMA_MISMATCH", message).detail("field", "by")
}

fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => number(a, b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => a
            .iter()
            .zip(b)
            .map(|(a, b)| compare(a, b))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| a.len().cmp(&b.len())),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// By value and exactly: compared as floats, large integers would be equal to one float and not to each other, and an
/// order like that is none.
fn number(a: &Number, b: &Number) -> Ordering {
    let float = |number: &Number| number.as_f64().unwrap_or_default();
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(a), None) => beside(a, float(b)),
        (None, Some(b)) => beside(b, float(a)).reverse(),
        (None, None) => float(a).partial_cmp(&float(b)).unwrap_or(Ordering::Equal),
    }
}

fn beside(whole: i128, float: f64) -> Ordering {
    #[expect(clippy::cast_possible_truncation, reason = "whole by then, and a float beyond the range becomes its end")]
    let floor = float.trunc() as i128;
    whole.cmp(&floor).then_with(|| 0.0_f64.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal))
}

const NULL: u8 = 0;
const NUMBER: u8 = 2;
const TEXT: u8 = 3;
const OBJECT: u8 = 5;

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => 1,
        Value::Number(_) => NUMBER,
        Value::String(_) => TEXT,
        Value::Array(_) => 4,
        Value::Object(_) => OBJECT,
    }
}
