//! `data.date`: reads, writes, moves and compares dates and times. Time zones come with the program (IANA names).

use crate::fields::{Field, choice, field, misfit, one_field};
use crate::support::{first, made, setting, text_or, wrong_setting};
use crate::two_lists::named;
use crate::{Kind, Outcome};
use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Span, Timestamp, Unit, Zoned};
use serde_json::Value;
use signalbox_engine::date_pattern::{self, Pattern};
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;

pub(crate) const KIND: Kind = Kind::Pure(run);

const UNITS: [&str; 7] = ["days", "weeks", "months", "years", "hours", "minutes", "seconds"];

/// A day, or a moment as the clocks of a zone show it.
enum When {
    Day(Date),
    Moment(Zoned),
}

fn run(slot: &CallSlot) -> Outcome {
    let action = choice(slot, "action", &["format", "parse", "zone", "add", "difference"])?;
    let source = one_field(slot, "field")?;
    let data = first(slot);
    let value = source.require(&data, slot.item)?;
    let zone = zone(slot)?;
    let result = if action == "parse" {
        written(&by_pattern(slot, &source.name, value, &zone)?)
    } else {
        let when = read(slot, &source.name, value, &zone)?;
        match action {
            "format" => formatted(slot, &when.moment(&zone)?)?.into(),
            "zone" => written(&When::Moment(when.moment(&zone)?)),
            "add" => written(&added(slot, when, &zone)?),
            _ => difference(slot, &data, when, &zone)?,
        }
    };
    let mut whole_item = (*data).clone();
    named(slot, "into")?.map_or_else(|| source.clone(), |name| Field::new(&name)).put(&mut whole_item, result)?;
    Ok(made(slot, whole_item))
}

impl When {
    /// A day begins when its zone says so.
    fn moment(&self, zone: &TimeZone) -> Result<Zoned, NodeFailure> {
        match self {
            Self::Moment(moment) => Ok(moment.with_time_zone(zone.clone())),
            Self::Day(day) => zone.to_zoned(day.to_datetime(jiff::civil::Time::midnight())).map_err(|_| out_of_range()),
        }
    }
}

fn out_of_range() -> NodeFailure {
    NodeFailure::validation("BAD_DATE", "The date is outside of the years -9999 to 9999")
}

fn zone(slot: &CallSlot) -> Result<TimeZone, NodeFailure> {
    let name = text_or(slot, "zone", "UTC")?;
    let name = if name.is_empty() { "UTC" } else { name };
    TimeZoneDatabase::bundled().get(name).map_err(|_| {
        let words = format!("There is no time zone '{name}'; write the name of a zone like Europe/Berlin");
        NodeFailure::validation("UNKNOWN_ZONE", words).detail("field", "zone")
    })
}

fn bad_date(name: &str, wanted: &str, value: &Value, index: usize) -> NodeFailure {
    let mut failure = misfit(name, wanted, value, index);
    failure.code = "BAD_DATE".to_owned();
    failure
}

