use super::{Content, parse_json, read_json, read_yaml};
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
        csv_table::read("id\n12345678901234567890123\n", Layout::default(), "x", String::new()),
        Ok(Content::Values(json!([{ "id": "12345678901234567890123" }])))
    );
}

#[test]
fn a_member_with_two_values_is_named_and_one_that_is_repeated_is_read() {
    let failure = parse_json("{\"rows\":[{\"id\":1,\n\"id\":2}]}", "The text").expect_err("twice");
    assert_eq!(failure.code, "DUPLICATE_MEMBER");
    assert_eq!(json!(failure.details), json!({ "path": "rows[0].id", "line": 2, "column": 1 }));
    assert!(
        failure
            .message
            .contains("the member rows[0].id occurs twice in one object, with different values. Have it sent once"),
        "{}",
        failure.message
    );
    assert_eq!(parse_json("{\"id\":[1],\"id\": [1]}", "The text"), Ok(json!({ "id": [1] })));
}

/// Counted, not timed: a large text becomes compact text, and no value is made of it. Its errors are those of a small one.
#[test]
fn large_json_stays_text() {
    let rows: Vec<_> =
        (0..20_000).map(|n| json!({ "n": n, "who": "Ada \"L\"é", "part": f64::from(n) / 7.0 })).collect();
    let rows = json!(rows);
    let text = serde_json::to_string_pretty(&rows).expect("text");
    let read = |text: &str| read_json(text, "The text", "{\"content\":".into());
    assert_eq!(read(&format!("\u{feff}{text}")), Ok(Content::Text(format!("{{\"content\":{rows}"))));
    let after = |end: &str| format!("{}{end}", text.trim_end_matches(']'));
    assert_eq!(read(&after(", oops]")).expect_err("no JSON").code, "NON_JSON");
    assert_eq!(read(&after(", 12345678901234567890123]")).expect_err("too long").code, "NUMBER_TOO_LONG");
    assert_eq!(read(&after(", {\"a\":1,\"a\":2}]")).expect_err("twice").code, "DUPLICATE_MEMBER");
    assert!(matches!(read(&after(", {\"a\":1,\"a\":1}]")), Ok(Content::Values(_))));
    let hostile = format!("[{}0]", "0,".repeat(10_000_000));
    assert_eq!(read(&hostile).expect_err("too many values").code, "TOO_LARGE");
}

#[test]
fn a_key_that_occurs_twice_in_yaml_is_named_with_its_line() {
    let refused = read_yaml("a: 1\nb:\n  c: 2\n  c: 3\n").expect_err("a repeated key");
    assert_eq!(refused.code, "BAD_YAML");
    assert!(refused.message.contains("duplicate") && refused.message.contains("c"), "{}", refused.message);
    assert!(!refused.message.contains("Options"), "{}", refused.message);
    assert_eq!(refused.details["line"], json!(4));
}

#[test]
fn aliases_of_yaml_are_bounded() {
    let text = |uses: usize| format!("row: &row [{}]\nrows:\n{}", "1, ".repeat(98), "  - *row\n".repeat(uses));
    let read = read_yaml(&text(100)).expect("aliases in moderation");
    assert_eq!(read["rows"].as_array().map(Vec::len), Some(100));
    // Each use is a hundred events: the sum is above the limit.
    let refused = read_yaml(&text(600)).expect_err("more than aliases may add");
    assert_eq!(refused.code, "BAD_YAML");
    assert!(refused.message.contains("alias"), "{}", refused.message);
    assert!(crate::connector::file::read_value(&text(600)).is_err_and(|why| why.contains("alias")));
}
