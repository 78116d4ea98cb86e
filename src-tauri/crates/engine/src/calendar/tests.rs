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
