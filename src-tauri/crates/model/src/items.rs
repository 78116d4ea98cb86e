//! A list of items. There may be a million of them, and most of the time nobody looks at them: what is long is kept in parts,
//! as text, which takes a tenth of the memory of values, and an item is made of it when somebody asks for it (ADR 72).

use crate::blob::BLOB_LIMIT;
use crate::{Binaries, ErrorPayload, Item};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// So many items are a part. A list that is shorter is kept as it is.
pub const PART: usize = 1_000;

/// Items in order. A copy shares its parts. It is written and read as a plain list.
#[derive(Clone, Default)]
pub struct Items {
    /// Parts of [`PART`] items each.
    parts: Vec<Part>,
    /// The last ones.
    tail: Vec<Item>,
}

#[derive(Clone)]
enum Part {
    Text(Arc<Packed>),
    /// With something that stays as it is: bytes, an error, a large value.
    Plain(Arc<[Item]>),
}

/// Items that have data and lineage only, and whose ids are their places in the list, from 1.
struct Packed {
    /// The data, compact JSON, one after the other.
    text: Box<str>,
    /// Where each ends in the text, and the item that it came from; [`NONE`] for null.
    places: Box<[(u32, u32)]>,
}

/// No lineage.
const NONE: u32 = u32::MAX;

impl Packed {
    /// Nothing when one of the items has to stay as it is. `first` is the place of the first one in the list.
    fn of(items: &[Item], first: usize) -> Option<Self> {
        let mut text = Vec::new();
        let mut places = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            if item.error.is_some() || item.binary.is_some() || !is_number(&item.id, first + index + 1) {
                return None;
            }
            let paired = match item.paired_item {
                Some(paired) => u32::try_from(paired).ok().filter(|paired| *paired != NONE)?,
                None => NONE,
            };
            let began = text.len();
            serde_json::to_writer(&mut text, &item.data).ok()?;
            if text.len() - began > BLOB_LIMIT {
                return None;
            }
            places.push((u32::try_from(text.len()).ok()?, paired));
        }
        // What serde writes is text.
        Some(Self { text: String::from_utf8(text).ok()?.into(), places: places.into() })
    }

    fn data(&self, index: usize) -> Arc<Value> {
        let start = index.checked_sub(1).and_then(|before| self.places.get(before)).map_or(0, |place| place.0);
        let end = self.places.get(index).map_or(start, |place| place.0);
        let text = self.text.get(start as usize..end as usize).unwrap_or_default();
        let mut reader = serde_json::Deserializer::from_str(text);
        // It was within the limits when it came.
        reader.disable_recursion_limit();
        // It was written by `of`: it can be read.
        Arc::new(Value::deserialize(&mut reader).unwrap_or_default())
    }

    fn paired(&self, index: usize) -> Option<usize> {
        self.places.get(index).map(|place| place.1).filter(|paired| *paired != NONE).map(|paired| paired as usize)
    }
}

fn is_number(id: &str, number: usize) -> bool {
    !id.starts_with(['0', '+']) && id.parse() == Ok(number)
}

impl Items {
    /// None.
    pub const fn new() -> Self {
        Self { parts: Vec::new(), tail: Vec::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.parts.len() * PART + self.tail.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds one at the end.
    pub fn push(&mut self, item: Item) {
        self.tail.push(item);
        if self.tail.len() < PART {
            return;
        }
        let full = std::mem::take(&mut self.tail);
        self.parts.push(match Packed::of(&full, self.parts.len() * PART) {
            Some(packed) => Part::Text(Arc::new(packed)),
            None => Part::Plain(full.into()),
        });
    }

    /// Adds one at the end; its id becomes its place, from 1.
    pub fn push_numbered(&mut self, item: Item) {
        let id = (self.len() + 1).to_string();
        self.push(Item { id, ..item });
    }

    /// Adds others at the end; their ids become their places, from 1.
    pub fn append_numbered(&mut self, others: &Self) {
        if self.is_empty() {
            *self = others.clone();
            return self.number();
        }
        for item in others.iter() {
            self.push_numbered(item.into_owned());
        }
    }

    /// Ids become the places in the list, from 1.
    pub fn number(&mut self) {
        for (part, first) in self.parts.iter_mut().zip((0..).step_by(PART)) {
            if let Part::Plain(items) = part
                && !items.iter().zip(first + 1..).all(|(item, place)| is_number(&item.id, place))
            {
                let mut own = items.to_vec();
                numbered(&mut own, first);
                *part = match Packed::of(&own, first) {
                    Some(packed) => Part::Text(Arc::new(packed)),
                    None => Part::Plain(own.into()),
                };
            }
        }
        numbered(&mut self.tail, self.parts.len() * PART);
    }

    /// One of them, made anew when it is kept as text.
    pub fn get(&self, index: usize) -> Option<Cow<'_, Item>> {
        match self.parts.get(index / PART) {
            Some(Part::Plain(items)) => items.get(index % PART).map(Cow::Borrowed),
            Some(Part::Text(packed)) => Some(Cow::Owned(Item {
                id: (index + 1).to_string(),
                data: packed.data(index % PART),
                binary: None,
                error: None,
                paired_item: packed.paired(index % PART),
            })),
            None => self.tail.get(index - self.parts.len() * PART).map(Cow::Borrowed),
        }
    }

    /// The first.
    pub fn first(&self) -> Option<Cow<'_, Item>> {
        self.get(0)
    }

