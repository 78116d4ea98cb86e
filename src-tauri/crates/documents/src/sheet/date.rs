//! Dates of workbooks: days since 1900 or 1904 as ISO 8601 text, and back.

use calamine::ExcelDateTime;
use std::fmt::Write as _;

/// The day after the last one that the format knows (1 January 10000).
const END: f64 = 2_958_466.0;
const DAYS_1900_TO_1904: f64 = 1_462.0;

/// A date, a time or a duration as ISO 8601; `None` = outside of what the format can say, so that the number itself is the value.
pub(super) fn iso(date: &ExcelDateTime, is_1904: bool) -> Option<String> {
    let value = date.as_f64();
    if date.is_duration() {
        return duration(value);
    }
    let end = if is_1904 { END - DAYS_1900_TO_1904 } else { END };
    if !(0.0..end).contains(&value) {
        return None;
    }
    let (year, month, day, hour, minute, second, milli) = date.to_ymd_hms_milli();
    let mut text = String::with_capacity(23);
    let has_time = (hour, minute, second, milli) != (0, 0, 0, 0);
    let is_time = value < 1.0;
    if !is_time {
        write!(text, "{year:04}-{month:02}-{day:02}").ok()?;
    }
    if has_time || is_time {
        let between = if is_time { "" } else { "T" };
        write!(text, "{between}{hour:02}:{minute:02}:{second:02}").ok()?;
        if milli != 0 {
            write!(text, ".{milli:03}").ok()?;
        }
    }
    Some(text)
}

/// `PT26H30M` of days.
fn duration(days: f64) -> Option<String> {
    let millis = (days * 86_400_000.0).round();
    if !millis.is_finite() || millis.abs() > 1e15 {
        return None;
    }
    // In range, as was just checked.
    #[expect(clippy::cast_possible_truncation, reason = "at most 1e15")]
    let millis = millis as i64;
    let (sign, millis) = (if millis < 0 { "-" } else { "" }, millis.abs());
    let (seconds, millis) = (millis / 1000, millis % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = format!("{sign}PT");
    if hours > 0 {
        write!(text, "{hours}H").ok()?;
    }
    if minutes > 0 {
        write!(text, "{minutes}M").ok()?;
    }
    if millis > 0 {
        write!(text, "{seconds}.{millis:03}S").ok()?;
    } else if seconds > 0 || (hours == 0 && minutes == 0) {
        write!(text, "{seconds}S").ok()?;
    }
    Some(text)
}

/// What a text in ISO 8601 is in a workbook.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Serial {
    /// Days since 1900.
    Day(f64),
    /// Days since 1900 with a time.
    Moment(f64),
}

/// The serial number of `2026-11-28` or `2026-11-28T10:30`, to milliseconds; `None` = something else, or a time zone, which no
/// workbook holds.
pub(super) fn serial(text: &str) -> Option<Serial> {
    let bytes = text.as_bytes();
    if !(10..=23).contains(&bytes.len()) || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let date: jiff::civil::Date = text.get(..10)?.parse().ok()?;
    // The format has a 29 February 1900: what is before it is another day in some programs.
    if date < jiff::civil::date(1900, 3, 1) {
        return None;
    }
    let days = f64::from(jiff::civil::date(1899, 12, 30).until((jiff::Unit::Day, date)).ok()?.get_days());
    let Some(time) = text.get(10..).filter(|time| !time.is_empty()) else { return Some(Serial::Day(days)) };
    let time = time.strip_prefix('T').or_else(|| time.strip_prefix(' '))?;
    if !time.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.')) {
        return None;
    }
    let time: jiff::civil::Time = time.parse().ok()?;
    // A minute alone is a time; a fraction below a millisecond would be lost.
    if time.subsec_nanosecond() % 1_000_000 != 0 {
        return None;
    }
    let millis = (i32::from(time.hour()) * 60 + i32::from(time.minute())) * 60_000
        + i32::from(time.second()) * 1000
        + i32::from(time.millisecond());
    Some(Serial::Moment(days + f64::from(millis) / 86_400_000.0))
}
