//! The arithmetic against a scan, minute by minute, that knows nothing of gaps and repeated times but what the clock shows.

use super::{OnMissed, Schedule};
use jiff::civil::{Date, DateTime};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Span, Timestamp};
use serde_json::{Value, json};
use signalbox_model::{Code, time};
use std::collections::BTreeSet;

const MINUTE: i64 = 60_000;
const DAY: i64 = 1_440 * MINUTE;

fn read(config: Value) -> Schedule {
    Schedule::read(&config).unwrap_or_else(|problems| panic!("{config}: {problems:?}"))
}

fn cron(text: &str, zone: &str) -> Schedule {
    read(json!({ "cron": text, "timezone": zone }))
}

/// The next ticks after a moment, as people in the zone see them.
fn local(schedule: &Schedule, after: &str, count: usize) -> Vec<String> {
    let after = time::parse(after).expect("a moment");
    schedule.ticks(after).take(count).map(|tick| schedule.local(tick)).collect()
}

/// Values of a field, read in the plainest way.
fn values(text: &str, least: i8, most: i8) -> BTreeSet<i8> {
    let mut all = BTreeSet::new();
    for part in text.split(',') {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (first.parse().expect("a number"), last.parse().expect("a number")),
            None if range == "*" => (least, most),
            None => (range.parse().expect("a number"), range.parse().expect("a number")),
        };
        all.extend((first..=last).step_by(step.parse().expect("a step")));
    }
    all
}

/// A text, read in the plainest way.
struct Plain {
    fields: [BTreeSet<i8>; 5],
    both: bool,
}

impl Plain {
    fn of(text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let ranges = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)];
        let read = |index: usize| values(fields[index], ranges[index].0, ranges[index].1);
        Self { both: fields[2] == "*" || fields[4] == "*", fields: std::array::from_fn(read) }
    }

    fn fits(&self, wall: DateTime) -> bool {
        let weekday = wall.date().weekday().to_sunday_zero_offset();
        let shown = [wall.minute(), wall.hour(), wall.day(), wall.month(), weekday];
        let has = |index: usize| self.fields[index].contains(&shown[index]);
        let day = if self.both { has(2) && has(4) } else { has(2) || has(4) };
        has(0) && has(1) && has(3) && day
    }
}

/// What the clock of a zone shows, minute by minute: each wall time once, and those that it jumped over at the minute after.
fn shown(zone: &TimeZone, from: i64, to: i64) -> Vec<(i64, DateTime)> {
    let wall = |at: i64| zone.to_datetime(Timestamp::from_millisecond(at).expect("in range"));
    // Two days before, so that a time that is shown again is known.
    let start = from - 2 * DAY;
    let (mut seen, mut found, mut before) = (BTreeSet::new(), Vec::new(), wall(start));
    seen.insert(before);
    for at in (start + MINUTE..to).step_by(60_000) {
        let now = wall(at);
        let mut next = before.saturating_add(Span::new().minutes(1));
        while next < now {
            if seen.insert(next) {
                found.push((at, next));
            }
            next = next.saturating_add(Span::new().minutes(1));
        }
        if seen.insert(now) {
            found.push((at, now));
        }
        before = now;
    }
    found.retain(|(at, _)| *at >= from);
    found
}

/// Both ends of daylight time, half an hour on Lord Howe, two hours in Troll, changes at midnight, a daylight time that is
/// negative, zones that moved by half an hour, across the date line, or by a whole day.
const CHANGES: [(&str, &str, &str); 12] = [
    ("Europe/Berlin", "2026-03-29", "2026-10-25"),
    ("America/New_York", "2026-03-08", "2026-11-01"),
    ("Australia/Lord_Howe", "2026-10-04", "2026-04-05"),
    ("Antarctica/Troll", "2026-03-29", "2026-10-25"),
    ("America/Sao_Paulo", "2018-11-04", "2018-02-17"),
    ("Asia/Beirut", "2026-03-29", "2026-10-24"),
    ("Africa/Casablanca", "2026-02-15", "2026-03-22"),
    ("Europe/Dublin", "2026-03-29", "2026-10-25"),
    ("Asia/Pyongyang", "2015-08-14", "2018-05-04"),
    ("America/Caracas", "2007-12-09", "2016-05-01"),
    ("Pacific/Apia", "2011-12-29", "2011-04-02"),
    ("Pacific/Kwajalein", "1993-08-20", "1993-08-21"),
];

const TEXTS: [&str; 14] = [
    "* * * * *",
    "*/15 * * * *",
    "30 2 * * *",
    "15 2 * * *",
    "0 3 * * *",
    "45 1,2,3 * * *",
    "0 0 * * *",
    "30 0 * * *",
    "45 23 * * *",
    "0 8 * * 1-5",
    "0 12 30 * *",
    "0 0 1 * 1",
    "59 1 * * 0",
    "20 */2 * 3-11 *",
];

