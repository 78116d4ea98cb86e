//! Functions on texts, numbers, lists and times that CEL's extension libraries and other expression languages have (ADR 138).

use super::budget::{BLOCK, HELD};
use super::encode;
use super::eval::{Out, Run, fail};
use super::funcs::{made_of, pattern};
use super::more;
use super::ops;
use super::val::{V, whole};
use crate::date_pattern;
use jiff::Timestamp;
use jiff::fmt::strtime;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};
use std::cmp::Ordering;
use std::sync::Arc;

/// Which function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Library {
    Json,
    FromJson,
    Slice,
    IndexOf,
    Round,
    Floor,
    Ceil,
    Abs,
    Fixed,
    Sum,
    Min,
    Max,
    Reverse,
    Unique,
    ReplacePattern,
    FindPattern,
    FormatTime,
    Merge,
    Chunks,
    Range,
    Base64,
    FromBase64,
    Hash,
    Flatten,
    FindAllPattern,
    AddTime,
    FormatNumber,
    UrlDecode,
    Sqrt,
    Pow,
    Untranslated,
}

/// Most decimals of `round` and `fixed`.
const MOST_DIGITS: i64 = 20;

pub(super) fn call<'a>(run: &Run<'a>, fun: Library, name: &str, usage: &str, args: &[V<'a>]) -> Out<V<'a>> {
    let unfit = |value: &V<'a>| {
        fail(format!("`{name}` does not work with {}. It is used as `{usage}`.", value.kind_with_article()))
    };
    match (fun, args) {
        (Library::Json, [one, indent @ ..]) if indent.len() < 2 => {
            let value = run.json(one)?;
            let text = match indent {
                [] => value.to_string(),
                [V::Int(width)] if (1..=10).contains(width) => indented(&value, usize::try_from(*width).unwrap_or(2)),
                [other, ..] => return unfit(other),
            };
            made(run, text)
        }
        (Library::Untranslated, [one, why]) => {
            let (Some(text), Some(why)) = (one.text(), why.text()) else { return unfit(one) };
            fail(format!(
                "An expression of another program was not translated: {why}. It is: {}",
                super::error::quote(text)
            ))
        }
        (Library::FromJson, [one]) => {
            let Some(text) = one.text() else { return unfit(one) };
            run.budget.work(text.len() / 16 + 1)?;
            run.budget.made(text.len().saturating_mul(4))?;
            match crate::json::parse(text) {
                Ok(value) => Ok(made_of(value)),
                Err(error) => fail(format!("`fromJson`: the text is no JSON: {error}.")),
            }
        }
        (Library::Slice, [one, bounds @ ..]) if bounds.len() <= 2 => {
            slice(run, one, bounds).unwrap_or_else(|| unfit(one))
        }
        (Library::IndexOf, [one, part]) => match (one.text(), part.text()) {
            (Some(text), Some(part)) => {
                run.budget.work((text.len() + part.len()) / 16 + 1)?;
                let place = text.find(part).and_then(|at| text.get(..at)).map(|before| before.chars().count());
                Ok(V::Int(place.and_then(|place| i64::try_from(place).ok()).unwrap_or(-1)))
            }
            (Some(_), None) => unfit(part),
            _ => unfit(one),
        },
        (Library::Round | Library::Floor | Library::Ceil | Library::Abs | Library::Fixed, [one, digits @ ..])
            if digits.len() <= usize::from(matches!(fun, Library::Round | Library::Fixed)) =>
        {
            let digits = match digits {
                [V::Int(digits)] if (0..=MOST_DIGITS).contains(digits) => *digits,
                [other] => return unfit(other),
                _ => 0,
            };
            number(run, fun, one, digits).unwrap_or_else(|| unfit(one))
        }
        (Library::Sum | Library::Min | Library::Max, [one]) => statistics(run, fun, one).unwrap_or_else(|| unfit(one)),
        (Library::Reverse | Library::Unique, [one]) => {
            let (Some(total), false) = (one.len(), one.is_map()) else { return unfit(one) };
            run.budget.made(BLOCK + total * HELD)?;
            let entries = (0..total).filter_map(|place| one.nth(place));
            if fun == Library::Reverse {
                let mut all: Vec<V<'a>> = entries.collect();
                all.reverse();
                return Ok(V::List(Arc::new(all)));
            }
            let mut kept: Vec<V<'a>> = Vec::new();
            'next: for entry in entries {
                for known in &kept {
                    if ops::equal(&run.budget, known, &entry, 0)? {
                        continue 'next;
                    }
                }
                kept.push(entry);
            }
            Ok(V::List(Arc::new(kept)))
        }
        (Library::ReplacePattern, [one, wanted, with]) => match (one.text(), wanted.text(), with.text()) {
            (Some(text), Some(wanted), Some(with)) => {
                let wanted = pattern(run, wanted)?;
                run.budget.work(text.len() / 16 + 1)?;
                let mut out = String::new();
                let mut after = 0;
                for found in wanted.captures_iter(text) {
                    let Some(whole) = found.get(0) else { continue };
                    out.push_str(text.get(after..whole.start()).unwrap_or_default());
                    let before = out.len();
                    found.expand(with, &mut out);
                    run.budget.made(out.len() - before + whole.start() - after)?;
                    run.budget.length(out.len())?;
                    after = whole.end();
                }
                out.push_str(text.get(after..).unwrap_or_default());
                made(run, out)
            }
            (None, ..) => unfit(one),
            (_, None, _) => unfit(wanted),
            _ => unfit(with),
        },
        (Library::FindPattern, [one, wanted]) => match (one.text(), wanted.text()) {
            (Some(text), Some(wanted)) => {
                let wanted = pattern(run, wanted)?;
                run.budget.work(text.len() / 16 + 1)?;
                let Some(found) = wanted.captures(text) else { return Ok(V::Null) };
                let mut groups = Vec::with_capacity(found.len());
                for group in found.iter() {
                    run.budget.made(HELD + BLOCK + group.map_or(0, |group| group.len()))?;
                    groups.push(group.map_or(V::Null, |group| V::MadeText(group.as_str().into())));
                }
                Ok(V::List(Arc::new(groups)))
            }
            (Some(_), None) => unfit(wanted),
            _ => unfit(one),
        },
        (Library::FindAllPattern, [one, wanted]) => match (one.text(), wanted.text()) {
            (Some(text), Some(wanted)) => more::find_all(run, text, wanted),
            (Some(_), None) => unfit(wanted),
            _ => unfit(one),
        },
        (Library::Flatten, [list]) => more::flatten(run, list).unwrap_or_else(|| unfit(list)),
        (Library::UrlDecode, [one]) => one.text().map_or_else(|| unfit(one), |text| more::url_decode(run, text)),
        (Library::Sqrt, [one]) => float(one).map_or_else(|| unfit(one), |value| more::finite(name, value.sqrt())),
        (Library::Pow, [one, two]) => match (float(one), float(two)) {
            (Some(value), Some(power)) => more::finite(name, value.powf(power)),
            (None, _) => unfit(one),
            _ => unfit(two),
        },
        (Library::FormatNumber, [one, digits @ ..]) if digits.len() <= 2 => {
            more::format_number(run, float(one), digits).unwrap_or_else(|| unfit(one))
        }
        (Library::AddTime, [time, amount, unit, zone @ ..]) if zone.len() < 2 => {
            let moment = moment(time, "addTime")?;
            more::add_time(moment, amount, unit, zone.first())
        }
        (Library::Merge, [first, second]) => {
            encode::merge(run, first, second).unwrap_or_else(|| unfit(if first.is_map() { second } else { first }))
        }
        (Library::Chunks, [list, size]) => encode::chunks(run, list, size)
            .unwrap_or_else(|| unfit(if matches!(size, V::Int(size) if *size > 0) { list } else { size })),
        (Library::Range, [from, to, step @ ..]) if step.len() < 2 => {
            let wrong = [from, to].into_iter().chain(step).find(|one| !matches!(one, V::Int(_)));
            encode::range(run, from, to, step.first()).unwrap_or_else(|| unfit(wrong.unwrap_or(from)))
        }
        (Library::Base64, [one]) => one.text().map_or_else(|| unfit(one), |text| encode::to_base64(run, text)),
        (Library::FromBase64, [one]) => one.text().map_or_else(|| unfit(one), |text| encode::from_base64(run, text)),
        (Library::Hash, [one, name]) => match (one.text(), name.text()) {
            (Some(text), Some(name)) => encode::hash(run, text, name),
            (None, _) => unfit(one),
            _ => unfit(name),
        },
        (Library::FormatTime, [time, wanted]) => format_time(run, time, wanted, None),
        (Library::FormatTime, [time, wanted, zone]) => format_time(run, time, wanted, Some(zone)),
        _ => fail(format!("`{name}` does not take {} arguments. It is used as `{usage}`.", args.len())),
    }
}

