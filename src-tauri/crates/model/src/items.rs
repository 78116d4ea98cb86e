//! A list of items. There may be a million of them, and most of the time nobody looks at them: what is long is kept in parts,
//! as text, which takes a tenth of the memory of values, and an item is made of it when somebody asks for it (ADR 72).

use crate::blob::BLOB_LIMIT;
use crate::data::{Data, TEXT_FROM, Text, Written, stays_text};
use crate::{Binaries, ErrorPayload, Item};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// So many items are a part. A list that is shorter is kept as it is.
pub const PART: usize = 1_000;

/// Items in order. A copy shares its parts. It is written and read as a plain list.
#[derive(Clone, Default)]
pub struct Items {
    /// Parts of [`PART`] items each.
    parts: Vec<Part>,
    /// The last ones.
    tail: Vec<Kept>,
}

/// One item of a part that is not packed.
#[derive(Clone)]
struct Kept {
    /// Its data is null when there is a text of it.
    item: Item,
    text: Option<Text>,
}

impl Kept {
    fn data(&self) -> Data {
        match &self.text {
            Some(text) => Data::Text(text.clone()),
            None => Data::Value(Arc::clone(&self.item.data)),
        }
    }

    fn whole(&self) -> Cow<'_, Item> {
        match &self.text {
            Some(text) => Cow::Owned(Item { data: text.value(), ..self.item.clone() }),
            None => Cow::Borrowed(&self.item),
        }
    }

    fn bare(&self) -> Item {
        let Item { id, data: _, binary, error, paired_item } = &self.item;
        let (id, binary, error) = (id.clone(), binary.clone(), error.clone());
        Item { id, data: nothing(), binary, error, paired_item: *paired_item }
    }
}

impl From<Item> for Kept {
    fn from(item: Item) -> Self {
        Self { item, text: None }
    }
}

#[derive(Clone)]
enum Part {
    Text(Arc<Packed>),
    /// With something that stays as it is: bytes, an error, a large value.
    Plain(Arc<[Kept]>),
}

/// Items that have data and lineage only, and whose ids are their places in the list, from 1.
struct Packed {
    /// The texts of the data, one after the other; or the text that they stand in, which others share.
    text: Arc<Written>,
    places: Box<[Place]>,
}

/// Where the data of a packed item stands, and the item that it came from; [`NONE`] for null.
#[derive(Clone, Copy)]
struct Place {
    start: u32,
    end: u32,
    paired: u32,
}

/// No lineage.
const NONE: u32 = u32::MAX;

impl Packed {
    /// Nothing when one of the items has to stay as it is. `first` is the place of the first one in the list.
    fn of(items: &[Kept], first: usize) -> Option<Self> {
        let mut places = Vec::with_capacity(items.len());
        for (index, Kept { item, text }) in items.iter().enumerate() {
            let stays = item.error.is_some() || item.binary.is_some();
            if stays || !is_number(&item.id, first + index + 1) {
                return None;
            }
            let paired = match item.paired_item {
                Some(paired) => u32::try_from(paired).ok().filter(|paired| *paired != NONE)?,
                None => NONE,
            };
            let (start, end) = text.as_ref().map_or((0, 0), Text::span);
            if (end - start) as usize > BLOB_LIMIT {
                return None;
            }
            places.push(Place { start, end, paired });
        }
        if let Some(text) = shared(items) {
            return Some(Self { text: Arc::clone(text), places: places.into() });
        }
        let mut all = Vec::new();
        for (Kept { item, text }, place) in items.iter().zip(&mut places) {
            let began = all.len();
            match text {
                Some(text) => all.extend_from_slice(text.text().as_bytes()),
                None => serde_json::to_writer(&mut all, &item.data).ok()?,
            }
            if all.len() - began > BLOB_LIMIT {
                return None;
            }
            (place.start, place.end) = (u32::try_from(began).ok()?, u32::try_from(all.len()).ok()?);
        }
        // What serde writes is text.
        Some(Self { text: Written::new(String::from_utf8(all).ok()?), places: places.into() })
    }

    fn text(&self, index: usize) -> Option<Text> {
        let place = self.places.get(index)?;
        Some(Text::part(&self.text, place.start, place.end))
    }

    fn data(&self, index: usize) -> Arc<Value> {
        self.text(index).map(|text| text.value()).unwrap_or_default()
    }

    fn paired(&self, index: usize) -> Option<usize> {
        self.places.get(index).map(|place| place.paired).filter(|paired| *paired != NONE).map(|paired| paired as usize)
    }

