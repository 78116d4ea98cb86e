//! What makes two failures alike: the same step of the same workflow with the same code, a message that differs only in
//! values, and an input of the same shape.

use crate::hash::sha256_hex;
use serde_json::Value;
use std::collections::BTreeSet;

/// Letters of a message that count.
const MESSAGE: usize = 300;
/// Letters of one message that are looked at.
const READ: usize = 2_000;
/// Places of an input that count, and how deep they lie.
const PLACES: usize = 200;
const DEEP: usize = 8;
/// Elements of one list, and values of the whole input, that are looked at.
const ELEMENTS: usize = 20;
const VALUES: usize = 5_000;
/// A word with digits is an id from this length on.
const ID: usize = 8;

/// What a failure is recognised by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// Of failures that are alike in everything.
    pub key: String,
    /// Of failures that may differ in the shape of their input.
    pub kind: String,
    /// The message without its values.
    pub message: String,
    /// The shape of the input, one place a line: `/items/*/price number`.
    pub shape: String,
}

/// The fingerprint of a failure. `step` is the step without iterations: `loop/step`.
pub fn fingerprint(workflow: &str, step: &str, code: &str, message: &str, input: &Value) -> Fingerprint {
    let (message, shape) = (plain_message(message), shape(input));
    let kind = digest(&[workflow, step, code, &message]);
    Fingerprint { key: digest(&[&kind, &shape]), kind, message, shape }
}

fn digest(parts: &[&str]) -> String {
    let text = serde_json::to_string(parts).unwrap_or_default();
    sha256_hex(text.as_bytes()).chars().take(24).collect()
}

/// A place without its iterations: `loop[17]/step` is `loop/step`.
pub fn step_of(place: &str) -> String {
    let mut step = String::with_capacity(place.len());
    let mut inside = false;
    for letter in place.chars() {
        match letter {
            '[' => inside = true,
            ']' => inside = false,
            letter if !inside => step.push(letter),
            _ => {}
        }
    }
    step
}

/// A message with `#`, `<id>`, `<time>`, `<path>`, `<url>` and `"…"` in the place of its values.
pub fn plain_message(message: &str) -> String {
    let read: String = message.chars().take(READ).collect();
    let quoted = without_quotes(&read);
    let words: Vec<String> = quoted.split_whitespace().map(plain_word).collect();
    words.join(" ").chars().take(MESSAGE).collect()
}

/// Quoted parts are values. An apostrophe inside a word opens nothing, and neither does a quote that never closes.
fn without_quotes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(letter) = rest.chars().next() {
        let behind = &rest[letter.len_utf8()..];
        let end = match letter {
            '"' | '\'' | '`' if !before.is_alphanumeric() => Some(letter),
            '“' => Some('”'),
            '‘' => Some('’'),
            '«' => Some('»'),
            _ => None,
        };
        if let Some(at) = end.and_then(|end| behind.find(end)) {
            plain.push_str("\"…\"");
            let closed = behind[at..].chars().next().map_or(0, char::len_utf8);
            rest = &behind[at + closed..];
            before = '"';
            continue;
        }
        plain.push(letter);
        before = letter;
        rest = behind;
    }
    plain
}

fn plain_word(word: &str) -> String {
    let is_edge =
        |c: char| matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ';' | '.' | ':' | '!' | '?' | '=');
    let body = word.trim_matches(is_edge);
    if body.is_empty() {
        return word.to_owned();
    }
    let Some(at) = word.find(body) else { return word.to_owned() };
    let (front, back) = (&word[..at], &word[at + body.len()..]);
    let plain = match body.split_once(['=', ':']) {
        // `name=value` and `status:404`: the name says what the value is.
        Some((name, value))
            if is_name(name) && !value.is_empty() && !value.starts_with("//") && !value.starts_with('\\') =>
        {
            let sign = &body[name.len()..=name.len()];
            format!("{name}{sign}{}", plain_value(value))
        }
        _ => plain_value(body),
    };
    format!("{front}{plain}{back}")
}

fn is_name(text: &str) -> bool {
    text.chars().count() > 1 && text.chars().all(|c| c.is_alphabetic() || c == '_' || c == '-')
}

fn plain_value(word: &str) -> String {
    if word.contains("://") {
        return "<url>".into();
    }
    if is_path(word) {
        return "<path>".into();
    }
    if is_time(word) {
        return "<time>".into();
    }
    if is_id(word) {
        return "<id>".into();
    }
    let mut plain = String::with_capacity(word.len());
    let mut letters = word.chars().peekable();
    while let Some(letter) = letters.next() {
        if !letter.is_ascii_digit() {
            plain.push(letter);
            continue;
        }
        // One number, however it is written: 1,250.50 is 7.
        while letters.next_if(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '_')).is_some() {}
        if plain.ends_with(['-', '+']) && plain.len() == 1 {
            plain.clear();
        }
        plain.push('#');
    }
    plain
}

fn is_path(word: &str) -> bool {
    let drive = word.as_bytes();
    let windows =
        drive.len() > 3 && drive[0].is_ascii_alphabetic() && drive[1] == b':' && matches!(drive[2], b'\\' | b'/');
    let rooted = (word.starts_with('/') || word.starts_with("./") || word.starts_with("../") || word.starts_with("~/"))
        && word.chars().skip(1).any(char::is_alphanumeric);
    windows || rooted || word.starts_with("\\\\")
}

/// `2026-11-29`, with or without a time behind it.
fn is_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    let digits =
        |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    digits(0..4) && digits(5..7) && digits(8..10) && bytes[4] == b'-' && bytes[7] == b'-'
}

/// A UUID, a hash or another word in which letters and digits stand mixed.
fn is_id(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if word.len() < ID || !word.chars().all(fits) {
        return false;
    }
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().filter(char::is_ascii_alphabetic).count();
    let hex = word.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    digits > 0 && letters > 0 && (hex || digits >= 3)
}

/// The places of a value with their types, in order, one a line; `*` stands for every element of a list.
pub fn shape(value: &Value) -> String {
    let mut look = Look { places: BTreeSet::new(), left: VALUES };
    look.at(value, "", 0);
    let more = look.places.len() > PLACES || look.left == 0;
    let mut lines: Vec<String> = look.places.into_iter().take(PLACES).collect();
    if more {
        lines.push("…".into());
    }
    lines.join("\n")
}

struct Look {
    places: BTreeSet<String>,
    left: usize,
}

impl Look {
    fn at(&mut self, value: &Value, path: &str, depth: usize) {
        if self.left == 0 || self.places.len() > PLACES {
            return;
        }
        self.left -= 1;
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "list",
            Value::Object(_) => "object",
        };
        self.places.insert(format!("{} {kind}", if path.is_empty() { "/" } else { path }));
        if depth == DEEP {
            return;
        }
        match value {
            Value::Array(elements) => {
                for element in elements.iter().take(ELEMENTS) {
                    self.at(element, &format!("{path}/*"), depth + 1);
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let name: String = name.chars().take(80).collect();
                    self.at(value, &format!("{path}/{name}"), depth + 1);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
