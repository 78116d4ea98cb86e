//! Numbers that states give to persons, one pack a country. Where a check digit alone would take one number in ten for a
//! personal one, the number must be written in its usual groups or be named in the text.

use crate::checksum::{is_day, mod_11_10, verhoeff, weighted};
use crate::country::Country;
use crate::scan::{digits, is_called, stands_alone};
use regex::Regex;
use std::ops::Range;

pub(crate) mod pattern {
    crate::scan::patterns! {
        us = r"(?-u:\b)\d{3}(?:-\d{2}-|\s\d{2}\s|\d{2})\d{4}(?-u:\b)";
        us_words = r"(?i)(?:ssn|social security)[^\n]{0,30}$";
        de = r"(?-u:\b)[1-9]\d(?: ?\d{3}){3}(?-u:\b)";
        fr = r"(?i)(?-u:\b)[1-478] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?-u:\b)";
        es = r"(?i)(?-u:\b)(?:\d{8}|[XYZ][ \-]?\d{7})[ \-]?[A-Z](?-u:\b)";
        it = r"(?i)(?-u:\b)[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z](?-u:\b)";
        pl = r"(?-u:\b)\d{11}(?-u:\b)";
        nl = r"(?-u:\b)\d{4}[. ]?\d{2}[. ]?\d{3}(?-u:\b)";
        nl_words = r"(?i)(?:\bbsn\b|burgerservicenummer|sofi-?nummer)[^\n]{0,30}$";
        cn = r"(?i)(?-u:\b)[1-9]\d{16}[0-9X](?-u:\b)";
        br = r"(?-u:\b)\d{3}\.\d{3}\.\d{3}-\d{2}(?-u:\b)|(?-u:\b)\d{11}(?-u:\b)";
        br_words = r"(?i)\bcpf\b[^\n]{0,30}$";
        india = r"(?-u:\b)[2-9]\d{3}(?:[ \-]\d{4}[ \-]|\d{4})\d{4}(?-u:\b)";
        india_words = r"(?i)(?:aadhaar|aadhar|uidai|आधार)[^\n]{0,30}$";
    }
}

/// All of the given countries, or of every known one.
pub(crate) fn find(text: &str, countries: &[Country]) -> Vec<(Option<Country>, Range<usize>)> {
    let mut all = Vec::new();
    // First those with the stronger checks.
    let order = [
        Country::It,
        Country::Cn,
        Country::Fr,
        Country::Br,
        Country::Pl,
        Country::De,
        Country::Es,
        Country::Us,
        Country::In,
        Country::Nl,
    ];
    for country in order.into_iter().filter(|country| countries.is_empty() || countries.contains(country)) {
        let (shape, words) = shape(country);
        let matches = shape.into_iter().flat_map(|shape| shape.find_iter(text)).map(|found| found.range());
        let valid = matches.filter(|range| {
            let named = || words.is_some_and(|words| is_called(text, range.start, words));
            stands_alone(text, range) && is_valid(country, &text[range.clone()], &named)
        });
        all.extend(valid.map(|range| (Some(country), range)));
    }
    all
}

fn shape(country: Country) -> (Option<&'static Regex>, Option<&'static Regex>) {
    match country {
        Country::Br => (pattern::br(), pattern::br_words()),
        Country::Cn => (pattern::cn(), None),
        Country::De => (pattern::de(), None),
        Country::Es => (pattern::es(), None),
        Country::Fr => (pattern::fr(), None),
        Country::In => (pattern::india(), pattern::india_words()),
        Country::It => (pattern::it(), None),
        Country::Nl => (pattern::nl(), pattern::nl_words()),
        Country::Pl => (pattern::pl(), None),
        Country::Us => (pattern::us(), pattern::us_words()),
    }
}

fn is_valid(country: Country, text: &str, named: &dyn Fn() -> bool) -> bool {
    let all = digits(text);
    let plain = text.len() == all.len();
    match country {
        Country::Br => br(&all) && (!plain || named()),
        Country::Cn => cn(text),
        Country::De => de(&all),
        Country::Es => es(text),
        Country::Fr => fr(text),
        Country::In => verhoeff(&all) && all.iter().any(|digit| *digit != all[0]) && (!plain || named()),
        Country::It => it(text),
        // One number in eleven has the right check digit, and groups of digits are common.
        Country::Nl => nl(&all) && named(),
        Country::Pl => pl(&all),
        Country::Us => us(&all) && (!plain || named()),
    }
}

fn number(digits: &[u32]) -> u32 {
    digits.iter().fold(0, |number, digit| number * 10 + digit)
}

/// No check digit: areas and groups that were never given, and two numbers that advertisements made useless.
fn us(all: &[u32]) -> bool {
    let [a, b, c, d, e, f @ ..] = all else { return false };
    let (area, group, serial) = (number(&[*a, *b, *c]), number(&[*d, *e]), number(f));
    area != 0
        && area != 666
        && area < 900
        && group != 0
        && serial != 0
        && !matches!((area, group, serial), (78, 5, 1120) | (219, 9, 9999))
}

