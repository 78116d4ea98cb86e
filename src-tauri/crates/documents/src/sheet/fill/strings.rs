//! Texts of cells: the shared ones, their runs with formats, and the placeholders in them.

use super::placeholder::{Path, Piece, has_any, pieces};
use super::value::{push_text, space_attribute};
use super::xml::{Kind, Tokens, text_of};
use crate::Error;
use std::ops::Range;

/// A part of a text with the same format.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    /// The element with the format, as it is written.
    format: Option<String>,
    text: String,
}

/// A text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CellText {
    /// Formats of the runs.
    formats: Vec<Option<String>>,
    /// The pieces, each with the run in which it begins.
    pub(super) pieces: Vec<(usize, Piece)>,
}

impl CellText {
    /// Of the content of `<si>` or `<is>`; `None` = no placeholders.
    pub(super) fn parse(raw: &str, part: &str) -> Result<Option<Self>, Error> {
        if !raw.contains('{') {
            return Ok(None);
        }
        let runs = runs(raw, part)?;
        let whole: String = runs.iter().map(|run| run.text.as_str()).collect();
        if !has_any(&whole) {
            return Ok(None);
        }
        let mut starts = Vec::with_capacity(runs.len());
        let mut at = 0;
        for run in &runs {
            starts.push(at);
            at += run.text.len();
        }
        let run_at = |at: usize| starts.partition_point(|start| *start <= at).saturating_sub(1);
        let mut found = Vec::new();
        let mut at = 0;
        for (piece, length) in pieces(&whole) {
            match piece {
                // A text may have several formats.
                Piece::Text(text) => {
                    let end = at + text.len();
                    let mut here = at;
                    while here < end {
                        let run = run_at(here);
                        let stop = starts.get(run + 1).copied().unwrap_or(end).clamp(here + 1, end);
                        if let Some(text) = whole.get(here..stop) {
                            found.push((run, Piece::Text(text.to_owned())));
                        }
                        here = stop;
                    }
                }
                piece => found.push((run_at(at), piece)),
            }
            at += length;
        }
        let formats = runs.into_iter().map(|run| run.format).collect();
        Ok(Some(Self { formats, pieces: found }))
    }

    /// The path when there is nothing but one placeholder, so that the cell can have any type.
    pub(super) fn whole(&self) -> Option<&Path> {
        let mut only = None;
        for (_, piece) in &self.pieces {
            match piece {
                Piece::Text(text) if text.trim().is_empty() => {}
                Piece::Path(Ok(path)) if only.is_none() => only = Some(path),
                Piece::Text(_) | Piece::Path(_) => return None,
            }
        }
        only
    }

    /// The content of `<is>` for a text in the format of the first run, or for one text for each piece.
    pub(super) fn write(&self, prefix: &str, texts: &[(usize, String)], out: &mut String) {
        let has_formats = self.formats.iter().any(Option::is_some);
        if !has_formats {
            let text: String = texts.iter().map(|(_, text)| text.as_str()).collect();
            return push_element(prefix, &text, out);
        }
        for (run, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
            out.push_str(&format!("<{prefix}r>"));
            let format = self.formats.get(*run).and_then(Option::as_deref);
            if let Some(format) = format.filter(|format| format.starts_with(&format!("<{prefix}rPr"))) {
                out.push_str(format);
            }
            push_element(prefix, text, out);
            out.push_str(&format!("</{prefix}r>"));
        }
    }
}

/// `<t>` with a text.
pub(super) fn push_element(prefix: &str, text: &str, out: &mut String) {
    out.push_str(&format!("<{prefix}t{}>", space_attribute(text)));
    push_text(text, out);
    out.push_str(&format!("</{prefix}t>"));
}

fn runs(raw: &str, part: &str) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    let mut format = None;
    let mut tokens = Tokens::new(raw, part);
    while let Some(token) = tokens.next()? {
        let Kind::Open(tag, is_empty) = token.kind else { continue };
        match tag.local_name() {
            "r" => format = None,
            "rPr" => {
                let end = if is_empty { token.at.end } else { tokens.inner().map(|_| tokens.at())? };
                format = Some(tokens.source(token.at.start..end).to_owned());
            }
            // How a text is spoken is no part of it.
            "rPh" if !is_empty => {
                tokens.inner()?;
            }
            "t" if !is_empty => {
                let inner = tokens.inner()?;
                runs.push(Run { format: format.take(), text: unescaped(&text_of(tokens.source(inner))) });
            }
            _ => {}
        }
    }
    Ok(runs)
}

/// `_x000D_` is a sign that XML has no place for.
fn unescaped(text: &str) -> String {
    if !text.contains("_x") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        out.push_str(rest.get(..at).unwrap_or_default());
        let code = rest.get(at + 2..at + 6).filter(|_| rest.get(at + 6..at + 7) == Some("_"));
        match code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32) {
            Some(sign) => {
                out.push(sign);
                rest = rest.get(at + 7..).unwrap_or_default();
            }
            None => {
                out.push_str("_x");
                rest = rest.get(at + 2..).unwrap_or_default();
            }
        }
    }
    out + rest
}

/// The shared texts of a workbook.
#[derive(Debug, Default)]
pub(super) struct Strings {
    part: String,
    source: String,
    entries: Vec<Range<usize>>,
}

impl Strings {
    pub(super) fn parse(source: String, part: &str) -> Result<Self, Error> {
        let mut entries = Vec::new();
        let mut tokens = Tokens::new(&source, part);
        while let Some(token) = tokens.next()? {
            if let Kind::Open(tag, is_empty) = token.kind
                && tag.local_name() == "si"
            {
                entries.push(if is_empty { token.at.end..token.at.end } else { tokens.inner()? });
            }
        }
        Ok(Self { part: part.to_owned(), source, entries })
    }

    /// The text of an entry when it has placeholders.
    pub(super) fn text(&self, index: &str) -> Result<Option<CellText>, Error> {
        let entry = index.trim().parse::<usize>().ok().and_then(|index| self.entries.get(index));
        let raw = entry.and_then(|entry| self.source.get(entry.clone())).unwrap_or_default();
        CellText::parse(raw, &self.part)
    }
}
