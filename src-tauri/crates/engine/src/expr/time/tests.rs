use crate::expr::Expr;
use crate::scope::Scope;
use serde_json::Value;

fn eval(text: &str) -> Result<Value, String> {
    let made = Expr::compile(text).and_then(|made| made.eval(&Scope::empty()));
    made.map_err(|error| error.to_string())
}

/// As the interpreter of `cel` 0.15.0 had them, with chrono and chrono-tz.
#[test]
fn times_of_rfc_3339_are_read() {
    for (text, seconds) in [
        ("1970-01-01T00:00:00Z", 0_i64),
        ("1970-01-01t00:00:00z", 0),
        ("1970-01-01 00:00:00Z", 0),
        ("2000-02-29T12:00:00+14:00", 951_775_200),
        ("2026-01-31T09:30:00-23:59", 1_769_938_140),
        ("2026-01-31T09:30:00\u{2212}01:00", 1_769_855_400),
        ("2026-01-31T09:30:00-00:00", 1_769_851_800),
        ("0000-12-31T23:59:59-01:00", -62_135_593_201),
        ("1969-12-31T23:59:59.500Z", -1),
        ("9999-12-31T23:59:59.999999999Z", 253_402_300_799),
    ] {
        assert_eq!(eval(&format!("int(timestamp('{text}'))")), Ok(seconds.into()), "{text}");
    }
    for text in [
        "",
        "2026-01-31T09:30Z",
        "2026-01-31T09:30:61Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T09:30:00.Z",
        "2026-01-31T09:30:00",
        "2026-01-31T09:30:00+0100",
        "2026-01-31T09:30:00+01",
        "2026-01-31T09:30:00+24:00",
        "2026-01-31T09:30:00+01:60",
        "2026-01-31T09:30:00Z ",
        " 2026-01-31T09:30:00Z",
        "+2026-01-31T09:30:00Z",
        "2026-1-1T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "0000-12-31T23:59:59Z",
        "9999-12-31T23:59:59-00:01",
        "é026-01-31T09:30:00Z",
    ] {
        let error = eval(&format!("timestamp('{text}')")).expect_err(text);
        assert!(error.contains("A time looks like `2026-01-31T09:30:00Z`"), "{text}: {error}");
    }
}

#[test]
fn decimals_after_the_ninth_are_dropped_and_a_leap_second_is_the_one_before() {
    let string = |text: &str| eval(&format!("string(timestamp('{text}'))"));
    assert_eq!(string("2026-01-31T09:30:00.1234567891234Z"), Ok("2026-01-31T09:30:00.123456789Z".into()));
    assert_eq!(string("2026-01-31T09:30:00.500Z"), Ok("2026-01-31T09:30:00.5Z".into()));
    assert_eq!(string("2016-12-31T23:59:60Z"), Ok("2016-12-31T23:59:59Z".into()));
}

#[test]
fn every_day_has_its_date() {
    let mut days = super::days_to(1, 1, 1);
    for year in 1..=9999 {
        for month in 1..=12 {
            let next = if month == 12 { super::days_to(year + 1, 1, 1) } else { super::days_to(year, month + 1, 1) };
            assert!((28..=31).contains(&(next - days)), "{year}-{month}");
            for day in [1, next - days] {
                assert_eq!(super::date_of(days + day - 1), (year, month, day));
            }
            days = next;
        }
    }
    assert_eq!(super::days_to(1970, 1, 1), 0);
    assert_eq!(super::days_to(10_000, 1, 1) * super::DAY, super::LAST + 1);
}