#[test]
fn ticks_are_those_of_a_scan_of_every_minute_around_changes_of_the_clocks() {
    for (name, first, second) in CHANGES {
        let zone = TimeZoneDatabase::bundled().get(name).expect("a zone");
        for day in [first, second] {
            let date: Date = day.parse().expect("a date");
            let from = date.yesterday().expect("in range").to_zoned(TimeZone::UTC).expect("in range");
            let from = from.timestamp().as_millisecond();
            let to = from + 4 * DAY;
            let minutes = shown(&zone, from, to);
            for text in TEXTS {
                let plain = Plain::of(text);
                let mut wanted: Vec<i64> =
                    minutes.iter().filter(|(_, wall)| plain.fits(*wall)).map(|(at, _)| *at).collect();
                wanted.dedup();
                let found: Vec<i64> = cron(text, name).ticks(from - 1).take_while(|tick| *tick < to).collect();
                assert_eq!(found, wanted, "{text} in {name} around {day}");
            }
        }
    }
}

/// Asked anew after any moment, the answer is the same as of going on: nothing is told twice, nothing is left out.
#[test]
fn the_next_tick_does_not_depend_on_how_it_was_asked_for() {
    for (name, first, second) in CHANGES {
        for (day, text) in
            [first, second].into_iter().flat_map(|day| ["*/20 * * * *", "30 2 * * *"].map(|text| (day, text)))
        {
            let schedule = cron(text, name);
            let from = time::parse(&format!("{day}T00:00:00Z")).expect("a moment") - DAY;
            let all: Vec<i64> = schedule.ticks(from).take_while(|tick| *tick < from + 3 * DAY).collect();
            for after in (from..from + 2 * DAY).step_by(7 * 60_000) {
                assert_eq!(
                    schedule.next_after(after),
                    all.iter().copied().find(|tick| *tick > after),
                    "{text} {name} {after}"
                );
            }
        }
    }
}

#[test]
fn a_time_in_a_gap_runs_after_it_and_one_that_occurs_twice_runs_at_its_first() {
    let gap = local(&cron("30 2 * * *", "Europe/Berlin"), "2026-03-28T12:00:00Z", 2);
    assert_eq!(gap, ["2026-03-29T03:00:00+02:00[Europe/Berlin]", "2026-03-30T02:30:00+02:00[Europe/Berlin]"]);
    let twice = local(&cron("30 2 * * *", "Europe/Berlin"), "2026-10-24T12:00:00Z", 2);
    assert_eq!(twice, ["2026-10-25T02:30:00+02:00[Europe/Berlin]", "2026-10-26T02:30:00+01:00[Europe/Berlin]"]);
    let half = local(&cron("15 2 * * *", "Australia/Lord_Howe"), "2026-10-03T00:00:00Z", 1);
    assert_eq!(half, ["2026-10-04T02:30:00+11:00[Australia/Lord_Howe]"]);
    // Samoa had no 30 December 2011: what was due on it is due when the 31st begins.
    let day = local(&cron("0 9 30 12 *", "Pacific/Apia"), "2011-12-29T00:00:00Z", 2);
    assert_eq!(day, ["2011-12-31T00:00:00+14:00[Pacific/Apia]", "2012-12-30T09:00:00+14:00[Pacific/Apia]"]);
}

#[test]
fn days_are_counted_from_both_ends_of_a_month() {
    for (text, dates) in [
        ("0 0 L * *", ["2026-01-31", "2026-02-28", "2026-03-31"]),
        ("0 0 * * 5L", ["2026-01-30", "2026-02-27", "2026-03-27"]),
        ("0 0 * * fri#2", ["2026-01-09", "2026-02-13", "2026-03-13"]),
        ("0 0 29 feb *", ["2028-02-29", "2032-02-29", "2036-02-29"]),
        ("0 0 13 * fri", ["2026-01-02", "2026-01-09", "2026-01-13"]),
        ("0 0 */10 * mon", ["2026-02-11", "2026-05-11", "2026-05-18"]),
        ("@monthly", ["2026-01-01", "2026-02-01", "2026-03-01"]),
        ("0 0 * * 7", ["2026-01-04", "2026-01-11", "2026-01-18"]),
    ] {
        let schedule = cron(text, "UTC");
        let found = local(&schedule, "2025-12-31T23:59:59Z", 400);
        let found: Vec<&str> = found.iter().filter_map(|tick| tick.get(..10)).collect();
        if text == "0 0 */10 * mon" {
            // The field of days begins with a star: both have to fit.
            assert!(found.iter().all(|date| ["01", "11", "21", "31"].contains(&&date[8..])), "{found:?}");
            continue;
        }
        assert_eq!(found[..3], dates, "{text}");
    }
}

