//! One entry per line: `{"entry":{…},"hash":"…","signature":"…"}`. An entry of which an export shows only a part has
//! `{"shown":{…},…}` instead: its hash is that of the whole entry, which is not there.
//!
//! A JSON string cannot hold a line end, so an entry cannot forge a line. What remains is text that disturbs the
//! reader of the file in a terminal or editor: such characters are written as `\uXXXX`. That changes the file's
//! spelling and not the entry, whose hash is always over its canonical text.

use crate::canonical::push_string;
use crate::digest::Digest;
use crate::entry::{Entry, NotAnEntry};
use crate::row::Row;
use crate::sign::Signature;
use serde::Deserialize;

/// Characters that are escaped in files: C1 controls and DEL, line and paragraph separators, marks that turn the
/// direction of text, the byte order mark. (ESC and the other C0 controls are always escaped in JSON.)
#[must_use]
pub fn is_escaped(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Appends JSON text with the characters of [`is_escaped`] written as `\uXXXX`.
pub(crate) fn push_safe(out: &mut String, json: &str) {
    if json.is_ascii() && !json.contains('\u{7f}') {
        out.push_str(json);
        return;
    }
    for c in json.chars() {
        if is_escaped(c) {
            let code = u32::from(c).to_be_bytes();
            out.push_str("\\u");
            crate::digest::push_hex(out, &code[2..]);
        } else {
            out.push(c);
        }
    }
}

/// The line of an entry, with its line end. `text` is its canonical text.
#[must_use]
pub fn to_line(text: &str, hash: &Digest, signature: Option<&Signature>) -> String {
    let signature = signature.map(ToString::to_string);
    write(text, &hash.to_hex(), signature.as_deref())
}

/// The line of a row as it is stored, with its line end. A damaged one stays what it is: who reads the file must find it.
#[must_use]
pub fn of_row(row: &Row) -> String {
    write(&row.text, &row.hash, row.signature.as_deref())
}

/// An entry on its way into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// As it is stored; what is shown of it, when that is only a part.
    pub row: Row,
    /// Only a part: the text does not give the hash.
    pub shown: bool,
}

impl From<Row> for Line {
    fn from(row: Row) -> Self {
        Self { row, shown: false }
    }
}

impl Line {
    /// The line, with its line end.
    #[must_use]
    pub fn to_text(&self) -> String {
        let name = if self.shown { SHOWN } else { ENTRY };
        write_as(name, &self.row.text, &self.row.hash, self.row.signature.as_deref())
    }

    /// Reads a line, whichever it is, as strictly as [`from_line`].
    ///
    /// # Errors
    /// Why it is no entry.
    pub fn read(line: &str) -> Result<Self, NotAnEntry> {
        if !line.starts_with(SHOWN) {
            return from_line(line).map(Self::from);
        }
        let line = line.strip_suffix('\n').unwrap_or(line);
        let parsed: ShownLine = serde_json::from_str(line).map_err(|error| NotAnEntry::Form(error.to_string()))?;
        let row = checked(line, SHOWN, &parsed.shown, parsed.hash, parsed.signature)?;
        Ok(Self { row, shown: true })
    }
}

/// Whether a file begins as one of lines does: with an entry, or with a part of one that is shown.
#[must_use]
pub fn is_lines(begin: &[u8]) -> bool {
    begin.starts_with(ENTRY.as_bytes()) || begin.starts_with(SHOWN.as_bytes())
}

/// How a line begins.
const ENTRY: &str = "{\"entry\":";
/// How one begins that shows a part.
pub(crate) const SHOWN: &str = "{\"shown\":";

fn write(text: &str, hash: &str, signature: Option<&str>) -> String {
    write_as(ENTRY, text, hash, signature)
}

fn write_as(start: &str, text: &str, hash: &str, signature: Option<&str>) -> String {
    let mut line = String::with_capacity(text.len() + 260);
    line.push_str(start);
    push_safe(&mut line, text);
    line.push_str(",\"hash\":");
    push_text(&mut line, hash);
    if let Some(signature) = signature {
        line.push_str(",\"signature\":");
        push_text(&mut line, signature);
    }
    line.push_str("}\n");
    line
}

/// What should be hexadecimal, and in a damaged row is anything.
fn push_text(out: &mut String, text: &str) {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_string(&mut quoted, text);
    push_safe(out, &quoted);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SealedLine {
    entry: Entry,
    hash: String,
    #[serde(default)]
    signature: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShownLine {
    shown: Entry,
    hash: String,
    #[serde(default)]
    signature: Option<String>,
}

/// Reads one line. It must be spelt exactly as [`to_line`] writes it, so that what a person reads is what is hashed.
/// The hash is not checked here: the verifier does, and names the entry.
///
/// # Errors
/// Why it is no entry.
pub fn from_line(line: &str) -> Result<Row, NotAnEntry> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let parsed: SealedLine = serde_json::from_str(line).map_err(|error| NotAnEntry::Form(error.to_string()))?;
    checked(line, ENTRY, &parsed.entry, parsed.hash, parsed.signature)
}

fn checked(line: &str, start: &str, entry: &Entry, hash: String, signature: Option<String>) -> Result<Row, NotAnEntry> {
    let text = entry.canonical().map_err(|error| NotAnEntry::Form(error.to_string()))?;
    if !hash.bytes().chain(signature.iter().flat_map(|s| s.bytes())).all(|b| b.is_ascii_graphic()) {
        return Err(NotAnEntry::Form("hash and signature are plain ASCII".to_owned()));
    }
    if write_as(start, &text, &hash, signature.as_deref()).strip_suffix('\n') != Some(line) {
        return Err(NotAnEntry::Spelling);
    }
    Ok(Row { seq: entry.seq, text, hash, signature })
}
