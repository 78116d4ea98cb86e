//! A CSV text becomes a list of objects.

use super::records::{Field, Malformed, Records};
use super::{Layout, SEPARATORS, separator, shown};
use crate::formats::{Content, MAX_BYTES, too_large, without_bom};
use crate::memory;
use serde_json::{Map, Value};
use signalbox_model::NodeFailure;
use signalbox_model::data::TEXT_FROM;
use std::collections::HashSet;

/// The columns of a table.
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    /// The line that names them; 0 without a header.
    line: u64,
    /// The header ends with a separator: its last column has no name, and must be empty in every row.
    ends_open: bool,
}

/// Reads a table; every value is text. `what` names the text in messages ("The text", "The file 'a.csv'"). A large table is not made
/// into values: its JSON text is appended to what stands `before` it.
pub(crate) fn read(text: &str, layout: Layout, what: &str, before: String) -> Result<Content, NodeFailure> {
    let text = without_bom(text);
    if text.len() > MAX_BYTES {
        return Err(too_large(what, text.len() as u64));
    }
    table(text, layout, what, before).map_err(|trouble| match trouble {
        Trouble::Malformed(bad) => bad_csv(&bad, what),
        Trouble::Failure(failure) => failure,
    })
}

pub(super) fn bad_csv(bad: &Malformed, what: &str) -> NodeFailure {
    let words = format!("{what} is not a CSV table: line {} {}", bad.line, bad.why);
    NodeFailure::validation("BAD_CSV", words).detail("line", bad.line)
}

/// How a table turned out to be written, by the names of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detected {
    pub(crate) separator: &'static str,
    pub(crate) quote: &'static str,
}

/// What [`read`] takes as the separator and as the quotes.
pub(crate) fn found(text: &str, layout: Layout, what: &str) -> Result<Detected, NodeFailure> {
    let found =
        separator::find(without_bom(text), layout.separator, layout.quote).map_err(|bad| bad_csv(&bad, what))?;
    let separator = SEPARATORS.iter().find(|(_, byte)| *byte == found.separator).map_or("comma", |(name, _)| name);
    Ok(Detected { separator, quote: if found.quote == b'\'' { "single" } else { "double" } })
}

enum Trouble {
    Malformed(Malformed),
    Failure(NodeFailure),
}

impl From<Malformed> for Trouble {
    fn from(bad: Malformed) -> Self {
        Self::Malformed(bad)
    }
}

fn table(text: &str, layout: Layout, what: &str, before: String) -> Result<Content, Trouble> {
    let found = separator::find(text, layout.separator, layout.quote)?;
    let begin = Records::new(&text[found.skip..], found.line, found.separator, found.quote);
    // Twice: what malformed or too large tables hold is never built.
    let mut records = begin.again();
    let mut fields = Vec::new();
    let Some(line) = records.next(&mut fields)? else { return Ok(Content::Values(Value::Array(Vec::new()))) };
    let columns = if layout.header { header(&fields, line, found.separator)? } else { numbered(fields.len()) };
    let (first, mut foreign) = (line, foreign(&fields));
    let row_cost = memory::object(columns.names.iter().map(String::len));
    // Quotes, a colon and a comma for each value, and the brackets.
    let row_text = columns.names.iter().map(|name| name.len() + 6).sum::<usize>() + 2;
    let (mut count, mut bytes, mut letters) = (0, 0, 2);
    if !layout.header {
        records = begin.again();
    }
    while let Some(line) = records.next(&mut fields)? {
        check_width(&fields, line, &columns, found.separator)?;
        foreign = foreign.filter(|(sign, times)| fields[0].value.matches(*sign).count() == *times);
        count += 1;
        bytes += row_cost + fields.iter().map(|field| memory::text(field.value.len())).sum::<usize>();
        letters += row_text + fields.iter().map(|field| field.value.len()).sum::<usize>();
        memory::fits(bytes, text.len(), what).map_err(Trouble::Failure)?;
    }
    if let Some((sign, _)) = foreign.filter(|_| count > 0) {
        return Err(foreign_sign(sign, first).into());
    }
    let mut records = begin;
    if layout.header {
        records.next(&mut fields)?;
    }
    if letters >= TEXT_FROM {
        return Ok(Content::Text(written(records, &columns, before, letters)?));
    }
    let mut rows = Vec::with_capacity(count);
    while records.next(&mut fields)?.is_some() {
        let mut row = Map::with_capacity(columns.names.len());
        for (name, field) in columns.names.iter().zip(fields.drain(..)) {
            row.insert(name.clone(), Value::String(field.value.into_owned()));
        }
        rows.push(Value::Object(row));
    }
    Ok(Content::Values(Value::Array(rows)))
}

