//! `data.compare`: what was added, removed and changed between two lists.

use crate::fields::{Field, fields};
use crate::keys::Rule;
use crate::two_lists::{Keys, Lists, Row};
use crate::{Kind, Outcome};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use signalbox_model::NodeFailure;
use std::collections::HashSet;
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let keys = Keys::of(slot)?;
    let ignored = fields(slot, "ignore")?;
    let lists = Lists::of(slot)?;
    let first = by_key(&lists.first, "first", |row| keys.first(row))?;
    let mut second = by_key(&lists.second, "second", |row| keys.second(row))?;
    let pass = |row: &Row| OutItem::new(Arc::clone(&row.data), row.paired);
    let (mut same, mut changed, mut removed) = (Vec::new(), Vec::new(), Vec::new());
    for (key, before) in &first {
        let Some(after) = second.shift_remove(key) else {
            removed.push(pass(before));
            continue;
        };
        let names = differences(&before.data, &after.data, &ignored, &keys);
        if names.is_empty() {
            same.push(pass(before));
        } else {
            let data = json!({ "changed": names, "before": *before.data, "after": *after.data });
            changed.push(OutItem::new(Arc::new(data), before.paired));
        }
    }
    let added: Vec<OutItem> = second.values().map(|row| pass(row)).collect();
    let mut ports = IndexMap::new();
    for (port, items) in [("added", added), ("removed", removed), ("changed", changed), ("same", same)] {
        ports.extend(CallOutput::items(port, items).ports);
    }
    Ok(CallOutput { ports, ..CallOutput::default() })
}

/// Each key may stand once in a list: of two items with one key nobody could tell which one changed.
fn by_key<'a>(
    rows: &'a [Row],
    list: &str,
    key: impl Fn(&Row) -> Result<Option<String>, NodeFailure>,
) -> Result<IndexMap<String, &'a Row>, NodeFailure> {
    let mut found: IndexMap<String, &Row> = IndexMap::with_capacity(rows.len());
    for row in rows {
        let wrong = |code: &str, words: String| {
            NodeFailure::validation(code, words).detail("list", list).detail("index", row.index)
        };
        let item = row.index + 1;
        let Some(key) = key(row)? else {
            let words = format!("Item {item} of the {list} list has an empty key, so it cannot be compared");
            return Err(wrong("EMPTY_KEY", words));
        };
        if let Some(other) = found.insert(key, row) {
            let words = format!(
                "Items {} and {item} of the {list} list have the same key. Choose more fields, or remove duplicates first",
                other.index + 1
            );
            return Err(wrong("DUPLICATE_KEY", words));
        }
    }
    Ok(found)
}

/// Names of the fields that differ; one called `value` when the items are no objects.
fn differences(before: &Value, after: &Value, ignored: &[Field], keys: &Keys) -> Vec<String> {
    let rule = Rule { as_text: false, missing_is_null: false, ..keys.rule };
    let differs = |a: Option<&Value>, b: Option<&Value>| rule.key(a) != rule.key(b);
    let (Value::Object(before), Value::Object(after)) = (before, after) else {
        return if differs(Some(before), Some(after)) { vec!["value".to_owned()] } else { Vec::new() };
    };
    let is_ignored = |name: &str| {
        ignored.iter().any(|field| field.name == name) || keys.is_first_key(name) || keys.is_second_key(name)
    };
    let mut seen = HashSet::new();
    let names = before.keys().chain(after.keys()).filter(|name| seen.insert(name.as_str()));
    names.filter(|name| !is_ignored(name) && differs(before.get(*name), after.get(*name))).cloned().collect()
}
