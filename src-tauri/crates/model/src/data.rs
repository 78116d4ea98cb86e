//! The data of an item, as values or as JSON text. Values of many small parts take twenty times their text, so a large table
//! stays text until somebody looks at it, and is text again when nobody does (ADR 85).

mod copied;

pub use copied::compact;

use copied::Copied;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Data whose text is at least this long is worth keeping as text.
pub const TEXT_FROM: usize = 256 * 1024;

/// Data of an item. A copy shares it.
#[derive(Debug, Clone)]
pub enum Data {
    /// Values.
    Value(Arc<Value>),
    /// The text of values.
    Text(Arc<Written>),
}

/// Compact JSON, and the values made of it as long as somebody holds them.
pub struct Written {
    text: Box<str>,
    made: Mutex<Weak<Value>>,
}

impl Written {
    /// `text` is JSON as [`compact`] or serde writes it: it is sent and stored as it stands.
    pub fn new(text: String) -> Self {
        Self { text: text.into(), made: Mutex::new(Weak::new()) }
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
        let mut reader = serde_json::Deserializer::from_str(&self.text);
        // It was within the limits when it came.
        reader.disable_recursion_limit();
        let value = Arc::new(Value::deserialize(&mut reader).unwrap_or_default());
        *made = Arc::downgrade(&value);
        value
    }

    /// Whether these are its values, and not equal ones.
    pub fn made(&self, value: &Arc<Value>) -> bool {
        std::ptr::eq(self.made.lock().unwrap_or_else(PoisonError::into_inner).as_ptr(), Arc::as_ptr(value))
    }

    /// Whether somebody holds its values at the moment.
    pub fn is_made(&self) -> bool {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).strong_count() > 0
    }
}

impl fmt::Debug for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Data {
    /// As values.
    pub fn value(&self) -> Arc<Value> {
        match self {
            Self::Value(value) => Arc::clone(value),
            Self::Text(written) => written.value(),
        }
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(one), Self::Text(another)) if one.text == another.text => true,
            _ => self.value() == other.value(),
        }
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Text(written) => Copied(&written.text).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Arc::deserialize(deserializer).map(Self::Value)
    }
}

#[cfg(test)]
mod tests;
