use super::{format_csv, parse_csv, parse_json};
use serde_json::json;

#[test]
fn csv_there_and_back() {
    let text = "\u{feff}id,name\n1,\"Ada, \"\"L\"\"\"\n2,two\r\n";
    let rows = parse_csv(text, "The text").expect("a table");
    assert_eq!(rows, json!([{"id": "1", "name": "Ada, \"L\""}, {"id": "2", "name": "two"}]));
    assert_eq!(format_csv(&rows, "x").expect("rows"), "id,name\n1,\"Ada, \"\"L\"\"\"\n2,two\n");
    assert_eq!(parse_csv("", "x"), Ok(json!([])));
    assert_eq!(format_csv(&json!([{"a": 1}, {"b": [1], "a": null}]), "x").as_deref(), Ok("a,b\n1,\n,[1]\n"));
}

#[test]
fn csv_errors_say_the_line() {
    for (text, words) in [
        ("a,b\n1,2\n3\n", "line 3 has 1 values, the header names 2 columns"),
        ("a,a\n1,2\n", "line 1 names the column 'a' twice"),
        ("a,\n1,2\n", "line 1 has no name for column 2"),
    ] {
        let failure = parse_csv(text, "The text").expect_err(text);
        assert!(failure.message.contains(words), "{}", failure.message);
    }
}

#[test]
fn json_errors_say_where() {
    let failure = parse_json("{\"a\": 1,\n  oops}", "The text").expect_err("broken");
    assert_eq!(failure.message, "The text is not JSON: key must be a string (line 2, column 3)");
    for text in ["[".repeat(2_000), "\"\\ud800\"".into(), "1e400".into(), String::new()] {
        assert_eq!(parse_json(&text, "The text").expect_err("refused").code, "NON_JSON");
    }
}

#[test]
fn a_table_of_mostly_empty_cells_is_refused() {
    let rows: Vec<_> = (0..9_000).map(|n| json!({ format!("c{n}"): n })).collect();
    let failure = format_csv(&json!(rows), "The list").expect_err("81 million cells");
    assert_eq!((failure.code.as_str(), failure.details["size"].as_u64()), ("TOO_LARGE", Some(81_000_000)));
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
        assert_eq!(format_csv(&value, "x"), Ok(format!("id\n{text}\n")));
    }
    for number in
        ["18446744073709551616", "-9223372036854775809", "12345678901234567890123", "0.1234567890123456789", "1e-400"]
    {
        let failure = parse_json(&format!("{{\"rows\":[{{\"id\":{number}}}]}}"), "The text");
        let failure = failure.expect_err(number);
        assert_eq!((failure.code.as_str(), failure.details["path"].as_str()), ("NUMBER_TOO_LONG", Some("rows[0].id")));
        assert!(failure.message.contains(number) && failure.message.contains("as a text"), "{}", failure.message);
    }
    assert_eq!(parse_csv("id\n12345678901234567890123\n", "x"), Ok(json!([{ "id": "12345678901234567890123" }])));
}
