//! Times of luxon and of JavaScript, and what n8n adds to them.

use super::expr::{Maker, Out};
use super::methods::{numeric, word};
use crate::cel::{Cel, Ty};
use crate::js::{Entry, Js};

pub(super) fn millis(one: &Cel) -> Out {
    match one.ty {
        Ty::Time(_) => {
            let seconds = Cel::call("int", &[one], Ty::Number).binary("*", &Cel::new("1000", Ty::Number), Ty::Number);
            Ok(seconds.binary("+", &one.method("getMilliseconds", &[], Ty::Number), Ty::Number))
        }
        _ => numeric(one),
    }
}

/// A value as a moment: text of ISO 8601; a day begins at midnight UTC.
pub(super) fn to_time(one: &Cel, zone: Option<String>) -> Out {
    match &one.ty {
        Ty::Time(_) => Ok(one.clone()),
        Ty::Text | Ty::Any => {
            // A day alone is no time here.
            let day = Cel::text("^[0-9]{4}-[0-9]{2}-[0-9]{2}$");
            let test = one.method("matches", &[&day], Ty::Bool);
            let midnight = one.binary("+", &Cel::text("T00:00:00Z"), Ty::Text);
            let whole = test.choice(&midnight, one);
            Ok(Cel { missing: one.missing, ..Cel::call("timestamp", &[&whole], Ty::Time(zone)) })
        }
        _ => Err(format!("a time is made of {}", word(&one.ty))),
    }
}

/// A moment so many milliseconds, or seconds, after the start of 1970. Seconds and the rest are added apart: a long duration in
/// milliseconds is rounded.
pub(super) fn from_millis(one: &Cel, seconds: bool, zone: Option<String>) -> Cel {
    let start = Cel::new("timestamp('1970-01-01T00:00:00Z')", Ty::Any);
    let count = Cel::call("int", &[one], Ty::Number);
    let span = |count: &Cel, mark: &str| {
        let text = Cel::call("string", &[count], Ty::Text).binary("+", &Cel::text(mark), Ty::Text);
        Cel::call("duration", &[&text], Ty::Any)
    };
    if seconds {
        return start.binary("+", &span(&count, "s"), Ty::Time(zone));
    }
    let thousand = Cel::new("1000", Ty::Number);
    let whole = start.binary("+", &span(&count.binary("/", &thousand, Ty::Number), "s"), Ty::Any);
    whole.binary("+", &span(&count.binary("%", &thousand, Ty::Number), "ms"), Ty::Time(zone))
}

/// Milliseconds of a unit that always has as many.
fn unit_millis(unit: &str) -> Option<(&'static str, u64)> {
    Some(match unit.trim_end_matches('s') {
        "week" => ("week", 604_800_000),
        "day" => ("day", 86_400_000),
        "hour" => ("hour", 3_600_000),
        "minute" => ("minute", 60_000),
        "second" => ("second", 1_000),
        "millisecond" => ("millisecond", 1),
        _ => return None,
    })
}

/// The time from one moment to another in a unit.
fn span(from: &Cel, to: &Cel, unit: &str) -> Out {
    let (unit, factor) =
        unit_millis(unit).ok_or_else(|| format!("a difference of times in '{unit}' is not translated"))?;
    let between = millis(to)?.binary("-", &millis(from)?, Ty::Number);
    let between = Cel::call("double", &[&between], Ty::Number);
    let made = between.binary("/", &Cel::new(format!("{factor}.0"), Ty::Number), Ty::Number);
    Ok(made.is(Ty::Span(unit)))
}

/// A moment some months or years later, in its zone.
fn later(owner: &Cel, amount: &Cel, unit: &str, zone: &Option<String>) -> Cel {
    let unit = Cel::text(unit);
    let zone = zone_arg(zone);
    let mut args = vec![owner, amount, &unit];
    args.extend(zone.as_ref());
    Cel::call("addTime", &args, owner.ty.clone())
}

