//! Masks of what is sealed into the audit chain, which can never forget.

use super::Masks;
use super::patterns::{is_hidden_name, may_hold};
use serde_json::Value;
use signalbox_audit::Record;

/// Names of those who act, and what programs refer to things by: `user:…`, UUIDs, digests. They are no data of people
/// that the chain must forget, and without them it could not say who did what to which task.
fn is_reference(text: &str) -> bool {
    let plain = |c: char| !c.is_whitespace() && !c.is_control();
    let hex = |c: char| c.is_ascii_hexdigit() || c == '-' || c == '/';
    ["user:", "group:"].iter().any(|kind| text.starts_with(kind) && text.chars().all(plain))
        || (text.len() >= 32 && text.chars().all(hex) && text.chars().any(|c| c.is_ascii_alphabetic()))
}

fn for_chain(masks: &mut Masks, value: &mut Value, hide: bool) {
    match value {
        Value::Object(map) => {
            for (name, value) in map.iter_mut() {
                let hide = hide || is_hidden_name(name, value.is_string());
                for_chain(masks, value, hide);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| for_chain(masks, value, hide)),
        Value::String(text) if text.is_empty() || (!hide && is_reference(text)) => {}
        Value::String(text) if !hide => {
            if may_hold(text) || !masks.hidden.is_empty() {
                *text = masks.text(text);
            }
        }
        Value::Null => {}
        scalar if hide => *scalar = masks.mask(scalar).into(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A record as it may be kept for ever: masked by names and patterns, because the chain cannot be changed later.
pub(crate) fn record(mut record: Record) -> Record {
    let mut masks = Masks::default();
    for tag in record.tags.iter_mut().flatten() {
        *tag = masks.text(tag);
    }
    for (name, value) in record.metadata.iter_mut().flatten() {
        let hide = is_hidden_name(name, value.is_string());
        for_chain(&mut masks, value, hide);
    }
    record
}
