//! A cron text: five fields, matched against the clock on the wall. Which moment that is, is not decided here.

use jiff::civil::{Date, DateTime, Time};
use std::fmt;

/// Days that are looked through: from one 29 February on a given weekday to the next, across a century without a leap day.
const DAYS: usize = 41 * 366;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// A field of the text.
struct Field {
    name: &'static str,
    least: u8,
    most: u8,
    names: &'static [&'static str],
}

const FIELDS: [Field; 5] = [
    Field { name: "minute", least: 0, most: 59, names: &[] },
    Field { name: "hour", least: 0, most: 23, names: &[] },
    Field { name: "day of the month", least: 1, most: 31, names: &[] },
    Field { name: "month", least: 1, most: 12, names: &MONTHS },
    // 7 is Sunday, too.
    Field { name: "weekday", least: 0, most: 7, names: &WEEKDAYS },
];

/// What is wrong with a cron text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronError {
    message: String,
    hint: Option<&'static str>,
}

impl CronError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    fn hinting(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// What to do next.
    pub fn hint(&self, usual: &str) -> String {
        self.hint.unwrap_or(usual).to_owned()
    }
}

impl fmt::Display for CronError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Days that are counted from an end of the month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// `L`: the last day.
    LastDay,
    /// `5L`: the last Friday.
    LastWeekday(u8),
    /// `5#2`: the second Friday.
    NthWeekday(u8, u8),
}

/// A cron text that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    text: String,
    /// One bit per value.
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    counted: Vec<Counted>,
    /// The field of days, of weekdays, begins with a star: then both have to fit, otherwise one of them is enough.
    any_day: bool,
    any_weekday: bool,
}

impl Cron {
    /// Reads a text.
    pub fn parse(text: &str) -> Result<Self, CronError> {
        let fields: Vec<&str> = match text.trim() {
            "@hourly" => vec!["0", "*", "*", "*", "*"],
            "@daily" | "@midnight" => vec!["0", "0", "*", "*", "*"],
            "@weekly" => vec!["0", "0", "*", "*", "0"],
            "@monthly" => vec!["0", "0", "1", "*", "*"],
            "@yearly" | "@annually" => vec!["0", "0", "1", "1", "*"],
            other => other.split_whitespace().collect(),
        };
        let &[minute, hour, day, month, weekday] = fields.as_slice() else {
            let message = format!("5 fields are needed, it has {}", fields.len());
            let error = CronError::new(message);
            return Err(if fields.len() == 6 {
                error.hinting("Seconds have no field here: leave the first one out, or set an interval (every)")
            } else {
                error
            });
        };
        let mut cron = Self {
            text: text.trim().to_owned(),
            minutes: 0,
            hours: 0,
            days: 0,
            months: 0,
            weekdays: 0,
            counted: Vec::new(),
            any_day: day.starts_with(['*', '?']),
            any_weekday: weekday.starts_with(['*', '?']),
        };
        cron.minutes = read(minute, &FIELDS[0], &mut cron.counted)?;
        cron.hours = read(hour, &FIELDS[1], &mut cron.counted)?;
        cron.days = read(day, &FIELDS[2], &mut cron.counted)?;
        cron.months = read(month, &FIELDS[3], &mut cron.counted)?;
        cron.weekdays = read(weekday, &FIELDS[4], &mut cron.counted)?;
        if cron.weekdays & (1 << 7) != 0 {
            cron.weekdays |= 1;
        }
        Ok(cron)
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first minute after this one that fits.
    pub fn after(&self, wall: DateTime) -> Option<DateTime> {
        let (mut date, mut from) = (wall.date(), minute_of(wall) + 1);
        for _ in 0..DAYS {
            if self.fits(date)
                && let Some(time) = self.time_from(from)
            {
                return Some(date.to_datetime(time));
            }
            (date, from) = (date.tomorrow().ok()?, 0);
        }
        None
    }

    /// The first minute of a day, counted from `from`, that fits.
    fn time_from(&self, from: u32) -> Option<Time> {
        let first = from / 60;
        (first..24).filter(|hour| self.hours & (1 << hour) != 0).find_map(|hour| {
            let least = if hour == first { from % 60 } else { 0 };
            let minute = (least..60).find(|minute| self.minutes & (1 << minute) != 0)?;
            Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0).ok()
        })
    }