impl Maker<'_> {
    pub(super) fn of_time(&mut self, owner: &Cel, zone: Option<String>, name: &str, args: &[Js]) -> Out {
        Ok(match (name, args) {
            ("toISO" | "toISOString" | "toString" | "toJSON" | "toDateTime" | "toJSDate" | "toUTC", []) => match name {
                "toISO" | "toJSON" | "toString" => owner.iso(),
                "toISOString" => owner.clone().is(Ty::Time(None)).iso(),
                "toUTC" => owner.clone().is(Ty::Time(None)),
                _ => owner.clone(),
            },
            ("toISODate", []) => format(owner, "yyyy-MM-dd", &zone),
            ("toFormat" | "format", [Js::Text(wanted)]) => format(owner, &luxon(wanted)?, &zone),
            ("toMillis" | "valueOf" | "getTime", []) => millis(owner)?,
            ("toSeconds" | "toUnixInteger", []) => Cel::call("int", &[owner], Ty::Number),
            ("plus" | "minus", [Js::Object(parts)]) => {
                let mut found = owner.clone();
                for part in parts {
                    let Entry::Field(unit, amount) = part else { return Err("a span of time is computed".into()) };
                    found = self.moved(&found, name == "minus", unit, amount)?;
                }
                found
            }
            ("plus" | "minus", [amount, Js::Text(unit)]) => self.moved(owner, name == "minus", unit, amount)?,
            ("startOf" | "beginningOf", [Js::Text(unit)]) => start_of(owner, unit)?,
            ("endOf", [Js::Text(unit)]) => {
                let unit = unit.trim_end_matches('s');
                let next = later(&start_of(owner, unit)?, &Cel::new("1", Ty::Number), unit, &zone);
                next.binary("-", &Cel::new("duration('1ms')", Ty::Any), owner.ty.clone())
            }
            ("diff", [other, Js::Text(unit)]) => {
                let other = to_time(&self.of(other)?, zone)?;
                span(&other, owner, unit)?
            }
            ("diff", [other]) => {
                let other = to_time(&self.of(other)?, zone)?;
                span(&other, owner, "millisecond")?
            }
            ("diffTo", [other, rest @ ..]) if matches!(rest, [] | [Js::Text(_)]) => {
                let other = to_time(&self.of(other)?, zone)?;
                let unit = if let [Js::Text(unit)] = rest { unit } else { "days" };
                span(&other, owner, unit)?.is(Ty::Number)
            }
            ("diffNow" | "diffToNow", [Js::Text(unit)]) => {
                let now = Cel::new("timestamp(run.startedAt)", Ty::Time(zone));
                if name == "diffNow" { span(&now, owner, unit)? } else { span(owner, &now, unit)?.is(Ty::Number) }
            }
            ("isWeekend", []) => {
                let day = part_of_time(owner, "weekday")?;
                day.binary(">", &Cel::new("5", Ty::Number), Ty::Bool)
            }
            ("extract", [Js::Text(part)]) => part_of_time(owner, part)?,
            ("isBetween", [from, to]) => {
                let (from, to) = (to_time(&self.of(from)?, zone.clone())?, to_time(&self.of(to)?, zone)?);
                let after = owner.binary(">", &from, Ty::Bool);
                after.binary("&&", &owner.binary("<", &to, Ty::Bool), Ty::Bool)
            }
            ("setDate", [day]) => {
                let day = numeric(&self.of(day)?)?;
                let now = owner.method("getDate", &zone_arg(&zone).iter().collect::<Vec<_>>(), Ty::Number);
                let moved = later(owner, &day.binary("-", &now, Ty::Number), "day", &zone);
                millis(&moved)?
            }
            ("setHours" | "setUTCHours", [Js::Number(0.0), rest @ ..])
                if rest.len() == 3 && rest.iter().all(|one| *one == Js::Number(0.0)) =>
            {
                millis(&start_of(owner, "day")?)?
            }
            ("setLocale", [Js::Text(language)]) if language.starts_with("en") => owner.clone(),
            ("toLocal", []) => owner.clone().is(Ty::Time(self.place.zone.map(str::to_owned))),
            ("toUTC", [_]) => return Err("a zone with an offset is not translated".into()),
            ("toSQLDate", []) => format(owner, "yyyy-MM-dd", &zone),
            ("toISOTime", []) => format(owner, "HH:mm:ss.SSSXXX", &zone),
            ("toDateString", []) => format(owner, "EEE MMM dd yyyy", &zone),
            ("toUTCString", []) => format(owner, "EEE, dd MMM yyyy HH:mm:ss 'GMT'", &None),
            (
                "getUTCFullYear" | "getUTCMonth" | "getUTCDate" | "getUTCHours" | "getUTCMinutes" | "getUTCSeconds",
                [],
            ) => owner.method(&name.replace("UTC", ""), &[], Ty::Number),
            ("toLocaleDateString" | "toLocaleString" | "toLocaleTimeString", _) => {
                let (wanted, zone) = super::locale::pattern(name, args, &zone)?;
                format(owner, &wanted, &zone)
            }
            ("setZone", [Js::Text(zone)]) => owner.clone().is(Ty::Time(Some(zone.clone()))),
            (
                "getFullYear" | "getMonth" | "getDate" | "getHours" | "getMinutes" | "getSeconds" | "getMilliseconds",
                [],
            ) => owner.method(name, &zone_arg(&zone).iter().collect::<Vec<_>>(), Ty::Number),
            ("getDay", []) => owner.method("getDayOfWeek", &zone_arg(&zone).iter().collect::<Vec<_>>(), Ty::Number),
            ("toRelative", _) => return Err("texts of a language or region are not made".into()),
            ("diff" | "diffTo" | "diffToNow" | "diffNow", _) => {
                return Err("a difference of times in several units is not translated".into());
            }
            _ => return Err(format!("'.{name}()' of a time is not translated")),
        })
    }

    fn moved(&mut self, owner: &Cel, back: bool, unit: &str, amount: &Js) -> Out {
        let (factor, mark) = match unit.trim_end_matches('s') {
            "week" => (168, "h"),
            "day" => (24, "h"),
            "hour" => (1, "h"),
            "minute" => (1, "m"),
            "second" => (1, "s"),
            "millisecond" => (1, "ms"),
            calendar @ ("month" | "year" | "quarter") => {
                let amount = numeric(&self.of(amount)?)?;
                let amount = if back { amount.minus() } else { amount };
                let (amount, calendar) = if calendar == "quarter" {
                    (Cel::new("3", Ty::Number).binary("*", &amount, Ty::Number), "month")
                } else {
                    (amount, calendar)
                };
                let Ty::Time(zone) = &owner.ty else {
                    return Err("a span is added to something that is no time".into());
                };
                return Ok(later(owner, &amount, calendar, zone));
            }
            other => return Err(format!("the unit of time '{other}' is not known")),
        };
        let span = match amount {
            Js::Number(amount) if amount.fract() == 0.0 && amount.abs() < 1e9 => {
                #[allow(clippy::cast_possible_truncation)]
                let amount = *amount as i64 * factor;
                Cel::new(format!("duration('{amount}{mark}')"), Ty::Any)
            }
            _ => {
                let amount = numeric(&self.of(amount)?)?;
                let amount = Cel::call("int", &[&amount], Ty::Number);
                let amount = if factor == 1 {
                    amount
                } else {
                    amount.binary("*", &Cel::new(factor.to_string(), Ty::Number), Ty::Number)
                };
                let text = Cel::call("string", &[&amount], Ty::Text).binary("+", &Cel::text(mark), Ty::Text);
                Cel::call("duration", &[&text], Ty::Any)
            }
        };
        Ok(owner.binary(if back { "-" } else { "+" }, &span, owner.ty.clone()))
    }
}

