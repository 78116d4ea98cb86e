//! Masks of values that may be personal or secret (TS-052). They are put on behind the border to every host, so that no UI
//! and no program sees the values without asking for them with a reason, and before anything is sealed into the audit
//! chain, which can never forget.
//!
//! A mask is `•••N•`; the same value has the same number. A masked value that comes back in a corrected input stands for
//! the value that it hides, so that who must not see it can still correct the rest.

mod long_text;
mod patterns;
mod record;

use long_text::Shape;
use patterns::{is_hidden_name, may_hold, patterns};
use regex::{Captures, Regex};
use serde_json::{Map, Value};
use signalbox_model::Workflow;
use signalbox_model::data::Text;
use signalbox_model::diagnostic::pointer_token;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

pub(crate) use record::record;

/// Shorter values are not looked for elsewhere: they would stand everywhere by chance.
const LOOKED_FOR: usize = 4;
/// So many values have a number; later ones are hidden without one, so that the memory of a long run stays bounded.
const NUMBERED: usize = 20_000;
/// Above so many values they are looked for with one automaton instead of one after the other.
const ONE_BY_ONE: usize = 16;
/// What hides a value without a number; every mask begins with it.
pub const NAMELESS: &str = "•••";

/// What hides the value at a place.
fn shown(at: usize) -> String {
    format!("•••{}•", at + 1)
}

/// Whether `value` stands in `text` from `at` as a word of its own.
fn is_word(text: &str, at: usize, value: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (before, after) = (text[..at].chars().next_back(), text[at + value.len()..].chars().next());
    let (first, last) = (part(value.chars().next()), part(value.chars().next_back()));
    !(first && part(before) || last && part(after))
}

/// `text` with a mask wherever `value` stands as a word of its own.
fn replaced(text: String, value: &str, mask: &str) -> String {
    if !text.contains(value) {
        return text;
    }
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices(value) {
        if is_word(&text, at, value) {
            out.push_str(&text[done..at]);
            out.push_str(mask);
            done = at + value.len();
        }
    }
    out + &text[done..]
}

/// A JSON Schema names fields and holds none of their values.
fn is_schema(name: &str, shape: Shape) -> bool {
    name == "schema" && shape.is_object
}

/// Where a value stands: what its author's pointers mean there.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// The pointers lead into it.
    Input,
    /// They lead into something inside it, after at least so many names of its frame, which are nobody's data.
    Inside(usize),
}

/// The masks of one task or run: which value has which number.
#[derive(Debug, Default)]
pub struct Masks {
    hidden: Vec<Value>,
    numbers: HashMap<String, usize>,
    pointers: Vec<String>,
    /// Finds the first so many of `hidden` in texts.
    known: Option<(usize, Regex)>,
    /// The texts that marks replace in what is being masked,
    texts: Vec<Text>,
    /// and those that were made of them.
    made: Vec<Text>,
}

impl Masks {
    /// Masks with more to hide than the usual names: JSON Pointers of the author, into what [`Self::input`] gets.
    pub fn new(pointers: &[String]) -> Self {
        Self { pointers: pointers.to_vec(), ..Self::default() }
    }

    fn mask(&mut self, value: &Value) -> String {
        let key = value.to_string();
        let next = self.hidden.len();
        if next >= NUMBERED && !self.numbers.contains_key(&key) {
            return NAMELESS.to_owned();
        }
        let at = *self.numbers.entry(key).or_insert_with(|| {
            self.hidden.push(value.clone());
            next
        });
        shown(at)
    }

    /// The input of the task, masked, and the pointers of what is masked in it.
    pub fn input(&mut self, input: &Value) -> (Value, Vec<String>) {
        let whole = self.is_hidden_place("", Place::Input);
        self.learn_at(input, "", whole, Place::Input);
        self.remember();
        let mut places = Vec::new();
        let masked = self.walk(input, "", whole, Place::Input, &mut places);
        (masked, places)
    }

    /// Remembers what its names and the pointers hide in a value, so that other texts do not tell it. The pointers may
    /// lead into any part of it behind the first `frame` names.
    pub fn learn(&mut self, value: &Value, frame: usize) {
        let whole = self.is_hidden_place("", Place::Inside(frame));
        self.learn_at(value, "", whole, Place::Inside(frame));
    }

    /// Makes looking for what was learned cheap. Without it the texts are masked all the same.
    pub fn remember(&mut self) {
        let covered = self.known.as_ref().map_or(0, |(covered, _)| *covered);
        if self.hidden.len() < ONE_BY_ONE || covered == self.hidden.len() {
            return;
        }
        // Long ones first: one may be part of another.
        let mut words: Vec<String> = self.hidden.iter().filter_map(looked_for).collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let all: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
        let built = regex::RegexBuilder::new(&all.join("|")).size_limit(1 << 28).build();
        self.known = built.ok().filter(|_| !words.is_empty()).map(|regex| (self.hidden.len(), regex));
    }

