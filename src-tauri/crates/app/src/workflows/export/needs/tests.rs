use super::{Looked, MODULES, modules_of, origin, params};
use crate::workflows::check::kinds;
use serde_json::{Value, json};
use signalbox_model::Workflow;
use signalbox_model::bundle::{Module, Needs};

fn workflow(nodes: Value) -> Workflow {
    serde_json::from_value(json!({ "signalbox": 1, "id": "w", "name": "W", "nodes": nodes, "edges": [] }))
        .expect("a workflow")
}

fn look(nodes: Value) -> (Vec<Module>, Needs, Vec<Value>) {
    let mut looked = Looked::default();
    looked.take(&workflow(nodes));
    looked.into_parts()
}

/// TS-167: the set of modules of every kind alone; a kind that needs another one cannot leave.
#[test]
fn ts_167_every_kind_alone_has_its_modules() {
    for kind in kinds() {
        let (modules, _, problems) = look(json!({ "a": { "type": kind.kind } }));
        let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
        let mut wanted: Vec<&str> = modules_of(&kind.kind).iter().copied().chain(["core"]).collect();
        wanted.sort_unstable();
        assert_eq!(names, wanted, "{}", kind.kind);
        let can_leave = wanted.iter().all(|name| ["core", "documents", "files", "http", "script"].contains(name));
        // A self-healing step asks a model by its settings, not by its kind.
        assert_eq!(problems.is_empty(), can_leave, "{}: {problems:?}", kind.kind);
    }
    let names: Vec<String> = kinds().into_iter().map(|kind| kind.kind).collect();
    // What acts outside the run is in the table, or the core carries it out.
    let core = ["builtin.audit", "builtin.self_healing", "data.remember"];
    for kind in kinds().iter().filter(|kind| json!(kind)["effects"] != "none") {
        let name = kind.kind.as_str();
        assert!(core.contains(&name) || !modules_of(name).is_empty(), "which module is {name} in?");
    }
    for (kind, _) in MODULES {
        assert!(names.iter().any(|name| name == kind), "there is no kind {kind}");
    }
}

#[test]
fn what_asks_a_person_or_a_model_cannot_leave_wherever_it_says_so() {
    let (_, _, problems) = look(json!({
        "heal": { "type": "builtin.self_healing", "config": { "strategy": "both" } },
        "errors": { "type": "builtin.error_handler", "config": { "rules": [{ "action": "abort" }, { "action": "human_review" }] } },
        "off": { "type": "builtin.human_approval", "disabled": true },
    }));
    let paths: Vec<&str> = problems.iter().filter_map(|problem| problem["path"].as_str()).collect();
    assert_eq!(paths, ["/nodes/heal/type", "/nodes/errors/config/rules/1/action"]);
}

#[test]
fn credentials_in_settings_are_named_with_their_place() {
    let (_, _, problems) = look(json!({
        "a": { "type": "http.request", "config": {
            "url": "https://api.example.org/x?token=0123456789abcdef0123",
            "headers": { "Authorization": "Bearer 0123456789abcdef", "Accept": "application/json", "X-Key": "{{params.key}}" },
        } },
        "b": { "type": "data.set", "config": { "fields": { "k": "ghp_abcdefghijklmnop1234" } } },
        "c": { "type": "data.dedupe", "config": { "key": "sku" } },
    }));
    let found: Vec<(&str, &str)> =
        problems.iter().map(|p| (p["code"].as_str().unwrap_or(""), p["path"].as_str().unwrap_or(""))).collect();
    assert_eq!(
        found,
        [
            ("PLAIN_SECRET", "/nodes/a/config/url"),
            ("PLAIN_SECRET", "/nodes/a/config/headers/Authorization"),
            ("PLAIN_SECRET", "/nodes/b/config/fields/k"),
        ]
    );
}

#[test]
fn secrets_folders_addresses_and_params_are_listed() {
    let (_, needs, problems) = look(json!({
        "a": { "type": "http.request", "config": { "url": "http://nas.lan:81/{{item.x}}", "credential": "secret://nas" } },
        "b": { "type": "http.request", "config": { "url": "{{params.base}}/x", "credential": "secret://erp" } },
        "c": { "type": "file.write", "config": { "path": "/srv/out/a.txt" } },
        "d": { "type": "file.read", "config": { "path": "sample:orders.csv" } },
    }));
    assert_eq!(problems, Vec::<Value>::new());
    let told = json!(needs);
    assert_eq!(told["secrets"][0], json!({ "name": "erp", "hosts": [], "steps": ["w/b"] }));
    assert_eq!(told["secrets"][1], json!({ "name": "nas", "hosts": ["http://nas.lan:81"], "steps": ["w/a"] }));
    assert_eq!(told["folders"], json!([{ "path": "/srv/out/a.txt", "workflow": "w", "step": "w/c", "write": true }]));
    assert_eq!(told["addresses"], json!([{ "steps": ["w/b"] }, { "origin": "http://nas.lan:81", "steps": ["w/a"] }]));

    let mut with_params = workflow(json!({}));
    with_params.params = Some(json!({
        "type": "object", "required": ["name", "count"],
        "properties": { "name": { "type": "string" }, "count": { "default": 1 }, "base": { "type": "string", "x-practice": true } },
    }));
    assert_eq!(params(&with_params), ["base", "name"]);
}

#[test]
fn an_expression_in_the_host_hides_the_address() {
    assert!(
        origin("https://{{x}}/a").is_none()
            && origin("https://api.{{x}}").is_none()
            && origin("='https://a'").is_none()
    );
    assert_eq!(
        origin("https://api.example.org/{{x}}").map(|url| url.to_string()).as_deref(),
        Some("https://api.example.org/")
    );
}
