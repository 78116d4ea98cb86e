use super::{keeps, lost, quoted};

#[test]
fn a_number_that_stays_the_same_number_is_kept() {
    for written in [
        "0",
        "-0",
        "-0.0",
        "0.000000000000000000000000",
        "9007199254740993",
        "-9223372036854775808",
        "9223372036854775807",
        "18446744073709551615",
        // As JavaScript prints doubles: with zeros up to 10^21, and with an exponent above.
        "100000000000000000000",
        "18446744073709552000",
        "1e21",
        "1.2345678901234567e+30",
        "1.7976931348623157e308",
        // Decimals of at most 17 digits are doubles by contract: averages of databases look like this.
        "13.377704000000001",
        "3.3333333333333333",
        "0.1",
        "1.50",
        "1e-7",
        "6.02214076e23",
        "1.602176634e-19",
        // Doubles that were printed longer than needed.
        "0.1000000000000000055511151231257827",
        "0.1000000000000000055511151231257827021181583404541015625",
        "0.299999999999999988897769753748",
        "4.94065645841246544e-324",
        "5e-324",
        "1e-320",
        // Prices with zeros at their end.
        "19.990000000000000000000000",
    ] {
        assert!(keeps(written), "{written}");
    }
}

#[test]
fn a_number_that_would_become_another_is_not_kept() {
    for written in [
        "18446744073709551616",
        "18446744073709551617",
        "-9223372036854775809",
        "12345678901234567890123",
        "0.1234567890123456789",
        "9007199254740993.0",
        "9.007199254740993e15",
        "12345678901234567890.12",
        "1e-400",
        "3.14159265358979323846",
        "12345678901234567890123e-3",
    ] {
        assert!(!keeps(written), "{written}");
    }
    let long = format!("0.{}", "7".repeat(100_000));
    assert!(!keeps(&long));
    assert!(lost(&long).expect("too long").told().len() < 400);
}

#[test]
fn the_field_is_named() {
    let text = "{\"a\": [1, {\"b\": \"9.12345678901234567890\"}],\n \"rows\": [{\"x\": 1}, {\"a \\\"b\": [0, 12345678901234567890123]}]}";
    let found = lost(text).expect("one");
    assert_eq!(
        (found.path.as_str(), found.written.as_str(), found.line, found.column),
        (r#"rows[1]["a \"b"][1]"#, "12345678901234567890123", 2, 35)
    );
    assert_eq!(lost("12345678901234567890123").expect("one").path, "");
    assert_eq!(lost("{\"a\":{\"b\":1e-400}}").expect("one").path, "a.b");
    assert_eq!(lost("[\"12345678901234567890123\", \"\\\"12345678901234567890123\"]"), None);
}

#[test]
fn what_a_value_cannot_hold_is_put_into_quotes_and_the_rest_stays() {
    assert_eq!(quoted(r#"{"a": 9007199254740993, "b": "18446744073709551616", "c": [0.1, 1e400, true]}"#), None);
    let text =
        r#"{"18446744073709551616": 18446744073709551616, "b": [1, -9223372036854775809,0.1234567890123456789]}"#;
    let want =
        r#"{"18446744073709551616": "18446744073709551616", "b": [1, "-9223372036854775809","0.1234567890123456789"]}"#;
    assert_eq!(quoted(text).as_deref(), Some(want));
    assert_eq!(quoted("18446744073709551616").as_deref(), Some("\"18446744073709551616\""));
}
