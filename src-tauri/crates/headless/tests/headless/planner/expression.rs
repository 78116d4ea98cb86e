//! A condition from a sentence: checked by the engine, evaluated on the last data, repaired once, refused with a reason.

use super::{Model, Says, Window, says};
use crate::support::eventually;
use serde_json::{Value, json};

const ASKED: &str = "orders above 100 from Berlin";

/// A run has shown what orders look like; one of them holds a secret.
fn with_orders(answers: Vec<Says>) -> (Window, Model) {
    let (mut window, model) = Window::with_model(answers);
    let orders =
        json!([{ "total": 120, "city": "Berlin", "note": "for Ada Lovelace" }, { "total": 80, "city": "Bonn" }]);
    window.document["nodes"] = json!({
        "orders": { "type": "data.set", "config": { "assign": { "orders": orders }, "keep": false } },
        "each": { "type": "data.split", "config": { "field": "orders" } },
        "large": { "type": "data.filter", "title": "Large orders", "config": { "when": "true" } },
    });
    window.document["edges"] =
        json!([{ "from": "orders.success", "to": "each" }, { "from": "each.success", "to": "large" }]);
    let start = json!({ "ref": window.reference, "document": window.document, "params": {} });
    let run = window.ok("run_start", start)["runId"].clone();
    eventually("the run ends", || window.ok("run_get", json!({ "runId": run }))["status"] == "completed");
    (window, model)
}

fn ask(window: &Window, more: Value) -> (u16, Value) {
    let mut request = json!({ "document": window.document, "nodeId": "large", "asked": ASKED, "field": "Keep when", "condition": true });
    request.as_object_mut().expect("a map").extend(more.as_object().cloned().unwrap_or_default());
    window.ask("expression_ask", &request)
}

fn expression(text: &str) -> Says {
    says(json!({ "expression": text }).to_string())
}

#[test]
fn a_condition_from_a_sentence_comes_with_its_result_on_the_last_data() {
    let (window, model) = with_orders(vec![expression("item.total > 100 && item.city == 'Berlin'")]);
    let (status, told) = ask(&window, json!({}));
    assert_eq!((status, &told["text"]), (200, &json!("item.total > 100 && item.city == 'Berlin'")), "{told}");
    assert_eq!((&told["preview"]["state"], &told["preview"]["value"]), (&json!("value"), &json!(true)), "{told}");
    assert_eq!((&told["usage"]["questions"], &told["usage"]["inputTokens"]), (&json!(1), &json!(100)));
    let (_, second) = ask(&window, json!({ "item": 1, "asked": " " }));
    assert_eq!(second["error"]["code"], "BAD_REQUEST", "{second}");
    // Names and types went to the model, and no value of the run.
    let asked = model.asked.lock().expect("no panic")[0].clone();
    assert!(asked.contains("item.total") && asked.contains(ASKED) && asked.contains("Large orders"), "{asked}");
    assert!(!asked.contains("Ada") && !asked.contains("\"Bonn\""), "{asked}");
}

#[test]
fn an_expression_that_fails_is_repaired_once_and_then_refused_with_a_reason() {
    let good = "item.total > 100";
    let (window, model) = with_orders(vec![
        expression("item.sum > 100"),
        expression(good),
        expression("item.total >"),
        says("I would compare the totals."),
        expression("item.city"),
        expression("items.filter(o, o.total > 100)"),
        says(json!({ "unsupported": "There is no weather" }).to_string()),
    ]);
    let (_, told) = ask(&window, json!({}));
    assert_eq!((&told["text"], &told["refused"][0]["text"]), (&json!(good), &json!("item.sum > 100")), "{told}");
    assert_eq!(told["usage"]["questions"], 2);
    assert!(model.asked.lock().expect("no panic")[1].contains("item.sum"), "the problem was told");
    // Not CEL, then prose; then no condition, twice.
    for word in ["no JSON object", "true or false"] {
        let (_, told) = ask(&window, json!({}));
        assert_eq!((&told["text"], told["refused"].as_array().map(Vec::len)), (&Value::Null, Some(2)), "{told}");
        assert!(told["reason"].as_str().expect("why").contains("no expression that works"), "{told}");
        assert!(told["refused"].to_string().contains(word), "{word}: {told}");
    }
    let (_, told) = ask(&window, json!({}));
    assert_eq!((&told["text"], &told["reason"]), (&Value::Null, &json!("There is no weather")));
    assert_eq!(model.asked(), 7);
    // Whatever was said, the workflow is what it was.
    assert_ne!(window.by_ref("workflow_open")["document"]["nodes"]["large"]["config"]["when"], good);
}

#[test]
fn without_data_the_names_are_checked_all_the_same() {
    let (window, _model) = Window::with_model(vec![expression("itm.total > 100"), expression("item.total > 100")]);
    let document = json!({ "signalbox": 1, "id": "x", "name": "X", "nodes": { "large": { "type": "data.filter", "config": { "when": "true" } } }, "edges": [] });
    let (_, told) = ask(&window, json!({ "document": document }));
    assert_eq!((&told["text"], &told["preview"]["state"]), (&json!("item.total > 100"), &json!("no_data")), "{told}");
    assert!(told["refused"][0]["problem"].as_str().expect("why").contains("itm"), "{told}");
}

#[test]
fn a_request_is_cancelled_and_without_a_model_it_says_how_to_add_one() {
    let (window, model) = Window::with_model(vec![Says::Endless("{\"expression\": \"".into())]);
    let document = json!({ "signalbox": 1, "id": "x", "name": "X", "nodes": { "large": { "type": "data.filter", "config": { "when": "true" } } }, "edges": [] });
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| ask(&window, json!({ "document": document })));
        eventually("the model is asked", || model.asked() == 1);
        window.ok("expression_cancel", json!({}));
        let (_, told) = asking.join().expect("an answer");
        assert_eq!((&told["text"], &told["reason"]), (&Value::Null, &json!("Cancelled")), "{told}");
    });
    eventually("nobody listens to the model any more", || model.left.load(std::sync::atomic::Ordering::SeqCst));
    let bare = Window::open();
    let (status, told) = ask(&bare, json!({ "document": document }));
    assert_eq!((status, &told["error"]["code"]), (409, &json!("NO_MODEL")), "{told}");
    assert!(told["error"]["hint"].as_str().expect("a hint").contains("signalbox models set"), "{told}");
}
