use super::{date, decimal, double, embedded, single, time, timestamp};

fn made(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).expect("text")
}

#[test]
fn decimals_are_numbers_where_a_number_holds_them() {
    let decimal = |digits: &str| made(|out| decimal(out, digits));
    assert_eq!(decimal("1.50"), "1.5");
    assert_eq!(decimal("100"), "100");
    assert_eq!(decimal("-0.00"), "0");
    assert_eq!(decimal("7.000"), "7");
    assert_eq!(decimal("12345678901234.567"), "12345678901234.567");
    assert_eq!(decimal("12345678901234567890.12"), "\"12345678901234567890.12\"");
    assert_eq!(decimal("18446744073709551615"), "18446744073709551615");
    assert_eq!(decimal("18446744073709551616000001"), "\"18446744073709551616000001\"");
    assert_eq!(decimal("NaN"), "\"NaN\"");
    assert_eq!(decimal("Infinity"), "\"Infinity\"");
}

#[test]
fn doubles_singles_and_json() {
    assert_eq!(made(|out| double(out, 0.1)), "0.1");
    assert_eq!(made(|out| double(out, 240.0)), "240");
    assert_eq!(made(|out| double(out, 1e300)), "1e+300");
    assert_eq!(made(|out| double(out, f64::NEG_INFINITY)), "\"-Infinity\"");
    assert_eq!(made(|out| single(out, 0.1)), "0.1");
    assert_eq!(made(|out| single(out, f32::NAN)), "\"NaN\"");
    assert_eq!(
        made(|out| embedded(out, "{ \"a\" : [1, 2.50], \"n\": 123456789012345678901234 }")),
        "{\"a\":[1,2.5],\"n\":\"123456789012345678901234\"}"
    );
    assert_eq!(made(|out| embedded(out, "{\"a\":1,\"a\":2}")), r#""{\"a\":1,\"a\":2}""#, "as it is written");
    assert_eq!(made(|out| embedded(out, "{\"a\":1,\"a\":1}")), "{\"a\":1}");
}

fn date_text(days: i64) -> String {
    made(|out| date(out, days))
}

fn time_text(micros: i64, always: bool) -> String {
    made(|out| time(out, micros, always))
}

fn timestamp_text(micros: i64, is_moment: bool) -> String {
    made(|out| timestamp(out, micros, is_moment))
}

#[test]
fn dates_before_and_after_1970() {
    assert_eq!(date_text(0), "1970-01-01");
    assert_eq!(date_text(-1), "1969-12-31");
    assert_eq!(date_text(19_782), "2024-02-29");
    assert_eq!(date_text(-719_529), "-0001-12-31");
    assert_eq!(date_text(-719_528), "0000-01-01");
    assert_eq!(date_text(2_932_897), "+10000-01-01");
    assert_eq!(time_text(49_500_000_000, false), "13:45:00");
    assert_eq!(time_text(49_500_120_000, false), "13:45:00.120");
    assert_eq!(timestamp_text(-1, true), "1969-12-31T23:59:59.999999Z");
    assert_eq!(timestamp_text(0, false), "1970-01-01T00:00:00.000");
}

#[test]
fn times_are_those_of_a_calendar() {
    let mut micros = -62_135_596_800_000_000_i64;
    // Steps of some 11 days, 1 hour, 2 minutes, 3 seconds and 4,005 microseconds, up to the year 9999.
    while micros < 253_370_764_800_000_000 {
        let at = jiff::Timestamp::from_microsecond(micros).expect("in range");
        let at = at.to_zoned(jiff::tz::TimeZone::UTC).datetime();
        let (day, clock) = (at.date(), at.time());
        let fraction = clock.subsec_nanosecond() / 1_000;
        let fraction =
            if fraction % 1_000 == 0 { format!("{:03}", fraction / 1_000) } else { format!("{fraction:06}") };
        let wanted = format!("{day}T{:02}:{:02}:{:02}.{fraction}Z", clock.hour(), clock.minute(), clock.second());
        assert_eq!(timestamp_text(micros, true), wanted);
        micros += 37 * (11 * 86_400_000_000 + 3_723_000_000) + 4_005;
    }
}
