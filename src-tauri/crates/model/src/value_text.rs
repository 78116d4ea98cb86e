//! Values of databases and of files of tables as JSON text, without loss: what a number of JSON does not hold is a text with all its
//! digits.

use crate::data::compact;
use crate::{digits, repeated_members};
use serde::Serialize;
use std::io::Write as _;

/// Doubles below this that are whole numbers are written as such, without ".0".
const WHOLE: f64 = 1e15;
const DAY_MICROS: i64 = 86_400_000_000;

/// A text.
pub fn text(out: &mut Vec<u8>, value: &str) {
    // Nothing fails in memory.
    let _written = serde_json::to_writer(out, value);
}

/// A whole number, or true and false.
pub fn plain(out: &mut Vec<u8>, value: impl Serialize) {
    let _written = serde_json::to_writer(out, &value);
}

/// A whole number with zeros before it, up to a width.
pub fn padded(out: &mut Vec<u8>, value: u64, width: usize) {
    let mut digits = [b'0'; 20];
    let (mut rest, mut first) = (value, digits.len());
    while rest > 0 || digits.len() - first < width {
        first -= 1;
        // Below ten.
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&digits[first..]);
}

/// What is written without quotes, with them: it has no sign that JSON escapes.
pub fn in_quotes(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    write(out);
    out.push(b'"');
}

/// A double; what JSON has no number for is a text.
pub fn double(out: &mut Vec<u8>, value: f64) {
    if value.is_nan() {
        text(out, "NaN");
    } else if value.is_infinite() {
        text(out, if value > 0.0 { "Infinity" } else { "-Infinity" });
    } else if value.fract() == 0.0 && value.abs() < WHOLE && !(value == 0.0 && value.is_sign_negative()) {
        let _written = write!(out, "{value}");
    } else {
        let _written = serde_json::to_writer(out, &value);
    }
}

/// A single, with the digits that it is written with.
pub fn single(out: &mut Vec<u8>, value: f32) {
    match value.to_string().parse::<f64>() {
        Ok(double_of) if value.is_finite() => double(out, double_of),
        _ => double(out, f64::from(value)),
    }
}

/// A decimal by its digits.
pub fn decimal(out: &mut Vec<u8>, digits_of: &str) {
    let short = match digits_of.split_once('.') {
        Some((_, fraction)) if !fraction.contains(['e', 'E']) => digits_of.trim_end_matches('0').trim_end_matches('.'),
        _ => digits_of,
    };
    let short = if short == "-0" { "0" } else { short };
    let is_number = short.strip_prefix('-').unwrap_or(short).starts_with(|c: char| c.is_ascii_digit());
    if is_number && digits::keeps(short) {
        out.extend_from_slice(short.as_bytes());
    } else {
        text(out, digits_of);
    }
}

/// A JSON text as the value that it is; as text when an object has a member twice, which no value holds.
pub fn embedded(out: &mut Vec<u8>, json: &str) {
    let quoted = digits::quoted(json);
    let json = quoted.as_deref().unwrap_or(json);
    let mut made = String::new();
    if compact(json, &mut made) {
        out.extend_from_slice(made.as_bytes());
    } else if repeated_members::repeated(json).is_some() {
        text(out, json);
    } else {
        match serde_json::from_str::<serde_json::Value>(json) {
            Ok(value) => {
                let _written = serde_json::to_writer(out, &value);
            }
            Err(_) => text(out, json),
        }
    }
}

/// Year, month and day of a day counted from 1970-01-01 in the Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    // Years begin in March here, so that the leap day is the last one; 400 of them have 146,097 days.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// `2024-02-29`; years of more than four digits have a sign (ISO 8601).
pub fn date(out: &mut Vec<u8>, days: i64) {
    let (year, month, day) = civil(days);
    if !(0..=9_999).contains(&year) {
        out.push(if year < 0 { b'-' } else { b'+' });
    }
    padded(out, year.unsigned_abs(), 4);
    for part in [month, day] {
        out.push(b'-');
        padded(out, part.unsigned_abs(), 2);
    }
}

/// `13:45:00`, with three, six or nine digits of a second where there are some, or with three where `always`.
pub fn time_nanos(out: &mut Vec<u8>, nanos: u64, always: bool) {
    let (seconds, fraction) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    padded(out, seconds / 3_600, 2);
    for part in [seconds / 60 % 60, seconds % 60] {
        out.push(b':');
        padded(out, part, 2);
    }
    if fraction == 0 && !always {
        return;
    }
    out.push(b'.');
    if fraction % 1_000_000 == 0 {
        padded(out, fraction / 1_000_000, 3);
    } else if fraction % 1_000 == 0 {
        padded(out, fraction / 1_000, 6);
    } else {
        padded(out, fraction, 9);
    }
}

/// The same of microseconds.
pub fn time(out: &mut Vec<u8>, micros: i64, always: bool) {
    // A clock shows no more than some days, so this is not reached.
    time_nanos(out, micros.unsigned_abs().saturating_mul(1_000), always);
}

/// `2024-02-29T13:45:00.000` of a day and the nanoseconds since it began, with `Z` where it is a moment.
pub fn day_time(out: &mut Vec<u8>, days: i64, nanos: u64, is_moment: bool) {
    date(out, days);
    out.push(b'T');
    time_nanos(out, nanos, true);
    if is_moment {
        out.push(b'Z');
    }
}

/// The same of microseconds since 1970.
pub fn timestamp(out: &mut Vec<u8>, micros: i64, is_moment: bool) {
    let in_day = micros.rem_euclid(DAY_MICROS).unsigned_abs();
    day_time(out, micros.div_euclid(DAY_MICROS), in_day * 1_000, is_moment);
}

/// A duration of ISO 8601 of months, days and nanoseconds, each with its sign: `P1Y2M3DT4H5M6.5S`.
pub fn interval(months: i64, days: i64, nanos: i128) -> String {
    let mut text = vec![b'P'];
    let part = |text: &mut Vec<u8>, number: i128, unit: char| {
        if number != 0 {
            let _written = write!(text, "{number}{unit}");
        }
    };
    part(&mut text, i128::from(months / 12), 'Y');
    part(&mut text, i128::from(months % 12), 'M');
    part(&mut text, i128::from(days), 'D');
    if nanos != 0 {
        text.push(b'T');
        part(&mut text, nanos / 3_600_000_000_000, 'H');
        part(&mut text, nanos / 60_000_000_000 % 60, 'M');
        let rest = nanos % 60_000_000_000;
        if rest != 0 {
            let sign = if rest < 0 { "-" } else { "" };
            let (seconds, fraction) = (rest.unsigned_abs() / 1_000_000_000, rest.unsigned_abs() % 1_000_000_000);
            let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:09}") };
            let _written = write!(text, "{sign}{seconds}{}S", fraction.trim_end_matches('0'));
        }
    }
    if text.len() == 1 {
        text.extend_from_slice(b"T0S");
    }
    // Only digits and letters were written.
    String::from_utf8(text).unwrap_or_default()
}

/// `01234567-89ab-cdef-0123-456789abcdef`.
pub fn uuid(out: &mut Vec<u8>, bytes: [u8; 16]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for (at, byte) in bytes.into_iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

#[cfg(test)]
mod tests;
