//! Connectors of a person: added from an OpenAPI document, known to the validator, and kept with the runs that use them.

use crate::common::{Place, place, wait};
use serde_json::{Value, json};
use signalbox_app::connectors;

const SHOP: &str = r#"{
  "openapi": "3.0.0", "info": { "title": "Shop" },
  "paths": {
    "/users/{id}": { "get": { "operationId": "getUser", "summary": "Get a user",
      "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }],
      "responses": { "200": { "description": "", "content": { "application/json": { "schema": { "type": "object" } } } } } } },
    "/orders": { "get": { "operationId": "listOrders",
      "parameters": [{ "name": "status", "in": "query", "schema": { "type": "string", "enum": ["open", "paid"] } }],
      "responses": { "200": { "description": "", "content": { "application/json": { "schema": { "type": "array", "items": { "type": "object" } } } } } } } }
  }
}"#;

fn calls(operation: &str, params: &Value) -> Value {
    json!({
        "signalbox": 1, "id": "asks", "name": "Asks", "edges": [],
        "params": { "type": "object", "properties": { "practice": { "type": "string", "x-practice": true } } },
        "nodes": { "ask": { "type": "connector.call", "config": {
            "connector": "shop", "operation": operation, "params": params, "variables": { "address": "{{params.practice}}" },
        } } },
    })
}

fn told(place: &Place, document: &Value) -> Vec<(String, String, String)> {
    let found = place.ok("workflow_validate", json!({ "document": document }));
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let all = found.as_array().expect("a list").iter();
    all.map(|one| (text(one, "code"), text(one, "path"), text(one, "hint"))).collect()
}

#[test]
fn an_imported_api_is_called_and_a_run_keeps_what_it_began_with() {
    let place = place();
    let data = place.app.data_dir().to_owned();
    let added = connectors::add_text(&data, SHOP, Some("shop"), false).expect("added");
    assert_eq!(added.connector.operations.keys().collect::<Vec<_>>(), ["getUser", "listOrders"]);
    let known = calls("getUser", &json!({ "id": "=1" }));
    assert_eq!(told(&place, &known), []);
    let summary = place.run(&known, json!({}));
    assert_eq!(summary["status"], "completed", "{summary}");
    assert_eq!(summary["output"][0]["login"], "ada", "{summary}");
    let definition = place.ok("run_get", json!({ "runId": summary["runId"] }));
    assert_eq!(definition["definition"].get("pinnedConnectors"), None, "{definition}");

    // The file changes its meaning, then it is gone: what began with it goes on as it was.
    let other = SHOP.replace("/users/{id}", "/orders/{id}");
    connectors::add_text(&data, &other, Some("shop"), true).expect("replaced");
    let again = |run: &Value| {
        let run = place.ok("run_again", json!({ "runId": run }))["runId"].as_str().expect("an id").to_owned();
        let ended = json!(wait(place.app.wait(run)).expect("ends"));
        assert_eq!(ended["output"][0]["login"], "ada", "{ended}");
    };
    again(&summary["runId"]);
    connectors::remove(&data, "shop").expect("removed");
    again(&summary["runId"]);
    assert_eq!(told(&place, &known)[0].0, "UNKNOWN_CONNECTOR");
}

#[test]
fn the_validator_knows_connectors_operations_and_parameters() {
    let place = place();
    let data = place.app.data_dir().to_owned();
    connectors::add_text(&data, SHOP, Some("shop"), false).expect("added");
    let at = |field: &str| format!("/nodes/ask/config/{field}");
    for (operation, params, code, path, hint) in [
        ("getUsr", json!({ "id": 1 }), "UNKNOWN_OPERATION", at("operation"), "Did you mean 'getUser'?"),
        ("listOrders", json!({ "staus": "open" }), "UNKNOWN_CONFIG", at("params/staus"), "Did you mean 'status'?"),
        ("getUser", json!({}), "MISSING_CONFIG", at("params/id"), "Fill in 'id'"),
        ("getUser", json!({ "id": "one" }), "BAD_CONFIG", at("params/id"), ""),
        ("listOrders", json!({ "status": "lost" }), "BAD_CONFIG", at("params/status"), ""),
    ] {
        let found = told(&place, &calls(operation, &params));
        assert_eq!(
            (found.len(), found[0].0.as_str(), &found[0].1),
            (1, code, &path),
            "{operation} {params}: {found:?}"
        );
        assert!(found[0].2.contains(hint), "{found:?}");
    }
    let mut misspelt = calls("getUser", &json!({ "id": 1 }));
    misspelt["nodes"]["ask"]["config"]["connector"] = json!("shpo");
    let found = told(&place, &misspelt);
    assert_eq!((found[0].0.as_str(), found[0].2.as_str()), ("UNKNOWN_CONNECTOR", "Did you mean 'shop'?"));
    let mut nowhere = calls("getUser", &json!({ "id": 1 }));
    nowhere["nodes"]["ask"]["config"]["variables"] = json!({ "adress": "http://a.example" });
    let found = told(&place, &nowhere);
    assert_eq!(found.iter().map(|one| one.0.as_str()).collect::<Vec<_>>(), ["UNKNOWN_CONFIG", "MISSING_CONFIG"]);
    assert_eq!(place.code("run_start", json!({ "document": nowhere, "params": {} })), "INVALID_WORKFLOW");
}

