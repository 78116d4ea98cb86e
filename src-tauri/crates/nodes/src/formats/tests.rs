use super::parse_json;

#[test]
fn json_errors_say_where() {
    let failure = parse_json("{\"a\": 1,\n  oops}", "The text").expect_err("broken");
    assert_eq!(failure.message, "The text is not JSON: key must be a string (line 2, column 3)");
    for text in ["[".repeat(2_000), "\"\\ud800\"".into(), "1e400".into(), String::new()] {
        assert_eq!(parse_json(&text, "The text").expect_err("refused").code, "NON_JSON");
    }
}
