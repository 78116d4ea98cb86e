//! Cells as XML: their attributes as they were, with another place and other contents.

use super::data::{Found, Source, Spot};
use super::placeholder::Piece;
use super::strings::{CellText, push_element};
use super::value::{Content, is_too_long, words};
use super::xml::Tag;
use crate::Error;
use crate::sheet::column_name;
use serde_json::Value;

/// The cell's start tag up to its attributes, without its type.
pub(super) fn open_cell(tag: Tag<'_>, column: u32, row: u32, out: &mut String) {
    out.push_str(&format!("<{} r=\"{}{row}\"", tag.name(), column_name(column - 1)));
    for (name, value) in tag.attributes() {
        if name != "r" && name != "t" {
            out.push_str(&format!(" {name}={}", in_quotes(value)));
        }
    }
}

pub(super) fn close_cell(tag: Tag<'_>, inner: &str, out: &mut String) {
    if inner.is_empty() {
        out.push_str("/>");
    } else {
        out.push_str(&format!(">{inner}</{}>", tag.name()));
    }
}

/// A value of an attribute as it was written, in quotes that it has not.
pub(super) fn in_quotes(value: &str) -> String {
    if value.contains('"') { format!("'{value}'") } else { format!("\"{value}\"") }
}

/// The rest of a cell after its attributes.
pub(super) fn push_content(
    prefix: &str,
    name: &str,
    content: &Content,
    spot: Spot<'_>,
    text: Option<&CellText>,
    out: &mut String,
) -> Result<(), Error> {
    match content {
        Content::Empty => out.push_str("/>"),
        Content::Number(number) => out.push_str(&format!("><{prefix}v>{number}</{prefix}v></{name}>")),
        Content::Bool(flag) => {
            out.push_str(&format!(" t=\"b\"><{prefix}v>{}</{prefix}v></{name}>", u8::from(*flag)));
        }
        Content::Text(value) => {
            if is_too_long(value) {
                return Err(spot.too_long());
            }
            out.push_str(&format!(" t=\"inlineStr\"><{prefix}is>"));
            match text {
                Some(text) => text.write(prefix, &[(0, value.clone())], out),
                None => push_element(prefix, value, out),
            }
            out.push_str(&format!("</{prefix}is></{name}>"));
        }
    }
    Ok(())
}

/// The pieces of a text with values instead of placeholders.
pub(super) fn fill(
    text: &CellText,
    source: &Source<'_>,
    element: usize,
    spot: Spot<'_>,
) -> Result<Vec<(usize, String)>, Error> {
    let mut texts = Vec::with_capacity(text.pieces.len());
    for (run, piece) in &text.pieces {
        let made = match piece {
            Piece::Text(text) => text.clone(),
            Piece::Path(Err(why)) => return Err(spot.refuse("BAD_TEMPLATE", why)),
            Piece::Path(Ok(path)) => match source.find(path, element, spot)? {
                Found::Value(value) => words(value).ok_or_else(|| set_no_value(spot, value))?,
                Found::Number(number) => number.to_string(),
                Found::Empty => String::new(),
                Found::Keep => format!("{{{{{path}}}}}"),
            },
        };
        texts.push((*run, made));
    }
    Ok(texts)
}

pub(super) fn set_no_value(spot: Spot<'_>, value: &Value) -> Error {
    let what = if value.is_array() { "a list" } else { "an object" };
    spot.refuse(
        "SCHEMA_MISMATCH",
        &format!("{what} is no value for a cell. Give a text, a number, true, false or null"),
    )
}

pub(super) fn several_sheets(spot: Spot<'_>, reference: &str) -> Error {
    let words = format!(
        "the reference {reference} goes over several sheets, whose rows move differently. Refer to each sheet alone"
    );
    spot.refuse("BAD_TEMPLATE", &words)
}
