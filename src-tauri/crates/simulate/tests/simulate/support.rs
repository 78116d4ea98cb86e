//! A small workflow, compiled.

use serde_json::{Value, json};
use signalbox_engine::{Catalog, Compiled};
use signalbox_model::Workflow;
use signalbox_simulate::compatibility::definition_hash;
use signalbox_simulate::{Kinds, TestFile, TestResult, run_test};
use std::sync::{Arc, LazyLock};

pub(crate) static CATALOG: LazyLock<Catalog> = LazyLock::new(|| signalbox_nodes::built_in().clone());

/// Without code of steps with effects: each of them needs an answer.
pub(crate) fn kinds() -> Kinds<'static> {
    Kinds::without_code(&CATALOG)
}

pub(crate) fn workflow(nodes: &Value, edges: &[(&str, &str)]) -> Workflow {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    let file = json!({
        "signalbox": 1, "id": "orders", "name": "Orders", "settings": { "errorPolicy": "safe" },
        "nodes": nodes, "edges": edges,
    });
    serde_json::from_value(file).expect("a workflow")
}

pub(crate) fn compile(workflow: Workflow) -> Arc<Compiled> {
    let hash = definition_hash(&workflow);
    let compiled = Compiled::new(Arc::new(workflow), &hash, &CATALOG);
    Arc::new(compiled.unwrap_or_else(|found| panic!("{found:#?}")))
}

/// `fetch` (GET) → `check` (amount over 100?) → `pay` (POST) or `small`; `pay` fails → `told`.
pub(crate) fn orders() -> Workflow {
    let nodes = json!({
        "fetch": { "type": "http.request", "config": { "url": "https://example.org/order" },
            "errorHandling": { "retryPolicy": { "maxAttempts": 2, "initialDelayMs": 1000, "jitter": false } } },
        "check": { "type": "flow.if", "config": { "condition": "item.response.amount > 100" } },
        "pay": { "type": "http.request", "title": "Pay", "config": { "method": "POST", "url": "https://example.org/pay",
            "body": { "amount": "=nodes.fetch.output.response.amount" } } },
        "small": { "type": "data.set", "config": { "assign": { "paid": false }, "keep": false } },
        "told": { "type": "data.set", "config": { "assign": { "problem": "=error.details.code" }, "keep": false } },
        "done": { "type": "data.set", "config": { "assign": { "paid": true }, "keep": false } },
    });
    let edges = [
        ("fetch.success", "check"),
        ("check.true", "pay"),
        ("check.false", "small"),
        ("pay.success", "done"),
        ("pay.error", "told"),
    ];
    workflow(&nodes, &edges)
}

pub(crate) fn read(text: &str) -> TestFile {
    let head = "signalboxTest: 1\nname: T\nworkflow: orders.signalbox.json\nstartedAt: 2026-01-05T09:00:00Z\n";
    TestFile::read(&format!("{head}{text}")).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn run(workflow: Workflow, text: &str) -> TestResult {
    run_test(&read(text), &compile(workflow), kinds())
}

pub(crate) fn messages(result: &TestResult) -> Vec<&str> {
    result.differences.iter().map(|one| one.message.as_str()).collect()
}
