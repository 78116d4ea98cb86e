use super::object_in;
use serde_json::json;

#[test]
fn an_object_is_found_among_words_and_fences() {
    for text in [
        "{\"a\": {\"b\": \"}\"}}",
        "Here it is:\n```json\n{\"a\": {\"b\": \"}\"}}\n```\nEnjoy!",
        "<think>short</think>{\"a\":{\"b\":\"}\"}} {\"second\":1}",
    ] {
        assert_eq!(object_in(text).map(serde_json::Value::Object), Ok(json!({"a": {"b": "}"}})), "{text}");
    }
}

#[test]
fn prose_half_json_html_and_depth_are_refused_with_a_reason() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(40), "]".repeat(40));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(300_000));
    for (text, words) in [
        ("", "no JSON object"),
        ("I would use an HTTP step.", "no JSON object"),
        ("<html><body>502 Bad Gateway</body></html>", "no JSON object"),
        ("{\"nodes\": [{\"id\": \"a\"", "not complete"),
        ("{\"nodes\": oops}", "not valid"),
        ("{]", "not valid"),
        (&deep, "nested deeper"),
        (&long, "longer than"),
    ] {
        let finding = object_in(text).expect_err("refused");
        assert!(finding.message.contains(words), "{text:.40}: {}", finding.message);
        assert_eq!(finding.code, "NOT_JSON");
    }
}
