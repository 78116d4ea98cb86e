//! `data.merge`: items of two lists that have the same key become one.

use crate::fields::choice;
use crate::support::{flag, push};
use crate::two_lists::{Index, Keys, Lists, named};
use crate::{Kind, Outcome};
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::{Items, Map, NodeFailure};

pub(crate) const KIND: Kind = Kind::Pure(run);

/// Items that a merge may make: keys that are the same many times on both sides multiply.
const MOST: usize = 1_000_000;

fn run(slot: &CallSlot) -> Outcome {
    let join = choice(slot, "join", &["inner", "left", "outer"])?;
    let keys = Keys::of(slot)?;
    let target = named(slot, "into")?;
    let overwrites = choice(slot, "sameNames", &["both", "first", "second"])?;
    let one_match = flag(slot, "oneMatch", false)?;
    let lists = Lists::of(slot)?;
    // The second list is looked up; the first one goes by, an item at a time.
    let second = lists.second.collect()?;
    let (mut index, mut twice) = (Index::default(), None);
    for row in &second {
        if let Some(one) = index.push(keys.second(row)?)
            && twice.is_none_or(|(known, _)| one < known)
        {
            twice = Some((one, row.index));
        }
    }
    if let Some((one, other)) = twice.filter(|_| one_match) {
        return Err(not_once(one, other));
    }
    let mut is_used = vec![false; second.len()];
    let (mut merged, mut only_first, mut only_second) = (Items::new(), Items::new(), Items::new());
    for row in lists.first.rows() {
        let mut matches = keys.first(&row)?.into_iter().flat_map(|key| index.places(key)).peekable();
        if matches.peek().is_none() {
            push(if join == "inner" { &mut only_first } else { &mut merged }, row.data, row.paired);
            continue;
        }
        let data = row.data.value();
        for other in matches {
            is_used[other] = true;
            let both = together(&data, &second[other].data.value(), target.as_deref(), overwrites, &keys);
            push(&mut merged, both.into(), row.paired);
            if merged.len() > MOST {
                let words = format!(
                    "More than {MOST} items would be made: the same key stands many times in both lists. Remove duplicates \
                     from one of them first"
                );
                return Err(NodeFailure::validation("TOO_LARGE", words));
            }
        }
    }
    for row in second.into_iter().filter(|row| !is_used[row.index]) {
        push(if join == "outer" { &mut merged } else { &mut only_second }, row.data, row.paired);
    }
    let mut ports = IndexMap::new();
    for (port, items) in [("success", merged), ("first", only_first), ("second", only_second)] {
        ports.extend(CallOutput::list(port, items).ports);
    }
    Ok(CallOutput { ports, ..CallOutput::default() })
}

/// Who wants exactly one match per key is told where there are several.
fn not_once(one: usize, other: usize) -> NodeFailure {
    let words = format!(
        "Items {} and {} of the second list have the same key, but each key may stand there once",
        one + 1,
        other + 1
    );
    NodeFailure::validation("DUPLICATE_KEY", words).detail("index", other)
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
