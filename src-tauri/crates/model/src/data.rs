//! The data of an item, as values or as JSON text. Values of many small parts take twenty times their text, so a large table
//! stays text until somebody looks at it, and is text again when nobody does (ADR 85).

mod composed;
mod copied;
mod detached;
mod incoming;
mod json_string;
mod read;

pub use copied::compact;
pub use detached::{Detached, detached, mark, put_back, write};
pub(crate) use incoming::stays_text;
pub use incoming::{as_text, with_texts};
pub use json_string::{JsonString, words};
pub use read::{Piece, Read};

use composed::Composed;
use copied::Copied;
use read::Places;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Data whose text is at least this long is worth keeping as text.
pub const TEXT_FROM: usize = 256 * 1024;

/// Data of an item. A copy shares it.
#[derive(Debug, Clone)]
pub enum Data {
    /// Values.
    Value(Arc<Value>),
    /// The text of values.
    Text(Text),
}

/// One value of a text: all of it, or a part such as a row of a table.
#[derive(Clone)]
pub struct Text {
    of: Arc<Written>,
    start: u32,
    end: u32,
}

/// A text that is there as long as somebody else holds it.
#[derive(Debug, Clone)]
pub struct WeakText {
    of: Weak<Written>,
    start: u32,
    end: u32,
}

impl WeakText {
    /// The text, when somebody holds it.
    pub fn upgrade(&self) -> Option<Text> {
        Some(Text { of: self.of.upgrade()?, start: self.start, end: self.end })
    }
}

/// Compact JSON, the values made of it as long as somebody holds them, and where its large parts begin.
pub struct Written {
    /// Empty when it is composed.
    text: Box<str>,
    composed: Option<Box<Composed>>,
    made: Mutex<Weak<Value>>,
    places: OnceLock<Places>,
    own: Weak<Written>,
}

/// The values of compact JSON.
fn parsed(text: &str) -> Value {
    let mut reader = serde_json::Deserializer::from_str(text);
    // It was within the limits when it came.
    reader.disable_recursion_limit();
    Value::deserialize(&mut reader).unwrap_or_default()
}

impl Written {
    /// `text` is JSON as [`compact`] or serde writes it, or several of them one after the other: it is sent and stored as it stands.
    pub fn new(text: String) -> Arc<Self> {
        Self::of(text, None)
    }

    fn of(text: String, composed: Option<Box<Composed>>) -> Arc<Self> {
        Arc::new_cyclic(|own| Self {
            text: text.into(),
            composed,
            made: Mutex::new(Weak::new()),
            places: OnceLock::new(),
            own: Weak::clone(own),
        })
    }

    /// The text. That of a composed one is made, and stays: [`Text::pieces`] gives it without.
    pub fn text(&self) -> &str {
        match &self.composed {
            None => &self.text,
            Some(composed) => composed.whole(),
        }
    }

    fn length(&self) -> usize {
        self.composed.as_ref().map_or(self.text.len(), |composed| composed.length())
    }

    /// The values. Whoever asks while somebody holds them gets the same ones.
    pub fn value(&self) -> Arc<Value> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = made.upgrade() {
            return value;
        }
        let value = Arc::new(match &self.composed {
            None => parsed(&self.text),
            Some(composed) => composed.value(),
        });
        *made = Arc::downgrade(&value);
        value
    }

    /// Whether somebody holds its values at the moment.
    pub fn is_made(&self) -> bool {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).strong_count() > 0
    }

    fn shared(&self) -> Option<Arc<Self>> {
        self.own.upgrade()
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| read::places(self.text()))
    }
}

impl fmt::Debug for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

impl Text {
    /// The JSON text. That of a composed object is made, and stays: [`Self::pieces`] gives it without.
    pub fn text(&self) -> &str {
        self.of.text().get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// The same, without holding it.
    pub fn downgrade(&self) -> WeakText {
        WeakText { of: Arc::downgrade(&self.of), start: self.start, end: self.end }
    }

    /// Bytes of the text.
    pub fn length(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// The text, piece by piece: one, or those of a composed object.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        let composed = self.of.composed.as_deref();
        let one = composed.is_none().then(|| self.text());
        one.into_iter().chain(composed.into_iter().flat_map(Composed::pieces))
    }

    /// Whether both have the same text.
    pub fn is_written_as(&self, other: &Self) -> bool {
        if self.shares(other) && self.span() == other.span() {
            return true;
        }
        if self.of.composed.is_none() && other.of.composed.is_none() {
            return self.text() == other.text();
        }
        self.length() == other.length() && self.pieces().flat_map(str::bytes).eq(other.pieces().flat_map(str::bytes))
    }

    /// The values. Those of a whole text are shared by all who hold them at the same time.
    pub fn value(&self) -> Arc<Value> {
        if self.is_whole() { self.of.value() } else { Arc::new(parsed(self.text())) }
    }

    /// Whether these are its values, and not equal ones.
    pub fn made(&self, value: &Arc<Value>) -> bool {
        let made = self.of.made.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_whole() && std::ptr::eq(made.as_ptr(), Arc::as_ptr(value))
    }

    /// A part of a text.
    pub(crate) fn part(of: &Arc<Written>, start: u32, end: u32) -> Self {
        Self { of: Arc::clone(of), start, end }
    }

    /// The text that it is a part of.
    pub(crate) fn of(&self) -> &Arc<Written> {
        &self.of
    }

    /// Where it stands there.
    pub(crate) fn span(&self) -> (u32, u32) {
        (self.start, self.end)
    }

    /// Whether both are parts of the same text.
    pub fn shares(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.of, &other.of)
    }

