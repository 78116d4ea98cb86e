//! Workflows of n8n: what nodes and expressions become, and that an expression gives what it gave there.

use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_engine::expr::value;
use signalbox_engine::scope::{NodeView, Scope};
use signalbox_import::{Format, Imported, Level, NOT_VALID, Options, Status, import, recognise};
use signalbox_model::Data;
use std::path::Path;
use std::sync::Arc;

fn read(file: &Value) -> Imported {
    let catalog = signalbox_nodes::built_in().clone();
    let imported = import(&file.to_string(), &Options::default()).unwrap_or_else(|refused| panic!("{refused}"));
    imported.checked(&catalog)
}

fn node(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    let kind = if kind.contains('.') { kind.to_owned() } else { format!("n8n-nodes-base.{kind}") };
    json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters })
}

/// Nodes one behind the other.
fn chain(nodes: Vec<Value>) -> Value {
    let names: Vec<String> = nodes.iter().map(|node| node["name"].as_str().unwrap_or_default().to_owned()).collect();
    let mut connections = serde_json::Map::new();
    for pair in names.windows(2) {
        connections.insert(pair[0].clone(), json!({ "main": [[{ "node": pair[1], "type": "main", "index": 0 }]] }));
    }
    json!({ "name": "Flow", "nodes": nodes, "connections": connections })
}

fn codes(imported: &Imported, level: Level) -> Vec<String> {
    imported.report.findings.iter().filter(|found| found.level == level).map(|found| found.code.clone()).collect()
}

#[test]
fn expressions_give_what_n8n_gives() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/expressions/n8n.json");
    let fixture: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("the cases")).expect("JSON");
    let cases = fixture["cases"].as_array().expect("a list");
    let rows: Vec<Value> = cases
        .iter()
        .enumerate()
        .map(|(n, case)| json!({ "name": format!("v{n}"), "type": "any", "value": case["expression"] }))
        .collect();
    let set = node("B", "set", 3.4, json!({ "assignments": { "assignments": rows } }));
    let imported = read(&chain(vec![node("A", "noOp", 1.0, json!({})), set]));
    let assign = imported.workflow.nodes["set"].config.clone().expect("settings")["assign"].clone();
    let data = Data::from(fixture["data"].clone());
    let items = Arc::new(vec![data.clone()]);
    let view = NodeView { output: data.clone(), items: Arc::clone(&items) };
    let scope = Scope {
        item: data.clone(),
        items,
        run: json!({ "id": "r", "startedAt": "2026-01-31T09:30:00.000Z" }).into(),
        workflow: Arc::new(json!({ "id": "flow" })),
        nodes: Arc::new(IndexMap::from([("noOp".to_owned(), view)])),
        paired: Some(Arc::new(IndexMap::from([("noOp".to_owned(), Ok(data))]))),
        ..Scope::empty()
    };
    let (mut same, mut kept, mut failed, mut other) = (0, 0, Vec::new(), Vec::new());
    for (n, case) in cases.iter().enumerate() {
        let written = &assign[format!("v{n}")];
        if written.as_str().is_some_and(|text| text.contains("untranslated(")) {
            kept += 1;
            continue;
        }
        let expected = case.get("value").cloned().unwrap_or(Value::Null);
        match value(written, &scope) {
            Ok(found) if alike(&found, &expected) => same += 1,
            Ok(_) if DIFFER.iter().any(|known| case["expression"] == *known) => {}
            Ok(found) => other.push(format!("{} = {expected}, here {found} by {written}", case["expression"])),
            Err(error) => {
                failed.push(format!("{} = {expected}, here {} by {written}", case["expression"], error.message))
            }
        }
    }
    println!("{same} the same, {kept} not translated, {} an error here", failed.len());
    assert!(
        other.is_empty(),
        "{} give another value:\n{}\n\nerrors:\n{}",
        other.len(),
        other.join("\n"),
        failed.join("\n")
    );
    assert!(same >= 762, "{same} the same, {kept} not translated, errors:\n{}", failed.join("\n"));
}

