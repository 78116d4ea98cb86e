//! Names that the file alone gives.

use super::scope;
use serde_json::{Value, json};
use signalbox_engine::connector::KnownConnectors;
use signalbox_engine::expr;
use signalbox_model::Workflow;

fn names(document: &Value, node: &str) -> Vec<String> {
    let workflow: Workflow = serde_json::from_value(document.clone()).expect("a workflow");
    expr::completions(&scope(&workflow, node, &KnownConnectors::default()), false)
        .into_iter()
        .map(|found| found.label)
        .collect()
}

#[track_caller]
fn has(document: &Value, node: &str, wanted: &[&str]) {
    let found = names(document, node);
    for name in wanted {
        assert!(found.iter().any(|label| label == name), "{name} in {found:?}");
    }
}

fn document() -> Value {
    json!({
        "signalbox": 1, "id": "likely", "name": "Likely",
        "params": { "type": "object", "properties": { "user": { "type": "object", "properties": { "mail": { "type": "string" } } } } },
        "context": { "schema": { "type": "object", "properties": { "seen": { "type": "array" } } }, "initial": { "sum": 0 } },
        "nodes": {
            "start": { "type": "trigger.manual" },
            "set": { "type": "data.set", "config": { "assign": { "total": 5, "to.city": "=params.user.mail", "rows[0].id": 1 } }, "out": { "$last.total": "=_result" } },
            "many": { "type": "data.filter", "config": { "when": "true" } },
            "only": { "type": "data.set", "config": { "assign": { "verdict": "ok" }, "keep": false } },
            "get": { "type": "http.request", "config": { "url": "https://example.org" } },
            "listed": { "type": "data.aggregate", "config": {} },
            "asked": { "type": "builtin.human_form", "config": { "schema": { "type": "object", "properties": { "reason": { "type": "string" } } } } },
            "end": { "type": "flow.noop" },
            "failed": { "type": "flow.noop" },
            "each": { "type": "flow.loop", "config": { "list": "item.rows" } },
            "inner": { "type": "flow.noop", "parent": "each" },
        },
        "edges": [
            { "from": "start.success", "to": "set" }, { "from": "set.success", "to": "many" }, { "from": "many.rest", "to": "only" },
            { "from": "many.success", "to": "get" }, { "from": "only.success", "to": "listed" }, { "from": "get.success", "to": "end" },
            { "from": "listed.success", "to": "asked" }, { "from": "asked.success", "to": "end" }, { "from": "get.error", "to": "failed" },
            { "from": "many.success", "to": "each" },
        ],
    })
}

#[test]
fn an_item_is_what_the_steps_before_give() {
    let document = document();
    has(
        &document,
        "set",
        &[
            "item.user.mail",
            "params.user.mail",
            "context.sum",
            "context.seen",
            "context.last.total",
            "workflow.id",
            "run.id",
        ],
    );
    has(&document, "many", &["item.user.mail", "item.total", "item.to.city", "item.rows", "nodes.set.output.total"]);
    has(&document, "get", &["item.total"]);
    has(&document, "listed", &["item.verdict"]);
    assert!(!names(&document, "listed").contains(&"item.total".to_owned()), "what was not kept is gone");
    has(&document, "asked", &["item.items"]);
    // Two wires meet: both may arrive.
    has(&document, "end", &["item.response", "item.status", "item.reason"]);
}

#[test]
fn behind_a_red_port_the_error_has_names() {
    has(&document(), "failed", &["error.type", "error.details.code", "item.message", "ctx.data.total"]);
}

#[test]
fn inside_a_loop_the_element_is_bound() {
    has(&document(), "inner", &["_item", "_index", "nodes.set.output.total"]);
}

#[test]
fn circles_and_long_chains_end() {
    let mut circle = document();
    circle["edges"].as_array_mut().expect("a list").push(json!({ "from": "end.success", "to": "set" }));
    has(&circle, "set", &["item.response"]);
    let ids: Vec<String> = (0..20_000).map(|n| format!("n{n}")).collect();
    let nodes: serde_json::Map<_, _> = ids.iter().map(|id| (id.clone(), json!({ "type": "flow.noop" }))).collect();
    let edges: Vec<Value> =
        ids.windows(2).map(|pair| json!({ "from": format!("{}.success", pair[0]), "to": pair[1] })).collect();
    let chain = json!({ "signalbox": 1, "id": "chain", "name": "Chain", "nodes": nodes, "edges": edges });
    has(&chain, "n19999", &["item", "nodes"]);
}