#[test]
fn an_interval_has_the_same_ticks_whenever_it_is_asked() {
    let quarter = read(json!({ "every": 900_000, "timezone": "Asia/Kolkata" }));
    assert_eq!(
        local(&quarter, "2026-11-28T09:07:00Z", 2),
        ["2026-11-28T14:45:00+05:30[Asia/Kolkata]", "2026-11-28T15:00:00+05:30[Asia/Kolkata]"]
    );
    assert_eq!(quarter.next_after(-1), Some(0));
    assert_eq!(quarter.next_after(0), Some(900_000));
    assert_eq!(quarter.on_missed, OnMissed::One);
}

#[test]
fn jitter_is_the_same_for_the_same_tick_and_spreads_others() {
    let schedule = read(json!({ "cron": "0 * * * *", "jitterMs": 60_000 }));
    let at: Vec<i64> = (0..200).map(|hour| schedule.fires_at("w.t", hour * 3_600_000) - hour * 3_600_000).collect();
    assert!(at.iter().all(|late| (0..=60_000).contains(late)), "{at:?}");
    assert!(at.iter().collect::<BTreeSet<_>>().len() > 150, "{at:?}");
    assert_eq!(schedule.fires_at("w.t", 0), schedule.fires_at("w.t", 0));
    assert_ne!(schedule.fires_at("w.t", 0), schedule.fires_at("w.u", 0));
    assert_eq!(cron("0 * * * *", "UTC").fires_at("w.t", 7), 7);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (config, code, path, said) in [
        (json!({}), Code::MissingConfig, "/cron", "neither"),
        (json!({ "cron": "0 8 * * *", "every": 60_000 }), Code::BadConfig, "/every", "not both"),
        (json!({ "cron": "0 8 * *" }), Code::BadCron, "/cron", "it has 4"),
        (json!({ "cron": "0 0 8 * * *" }), Code::BadCron, "/cron", "it has 6"),
        (json!({ "cron": "" }), Code::BadCron, "/cron", "it has 0"),
        (json!({ "cron": "60 8 * * *" }), Code::BadCron, "/cron", "'60' in the field minute"),
        (json!({ "cron": "0 8 0 * *" }), Code::BadCron, "/cron", "'0' in the field day of the month"),
        (json!({ "cron": "0 8 * foo *" }), Code::BadCron, "/cron", "'foo' in the field month"),
        (json!({ "cron": "0 22-5 * * *" }), Code::BadCron, "/cron", "begins after its end"),
        (json!({ "cron": "*/0 * * * *" }), Code::BadCron, "/cron", "no step"),
        (json!({ "cron": "*/90 * * * *" }), Code::BadCron, "/cron", "no step"),
        (json!({ "cron": "1,,2 * * * *" }), Code::BadCron, "/cron", "empty"),
        (json!({ "cron": "0 0 * * L" }), Code::BadCron, "/cron", "names no weekday"),
        (json!({ "cron": "0 0 * * 5#6" }), Code::BadCron, "/cron", "which one of a month"),
        (json!({ "cron": "+1 0 * * *" }), Code::BadCron, "/cron", "'+1'"),
        (json!({ "cron": "=params.when" }), Code::BadCron, "/cron", "it has 1"),
        (json!({ "cron": 7 }), Code::BadConfig, "/cron", "not text"),
        (json!({ "cron": "0 0 30 2 *" }), Code::NeverFires, "/cron", "never fires"),
        (json!({ "cron": "0 0 31 4,6,9,11 *" }), Code::NeverFires, "/cron", "never fires"),
        (json!({ "cron": "0 8 * * *", "timezone": "Mars/Base" }), Code::UnknownTimezone, "/timezone", "Mars/Base"),
        (json!({ "cron": "0 8 * * *", "timezone": 1 }), Code::UnknownTimezone, "/timezone", "no time zone"),
        (json!({ "every": 10 }), Code::BadConfig, "/every", "milliseconds"),
        (json!({ "every": "1h" }), Code::BadConfig, "/every", "milliseconds"),
        (json!({ "every": 60_000, "jitterMs": -1 }), Code::BadConfig, "/jitterMs", "milliseconds"),
        (json!({ "every": 60_000, "onMissed": "maybe" }), Code::BadConfig, "/onMissed", "none of its values"),
    ] {
        let problems = Schedule::read(&config).err().unwrap_or_else(|| panic!("{config} was read"));
        let first = problems.first().expect("one");
        assert_eq!((first.code, first.path), (code, path), "{config}: {first:?}");
        assert!(first.message.contains(said) && !first.hint.is_empty(), "{config}: {first:?}");
    }
    let all = Schedule::read(&json!({ "cron": "x", "timezone": "Berlin", "onMissed": "x", "jitterMs": "x" }));
    let all = all.expect_err("four problems");
    assert_eq!(all.len(), 4, "{all:?}");
    assert_eq!(all[1].hint, "Did you mean 'Europe/Berlin'?");
}