fn zone_arg(zone: &Option<String>) -> Option<Cel> {
    zone.as_deref().filter(|zone| *zone != "UTC").map(Cel::text)
}

fn zone_of(zone: &Option<String>) -> String {
    zone_arg(zone).map_or_else(String::new, |zone| format!(", {}", zone.text))
}

fn format(owner: &Cel, wanted: &str, zone: &Option<String>) -> Cel {
    let wanted = Cel::text(wanted);
    let mut args = vec![owner, &wanted];
    let zone = zone_arg(zone);
    args.extend(zone.as_ref());
    Cel::call("formatTime", &args, Ty::Text)
}

/// The start of a day, month, year or hour.
pub(super) fn start_of(owner: &Cel, unit: &str) -> Out {
    let unit = unit.trim_end_matches('s');
    if unit == "week" {
        // Weeks begin on Monday.
        let back = part_of_time(owner, "weekday")?.binary("-", &Cel::new("1", Ty::Number), Ty::Number).minus();
        let Ty::Time(zone) = &owner.ty else { return Err("the start of something that is no time".into()) };
        return start_of(&later(owner, &back, "day", zone), "day");
    }
    let pattern = match unit {
        "day" => "yyyy-MM-dd'T00:00:00'XXX",
        "month" => "yyyy-MM'-01T00:00:00'XXX",
        "year" => "yyyy'-01-01T00:00:00'XXX",
        "hour" => "yyyy-MM-dd'T'HH':00:00'XXX",
        "minute" => "yyyy-MM-dd'T'HH:mm':00'XXX",
        other => return Err(format!("the start of a {other} is not translated")),
    };
    let Ty::Time(zone) = &owner.ty else { return Err("the start of something that is no time".into()) };
    let text = format!("timestamp(formatTime({}, {}{}))", owner.text, Cel::text(pattern).text, zone_of(zone));
    Ok(Cel { missing: owner.missing, ..Cel::new(text, owner.ty.clone()) })
}

