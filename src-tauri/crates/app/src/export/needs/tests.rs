use super::modules::{MODULES, PORTABLE};
use super::{Looked, modules_of, origin, params};
use crate::export::runner_name;
use crate::workflows::check::kinds;
use serde_json::{Value, json};
use signalbox_engine::connector::KnownConnectors;
use signalbox_model::Workflow;
use signalbox_model::bundle::{HumanReview, Module, Needs};

fn workflow(nodes: Value) -> Workflow {
    serde_json::from_value(json!({ "signalbox": 1, "id": "w", "name": "W", "nodes": nodes, "edges": [] }))
        .expect("a workflow")
}

fn look(nodes: Value) -> (Vec<Module>, Needs, Vec<Value>) {
    let mut looked = Looked::default();
    looked.take(&workflow(nodes), &KnownConnectors::default());
    looked.into_parts()
}

/// TS-167: the set of modules of every kind alone; a kind that needs another one cannot leave.
#[test]
fn ts_167_every_kind_alone_has_its_modules() {
    for kind in kinds() {
        let (modules, _, problems) = look(json!({ "a": { "type": kind.kind } }));
        let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
        let mut wanted: Vec<&str> = modules_of(&kind.kind, None).iter().copied().chain(["core"]).collect();
        wanted.sort_unstable();
        assert_eq!(names, wanted, "{}", kind.kind);
        let can_leave = wanted.iter().all(|name| *name == "core" || PORTABLE.contains(name));
        assert_eq!(problems.is_empty(), can_leave, "{}: {problems:?}", kind.kind);
    }
    let (_, _, problems) = look(json!({ "a": { "type": "object.read", "config": { "system": "sftp" } } }));
    assert!(
        problems.iter().any(|one| one["message"].as_str().is_some_and(|text| text.contains("SFTP"))),
        "{problems:?}"
    );
    let names: Vec<String> = kinds().into_iter().map(|kind| kind.kind).collect();
    // What acts outside the run is in the table, or the core carries it out.
    let core = ["builtin.audit", "builtin.self_healing", "data.remember"];
    for kind in kinds().iter().filter(|kind| json!(kind)["effects"] != "none") {
        let name = kind.kind.as_str();
        assert!(core.contains(&name) || !modules_of(name, None).is_empty(), "which module is {name} in?");
    }
    for (kind, _) in MODULES {
        assert!(names.iter().any(|name| name == kind), "there is no kind {kind}");
    }
}

/// S-04, S-08: the runner that is taken for a kind has its code, and a smaller one does not.
#[test]
fn s_08_the_runner_of_every_kind_has_its_code() {
    for kind in kinds() {
        let (modules, _, problems) = look(json!({ "a": { "type": kind.kind } }));
        let (small, large) =
            (signalbox_nodes::small_kind(&kind.kind).is_some(), signalbox_nodes::large_kind(&kind.kind).is_some());
        let taken = runner_name(&modules, HumanReview::None);
        let taken = taken.trim_end_matches(std::env::consts::EXE_SUFFIX);
        let has_code = match taken {
            "signalbox-runner-min" => small,
            "signalbox-runner" => large && !small,
            "signalbox-runner-serve" => large,
            _ => true,
        };
        assert!(has_code || !problems.is_empty(), "{} in {taken}", kind.kind);
    }
}

#[test]
fn what_asks_a_person_cannot_leave_without_a_way_to_ask_wherever_it_says_so() {
    let (modules, _, problems) = look(json!({
        "heal": { "type": "builtin.self_healing", "config": { "strategy": "both" } },
        "ask": { "type": "llm.chat", "config": { "tools": ["files/read"], "toolRules": [{ "name": "all", "when": "true", "action": "ask" }] } },
        "errors": { "type": "builtin.error_handler", "config": { "rules": [{ "action": "abort" }, { "action": "human_review" }] } },
        "off": { "type": "builtin.human_approval", "disabled": true },
    }));
    let paths: Vec<&str> = problems.iter().filter_map(|problem| problem["path"].as_str()).collect();
    assert_eq!(paths, ["/nodes/ask/config/toolRules", "/nodes/errors/config/rules/1/action"]);
    let model = modules.iter().find(|module| module.name == "model").expect("a model");
    assert_eq!(model.kinds, ["builtin.self_healing", "llm.chat"]);
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

/// A secret goes to the server that a step names, in the way the step asks for.
#[test]
fn databases_mail_connectors_indexes_and_models_are_listed() {
    let (modules, needs, problems) = look(json!({
        "q": { "type": "db.query", "config": { "system": "postgres", "host": "db.example.com", "credential": "secret://db", "saveTo": "/srv/out/orders.csv" } },
        "w": { "type": "db.write", "config": { "system": "mysql", "host": "db.lan", "port": 3307, "tls": "off", "credential": "secret://lan" } },
        "l": { "type": "db.query", "config": { "system": "sqlite", "file": "/srv/shop.db", "access": "write" } },
        "m": { "type": "mail.send", "config": { "host": "smtp.example.org", "credential": "secret://mail" } },
        "e": { "type": "mail.read", "config": { "host": "={{params.host}}", "credential": "secret://mail" } },
        "c": { "type": "connector.call", "config": { "connector": "none", "server": "https://api.example.org/v1", "credential": "secret://svc" } },
        "r": { "type": "rag.retrieve", "config": { "index": "manuals", "embeddingModel": "vectors" } },
        "i": { "type": "rag.index", "config": { "index": "own" } },
        "o": { "type": "rag.retrieve", "config": { "index": "own" } },
        "a": { "type": "llm.chat", "config": { "provider": "house", "model": "big" } },
        "b": { "type": "agent.task", "config": { "provider": { "kind": "ollama", "baseUrl": "http://127.0.0.1:11434" }, "model": "x" } },
    }));
    assert_eq!(problems, Vec::<Value>::new());
    let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["connectors", "core", "databases", "http", "mail", "model", "retrieval"]);
    let hosts: Vec<(&str, &[String])> =
        needs.secrets.iter().map(|secret| (secret.name.as_str(), secret.hosts.as_slice())).collect();
    assert_eq!(
        json!(hosts),
        json!([
            ["db", ["db.example.com:5432"]],
            ["lan", ["http://db.lan:3307"]],
            ["mail", []],
            ["svc", ["api.example.org"]],
        ])
    );
    assert_eq!(json!(needs.indexes), json!([{ "name": "manuals", "steps": ["w/r"] }]));
    assert_eq!(
        json!(needs.models),
        json!([{ "model": "vectors", "steps": ["w/r"] }, { "provider": "house", "model": "big", "steps": ["w/a"] }])
    );
    assert_eq!(
        json!(needs.folders),
        json!([
            { "path": "/srv/out/orders.csv", "workflow": "w", "step": "w/q", "write": true },
            { "path": "/srv/shop.db", "workflow": "w", "step": "w/l", "write": true },
        ])
    );
    let origins: Vec<Option<&str>> = needs.addresses.iter().map(|one| one.origin.as_deref()).collect();
    assert_eq!(
        origins,
        [
            None,
            Some("http://127.0.0.1:11434"),
            Some("https://api.example.org"),
            Some("plain://db.lan:3307"),
            Some("postgres://db.example.com:5432"),
            Some("smtps://smtp.example.org:465"),
        ]
    );
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
