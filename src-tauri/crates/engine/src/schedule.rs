//! When a schedule fires: `{cron | every, timezone, onMissed, jitterMs}` (ADR 90). Nobody is asked what time it is: the same
//! config gives the same moments on every machine, because the time zones come with the program.
//!
//! A cron text is matched against the clock on the wall. A time that a change of the clocks leaves out runs at the first
//! moment after the gap; one that occurs twice runs once, at its first.

mod cron;

pub use cron::{Cron, CronError};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use serde_json::Value;
use signalbox_model::Code;
use signalbox_model::hash::sha256_parts;
use signalbox_model::time::Millis;

/// Least and largest interval of `every`, milliseconds.
pub const EVERY_MS: std::ops::RangeInclusive<i64> = 1_000..=31_622_400_000;
/// Largest jitter, milliseconds.
pub const MAX_JITTER_MS: i64 = 3_600_000;
/// The kind of step that has a schedule.
pub const KIND: &str = "trigger.schedule";

/// What happens to ticks that passed while nothing could fire them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnMissed {
    /// They are left out.
    Skip,
    /// The last of them fires, once for all.
    One,
    /// Each of them fires.
    All,
}

/// What is wrong with a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of finding.
    pub code: Code,
    /// JSON Pointer into the config.
    pub path: &'static str,
    /// What is wrong and why.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

/// A schedule.
#[derive(Debug, Clone)]
pub struct Schedule {
    when: When,
    zone: TimeZone,
    /// Name of the zone.
    pub timezone: String,
    /// What happens to ticks that were missed.
    pub on_missed: OnMissed,
    /// Each tick fires up to so much later, milliseconds.
    pub jitter_ms: i64,
}

#[derive(Debug, Clone)]
enum When {
    Cron(Box<Cron>),
    Every(i64),
}

