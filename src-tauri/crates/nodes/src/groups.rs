//! Groups of items that are the same in some fields.

use crate::fields::{fields, rows};
use crate::keys::Rule;
use serde_json::Value;
use signalbox_engine::effect::{CallSlot, OutItem};
use signalbox_model::item::together;
use signalbox_model::{Map, NodeFailure};
use std::collections::HashMap;
use std::sync::Arc;

/// One group.
pub(crate) struct Group {
    /// The fields that all of it have in common.
    pub(crate) head: Map,
    /// Place in the input, and data.
    pub(crate) members: Vec<(usize, Arc<Value>)>,
}

/// By the fields of the setting `by`, in the order in which each is first seen. Without fields all items are one group,
/// also when there are none.
pub(crate) fn groups(slot: &CallSlot) -> Result<Vec<Group>, NodeFailure> {
    let by = fields(slot, "by")?;
    let rule = Rule::of(slot)?;
    let items = rows(slot).into_iter().enumerate();
    if by.is_empty() {
        return Ok(vec![Group { head: Map::new(), members: items.collect() }]);
    }
    let mut found: Vec<Group> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (index, data) in items {
        let values = rule.values(&by, &data, index)?;
        let key = rule.key(values.iter().copied());
        let place = match places.get(&key) {
            Some(place) => *place,
            None => {
                let head = by.iter().zip(&values).map(|(field, value)| (field.name.clone(), (*value).clone()));
                let head = head.collect();
                places.insert(key, found.len());
                found.push(Group { head, members: Vec::new() });
                found.len() - 1
            }
        };
        found[place].members.push((index, data));
    }
    Ok(found)
}

impl Group {
    /// As an item. It comes from its only member; of several, from none in particular.
    pub(crate) fn item(self, slot: &CallSlot) -> OutItem {
        let paired = match self.members.as_slice() {
            [(index, _)] => Some(*index),
            _ => None,
        };
        let bytes: Vec<_> =
            self.members.iter().filter_map(|(index, _)| slot.input.get(*index)?.binary.clone()).collect();
        OutItem { data: Arc::new(Value::Object(self.head)), binary: together(&bytes), paired }
    }
}
