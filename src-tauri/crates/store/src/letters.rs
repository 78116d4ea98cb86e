//! Looking for a text whatever the case of its letters. SQLite's `LIKE` knows the case of ASCII letters only, so that "über"
//! would not find "Über". The statement's function `holds(wanted, …)` is 1 where `wanted`, folded by [`fold`], stands in one
//! of the other values, whole; it reads the bytes in place.

use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

/// A letter without its case. One letter stays one letter, so "ß" is not "ss"; a letter beyond ASCII never becomes one of
/// ASCII, so that a search for ASCII letters looks at bytes.
fn folded(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    // The sigma at the end of a word.
    if letter == 'ς' {
        return 'σ';
    }
    let mut small = letter.to_lowercase();
    match (small.next(), small.next()) {
        (Some(small), None) if !small.is_ascii() => small,
        _ => letter,
    }
}

/// A text without the case of its letters.
pub(crate) fn fold(text: &str) -> String {
    text.chars().map(folded).collect()
}

/// Whether a folded letter has another case that only this module knows: the index of texts folds by an older table.
pub(crate) fn is_young(letter: char) -> bool {
    !matches!(letter, '\0'..='\u{17f}' | '\u{386}'..='\u{3ce}' | '\u{400}'..='\u{527}' | '\u{1e00}'..='\u{1fff}')
        && (folded(letter) != letter || letter.to_uppercase().next() != Some(letter))
}

fn holds_ascii(text: &[u8], wanted: &[u8]) -> bool {
    let Some((first, rest)) = wanted.split_first() else { return true };
    let capital = first.to_ascii_uppercase();
    let mut text = text;
    while let Some(at) = text.iter().position(|byte| byte == first || *byte == capital) {
        text = &text[at + 1..];
        if text.get(..rest.len()).is_some_and(|here| here.eq_ignore_ascii_case(rest)) {
            return true;
        }
    }
    false
}

/// `wanted` is folded and not empty.
fn holds_letters(text: &str, wanted: &str) -> bool {
    let mut letters = text.chars();
    while !letters.as_str().is_empty() {
        let mut here = letters.as_str().chars().map(folded);
        if wanted.chars().all(|letter| here.next() == Some(letter)) {
            return true;
        }
        letters.next();
    }
    false
}

/// Whether `wanted`, which is folded, stands in a text.
fn holds(text: &[u8], wanted: &str) -> bool {
    if wanted.is_ascii() {
        holds_ascii(text, wanted.as_bytes())
    } else {
        holds_letters(&String::from_utf8_lossy(text), wanted)
    }
}

/// Teaches a connection `holds`.
pub(crate) fn teach(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("holds", -1, flags, |call| {
        let wanted = call.get_raw(0).as_str()?;
        Ok((1..call.len()).any(|n| matches!(call.get_raw(n), ValueRef::Text(text) if holds(text, wanted))))
    })
}

#[cfg(test)]
mod tests;