/// The rows as compact JSON behind `out`, row by row. `letters` is how long that is when nothing has to be escaped.
fn written(mut records: Records<'_>, columns: &Columns, mut out: String, letters: usize) -> Result<String, Malformed> {
    out.reserve(letters);
    let names: Vec<String> = columns.names.iter().map(|name| Value::from(name.as_str()).to_string()).collect();
    let mut fields = Vec::new();
    let mut first = true;
    out.push('[');
    while records.next(&mut fields)?.is_some() {
        if !first {
            out.push(',');
        }
        first = false;
        append_row(&names, &fields, &mut out);
    }
    out.push(']');
    Ok(out)
}

/// A row as compact JSON; `names` are JSON, too.
pub(super) fn append_row(names: &[String], fields: &[Field<'_>], out: &mut String) {
    out.push('{');
    for (place, (name, field)) in names.iter().zip(fields).enumerate() {
        if place > 0 {
            out.push(',');
        }
        out.push_str(name);
        out.push(':');
        quoted(&field.value, out);
    }
    out.push('}');
}

/// A text as JSON writes it.
fn quoted(text: &str, out: &mut String) {
    if text.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)) {
        out.push_str(&Value::from(text).to_string());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

pub(super) fn header(fields: &[Field<'_>], line: u64, separator: u8) -> Result<Columns, Malformed> {
    let bad = |why: String| Malformed { line, why };
    if let [only] = fields
        && !only.quoted
        && let Some((name, byte)) = SEPARATORS.iter().find(|(_, byte)| only.value.as_bytes().contains(byte))
    {
        let why = format!(
            "names one column, '{}', which holds {}: the separator is probably that one, not {}. Set the separator to {name}",
            only.value.trim(),
            shown(*byte),
            shown(separator)
        );
        return Err(bad(why));
    }
    let mut names = Vec::with_capacity(fields.len());
    let mut known = HashSet::new();
    for (column, field) in fields.iter().enumerate() {
        let name = if field.quoted { &*field.value } else { field.value.trim() };
        if name.is_empty() && !field.quoted && column > 0 && column + 1 == fields.len() {
            return Ok(Columns { names, line, ends_open: true });
        }
        if name.is_empty() {
            return Err(bad(format!("has no name for column {}", column + 1)));
        }
        if !known.insert(name) {
            return Err(bad(format!("names the column '{name}' twice")));
        }
        names.push(name.to_owned());
    }
    Ok(Columns { names, line, ends_open: false })
}

/// A sign in a record of one value, and how often, that is used as a separator elsewhere and hardly for anything else.
pub(super) fn foreign(fields: &[Field<'_>]) -> Option<(char, usize)> {
    let [only] = fields else { return None };
    let signs = ['^', '~', '¦', '§', '\u{1}', '\u{1e}', '\u{1f}'];
    let held = signs.map(|sign| (sign, only.value.matches(sign).count()));
    held.into_iter().find(|(_, times)| *times > 0 && !only.quoted)
}

/// Every line holds the sign.
pub(super) fn foreign_sign(sign: char, line: u64) -> Malformed {
    let why = format!(
        "has one value, and every line holds {sign:?} as often as it: that is a separator which is not known. Replace it by one of the \
         known ones, or put the first line in quotes when there is one column"
    );
    Malformed { line, why }
}

pub(super) fn numbered(count: usize) -> Columns {
    Columns { names: (1..=count).map(|number| format!("column{number}")).collect(), line: 0, ends_open: false }
}

pub(super) fn check_width(fields: &[Field<'_>], line: u64, columns: &Columns, separator: u8) -> Result<(), Malformed> {
    let wanted = columns.names.len();
    if fields.len() == wanted {
        return Ok(());
    }
    if columns.ends_open && fields.len() == wanted + 1 {
        return match fields.last() {
            Some(last) if !last.value.is_empty() => {
                let why = format!("has no name for column {}, and line {line} has a value in it", wanted + 1);
                Err(Malformed { line: columns.line, why })
            }
            _ => Ok(()),
        };
    }
    let number = |count: usize, one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    let names = if columns.line == 0 { "the first line has" } else { "the header names" };
    let mut why = format!(
        "has {}, {names} {} (separator {})",
        number(fields.len(), "value"),
        number(wanted, "column"),
        shown(separator)
    );
    if fields.len() == wanted + 1 && fields.last().is_some_and(|last| last.value.is_empty() && !last.quoted) {
        why.push_str(". It ends with a separator, which begins one more value");
    } else if fields.len() > wanted && separator == b',' {
        why.push_str(". A value that contains a comma must be in quotes");
    }
    Err(Malformed { line, why })
}
