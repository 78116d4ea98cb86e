use super::{date, day_time, decimal, double, embedded, interval, single, time, time_nanos, timestamp, uuid};

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
fn nanoseconds_intervals_and_identifiers() {
    assert_eq!(made(|out| time_nanos(out, 86_399_999_999_999, false)), "23:59:59.999999999");
    assert_eq!(made(|out| time_nanos(out, 1_000_000, false)), "00:00:00.001");
    assert_eq!(made(|out| day_time(out, 19_782, 1, true)), "2024-02-29T00:00:00.000000001Z");
    assert_eq!(interval(14, 3, 14_706_500_000_000), "P1Y2M3DT4H5M6.5S");
    assert_eq!((interval(0, 0, 0), interval(-1, 0, -1)), ("PT0S".into(), "P-1MT-0.000000001S".into()));
    assert_eq!(made(|out| uuid(out, [0xab; 16])), "abababab-abab-abab-abab-abababababab");
}
