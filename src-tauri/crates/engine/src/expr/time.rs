//! Times and durations of expressions, as CEL defines them: times of the years 1 to 9999 in UTC, durations of up to 2^63
//! nanoseconds. The zones are those of schedules, so that a program carries one table of them.

use super::error::quote;
use super::eval::{Out, fail};
use super::val::V;
use jiff::Timestamp;
use jiff::tz::TimeZoneDatabase;
use serde_json::Value;
use std::sync::Arc;

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400;
/// `0001-01-01T00:00:00Z` and `9999-12-31T23:59:59Z`.
const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;
/// What starts as another one comes after it.
const UNITS: [(&str, i64); 6] =
    [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("h", 3_600 * SECOND), ("m", 60 * SECOND), ("s", SECOND)];

/// `timestamp` or `duration`. Two of the same kind are compared in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Time {
    Moment {
        /// Since 1970, and before it negative.
        seconds: i64,
        nanos: u32,
    },
    /// Nanoseconds.
    Length(i64),
}

impl Time {
    /// Nothing outside of the years 1 to 9999.
    fn moment(nanos: i128) -> Option<Self> {
        let seconds = i64::try_from(nanos.div_euclid(SECOND.into())).ok()?;
        let nanos = u32::try_from(nanos.rem_euclid(SECOND.into())).ok()?;
        (FIRST..=LAST).contains(&seconds).then_some(Self::Moment { seconds, nanos })
    }

    pub(super) fn of(moment: Timestamp) -> Option<Self> {
        Self::moment(moment.as_nanosecond())
    }

    /// A time as the library of dates has it, whose last day ends some hours early.
    pub(super) fn timestamp(self) -> Option<Timestamp> {
        match self {
            Self::Moment { .. } => Timestamp::from_nanosecond(self.nanos()).ok(),
            Self::Length(_) => None,
        }
    }

    fn nanos(self) -> i128 {
        match self {
            Self::Moment { seconds, nanos } => i128::from(seconds) * i128::from(SECOND) + i128::from(nanos),
            Self::Length(nanos) => nanos.into(),
        }
    }

    /// RFC 3339 in UTC; seconds with an `s`.
    fn text(self) -> String {
        match self {
            Self::Moment { seconds, nanos } => {
                let (year, month, day) = date_of(seconds.div_euclid(DAY));
                let of_day = seconds.rem_euclid(DAY);
                let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
                let fraction = fraction(nanos);
                format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
            }
            Self::Length(nanos) => {
                let sign = if nanos < 0 { "-" } else { "" };
                let (nanos, second) = (nanos.unsigned_abs(), SECOND.unsigned_abs());
                let fraction = fraction(u32::try_from(nanos % second).unwrap_or_default());
                format!("{sign}{}{fraction}s", nanos / second)
            }
        }
    }

    /// Times as RFC 3339, durations as milliseconds (K-08).
    pub(super) fn json(self) -> Value {
        match self {
            Self::Moment { .. } => Value::String(self.text()),
            Self::Length(nanos) => Value::from(nanos / 1_000_000),
        }
    }
}

/// Decimals behind a number of seconds.
fn fraction(nanos: u32) -> String {
    if nanos == 0 {
        return String::new();
    }
    format!(".{nanos:09}").trim_end_matches('0').to_owned()
}

/// Carries out a function of times with one to three arguments.
pub(super) fn call<'a>(name: &str, args: &[&V<'_>]) -> Out<V<'a>> {
    for arg in args {
        scalar(arg)?;
    }
    let made = match (name, args) {
        ("string", [V::Time(time)]) => return Ok(V::MadeText(time.text().into())),
        ("int", [V::Time(time)]) => match **time {
            Time::Moment { seconds, .. } => return Ok(V::Int(seconds)),
            Time::Length(_) => None,
        },
        ("timestamp", [V::Time(time)]) if matches!(**time, Time::Moment { .. }) => Some(**time),
        ("timestamp", [V::Int(seconds)]) => Time::moment(i128::from(*seconds) * i128::from(SECOND)),
        ("timestamp", [text]) => text.text().and_then(parsed),
        ("duration", [V::Time(time)]) if matches!(**time, Time::Length(_)) => Some(**time),
        ("duration", [text]) => text.text().and_then(length).map(Time::Length),
        (_, [V::Time(time)]) => match part(name, **time, 0) {
            Some(found) => return Ok(V::Int(found)),
            None => None,
        },
        (_, [V::Time(time), zone]) if matches!(**time, Time::Moment { .. }) => {
            if let Some(zone) = zone.text() {
                let Some(offset) = offset(zone, **time) else {
                    return fail(format!(
                        "`{name}`: there is no time zone `{}`. Write a name such as `Europe/Berlin`, `UTC`, or an offset such \
                         as `+05:30`.",
                        quote(zone)
                    ));
                };
                if let Some(found) = part(name, **time, offset) {
                    return Ok(V::Int(found));
                }
            }
            None
        }
        _ => None,
    };
    match made {
        Some(made) => Ok(V::Time(Arc::new(made))),
        None => unfit(name, args),
    }
}

