//! Texts with `{{ expression }}` in them: one pass, and what a hole gives is never looked at again.

use crate::address::Filling;
use crate::expr::{Code, Expr, ExprError, Short};
use crate::scope::Scope;
use serde_json::Value;
use signalbox_model::Data;
use signalbox_model::data::JsonString;

/// Most bytes of a template's text.
pub const MAX_LENGTH: usize = 1024 * 1024;
/// Most holes.
pub const MAX_HOLES: usize = 1000;
/// Most bytes of a rendered text.
pub const MAX_RENDERED: usize = 64 * 1024 * 1024;

/// Whole numbers from here on are written with an exponent in JSON; JavaScript writes their digits.
const PLAIN_BELOW: f64 = 1e21;

/// A value that is no text, in a text: compact JSON, and a large whole number with its digits, as `string(…)` writes it.
fn as_text(value: &Value) -> String {
    match value.as_f64().filter(|_| value.is_f64()) {
        Some(double) if double.fract() == 0.0 && (1e16..PLAIN_BELOW).contains(&double.abs()) => double.to_string(),
        _ => value.to_string(),
    }
}

/// A part of a text whose holes were filled.
#[derive(Debug, Clone, PartialEq)]
pub enum Filled<'a> {
    /// What the author wrote.
    Text(&'a str),
    /// What a hole gave.
    Value(Data),
}

/// A parsed text.
#[derive(Debug, Clone)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Hole { expr: Expr, position: usize },
}

impl Template {
    /// Takes a text apart. To write `{{` itself: `{{ '{{' }}`.
    ///
    /// # Errors
    /// A hole that is not closed, is empty or holds no valid expression; `position` counts characters of the whole
    /// text.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        if text.len() > MAX_LENGTH {
            return Err(ExprError::new(Code::Limit, "The text is larger than 1 MiB. Put it into a file and read it."));
        }
        let mut parts = Vec::new();
        let mut rest = text;
        let mut done = 0usize;
        let mut holes = 0usize;
        while let Some(open) = rest.find("{{") {
            let (before, from) = rest.split_at(open);
            let inner = from.get(2..).unwrap_or_default();
            let position = done + before.chars().count();
            let Some(length) = end(inner) else {
                return Err(ExprError::new(
                    Code::Syntax,
                    format!("The `{{{{` at character {position} has no `}}}}` after it. To write `{{{{` itself, use `{{{{ '{{{{' }}}}`."),
                )
                .at(position));
            };
            let source = inner.get(..length).unwrap_or_default();
            if source.trim().is_empty() {
                return Err(ExprError::new(
                    Code::Syntax,
                    format!("The braces at character {position} are empty. Write an expression, for example `{{{{ item.name }}}}`."),
                )
                .at(position));
            }
            holes += 1;
            if holes > MAX_HOLES {
                return Err(ExprError::new(Code::Limit, format!("The text has more than {MAX_HOLES} placeholders.")));
            }
            let lead = source.chars().take_while(|c| c.is_whitespace()).count();
            let start = position + 2 + lead;
            let expr = Expr::compile(source).map_err(|e| shift(e, start))?;
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(Part::Hole { expr, position: start });
            done = position + 2 + source.chars().count() + 2;
            rest = inner.get(length + 2..).unwrap_or_default();
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self { parts })
    }

    /// The expressions in order.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.parts.iter().filter_map(|part| match part {
            Part::Hole { expr, .. } => Some(expr),
            Part::Text(_) => None,
        })
    }

    /// Fills the holes: texts as they are, everything else as compact JSON.
    ///
    /// # Errors
    /// The first expression that fails.
    pub fn render(&self, scope: &Scope) -> Result<String, ExprError> {
        let mut out = String::new();
        self.fill(scope, |text, _| {
            out.push_str(text);
            out.len()
        })?;
        Ok(out)
    }

    /// [`Template::render`]; nothing where a hole gets a long part of the data: whoever writes the text takes its parts.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub(crate) fn render_short(&self, scope: &Scope) -> Result<Option<String>, ExprError> {
        let mut out = String::new();
        for part in &self.parts {
            let before = out.len();
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Hole { expr, position } => match expr.eval_short(scope).map_err(|e| shift(e, *position))? {
                    Short::Long(_) => return Ok(None),
                    Short::Value(Value::String(text)) => out.push_str(&text),
                    Short::Value(other) => out.push_str(&as_text(&other)),
                },
            }
            if let Some(allowance) = &scope.allowance {
                allowance.take(out.len() - before)?;
            }
            fits(out.len())?;
        }
        Ok(Some(out))
    }

    /// [`Template::render`]; where a hole gets a long part of the data the text is written as JSON at once.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub(crate) fn render_data(&self, scope: &Scope) -> Result<Data, ExprError> {
        match self.render_short(scope)? {
            Some(text) => Ok(Value::String(text).into()),
            None => self.render_parts(scope).map(|parts| JsonString::of(&parts)),
        }
    }

    /// What stands in the text one after the other: texts, and long values as they are written.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn render_parts(&self, scope: &Scope) -> Result<Vec<Data>, ExprError> {
        let (mut all, mut length) = (Vec::with_capacity(self.parts.len()), 0);
        for part in &self.parts {
            let data = match part {
                Part::Text(text) => Value::from(text.as_str()).into(),
                Part::Hole { expr, position } => match expr.eval_text(scope).map_err(|e| shift(e, *position))? {
                    Data::Text(text) => Data::Text(text),
                    Data::Value(value) if value.is_string() => Data::Value(value),
                    Data::Value(value) => Value::from(as_text(&value)).into(),
                },
            };
            length += data.weight(|value| value.as_str().map_or(0, str::len));
            fits(length)?;
            all.push(data);
        }
        Ok(all)
    }

    /// What the author wrote and what the holes gave, one after the other: for texts in which values must not be read as the author's
    /// words.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn fill_apart(&self, scope: &Scope) -> Result<Vec<Filled<'_>>, ExprError> {
        let (mut all, mut length) = (Vec::with_capacity(self.parts.len()), 0);
        for part in &self.parts {
            let filled = match part {
                Part::Text(text) => Filled::Text(text),
                Part::Hole { expr, position } => Filled::Value(expr.eval_text(scope).map_err(|e| shift(e, *position))?),
            };
            length += match &filled {
                Filled::Text(text) => text.len(),
                Filled::Value(data) => data.length(),
            };
            fits(length)?;
            all.push(filled);
        }
        Ok(all)
    }

    /// Fills the holes whose values are known, and says of the others that they are not: for texts that a person reads.
    pub(crate) fn render_known(&self, scope: &Scope) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Hole { expr, .. } => match expr.eval(scope) {
                    Ok(Value::String(text)) => out.push_str(&text),
                    Ok(other) => out.push_str(&as_text(&other)),
                    Err(_) => out.push_str(&format!("({} is not known)", expr.text().trim())),
                },
            }
            if out.len() > MAX_RENDERED {
                break;
            }
        }
        out
    }

    /// Gives `write` each part in order, and whether it was written by the author; it answers how long the text is then.
    fn fill(&self, scope: &Scope, mut write: impl FnMut(&str, bool) -> usize) -> Result<(), ExprError> {
        let mut before = 0;
        for part in &self.parts {
            let length = match part {
                Part::Text(text) => write(text, true),
                // A table is written from its text: its values would take many times as much.
                Part::Hole { expr, position } => match expr.eval_data(scope).map_err(|e| shift(e, *position))? {
                    Data::Text(text) if text.is_string() => {
                        text.stretches().fold(before, |_, stretch| write(&stretch, false))
                    }
                    Data::Text(text) => text.pieces().fold(before, |_, piece| write(piece, false)),
                    Data::Value(value) => match &*value {
                        Value::String(text) => write(text, false),
                        other => write(&as_text(other), false),
                    },
                },
            };
            if let Some(allowance) = &scope.allowance {
                allowance.take(length.saturating_sub(before))?;
            }
            before = length;
            fits(length)?;
        }
        Ok(())
    }
}