    /// A JSON Patch of the input: what its operations put somewhere is masked as it would be there.
    pub fn patch(&mut self, patch: &Value) -> Value {
        let operation = |masks: &mut Self, operation: &Value| {
            let mut masked = operation.clone();
            if let (Some(path), Some(value)) = (operation["path"].as_str(), operation.get("value")) {
                // What hides a place hides all that is put below it.
                let hide = path.split('/').skip(1).any(|name| is_hidden_name(name, value.is_string()))
                    || masks.pointers.iter().any(|pointer| {
                        path.strip_prefix(pointer.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    });
                masked["value"] = masks.walk(value, path, hide, Place::Input, &mut Vec::new());
            }
            masked
        };
        patch.as_array().into_iter().flatten().map(|one| operation(self, one)).collect()
    }

    /// A value around the task.
    pub fn value(&mut self, value: &Value) -> Value {
        self.inside(value, 0)
    }

    /// A value whose first `frame` names are nobody's data; the pointers may lead into any part of it behind them.
    pub fn inside(&mut self, value: &Value, frame: usize) -> Value {
        let whole = self.is_hidden_place("", Place::Inside(frame));
        self.walk(value, "", whole, Place::Inside(frame), &mut Vec::new())
    }

    /// Texts are masked; no name hides anything.
    pub fn texts(&mut self, value: &Value) -> Value {
        self.walk(value, "", false, Place::Inside(usize::MAX), &mut Vec::new())
    }

    /// A text around the task.
    pub fn text(&mut self, text: &str) -> String {
        let mut out = text.to_owned();
        // What was hidden elsewhere is hidden here.
        let covered = match &self.known {
            None => 0,
            Some((covered, regex)) => {
                out = self.without_known(regex, out);
                *covered
            }
        };
        let mut rest: Vec<(String, String)> = Vec::new();
        for (at, hidden) in self.hidden.iter().enumerate().skip(covered) {
            rest.extend(looked_for(hidden).map(|text| (text, shown(at))));
        }
        rest.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        for (text, mask) in rest {
            out = replaced(out, &text, &mask);
        }
        if !may_hold(&out) {
            return out;
        }
        for pattern in patterns(&out) {
            let cut = pattern.regex.replace_all(&out, |found: &Captures<'_>| {
                let text = &found[0];
                if (pattern.holds)(text) { self.mask(&Value::from(text)) } else { text.to_owned() }
            });
            if let Cow::Owned(cut) = cut {
                out = cut;
            }
        }
        out
    }

    /// `text` with a mask wherever a value that `regex` finds stands as a word of its own.
    fn without_known(&self, regex: &Regex, text: String) -> String {
        let (mut out, mut done, mut from) = (String::new(), 0, 0);
        while let Some(found) = regex.find_at(&text, from) {
            let (at, whole) = (found.start(), found.as_str());
            // The longest is found first; where it ends inside a word, a shorter one may be a word of its own.
            let ends = whole.char_indices().map(|(index, c)| index + c.len_utf8()).rev();
            let mut words =
                ends.map(|end| &whole[..end]).filter(|part| is_word(&text, at, part) && is_looked_for(part));
            match words.find_map(|part| Some((part.len(), self.number_of(part)?))) {
                Some((length, number)) => {
                    out.push_str(&text[done..at]);
                    out.push_str(&shown(number));
                    done = at + length;
                    from = done;
                }
                None => from = at + whole.chars().next().map_or(1, char::len_utf8),
            }
        }
        if done == 0 {
            return text;
        }
        out + &text[done..]
    }

    /// The place of a hidden value by its text: a text, or a number written as one.
    fn number_of(&self, text: &str) -> Option<usize> {
        let quoted = Value::from(text).to_string();
        self.numbers.get(&quoted).or_else(|| self.numbers.get(text)).copied()
    }

    fn is_hidden_place(&self, path: &str, place: Place) -> bool {
        let depth = |path: &str| path.bytes().filter(|byte| *byte == b'/').count();
        match place {
            Place::Input => self.pointers.iter().any(|pointer| pointer == path),
            Place::Inside(frame) => {
                let behind = |pointer: &str| depth(path) - depth(pointer) >= frame;
                self.pointers.iter().any(|pointer| path.ends_with(pointer.as_str()) && behind(pointer))
            }
        }
    }

    /// Whether a member of an object is hidden, whatever it holds.
    fn hides(&self, name: &str, shape: Shape, path: &str, place: Place) -> bool {
        let named = match place {
            Place::Inside(frame) => path.bytes().filter(|byte| *byte == b'/').count() > frame,
            Place::Input => true,
        };
        (named && is_hidden_name(name, shape.is_string)) || self.is_hidden_place(path, place)
    }

