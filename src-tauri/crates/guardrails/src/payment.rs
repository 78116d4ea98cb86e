//! Bank accounts (IBAN) and payment cards.

use crate::checksum::{luhn, mod_97};
use crate::scan::{digits, stands_alone};
use std::ops::Range;

pub(crate) mod pattern {
    crate::scan::patterns! {
        iban = r"(?i)(?-u:\b)[A-Z]{2}\d{2}[ \-]?[A-Z0-9]";
        card = r"(?-u:\b)\d(?:[ \-]?\d){12,18}(?-u:\b)";
    }
}

/// Length of an IBAN by country (SWIFT registry).
const LENGTHS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HN", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("SO", 23),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
    ("YE", 30),
];

pub(crate) fn ibans(text: &str) -> Vec<Range<usize>> {
    let starts = pattern::iban().into_iter().flat_map(|iban| iban.find_iter(text)).map(|found| found.start());
    starts.filter_map(|start| iban_at(text, start)).filter(|range| stands_alone(text, range)).collect()
}

/// As many letters and digits as the country has, with single spaces or hyphens between them.
fn iban_at(text: &str, start: usize) -> Option<Range<usize>> {
    let country = text.get(start..start + 2)?.to_ascii_uppercase();
    let (_, length) = LENGTHS.iter().find(|(code, _)| *code == country)?;
    let mut taken = String::new();
    let mut gap = false;
    for (at, c) in text[start..].char_indices() {
        if c.is_ascii_alphanumeric() {
            taken.push(c.to_ascii_uppercase());
            gap = false;
        } else if matches!(c, ' ' | '-' | '\u{a0}') && !gap {
            gap = true;
        } else {
            return None;
        }
        if taken.len() == *length {
            let turned = taken[4..].chars().chain(taken[..4].chars());
            return (mod_97(turned) == 1).then_some(start..start + at + c.len_utf8());
        }
    }
    None
}

pub(crate) fn cards(text: &str) -> Vec<Range<usize>> {
    let found = pattern::card().into_iter().flat_map(|card| card.find_iter(text));
    found
        .map(|found| found.range())
        .filter(|range| stands_alone(text, range) && is_card(&text[range.clone()]))
        .collect()
}

/// Issuer, length and check digit; the groups are those that people write.
fn is_card(text: &str) -> bool {
    let all = digits(text);
    let prefix = |length: usize| all.iter().take(length).fold(0, |number, digit| number * 10 + digit);
    let issued = matches!(
        (prefix(1), prefix(2), prefix(4), all.len()),
        (4, _, _, 13 | 16 | 19)
            | (_, 34 | 37, _, 15)
            | (_, 51..=55, _, 16)
            | (_, 62 | 64 | 65 | 81, _, 16..=19)
            | (_, 36 | 38 | 39, _, 14..=19)
            | (_, 30, 3000..=3059, 14..=19)
            | (_, 35, 3528..=3589, 16..=19)
            | (_, _, 2221..=2720, 16)
            | (_, _, 2200..=2204 | 6011, 16..=19)
            | (_, 50 | 56..=58 | 63 | 67, _, 13..=19)
    );
    let groups: Vec<usize> = text.split([' ', '-']).map(str::len).collect();
    let written = groups.len() == 1 || (groups.iter().all(|group| (3..=7).contains(group)) && groups.len() <= 5);
    issued && written && all.iter().any(|digit| *digit != all[0]) && luhn(&all)
}
