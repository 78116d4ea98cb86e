//! Values of databases as JSON text, without loss: what a number of JSON does not hold is a text with all its digits.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use signalbox_model::data::compact;
use signalbox_model::digits;
use signalbox_ports::databases::{DatabaseError, DatabaseFault, RowSink};
use std::collections::HashSet;
use std::io::Write as _;

/// Doubles below this that are whole numbers are written as such, without ".0".
const WHOLE: f64 = 1e15;
const DAY_MICROS: i64 = 86_400_000_000;

/// A text.
pub(super) fn text(out: &mut Vec<u8>, value: &str) {
    // Nothing fails in memory.
    let _written = serde_json::to_writer(out, value);
}

/// Anything that prints as a number of JSON.
pub(super) fn plain(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    let _written = write!(out, "{value}");
}

/// A double; what JSON has no number for is a text.
pub(super) fn double(out: &mut Vec<u8>, value: f64) {
    if value.is_nan() {
        text(out, "NaN");
    } else if value.is_infinite() {
        text(out, if value > 0.0 { "Infinity" } else { "-Infinity" });
    } else if value.fract() == 0.0 && value.abs() < WHOLE && !(value == 0.0 && value.is_sign_negative()) {
        plain(out, value);
    } else {
        let _written = serde_json::to_writer(out, &value);
    }
}

/// A single, with the digits that it is written with.
pub(super) fn single(out: &mut Vec<u8>, value: f32) {
    match value.to_string().parse::<f64>() {
        Ok(double_of) if value.is_finite() => double(out, double_of),
        _ => double(out, f64::from(value)),
    }
}

/// A decimal by its digits.
pub(super) fn decimal(out: &mut Vec<u8>, digits_of: &str) {
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

/// Bytes, as text in base64.
pub(super) fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    text(out, &STANDARD.encode(value));
}

/// A JSON text as the value that it is.
pub(super) fn embedded(out: &mut Vec<u8>, json: &str) {
    let quoted = digits::quoted(json);
    let json = quoted.as_deref().unwrap_or(json);
    let mut made = String::new();
    if compact(json, &mut made) {
        out.extend_from_slice(made.as_bytes());
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
pub(super) fn date_text(days: i64) -> String {
    let (year, month, day) = civil(days);
    if (0..=9_999).contains(&year) {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        format!("{}{:04}-{month:02}-{day:02}", if year < 0 { '-' } else { '+' }, year.abs())
    }
}

/// `13:45:00`, with three or six digits of a second where there are some, or where `always`.
pub(super) fn time_text(micros: i64, always: bool) -> String {
    let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match fraction {
        0 if !always => clock,
        micros if micros % 1_000 == 0 => format!("{clock}.{:03}", micros / 1_000),
        micros => format!("{clock}.{micros:06}"),
    }
}

/// `2024-02-29T13:45:00.000`, with `Z` where it is a moment.
pub(super) fn timestamp_text(micros: i64, is_moment: bool) -> String {
    let (day, time) = (micros.div_euclid(DAY_MICROS), micros.rem_euclid(DAY_MICROS));
    format!("{}T{}{}", date_text(day), time_text(time, true), if is_moment { "Z" } else { "" })
}

/// Writes rows as objects, and counts them.
pub(super) struct RowWriter {
    /// `{"name":` and `,"name":`.
    heads: Vec<Vec<u8>>,
    buffer: Vec<u8>,
    rows: u64,
    max_rows: u32,
}

impl RowWriter {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>, max_rows: u32) -> Result<Self, DatabaseError> {
        let (mut seen, mut heads) = (HashSet::new(), Vec::new());
        for name in names {
            if !seen.insert(name) {
                let words = format!(
                    "Two columns of the result are named '{name}', and an item has each name once. Give one of them another name with AS"
                );
                return Err(DatabaseError::new(DatabaseFault::DuplicateColumn, words).detail("column", name));
            }
            let mut head = vec![if heads.is_empty() { b'{' } else { b',' }];
            text(&mut head, name);
            head.push(b':');
            heads.push(head);
        }
        Ok(Self { heads, buffer: Vec::new(), rows: 0, max_rows })
    }

    /// Where the value of a column goes; columns are asked for in their order.
    pub(super) fn column(&mut self, at: usize) -> &mut Vec<u8> {
        if let Some(head) = self.heads.get(at) {
            self.buffer.extend_from_slice(head);
        }
        &mut self.buffer
    }

    /// Hands the row on.
    pub(super) fn end(&mut self, sink: &mut dyn RowSink) -> Result<(), DatabaseError> {
        if self.heads.is_empty() {
            self.buffer.push(b'{');
        }
        self.buffer.push(b'}');
        self.rows += 1;
        if self.rows > u64::from(self.max_rows) {
            let words = format!(
                "The result has more than {} rows. Ask for fewer rows with a condition or LIMIT, or raise 'maxRows'",
                self.max_rows
            );
            return Err(DatabaseError::new(DatabaseFault::TooManyRows, words).detail("maxRows", self.max_rows));
        }
        // Only texts and what prints were written.
        let done = match std::str::from_utf8(&self.buffer) {
            Ok(row) => sink.row(row),
            Err(_) => Err(DatabaseError::new(DatabaseFault::Other, "A value is no text in UTF-8")),
        };
        self.buffer.clear();
        done
    }
}

#[cfg(test)]
mod tests;
