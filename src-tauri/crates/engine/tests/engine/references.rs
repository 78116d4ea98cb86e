//! What of an expression names steps: the parser here and the reader of the editor agree (`tests/expressions/references.json`).

use serde_json::Value;
use signalbox_engine::expr::Expr;
use std::collections::BTreeSet;

#[test]
fn the_steps_of_an_expression_are_those_that_the_editor_renames() {
    let file: Value =
        serde_json::from_str(include_str!("../../../../../tests/expressions/references.json")).expect("JSON");
    let texts = |list: &Value| -> BTreeSet<String> {
        list.as_array().expect("a list").iter().map(|one| one.as_str().expect("a text").to_owned()).collect()
    };
    let named = |text: &str| -> BTreeSet<String> {
        let compiled = Expr::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        compiled.references().nodes.iter().cloned().collect()
    };
    for case in file["cases"].as_array().expect("cases") {
        let (before, after) = (case["expression"].as_str().expect("a text"), case["renamed"].as_str().expect("a text"));
        let steps = texts(&case["steps"]);
        assert_eq!(named(before), steps, "{before}");
        let new = |id: &String| file["renames"].get(id).and_then(Value::as_str).unwrap_or(id).to_owned();
        assert_eq!(named(after), steps.iter().map(new).collect(), "{before} became {after}");
    }
}
