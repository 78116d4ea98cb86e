use super::parse_json;
use crate::csv_table::{self, Layout};
use serde_json::json;

#[test]
fn json_errors_say_where() {
    let failure = parse_json("{\"a\": 1,\n  oops}", "The text").expect_err("broken");
    assert_eq!(failure.message, "The text is not JSON: key must be a string (line 2, column 3)");
    for text in ["[".repeat(2_000), "\"\\ud800\"".into(), "1e400".into(), String::new()] {
        assert_eq!(parse_json(&text, "The text").expect_err("refused").code, "NON_JSON");
    }
}

#[test]
fn numbers_keep_their_digits_or_are_named() {
    for text in [
        "9007199254740993",
        "9223372036854775807",
        "18446744073709551615",
        "-9223372036854775808",
        "-0.0",
        "13.377704000000001",
    ] {
        let value = parse_json(&format!("{{\"id\":{text}}}"), "The text").expect("held");
        assert_eq!(value["id"].to_string(), text);
        assert_eq!(csv_table::format(&value, Layout::default(), "x"), Ok(format!("id\n{text}\n")));
    }
    for number in
        ["18446744073709551616", "-9223372036854775809", "12345678901234567890123", "0.1234567890123456789", "1e-400"]
    {
        let failure = parse_json(&format!("{{\"rows\":[{{\"id\":{number}}}]}}"), "The text");
        let failure = failure.expect_err(number);
        assert_eq!((failure.code.as_str(), failure.details["path"].as_str()), ("NUMBER_TOO_LONG", Some("rows[0].id")));
        assert!(failure.message.contains(number) && failure.message.contains("as a text"), "{}", failure.message);
    }
    assert_eq!(
        csv_table::parse("id\n12345678901234567890123\n", Layout::default(), "x"),
        Ok(json!([{ "id": "12345678901234567890123" }]))
    );
}
