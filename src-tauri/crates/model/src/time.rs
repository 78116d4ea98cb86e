//! RFC 3339 with milliseconds and `Z`, without a clock.

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type Millis = i64;

/// What four digits of a year can say: from the first moment of the year 0 to the last of 9999.
const SAYABLE: (Millis, Millis) = (-62_167_219_200_000, 253_402_300_799_999);

/// Formats as `2026-11-21T22:38:06.123Z`; a moment that four digits of a year cannot say is the nearest that they can, so
/// that [`parse`] reads whatever was written. Days to civil date after H. Hinnant's algorithm for the proleptic Gregorian
/// calendar.
pub fn format(ms: Millis) -> String {
    let ms = ms.clamp(SAYABLE.0, SAYABLE.1);
    let days = ms.div_euclid(86_400_000);
    let rest = ms.rem_euclid(86_400_000);
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    let (h, m, s, milli) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60, rest % 1_000);
    // Made for every event and every audit entry, where `format!` is slow.
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let parts = [(year, 0..4), (month, 5..7), (day, 8..10), (h, 11..13), (m, 14..16), (s, 17..19), (milli, 20..23)];
    for (mut number, places) in parts {
        for digit in text[places].iter_mut().rev() {
            *digit += u8::try_from(number % 10).unwrap_or_default();
            number /= 10;
        }
    }
    // Digits are text.
    String::from_utf8(text.to_vec()).unwrap_or_default()
}

/// How long something took between two readings of a clock, ms: at least nothing, for a clock that was put back makes no time.
pub fn took_ms(from: Millis, to: Millis) -> Millis {
    to.saturating_sub(from).max(0)
}

/// Parses RFC 3339 (any offset, any number of fraction digits). `None` when it is not one.
pub fn parse(text: &str) -> Option<Millis> {
    let bytes = text.as_bytes();
    if let Some(ms) = bytes.try_into().ok().and_then(parse_own) {
        return Some(ms);
    }
    let number = |from: usize, to: usize| -> Option<i64> {
        let part = text.get(from..to)?;
        if !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        part.parse().ok()
    };
    if bytes.len() < 20 || bytes[4] != b'-' || bytes[7] != b'-' || !matches!(bytes[10], b'T' | b't' | b' ') {
        return None;
    }
    if bytes[13] != b':' || bytes[16] != b':' {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if day == 0 || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut at = 19;
    let mut milli = 0;
    if bytes.get(at) == Some(&b'.') {
        let start = at + 1;
        let mut end = start;
        while bytes.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
        if end == start {
            return None;
        }
        let digits = text.get(start..end.min(start + 3))?;
        milli = digits.parse::<i64>().ok()? * [100, 10, 1][digits.len() - 1];
        at = end;
    }
    let offset = match bytes.get(at)? {
        b'Z' | b'z' if bytes.len() == at + 1 => 0,
        sign @ (b'+' | b'-') if bytes.len() == at + 6 && bytes[at + 3] == b':' => {
            let (hours, minutes) = (number(at + 1, at + 3)?, number(at + 4, at + 6)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let minutes = hours * 60 + minutes;
            if *sign == b'+' { minutes } else { -minutes }
        }
        _ => return None,
    };
    moment([year, month, day], [hour, minute - offset, second, milli])
}

/// What [`format`] writes, which is read for every event. Of anything else it knows nothing.
fn parse_own(text: &[u8; 24]) -> Option<Millis> {
    const SHAPE: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    let mut numbers = [0_i64; 7];
    let mut at = 0;
    for (byte, shape) in text.iter().zip(SHAPE) {
        if *shape != b'0' {
            if byte != shape {
                return None;
            }
            at += 1;
        } else if byte.is_ascii_digit() {
            let number = numbers.get_mut(at)?;
            *number = *number * 10 + i64::from(byte - b'0');
        } else {
            return None;
        }
    }
    let [year, month, day, hour, minute, second, milli] = numbers;
    if day == 0 || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    moment([year, month, day], [hour, minute, second, milli])
}

/// A day, and what comes after its beginning: hours, minutes, seconds, milliseconds.
fn moment([year, month, day]: [i64; 3], [hour, minute, second, milli]: [i64; 4]) -> Option<Millis> {
    if day > days_in_month(year, month) {
        return None;
    }
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    let days = era * 146_097 + doe - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1_000 + milli)
}

/// Days of a month of the Gregorian calendar; none when there is no such month.
pub fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 => 29,
        2 => 28,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{format, parse, took_ms};

    #[test]
    fn a_clock_that_was_put_back_makes_no_time() {
        assert_eq!((took_ms(5, 12), took_ms(12, 5), took_ms(i64::MAX, i64::MIN)), (7, 0, 0));
    }

    #[test]
    fn known_instants_format_and_parse() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_300_686_123, "2026-11-21T22:38:06.123Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(format(ms), text);
            assert_eq!(parse(text), Some(ms));
        }
        assert_eq!(parse("2026-11-21T23:38:06.1+01:00"), Some(1_795_300_686_100));
        assert_eq!(format(i64::MAX), "9999-12-31T23:59:59.999Z");
        assert_eq!(parse(&format(i64::MAX)), Some(253_402_300_799_999));
        assert_eq!(parse(&format(i64::MIN)), Some(-62_167_219_200_000));
        for bad in [
            "",
            "2026-11-21",
            "2026-11-00T00:00:00Z",
            "2026-11-21T23:38:06+24:00",
            "2026-13-01T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2026-11-21T22:38:06",
            "2026-11-21T22:38:06.Z",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