fn problem(code: Code, path: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Problem {
    Problem { code, path, message: message.into(), hint: hint.into() }
}

impl Schedule {
    /// Reads the config of a schedule step; every problem at once.
    pub fn read(config: &Value) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let given = |name: &str| config.get(name).filter(|value| !value.is_null());
        let when = match (given("cron"), given("every")) {
            (Some(_), Some(_)) => Err(problem(
                Code::BadConfig,
                "/every",
                "A schedule has either a cron expression or an interval, not both",
                "Remove one of them",
            )),
            (None, None) => Err(problem(
                Code::MissingConfig,
                "/cron",
                "The schedule says neither a cron expression nor an interval",
                "Write cron: \"0 8 * * 1-5\" (weekdays at 08:00), or every: 900000 (15 minutes in milliseconds)",
            )),
            (Some(text), None) => read_cron(text).map(|cron| When::Cron(Box::new(cron))),
            (None, Some(every)) => read_number(every, "/every", &EVERY_MS).map(When::Every),
        };
        let timezone = given("timezone").map_or(Some("UTC"), Value::as_str).unwrap_or_default().to_owned();
        let zone = TimeZoneDatabase::bundled().get(&timezone).map_err(|_| {
            let message = format!("There is no time zone '{timezone}'");
            problem(Code::UnknownTimezone, "/timezone", message, near_zone(&timezone))
        });
        let on_missed = match given("onMissed").map(|value| value.as_str().unwrap_or_default()) {
            None | Some("one") => Ok(OnMissed::One),
            Some("skip") => Ok(OnMissed::Skip),
            Some("all") => Ok(OnMissed::All),
            Some(_) => {
                Err(problem(Code::BadConfig, "/onMissed", "onMissed is none of its values", "Write skip, one or all"))
            }
        };
        let jitter = given("jitterMs").map_or(Ok(0), |jitter| read_number(jitter, "/jitterMs", &(0..=MAX_JITTER_MS)));
        match (when, zone, on_missed, jitter) {
            (Ok(when), Ok(zone), Ok(on_missed), Ok(jitter_ms)) => {
                let schedule = Self { when, zone, timezone, on_missed, jitter_ms };
                return schedule.check_fires().map(|()| schedule).map_err(|problem| vec![problem]);
            }
            (when, zone, on_missed, jitter) => {
                problems.extend(when.err());
                problems.extend(zone.err());
                problems.extend(on_missed.err());
                problems.extend(jitter.err());
            }
        }
        Err(problems)
    }

    /// One with a fixed interval, in UTC.
    pub fn every(every_ms: Millis) -> Self {
        let when = When::Every(every_ms.max(*EVERY_MS.start()));
        Self { when, zone: TimeZone::UTC, timezone: "UTC".to_owned(), on_missed: OnMissed::One, jitter_ms: 0 }
    }

    /// A cron text may be right in each field and name days that no year has.
    fn check_fires(&self) -> Result<(), Problem> {
        let When::Cron(cron) = &self.when else { return Ok(()) };
        let start = DateTime::constant(2000, 1, 1, 0, 0, 0, 0);
        if cron.after(start).is_some() {
            return Ok(());
        }
        let message =
            format!("The cron expression '{}' never fires: no month that it names has such a day", cron.text());
        Err(problem(
            Code::NeverFires,
            "/cron",
            message,
            "Name a day that the month has; L is the last day of any month",
        ))
    }

    /// The first tick after a moment.
    pub fn next_after(&self, after: Millis) -> Option<Millis> {
        match &self.when {
            When::Every(every) => after.div_euclid(*every).checked_add(1)?.checked_mul(*every),
            When::Cron(cron) => {
                let mut wall = self.zone.to_datetime(Timestamp::from_millisecond(after).ok()?);
                // The clock shows the first of two equal times at or before `after`: nothing up to it can come later.
                loop {
                    wall = cron.after(wall)?;
                    let tick = self.moment_of(wall)?;
                    if tick > after {
                        return Some(tick);
                    }
                }
            }
        }
    }

    /// The ticks after a moment, in order.
    pub fn ticks(&self, after: Millis) -> impl Iterator<Item = Millis> {
        std::iter::successors(self.next_after(after), |tick| self.next_after(*tick))
    }

    /// When the clock on the wall shows this for the first time, or the first moment after the gap that it falls into.
    fn moment_of(&self, wall: DateTime) -> Option<Millis> {
        let moment = match self.zone.to_ambiguous_timestamp(wall).offset() {
            AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => {
                offset.to_timestamp(wall).ok()?
            }
            AmbiguousOffset::Gap { after, .. } => {
                let before_gap = after.to_timestamp(wall).ok()?;
                self.zone.following(before_gap).next()?.timestamp()
            }
        };
        Some(moment.as_millisecond())
    }

    /// When a tick of a trigger fires: up to `jitterMs` later, always the same for the same trigger and tick, so that a
    /// restart moves nothing.
    pub fn fires_at(&self, trigger: &str, tick: Millis) -> Millis {
        if self.jitter_ms == 0 {
            return tick;
        }
        let hash = sha256_parts(&[trigger.as_bytes(), &tick.to_be_bytes()]);
        let number = u64::from_str_radix(hash.get(..15).unwrap_or_default(), 16).unwrap_or_default();
        let spread = number % (self.jitter_ms.unsigned_abs() + 1);
        tick.saturating_add(i64::try_from(spread).unwrap_or_default())
    }

    /// A moment as the clocks of the zone show it: `2026-11-30T08:00:00+01:00[Europe/Berlin]`.
    pub fn local(&self, at: Millis) -> String {
        match Timestamp::from_millisecond(at) {
            Ok(moment) => moment.to_zoned(self.zone.clone()).to_string(),
            Err(_) => String::new(),
        }
    }
}

fn read_cron(text: &Value) -> Result<Cron, Problem> {
    let hint = "Write five fields: minute, hour, day of the month, month, weekday; for example 0 8 * * 1-5";
    let Some(text) = text.as_str() else {
        return Err(problem(Code::BadConfig, "/cron", "The cron expression is not text", hint));
    };
    Cron::parse(text).map_err(|error| {
        problem(
            Code::BadCron,
            "/cron",
            format!("The cron expression '{text}' cannot be read: {error}"),
            error.hint(hint),
        )
    })
}

fn read_number(value: &Value, path: &'static str, range: &std::ops::RangeInclusive<i64>) -> Result<i64, Problem> {
    value.as_i64().filter(|number| range.contains(number)).ok_or_else(|| {
        let name = path.trim_start_matches('/');
        let message = format!("{name} is not a whole number of milliseconds from {} to {}", range.start(), range.end());
        problem(Code::BadConfig, path, message, "Write a number of milliseconds, for example 900000 for 15 minutes")
    })
}

/// Zones are spelled in one way only; the nearest name is most often what was meant.
fn near_zone(name: &str) -> String {
    let known: Vec<String> = TimeZoneDatabase::bundled().available().map(|zone| zone.to_string()).collect();
    let city = |zone: &str| zone.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let same_city = known.iter().find(|zone| !name.is_empty() && city(zone) == city(name));
    match same_city.map(String::as_str).or_else(|| crate::catalog::nearest(name, known.iter().map(String::as_str))) {
        Some(near) => format!("Did you mean '{near}'?"),
        None => "Write the name of a zone of the IANA database, for example Europe/Berlin".to_owned(),
    }
}

#[cfg(test)]
mod tests;
