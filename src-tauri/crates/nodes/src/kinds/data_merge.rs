//! `data.merge`: items of two lists that have the same key become one.

use crate::fields::choice;
use crate::support::flag;
use crate::two_lists::{Keys, Lists, Row, named};
use crate::{Kind, Outcome};
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use signalbox_model::{Map, NodeFailure};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

/// Items that a merge may make: keys that are the same many times on both sides multiply.
const MOST: usize = 1_000_000;

fn run(slot: &CallSlot) -> Outcome {
    let join = choice(slot, "join", &["inner", "left", "outer"])?;
    let keys = Keys::of(slot)?;
    let target = named(slot, "into")?;
    let overwrites = choice(slot, "sameNames", &["both", "first", "second"])?;
    let lists = Lists::of(slot)?;
    let mut by_key: HashMap<String, Vec<&Row>> = HashMap::new();
    for row in &lists.second {
        if let Some(key) = keys.second(row)? {
            by_key.entry(key).or_default().push(row);
        }
    }
    if flag(slot, "oneMatch", false)? {
        one_each(&by_key)?;
    }
    let mut used: HashSet<usize> = HashSet::new();
    let (mut merged, mut only_first) = (Vec::new(), Vec::new());
    for row in &lists.first {
        let matches = keys.first(row)?.and_then(|key| by_key.get(&key));
        for other in matches.into_iter().flatten() {
            used.insert(other.index);
            let data = together(&row.data, &other.data, target.as_deref(), overwrites, &keys);
            merged.push(OutItem::new(Arc::new(data), row.paired));
            if merged.len() > MOST {
                let words = format!(
                    "More than {MOST} items would be made: the same key stands many times in both lists. Remove duplicates \
                     from one of them first"
                );
                return Err(NodeFailure::validation("TOO_LARGE", words));
            }
        }
        if matches.is_none() {
            let alone = OutItem::new(Arc::clone(&row.data), row.paired);
            if join == "inner" { only_first.push(alone) } else { merged.push(alone) }
        }
    }
    let mut only_second = Vec::new();
    for row in lists.second.iter().filter(|row| !used.contains(&row.index)) {
        let alone = OutItem::new(Arc::clone(&row.data), row.paired);
        if join == "outer" { merged.push(alone) } else { only_second.push(alone) }
    }
    let mut ports = IndexMap::new();
    for (port, items) in [("success", merged), ("first", only_first), ("second", only_second)] {
        ports.extend(CallOutput::items(port, items).ports);
    }
    Ok(CallOutput { ports, ..CallOutput::default() })
}

/// Who wants exactly one match per key is told where there are several.
fn one_each(by_key: &HashMap<String, Vec<&Row>>) -> Result<(), NodeFailure> {
    let several = by_key.values().filter(|rows| rows.len() > 1).min_by_key(|rows| rows.first().map(|row| row.index));
    let Some([one, other]) = several.and_then(|rows| rows.first_chunk::<2>()) else { return Ok(()) };
    let words = format!(
        "Items {} and {} of the second list have the same key, but each key may stand there once",
        one.index + 1,
        other.index + 1
    );
    Err(NodeFailure::validation("DUPLICATE_KEY", words).detail("index", other.index))
}

/// Fields of the second item are added to those of the first.
fn together(first: &Value, second: &Value, target: Option<&str>, overwrites: &str, keys: &Keys) -> Value {
    let mut all = match first {
        Value::Object(map) => map.clone(),
        other => Map::from_iter([("value".to_owned(), other.clone())]),
    };
    if let Some(target) = target {
        all.insert(target.to_owned(), second.clone());
        return Value::Object(all);
    }
    let Value::Object(second) = second else { return Value::Object(all) };
    for (name, value) in second {
        if !all.contains_key(name) {
            all.insert(name.clone(), value.clone());
        } else if keys.is_second_key(name) && keys.is_first_key(name) {
            // It is the key that both have.
        } else if overwrites == "second" {
            all.insert(name.clone(), value.clone());
        } else if overwrites == "both" {
            let free = (2..).map(|number| format!("{name}_{number}"));
            let free = free.into_iter().find(|free| !all.contains_key(free) && !second.contains_key(free));
            all.insert(free.unwrap_or_else(|| name.clone()), value.clone());
        }
    }
    Value::Object(all)
}