/// JSON over several lines, as `JSON.stringify` writes it.
fn indented(value: &Value, width: usize) -> String {
    let mut out = Vec::new();
    let indent = " ".repeat(width);
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    // Writing into memory does not fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut out, formatter));
    String::from_utf8(out).unwrap_or_default()
}

pub(super) fn made<'a>(run: &Run<'a>, text: String) -> Out<V<'a>> {
    run.budget.text(text.len())?;
    Ok(V::MadeText(text.into()))
}

/// None when the value or a bound is of the wrong kind.
fn slice<'a>(run: &Run<'a>, one: &V<'a>, bounds: &[V<'a>]) -> Option<Out<V<'a>>> {
    let total = match one.text() {
        Some(text) => text.chars().count(),
        None if one.is_map() => return None,
        None => one.len()?,
    };
    let place = |bound: Option<&V<'a>>, default: usize| match bound {
        None | Some(V::Null) => Some(default),
        Some(V::Int(at)) if *at < 0 => Some(total.saturating_sub(usize::try_from(at.unsigned_abs()).unwrap_or(total))),
        Some(V::Int(at)) => Some(usize::try_from(*at).unwrap_or(total).min(total)),
        Some(_) => None,
    };
    let from = place(bounds.first(), 0)?;
    let to = place(bounds.get(1), total)?.max(from);
    Some(match one.text() {
        Some(text) => {
            let part: String = text.chars().skip(from).take(to - from).collect();
            run.budget.work(text.len() / 16 + 1).and_then(|()| made(run, part))
        }
        None => run
            .budget
            .made(BLOCK + (to - from) * HELD)
            .map(|()| V::List(Arc::new((from..to).filter_map(|at| one.nth(at)).collect()))),
    })
}