    /// Bytes of text.
    fn weight(&self) -> usize {
        self.places.iter().map(|place| (place.end - place.start) as usize).sum()
    }
}

/// The one text in which the data of all of these stands.
fn shared(items: &[Kept]) -> Option<&Arc<Written>> {
    let first = items.first()?.text.as_ref()?.of();
    let same = |kept: &Kept| kept.text.as_ref().is_some_and(|text| Arc::ptr_eq(text.of(), first));
    items.iter().all(same).then_some(first)
}

/// Null, the same one for all whose data stands elsewhere.
fn nothing() -> Arc<Value> {
    static NULL: LazyLock<Arc<Value>> = LazyLock::new(Arc::default);
    Arc::clone(&NULL)
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
        self.keep(item.into());
    }

    /// Adds one at the end, with this data instead of its own.
    pub fn push_data(&mut self, item: Item, data: Data) {
        self.keep(match data {
            Data::Value(data) => Item { data, ..item }.into(),
            Data::Text(text) => Kept { item: Item { data: nothing(), ..item }, text: Some(text) },
        });
    }

    fn keep(&mut self, kept: Kept) {
        self.tail.push(kept);
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
        for (item, data) in others.pieces() {
            let id = (self.len() + 1).to_string();
            self.push_data(Item { id, ..item }, data);
        }
    }

    /// Ids become the places in the list, from 1.
    pub fn number(&mut self) {
        for (part, first) in self.parts.iter_mut().zip((0..).step_by(PART)) {
            if let Part::Plain(items) = part
                && !items.iter().zip(first + 1..).all(|(kept, place)| is_number(&kept.item.id, place))
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
            Some(Part::Text(packed)) => Some(Cow::Owned(Item {
                id: (index + 1).to_string(),
                data: packed.data(index % PART),
                binary: None,
                error: None,
                paired_item: packed.paired(index % PART),
            })),
            Some(Part::Plain(_)) | None => self.whole(index).map(Kept::whole),
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
            Some(Part::Plain(_)) | None => self.whole(index).map(|kept| kept.data().value()),
        }
    }

    /// The data of one as it is kept: text stays text.
    pub fn kept(&self, index: usize) -> Option<Data> {
        match self.parts.get(index / PART) {
            Some(Part::Text(packed)) => packed.text(index % PART).map(Data::Text),
            Some(Part::Plain(_)) | None => self.whole(index).map(Kept::data),
        }
    }

    /// One without its data, and its data as it is kept.
    pub fn piece(&self, index: usize) -> Option<(Item, Data)> {
        Some((self.bare(index)?, self.kept(index)?))
    }

    /// The text of one that is kept as text of its own.
    pub fn text(&self, index: usize) -> Option<&Text> {
        self.whole(index)?.text.as_ref()
    }

    /// All, see [`Items::piece`].
    pub fn pieces(&self) -> impl Iterator<Item = (Item, Data)> {
        (0..self.len()).filter_map(|index| self.piece(index))
    }

    /// One without its data, which is null: id, lineage, bytes and error.
    pub fn bare(&self, index: usize) -> Option<Item> {
        if let Some(Part::Text(packed)) = self.parts.get(index / PART) {
            let id = (index + 1).to_string();
            let paired_item = packed.paired(index % PART);
            return Some(Item { id, data: nothing(), binary: None, error: None, paired_item });
        }
        self.whole(index).map(Kept::bare)
    }

    /// The bytes of one.
    pub fn binary(&self, index: usize) -> Option<&Binaries> {
        self.whole(index)?.item.binary.as_ref()
    }

    /// The error of one.
    pub fn error(&self, index: usize) -> Option<&Arc<ErrorPayload>> {
        self.whole(index)?.item.error.as_ref()
    }

    /// One that is not packed; those that are have neither bytes nor an error.
    fn whole(&self, index: usize) -> Option<&Kept> {
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

    /// Changes the data of each; what is kept as text of its own only when `wanted` says so of the text.
    pub fn change(&mut self, wanted: impl Fn(&str) -> bool, mut change: impl FnMut(&mut Arc<Value>)) {
        if self.parts.is_empty() {
            for kept in &mut self.tail {
                match kept.text.take() {
                    Some(text) if !wanted(text.text()) => kept.text = Some(text),
                    Some(text) => {
                        kept.item.data = text.value();
                        change(&mut kept.item.data);
                    }
                    None => change(&mut kept.item.data),
                }
            }
            return;
        }
        let mut changed = Self::new();
        for (item, data) in std::mem::take(self).pieces() {
            match data {
                Data::Text(text) if !wanted(text.text()) => changed.push_data(item, Data::Text(text)),
                data => {
                    let mut data = data.value();
                    change(&mut data);
                    changed.push(Item { data, ..item });
                }
            }
        }
        *self = changed;
    }

    /// The bytes of all.
    pub fn binaries(&self) -> impl Iterator<Item = &Binaries> {
        let plain = self.parts.iter().filter_map(|part| match part {
            Part::Plain(items) => Some(items.iter()),
            Part::Text(_) => None,
        });
        plain.flatten().chain(&self.tail).filter_map(|kept| kept.item.binary.as_ref())
    }

    /// About how many bytes the data takes as text; `weight` tells it of one value that is not kept as text.
    pub fn weight(&self, weight: impl Fn(&Value) -> usize) -> usize {
        let of = |kept: &Kept| kept.text.as_ref().map_or_else(|| weight(&kept.item.data), |text| text.text().len());
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(packed) => packed.weight(),
            Part::Plain(items) => items.iter().map(of).sum(),
        });
        parts.sum::<usize>() + self.tail.iter().map(of).sum::<usize>()
    }

    /// About how many bytes of memory the items take; `memory` tells it of one with these values. What is kept as text takes its
    /// text.
    pub fn memory(&self, memory: impl Fn(&Value) -> usize) -> usize {
        let of = |kept: &Kept| match &kept.text {
            Some(text) => size_of::<Item>() + text.text().len(),
            None => memory(&kept.item.data),
        };
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(packed) => packed.weight() + size_of_val(&*packed.places),
            Part::Plain(items) => items.iter().map(of).sum(),
        });
        parts.sum::<usize>() + self.tail.iter().map(of).sum::<usize>()
    }

    /// The same when all become values again.
    pub fn memory_as_values(&self, memory: impl Fn(&Value) -> usize) -> usize {
        (0..self.len()).filter_map(|index| self.data(index)).map(|data| memory(&data)).sum()
    }

    /// How many of them are packed as text.
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