    /// The data of one, made anew when it is kept as text.
    pub fn data(&self, index: usize) -> Option<Arc<Value>> {
        match self.parts.get(index / PART) {
            Some(Part::Text(packed)) => Some(packed.data(index % PART)),
            Some(Part::Plain(_)) | None => self.whole(index).map(|item| Arc::clone(&item.data)),
        }
    }

    /// One without its data, which is null: id, lineage, bytes and error.
    pub fn bare(&self, index: usize) -> Option<Item> {
        if let Some(Part::Text(packed)) = self.parts.get(index / PART) {
            let id = (index + 1).to_string();
            return Some(Item { id, paired_item: packed.paired(index % PART), ..Item::default() });
        }
        let Item { id, data: _, binary, error, paired_item } = self.whole(index)?.clone();
        Some(Item { id, binary, error, paired_item, ..Item::default() })
    }

    /// The bytes of one.
    pub fn binary(&self, index: usize) -> Option<&Binaries> {
        self.whole(index)?.binary.as_ref()
    }

    /// The error of one.
    pub fn error(&self, index: usize) -> Option<&Arc<ErrorPayload>> {
        self.whole(index)?.error.as_ref()
    }

    /// One that is not kept as text; those that are have neither bytes nor an error.
    fn whole(&self, index: usize) -> Option<&Item> {
        match self.parts.get(index / PART) {
            Some(Part::Plain(items)) => items.get(index % PART),
            Some(Part::Text(_)) => None,
            None => self.tail.get(index - self.parts.len() * PART),
        }
    }

    /// All, each made anew when it is kept as text: one of a part is there at a time.
    pub fn iter(&self) -> Iter<'_> {
        Iter { items: self, next: 0..self.len() }
    }

    /// Changes the data of each.
    pub fn change(&mut self, mut change: impl FnMut(&mut Arc<Value>)) {
        if self.parts.is_empty() {
            return self.tail.iter_mut().for_each(|item| change(&mut item.data));
        }
        *self = std::mem::take(self)
            .iter()
            .map(|item| {
                let mut item = item.into_owned();
                change(&mut item.data);
                item
            })
            .collect();
    }

    /// The bytes of all.
    pub fn binaries(&self) -> impl Iterator<Item = &Binaries> {
        let plain = self.parts.iter().filter_map(|part| match part {
            Part::Plain(items) => Some(items.iter()),
            Part::Text(_) => None,
        });
        plain.flatten().chain(&self.tail).filter_map(|item| item.binary.as_ref())
    }

    /// About how many bytes the data takes as text; `weight` tells it of one value that is not kept as text.
    pub fn weight(&self, weight: impl Fn(&Value) -> usize) -> usize {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(packed) => packed.text.len(),
            Part::Plain(items) => items.iter().map(|item| weight(&item.data)).sum(),
        });
        parts.sum::<usize>() + self.tail.iter().map(|item| weight(&item.data)).sum::<usize>()
    }

    /// How many of them are kept as text.
    pub fn as_text(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part, Part::Text(_))).count() * PART
    }
}

/// The items of a list, see [`Items::iter`].
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    items: &'a Items,
    next: Range<usize>,
}

impl<'a> Iterator for Iter<'a> {
    type Item = Cow<'a, Item>;
    fn next(&mut self) -> Option<Self::Item> {
        self.items.get(self.next.next()?)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.next.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Items {
    type Item = Cow<'a, Item>;
    type IntoIter = Iter<'a>;
    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

fn numbered(items: &mut [Item], first: usize) {
    for (index, item) in items.iter_mut().enumerate() {
        if !is_number(&item.id, first + index + 1) {
            item.id = (first + index + 1).to_string();
        }
    }
}

impl From<Vec<Item>> for Items {
    fn from(items: Vec<Item>) -> Self {
        if items.len() < PART { Self { parts: Vec::new(), tail: items } } else { items.into_iter().collect() }
    }
}

impl FromIterator<Item> for Items {
    fn from_iter<I: IntoIterator<Item = Item>>(items: I) -> Self {
        let mut all = Self::new();
        items.into_iter().for_each(|item| all.push(item));
        all
    }
}

impl PartialEq for Items {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Items {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Items {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Items;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of items")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Items, A::Error> {
                let mut items = Items::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(items)
            }
        }
        deserializer.deserialize_seq(List)
    }
}

impl JsonSchema for Items {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        Vec::<Item>::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Item>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests;