/// ISO 8601 text, or a number since 1970.
fn read(slot: &CallSlot, name: &str, value: &Value, zone: &TimeZone) -> Result<When, NodeFailure> {
    let wrong = || {
        let wanted = "a date like 2026-11-28 or 2026-11-28T09:30:00Z. Other ways to write it are read by 'Read a date'";
        bad_date(name, wanted, value, slot.item)
    };
    match value {
        Value::Number(number) => {
            let number = number.as_i64().ok_or_else(wrong)?;
            let time = match choice(slot, "numbersAre", &["milliseconds", "seconds"])? {
                "seconds" => Timestamp::from_second(number),
                _ => Timestamp::from_millisecond(number),
            };
            Ok(When::Moment(time.map_err(|_| out_of_range())?.to_zoned(zone.clone())))
        }
        Value::String(text) => {
            let text = text.trim();
            if let Ok(time) = text.parse::<Timestamp>() {
                return Ok(When::Moment(time.to_zoned(zone.clone())));
            }
            let has_time = text.contains([':', 'T']) || text.contains(' ');
            if !has_time && let Ok(day) = text.parse::<Date>() {
                return Ok(When::Day(day));
            }
            let clock = text.parse::<DateTime>().map_err(|_| wrong())?;
            zone.to_zoned(clock).map(When::Moment).map_err(|_| out_of_range())
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(wrong()),
    }
}

fn pattern(slot: &CallSlot) -> Result<Pattern, NodeFailure> {
    let source = text_or(slot, "pattern", "yyyy-MM-dd")?;
    date_pattern::parse(source).map_err(|why| {
        NodeFailure::validation("BAD_PATTERN", format!("The pattern '{source}' cannot be read: {why}"))
            .detail("field", "pattern")
    })
}

fn by_pattern(slot: &CallSlot, name: &str, value: &Value, zone: &TimeZone) -> Result<When, NodeFailure> {
    let pattern = pattern(slot)?;
    let source = text_or(slot, "pattern", "yyyy-MM-dd")?;
    let wrong = || bad_date(name, &format!("a date written like {source}"), value, slot.item);
    let Value::String(text) = value else { return Err(wrong()) };
    let parts = strtime::parse(&pattern.directives, text.trim()).map_err(|_| wrong())?;
    // 'yyyy' takes two digits, too, and would mean a year of antiquity.
    if source.contains("yyyy") && parts.year().is_none_or(|year| year < 1000) {
        return Err(wrong());
    }
    if pattern.has_offset {
        let time = parts.to_timestamp().map_err(|_| wrong())?;
        return Ok(When::Moment(time.to_zoned(zone.clone())));
    }
    if !pattern.has_time {
        return parts.to_date().map(When::Day).map_err(|_| wrong());
    }
    let clock = parts.to_datetime().map_err(|_| wrong())?;
    zone.to_zoned(clock).map(When::Moment).map_err(|_| out_of_range())
}

/// A day stays a day; a moment is written with its offset.
fn written(when: &When) -> Value {
    match when {
        When::Day(day) => day.to_string().into(),
        When::Moment(moment) if moment.time_zone() == &TimeZone::UTC => moment.timestamp().to_string().into(),
        When::Moment(moment) => moment.timestamp().display_with_offset(moment.offset()).to_string().into(),
    }
}

fn formatted(slot: &CallSlot, moment: &Zoned) -> Result<String, NodeFailure> {
    let pattern = pattern(slot)?;
    strtime::format(&pattern.directives, moment).map_err(|error| {
        NodeFailure::validation("BAD_PATTERN", format!("The date cannot be written like this: {error}"))
            .detail("field", "pattern")
    })
}

fn added(slot: &CallSlot, when: When, zone: &TimeZone) -> Result<When, NodeFailure> {
    let unit = choice(slot, "unit", &UNITS)?;
    let given = setting(slot, "amount").ok_or_else(|| wrong_setting("amount", "a whole number", &Value::Null))?;
    let amount = given.as_i64().ok_or_else(|| wrong_setting("amount", "a whole number", given))?;
    let span = Span::new();
    let span = match unit {
        "days" => span.try_days(amount),
        "weeks" => span.try_weeks(amount),
        "months" => span.try_months(amount),
        "years" => span.try_years(amount),
        "hours" => span.try_hours(amount),
        "minutes" => span.try_minutes(amount),
        _ => span.try_seconds(amount),
    }
    .map_err(|_| out_of_range())?;
    match when {
        When::Day(day) if !is_clock(unit) => day.checked_add(span).map(When::Day).map_err(|_| out_of_range()),
        other => other.moment(zone)?.checked_add(span).map(When::Moment).map_err(|_| out_of_range()),
    }
}

fn is_clock(unit: &str) -> bool {
    matches!(unit, "hours" | "minutes" | "seconds")
}

/// Whole units from the date of the item to the other one; less than 0 when the other one is earlier.
fn difference(slot: &CallSlot, data: &Value, when: When, zone: &TimeZone) -> Result<Value, NodeFailure> {
    let other = match field(slot, "otherField")? {
        Some(other) => read(slot, &other.name, other.require(data, slot.item)?, zone)?,
        None => match setting(slot, "other") {
            Some(other) => read(slot, "other", other, zone)?,
            None => {
                let words = "Choose the field with the other date, or write a date";
                return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "otherField"));
            }
        },
    };
    let unit = choice(slot, "unit", &UNITS)?;
    let unit = match unit {
        "days" => Unit::Day,
        "weeks" => Unit::Week,
        "months" => Unit::Month,
        "years" => Unit::Year,
        "hours" => Unit::Hour,
        "minutes" => Unit::Minute,
        _ => Unit::Second,
    };
    let span = when.moment(zone)?.until((unit, &other.moment(zone)?)).map_err(|_| out_of_range())?;
    Ok(match unit {
        Unit::Day => i64::from(span.get_days()),
        Unit::Week => i64::from(span.get_weeks()),
        Unit::Month => i64::from(span.get_months()),
        Unit::Year => i64::from(span.get_years()),
        Unit::Hour => i64::from(span.get_hours()),
        Unit::Minute => span.get_minutes(),
        _ => span.get_seconds(),
    }
    .into())
}
