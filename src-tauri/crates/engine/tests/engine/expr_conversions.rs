//! Names of types, conversions with their ranges, times and durations, as the specification of CEL has them.

use crate::expr::{fails, gives, run};
use serde_json::json;
use signalbox_engine::expr::{Code, Expr};

/// Case type-names: the names stand for types without quotes, and are no data that a step would need.
#[test]
fn type_names_are_values_and_no_data() {
    for (value, name) in [
        ("1", "int"),
        ("1u", "uint"),
        ("1.5", "double"),
        ("'a'", "string"),
        ("true", "bool"),
        ("b'a'", "bytes"),
        ("[1]", "list"),
        ("{'a': 1}", "map"),
        ("null", "null_type"),
        ("int", "type"),
        ("type(1)", "type"),
        ("timestamp(0)", "google.protobuf.Timestamp"),
        ("duration('1s')", "google.protobuf.Duration"),
    ] {
        let text = format!("type({value}) == {name}");
        gives(&text, json!(true));
        gives(&format!("string(type({value}))"), json!(name));
        assert!(Expr::compile(&text).unwrap().references().roots.is_empty(), "{text}");
    }
    // A name that is bound wins.
    gives("[5].map(int, int + 1)", json!([6]));
}

#[test]
fn conversions_have_the_ranges_of_the_specification() {
    for (text, wanted) in [
        ("int(9223372036854775807u)", json!(i64::MAX)),
        ("int('-9223372036854775808')", json!(i64::MIN)),
        ("int(-7.9)", json!(-7)),
        ("int(9223372036854774784.0)", json!(9_223_372_036_854_774_784_i64)),
        ("uint(3.99)", json!(3)),
        ("uint('18446744073709551615')", json!(u64::MAX)),
        ("uint(item.big)", json!(u64::MAX)),
        ("uint(18446744073709549568.0)", json!(18_446_744_073_709_549_568_u64)),
        ("double(18446744073709551615u)", json!(18_446_744_073_709_551_615.0)),
        ("string(18446744073709551615u) + string(-5) + string(-4.5e-3)", json!("18446744073709551615-5-0.0045")),
        ("bool('True') && bool('t') && bool('1') && !bool('FALSE') && !bool('f') && !bool('0')", json!(true)),
        ("string(b'\\303\\277') + string(bytes('é'))", json!("ÿé")),
    ] {
        gives(text, wanted);
    }
    for (text, says) in [
        ("int(18446744073709551615u)", "out of range"),
        ("int(item.big)", "out of range"),
        ("int(9223372036854775807.0)", "out of range"),
        // As the specification has it: below it there is no double that is not out of range.
        ("int(-9223372036854775808.0)", "out of range"),
        ("int(1e99)", "out of range"),
        ("int(0.0 / 0.0)", "out of range"),
        ("int('9223372036854775808')", "out of range"),
        ("int('12 ')", "not a whole number"),
        ("int('1.5')", "not a whole number"),
        ("int('')", "not a whole number"),
        ("uint(-1)", "below 0"),
        ("uint(-1.0)", "out of range"),
        ("uint(6.022e23)", "out of range"),
        ("uint('18446744073709551616')", "out of range"),
        ("uint('-1')", "not a whole number without a sign"),
        ("uint(true)", "does not work with a boolean"),
        ("double('1,5')", "not a number"),
        ("bool('TrUe')", "'true' and 'false'"),
        ("string(b'\\000\\xff')", "not UTF-8"),
        ("{1.0: 'a'}", "cannot be a key"),
        ("{0: 1, 0u: 2}", "twice"),
    ] {
        let error = fails(text, Code::Eval);
        assert!(error.message.contains(says), "{text}: {}", error.message);
    }
}

