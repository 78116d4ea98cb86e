//! P11, P12 and P13: the engine and the planner alone.

use crate::Row;
use serde_json::{Value, json};
use signalbox_app::check as checks;
use signalbox_app::planner::{Checker, Event, Finding, Plan, Usage, from_diagnostics, plan};
use signalbox_engine::{Catalog, expr::Expr, scope::Scope, validate};
use signalbox_model::{Map, Workflow};
use std::sync::Arc;
use std::time::Instant;

/// P11: one rule over a small and a 90 KB error payload.
pub(crate) fn expressions() -> Vec<Row> {
    let rule = "err.retryable == true && err.attempt < err.maxAttempts && err.type in ['LLMError', 'ToolError']";
    let compiled = Expr::compile(rule).expect("compiles");
    let nanos = |entries: usize| {
        let input: Vec<Value> =
            (0..entries).map(|n| json!({ "n": n, "text": "some text of a payload", "ok": true })).collect();
        let error = json!({ "type": "ToolError", "retryable": true, "attempt": 1, "maxAttempts": 3, "details": { "input": input } });
        let bytes = error.to_string().len();
        let mut scope = Scope::empty();
        scope.error = Arc::new(error);
        let began = Instant::now();
        for _ in 0..50_000 {
            assert_eq!(compiled.eval_bool(&scope), Ok(true));
        }
        (bytes, began.elapsed().as_secs_f64() * 1e6 / 50_000.0)
    };
    let (small, large) = (nanos(1), nanos(1_700));
    vec![Row {
        id: "P11",
        what: format!("a rule over a payload of {} KB; over one of {} bytes", large.0 / 1000, small.0),
        found: format!("{:.2} us; ratio {:.2}", large.1, large.1 / small.1),
        reach: "<= 5 us whatever the size",
    }]
}

/// P12: validation of 100 nodes with expressions and wires.
pub(crate) fn validation() -> Vec<Row> {
    let catalog = signalbox_nodes::built_in().clone();
    let mut rows = Vec::new();
    for size in [100, 5_000] {
        let mut nodes = Map::new();
        let mut edges = Vec::new();
        for i in 0..size {
            nodes.insert(
                format!("n{i}"),
                json!({ "type": "data.set", "if": "item.n >= 0", "config": { "assign": { "n": "=item.n + 1", "t": "step {{item.n}}" } } }),
            );
            if i > 0 {
                edges.push(json!({ "from": format!("n{}.success", i - 1), "to": format!("n{i}") }));
            }
        }
        let file = json!({ "signalbox": 1, "id": "w", "name": "w", "nodes": nodes, "edges": edges });
        let workflow: Workflow = serde_json::from_value(file).expect("a workflow");
        let rounds = if size == 100 { 200 } else { 5 };
        let began = Instant::now();
        for _ in 0..rounds {
            assert!(validate::check(&workflow, &catalog).is_empty());
        }
        rows.push(Row {
            id: "P12",
            what: format!("validation of {size} nodes in the engine"),
            found: format!("{:.2} ms", began.elapsed().as_secs_f64() * 1000.0 / f64::from(rounds)),
            reach: if size == 100 { "<= 5 ms" } else { "opens and validates" },
        });
    }
    rows
}

/// The validator of the engine.
struct Validator;

impl Checker for Validator {
    fn catalog(&self) -> &Catalog {
        checks::catalog()
    }

    fn check(&self, document: &Value) -> Vec<Finding> {
        let checked = validate::check_bytes(document.to_string().as_bytes(), checks::catalog());
        from_diagnostics(document, &checked.diagnostics, checks::catalog())
    }
}

/// P13: one round of a plan without the model: an answer is read, checked, and the next question is made.
pub(crate) fn planning() -> Vec<Row> {
    let mut nodes = Map::new();
    for i in 0..100 {
        nodes.insert(
            format!("n{i}"),
            json!({ "type": "data.set", "title": "Step", "config": { "assign": { "n": "=item.n + 1", "t": "step {{item.n}}" } } }),
        );
    }
    let edges: Vec<Value> =
        (1..100).map(|i| json!({ "from": format!("n{}.success", i - 1), "to": format!("n{i}") })).collect();
    let file = json!({ "signalbox": 1, "id": "w", "name": "w", "nodes": nodes, "edges": edges });
    let mut begun = Plan::changing("add two in step 7", &file);
    let outline = json!({ "kinds": ["data.set"], "steps": ["Add two"] }).to_string();
    begun = plan(begun, &Event::Started, &Validator).0;
    let answer = |plan: &Plan, text: String| Event::Answered { question: plan.question, text, usage: Usage::default() };
    let event = answer(&begun, outline);
    begun = plan(begun, &event, &Validator).0;
    // A field that does not exist: the draft is checked, and the question of the repair is made.
    let wrong = json!({ "patch": [{ "op": "set", "node": "n7", "path": "/config/asign", "value": {} }] }).to_string();
    let event = answer(&begun, wrong);
    let (rounds, mut asked) = (100, 0);
    let began = Instant::now();
    for _ in 0..rounds {
        asked += plan(begun.clone(), &event, &Validator).1.len();
    }
    let ms = began.elapsed().as_secs_f64() * 1000.0 / f64::from(rounds);
    assert_eq!(asked, 100, "each round asks once");
    vec![Row {
        id: "P13",
        what: "a round of a plan that changes 100 nodes, without the model".into(),
        found: format!("{ms:.2} ms"),
        reach: "<= 20 ms",
    }]
}