/// Null and what does not exist are one thing here: a test for `undefined` alone, and fields of JSON that would be left out.
const DIFFER: [&str; 3] = [
    "={{ $json.nothing === undefined }}",
    "={{ JSON.stringify({ v: $json.missing }) }}",
    "={{ JSON.stringify({ v: $json.user.missing }) }}",
];

/// Numbers by value: there is one kind of them there.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, one)| b.get(name).is_some_and(|other| alike(one, other)))
        }
        _ => a == b,
    }
}

#[test]
fn a_workflow_becomes_native_steps_and_a_report() {
    let mut request = node(
        "Get orders",
        "httpRequest",
        4.2,
        json!({
            "method": "POST", "url": "=https://api.example/{{ $json.id }}", "sendBody": true, "specifyBody": "json",
            "jsonBody": "={ \"name\": \"{{ $json.name }}\", \"total\": {{ $json.total }} }",
            "sendHeaders": true, "headerParameters": { "parameters": [{ "name": "Authorization", "value": "Bearer abc123" }] },
        }),
    );
    request["retryOnFail"] = json!(true);
    request["maxTries"] = json!(4);
    request["onError"] = json!("continueRegularOutput");
    let file = chain(vec![
        node(
            "Every morning",
            "scheduleTrigger",
            1.2,
            json!({ "rule": { "interval": [{ "field": "days", "triggerAtHour": 8 }] } }),
        ),
        node(
            "Set",
            "set",
            3.4,
            json!({ "assignments": { "assignments": [{ "name": "id", "type": "number", "value": "7" }] } }),
        ),
        request,
        node("Tell", "slack", 2.0, json!({ "text": "={{ $json.text }}", "channel": "general" })),
    ]);
    assert_eq!(recognise(&file.to_string()), Some(Format::N8n));
    let imported = read(&file);
    let nodes = &imported.workflow.nodes;
    let request = nodes["Get_orders_request"].config.as_ref().expect("settings");
    assert_eq!(request["url"], "https://api.example/{{coalesce(item.id, '')}}");
    assert_eq!(request["body"], json!({ "name": "{{coalesce(item.name, '')}}", "total": "=coalesce(item.total)" }));
    assert_eq!(request["credential"], "secret://imported-token");
    assert!(!json!(imported.workflow).to_string().contains("abc123"), "a secret stays out");
    let retry = nodes["Get_orders_request"]
        .error_handling
        .as_ref()
        .and_then(|all| all.retry_policy.as_ref())
        .expect("a policy");
    assert_eq!((retry.max_attempts, retry.initial_delay_ms), (3, 1_000));
    assert_eq!(nodes["Tell"].kind, "foreign.step");
    assert_eq!(nodes["Tell"].config.as_ref().expect("kept")["step"]["parameters"]["channel"], "general");
    let edges: Vec<String> =
        imported.workflow.edges.iter().map(|edge| format!("{} > {}", edge.from, edge.to)).collect();
    for edge in
        ["Get_orders_request.error > Get_orders_error", "Get_orders_error.success > Tell", "Get_orders.success > Tell"]
    {
        assert!(edges.contains(&edge.to_owned()), "{edge}: {edges:?}");
    }
    let status: Vec<Status> = imported.report.translated.iter().map(|one| one.status).collect();
    assert_eq!(status, [Status::Yellow, Status::Green, Status::Yellow, Status::Red]);
    assert_eq!(imported.report.notes[0], "2 of 3 steps had no error handling; the default one was added.");
    assert!(!codes(&imported, Level::Problem).contains(&NOT_VALID.to_owned()), "{:?}", imported.report.findings);
}