/// Numbers of the data are never unsigned (K-08); `1u` and `uint(x)` are, keep to 0 and above, and reach to 2^64 - 1.
#[test]
fn unsigned_integers_compute_with_each_other_and_compare_with_all() {
    for (text, wanted) in [
        ("9223372036854775807u * 2u + 1u", json!(u64::MAX)),
        ("uint(item.big) - 1u", json!(u64::MAX - 1)),
        ("uint(item.big) / 10u", json!(u64::MAX / 10)),
        ("uint(item.big) % 10u", json!(5)),
        ("uint(item.big) == item.big && 1u == 1 && 1u == 1.0 && 2u != 2.5", json!(true)),
        ("1u < 2 && 1u > -1 && 18446744073709551615u > 9223372036854775807 && 3u <= 3.5", json!(true)),
        ("[7, 8, 9][1u]", json!(8)),
        ("{1u: 'a', 2: 'b'}[1] + {1u: 'a', 2: 'b'}[2u]", json!("ab")),
        ("3u in [1, 3] && 3 in {3u: true} && 18446744073709551615u in {18446744073709551615u: 1}", json!(true)),
        ("type(item.age) == uint", json!(false)),
        // Together with the numbers of the data it is one of theirs.
        ("item.age + 1u", json!(42)),
        ("1u + 0.5", json!(1.5)),
    ] {
        gives(text, wanted);
    }
    for text in
        ["0u - 1u", "18446744073709551615u + 1u", "5u / 0u", "5u % 0u", "-(1u)", "18446744073709551615u + 1", "[1][9u]"]
    {
        assert!(run(text).is_err(), "{text}");
    }
}

#[test]
fn times_are_read_in_zones_and_without_one_in_utc() {
    for (text, wanted) in [
        ("timestamp('2026-01-31T23:30:00-05:00').getDate()", json!(1)),
        ("timestamp('2026-01-31T23:30:00-05:00').getHours()", json!(4)),
        ("timestamp('2026-01-31T23:30:00-05:00').getHours('-05:00')", json!(23)),
        ("timestamp('2026-01-31T23:30:00-05:00') == timestamp('2026-02-01T04:30:00Z')", json!(true)),
        ("string(timestamp('2026-01-31T23:30:00.25-05:00'))", json!("2026-02-01T04:30:00.25Z")),
        ("timestamp('2026-07-01T12:00:00Z').getHours('Europe/Berlin')", json!(14)),
        ("timestamp('2026-01-01T12:00:00Z').getHours('Europe/Berlin')", json!(13)),
        ("timestamp('2009-02-13T23:31:30Z').getMinutes('Asia/Kathmandu')", json!(16)),
        ("timestamp('2009-02-13T02:00:00Z').getDayOfMonth('-02:30')", json!(11)),
        ("timestamp('2009-02-13T23:31:30Z').getHours('02:00')", json!(1)),
        ("timestamp('2024-12-31T00:00:00Z').getDayOfYear()", json!(365)),
        ("timestamp('2026-01-31T09:30:00.123456789Z').getMilliseconds()", json!(123)),
        ("timestamp(1000000000)", json!("2001-09-09T01:46:40Z")),
        ("int(timestamp('0001-01-01T00:00:00Z'))", json!(-62_135_596_800_i64)),
        ("string(duration('1h30m1.5s'))", json!("5401.5s")),
        ("duration('3730s').getMinutes() + duration('10000s').getHours()", json!(64)),
        ("timestamp('9999-12-31T23:59:59.999999999Z') > timestamp('0001-01-01T00:00:00Z')", json!(true)),
        ("timestamp('2009-02-13T23:31:00Z') - timestamp('2009-02-13T23:29:00Z') == duration('120s')", json!(true)),
    ] {
        gives(text, wanted);
    }
    for text in [
        "timestamp('0000-01-01T00:00:00Z')",
        "timestamp('10000-01-01T00:00:00Z')",
        "timestamp(253402300800)",
        "timestamp('2026-02-30T00:00:00Z')",
        "timestamp('0001-01-01T00:00:00Z') - duration('1ns')",
        "timestamp('9999-12-31T23:59:59Z') + duration('1s')",
        "timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z')",
        "duration('320000000000s')",
        "duration('200000000000s') + duration('200000000000s')",
        "duration('5')",
        "duration('1 h')",
        "timestamp(0) + timestamp(0)",
    ] {
        fails(text, Code::Eval);
    }
}

#[test]
fn an_unknown_time_zone_is_named() {
    for (zone, getter) in
        [("Mars/Base", "getHours"), ("europe/berlin", "getDate"), ("+25:00", "getMinutes"), ("+01:60", "getMonth")]
    {
        let error = fails(&format!("timestamp('2026-01-31T09:30:00Z').{getter}('{zone}')"), Code::Eval);
        assert!(error.message.contains(&format!("`{getter}`: there is no time zone `{zone}`")), "{}", error.message);
        assert!(error.message.contains("Europe/Berlin"), "{}", error.message);
    }
    // A duration has no zone: that is what is said.
    let error = fails("duration('1h').getHours('UTC')", Code::Eval);
    assert!(!error.message.contains("time zone"), "{}", error.message);
}
