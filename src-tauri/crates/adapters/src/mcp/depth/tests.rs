use super::*;

fn nested(levels: usize) -> String {
    let (open, close) = ("[".repeat(levels), "]".repeat(levels));
    format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{open}\"[[\\\"[[\"{close}}}")
}

#[test]
fn what_the_library_reads_stays_as_it_is() {
    for levels in [0, 1, DEEPEST - 1] {
        assert!(serde_json::from_str::<Value>(&nested(levels)).is_ok());
        assert_eq!(instead(&nested(levels)), None);
    }
}

#[test]
fn an_answer_that_is_too_deep_is_an_error_for_whoever_asked() {
    for levels in [DEEPEST, 100_000] {
        assert!(serde_json::from_str::<Value>(&nested(levels)).is_err());
        let told: Value = serde_json::from_str(&instead(&nested(levels)).expect("an error")).expect("JSON");
        assert_eq!((&told["id"], &told["error"]["message"]), (&json!(7), &json!(WORDS)));
    }
}

#[test]
fn an_answer_with_a_number_that_would_become_another_is_an_error_that_names_the_field() {
    let answer = |number: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{\"structuredContent\":{{\"id\":{number}}}}}}}")
    };
    assert_eq!(instead(&answer("18446744073709551615")), None);
    let told: Value = serde_json::from_str(&instead(&answer("18446744073709551617")).expect("told")).expect("JSON");
    let words = change_told(CODE, told["error"]["message"].as_str().expect("words")).expect("of a number");
    assert!(words.starts_with("the number 18446744073709551617 at result.structuredContent.id "), "{words}");
    assert_eq!(instead("{\"id\":7,\"result\":{\"_meta\":18446744073709551617}}"), None);
}

#[test]
fn an_answer_with_two_values_for_one_member_is_an_error_that_names_it() {
    let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"rows":[{"id":1,"id":2}]}}}"#;
    let told: Value = serde_json::from_str(&instead(answer).expect("told")).expect("JSON");
    let words = change_told(CODE, told["error"]["message"].as_str().expect("words")).expect("of a member");
    assert_eq!(
        words,
        "the member result.structuredContent.rows[0].id occurs twice in one object, with different values"
    );
    assert_eq!(instead(r#"{"id":7,"result":{"_meta":{"a":1,"a":2}}}"#), None);
}

#[test]
fn what_is_no_message_has_no_depth() {
    let mut depth = Depth::default();
    assert!(!"loading [".bytes().chain("[".repeat(300).bytes()).any(|byte| depth.take(byte)));
    assert_eq!(instead(&format!("{{\"method\":\"x\",\"params\":{}{}}}", "[".repeat(300), "]".repeat(300))), None);
}
