//! Lines of JSON (NDJSON), a piece of the text at a time.

use crate::formats::{MAX_BYTES, parse_json, too_large, would_change};
use signalbox_model::data::compact;
use signalbox_model::lossless::Loss;
use signalbox_model::{NodeFailure, digits};

/// A text of which some lines have been read.
pub(crate) struct JsonLines {
    /// The text, as it stands in the middle of a sentence.
    what: String,
    /// The beginning of a line.
    pending: Vec<u8>,
    line: u64,
    /// Bytes in front of `pending`.
    before: u64,
}

impl JsonLines {
    pub(crate) fn new(what: &str) -> Self {
        Self { what: what.to_owned(), pending: Vec::new(), line: 0, before: 0 }
    }

    /// Hands on each line that is complete as compact JSON; empty lines are none. False of `row` ends it.
    pub(crate) fn take(
        &mut self,
        bytes: &[u8],
        is_last: bool,
        row: &mut dyn FnMut(String) -> Result<bool, NodeFailure>,
    ) -> Result<bool, NodeFailure> {
        // The byte of a line break is no part of another sign in UTF-8. A line that comes in many pieces is searched and copied once.
        let whole =
            if is_last { bytes.len() } else { bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1) };
        let (now, later) = bytes.split_at(whole);
        if !now.is_empty() || is_last {
            self.pending.extend_from_slice(now);
            let lines = std::mem::take(&mut self.pending);
            if !self.rows(&lines, row)? {
                return Ok(false);
            }
            self.before += lines.len() as u64;
        }
        self.pending.extend_from_slice(later);
        if self.pending.len() > MAX_BYTES {
            return Err(too_large(&format!("Line {} of {}", self.line + 1, self.what), self.pending.len() as u64));
        }
        Ok(true)
    }

    /// Hands on complete lines.
    fn rows(
        &mut self,
        bytes: &[u8],
        row: &mut dyn FnMut(String) -> Result<bool, NodeFailure>,
    ) -> Result<bool, NodeFailure> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let byte = self.before + error.valid_up_to() as u64 + 1;
            let words =
                format!("{} is not UTF-8 text (byte {byte}). Save it as UTF-8, or read it as binary", big(&self.what));
            NodeFailure::validation("NOT_TEXT", words).detail("byte", byte)
        })?;
        for line in text.lines() {
            self.line += 1;
            let line = if self.line == 1 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
            if !line.trim().is_empty() && !row(self.read(line)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn read(&self, line: &str) -> Result<String, NodeFailure> {
        let what = || format!("Line {} of {}", self.line, self.what);
        let mut out = String::with_capacity(line.len());
        if !compact(line, &mut out) {
            return Ok(parse_json(line, &what())?.to_string());
        }
        match digits::lost(line) {
            Some(lost) => Err(would_change(&Loss::Number(lost), &what())),
            None => Ok(out),
        }
    }
}

/// As it stands at the beginning of a sentence.
fn big(what: &str) -> String {
    let mut letters = what.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
