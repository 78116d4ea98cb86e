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
mod tests {
    use super::Calendar;
    use serde_json::{Value, json};
    use signalbox_model::time;

    fn office() -> Calendar {
        let day = json!(["09:00-12:00", "13:00-17:00"]);
        let hours = json!({ "mon": day, "tue": day, "wed": day, "thu": day, "fri": ["09:00-12:00"] });
        let calendar = json!({ "timezone": "Europe/Berlin", "hours": hours, "holidays": ["2026-12-25"] });
        Calendar::parse(&calendar).expect("is one")
    }

    fn after(calendar: &Calendar, from: &str, minutes: i64) -> String {
        time::format(calendar.after(time::parse(from).expect("a time"), minutes * 60_000))
    }

    /// D2.8.
    #[test]
    fn only_working_time_passes() {
        let office = office();
        for (from, minutes, until) in [
            // Monday in winter: Berlin is an hour ahead.
            ("2026-11-23T08:30:00Z", 60, "2026-11-23T09:30:00.000Z"),
            // Over lunch.
            ("2026-11-23T10:30:00Z", 60, "2026-11-23T12:30:00.000Z"),
            // Exactly to the end of a part, not to the start of the next.
            ("2026-11-23T10:30:00Z", 30, "2026-11-23T11:00:00.000Z"),
            // Over night.
            ("2026-11-23T15:30:00Z", 60, "2026-11-24T08:30:00.000Z"),
            // Friday afternoon to Monday.
            ("2026-11-27T13:00:00Z", 1, "2026-11-30T08:01:00.000Z"),
            // Friday the 25th is a holiday.
            ("2026-12-24T15:59:00Z", 2, "2026-12-28T08:01:00.000Z"),
            // The clocks change on the last Sunday of October: Monday begins an hour later by the sun.
            ("2026-10-23T09:59:00Z", 2, "2026-10-26T08:01:00.000Z"),
            // A moment outside and no time at all.
            ("2026-11-22T10:00:00Z", 0, "2026-11-23T08:00:00.000Z"),
        ] {
            assert_eq!(after(&office, from, minutes), until, "{minutes} min from {from}");
        }
    }

    /// D2.8: what is left of the time when it stands still.
    #[test]
    fn working_time_between_two_moments_is_what_leads_from_one_to_the_other() {
        let office = office();
        let at = |text: &str| time::parse(text).expect("a time");
        for (from, until, minutes) in [
            ("2026-11-23T10:30:00Z", "2026-11-23T12:30:00Z", 60),
            ("2026-11-27T13:00:00Z", "2026-11-30T08:01:00Z", 1),
            ("2026-11-28T13:00:00Z", "2026-11-29T13:00:00Z", 0),
            ("2026-11-23T12:30:00Z", "2026-11-23T10:30:00Z", 0),
        ] {
            assert_eq!(office.between(at(from), at(until)), minutes * 60_000, "{from} to {until}");
        }
        for hours in 1..200 {
            let from = at("2026-10-20T06:00:00Z") + hours * 3_600_000;
            assert_eq!(office.between(from, office.after(from, hours * 1_000_000)), hours * 1_000_000);
        }
    }

    #[test]
    fn a_day_without_end_and_a_time_without_end() {
        let all = Calendar::parse(&json!({ "timezone": "UTC", "hours": { "sat": ["00:00-24:00"] } })).expect("is one");
        assert_eq!(after(&all, "2026-11-22T00:00:00Z", 24 * 60), "2026-11-29T00:00:00.000Z");
        assert_eq!(after(&all, "2026-11-22T00:00:00Z", i64::MAX / 60_000 / 2).get(..4), Some("2036"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let hours = json!({ "mon": ["09:00-17:00"] });
        for (calendar, at) in [
            (json!(true), ""),
            (json!({ "hours": hours }), "/timezone"),
            (json!({ "timezone": "Mars/Base", "hours": hours }), "/timezone"),
            (json!({ "timezone": "UTC" }), "/hours"),
            (json!({ "timezone": "UTC", "hours": {} }), "/hours"),
            (json!({ "timezone": "UTC", "hours": { "Monday": [] } }), "/hours/Monday"),
            (json!({ "timezone": "UTC", "hours": { "mon": "09:00-17:00" } }), "/hours/mon"),
            (json!({ "timezone": "UTC", "hours": { "mon": ["9-17"] } }), "/hours/mon/0"),
            (json!({ "timezone": "UTC", "hours": { "mon": ["17:00-09:00"] } }), "/hours/mon/0"),
            (json!({ "timezone": "UTC", "hours": { "mon": ["09:00-12:00", "11:00-13:00"] } }), "/hours/mon/1"),
            (json!({ "timezone": "UTC", "hours": hours, "holidays": ["soon"] }), "/holidays/0"),
            (json!({ "timezone": "UTC", "hours": hours, "zone": 1 }), "/zone"),
        ] {
            let found = Calendar::parse(&calendar).expect_err("is refused");
            assert_eq!(found.0, at, "{calendar}: {}", found.1);
        }
        let _: Value = hours;
    }
}
