use super::{Rule, edits};
use crate::dto::Correction;
use serde_json::{Value, json};
use signalbox_engine::patch::{Operation, apply};

fn rule(correction: Value) -> crate::error::ApiResult<Rule> {
    let correction: Correction = serde_json::from_value(correction).expect("a correction");
    Rule::of(&correction, |_| Ok(vec![json!({ "amount": "12,5" })]))
}

#[test]
fn a_correction_is_one_of_four() {
    assert!(matches!(rule(json!({})), Ok(Rule::Recorded)));
    assert!(matches!(rule(json!({ "definition": "current" })), Ok(Rule::Recorded)));
    assert!(rule(json!({ "expression": "{'a': item.a}" })).is_ok());
    for (wrong, words) in [
        (json!({ "expression": "item.", "definition": "original" }), "cannot be used"),
        (json!({ "patch": [] }), "1 to 200"),
        (json!({ "patch": [{ "op": "swap", "path": "/a" }] }), "Operation 1"),
        (json!({ "patch": [{ "op": "remove", "path": "/a" }], "expression": "item" }), "at most one"),
        (json!({ "edited": { "failure": 1, "input": [] } }), "got 1 items"),
        (json!({ "edited": { "failure": 1, "input": [{ "amount": "12,5" }] } }), "is the recorded one"),
    ] {
        let error = rule(wrong.clone()).expect_err("is refused");
        assert!(error.message.contains(words), "{wrong}: {}", error.message);
    }
}

#[test]
fn an_edit_fits_where_the_same_value_stands() {
    let operations =
        edits(&[json!({ "currency": "EURO", "n": 1 })], &[json!({ "currency": "EUR", "n": 1 })]).expect("edits");
    assert!(matches!(&operations[0], Operation::Test { path, .. } if path == "/currency"));
    assert_eq!(apply(&json!({ "currency": "EURO", "n": 7 }), &operations), Ok(json!({ "currency": "EUR", "n": 7 })));
    assert!(apply(&json!({ "currency": "USD", "n": 7 }), &operations).is_err());
    let two = [json!({ "a": 1 }), json!({ "a": 2 })];
    assert!(edits(&two, &[json!({ "a": 3 }), json!({ "a": 4 })]).is_err(), "different changes");
    assert_eq!(edits(&two, &[json!({ "a": 3 }), json!({ "a": 2 })]).map(|all| all.len()).ok(), Some(2));
}

#[test]
fn rules_that_differ_in_values_only_are_alike() {
    let kind = |patch: Value| rule(json!({ "patch": patch })).map(|rule| rule.kind()).ok();
    let one = kind(json!([{ "op": "test", "path": "/a", "value": 1 }, { "op": "replace", "path": "/a", "value": 2 }]));
    assert_eq!(one, kind(json!([{ "op": "replace", "path": "/a", "value": 3 }])));
    assert_ne!(one, kind(json!([{ "op": "replace", "path": "/b", "value": 3 }])));
    assert_ne!(one, kind(json!([{ "op": "replace", "path": "/a", "value": "=item.b" }])));
    let text = |text: &str| rule(json!({ "expression": text })).map(|rule| rule.kind()).ok();
    assert_eq!(text("{'a':  item.a}"), text("{'a': item.a}"));
}
