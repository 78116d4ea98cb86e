//! Groups of items that are the same in some fields.

use crate::fields::fields;
use crate::keys::Rule;
use crate::two_lists::Index;
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::data::TEXT_FROM;
use signalbox_model::hash::digest_of_parts;
use signalbox_model::item::together;
use signalbox_model::{Binaries, Data, Item, Items, Map, NodeFailure};
use std::sync::Arc;

/// One group.
pub(crate) struct Group {
    /// The fields that all of it have in common.
    pub(crate) head: Map,
    /// Places in the input. Their data is looked at where it lies: as values a long list would take ten times its text.
    pub(crate) members: Vec<usize>,
}

/// By the fields of the setting `by`, in the order in which each is first seen. Without fields all items are one group,
/// also when there are none. There may be as many groups as items: each is made when it is looked at, and until then there are a digest
/// of its key and the places of its members.
pub(crate) fn groups(slot: &CallSlot) -> Result<Box<dyn Iterator<Item = Group> + '_>, NodeFailure> {
    let by = fields(slot, "by")?;
    let rule = Rule::of(slot)?;
    if by.is_empty() {
        return Ok(Box::new(std::iter::once(Group { head: Map::new(), members: (0..slot.input.len()).collect() })));
    }
    let (mut index, mut firsts) = (Index::default(), Vec::new());
    for place in 0..slot.input.len() {
        let data = slot.input.data(place).unwrap_or_default();
        let digest = digest_of_parts(&[rule.key(rule.values(&by, &data, place)?).as_bytes()]);
        let key = digest.first_chunk().map(|half| u128::from_le_bytes(*half));
        if index.push(key).is_none() {
            firsts.push(u32::try_from(place).unwrap_or(u32::MAX));
        }
    }
    Ok(Box::new(firsts.into_iter().map(move |first| {
        let first = first as usize;
        let data = slot.input.data(first).unwrap_or_default();
        // They were there when the key was made.
        let values = rule.values(&by, &data, first).unwrap_or_default();
        let head = by.iter().zip(&values).map(|(field, value)| (field.name.clone(), (*value).clone())).collect();
        Group { head, members: index.from(first).collect() }
    })))
}

impl Group {
    /// Adds it to a list of items. It comes from its only member; of several, from none in particular.
    pub(crate) fn push(self, slot: &CallSlot, items: &mut Items) {
        let (paired_item, binary) = self.lineage(slot);
        let item = Item { id: (items.len() + 1).to_string(), paired_item, binary, ..Item::default() };
        items.push_data(item, Value::Object(self.head).into());
    }

    fn lineage(&self, slot: &CallSlot) -> (Option<usize>, Option<Binaries>) {
        let paired = match self.members.as_slice() {
            [index] => Some(*index),
            _ => None,
        };
        let bytes: Vec<_> = self.members.iter().filter_map(|index| slot.input.binary(*index).cloned()).collect();
        (paired, together(&bytes))
    }

    /// Adds it to a list of items, with the list of its members under a name. What is long is written from their texts.
    pub(crate) fn push_with_members(mut self, into: &str, slot: &CallSlot, items: &mut Items) {
        let rows = || self.members.iter().filter_map(|index| slot.input.kept(*index));
        let length: usize = rows().map(|row| row.length()).sum();
        let data = if length < TEXT_FROM {
            let list = rows().map(|row| Arc::unwrap_or_clone(row.value())).collect();
            self.head.insert(into.to_owned(), Value::Array(list));
            Value::Object(std::mem::take(&mut self.head)).into()
        } else {
            // The name may be that of a field of the group: then it stands in that one's place.
            let place = self.head.keys().position(|name| name == into);
            let mut text = String::with_capacity(length + self.members.len() + 2);
            let list = |text: &mut String| Data::append_list(rows(), text);
            for (at, (name, value)) in self.head.iter().enumerate() {
                text.push(if at == 0 { '{' } else { ',' });
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                if Some(at) == place { list(&mut text) } else { text.push_str(&value.to_string()) }
            }
            if place.is_none() {
                text.push(if self.head.is_empty() { '{' } else { ',' });
                text.push_str(&Value::from(into).to_string());
                text.push(':');
                list(&mut text);
            }
            text.push('}');
            Data::written(text)
        };
        let (paired_item, binary) = self.lineage(slot);
        items.push_data(Item { id: (items.len() + 1).to_string(), paired_item, binary, ..Item::default() }, data);
    }
}
