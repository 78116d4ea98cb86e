//! The data of an item, as values or as JSON text. Values of many small parts take twenty times their text, so a large table
//! stays text until somebody looks at it, and is text again when nobody does (ADR 85).

mod copied;
mod detached;
mod incoming;
mod read;

pub use copied::compact;
pub use detached::{Detached, detached, mark, put_back, write};
pub use incoming::as_text;
pub(crate) use incoming::stays_text;
pub use read::{Piece, Read};

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

/// Compact JSON, the values made of it as long as somebody holds them, and where its large parts begin.
pub struct Written {
    text: Box<str>,
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
        Arc::new_cyclic(|own| Self {
            text: text.into(),
            made: Mutex::new(Weak::new()),
            places: OnceLock::new(),
            own: Weak::clone(own),
        })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The values. Whoever asks while somebody holds them gets the same ones.
    pub fn value(&self) -> Arc<Value> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = made.upgrade() {
            return value;
        }
        let value = Arc::new(parsed(&self.text));
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
        self.places.get_or_init(|| read::places(&self.text))
    }
}

impl fmt::Debug for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Text {
    /// The JSON text.
    pub fn text(&self) -> &str {
        self.of.text.get(self.start as usize..self.end as usize).unwrap_or_default()
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
        self.start == 0 && self.end as usize == self.of.text.len()
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
            Self::Text(text) => out.push_str(text.text()),
        }
    }

    /// About how many bytes it takes as text; `weight` tells it of values.
    pub fn weight(&self, weight: impl Fn(&Value) -> usize) -> usize {
        match self {
            Self::Value(value) => weight(value),
            Self::Text(text) => text.text().len(),
        }
    }

    /// Its length when it is text; nothing is known of values.
    pub fn length(&self) -> usize {
        match self {
            Self::Value(_) => 0,
            Self::Text(text) => text.text().len(),
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
            (Self::Text(one), Self::Text(another)) if one.text() == another.text() => true,
            _ => self.value() == other.value(),
        }
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
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