fn numbered(items: &mut [Kept], first: usize) {
    for (index, Kept { item, .. }) in items.iter_mut().enumerate() {
        if !is_number(&item.id, first + index + 1) {
            item.id = (first + index + 1).to_string();
        }
    }
}

impl From<Vec<Item>> for Items {
    fn from(items: Vec<Item>) -> Self {
        if items.len() < PART {
            Self { parts: Vec::new(), tail: items.into_iter().map(Kept::from).collect() }
        } else {
            items.into_iter().collect()
        }
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
        /// As [`Item`] is written.
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Shown<'a> {
            id: Cow<'a, str>,
            data: Data,
            #[serde(skip_serializing_if = "Option::is_none")]
            binary: Option<&'a Binaries>,
            #[serde(skip_serializing_if = "Option::is_none")]
            error: Option<&'a Arc<ErrorPayload>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            paired_item: Option<usize>,
        }
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for index in 0..self.len() {
            let Some(data) = self.kept(index) else { continue };
            let shown = match self.whole(index) {
                Some(Kept { item: Item { id, data: _, binary, error, paired_item }, text: _ }) => Shown {
                    id: Cow::Borrowed(id),
                    data,
                    binary: binary.as_ref(),
                    error: error.as_ref(),
                    paired_item: *paired_item,
                },
                None => {
                    let Item { id, paired_item, .. } = self.bare(index).unwrap_or_default();
                    Shown { id: Cow::Owned(id), data, binary: None, error: None, paired_item }
                }
            };
            list.serialize_element(&shown)?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        /// [`Item`] with data that may be text.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        struct Came {
            id: String,
            data: Data,
            #[serde(default)]
            binary: Option<Binaries>,
            #[serde(default)]
            error: Option<Arc<ErrorPayload>>,
            #[serde(default)]
            paired_item: Option<usize>,
        }
        impl<'de> Visitor<'de> for List {
            type Value = Items;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of items")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Items, A::Error> {
                let mut items = Items::new();
                if !stays_text() {
                    while let Some(item) = list.next_element()? {
                        items.push(item);
                    }
                    return Ok(items);
                }
                while let Some(Came { id, data, binary, error, paired_item }) = list.next_element()? {
                    items.push_data(Item { id, data: nothing(), binary, error, paired_item }, data);
                }
                // The last ones are few, and are looked at more often than they are read.
                for kept in &mut items.tail {
                    if let Some(text) = kept.text.take_if(|text| text.text().len() < TEXT_FROM) {
                        kept.item.data = text.value();
                    }
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
