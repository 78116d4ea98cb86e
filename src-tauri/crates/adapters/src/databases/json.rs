//! Values of databases as JSON text, without loss: what a number of JSON does not hold is a text with all its digits.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use signalbox_model::data::compact;
use signalbox_model::{digits, repeated_members};
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

/// A whole number, or true and false.
pub(super) fn plain(out: &mut Vec<u8>, value: impl Serialize) {
    let _written = serde_json::to_writer(out, &value);
}

/// A whole number with zeros before it, up to a width.
pub(super) fn padded(out: &mut Vec<u8>, value: u64, width: usize) {
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
pub(super) fn in_quotes(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    write(out);
    out.push(b'"');
}

/// A double; what JSON has no number for is a text.
pub(super) fn double(out: &mut Vec<u8>, value: f64) {
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

/// A JSON text as the value that it is; as text when an object has a member twice, which no value holds.
pub(super) fn embedded(out: &mut Vec<u8>, json: &str) {
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
pub(super) fn date(out: &mut Vec<u8>, days: i64) {
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

/// `13:45:00`, with three or six digits of a second where there are some, or where `always`.
pub(super) fn time(out: &mut Vec<u8>, micros: i64, always: bool) {
    let (seconds, fraction) = (micros.unsigned_abs() / 1_000_000, micros.unsigned_abs() % 1_000_000);
    padded(out, seconds / 3_600, 2);
    for part in [seconds / 60 % 60, seconds % 60] {
        out.push(b':');
        padded(out, part, 2);
    }
    if fraction == 0 && !always {
        return;
    }
    out.push(b'.');
    match fraction % 1_000 {
        0 => padded(out, fraction / 1_000, 3),
        _ => padded(out, fraction, 6),
    }
}

/// `2024-02-29T13:45:00.000`, with `Z` where it is a moment.
pub(super) fn timestamp(out: &mut Vec<u8>, micros: i64, is_moment: bool) {
    date(out, micros.div_euclid(DAY_MICROS));
    out.push(b'T');
    time(out, micros.rem_euclid(DAY_MICROS), true);
    if is_moment {
        out.push(b'Z');
    }
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
    /// Tells the sink the columns; a statement that gives no rows has none.
    pub(super) fn new(names: &[String], max_rows: u32, sink: &mut dyn RowSink) -> Result<Self, DatabaseError> {
        let (mut seen, mut heads) = (HashSet::new(), Vec::new());
        for name in names {
            if !seen.insert(name) {
                let words = format!(
                    "Two columns of the result are named '{name}', and an item has each name once. Give one of them another name with AS"
                );
                return Err(DatabaseError::new(DatabaseFault::DuplicateColumn, words).detail("column", name.as_str()));
            }
            let mut head = vec![if heads.is_empty() { b'{' } else { b',' }];
            text(&mut head, name);
            head.push(b':');
            heads.push(head);
        }
        if !names.is_empty() {
            sink.columns(names)?;
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

    /// One more row, whose cells are given elsewhere.
    pub(super) fn count(&mut self) -> Result<(), DatabaseError> {
        self.rows += 1;
        if self.rows > u64::from(self.max_rows) {
            let words = format!(
                "The result has more than {} rows. Ask for fewer rows with a condition or LIMIT, or raise 'maxRows'",
                self.max_rows
            );
            return Err(DatabaseError::new(DatabaseFault::TooManyRows, words).detail("maxRows", self.max_rows));
        }
        Ok(())
    }

    /// Hands the row on. Then [`room`] is waited for.
    pub(super) fn end(&mut self, sink: &mut dyn RowSink) -> Result<(), DatabaseError> {
        if self.heads.is_empty() {
            self.buffer.push(b'{');
        }
        self.buffer.push(b'}');
        self.count()?;
        // Only texts and what prints were written.
        let done = match std::str::from_utf8(&self.buffer) {
            Ok(row) => sink.row(row),
            Err(_) => Err(DatabaseError::new(DatabaseFault::Other, "A value is no text in UTF-8")),
        };
        self.buffer.clear();
        done
    }
}

/// Waits until whoever takes the rows has room for the next one; meanwhile the database sends no more than fits into the connection.
pub(super) async fn room(sink: &mut dyn RowSink) {
    std::future::poll_fn(|context| sink.poll_room(context)).await;
}

#[cfg(test)]
mod tests;