fn fits(length: usize) -> Result<(), ExprError> {
    if length <= MAX_RENDERED {
        return Ok(());
    }
    Err(ExprError::new(Code::Limit, "The resulting text is larger than 64 MiB."))
}

fn shift(mut error: ExprError, by: usize) -> ExprError {
    error.position = error.position.map(|position| position + by);
    error
}

/// Bytes up to the `}}` that closes a hole: not one inside quotes, and not one that closes an object (`{{ {'a': {}} }}`).
fn end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = 0usize;
    let mut quote: Option<u8> = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(q), _) if q == byte => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'{') => open += 1,
            (None, b'}') if open > 0 => open -= 1,
            (None, b'}') if bytes.get(at + 1) == Some(&b'}') => return Some(at),
            (None, _) => {}
        }
        at += 1;
    }
    None
}

/// Fills a URL: a hole at the very start is inserted as it is (a base address), every other one is percent-encoded, so
/// that data can neither add a path segment nor a parameter nor move to another host.
///
/// # Errors
/// As [`Template::render`]; also when data would make a path segment `.` or `..`, or become the host because the value
/// that should hold it does not.
pub fn render_url(text: &str, scope: &Scope) -> Result<String, ExprError> {
    let template = Template::parse(text)?;
    // Beside it the same URL with harmless values; a base address may climb, nobody else may.
    let (mut out, mut plain) = (String::new(), String::new());
    let mut filling = Filling::default();
    let (mut start, mut has_host) = (true, true);
    template.fill(scope, |text, written| {
        if written {
            filling.text(text);
        } else {
            has_host &= filling.hole(&out);
        }
        if written || start {
            out.push_str(text);
            plain.push_str(text);
        } else {
            out.push_str(&percent(text));
            plain.push('x');
        }
        start = false;
        out.len()
    })?;
    if !has_host {
        return Err(ExprError::new(
            Code::Eval,
            "The value that should hold the host of the URL is empty or holds none, so what follows would become the host. \
             Check the value before.",
        ));
    }
    if dots(&out) > dots(&plain) {
        return Err(ExprError::new(
            Code::Eval,
            "A value would become `.` or `..` in the path of the URL, which leads to another place. Check the value before.",
        ));
    }
    Ok(out)
}

/// How many segments of the path are `.` or `..`.
fn dots(url: &str) -> usize {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.split(['/', '\\'])
        .filter(|segment| {
            let plain = segment.to_ascii_lowercase().replace("%2e", ".");
            plain == "." || plain == ".."
        })
        .count()
}

/// Everything but the unreserved characters of RFC 3986.
pub fn percent(text: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    out
}