#[allow(clippy::cast_precision_loss)]
fn float(value: &V<'_>) -> Option<f64> {
    match value {
        V::Int(v) => Some(*v as f64),
        V::Uint(v) | V::Large(v) => Some(*v as f64),
        V::Double(v) => Some(*v),
        _ => None,
    }
}

/// A whole number where one holds the result.
pub(super) fn shortest<'a>(value: f64) -> V<'a> {
    whole(value).filter(|_| value.abs() < 9_007_199_254_740_992.0).map_or(V::Double(value), V::Int)
}

fn number<'a>(run: &Run<'a>, fun: Library, one: &V<'a>, digits: i64) -> Option<Out<V<'a>>> {
    if let (V::Int(v), false) = (one, fun == Library::Fixed) {
        return Some(match (fun, v.checked_abs()) {
            (Library::Abs, Some(v)) => Ok(V::Int(v)),
            (Library::Abs, None) => fail(format!("`abs({v})` is too large for a 64-bit integer.")),
            _ => Ok(V::Int(*v)),
        });
    }
    let value = float(one)?;
    if !value.is_finite() {
        return None;
    }
    Some(Ok(match fun {
        Library::Floor => shortest(value.floor()),
        Library::Ceil => shortest(value.ceil()),
        Library::Abs => V::Double(value.abs()),
        Library::Fixed => return Some(made(run, fixed(value, digits))),
        _ => match fixed(value, digits).parse::<f64>() {
            Ok(value) if digits == 0 => shortest(value),
            Ok(value) => V::Double(value),
            Err(_) => return None,
        },
    }))
}

