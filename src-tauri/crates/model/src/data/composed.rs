//! An object whose members are texts, each in its own place: who adds a field to an item with a large table copies neither the
//! table nor what the field gets. Only who asks for the text as a whole makes it.

use super::read::unquoted;
use super::{Data, Text, Written};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::sync::OnceLock;

/// An object with more members is one text: each of them would take some memory more.
pub(super) const MOST: usize = 1_000;

/// The members in their order.
pub(super) struct Composed {
    members: Box<[Member]>,
    length: usize,
    /// The text, once somebody has asked for all of it.
    whole: OnceLock<Box<str>>,
}

pub(super) struct Member {
    /// As it is written, with its quotes.
    name: Box<str>,
    /// What stands before the value: a bracket or a comma, the name, a colon.
    before: Box<str>,
    value: Text,
}

impl Member {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn value(&self) -> &Text {
        &self.value
    }
}

impl Composed {
    pub(super) fn new(members: Vec<(String, Data)>) -> Self {
        let member = |(index, (name, data)): (usize, (String, Data))| {
            let before = format!("{}{name}:", if index == 0 { '{' } else { ',' });
            Member { name: name.into(), before: before.into(), value: text_of(data) }
        };
        let members: Box<[Member]> = members.into_iter().enumerate().map(member).collect();
        let length = 1 + members.iter().map(|member| member.before.len() + member.value.length()).sum::<usize>();
        Self { members, length, whole: OnceLock::new() }
    }

    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The text as it stands, piece by piece.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &str> {
        self.members.iter().flat_map(member_pieces).chain(std::iter::once("}"))
    }

    pub(super) fn whole(&self) -> &str {
        self.whole.get_or_init(|| {
            let mut text = String::with_capacity(self.length);
            self.pieces().for_each(|piece| text.push_str(piece));
            text.into()
        })
    }

    pub(super) fn value(&self) -> Value {
        let member = |member: &Member| (unquoted(&member.name).into_owned(), (*member.value.value()).clone());
        Value::Object(self.members.iter().map(member).collect::<Map<_, _>>())
    }
}

/// Boxed: a member that is composed asks for its own pieces.
fn member_pieces(member: &Member) -> Box<dyn Iterator<Item = &str> + Send + '_> {
    Box::new(std::iter::once(&*member.before).chain(member.value.pieces()))
}

fn text_of(data: Data) -> Text {
    match data {
        Data::Text(text) => text,
        Data::Value(value) => {
            let text = value.to_string();
            // Text of more than 4 GiB is no text of an item: none is accepted.
            let end = u32::try_from(text.len()).unwrap_or_default();
            Text::part(&Written::new(text), 0, end)
        }
    }
}

impl Serialize for Composed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.members.len()))?;
        for member in &self.members {
            map.serialize_entry(&*unquoted(&member.name), &Data::Text(member.value.clone()))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests;