/// `+`, or `-` when it is to be taken away.
pub(super) fn computed<'a>(minus: bool, left: &V<'_>, right: &V<'_>) -> Out<V<'a>> {
    let sign = if minus { "-" } else { "+" };
    let (V::Time(a), V::Time(b)) = (left, right) else { return unfit(sign, &[left, right]) };
    let nanos = if minus { a.nanos() - b.nanos() } else { a.nanos() + b.nanos() };
    let made = match (**a, **b, minus) {
        (Time::Moment { .. }, Time::Moment { .. }, false) | (Time::Length(_), Time::Moment { .. }, true) => {
            return unfit(sign, &[left, right]);
        }
        (Time::Moment { .. }, Time::Moment { .. }, true) | (Time::Length(_), Time::Length(_), _) => {
            i64::try_from(nanos).ok().map(Time::Length)
        }
        (Time::Moment { .. }, Time::Length(_), _) | (Time::Length(_), Time::Moment { .. }, false) => {
            Time::moment(nanos)
        }
    };
    match made {
        Some(made) => Ok(V::Time(Arc::new(made))),
        None => fail(format!(
            "The result of `{sign}` is out of range: times are of the years 1 to 9999, durations at most 292 years long."
        )),
    }
}

fn unfit<'a>(name: &str, args: &[&V<'_>]) -> Out<V<'a>> {
    let kinds: Vec<&str> = args.iter().map(|arg| arg.kind_with_article()).collect();
    let hint = match name {
        "timestamp" => " A time looks like `2026-01-31T09:30:00Z`, in the years 1 to 9999.",
        "duration" => " A duration looks like `1h30m` or `45s`, of at most 292 years.",
        _ => "",
    };
    fail(format!("`{name}` does not work with {}.{hint}", kinds.join(" and ")))
}

/// Refuses what no function of times takes.
fn scalar(value: &V<'_>) -> Out<()> {
    match value {
        V::Null | V::Bool(_) | V::Int(_) | V::Uint(_) | V::Double(_) | V::Time(_) => Ok(()),
        V::Text(_) | V::MadeText(_) | V::LongText(_) => match value.text() {
            Some(text) if text.len() > 200 => fail("The text is too long for a time or a duration."),
            _ => Ok(()),
        },
        other => fail(format!("{} is no time and no duration.", other.kind_with_article())),
    }
}

/// What `getHours` and the like give, so many seconds east of UTC.
fn part(name: &str, time: Time, offset: i64) -> Option<i64> {
    let (seconds, nanos) = match time {
        Time::Length(nanos) => {
            let unit = match name {
                "getHours" => 3_600 * SECOND,
                "getMinutes" => 60 * SECOND,
                "getSeconds" => SECOND,
                "getMilliseconds" => 1_000_000,
                _ => return None,
            };
            return Some(nanos / unit);
        }
        Time::Moment { seconds, nanos } => (seconds + offset, nanos),
    };
    let (days, of_day) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = date_of(days);
    Some(match name {
        "getFullYear" => year,
        "getMonth" => month - 1,
        "getDate" => day,
        "getDayOfMonth" => day - 1,
        // 1970 began on a Thursday.
        "getDayOfWeek" => (days + 4).rem_euclid(7),
        "getDayOfYear" => days - days_to(year, 1, 1),
        "getHours" => of_day / 3_600,
        "getMinutes" => of_day / 60 % 60,
        "getSeconds" => of_day % 60,
        "getMilliseconds" => i64::from(nanos / 1_000_000),
        _ => return None,
    })
}

