//! A list of items. There may be a million of them, and most of the time nobody looks at them: what is long is kept in parts,
//! as text, which takes a tenth of the memory of values, and an item is made of it when somebody asks for it (ADR 72). Of a very long
//! one most parts lie in a file (ADR 157).

mod packed;
pub mod pages;
mod reorder;

use crate::blob::BLOB_LIMIT;
use crate::data::{Data, Text, Written, stays_text};
use crate::{Binaries, ErrorPayload, Item};
use packed::{Look, Packed, Paged};
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
    /// Bytes of the texts of parts that are in memory.
    in_memory: usize,
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
    /// In a file.
    Paged(Arc<Paged>),
    /// With something that stays as it is: bytes, an error, a large value.
    Plain(Arc<[Kept]>),
}

impl Part {
    /// To look at one that is text.
    fn packed(&self) -> Option<Look<'_>> {
        match self {
            Self::Text(packed) => Some(Look::Here(packed)),
            Self::Paged(paged) => Some(Look::Loaded(paged.load())),
            Self::Plain(_) => None,
        }
    }
}

/// No lineage.
const NONE: u32 = u32::MAX;

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
        Self { parts: Vec::new(), tail: Vec::new(), in_memory: 0 }
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

    /// Adds items of which each is a part of this text, one after the other: compact JSON that ends there. Their ids are their
    /// places, and all come from the same item.
    pub fn push_stretch(&mut self, text: String, ends: &[u32], paired: Option<usize>) {
        let text = Written::new(text);
        if self.tail.is_empty()
            && ends.len() == PART
            && let Some(packed) = Packed::of_stretch(&text, ends, paired)
        {
            let part = self.kept_part(packed);
            self.parts.push(part);
            return;
        }
        let mut start = 0;
        for end in ends {
            let id = (self.len() + 1).to_string();
            let item = Item { id, data: nothing(), binary: None, error: None, paired_item: paired };
            self.keep(Kept { item, text: Some(Text::part(&text, start, *end)) });
            start = *end;
        }
    }

    fn keep(&mut self, kept: Kept) {
        self.tail.push(kept);
        if self.tail.len() < PART {
            return;
        }
        let full = std::mem::take(&mut self.tail);
        let part = match Packed::of(&full, self.parts.len() * PART) {
            Some(packed) => self.kept_part(packed),
            None => Part::Plain(full.into()),
        };
        self.parts.push(part);
    }

    /// A part that is text: in memory, or in a file when the list has enough there.
    fn kept_part(&mut self, packed: Packed) -> Part {
        if self.in_memory.saturating_add(packed.weight()) > pages::from()
            && let Some(paged) = Paged::of(&packed)
        {
            return Part::Paged(Arc::new(paged));
        }
        self.in_memory += packed.weight();
        Part::Text(Arc::new(packed))
    }

    /// Large items among the last ones become text: those whose values take at least so much, as `memory` tells it.
    pub fn keep_as_text(&mut self, from: usize, memory: impl Fn(&Value) -> usize) {
        for kept in self.tail.iter_mut().filter(|kept| kept.text.is_none()) {
            if memory(&kept.item.data) >= from
                && let Data::Text(text) = Data::written(kept.item.data.to_string())
            {
                (kept.item.data, kept.text) = (nothing(), Some(text));
            }
        }
    }

    /// The parts that it begins with which are text, as a list that shares them. What is in them has data and lineage only, and ids
    /// that are places.
    pub fn packed_begin(&self) -> Self {
        let parts = self.parts.iter().take_while(|part| !matches!(part, Part::Plain(_))).cloned().collect();
        Self { parts, tail: Vec::new(), in_memory: self.in_memory }
    }

    /// Whether some of it lies in a file.
    pub fn is_paged(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Paged(_)))
    }

    /// The text of some of them as a list writes it.
    pub fn slice_text(&self, range: Range<usize>) -> serde_json::Result<String> {
        let mut out = String::from("[");
        let (mut at, end) = (range.start, range.end.min(self.len()));
        while at < end {
            let (part, first) = (at / PART, at / PART * PART);
            let until = end.min(first + PART);
            match self.parts.get(part).and_then(Part::packed) {
                Some(packed) => packed.write(at - first..until - first, first, &mut out),
                None => {
                    for index in at..until {
                        if !out.ends_with('[') {
                            out.push(',');
                        }
                        if let Some(shown) = self.shown(index) {
                            out.push_str(&serde_json::to_string(&shown)?);
                        }
                    }
                }
            }
            at = until;
        }
        out.push(']');
        Ok(out)
    }

    /// The first ones, as many as this.
    #[must_use]
    pub fn begin(&self, count: usize) -> Self {
        let mut begin = Self::new();
        (0..count.min(self.len()))
            .filter_map(|index| self.piece(index))
            .for_each(|(item, data)| begin.push_data(item, data));
        begin
    }

    /// Adds others at the end as they are.
    pub fn append(&mut self, others: &Self) {
        others.pieces().for_each(|(item, data)| self.push_data(item, data));
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
        for place in 0..self.parts.len() {
            let first = place * PART;
            let Some(Part::Plain(items)) = self.parts.get(place) else { continue };
            if items.iter().zip(first + 1..).all(|(kept, place)| is_number(&kept.item.id, place)) {
                continue;
            }
            let mut own = items.to_vec();
            numbered(&mut own, first);
            self.parts[place] = match Packed::of(&own, first) {
                Some(packed) => self.kept_part(packed),
                None => Part::Plain(own.into()),
            };
        }
        numbered(&mut self.tail, self.parts.len() * PART);
    }

    /// One of them, made anew when it is kept as text.
    pub fn get(&self, index: usize) -> Option<Cow<'_, Item>> {
        match self.look(index) {
            Some(packed) => Some(Cow::Owned(Item {
                id: (index + 1).to_string(),
                data: packed.data(index % PART),
                binary: None,
                error: None,
                paired_item: packed.paired(index % PART),
            })),
            None => self.whole(index).map(Kept::whole),
        }
    }

    /// The first.
    pub fn first(&self) -> Option<Cow<'_, Item>> {
        self.get(0)
    }

    /// The data of one, made anew when it is kept as text.
    pub fn data(&self, index: usize) -> Option<Arc<Value>> {
        match self.look(index) {
            Some(packed) => Some(packed.data(index % PART)),
            None => self.whole(index).map(|kept| kept.data().value()),
        }
    }

    /// The data of one as it is kept: text stays text.
    pub fn kept(&self, index: usize) -> Option<Data> {
        match self.look(index) {
            Some(packed) => packed.text(index % PART).map(Data::Text),
            None => self.whole(index).map(Kept::data),
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
        if let Some(packed) = self.look(index) {
            let id = (index + 1).to_string();
            let paired_item = packed.paired(index % PART);
            return Some(Item { id, data: nothing(), binary: None, error: None, paired_item });
        }
        self.whole(index).map(Kept::bare)
    }

    /// The lineage of one.
    pub fn paired(&self, index: usize) -> Option<usize> {
        match self.look(index) {
            Some(packed) => packed.paired(index % PART),
            None => self.whole(index)?.item.paired_item,
        }
    }

    /// Bytes of the text of a list of which some lies in files; 0 of others.
    pub fn paged_weight(&self) -> usize {
        if self.is_paged() { self.weight(|_| 0) } else { 0 }
    }

    /// The bytes of one.
    pub fn binary(&self, index: usize) -> Option<&Binaries> {
        self.whole(index)?.item.binary.as_ref()
    }

    /// The error of one.
    pub fn error(&self, index: usize) -> Option<&Arc<ErrorPayload>> {
        self.whole(index)?.item.error.as_ref()
    }

    /// The part that one is packed in.
    fn look(&self, index: usize) -> Option<Look<'_>> {
        self.parts.get(index / PART)?.packed()
    }

    /// One that is not packed; those that are have neither bytes nor an error.
    fn whole(&self, index: usize) -> Option<&Kept> {
        match self.parts.get(index / PART) {
            Some(Part::Plain(items)) => items.get(index % PART),
            Some(Part::Text(_) | Part::Paged(_)) => None,
            None => self.tail.get(index - self.parts.len() * PART),
        }
    }

    /// All, each made anew when it is kept as text: one of a part is there at a time.
    pub fn iter(&self) -> Iter<'_> {
        Iter { items: self, next: 0..self.len() }
    }

    /// Changes the data of each; what is kept as text of its own only when `wanted` says so of the text.
    pub fn change(&mut self, wanted: impl Fn(&str) -> bool, mut change: impl FnMut(&mut Arc<Value>)) {
        // A part is looked at as a whole first: what is not in its text is in none of its items.
        if self.parts.iter().all(|part| part.packed().is_some_and(|packed| !wanted(packed.stretch()))) {
            for kept in &mut self.tail {
                match kept.text.take() {
                    Some(text) if !text.pieces().any(&wanted) => kept.text = Some(text),
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
                Data::Text(text) if !text.pieces().any(&wanted) => changed.push_data(item, Data::Text(text)),
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
            Part::Text(_) | Part::Paged(_) => None,
        });
        plain.flatten().chain(&self.tail).filter_map(|kept| kept.item.binary.as_ref())
    }

    /// About how many bytes the data takes as text; `weight` tells it of one value that is not kept as text.
    pub fn weight(&self, weight: impl Fn(&Value) -> usize) -> usize {
        let of = |kept: &Kept| kept.text.as_ref().map_or_else(|| weight(&kept.item.data), Text::length);
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(packed) => packed.weight(),
            Part::Paged(paged) => paged.weight(),
            Part::Plain(items) => items.iter().map(of).sum(),
        });
        parts.sum::<usize>() + self.tail.iter().map(of).sum::<usize>()
    }

    /// About how many bytes of memory the items take; `memory` tells it of one with these values. What is kept as text takes its
    /// text.
    pub fn memory(&self, memory: impl Fn(&Value) -> usize) -> usize {
        let of = |kept: &Kept| match &kept.text {
            Some(text) => size_of::<Item>() + text.length(),
            None => memory(&kept.item.data),
        };
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(packed) => packed.memory(),
            Part::Paged(_) => size_of::<Paged>(),
            Part::Plain(items) => items.iter().map(of).sum(),
        });
        parts.sum::<usize>() + self.tail.iter().map(of).sum::<usize>()
    }

    /// The same when all become values again.
    pub fn memory_as_values(&self, memory: impl Fn(&Value) -> usize) -> usize {
        (0..self.len()).filter_map(|index| self.data(index)).map(|data| memory(&data)).sum()
    }

    /// A sum over the texts of their data; what is there as values counts nothing.
    pub fn kept_lengths(&self, of: impl Fn(&str) -> usize) -> usize {
        let each = (0..self.len()).filter_map(|index| match self.kept(index)? {
            Data::Text(text) => Some(text.pieces().map(&of).sum::<usize>()),
            Data::Value(_) => None,
        });
        each.sum()
    }

    /// Whether one of the parts that begin behind the first `items` is packed as text. Earlier ones are not looked at.
    pub fn is_text_behind(&self, items: usize) -> bool {
        self.parts.iter().skip(items / PART).any(|part| !matches!(part, Part::Plain(_)))
    }

    /// How many of them are packed as text.
    pub fn as_text(&self) -> usize {
        self.parts.iter().filter(|part| !matches!(part, Part::Plain(_))).count() * PART
    }

    /// How many of them lie in files.
    pub fn in_files(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part, Part::Paged(_))).count() * PART
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
            Self { tail: items.into_iter().map(Kept::from).collect(), ..Self::new() }
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

impl Items {
    fn shown(&self, index: usize) -> Option<Shown<'_>> {
        let data = self.kept(index)?;
        Some(match self.whole(index) {
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
        })
    }
}

impl Serialize for Items {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for index in 0..self.len() {
            if let Some(shown) = self.shown(index) {
                list.serialize_element(&shown)?;
            }
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
                    if let Some(text) = kept.text.take_if(|text| text.length() <= BLOB_LIMIT) {
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
