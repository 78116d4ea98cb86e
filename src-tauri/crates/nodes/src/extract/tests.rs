use super::extract;
use serde_json::{Value, json};

fn run(value: &Value, paths: &Value) -> Result<Value, signalbox_model::NodeFailure> {
    extract(value, paths.as_object().expect("an object")).map(Value::Object)
}

#[test]
fn p_21_the_words_of_a_missing_field() {
    let answer = json!({"login": "ada", "bio": "…", "name": "Ada"});
    let failure = run(&answer, &json!({"user": "$.username"})).expect_err("missing");
    assert_eq!(failure.message, "Field '$.username' not found. Available: login, bio, name");
    assert_eq!((failure.code.as_str(), failure.retryable), ("BAD_PATH", false));
    assert_eq!(
        Value::Object(failure.details),
        json!({"attempted": ["$.username"], "available": ["login", "bio", "name"], "availableAt": "$",
            "topLevel": ["login", "bio", "name"], "sample": {"login": "string", "bio": "string", "name": "string"}})
    );
}

#[test]
fn ts_133_all_missing_fields_come_at_once() {
    let failure = run(
        &json!({"data": [{"id": 1}, {"id": 2}]}),
        &json!({"a": "$.items[0]", "b": "$.data[5].id", "ok": "$.data[1].id", "c": "$.data[0].name"}),
    )
    .expect_err("missing");
    assert_eq!(failure.details["attempted"], json!(["$.items[0]", "$.data[5].id", "$.data[0].name"]));
    assert_eq!(failure.details["available"], json!(["data"]));
    assert_eq!(failure.details["missing"][1]["available"], json!(["[0]…[1]"]));
    assert_eq!(failure.details["missing"][2]["availableAt"], json!("$.data[0]"));
    assert!(failure.message.ends_with("Also not found: '$.data[5].id', '$.data[0].name'"), "{}", failure.message);
}

#[test]
fn ts_148_null_is_found_and_a_broken_path_says_where() {
    assert_eq!(run(&json!({"a": null}), &json!({"x": "$.a"})), Ok(json!({"x": null})));
    let failure = run(&json!({"a": 1}), &json!({"x": "$.a[*]"})).expect_err("no wildcards");
    assert!(failure.message.contains("a whole number from 0"), "{}", failure.message);
}

#[test]
fn nothing_is_available_in_a_text() {
    let failure = run(&json!({"a": "text"}), &json!({"x": "$.a.b"})).expect_err("missing");
    assert_eq!(failure.message, "Field '$.a.b' not found. Available: nothing (at $.a)");
}
