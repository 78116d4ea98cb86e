//! JSON text goes through serde value by value: nothing is there twice, and nothing as a tree.

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

/// JSON text that serializes as the values that it stands for.
pub(super) struct Copied<'a>(pub(super) &'a str);

impl Serialize for Copied<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut reader = serde_json::Deserializer::from_str(self.0);
        // It was within the limits when it came.
        reader.disable_recursion_limit();
        let to = To { serializer, strict: false };
        reader.deserialize_any(to).map_err(S::Error::custom)
    }
}

/// Appends the compact form of a JSON text to `out`. False when that would not be the same values as reading it into values
/// gives: it is no JSON, it is nested deeper than 128 levels, or an object names a member twice. Then `out` is as it was.
pub fn compact(text: &str, out: &mut String) -> bool {
    let before = out.len();
    let mut bytes = std::mem::take(out).into_bytes();
    let mut reader = serde_json::Deserializer::from_str(text);
    let mut writer = serde_json::Serializer::new(&mut bytes);
    let read = reader.deserialize_any(To { serializer: &mut writer, strict: true });
    let done = read.is_ok() && reader.end().is_ok();
    if !done {
        bytes.truncate(before);
    }
    // What serde writes is text.
    *out = String::from_utf8(bytes).unwrap_or_default();
    done
}

/// What a deserializer gives, as compact JSON.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let mut bytes = Vec::new();
    let mut writer = serde_json::Serializer::new(&mut bytes);
    deserializer.deserialize_any(To { serializer: &mut writer, strict: false })?;
    // What serde writes is text.
    Ok(String::from_utf8(bytes).unwrap_or_default())
}

/// Serializes what it is shown.
struct To<S> {
    serializer: S,
    /// A name that stands twice in an object is an error.
    strict: bool,
}

/// A value that is still to be read. It serializes once.
struct Unread<D> {
    reader: RefCell<Option<D>>,
    strict: bool,
}

impl<'de, D: Deserializer<'de>> Serialize for Unread<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reader = self.reader.borrow_mut().take().ok_or_else(|| S::Error::custom("a value was read before"))?;
        reader.deserialize_any(To { serializer, strict: self.strict }).map_err(S::Error::custom)
    }
}

struct Element<'a, S> {
    list: &'a mut S,
    strict: bool,
}

impl<'de, S: SerializeSeq> DeserializeSeed<'de> for Element<'_, S> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        let unread = Unread { reader: RefCell::new(Some(reader)), strict: self.strict };
        self.list.serialize_element(&unread).map_err(D::Error::custom)
    }
}

struct Member<'a, S> {
    map: &'a mut S,
    strict: bool,
}

impl<'de, S: SerializeMap> DeserializeSeed<'de> for Member<'_, S> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        let unread = Unread { reader: RefCell::new(Some(reader)), strict: self.strict };
        self.map.serialize_value(&unread).map_err(D::Error::custom)
    }
}

impl<'de, S: Serializer> Visitor<'de> for To<S> {
    type Value = S::Ok;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }
    fn visit_unit<E: Error>(self) -> Result<S::Ok, E> {
        self.serializer.serialize_unit().map_err(E::custom)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<S::Ok, E> {
        self.serializer.serialize_bool(value).map_err(E::custom)
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<S::Ok, E> {
        self.serializer.serialize_i64(value).map_err(E::custom)
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<S::Ok, E> {
        self.serializer.serialize_u64(value).map_err(E::custom)
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<S::Ok, E> {
        self.serializer.serialize_f64(value).map_err(E::custom)
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<S::Ok, E> {
        self.serializer.serialize_str(value).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut read: A) -> Result<S::Ok, A::Error> {
        let mut list = self.serializer.serialize_seq(read.size_hint()).map_err(A::Error::custom)?;
        while read.next_element_seed(Element { list: &mut list, strict: self.strict })?.is_some() {}
        list.end().map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut read: A) -> Result<S::Ok, A::Error> {
        let mut map = self.serializer.serialize_map(read.size_hint()).map_err(A::Error::custom)?;
        let mut names = HashSet::new();
        while let Some(name) = read.next_key::<String>()? {
            map.serialize_key(&name).map_err(A::Error::custom)?;
            if self.strict && !names.insert(name) {
                return Err(A::Error::custom("a name stands twice"));
            }
            read.next_value_seed(Member { map: &mut map, strict: self.strict })?;
        }
        map.end().map_err(A::Error::custom)
    }
}
