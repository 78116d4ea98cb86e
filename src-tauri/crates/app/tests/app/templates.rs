//! The templates: each is complete, and its sample runs to the expected end without anything outside.

use crate::common::{Place, place, wait};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const CATEGORIES: [&str; 8] = ["reports", "sales", "finance", "support", "operations", "people", "data", "monitoring"];
/// Kinds that a sample may not hold: they call, read, write, wait, remember or ask.
const OUTSIDE: [&str; 22] = [
    "mail.",
    "db.",
    "message.",
    "object.",
    "connector.",
    "pdf.",
    "sheet.",
    "feed.",
    "http.",
    "file.",
    "llm.",
    "agent.",
    "mcp.",
    "code.",
    "trigger.",
    "builtin.human",
    "flow.wait",
    "flow.pause",
    "flow.respond",
    "flow.subworkflow",
    "data.remember",
    "builtin.audit",
];

#[test]
fn every_template_is_complete_and_its_sample_runs_to_the_end() {
    let place = place();
    let provider = json!({ "name": "home", "kind": "ollama", "baseUrl": "http://127.0.0.1:11434", "models": [{ "name": "small" }] });
    place.ok("model_set", provider);
    place.ok("model_default_set", json!({ "default": { "provider": "home", "model": "small" } }));
    import_apis(&place);
    let (files, expected) = signalbox_app::templates::expected();
    let list = place.ok("template_list", json!({}));
    let list = list.as_array().expect("a list");
    assert_eq!(list.len(), files, "every file is readable");
    assert!(files >= 24);
    let ids: BTreeSet<&str> = list.iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(ids.len(), files, "ids differ");
    for template in list {
        let id = template["id"].as_str().expect("an id");
        complete(id, template);
        for which in ["document", "sample"] {
            let found = place.ok("workflow_validate", json!({ "document": template[which] }));
            // Where files are and what secrets are called, only the person of this machine can say.
            let asked = [json!("MISSING_GRANT"), json!("SECRET_MISSING")];
            let others = found.as_array().expect("a list").iter().filter(|one| !asked.contains(&one["code"]));
            assert_eq!(others.collect::<Vec<_>>(), Vec::<&Value>::new(), "{id}: {which}");
        }
        let run = place.ok("run_start", json!({ "document": template["sample"], "params": {} }))["runId"].clone();
        let summary = wait(place.app.wait(run.as_str().expect("an id").to_owned())).expect("ends");
        assert_eq!(summary["status"], "completed", "{id}: {summary}");
        let events = place.ok("run_events", json!({ "runId": run, "after": 0 }));
        let ends = &expected[id];
        assert!(!ends.is_empty(), "{id} says what comes out");
        for (step, ports) in ends {
            let done = events.as_array().expect("a list").iter().rev();
            let done = done.filter(|event| event["type"] == "step_done").find(|event| event["stepId"] == step.as_str());
            let items = &done.unwrap_or_else(|| panic!("{id}: {step} was not called"))["payload"]["items"];
            assert_eq!(&data_of(items), ports, "{id}: {step}");
        }
        let made = place.ok("workflow_create", json!({ "sampleId": id }));
        assert_eq!(made["document"]["nodes"], template["document"]["nodes"], "{id}");
    }
}

/// What the templates for APIs of people call, imported as a person does.
pub(crate) fn import_apis(place: &Place) {
    let billing = include_str!("apis/billing.openapi.yaml");
    place.ok("connector_add", json!({ "text": billing, "name": "billing" }));
    let desk = include_str!("apis/desk.introspection.json");
    place.ok("connector_add", json!({ "text": desk, "name": "desk", "address": "https://desk.example.com/graphql" }));
}

#[test]
fn schedules_of_a_template_run_by_the_clock_of_who_uses_it() {
    let place = place();
    let made = place.ok("workflow_create", json!({ "sampleId": "report-from-an-api", "timezone": "Asia/Shanghai" }));
    let config = &made["document"]["nodes"]["every_morning"]["config"];
    assert_eq!((&config["cron"], &config["timezone"]), (&json!("0 8 * * 1-5"), &json!("Asia/Shanghai")));
    assert_eq!(made["document"]["nodes"]["orders"]["config"]["timezone"], Value::Null, "of schedules only");
}

fn data_of(items: &Value) -> Value {
    let ports = items.as_object().expect("ports").iter();
    ports
        .map(|(port, items)| {
            (port.clone(), items.as_array().into_iter().flatten().map(|one| one["data"].clone()).collect::<Value>())
        })
        .collect()
}

/// What a person reads of it, and that its sample needs nothing.
fn complete(id: &str, template: &Value) {
    let document = &template["document"];
    assert!(CATEGORIES.contains(&template["category"].as_str().unwrap_or_default()), "{id}: category");
    assert_eq!(document["settings"]["errorPolicy"], "safe", "{id}");
    assert!(template["description"].as_str().is_some_and(|text| text.ends_with('.')), "{id}: one sentence");
    let words = template["words"].as_array().expect("words");
    let chinese = |word: &Value| word.as_str().is_some_and(|word| !word.is_ascii());
    assert!(words.iter().any(chinese) && !words.iter().all(chinese), "{id}: words in both languages");
    let nodes = document["nodes"].as_object().expect("nodes");
    assert_eq!(document["layout"].as_object().map(serde_json::Map::len), Some(nodes.len()), "{id}: layout");
    let places: BTreeSet<String> =
        document["layout"].as_object().into_iter().flatten().map(|(_, at)| at.to_string()).collect();
    assert_eq!(places.len(), nodes.len(), "{id}: no step covers another");
    let kinds: Vec<&str> = nodes.values().filter_map(|node| node["type"].as_str()).collect();
    assert!(nodes.values().all(|node| node["title"].as_str().is_some_and(|title| !title.is_empty())), "{id}: titles");
    assert!(kinds.iter().any(|kind| kind.starts_with("trigger.")), "{id} starts by something");
    let needs: BTreeSet<&str> =
        template["needs"].as_array().into_iter().flatten().filter_map(|need| need["kind"].as_str()).collect();
    for (kind, need) in [
        ("http.request", "address"),
        ("file.", "folder"),
        ("llm.chat", "model"),
        ("mail.", "secret"),
        ("message.", "secret"),
        ("object.", "secret"),
        ("db.", "secret"),
        ("connector.", "connector"),
    ] {
        assert!(
            !kinds.iter().any(|one| one.starts_with(kind)) || needs.contains(need),
            "{id} says that it needs a {need}"
        );
    }
    // A step that lost its wire would start by itself, and a refused invoice would be recorded beside the approved one.
    let entered = |document: &Value| -> BTreeSet<String> {
        document["edges"].as_array().into_iter().flatten().map(|edge| edge["to"].to_string()).collect()
    };
    assert_eq!(entered(&template["sample"]), entered(document), "{id}: every way of the template is in its sample");
    for (step, node) in template["sample"]["nodes"].as_object().expect("nodes") {
        let kind = node["type"].as_str().unwrap_or_default();
        assert!(!OUTSIDE.iter().any(|outside| kind.starts_with(outside)), "{id}: the sample calls {step}");
    }
}