/// Decimals of the number as the machine holds it; a half goes away from zero.
pub(super) fn fixed(value: f64, digits: i64) -> String {
    let digits = usize::try_from(digits).unwrap_or(0);
    // Enough places that a half is seen as one: what is kept of a double ends there.
    let exact = format!("{:.*}", digits + 60, value.abs());
    let cut = exact.len() - 60;
    let (kept, tail) = exact.split_at(cut);
    let mut letters: Vec<u8> = kept.trim_end_matches('.').bytes().collect();
    if tail.starts_with(|c| ('5'..='9').contains(&c)) {
        let mut at = letters.len();
        loop {
            if at == 0 {
                letters.insert(0, b'1');
                break;
            }
            at -= 1;
            match letters[at] {
                b'.' => {}
                b'9' => letters[at] = b'0',
                _ => {
                    letters[at] += 1;
                    break;
                }
            }
        }
    }
    let zero = letters.iter().all(|letter| matches!(letter, b'0' | b'.'));
    let text = String::from_utf8(letters).unwrap_or_default();
    if value < 0.0 && !zero { format!("-{text}") } else { text }
}

fn statistics<'a>(run: &Run<'a>, fun: Library, one: &V<'a>) -> Option<Out<V<'a>>> {
    let total = one.len().filter(|_| !one.is_map())?;
    let mut result = if fun == Library::Sum { V::Int(0) } else { V::Null };
    for entry in (0..total).filter_map(|place| one.nth(place)) {
        let value = float(&entry)?;
        result = match (fun, &result) {
            (Library::Sum, _) => match ops::binary(&run.budget, super::lower::Op::Add, result, entry) {
                Ok(sum) => sum,
                Err(error) => return Some(Err(error)),
            },
            (_, V::Null) => entry,
            (_, best) => {
                let order = value.partial_cmp(&float(best)?)?;
                let wanted = if fun == Library::Min { Ordering::Less } else { Ordering::Greater };
                if order == wanted { entry } else { result }
            }
        };
    }
    Some(Ok(result))
}

/// A time as the library of dates has it.
fn moment(time: &V<'_>, name: &str) -> Out<Timestamp> {
    let found = match (time, time.text()) {
        (V::Time(time), _) => time.timestamp(),
        (_, Some(text)) => text.parse::<Timestamp>().ok(),
        _ => {
            return fail(format!(
                "`{name}` needs a time, not {}. Make one with `timestamp(…)`.",
                time.kind_with_article()
            ));
        }
    };
    found.map_or_else(|| fail(format!("`{name}` needs a time like `2026-01-31T09:30:00Z`.")), Ok)
}

/// A zone by its name; UTC without one.
pub(super) fn zone_of(zone: Option<&V<'_>>, name: &str) -> Out<TimeZone> {
    match zone.and_then(V::text) {
        None | Some("") => Ok(TimeZone::UTC),
        Some(wanted) => match TimeZoneDatabase::bundled().get(wanted) {
            Ok(zone) => Ok(zone),
            Err(_) => {
                let wanted = super::error::quote(wanted);
                fail(format!("`{name}`: there is no time zone `{wanted}`. Write a name such as `Europe/Berlin`."))
            }
        },
    }
}

fn format_time<'a>(run: &Run<'a>, time: &V<'a>, wanted: &V<'a>, zone: Option<&V<'a>>) -> Out<V<'a>> {
    let moment = moment(time, "formatTime")?;
    let (Some(wanted), true) = (wanted.text(), zone.is_none_or(|zone| zone.text().is_some())) else {
        return fail(
            "`formatTime` needs a pattern and the name of a time zone: `formatTime(time, 'yyyy-MM-dd', 'Europe/Berlin')`.",
        );
    };
    let directives = match date_pattern::parse(wanted) {
        Ok(found) => found.directives,
        Err(why) => return fail(format!("`formatTime`: the pattern cannot be read: {why}.")),
    };
    let zone = zone_of(zone, "formatTime")?;
    match strtime::format(&directives, &moment.to_zoned(zone)) {
        Ok(text) => made(run, text),
        Err(_) => fail("`formatTime`: the time cannot be written like this."),
    }
}
