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
        keyed.push((key, index));
    }
    check(&keyed)?;
    keyed.sort_by(|(a, _), (b, _)| {
        let order = compare(a, b);
        if descending { order.reverse() } else { order }
    });
    let order: Vec<usize> = keyed.into_iter().map(|(_, index)| index).collect();
    Ok(CallOutput::list("success", slot.input.reordered(&order)))
}

/// Keys must be comparable with each other: all numbers, all texts, all booleans, or lists of these; null may be
/// anywhere and comes first.
fn check(keyed: &[(Value, usize)]) -> Result<(), NodeFailure> {
    let mut known: Option<(&Value, usize)> = None;
    for (key, index) in keyed {
        if matches!(key, Value::Object(_)) {
            return Err(mixed(format!("The sort key of item {index} is an object; choose one of its fields")));
        }
        if key.is_null() {
            continue;
        }
        match known {
            Some((first, at)) if std::mem::discriminant(first) != std::mem::discriminant(key) => {
                return Err(mixed(format!(
                    "The sort key of item {at} is {}, that of item {index} is {}; they have no order",
                    kind_of(first),
                    kind_of(key)
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

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}
