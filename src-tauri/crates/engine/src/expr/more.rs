//! Functions that other expression languages have: all matches of a pattern, flat lists, months and years, numbers for people (ADR 177).

use super::budget::{BLOCK, HELD};
use super::eval::{Out, Run, fail};
use super::funcs::pattern;
use super::library::{fixed, made, shortest, zone_of};
use super::time::Time;
use super::val::V;
use jiff::{Span, Timestamp};
use std::sync::Arc;

/// Most decimals that are written.
const MOST_DIGITS: i64 = 20;

/// Every match with its groups.
pub(super) fn find_all<'a>(run: &Run<'a>, text: &str, wanted: &str) -> Out<V<'a>> {
    let wanted = pattern(run, wanted)?;
    run.budget.work(text.len() / 16 + 1)?;
    let mut all = Vec::new();
    for found in wanted.captures_iter(text) {
        let mut groups = Vec::with_capacity(found.len());
        run.budget.made(BLOCK + HELD)?;
        for group in found.iter() {
            run.budget.made(HELD + BLOCK + group.map_or(0, |group| group.len()))?;
            groups.push(group.map_or(V::Null, |group| V::MadeText(group.as_str().into())));
        }
        all.push(V::List(Arc::new(groups)));
    }
    Ok(V::List(Arc::new(all)))
}

/// The entries of the lists in a list; what is no list stays.
pub(super) fn flatten<'a>(run: &Run<'a>, list: &V<'a>) -> Option<Out<V<'a>>> {
    let is_list = |value: &V<'a>| !value.is_map() && value.text().is_none();
    let total = list.len().filter(|_| is_list(list))?;
    let mut all = Vec::new();
    for entry in (0..total).filter_map(|place| list.nth(place)) {
        let inner = entry.len().filter(|_| is_list(&entry));
        if let Err(error) = run.budget.made(BLOCK + inner.unwrap_or(1) * HELD) {
            return Some(Err(error));
        }
        match inner {
            Some(count) => all.extend((0..count).filter_map(|place| entry.nth(place))),
            None => all.push(entry),
        }
    }
    Some(Ok(V::List(Arc::new(all))))
}

/// The text behind a percent-encoded one.
pub(super) fn url_decode<'a>(run: &Run<'a>, text: &str) -> Out<V<'a>> {
    run.budget.work(text.len() / 16 + 1)?;
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte != b'%' {
            out.push(*byte);
            at += 1;
            continue;
        }
        let Some(digits) = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            return fail("`urlDecode`: behind a `%` there are two hex digits, as in `%20`.");
        };
        out.push(digits);
        at += 3;
    }
    match String::from_utf8(out) {
        Ok(text) => made(run, text),
        Err(_) => fail("`urlDecode`: the bytes are no text in UTF-8."),
    }
}

/// A number that JSON can say.
pub(super) fn finite<'a>(name: &str, value: f64) -> Out<V<'a>> {
    if value.is_finite() { Ok(shortest(value)) } else { fail(format!("`{name}`: the result is no number.")) }
}

/// "1,234.5": groups of three digits, at least and at most so many decimals.
pub(super) fn format_number<'a>(run: &Run<'a>, value: Option<f64>, digits: &[V<'a>]) -> Option<Out<V<'a>>> {
    let value = value.filter(|value| value.is_finite())?;
    let bound = |at: usize, default: i64| match digits.get(at) {
        None => Some(default),
        Some(V::Int(count)) if (0..=MOST_DIGITS).contains(count) => Some(*count),
        Some(_) => None,
    };
    let Some((least, most)) = bound(0, 0).and_then(|least| Some((least, bound(1, least.max(3))?))) else {
        return Some(fail(format!("`formatNumber` needs numbers of decimals from 0 to {MOST_DIGITS}.")));
    };
    let written = fixed(value, most.max(least));
    let (sign, plain) = written.strip_prefix('-').map_or(("", written.as_str()), |plain| ("-", plain));
    let (whole, decimals) = plain.split_once('.').unwrap_or((plain, ""));
    let least = usize::try_from(least).unwrap_or(0);
    let kept = decimals.trim_end_matches('0').len().max(least).min(decimals.len());
    let mut out = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if kept > 0 {
        out.push('.');
        out.push_str(&decimals[..kept]);
    }
    Some(made(run, out))
}

const OUT_OF_RANGE: &str = "`addTime`: the time is out of range; times are of the years 1 to 9999.";

/// A time so many units later by the calendar of its zone: a month after 31 January is the last of February.
pub(super) fn add_time<'a>(moment: Timestamp, amount: &V<'a>, unit: &V<'a>, zone: Option<&V<'a>>) -> Out<V<'a>> {
    let (V::Int(amount), Some(unit)) = (amount, unit.text()) else {
        return fail("`addTime` needs a whole number and a unit: `addTime(time, 1, 'month', 'Europe/Berlin')`.");
    };
    let span = match unit.trim_end_matches('s') {
        "year" => Span::new().try_years(*amount),
        "month" => Span::new().try_months(*amount),
        "week" => Span::new().try_weeks(*amount),
        "day" => Span::new().try_days(*amount),
        "hour" => Span::new().try_hours(*amount),
        "minute" => Span::new().try_minutes(*amount),
        "second" => Span::new().try_seconds(*amount),
        _ => return fail("`addTime` knows the units year, month, week, day, hour, minute and second."),
    };
    let zoned = moment.to_zoned(zone_of(zone, "addTime")?);
    match span.and_then(|span| zoned.checked_add(span)) {
        Ok(later) => match Time::of(later.timestamp()) {
            Some(later) => Ok(V::Time(Arc::new(later))),
            None => fail(OUT_OF_RANGE),
        },
        Err(_) => fail(OUT_OF_RANGE),
    }
}