pub(super) fn part_of_time(owner: &Cel, name: &str) -> Out {
    let Ty::Time(zone) = &owner.ty else { return Err("a part of something that is no time".into()) };
    let zone = zone_arg(zone);
    let args: Vec<&Cel> = zone.iter().collect();
    let get = |method: &str| owner.method(method, &args, Ty::Number);
    let number = |text: &str| Cel::new(text, Ty::Number);
    Ok(match name {
        "year" => get("getFullYear"),
        "month" => get("getMonth").binary("+", &number("1"), Ty::Number),
        "day" => get("getDate"),
        "hour" => get("getHours"),
        "minute" => get("getMinutes"),
        "second" => get("getSeconds"),
        "millisecond" => get("getMilliseconds"),
        "ordinal" => get("getDayOfYear").binary("+", &number("1"), Ty::Number),
        "weekday" => {
            let from_monday = get("getDayOfWeek").binary("+", &number("6"), Ty::Number);
            from_monday.binary("%", &number("7"), Ty::Number).binary("+", &number("1"), Ty::Number)
        }
        "monthLong" | "monthShort" | "weekdayLong" | "weekdayShort" => {
            let pattern = match name {
                "monthLong" => "MMMM",
                "monthShort" => "MMM",
                "weekdayLong" => "EEEE",
                _ => "EEE",
            };
            let Ty::Time(zone) = &owner.ty else { return Err("a part of something that is no time".into()) };
            format(owner, pattern, zone)
        }
        "ts" => millis(owner)?,
        "quarter" => {
            let month = get("getMonth");
            Cel::call("int", &[&month.binary("/", &number("3"), Ty::Number)], Ty::Number).binary(
                "+",
                &number("1"),
                Ty::Number,
            )
        }
        "isValid" => Cel::new("true", Ty::Bool),
        _ => return Err(format!("'.{name}' of a time is not translated")),
    })
}

/// A format of luxon, as it is written here.
fn luxon(wanted: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = wanted;
    while let Some(letter) = rest.chars().next() {
        if letter == '\'' {
            let (quoted, after) = rest[1..].split_once('\'').ok_or("a quote in the format of a time is not closed")?;
            out.push_str(&format!("'{quoted}'"));
            rest = after;
            continue;
        }
        if !letter.is_ascii_alphabetic() {
            out.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        }
        let run = rest.len() - rest.trim_start_matches(letter).len();
        let (token, after) = rest.split_at(run);
        out.push_str(match token {
            "yyyy" | "yy" | "MMMM" | "MMM" | "MM" | "M" | "dd" | "d" | "HH" | "H" | "hh" | "h" | "mm" | "ss"
            | "SSS" | "a" => token,
            "EEE" | "ccc" => "EEE",
            "EEEE" | "cccc" => "EEEE",
            "LL" => "MM",
            "L" => "M",
            "LLL" => "MMM",
            "LLLL" => "MMMM",
            "ZZ" => "XXX",
            "y" => "yyyy",
            other => return Err(format!("'{other}' in the format of a time is not translated")),
        });
        rest = after;
    }
    Ok(out)
}