/// Seconds east of UTC at a time: the name of a zone, or `[+-]HH:MM`, where there is a colon.
fn offset(zone: &str, time: Time) -> Option<i64> {
    if zone.is_empty() {
        return Some(0);
    }
    let Some((hours, minutes)) = zone.split_once(':') else {
        let name = zone;
        // As it is written there: the table would take `europe/berlin`, too.
        let zone = TimeZoneDatabase::bundled().get(name).ok().filter(|zone| zone.iana_name() == Some(name))?;
        return Some(zone.to_offset(time.timestamp().unwrap_or(Timestamp::MAX)).seconds().into());
    };
    let (hour, minute): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    if !(-23..=23).contains(&hour) || !(0..=59).contains(&minute) {
        return None;
    }
    let minute = if hours.starts_with('-') { -minute } else { minute };
    Some((hour * 60 + minute) * 60)
}

/// A time of RFC 3339. A leap second is the second before it; decimals after the ninth are dropped.
fn parsed(text: &str) -> Option<Time> {
    let number = |from: usize, to: usize| text.get(from..to).and_then(digits);
    let is = |at: usize, wanted: &[u8]| text.as_bytes().get(at).is_some_and(|found| wanted.contains(found));
    if !(is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":")) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=last).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let (nanos, zone) = match rest.strip_prefix('.') {
        Some(rest) => {
            let end = rest.bytes().take_while(u8::is_ascii_digit).count();
            let decimals = rest.get(..end).filter(|found| !found.is_empty())?;
            let kept = decimals.get(..9).unwrap_or(decimals);
            (digits(kept)? * 10_i64.pow(9 - u32::try_from(kept.len()).ok()?), rest.get(end..)?)
        }
        None => (0, rest),
    };
    let offset = match zone {
        "Z" | "z" => 0,
        _ => {
            let (east, zone) = match zone.chars().next()? {
                '+' => (1, zone.get(1..)?),
                '-' => (-1, zone.get(1..)?),
                // The minus of typography.
                '\u{2212}' => (-1, zone.get(3..)?),
                _ => return None,
            };
            let (hours, minutes) =
                zone.split_once(':').filter(|(hours, minutes)| hours.len() == 2 && minutes.len() == 2)?;
            let (hours, minutes) = (digits(hours)?, digits(minutes)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            east * (hours * 60 + minutes) * 60
        }
    };
    let seconds = days_to(year, month, day) * DAY + hour * 3_600 + minute * 60 + second.min(59) - offset;
    Time::moment(i128::from(seconds) * i128::from(SECOND) + i128::from(nanos))
}

/// Digits and nothing else.
fn digits(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) { None } else { text.parse().ok() }
}

/// Numbers with units, `1h30m` or `-1.5s`, and `0`, in nanoseconds.
fn length(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0_i128;
    while !rest.is_empty() {
        let (whole, after) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        let (decimals, after) = match after.strip_prefix('.') {
            Some(after) => after.split_at(after.bytes().take_while(u8::is_ascii_digit).count()),
            None => ("", after),
        };
        let (unit, after) =
            UNITS.iter().find_map(|(name, nanos)| after.strip_prefix(name).map(|after| (*nanos, after)))?;
        if whole.is_empty() && decimals.is_empty() {
            return None;
        }
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        // An hour has 13 digits of nanoseconds: what is left out is below one.
        let kept = decimals.get(..15).unwrap_or(decimals);
        let scale = 10_i128.pow(u32::try_from(kept.len()).ok()?);
        let decimals = i128::from(if kept.is_empty() { 0 } else { digits(kept)? });
        let added = whole.checked_mul(unit.into())?.checked_add(decimals * i128::from(unit) / scale)?;
        total = total.checked_add(added)?;
        rest = after;
    }
    i64::try_from(sign * total).ok()
}

/// Days from 1970-01-01 to a day of the Gregorian calendar. Years are counted from March here, so that a leap day is the last.
fn days_to(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_cycle = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year.div_euclid(400) * 146_097 + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year - 719_468
}

/// Year, month and day so many days after 1970-01-01.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let of_cycle = days.rem_euclid(146_097);
    let year = (of_cycle - of_cycle / 1_460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (days.div_euclid(146_097) * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests;