#[test]
fn parts_of_a_time_are_those_of_the_zone() {
    for (text, expected) in [
        ("timestamp('2024-02-29T23:59:59.5Z').getDayOfYear()", 59),
        ("timestamp('2026-01-31T09:30:00Z').getDayOfWeek()", 6),
        ("timestamp('1969-12-31T23:59:59.001Z').getDayOfWeek()", 3),
        ("timestamp('2026-01-31T09:30:00Z').getMonth()", 0),
        ("timestamp('2025-10-26T00:59:59Z').getHours('Europe/Berlin')", 2),
        ("timestamp('2025-10-26T01:00:00Z').getHours('Europe/Berlin')", 2),
        ("timestamp('2025-10-26T02:00:00Z').getHours('Europe/Berlin')", 3),
        ("timestamp('9999-12-31T23:59:59Z').getFullYear('+23:59')", 10_000),
        ("timestamp('9999-12-31T23:59:59Z').getFullYear('America/New_York')", 9999),
        ("timestamp('0001-01-01T00:00:00Z').getFullYear('-00:01')", 0),
        ("timestamp('2026-01-31T00:10:00Z').getHours('-00:30')", 23),
        ("timestamp('2026-01-31T00:10:00Z').getMinutes('5:7')", 17),
        ("timestamp('2026-01-31T00:10:00Z').getHours('')", 0),
        ("timestamp('2026-01-31T00:10:00Z').getHours('UTC')", 0),
        ("timestamp('2026-01-31T00:10:00Z').getHours('Etc/UTC')", 0),
        ("timestamp('2026-01-31T00:10:00Z').getHours('Etc/GMT+5')", 19),
        ("timestamp('2026-07-31T00:10:00Z').getHours('GB')", 1),
        ("timestamp('2026-07-31T00:10:00Z').getHours('EST5EDT')", 20),
        ("duration('-90s').getMinutes()", -1),
    ] {
        assert_eq!(eval(text), Ok(expected.into()), "{text}");
    }
    for zone in ["24:00", "+01:60", "a:b", "Mars/X", "utc", "1:2:3"] {
        let error = eval(&format!("timestamp(0).getHours('{zone}')")).expect_err(zone);
        assert!(error.contains(&format!("there is no time zone `{zone}`")), "{zone}: {error}");
    }
    for text in ["duration('1h').getFullYear()", "timestamp(0).getHours(1)", "duration('1h').getHours('UTC')"] {
        assert!(eval(text).expect_err(text).contains("does not work with"), "{text}");
    }
}

/// Exactly, and whole: `cel` 0.15.0 makes 1.000999999 s of `1.001s`, one hour of `1h foo`, and minus 30 minutes of `-1h-30m`.
#[test]
fn durations_are_exact_and_read_to_their_end() {
    for (text, expected) in [
        ("1h30m", "5400s"),
        ("-1.5s", "-1.5s"),
        ("+1s", "1s"),
        ("0", "0s"),
        ("-0", "0s"),
        (".5s", "0.5s"),
        ("1.s", "1s"),
        ("1.001s", "1.001s"),
        ("0.3s", "0.3s"),
        ("1.5ns", "0.000000001s"),
        ("1ms2us3ns", "0.001002003s"),
        ("1.0000000000000000000000000001h", "3600s"),
        ("9223372036854775807ns", "9223372036.854775807s"),
        ("-9223372036854775808ns", "-9223372036.854775808s"),
        ("2562047h47m16.854775807s", "9223372036.854775807s"),
    ] {
        assert_eq!(eval(&format!("string(duration('{text}'))")), Ok(expected.into()), "{text}");
    }
    let long = format!("{}h", "9".repeat(60));
    for text in [
        "",
        "1",
        "h",
        ".s",
        "1d",
        "1 h",
        "1h ",
        "1h foo",
        "-1h-30m",
        "--1s",
        "1e3s",
        "infs",
        "9223372036854775808ns",
        &long,
    ] {
        let error = eval(&format!("duration('{text}')")).expect_err(text);
        assert!(error.contains("A duration looks like `1h30m` or `45s`"), "{text}: {error}");
    }
}

#[test]
fn sums_and_differences_stay_within_their_limits() {
    for (text, expected) in [
        ("string(timestamp('2026-01-31T09:30:00Z') - duration('1ns'))", "2026-01-31T09:29:59.999999999Z"),
        ("string(duration('1h') + timestamp('2026-01-31T09:30:00Z'))", "2026-01-31T10:30:00Z"),
        ("string(timestamp(5) - timestamp(7))", "-2s"),
        ("string(duration('1h') - duration('1ns'))", "3599.999999999s"),
    ] {
        assert_eq!(eval(text), Ok(expected.into()), "{text}");
    }
    for text in
        ["timestamp('0001-01-01T00:00:00Z') + duration('-1ns')", "duration('9223372036854775807ns') + duration('1ns')"]
    {
        assert!(eval(text).expect_err(text).contains("is out of range"), "{text}");
    }
    for text in ["timestamp(0) + timestamp(0)", "duration('1s') - timestamp(0)"] {
        assert!(eval(text).expect_err(text).contains("does not work with"), "{text}");
    }
}
