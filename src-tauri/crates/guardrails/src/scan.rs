//! Helpers for reading a text around a match.

use regex::Regex;
use std::ops::Range;

/// Digits of a text, without what stands between them.
pub(crate) fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

/// Whether a match is not part of a longer word or number: `1.2345` and `ab12` are one thing each.
pub(crate) fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = &text[range.end..];
    let mut next = after.chars();
    let (first, second) = (next.next(), next.next());
    // Scripts without spaces write a number right after a word.
    let joins = |c: char| c.is_ascii_alphanumeric() || c == '_' || (c.is_alphanumeric() && !is_han(c));
    let number_goes_on = matches!(first, Some('.' | ',' | '-' | '/')) && second.is_some_and(|c| c.is_ascii_digit());
    let number_before = matches!(before, Some('.' | ',' | '-' | '/' | '+'))
        && text[..range.start].chars().rev().nth(1).is_some_and(|c| c.is_ascii_digit());
    !before.is_some_and(joins) && !first.is_some_and(joins) && !number_goes_on && !number_before
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// Whether one of the words stands shortly before a match.
pub(crate) fn is_called(text: &str, start: usize, words: &Regex) -> bool {
    let from = text[..start].char_indices().rev().nth(39).map_or(0, |(at, _)| at);
    words.is_match(&text[from..start])
}

/// A pattern of this crate. Each is compiled in a test.
pub(crate) fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// A pattern that is compiled once. One that does not compile would find nothing; a test looks at all of them.
macro_rules! patterns {
    ($($name:ident = $text:expr;)+) => {
        $(pub(crate) fn $name() -> Option<&'static regex::Regex> {
            static COMPILED: std::sync::LazyLock<Option<regex::Regex>> =
                std::sync::LazyLock::new(|| $crate::scan::pattern($text));
            COMPILED.as_ref()
        })+
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, fn() -> Option<&'static regex::Regex>)] = &[$((stringify!($name), $name),)+];
    };
}
pub(crate) use patterns;

#[cfg(test)]
mod tests {
    #[test]
    fn every_pattern_compiles() {
        let all = [crate::contact::pattern::ALL, crate::payment::pattern::ALL, crate::national_id::pattern::ALL];
        for (name, pattern) in all.into_iter().flatten() {
            assert!(pattern().is_some(), "{name}");
        }
    }
}
