//! `data.compare`: what was added, removed and changed between two lists.

use crate::fields::{Field, fields};
use crate::keys::Rule;
use crate::support::push;
use crate::two_lists::{Index, Keys, Lists, Row};
use crate::{Kind, Outcome};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::{Items, NodeFailure};
use std::collections::HashSet;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let keys = Keys::of(slot)?;
    let ignored = fields(slot, "ignore")?;
    let lists = Lists::of(slot)?;
    // The second list is looked up; the first one goes by, an item at a time.
    let (first, _) = by_key(lists.first.rows(), "first", |row| keys.first(row))?;
    let second = lists.second.collect()?;
    let (_, places) = by_key(second.iter().cloned(), "second", |row| keys.second(row))?;
    let mut is_found = vec![false; second.len()];
    let [mut added, mut removed, mut changed, mut same] = [const { Items::new() }; 4];
    for (before, key) in lists.first.rows().zip(first) {
        let Some(place) = places.places(key).next() else {
            push(&mut removed, before.data, before.paired);
            continue;
        };
        is_found[place] = true;
        let (old, new) = (before.data.value(), second[place].data.value());
        let names = differences(&old, &new, &ignored, &keys);
        if names.is_empty() {
            push(&mut same, before.data, before.paired);
        } else {
            let data = json!({ "changed": names, "before": *old, "after": *new });
            push(&mut changed, data.into(), before.paired);
        }
    }
    for row in second.into_iter().filter(|row| !is_found[row.index]) {
        push(&mut added, row.data, row.paired);
    }
    let mut ports = IndexMap::new();
    for (port, items) in [("added", added), ("removed", removed), ("changed", changed), ("same", same)] {
        ports.extend(CallOutput::list(port, items).ports);
    }
    Ok(CallOutput { ports, ..CallOutput::default() })
}

/// The keys of a list, and where each stands. It may stand there once: of two items with one key nobody could tell which one changed.
fn by_key(
    rows: impl Iterator<Item = Row>,
    list: &str,
    key: impl Fn(&Row) -> Result<Option<u128>, NodeFailure>,
) -> Result<(Vec<u128>, Index), NodeFailure> {
    let (mut all, mut found) = (Vec::new(), Index::default());
    for row in rows {
        let wrong = |code: &str, words: String| {
            NodeFailure::validation(code, words).detail("list", list).detail("index", row.index)
        };
        let item = row.index + 1;
        let Some(key) = key(&row)? else {
            let words = format!("Item {item} of the {list} list has an empty key, so it cannot be compared");
            return Err(wrong("EMPTY_KEY", words));
        };
        if let Some(other) = found.push(Some(key)) {
            let words = format!(
                "Items {} and {item} of the {list} list have the same key. Choose more fields, or remove duplicates first",
                other + 1
            );
            return Err(wrong("DUPLICATE_KEY", words));
        }
        all.push(key);
    }
    Ok((all, found))
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