    fn learn_at(&mut self, value: &Value, path: &str, hide: bool, place: Place) {
        if let Some(text) = self.text_of(value) {
            return self.learn_text(text.text(), path, hide, place);
        }
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    let (path, shape) = (format!("{path}/{}", pointer_token(name)), self.shape(value));
                    let hide = hide || self.hides(name, shape, &path, place);
                    if hide || !is_schema(name, shape) {
                        self.learn_at(value, &path, hide, place);
                    }
                }
            }
            Value::Array(list) => {
                for (index, value) in list.iter().enumerate() {
                    let path = format!("{path}/{index}");
                    let hide = hide || self.is_hidden_place(&path, place);
                    self.learn_at(value, &path, hide, place);
                }
            }
            Value::Null => {}
            Value::String(text) if text.is_empty() => {}
            scalar if hide => drop(self.mask(scalar)),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn walk(&mut self, value: &Value, path: &str, hide: bool, place: Place, places: &mut Vec<String>) -> Value {
        if let Some(text) = self.text_of(value) {
            return self.masked(&text, path, hide, place);
        }
        match value {
            Value::Object(map) => Value::Object(
                map.iter()
                    .map(|(name, value)| {
                        let (path, shape) = (format!("{path}/{}", pointer_token(name)), self.shape(value));
                        let hide = hide || self.hides(name, shape, &path, place);
                        let place = if is_schema(name, shape) { Place::Inside(usize::MAX) } else { place };
                        (name.clone(), self.walk(value, &path, hide, place, places))
                    })
                    .collect::<Map<_, _>>(),
            ),
            Value::Array(list) => list
                .iter()
                .enumerate()
                .map(|(index, value)| {
                    let path = format!("{path}/{index}");
                    let hide = hide || self.is_hidden_place(&path, place);
                    self.walk(value, &path, hide, place, places)
                })
                .collect(),
            Value::Null => Value::Null,
            Value::String(text) if text.is_empty() => value.clone(),
            scalar if hide => {
                places.push(path.to_owned());
                self.mask(scalar).into()
            }
            Value::String(text) => {
                let masked = self.text(text);
                if masked != *text {
                    places.push(path.to_owned());
                }
                masked.into()
            }
            Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// Puts hidden values back where their masks stand. What these masks were put on must have been masked before in the
    /// same order.
    pub fn lift(&self, value: Value) -> Value {
        match value {
            Value::Object(map) => {
                Value::Object(map.into_iter().map(|(name, value)| (name, self.lift(value))).collect())
            }
            Value::Array(list) => list.into_iter().map(|value| self.lift(value)).collect(),
            Value::String(text) => self.lift_text(text),
            other => other,
        }
    }

    fn lift_text(&self, text: String) -> Value {
        static MASK: OnceLock<Option<Regex>> = OnceLock::new();
        let Some(mask) =
            MASK.get_or_init(|| Regex::new("•••([0-9]{1,6})•").ok()).as_ref().filter(|_| text.contains("•••"))
        else {
            return text.into();
        };
        let hidden = |found: &Captures<'_>| {
            let number: usize = found[1].parse().ok()?;
            self.hidden.get(number.checked_sub(1)?)
        };
        if let Some(found) = mask.captures(&text).filter(|found| found[0] == text) {
            return hidden(&found).cloned().unwrap_or_else(|| text.clone().into());
        }
        let lifted = mask.replace_all(&text, |found: &Captures<'_>| match hidden(found) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => found[0].to_owned(),
        });
        lifted.into_owned().into()
    }
}

/// Every text of what somebody made has at least its masks also as it is shown. Both were masked: what somebody wrote
/// beside a mask, and is hidden by itself, counts on both sides.
pub fn keeps_masks(given: &Value, shown: &Value) -> bool {
    let count = |text: &str| text.matches(NAMELESS).count();
    match (given, shown) {
        (Value::Object(given), Value::Object(shown)) => {
            given.iter().all(|(name, value)| shown.get(name).is_some_and(|shown| keeps_masks(value, shown)))
        }
        (Value::Array(given), Value::Array(shown)) => {
            given.iter().zip(shown).all(|(given, shown)| keeps_masks(given, shown))
        }
        (Value::String(given), shown) => count(given) <= shown.as_str().map_or(0, count),
        _ => true,
    }
}

/// Everything that the steps of a workflow say is to be hidden (`redact` of steps that ask people).
pub fn pointers(workflow: &Workflow) -> Vec<String> {
    let lists = workflow.nodes.values().filter_map(|node| node.config.as_ref()?.get("redact")?.as_array());
    let mut all: Vec<String> = lists.flatten().filter_map(|pointer| pointer.as_str().map(str::to_owned)).collect();
    all.sort();
    all.dedup();
    all
}

fn is_looked_for(text: &str) -> bool {
    text.chars().count() >= LOOKED_FOR
}

/// What of a hidden value is looked for in texts.
fn looked_for(hidden: &Value) -> Option<String> {
    let text = match hidden {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    is_looked_for(&text).then_some(text)
}

#[cfg(test)]
mod tests;
