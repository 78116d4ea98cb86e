//! JSON as people and models write it. Only slips of the pen are mended: a text that was cut inside a value, a key that
//! stands twice and numbers that JSON does not have are refused.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Deepest nesting.
const MAX_DEPTH: usize = 128;

/// Reads one value; the second part says in words what was mended.
///
/// # Errors
/// Why the text cannot be mended.
pub(super) fn read(text: &str) -> Result<(Value, String), String> {
    let mut reader = Reader { rest: text.trim_start_matches('\u{feff}'), mended: BTreeSet::new() };
    let value = reader.value(0)?;
    reader.blank()?;
    if !reader.rest.is_empty() {
        return Err(reader.at("there is more behind the value"));
    }
    let words: Vec<&str> = reader.mended.into_iter().collect();
    Ok((value, words.join(", ")))
}

struct Reader<'t> {
    rest: &'t str,
    mended: BTreeSet<&'static str>,
}

impl<'t> Reader<'t> {
    fn at(&self, what: &str) -> String {
        let near: String = self.rest.chars().take(20).collect();
        if near.is_empty() { format!("{what}, at the end") } else { format!("{what}, at `{near}`") }
    }

    /// Blanks and comments.
    fn blank(&mut self) -> Result<(), String> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(after) = self.rest.strip_prefix("/*") {
                let Some((_, after)) = after.split_once("*/") else { return Err(self.at("a comment does not end")) };
                self.rest = after;
            } else if self.rest.starts_with("//") || self.rest.starts_with('#') {
                self.rest = self.rest.split_once('\n').map_or("", |(_, after)| after);
            } else {
                return Ok(());
            }
            self.mended.insert("comments are left out");
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth >= MAX_DEPTH {
            return Err(format!("it is nested more than {MAX_DEPTH} levels deep"));
        }
        self.blank()?;
        match self.rest.chars().next() {
            Some('{') => self.object(depth),
            Some('[') => self.list(depth),
            Some(c) if close(c).is_some() => self.string().map(Value::String),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            Some(_) => self.word(),
            None => Err("the text is cut off where a value should stand".into()),
        }
    }

    /// True when the container ends here; its bracket may be missing at the end of the text.
    fn ends(&mut self, bracket: char, after_comma: bool) -> Result<bool, String> {
        self.blank()?;
        if self.take(bracket) {
            if after_comma {
                self.mended.insert("a comma too many is removed");
            }
            return Ok(true);
        }
        if self.rest.is_empty() {
            if after_comma {
                return Err("the text is cut off behind a comma".into());
            }
            self.mended.insert("missing closing brackets are added");
            return Ok(true);
        }
        Ok(false)
    }

    fn comma(&mut self, bracket: char) -> Result<Option<bool>, String> {
        self.blank()?;
        if self.take(',') {
            return Ok(Some(true));
        }
        if self.ends(bracket, false)? { Ok(None) } else { Err(self.at("a comma or a closing bracket is missing")) }
    }

    fn list(&mut self, depth: usize) -> Result<Value, String> {
        self.take('[');
        let mut out = Vec::new();
        let mut after_comma = false;
        while !self.ends(']', after_comma)? {
            out.push(self.value(depth + 1)?);
            match self.comma(']')? {
                Some(comma) => after_comma = comma,
                None => break,
            }
        }
        Ok(Value::Array(out))
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        self.take('{');
        let mut out = Map::new();
        let mut after_comma = false;
        while !self.ends('}', after_comma)? {
            let key = self.key()?;
            self.blank()?;
            if !self.take(':') {
                return Err(self.at("a colon is missing"));
            }
            let value = self.value(depth + 1)?;
            if out.contains_key(&key) {
                return Err(format!(
                    "the key `{}` stands twice in one object",
                    key.chars().take(40).collect::<String>()
                ));
            }
            out.insert(key, value);
            match self.comma('}')? {
                Some(comma) => after_comma = comma,
                None => break,
            }
        }
        Ok(Value::Object(out))
    }

    fn key(&mut self) -> Result<String, String> {
        if self.rest.chars().next().is_some_and(|c| close(c).is_some()) {
            return self.string();
        }
        let word = self.letters();
        if word.is_empty() {
            return Err(self.at("a key is missing"));
        }
        self.mended.insert("quotes are put around keys");
        Ok(word.to_owned())
    }

    fn letters(&mut self) -> &'t str {
        let end =
            self.rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '-'))).unwrap_or(self.rest.len());
        let (word, after) = self.rest.split_at(end);
        self.rest = after;
        word
    }

    fn word(&mut self) -> Result<Value, String> {
        let before = self.rest;
        let word = self.letters();
        if self.rest.is_empty()
            && !word.is_empty()
            && !["true", "false", "null", "True", "False", "None"].contains(&word)
        {
            return Err("the text is cut off inside a word".into());
        }
        let (value, python) = match word {
            "true" => (Value::Bool(true), false),
            "false" => (Value::Bool(false), false),
            "null" => (Value::Null, false),
            "True" => (Value::Bool(true), true),
            "False" => (Value::Bool(false), true),
            "None" => (Value::Null, true),
            "NaN" | "Infinity" | "nan" | "inf" => return Err(format!("JSON has no number `{word}`")),
            _ => {
                self.rest = before;
                return Err(self.at("a text without quotes"));
            }
        };
        if python {
            self.mended.insert("True, False and None are written as in JSON");
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, String> {
        let before = self.rest;
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.')))
            .unwrap_or(self.rest.len());
        let (written, after) = self.rest.split_at(end);
        if after.is_empty() && before.len() == written.len() {
            // `{"amount": 12` may have been 1250.
            return Err("the text is cut off behind a number, which may be longer".into());
        }
        let mut text = written;
        if let Some(rest) = text.strip_prefix('+').filter(|rest| !rest.starts_with(['+', '-'])) {
            text = rest;
            self.mended.insert("plus signs of numbers are removed");
        }
        let full = match text.strip_prefix('.') {
            Some(fraction) => {
                self.mended.insert("a zero is put before a decimal point");
                format!("0.{fraction}")
            }
            None => text.to_owned(),
        };
        let Ok(value) = serde_json::from_str::<Value>(&full) else {
            return Err(self.at("no number of JSON"));
        };
        if let Some(lost) = signalbox_model::digits::lost(&full) {
            return Err(lost.told());
        }
        self.rest = after;
        Ok(value)
    }

    fn string(&mut self) -> Result<String, String> {
        let mut chars = self.rest.chars();
        let Some((open, ends)) = chars.next().and_then(|c| Some((c, close(c)?))) else {
            return Err(self.at("a text is missing"));
        };
        if open != '"' {
            self.mended.insert("quotes are written as in JSON");
        }
        let mut out = String::new();
        loop {
            let Some(c) = chars.next() else { return Err("the text is cut off inside a text".into()) };
            match c {
                _ if ends.contains(&c) => break,
                '\\' => escape(&mut chars, &mut out)?,
                c if c < ' ' => {
                    self.mended.insert("line breaks inside texts are escaped");
                    out.push(c);
                }
                c => out.push(c),
            }
        }
        self.rest = chars.as_str();
        Ok(out)
    }
}

/// What ends a text that begins with this quote.
fn close(open: char) -> Option<&'static [char]> {
    match open {
        '"' => Some(&['"']),
        '\'' => Some(&['\'']),
        '“' | '”' | '„' => Some(&['”', '“']),
        '‘' | '’' => Some(&['’', '‘']),
        _ => None,
    }
}

fn escape(chars: &mut std::str::Chars<'_>, out: &mut String) -> Result<(), String> {
    let wrong = || "an escape of a text is no escape of JSON".to_owned();
    let c = match chars.next().ok_or_else(wrong)? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        c @ ('"' | '\\' | '/' | '\'') => c,
        'u' => {
            let first = unit(chars).ok_or_else(wrong)?;
            if (0xd800..0xdc00).contains(&first) {
                let second = chars.as_str().strip_prefix("\\u").and_then(|rest| {
                    *chars = rest.chars();
                    unit(chars)
                });
                let second = second.filter(|low| (0xdc00..0xe000).contains(low)).ok_or_else(wrong)?;
                char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or_else(wrong)?
            } else {
                char::from_u32(first).ok_or_else(wrong)?
            }
        }
        _ => return Err(wrong()),
    };
    out.push(c);
    Ok(())
}

fn unit(chars: &mut std::str::Chars<'_>) -> Option<u32> {
    let mut value = 0;
    for _ in 0..4 {
        value = value * 16 + chars.next()?.to_digit(16)?;
    }
    Some(value)
}

#[cfg(test)]
mod tests;