    fn fits(&self, date: Date) -> bool {
        if self.months & bit(date.month()) == 0 {
            return false;
        }
        let (mut day, mut weekday) =
            (self.days & bit(date.day()) != 0, self.weekdays & bit(date.weekday().to_sunday_zero_offset()) != 0);
        for counted in &self.counted {
            match counted {
                Counted::LastDay => day |= date.day() == date.days_in_month(),
                Counted::LastWeekday(wanted) => {
                    weekday |= is_weekday(date, *wanted) && date.day() + 7 > date.days_in_month();
                }
                Counted::NthWeekday(wanted, nth) => {
                    weekday |= is_weekday(date, *wanted) && (date.day() - 1) / 7 + 1 == (*nth).cast_signed();
                }
            }
        }
        if self.any_day || self.any_weekday { day && weekday } else { day || weekday }
    }
}

fn minute_of(wall: DateTime) -> u32 {
    u32::from(wall.hour().unsigned_abs()) * 60 + u32::from(wall.minute().unsigned_abs())
}

fn bit(value: i8) -> u64 {
    1 << value.unsigned_abs()
}

fn is_weekday(date: Date, wanted: u8) -> bool {
    date.weekday().to_sunday_zero_offset().unsigned_abs() == wanted % 7
}

/// A field: parts with commas between them.
fn read(text: &str, field: &Field, counted: &mut Vec<Counted>) -> Result<u64, CronError> {
    let mut bits = 0;
    for part in text.split(',') {
        bits |= read_part(part, field, counted)?;
    }
    Ok(bits)
}

fn read_part(part: &str, field: &Field, counted: &mut Vec<Counted>) -> Result<u64, CronError> {
    let wrong = |why: &str| CronError::new(format!("'{part}' in the field {} {why}", field.name));
    if part.is_empty() {
        return Err(CronError::new(format!("a part of the field {} is empty", field.name)));
    }
    let (is_day, is_weekday) = (field.most == 31, field.most == 7);
    if is_day && part.eq_ignore_ascii_case("l") {
        counted.push(Counted::LastDay);
        return Ok(0);
    }
    if is_weekday && let Some(day) = part.strip_suffix(['L', 'l']) {
        if day.is_empty() {
            return Err(
                wrong("names no weekday").hinting("Write the weekday before it: 5L is the last Friday of a month")
            );
        }
        counted.push(Counted::LastWeekday(value(day, field, part)? % 7));
        return Ok(0);
    }
    if is_weekday && let Some((day, nth)) = part.split_once('#') {
        let nth = nth.parse().ok().filter(|nth| (1..=5).contains(nth));
        let nth =
            nth.ok_or_else(|| wrong("does not say which one of a month").hinting("Write 5#2 for the second Friday"))?;
        counted.push(Counted::NthWeekday(value(day, field, part)? % 7, nth));
        return Ok(0);
    }
    let (range, step) = match part.split_once('/') {
        None => (part, None),
        Some((range, step)) => {
            let step: Option<u8> = step.parse().ok().filter(|step| (1..=field.most).contains(step));
            (range, Some(step.ok_or_else(|| wrong(&format!("has no step from 1 to {}", field.most)))?))
        }
    };
    // Sunday stands at both ends of the field: a star names it once.
    let last = if is_weekday { 6 } else { field.most };
    let (first, last) = match range.split_once('-') {
        _ if range == "*" || (range == "?" && (is_day || is_weekday)) => (field.least, last),
        Some((first, last)) => (value(first, field, part)?, value(last, field, part)?),
        None => {
            let only = value(range, field, part)?;
            (only, if step.is_some() { last.max(only) } else { only })
        }
    };
    if first > last {
        return Err(wrong("begins after its end").hinting("Write both parts: 22-23,0-5 instead of 22-5"));
    }
    Ok((first..=last).step_by(step.unwrap_or(1).into()).fold(0, |bits, value| bits | 1 << value))
}

fn value(text: &str, field: &Field, part: &str) -> Result<u8, CronError> {
    let name = field.names.iter().position(|name| text.eq_ignore_ascii_case(name));
    if let Some(value) = name.and_then(|index| u8::try_from(index).ok()) {
        return Ok(value + field.least);
    }
    let digits = !text.is_empty() && text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| digits && (field.least..=field.most).contains(number));
    number.ok_or_else(|| {
        let (name, least, most) = (field.name, field.least, field.most);
        CronError::new(format!("'{part}' in the field {name} is not a value from {least} to {most}"))
    })
}
