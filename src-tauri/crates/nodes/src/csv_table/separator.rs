//! Finds out what separates the values of a table.

use super::records::{Malformed, Records};
use super::{SEPARATORS, is_separator, shown};

/// So many records are looked at when the header alone does not tell.
const LOOKED_AT: usize = 20;

/// Where a table begins and what separates its values.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) separator: u8,
    /// Bytes before the header.
    pub(super) skip: usize,
    /// The line of the byte behind them.
    pub(super) line: u64,
    pub(super) quote: u8,
}

/// The rule, in this order:
/// 1. a first line `sep=X`, as spreadsheet programs write it, says it;
/// 2. the setting says it;
/// 3. it is the one of `,` `;` tab `|` that the first record holds outside of quotes; a comma when it holds none;
/// 4. of several, those that give the first 20 records the same number of values; of these the one with the most values.
///
/// Two that are equally good are an error: a guess would put values into wrong columns.
pub(super) fn find(text: &str, set: Option<u8>, quote: Option<u8>) -> Result<Found, Malformed> {
    let (told, skip) = directive(text)?;
    let quote = quote.unwrap_or_else(|| quote_of(text.get(skip..).unwrap_or(text)));
    let line = if skip > 0 { 2 } else { 1 };
    let found = |separator| Ok(Found { separator, skip, line, quote });
    match (told, set) {
        (Some(told), Some(set)) if told != set => {
            let why = format!("says that the separator is {}, the setting says {}", shown(told), shown(set));
            return Err(Malformed { line: 1, why });
        }
        (Some(separator), _) | (None, Some(separator)) => return found(separator),
        (None, None) => {}
    }
    let held = in_first_record(text, quote);
    match held.as_slice() {
        [] => return found(b','),
        [one] => return found(*one),
        _ => {}
    }
    let counted: Vec<(u8, usize)> =
        held.iter().filter_map(|one| Some((*one, same_width(text, *one, quote)?))).collect();
    let most = counted.iter().map(|(_, width)| *width).max().unwrap_or_default();
    let best: Vec<u8> = counted.iter().filter(|(_, width)| *width == most).map(|(one, _)| *one).collect();
    match best.as_slice() {
        [one] => found(*one),
        // No separator gives an even table: the error about its rows is told for the first one.
        [] => found(held[0]),
        several => {
            let names: Vec<&str> = several.iter().map(|one| shown(*one)).collect();
            let why = format!("could be separated by {}: set the separator", names.join(" or "));
            Err(Malformed { line: 1, why })
        }
    }
}

/// Single quotes when they open and close values of the first lines and double quotes do not; else double ones. An apostrophe inside a
/// word is no quote.
fn quote_of(text: &str) -> u8 {
    let mut single = false;
    for line in text.split(['\r', '\n']).filter(|line| !line.trim().is_empty()).take(LOOKED_AT) {
        let mut opened = false;
        for part in line.split(|c: char| u8::try_from(c).is_ok_and(is_separator)) {
            if part.starts_with('"') || part.ends_with('"') {
                return b'"';
            }
            let opens = part.starts_with('\'');
            // One alone does not close what it opens.
            single |= part.ends_with('\'') && (opened || (opens && part.len() > 1));
            opened |= opens;
        }
    }
    if single { b'\'' } else { b'"' }
}

/// The separator of a first line `sep=X`, and how many bytes that line takes.
fn directive(text: &str) -> Result<(Option<u8>, usize), Malformed> {
    let end = text.find(['\r', '\n']).unwrap_or(text.len());
    let Some(told) = text[..end].strip_prefix("sep=") else { return Ok((None, 0)) };
    let mut told = told.chars();
    match (told.next(), told.next()) {
        (Some(one), None) if one.is_ascii() && is_separator(one as u8) => {
            let behind = &text[end..];
            let stop = if behind.starts_with("\r\n") { 2 } else { usize::from(!behind.is_empty()) };
            Ok((Some(one as u8), end + stop))
        }
        _ => {
            let line: String = text[..end].chars().take(20).collect();
            let why = format!("begins with '{line}', which names no separator that is known: ',', ';', tab or '|'");
            Err(Malformed { line: 1, why })
        }
    }
}

/// The separators that the first record holds outside of quotes, in the order of [`SEPARATORS`].
fn in_first_record(text: &str, quote: u8) -> Vec<u8> {
    let (mut quoted, mut begun) = (false, false);
    let mut seen = [false; SEPARATORS.len()];
    for byte in text.bytes() {
        match byte {
            byte if byte == quote => quoted = !quoted,
            b'\r' | b'\n' if !quoted && begun => break,
            _ if quoted => {}
            _ => {
                if let Some(index) = SEPARATORS.iter().position(|(_, known)| *known == byte) {
                    seen[index] = true;
                }
            }
        }
        begun |= !matches!(byte, b'\r' | b'\n' | b' ');
    }
    SEPARATORS.iter().zip(seen).filter(|(_, seen)| *seen).map(|((_, byte), _)| *byte).collect()
}

/// How many values each of the first records has, when all have the same number.
fn same_width(text: &str, separator: u8, quote: u8) -> Option<usize> {
    let mut records = Records::new(text, 1, separator, quote);
    let mut fields = Vec::new();
    let mut width = None;
    for _ in 0..LOOKED_AT {
        if records.next(&mut fields).ok()?.is_none() {
            break;
        }
        if *width.get_or_insert(fields.len()) != fields.len() {
            return None;
        }
    }
    width
}
