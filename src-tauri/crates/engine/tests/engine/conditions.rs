//! Conditions in rows: what the editor prints for them gives what its rows say (`tests/expressions/conditions.json`).

use serde_json::{Value, json};
use signalbox_engine::expr::Expr;
use signalbox_engine::scope::Scope;

fn table() -> Value {
    serde_json::from_str(include_str!("../../../../../tests/expressions/conditions.json")).expect("JSON")
}

/// True, false, or the text `error`: to a step a condition that is neither is an error.
fn result_of(text: &str, item: &Value) -> Value {
    let mut scope = Scope::empty();
    scope.item = item.clone().into();
    scope.run = json!({ "id": "r", "startedAt": "2026-03-10T12:00:00Z" }).into();
    let compiled = Expr::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    compiled.eval(&scope).ok().filter(Value::is_boolean).unwrap_or_else(|| json!("error"))
}

#[test]
fn rows_of_the_editor_mean_in_the_engine_what_they_say() {
    let table = table();
    for case in table["rows"].as_array().expect("rows") {
        let cel = case["cel"].as_str().expect("a text");
        for one in case["gives"].as_array().expect("results") {
            assert_eq!(result_of(cel, &one["item"]), one["result"], "{} of {}: {cel}", case["about"], one["item"]);
        }
    }
}

#[test]
fn an_expression_means_the_same_after_its_rows_were_printed() {
    let table = table();
    for case in table["rewritten"].as_array().expect("expressions") {
        let (from, to) = (case["from"].as_str().expect("a text"), case["to"].as_str().expect("a text"));
        for item in case["items"].as_array().expect("items") {
            assert_eq!(result_of(to, item), result_of(from, item), "{from} became {to} for {item}");
        }
    }
}