#[test]
fn loops_branches_and_scripts_stand_where_they_stood() {
    let file = json!({
        "name": "Loop", "pinData": { "Items": [{ "json": { "id": 1 } }] },
        "nodes": [
            node("Start", "manualTrigger", 1.0, json!({})),
            node("Items", "code", 2.0, json!({ "jsCode": "return [{ json: { id: 1 } }, { json: { id: 2 } }];" })),
            node("Loop", "splitInBatches", 3.0, json!({})),
            node("Check", "if", 2.2, json!({ "conditions": { "combinator": "and", "conditions": [{ "leftValue": "={{ $json.id }}", "rightValue": 1, "operator": { "type": "number", "operation": "gt" } }] } })),
            node("Yes", "noOp", 1.0, json!({})), node("No", "noOp", 1.0, json!({})), node("Done", "noOp", 1.0, json!({})),
        ],
        "connections": {
            "Start": { "main": [[{ "node": "Items", "type": "main", "index": 0 }]] },
            "Items": { "main": [[{ "node": "Loop", "type": "main", "index": 0 }]] },
            "Loop": { "main": [[{ "node": "Done", "type": "main", "index": 0 }], [{ "node": "Check", "type": "main", "index": 0 }]] },
            "Check": { "main": [[{ "node": "Yes", "type": "main", "index": 0 }], [{ "node": "No", "type": "main", "index": 0 }]] },
            "Yes": { "main": [[{ "node": "Loop", "type": "main", "index": 0 }]] },
            "No": { "main": [[{ "node": "Loop", "type": "main", "index": 0 }]] },
        },
    });
    let imported = read(&file);
    assert!(codes(&imported, Level::Problem).is_empty(), "{:?}", imported.report.findings);
    for inside in ["Check", "Yes", "No"] {
        assert_eq!(imported.workflow.nodes[inside].parent.as_deref(), Some("Loop"), "{inside}");
    }
    assert_eq!(imported.workflow.nodes["Loop"].kind, "flow.loop");
    assert_eq!(imported.pins["Items"], json!([{ "id": 1 }]));
}

#[test]
fn odd_files_become_workflows_too() {
    // Names that come twice, wires to nothing, circles, scripts that reach for the host, unknown types and versions.
    let file = json!({
        "nodes": [
            node("A", "noOp", 1.0, json!({})), node("A", "noOp", 99.0, json!({})), node("Ä 中文", "somethingNew", 1.0, json!({ "a": 1 })),
            node("Code", "code", 9.0, json!({ "jsCode": "const fs = require('fs'); return fs.readFileSync('/etc/passwd');" })),
            node("If", "if", 2.0, json!({})), 7, null, {},
        ],
        "connections": {
            "A": { "main": [[{ "node": "Code", "type": "main", "index": 0 }, { "node": "Gone", "type": "main", "index": 0 }, null], null] },
            "Code": { "main": [[{ "node": "If", "type": "main", "index": 0 }]] },
            "If": { "main": [[{ "node": "A", "type": "main", "index": 0 }], [{ "node": "If", "type": "main", "index": 0 }]] },
            "Gone": { "main": [[{ "node": "A", "type": "main", "index": 0 }]] }, "A 2": { "main": "x" },
        },
    });
    let imported = read(&file);
    let problems = codes(&imported, Level::Problem);
    for code in ["CIRCLE", "SCRIPT_HOST", "NOT_TRANSLATED"] {
        assert!(problems.contains(&code.to_owned()), "{code}: {problems:?}");
    }
    let warnings = codes(&imported, Level::Warning);
    for code in ["DUPLICATE_NAME", "NO_SUCH_NODE", "NOT_A_NODE", "VERSION"] {
        assert!(warnings.contains(&code.to_owned()), "{code}: {warnings:?}");
    }
    // Each says what is wrong and what to do; a newer version and a script name the node that it is about.
    for found in &imported.report.findings {
        assert!(found.message.len() > 20 && !found.hint.is_empty(), "{found:?}");
        if matches!(found.code.as_str(), "VERSION" | "SCRIPT_HOST" | "CIRCLE") {
            assert!(found.step.is_some() && found.message.contains('"'), "{found:?}");
        }
    }
    for (text, code) in [
        ("{\"nodes\":[", "BAD_JSON"),
        ("{\"nodes\":[],\"connections\":{}}", "CANNOT_IMPORT"),
        ("[1,2]", "UNKNOWN_FORMAT"),
        ("{\"openapi\":\"3.0.3\"}", "UNKNOWN_FORMAT"),
    ] {
        let refused = import(text, &Options::default()).expect_err(text);
        assert_eq!(refused.code, code, "{text}");
        assert!(!refused.hint.is_empty());
        assert_eq!(refused.hint.contains("connectors add"), text.contains("openapi"), "{text}");
    }
    let large = format!("{{\"nodes\":[\"{}\"]}}", "x".repeat(50 << 20));
    assert_eq!(import(&large, &Options::default()).expect_err("too large").code, "TOO_LARGE");
}

