//! The examples of the manual's page on expressions come to what the page says, by the command that its *Try it* asks.

use crate::common::place;
use serde_json::{Value, json};
use signalbox_engine::expr;

/// The blocks of a page that are marked as examples of expressions.
fn examples(page: &str) -> Vec<Value> {
    let blocks = page.split("```json expressions\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    blocks.flat_map(|block| serde_json::from_str::<Vec<Value>>(block).expect("a list of examples")).collect()
}

#[test]
fn every_example_of_the_page_on_expressions_gives_what_it_says() {
    let place = place();
    let all = examples(include_str!("../../../../../docs/expressions.md"));
    assert!(all.len() > 40, "{}", all.len());
    let mut wrong = Vec::new();
    for example in &all {
        let data = example.get("data").cloned().unwrap_or(json!({}));
        let given = place.ok("expression_try", json!({ "text": example["expression"], "data": data }));
        let says = match example["error"].as_str() {
            Some(words) => {
                given["message"].as_str().is_some_and(|message| !words.is_empty() && message.contains(words))
            }
            None => given == json!({ "state": "value", "value": example["result"] }),
        };
        if !says {
            wrong.push(format!("{example}\n  gives {given}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A function that the editor offers has an example to try. `paired` needs a run, and the schemas of one.
#[test]
fn every_function_is_in_an_example_of_the_manual() {
    let all = examples(include_str!("../../../../../docs/expressions.md"));
    let texts: Vec<&str> = all.iter().filter_map(|example| example["expression"].as_str()).collect();
    let functions = expr::functions();
    assert!(functions.len() > 20, "{}", functions.len());
    let without: Vec<String> = functions
        .into_iter()
        .map(|function| function.label)
        .filter(|name| !["paired", "has_schema", "untranslated"].contains(&name.as_str()))
        .filter(|name| !texts.iter().any(|text| text.contains(&format!("{name}("))))
        .collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn an_expression_is_tried_on_data_that_is_given_with_it() {
    let place = place();
    let given = |text: &str, data: Value| place.ok("expression_try", json!({ "text": text, "data": data }));
    let data = json!({
        "item": { "n": 2 }, "params": { "p": 3 }, "context": { "c": 5 }, "run": { "id": "r" }, "error": { "type": "NetworkError" },
        "nodes": { "one": { "items": [{ "n": 7 }] }, "two": { "items": [1, 2] }, "none": { "items": [] } },
    });
    for (text, wanted) in [
        ("item.n * params.p * context.c", json!(30)),
        ("items", json!([{ "n": 2 }])),
        ("nodes.one.output.n + nodes.one.items[0].n", json!(14)),
        ("nodes.two.output", json!([1, 2])),
        ("nodes.none.output", json!(null)),
        ("run.id + error.type", json!("rNetworkError")),
    ] {
        assert_eq!(given(text, data.clone()), json!({ "state": "value", "value": wanted }), "{text}");
    }
    assert_eq!(given("items.size()", json!({ "items": [1, 2, 3] }))["value"], 3);
    let long = given("params.text", json!({ "params": { "text": "x".repeat(100_000) } }));
    assert_eq!(long["value"]["_truncated"], true, "a long value is cut, as in other previews");
}

#[test]
fn an_expression_that_cannot_be_tried_says_why() {
    let place = place();
    for (text, data, wanted) in [
        ("item.", json!({}), ""),
        ("item.nope", json!({ "item": {} }), "nope"),
        ("range(1, 9000000)", json!({}), ""),
        ("1", json!({ "itme": 1 }), "The data has `itme`, which no expression knows. It can have item, items,"),
        ("1", json!({ "items": {} }), "`items` of the data is not a list"),
        ("1", json!({ "params": [] }), "`params` of the data is not an object"),
        ("1", json!({ "nodes": { "a": { "output": 1 } } }), "`nodes.a` of the data has `output`"),
        ("1", json!({ "nodes": { "a": { "items": 1 } } }), "`nodes.a.items` of the data is not a list"),
    ] {
        let given = place.ok("expression_try", json!({ "text": text, "data": data }));
        assert_eq!(given["state"], "error", "{text}");
        assert!(given["message"].as_str().is_some_and(|message| message.contains(wanted)), "{given}");
    }
    assert!(place.ask("expression_try", json!({ "text": "1", "data": [] })).is_err(), "data is an object");
}