#[test]
fn files_that_cannot_be_used_are_refused_and_told_at_the_step() {
    let place = place();
    let data = place.app.data_dir().to_owned();
    let refused = |text: &str| connectors::add_text(&data, text, None, false).expect_err("refused");
    assert_eq!(refused("").code, "BAD_FILE");
    assert_eq!(refused("a: [").code, "BAD_FILE");
    assert_eq!(refused(&"[".repeat(100_000)).code, "BAD_FILE");
    assert_eq!(refused("connector: 1\nname: x\n").code, "BAD_CONNECTOR");
    assert_eq!(refused(r#"{"swagger": "1.2", "paths": {}}"#).code, "BAD_OPENAPI");
    let stolen = "connector: 1\nname: x\ntitle: X\nservers: [{ url: 'https://a.example' }]\nheaders: { X-Key: 'secret://erp' }\n\
                  operations: { a: { title: A, method: GET, path: /a } }\n";
    let error = refused(stolen);
    assert_eq!(error.code, "BAD_CONNECTOR");
    assert!(error.message.contains("names a secret"), "{}", error.message);
    let elsewhere = "connector: 1\nname: x\ntitle: X\nservers: [{ url: 'https://a.example' }]\n\
                     operations: { a: { title: A, method: GET, path: 'https://evil.example/a' } }\n";
    assert!(refused(elsewhere).message.contains("not a path"));

    connectors::add_text(&data, SHOP, Some("shop"), false).expect("added");
    assert_eq!(
        connectors::add_text(&data, SHOP, Some("shop"), false).expect_err("there is one").code,
        "CONNECTOR_EXISTS"
    );
    std::fs::write(data.join("connectors/shop.yaml"), "connector: 1\nname: other\n").expect("written");
    let found = told(&place, &calls("getUser", &json!({ "id": 1 })));
    assert_eq!(found[0].0, "UNKNOWN_CONNECTOR");
    assert!(connectors::remove(&data, "slack").expect_err("shipped").hint.contains("comes with the program"));
}

#[test]
fn who_changes_a_connector_is_in_the_audit_chain() {
    let place = place();
    let add = |replace: bool| place.ok("connector_add", json!({ "text": SHOP, "name": "shop", "replace": replace }));
    add(false);
    add(true);
    place.ok("connector_remove", json!({ "name": "shop" }));
    let entries = place.ok("audit_list", json!({ "query": "event:CONNECTOR_CHANGED" }));
    assert_eq!(entries["total"], 3, "{entries}");
    let text = entries.to_string();
    for change in ["added a connector", "replaced a connector", "removed a connector"] {
        assert!(text.contains(change), "{change}: {text}");
    }
}

/// The secret of an import is what new steps begin with; it names a secret and is none.
#[test]
fn an_import_says_which_secret_new_steps_begin_with() {
    let place = place();
    let ask = |command: &str, request: Value| {
        let caller = signalbox_app::Caller::terminal(None).expect("a person");
        wait(place.app.dispatch(&caller, command, request)).map_err(|error| error.code)
    };
    let file = place.dir.path().join("key.txt").display().to_string();
    ask("secret_choose", json!({ "key": "file", "identityFile": file })).expect("chosen");
    let secret = json!({ "name": "desk", "kind": "bearer", "hosts": ["desk.example.com"], "value": "k-canary-0123" });
    ask("secret_set", secret).expect("kept");
    let desk = include_str!("apis/desk.introspection.json");
    let graphql = |credential: &str| json!({ "text": desk, "name": "desk", "address": "https://desk.example.com/graphql", "credential": credential, "replace": true });
    assert_eq!(ask("connector_add", graphql("secret://missing")).expect_err("there is none"), "NOT_FOUND");
    assert_eq!(ask("connector_add", graphql("desk")).expect_err("no reference"), "BAD_REQUEST");
    ask("connector_add", graphql("secret://desk")).expect("added");
    ask("connector_add", json!({ "text": SHOP, "name": "shop", "credential": "secret://desk" })).expect("added");
    ask("connector_add", json!({ "text": SHOP, "name": "plain" })).expect("added");
    let all = ask("connector_list", json!({})).expect("a list");
    let usual = |name: &str| {
        let mut entries = all.as_array().expect("a list").iter();
        entries.find(|one| one["name"] == name).expect("known")["usualCredential"].clone()
    };
    let reference = json!("secret://desk");
    assert_eq!((usual("desk"), usual("shop"), usual("plain")), (reference.clone(), reference, Value::Null));
    let written = std::fs::read_to_string(place.app.data_dir().join("connectors/desk.yaml")).expect("a file");
    assert!(written.contains("credential: secret://desk") && !written.contains("canary"), "{written}");
    // A service without credentials has none to begin with, and a file cannot name anything but a secret.
    let open = "connector: 1\nname: open\ntitle: Open\nservers: [{ url: 'https://a.example' }]\n\
                operations: { a: { title: A, method: GET, path: /a } }\n";
    let refused = ask("connector_add", json!({ "text": open, "credential": "secret://desk" }));
    assert_eq!(refused.expect_err("takes none"), "BAD_REQUEST");
    let wrong = open.replace("title: Open", "title: Open\ncredential: k-canary-0123");
    assert_eq!(ask("connector_add", json!({ "text": wrong })).expect_err("no reference"), "BAD_CONNECTOR");
}
