//! Business hours: the clock of a task that counts working time only (UX D2.8). Which time zone has which offset when
//! comes with the program, not from the machine: the same file and log give the same deadline everywhere. Nobody is asked
//! what time it is.

use jiff::Timestamp;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde_json::Value;
use signalbox_model::{diagnostic::pointer_token, time::Millis};
use std::collections::BTreeSet;

/// How far ahead working time is looked for: ten years. What does not fit in there ends there.
const DAYS: usize = 3_660;
/// Holidays of one calendar.
const HOLIDAYS: usize = 2_000;
/// Parts of one day.
const PARTS: usize = 10;
const DAY: u16 = 24 * 60;

const NAMES: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// `settings.businessHours` of a workflow: `{timezone, hours: {mon: ["09:00-17:00"]}, holidays: ["2026-12-25"]}`.
#[derive(Debug, Clone)]
pub(crate) struct Calendar {
    zone: TimeZone,
    /// From Monday; minutes of the day, in order, without overlap.
    week: [Vec<(u16, u16)>; 7],
    holidays: BTreeSet<Date>,
}

/// What is wrong with a calendar: where (JSON Pointer into it), and what.
pub(crate) type Problem = (String, String);

fn problem(at: &str, what: impl Into<String>) -> Problem {
    (at.to_owned(), what.into())
}

impl Calendar {
    /// Reads a calendar.
    pub(crate) fn parse(value: &Value) -> Result<Self, Problem> {
        let object = value.as_object().ok_or_else(|| problem("", "Business hours must be an object"))?;
        if let Some(name) = object.keys().find(|name| !["timezone", "hours", "holidays"].contains(&name.as_str())) {
            return Err(problem(&format!("/{}", pointer_token(name)), "Business hours have no such field"));
        }
        let name = object.get("timezone").and_then(Value::as_str);
        let name =
            name.ok_or_else(|| problem("/timezone", "The time zone is missing, for example \"Europe/Berlin\""))?;
        let zone = TimeZoneDatabase::bundled().get(name).map_err(|_| {
            problem("/timezone", format!("There is no time zone '{name}'; use one like \"Europe/Berlin\""))
        })?;
        let hours = object.get("hours").and_then(Value::as_object);
        let hours = hours.ok_or_else(|| problem("/hours", "The hours are missing: {\"mon\": [\"09:00-17:00\"], …}"))?;
        let mut week: [Vec<(u16, u16)>; 7] = Default::default();
        for (day, parts) in hours {
            let at = format!("/hours/{}", pointer_token(day));
            let index = NAMES.iter().position(|name| name == day);
            let index = index.ok_or_else(|| problem(&at, format!("A day must be one of {}", NAMES.join(", "))))?;
            let parts = parts.as_array().filter(|parts| parts.len() <= PARTS);
            let parts =
                parts.ok_or_else(|| problem(&at, format!("A day must be a list of at most {PARTS} time ranges")))?;
            for (i, part) in parts.iter().enumerate() {
                let part = part.as_str().and_then(part_of).ok_or_else(|| {
                    problem(&format!("{at}/{i}"), "A time range must be like \"09:00-17:00\", its end after its start")
                })?;
                if week[index].last().is_some_and(|before| before.1 > part.0) {
                    return Err(problem(&format!("{at}/{i}"), "The time range overlaps the previous one"));
                }
                week[index].push(part);
            }
        }
        if week.iter().all(Vec::is_empty) {
            return Err(problem("/hours", "No day has business hours, so deadlines would never expire"));
        }
        let mut holidays = BTreeSet::new();
        if let Some(list) = object.get("holidays") {
            let list = list.as_array().filter(|list| list.len() <= HOLIDAYS);
            let list = list
                .ok_or_else(|| problem("/holidays", format!("Holidays must be a list of at most {HOLIDAYS} days")))?;
            for (i, day) in list.iter().enumerate() {
                let day = day.as_str().and_then(|day| day.parse::<Date>().ok());
                holidays.insert(
                    day.ok_or_else(|| problem(&format!("/holidays/{i}"), "A holiday must be like \"2026-12-25\""))?,
                );
            }
        }
        Ok(Self { zone, week, holidays })
    }

    /// When so many milliseconds of working time have passed after `from`.
    pub(crate) fn after(&self, from: Millis, work: Millis) -> Millis {
        let mut left = work.max(0);
        let mut last = from;
        for (opens, closes) in self.parts(from) {
            if left <= closes - opens {
                return opens + left;
            }
            left -= closes - opens;
            last = closes;
        }
        last
    }

    /// How much working time lies between two moments, milliseconds.
    pub(crate) fn between(&self, from: Millis, until: Millis) -> Millis {
        let parts = self.parts(from).take_while(|(opens, _)| *opens < until);
        parts.map(|(opens, closes)| closes.min(until) - opens).sum()
    }

    /// The working time from a moment on, in order.
    fn parts(&self, from: Millis) -> impl Iterator<Item = (Millis, Millis)> {
        let first = Timestamp::from_millisecond(from).ok().map(|start| start.to_zoned(self.zone.clone()).date());
        let days = std::iter::successors(first, |date| date.tomorrow().ok()).take(DAYS);
        days.filter(|date| !self.holidays.contains(date)).flat_map(move |date| {
            self.week[index_of(date.weekday())].iter().filter_map(move |(opens, closes)| {
                let part = (self.at(date, *opens)?.max(from), self.at(date, *closes)?);
                (part.0 < part.1).then_some(part)
            })
        })
    }

    /// A minute of a day as it is shown on the clocks there; one that the change of the clocks leaves out is the next.
    fn at(&self, date: Date, minute: u16) -> Option<Millis> {
        let (date, minute) = if minute == DAY { (date.tomorrow().ok()?, 0) } else { (date, minute) };
        let time = Time::new(i8::try_from(minute / 60).ok()?, i8::try_from(minute % 60).ok()?, 0, 0).ok()?;
        Some(date.to_datetime(time).to_zoned(self.zone.clone()).ok()?.timestamp().as_millisecond())
    }
}

fn index_of(day: Weekday) -> usize {
    usize::try_from(day.to_monday_zero_offset()).unwrap_or_default()
}

/// `09:00-17:00` in minutes of the day; the end may be `24:00`.
fn part_of(text: &str) -> Option<(u16, u16)> {
    let (opens, closes) = text.split_once('-')?;
    let minute = |text: &str| -> Option<u16> {
        let (hours, minutes) = text.trim().split_once(':')?;
        let two =
            |text: &str| (text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?;
        let (hours, minutes): (u16, u16) = (two(hours)?, two(minutes)?);
        (minutes < 60 && hours * 60 + minutes <= DAY).then_some(hours * 60 + minutes)
    };
    let (opens, closes) = (minute(opens)?, minute(closes)?);
    (opens < closes).then_some((opens, closes))
}

#[cfg(test)]
mod tests;