    /// Whether somebody holds the values of the whole text at the moment.
    pub fn is_made(&self) -> bool {
        self.of.is_made()
    }

    fn is_whole(&self) -> bool {
        self.start == 0 && self.end as usize == self.of.length()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

impl Data {
    /// Compact JSON as data that stays text.
    pub fn written(text: String) -> Self {
        match u32::try_from(text.len()) {
            Ok(end) => Self::Text(Text { of: Written::new(text), start: 0, end }),
            // More than a step accepts: a place in it would not be told by 32 bits.
            Err(_) => Self::Value(Arc::new(parsed(&text))),
        }
    }

    /// An object of these members, whose names are as they are written, with their quotes. The texts of large ones are shared and not
    /// copied (ADR 194). No two have the same name.
    pub fn object(members: Vec<(String, Self)>) -> Self {
        let length = 1 + members.iter().map(|(name, data)| name.len() + 2 + data.length()).sum::<usize>();
        let is_large = |(_, data): &(String, Self)| data.length() >= TEXT_FROM;
        if members.len() <= composed::MOST && members.iter().any(is_large) {
            let composed = Composed::new(members);
            if let Ok(end) = u32::try_from(composed.length()) {
                return Self::Text(Text { of: Written::of(String::new(), Some(Box::new(composed))), start: 0, end });
            }
            return composed.value().into();
        }
        let mut text = String::with_capacity(length);
        for (name, data) in &members {
            text.push(if text.is_empty() { '{' } else { ',' });
            text.push_str(name);
            text.push(':');
            data.append(&mut text);
        }
        if text.is_empty() {
            text.push('{');
        }
        text.push('}');
        Self::written(text)
    }

    /// The text of a list of these, which is what serde writes of it.
    pub fn list(all: &[Self]) -> String {
        let mut out = String::with_capacity(2 + all.iter().map(|one| one.length() + 1).sum::<usize>());
        Self::append_list(all.iter().cloned(), &mut out);
        out
    }

    /// Appends the text of a list of these.
    pub fn append_list(all: impl Iterator<Item = Self>, out: &mut String) {
        out.push('[');
        for (index, one) in all.enumerate() {
            if index > 0 {
                out.push(',');
            }
            one.append(out);
        }
        out.push(']');
    }

    /// Appends its compact JSON.
    pub fn append(&self, out: &mut String) {
        match self {
            Self::Value(value) => out.push_str(&value.to_string()),
            Self::Text(text) => text.pieces().for_each(|piece| out.push_str(piece)),
        }
    }

    /// About how many bytes it takes as text; `weight` tells it of values.
    pub fn weight(&self, weight: impl Fn(&Value) -> usize) -> usize {
        match self {
            Self::Value(value) => weight(value),
            Self::Text(text) => text.length(),
        }
    }

    /// Its length when it is text; nothing is known of values.
    pub fn length(&self) -> usize {
        match self {
            Self::Value(_) => 0,
            Self::Text(text) => text.length(),
        }
    }

    /// As values.
    pub fn value(&self) -> Arc<Value> {
        match self {
            Self::Value(value) => Arc::clone(value),
            Self::Text(text) => text.value(),
        }
    }

    /// The very same: the same values, or the same place of the same text.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(one), Self::Value(another)) => Arc::ptr_eq(one, another),
            (Self::Text(one), Self::Text(another)) => {
                Arc::ptr_eq(&one.of, &another.of) && (one.start, one.end) == (another.start, another.end)
            }
            _ => false,
        }
    }
}

/// The same data, those that are short texts in one piece of memory.
pub fn packed<'a>(all: impl Iterator<Item = &'a Data> + Clone) -> Vec<Data> {
    let short = |data: &Data| match data {
        Data::Text(text) if text.length() < TEXT_FROM => Some(text.clone()),
        Data::Text(_) | Data::Value(_) => None,
    };
    let mut joined = String::with_capacity(all.clone().filter_map(short).map(|text| text.length()).sum());
    all.clone().filter_map(short).for_each(|text| joined.push_str(text.text()));
    let (joined, mut at) = (Written::new(joined), 0_u32);
    let place = |data: &Data| match short(data) {
        Some(text) => {
            let start = at;
            // Each is short, and there are few: all stand within 4 GiB.
            at = at.saturating_add(text.end - text.start);
            Data::Text(Text::part(&joined, start, at))
        }
        None => data.clone(),
    };
    all.map(place).collect()
}

impl Default for Data {
    fn default() -> Self {
        Self::Value(Arc::default())
    }
}

impl From<Arc<Value>> for Data {
    fn from(value: Arc<Value>) -> Self {
        Self::Value(value)
    }
}

impl From<Value> for Data {
    fn from(value: Value) -> Self {
        Self::Value(Arc::new(value))
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(one), Self::Value(another)) => one == another,
            (Self::Text(one), Self::Text(another)) if one.is_written_as(another) => true,
            _ => self.value() == other.value(),
        }
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            // Each of its members is a text.
            Self::Text(text) if let Some(composed) = &text.of.composed => composed.serialize(serializer),
            Self::Text(text) => match detached::marked(text) {
                Some(mark) => serializer.serialize_str(&mark),
                None => Copied(text.text()).serialize(serializer),
            },
        }
    }
}

impl JsonSchema for Data {
    fn inline_schema() -> bool {
        Value::inline_schema()
    }
    fn schema_name() -> Cow<'static, str> {
        Value::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Value::json_schema(generator)
    }
}

#[cfg(test)]
mod tests;
