//! Numbers of JSON texts whose digits would not survive: a value holds whole numbers of 64 bits and IEEE doubles (ADR 84).

use crate::spans::end_of_text;
use std::ops::Range;

/// The largest count of significant digits that a double is asked for: no double has more in its exact decimal form.
const MOST_DIGITS: usize = 800;
/// Decimals of so many digits are doubles by contract (RFC 8259, section 6).
const DOUBLE_DIGITS: usize = 17;
/// The longest number that a message shows.
const SHOWN: usize = 60;

/// A number that would become another number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Where it stands, like `rows[0].ref`; empty for the value itself.
    pub path: String,
    /// As it is written; the beginning of a very long one.
    pub written: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl Lost {
    /// What is wrong, why, and what to do: a sentence that begins in small letters and has no full stop.
    pub fn told(&self) -> String {
        let at = if self.path.is_empty() { String::new() } else { format!(" at {}", self.path) };
        format!(
            "the number {}{at} would lose digits: whole numbers reach from -9223372036854775808 to 18446744073709551615, and decimals have \
             17 digits. Have it sent as a text (in quotes)",
            self.written
        )
    }
}

/// The first number of a valid JSON text that a value cannot hold.
pub fn lost(text: &str) -> Option<Lost> {
    numbers(text).find(|range| !keeps(&text[range.clone()])).map(|range| described(text, range))
}

/// The first one below `path`, in a message of which other parts do not matter. Only the first few of all are looked at,
/// because the path of each is told from the beginning of the text.
pub fn lost_below(text: &str, path: &str) -> Option<Lost> {
    let all = numbers(text).filter(|range| !keeps(&text[range.clone()]));
    all.take(16).map(|range| described(text, range)).find(|lost| lost.path.starts_with(path))
}

/// The text with each number that a value cannot hold as a text: its digits stay, and who wants a number says that it is none.
pub fn quoted(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut from = 0;
    for range in numbers(text).filter(|range| !keeps(&text[range.clone()])) {
        out.push_str(&text[from..range.start]);
        out.push('"');
        out.push_str(&text[range.clone()]);
        out.push('"');
        from = range.end;
    }
    (from > 0).then(|| out + &text[from..])
}

fn described(text: &str, range: Range<usize>) -> Lost {
    let (line, column) = place(text, range.start);
    let path = path(&text[..range.start]);
    let mut written: String = text[range].chars().take(SHOWN + 1).collect();
    if written.len() > SHOWN {
        written.truncate(SHOWN);
        written.push('…');
    }
    Lost { path, written, line, column }
}

/// Line and column of a place in a text, from 1.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Whether a number of JSON stays the same number when it is read: a whole number of 64 bits; a number that a program has
/// printed from a double, with as many digits as it likes; a decimal of at most 17 digits.
pub fn keeps(written: &str) -> bool {
    let is_plain = !written.contains(['e', 'E']);
    if is_plain && written.len() <= 15 {
        return true;
    }
    if written.parse::<i64>().is_ok() || written.parse::<u64>().is_ok() {
        return true;
    }
    // What is no number, or too large for a double, is refused by whoever reads it.
    let Some(double) = written.parse::<f64>().ok().filter(|double| double.is_finite()) else { return true };
    if is_plain && !written.contains('.') {
        // Beyond 64 bits it is an identifier or an exact amount, unless its digits are those that a double is written with.
        return double.to_string() == written;
    }
    let (digits, exponent) = significant(written);
    if digits.is_empty() {
        return true;
    }
    let count = digits.len();
    if double == 0.0 || count > MOST_DIGITS {
        return false;
    }
    let is_whole = i64::try_from(count).is_ok_and(|count| exponent >= count - 1);
    if !is_whole && count <= DOUBLE_DIGITS && double.is_normal() {
        return true;
    }
    let same = |printed: String| significant(&printed) == (digits.clone(), exponent);
    same(format!("{:.*e}", count - 1, double)) || same(format!("{double:e}"))
}

/// The digits without zeros at either end, and the power of ten of the first of them.
fn significant(written: &str) -> (String, i64) {
    let unsigned = written.trim_start_matches('-');
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let first =
        i64::try_from(whole.len()).unwrap_or(i64::MAX) - 1 - i64::try_from(all.len() - digits.len()).unwrap_or(0);
    let exponent = exponent.parse::<i64>().unwrap_or(0).saturating_add(first);
    (digits.trim_end_matches('0').to_owned(), exponent)
}

/// Where the numbers of a JSON text stand.
pub fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => at = end_of_text(bytes, at),
                b'-' | b'0'..=b'9' => {
                    let start = at;
                    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                    at += bytes[start..].iter().take_while(|byte| is_part(byte)).count();
                    return Some(start..at);
                }
                _ => at += 1,
            }
        }
        None
    })
}

enum Step {
    Field(String),
    Place(usize),
}

/// The path to what stands behind this beginning of a JSON text.
pub(crate) fn path(before: &str) -> String {
    let bytes = before.as_bytes();
    let (mut steps, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' => steps.push(Step::Field(String::new())),
            b'[' => steps.push(Step::Place(0)),
            b'}' | b']' => drop(steps.pop()),
            b',' => {
                if let Some(Step::Place(place)) = steps.last_mut() {
                    *place += 1;
                }
            }
            b'"' => {
                at = end_of_text(bytes, start);
                // In an object the text before a value is its name: the last one stays.
                if let Some(Step::Field(name)) = steps.last_mut() {
                    *name = serde_json::from_str(&before[start..at]).unwrap_or_default();
                }
            }
            _ => {}
        }
    }
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Place(place) => path.push_str(&format!("[{place}]")),
            Step::Field(name) if is_plain(&name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&name);
            }
            Step::Field(name) => path.push_str(&format!("[{}]", serde_json::Value::from(crate::text::one_line(&name)))),
        }
    }
    path
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests;