/// Of the first ten digits exactly one stands twice or three times (then not side by side three times).
fn de(all: &[u32]) -> bool {
    let count = |digit: u32| all.iter().take(10).filter(|other| **other == digit).count();
    let several = (0..10).filter(|digit| count(*digit) > 1).count();
    let most = (0..10).map(count).max().unwrap_or_default();
    let side_by_side = all[..10].windows(3).any(|three| three[0] == three[1] && three[1] == three[2]);
    several == 1 && most <= 3 && !side_by_side && mod_11_10(all)
}

/// 97 minus the remainder; Corsica's 2A and 2B count as 19 and 18.
fn fr(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| *c != ' ').collect::<String>().to_ascii_uppercase();
    let (Some(body), Some(key)) = (plain.get(..13), plain.get(13..)) else { return false };
    let month: u32 = body[3..5].parse().unwrap_or_default();
    let known_month = (1..=12).contains(&month) || (20..=42).contains(&month) || (50..=99).contains(&month);
    let place = match &body[5..7] {
        "2A" => "19",
        "2B" => "18",
        place => place,
    };
    let counted = format!("{}{place}{}", &body[..5], &body[7..]);
    let (Ok(counted), Ok(key)) = (counted.parse::<u64>(), key.parse::<u64>()) else { return false };
    known_month && key == 97 - counted % 97
}

/// DNI and NIE: the letter is the remainder by 23.
fn es(text: &str) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase();
    let turned = match plain.chars().next() {
        Some('X') => plain.replacen('X', "0", 1),
        Some('Y') => plain.replacen('Y', "1", 1),
        Some('Z') => plain.replacen('Z', "2", 1),
        _ => plain,
    };
    let (Some(body), Some(letter)) = (turned.get(..8), turned.as_bytes().get(8).copied()) else { return false };
    body.parse::<usize>().is_ok_and(|body| body > 0 && LETTERS[body % 23] == letter)
}

/// Letters of the check: odd places by a table, even places by their value.
fn it(text: &str) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let plain: Vec<u8> = text.to_ascii_uppercase().into_bytes();
    let value = |byte: u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte.wrapping_sub(b'A') });
    let Some((check, body)) = plain.split_last() else { return false };
    let sum: u32 = body
        .iter()
        .enumerate()
        .map(|(at, byte)| {
            let value = value(*byte);
            if at % 2 == 0 { ODD.get(value as usize).copied().unwrap_or_default() } else { value }
        })
        .sum();
    sum % 26 == value(*check)
}

/// The month carries the century: 81 to 92 for 1800, 1 to 12 for 1900, 21 to 32 for 2000 and so on.
fn pl(all: &[u32]) -> bool {
    let [y1, y2, m1, m2, d1, d2, ..] = all else { return false };
    let month = number(&[*m1, *m2]);
    let century = match month / 20 {
        4 => 1800,
        other => 1900 + other * 100,
    };
    let day = is_day(century + number(&[*y1, *y2]), month % 20, number(&[*d1, *d2]));
    let sum = weighted(&all[..10], &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
    day && (10 - sum % 10) % 10 == all[10]
}

fn nl(all: &[u32]) -> bool {
    let (Some(body), Some(last)) = (all.get(..8), all.get(8)) else { return false };
    let sum = weighted(body, &[9, 8, 7, 6, 5, 4, 3, 2]);
    sum > 0 && sum % 11 == *last
}

/// Province, day of birth, and a check by ISO 7064 MOD 11-2.
fn cn(text: &str) -> bool {
    let all = digits(&text[..17]);
    let (year, month, day) = (number(&all[6..10]), number(&all[10..12]), number(&all[12..14]));
    let province = matches!(
        number(&all[..2]),
        11..=15 | 21..=23 | 31..=37 | 41..=46 | 50..=54 | 61..=65 | 71 | 81..=83
    );
    let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let check = b"10X98765432"[(weighted(&all, &weights) % 11) as usize];
    let last = text.bytes().last().map(|byte| byte.to_ascii_uppercase());
    province && (1850..=2100).contains(&year) && is_day(year, month, day) && last == Some(check)
}

fn br(all: &[u32]) -> bool {
    let check = |length: usize| {
        let weights: Vec<u32> = (2..).take(length).collect();
        let sum: u32 = all[..length].iter().rev().zip(&weights).map(|(digit, weight)| digit * weight).sum();
        if sum % 11 < 2 { 0 } else { 11 - sum % 11 }
    };
    all.len() == 11 && all.iter().any(|digit| *digit != all[0]) && check(9) == all[9] && check(10) == all[10]
}
