//! Values while an expression runs. JSON is looked at where it lies: every variant that stands for scope data is a
//! reference, so reading `error.type` costs the same for 90 bytes and for 90 KB.

use super::time::Time;
use crate::scope::{NodeView, Scope};
use crate::value_size;
use indexmap::IndexMap;
use serde_json::{Map, Number, Value};
use signalbox_model::Data;
use signalbox_model::data::{Piece, Read, TEXT_FROM};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// From so many bytes of memory on values of the scope are long.
const LARGE: usize = 4 * 1024 * 1024;

/// A value. `'a` is the life of the scope and of the expression.
#[derive(Debug, Clone)]
pub(super) enum V<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// A whole number without a sign, as `1u` and `uint(x)` make it. No number of the data is one (K-08).
    Uint(u64),
    /// A whole number of the data above `i64::MAX`. It keeps its digits and can be compared, but not computed with. For
    /// `type(x)` it is a double (K-08).
    Large(u64),
    Double(f64),
    Text(&'a str),
    /// A text that the expression made.
    MadeText(Arc<str>),
    /// A long text of data that is text, as it is written there.
    LongText(Arc<LongText<'a>>),
    Bytes(Arc<[u8]>),
    /// An array of the scope.
    Array(&'a [Value]),
    /// `items`.
    Items(&'a [Data]),
    /// A list of data that is text.
    TextList(Piece<'a>),
    /// An object of data that is text.
    TextObject(Piece<'a>),
    /// A list that the expression made.
    List(Arc<Vec<V<'a>>>),
    /// An object of the scope.
    Object(&'a Map<String, Value>),
    /// `context`.
    Context(&'a IndexMap<String, Arc<Value>>),
    /// `nodes`.
    Nodes(&'a IndexMap<String, NodeView>),
    /// `nodes.ID`.
    Node(&'a NodeView),
    /// `ctx`.
    Ctx(&'a Scope),
    /// An object that the expression made.
    MadeObject(Arc<IndexMap<Key, V<'a>>>),
    /// A timestamp or a duration.
    Time(Arc<Time>),
    /// `int`, `string` …, as `type(x)` gives them.
    Type(&'static str),
}

/// A text with escapes, of which the letters are made when somebody needs them all at once.
#[derive(Debug)]
pub(super) struct LongText<'a> {
    pub(super) part: Piece<'a>,
    made: OnceLock<String>,
}

impl LongText<'_> {
    /// How many letters it has.
    pub(super) fn letters(&self) -> usize {
        self.part.stretches().map(|stretch| stretch.chars().count()).sum()
    }
}

/// A key of an object that the expression made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Text(Arc<str>),
    Int(i64),
    /// Above `i64::MAX`: keys are the same when their numbers are.
    Uint(u64),
    Bool(bool),
}

impl<'a> V<'a> {
    /// The view of a JSON value; nothing is copied.
    pub(super) fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => V::Null,
            Value::Bool(v) => V::Bool(*v),
            Value::Number(n) => V::number(n),
            Value::String(v) => V::Text(v),
            Value::Array(v) => V::Array(v),
            Value::Object(v) => V::Object(v),
        }
    }

    /// The view of data; what is text is read where it stands.
    pub(super) fn of_data(data: &'a Data) -> Self {
        match data {
            Data::Value(value) => V::of(value),
            Data::Text(text) => V::of_text(text.read()),
        }
    }

    /// The view of a value of a text.
    pub(super) fn of_text(read: Read<'a>) -> Self {
        match read {
            Read::Null => V::Null,
            Read::Bool(v) => V::Bool(v),
            Read::Number(n) => V::number(&n),
            Read::Text(Cow::Borrowed(v)) => V::Text(v),
            Read::Text(Cow::Owned(v)) => V::MadeText(v.into()),
            Read::LongText(part) => V::LongText(Arc::new(LongText { part, made: OnceLock::new() })),
            Read::List(v) => V::TextList(v),
            Read::Object(v) => V::TextObject(v),
        }
    }

    /// A JSON number: an integer where it is a whole number of 64 bits, else a double (K-08). Those without a sign keep their digits (ADR 84).
    pub(super) fn number(number: &Number) -> Self {
        match (number.as_i64(), number.as_u64()) {
            (Some(v), _) => V::Int(v),
            (None, Some(v)) => V::Large(v),
            (None, None) => V::Double(number.as_f64().unwrap_or(f64::NAN)),
        }
    }

    /// A name of a scope.
    pub(super) fn named(scope: &'a Scope, name: &str) -> Option<Self> {
        Some(match name {
            "params" => V::of(&scope.params),
            "run" => V::of(scope.run.whole()),
            "workflow" => V::of(&scope.workflow),
            "context" => V::Context(&scope.context),
            "item" => V::of_data(&scope.item),
            "items" => V::Items(&scope.items),
            "nodes" => V::Nodes(&scope.nodes),
            "error" | "err" => V::of(&scope.error),
            "ctx" => V::Ctx(scope),
            _ => V::of_data(&scope.locals.iter().find(|(local, _)| *local == name)?.1),
        })
    }

    /// A part of the data that is better not made into values, or not copied: a table, or many values of the scope.
    pub(super) fn is_long(&self) -> bool {
        match self {
            V::TextList(part) | V::TextObject(part) => part.length() >= TEXT_FROM,
            V::LongText(_) => true,
            V::Items(list) => list.iter().map(Data::length).sum::<usize>() >= TEXT_FROM,
            V::Array(list) => list.iter().map(value_size::memory).sum::<usize>() >= LARGE,
            V::Object(object) => object.values().map(value_size::memory).sum::<usize>() >= LARGE,
            _ => false,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            V::Text(v) => Some(v),
            V::MadeText(v) => Some(v),
            V::LongText(v) => Some(v.made.get_or_init(|| v.part.unquoted())),
            _ => None,
        }
    }

    /// Bytes of a text, with its escapes where it has any.
    pub(super) fn text_length(&self) -> Option<usize> {
        match self {
            V::LongText(v) => Some(v.part.length()),
            _ => self.text().map(str::len),
        }
    }

    /// The name of the type as `type(x)` and messages give it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            V::Null => "null_type",
            V::Bool(_) => "bool",
            V::Int(_) => "int",
            V::Uint(_) => "uint",
            V::Large(_) | V::Double(_) => "double",
            V::Text(_) | V::MadeText(_) | V::LongText(_) => "string",
            V::Bytes(_) => "bytes",
            V::Array(_) | V::Items(_) | V::TextList(_) | V::List(_) => "list",
            V::Object(_) | V::TextObject(_) | V::MadeObject(_) => "map",
            V::Context(_) | V::Nodes(_) | V::Node(_) | V::Ctx(_) => "map",
            V::Time(v) => match **v {
                Time::Length(_) => "google.protobuf.Duration",
                Time::Moment { .. } => "google.protobuf.Timestamp",
            },
            V::Type(_) => "type",
        }
    }

    pub(super) fn kind_with_article(&self) -> &'static str {
        if matches!(self, V::Large(_)) {
            return "a whole number above 9223372036854775807";
        }
        match self.kind() {
            "null_type" => "null",
            "bool" => "a boolean",
            "int" => "an integer",
            "uint" => "an unsigned integer",
            "double" => "a decimal number",
            "string" => "a text",
            "bytes" => "bytes",
            "list" => "a list",
            "map" => "an object",
            "google.protobuf.Duration" => "a duration",
            "google.protobuf.Timestamp" => "a time",
            _ => "a type",
        }
    }

    pub(super) fn is_map(&self) -> bool {
        self.kind() == "map"
    }

    /// Number of entries of a list or an object.
    pub(super) fn len(&self) -> Option<usize> {
        Some(match self {
            V::Array(v) => v.len(),
            V::Items(v) => v.len(),
            V::TextList(v) | V::TextObject(v) => v.len(),
            V::List(v) => v.len(),
            V::Object(v) => v.len(),
            V::Context(v) => v.len(),
            V::Nodes(v) => v.len(),
            V::Node(_) | V::Ctx(_) => 2,
            V::MadeObject(v) => v.len(),
            _ => return None,
        })
    }

    /// Entry `place` of a list.
    pub(super) fn nth(&self, place: usize) -> Option<V<'a>> {
        match self {
            V::Array(v) => v.get(place).map(V::of),
            V::Items(v) => v.get(place).map(V::of_data),
            V::TextList(v) => v.get(place).map(V::of_text),
            V::List(v) => v.get(place).cloned(),
            _ => None,
        }
    }

    /// Member `key` of an object.
    pub(super) fn member(&self, key: &str) -> Option<V<'a>> {
        match self {
            V::Object(v) => v.get(key).map(V::of),
            V::TextObject(v) => v.member(key).map(V::of_text),
            V::Context(v) => v.get(key).map(|one| V::of(one)),
            V::Nodes(v) => v.get(key).map(V::Node),
            V::Node(v) => match key {
                "output" => Some(V::of_data(&v.output)),
                "items" => Some(V::Items(&v.items)),
                _ => None,
            },
            V::Ctx(scope) => match key {
                "error" => Some(V::of(&scope.error)),
                "data" => Some(V::of_data(&scope.data)),
                _ => None,
            },
            V::MadeObject(v) => v.get(&Key::Text(key.into())).cloned(),
            _ => None,
        }
    }

    /// Member of an object by a key of any type.
    pub(super) fn entry(&self, key: &V<'_>) -> Option<V<'a>> {
        match (self, key) {
            (_, V::Text(_) | V::MadeText(_) | V::LongText(_)) => key.text().and_then(|key| self.member(key)),
            (V::MadeObject(v), _) => Key::of(key).and_then(|key| v.get(&key)).cloned(),
            _ => None,
        }
    }

    /// Keys of an object, in its order.
    pub(super) fn keys(&self) -> Vec<V<'a>> {
        match self {
            V::Object(v) => v.keys().map(|k| V::Text(k)).collect(),
            V::TextObject(v) => v.names().map(|name| V::of_text(Read::Text(name))).collect(),
            V::Context(v) => v.keys().map(|k| V::Text(k)).collect(),
            V::Nodes(v) => v.keys().map(|k| V::Text(k)).collect(),
            V::Node(_) => vec![V::Text("output"), V::Text("items")],
            V::Ctx(_) => vec![V::Text("error"), V::Text("data")],
            V::MadeObject(v) => v.keys().map(Key::value).collect(),
            _ => Vec::new(),
        }
    }

    /// At most `max` keys as text, for messages.
    pub(super) fn key_texts(&self, max: usize) -> Vec<String> {
        let own = |it: &mut dyn Iterator<Item = &String>| it.take(max).cloned().collect();
        match self {
            V::Object(v) => own(&mut v.keys()),
            V::Context(v) => own(&mut v.keys()),
            V::Nodes(v) => own(&mut v.keys()),
            _ => self.keys().iter().take(max).filter_map(|k| k.text().map(str::to_owned)).collect(),
        }
    }
}

impl Key {
    pub(super) fn of(value: &V<'_>) -> Option<Self> {
        Some(match value {
            V::Text(v) => Key::Text((*v).into()),
            V::MadeText(v) => Key::Text(Arc::clone(v)),
            V::LongText(_) => Key::Text(value.text().unwrap_or_default().into()),
            V::Int(v) => Key::Int(*v),
            V::Uint(v) => i64::try_from(*v).map_or(Key::Uint(*v), Key::Int),
            V::Bool(v) => Key::Bool(*v),
            V::Double(v) => whole(*v).map(Key::Int).or_else(|| whole_unsigned(*v).map(Key::Uint))?,
            _ => return None,
        })
    }

    pub(super) fn value<'a>(&self) -> V<'a> {
        match self {
            Key::Text(v) => V::MadeText(Arc::clone(v)),
            Key::Int(v) => V::Int(*v),
            Key::Uint(v) => V::Uint(*v),
            Key::Bool(v) => V::Bool(*v),
        }
    }
}

/// The integer that a double stands for, if it is whole and in range.
#[allow(clippy::cast_possible_truncation)]
pub(super) fn whole(v: f64) -> Option<i64> {
    (v.fract() == 0.0 && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&v)).then_some(v as i64)
}

/// The same without a sign.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(super) fn whole_unsigned(v: f64) -> Option<u64> {
    (v.fract() == 0.0 && (0.0..18_446_744_073_709_551_616.0).contains(&v)).then_some(v as u64)
}