#[test]
fn a_page_of_a_template_gives_the_workflow_in_it() {
    let inner = chain(vec![node("Start", "manualTrigger", 1.0, json!({})), node("Then", "noOp", 1.0, json!({}))]);
    let page = json!({ "name": "Page", "nodes": [{ "name": "n8n-nodes-base.noOp", "icon": "x" }], "workflow": inner });
    assert_eq!(recognise(&page.to_string()), Some(Format::N8n));
    assert_eq!((read(&page).report.steps, read(&page).workflow.edges.len()), (2, 1));
}

#[test]
fn what_a_wire_into_a_loop_brings_is_no_step_before() {
    // "Early" leads into the body of the loop from outside: a placeholder stands there, so its data is not known inside.
    let file = json!({
        "name": "Crossing",
        "nodes": [
            node("Start", "manualTrigger", 1.0, json!({})), node("Loop", "splitInBatches", 3.0, json!({})),
            node("Early", "noOp", 1.0, json!({})),
            node("In", "set", 3.4, json!({ "assignments": { "assignments": [{ "name": "a", "type": "string", "value": "={{ $('Early').first().json.a }}" }] } })),
        ],
        "connections": {
            "Start": { "main": [[{ "node": "Loop", "type": "main", "index": 0 }, { "node": "Early", "type": "main", "index": 0 }]] },
            "Loop": { "main": [[], [{ "node": "In", "type": "main", "index": 0 }]] },
            "Early": { "main": [[{ "node": "In", "type": "main", "index": 0 }]] },
            "In": { "main": [[{ "node": "Loop", "type": "main", "index": 0 }]] },
        },
    });
    let problems = codes(&read(&file), Level::Problem);
    assert!(problems.contains(&"EXPRESSION".to_owned()) && !problems.contains(&NOT_VALID.to_owned()), "{problems:?}");
}

#[test]
fn what_came_after_a_placeholder_stays_wired_to_it() {
    let rows = json!([{ "name": "a", "type": "string", "value": "={{ $('Start').first().json.a }}" }]);
    let set = node("After", "set", 3.4, json!({ "assignments": { "assignments": rows } }));
    let file = json!({
        "name": "Router", "nodes": [node("Start", "noOp", 1.0, json!({})), node("Router", "somethingNew", 1.0, json!({})), set],
        "connections": {
            "Start": { "main": [[{ "node": "Router", "type": "main", "index": 0 }]] },
            "Router": { "main": [[], [], [{ "node": "After", "type": "main", "index": 0 }]] },
        },
    });
    let imported = read(&file);
    assert!(imported.workflow.edges.iter().any(|edge| edge.from.to_string() == "Router.success" && edge.to == "After"));
    let problems = codes(&imported, Level::Problem);
    assert!(!problems.contains(&NOT_VALID.to_owned()) && !problems.contains(&"EXPRESSION".to_owned()), "{problems:?}");
    assert!(codes(&imported, Level::Warning).contains(&"NO_OUTPUT".to_owned()));
}

#[test]
fn a_file_of_two_hundred_steps_is_read_whole() {
    let nodes = (0..200)
        .map(|n| {
            let rows =
                json!([{ "name": "a", "type": "string", "value": "={{ $json.a }} and {{ $json.b.toUpperCase() }}" }]);
            node(&format!("Step {n}"), "set", 3.4, json!({ "assignments": { "assignments": rows } }))
        })
        .collect();
    let imported = read(&chain(nodes));
    assert_eq!((imported.report.steps, imported.report.nodes), (200, 200));
    assert_eq!(imported.report.steps_of(Status::Green), 200, "{:?}", imported.report.findings.first());
}
