//! Masks on data that is JSON text: it is read part by part, and what is masked is text again. As values a table would take twenty times as
//! much, for everyone who sees it with masks.

use super::{Masks, Place};
use serde_json::Value;
use signalbox_model::Data;
use signalbox_model::data::{Detached, Text, mark};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::spans::{is_container, parts};

/// Bytes of a part that is read into values.
const PART: usize = 16 * 1024;

/// What a value is, of which there may be the text only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) is_string: bool,
    pub(super) is_object: bool,
}

impl Shape {
    fn of_text(json: &str) -> Self {
        Self { is_string: json.starts_with('"'), is_object: json.starts_with('{') }
    }
}

impl Masks {
    /// Carries out `work`, in which a string that is a mark of `data::detached` stands for its text. What `work` masks has marks, too: of
    /// the texts that are given back.
    pub fn with_texts<R>(&mut self, texts: Vec<Text>, work: impl FnOnce(&mut Self) -> R) -> Detached<R> {
        self.texts = texts;
        let written = work(self);
        self.texts.clear();
        Detached { written, texts: std::mem::take(&mut self.made) }
    }

    /// The text that a value stands for.
    pub(super) fn text_of(&self, value: &Value) -> Option<Text> {
        if self.texts.is_empty() {
            return None;
        }
        let number: usize = value.as_str()?.strip_prefix(mark())?.parse().ok()?;
        self.texts.get(number).cloned()
    }

    pub(super) fn shape(&self, value: &Value) -> Shape {
        match self.text_of(value) {
            Some(text) => Shape::of_text(text.text()),
            None => Shape { is_string: value.is_string(), is_object: value.is_object() },
        }
    }

    /// Learns from a text as from its values.
    pub(super) fn learn_text(&mut self, json: &str, path: &str, hide: bool, place: Place) {
        if json.len() <= PART || !is_container(json) {
            return self.learn_at(&read(json), path, hide, place);
        }
        for (index, part) in parts(json).enumerate() {
            match part.read_name() {
                Some(name) => {
                    let shape = Shape::of_text(part.value);
                    let path = format!("{path}/{}", pointer_token(&name));
                    let hide = hide || self.hides(&name, shape, &path, place);
                    if hide || !super::is_schema(&name, shape) {
                        self.learn_text(part.value, &path, hide, place);
                    }
                }
                None => {
                    let path = format!("{path}/{index}");
                    let hide = hide || self.is_hidden_place(&path, place);
                    self.learn_text(part.value, &path, hide, place);
                }
            }
        }
    }

    /// What replaces a text: a mark of the masked one.
    pub(super) fn masked(&mut self, text: &Text, path: &str, hide: bool, place: Place) -> Value {
        let mut out = String::new();
        self.walk_text(text.text(), path, hide, place, &mut out);
        match Data::written(out) {
            Data::Text(text) => {
                self.made.push(text);
                format!("{}{}", mark(), self.made.len() - 1).into()
            }
            Data::Value(value) => (*value).clone(),
        }
    }

    fn walk_text(&mut self, json: &str, path: &str, hide: bool, place: Place, out: &mut String) {
        if json.len() <= PART || !is_container(json) {
            let masked = self.walk(&read(json), path, hide, place, &mut Vec::new());
            return out.push_str(&masked.to_string());
        }
        let is_object = json.starts_with('{');
        out.push(if is_object { '{' } else { '[' });
        for (index, part) in parts(json).enumerate() {
            if index > 0 {
                out.push(',');
            }
            match (part.name, part.read_name()) {
                (Some(written), Some(name)) => {
                    out.push_str(written);
                    out.push(':');
                    let shape = Shape::of_text(part.value);
                    let path = format!("{path}/{}", pointer_token(&name));
                    let hide = hide || self.hides(&name, shape, &path, place);
                    let place = if super::is_schema(&name, shape) { Place::Inside(usize::MAX) } else { place };
                    self.walk_text(part.value, &path, hide, place, out);
                }
                _ => {
                    let path = format!("{path}/{index}");
                    let hide = hide || self.is_hidden_place(&path, place);
                    self.walk_text(part.value, &path, hide, place, out);
                }
            }
        }
        out.push(if is_object { '}' } else { ']' });
    }
}

/// A short part, as values.
fn read(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}
