use super::*;
use serde_json::json;
use signalbox_engine::validate::check_bytes;

#[test]
fn k_52_references_of_steps_that_were_not_reached_are_checked() {
    let catalog = signalbox_nodes::built_in().clone();
    let document = json!({
        "signalbox": 1, "id": "refs", "name": "Refs", "settings": { "errorPolicy": "safe" },
        "nodes": {
            "fetch": { "type": "http.request", "config": { "url": "https://api.example.com/user" } },
            "check": { "type": "flow.if", "config": { "condition": "item.response.id > 1" } },
            "good": { "type": "data.set", "config": { "assign": { "a": "{{item.response.login}}", "b": "=has(item.nothing) ? 1 : 2" } } },
            "bad": { "type": "data.set", "config": { "assign": { "a": "{{item.response.username}}", "b": "=nodes.fetch.output.response.names[0]" } } },
        },
        "edges": [
            { "from": "fetch.success", "to": "check" }, { "from": "check.true", "to": "good" }, { "from": "check.false", "to": "bad" },
        ],
    });
    let checked = check_bytes(document.to_string().as_bytes(), &catalog);
    let workflow = checked.workflow.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let output = json!({ "status": 200, "response": { "id": 7, "login": "ada" } });
    let mut recorded = Recorded::default();
    for step in ["fetch", "check", "good"] {
        recorded.called.insert(step.into());
    }
    recorded.outputs.insert(("fetch".into(), "success".into()), output.clone());
    recorded.outputs.insert(("check".into(), "true".into()), output);
    let found = missing_references(&workflow, &catalog, &recorded);
    let told: Vec<&str> = found.iter().flat_map(|issue| &issue.attempted).map(String::as_str).collect();
    assert_eq!(told, ["item.response.username", "nodes.fetch.output.response.names[0]"]);
    assert!(found.iter().all(|issue| issue.step == "bad" && issue.fixable));
    assert_eq!(
        (&found[0].available, found[0].available_at.as_str()),
        (&vec!["id".to_owned(), "login".to_owned()], "$.response")
    );
    assert_eq!(found[0].message, "Field 'item.response.username' not found. Available: id, login");
    // What a sample holds says nothing.
    recorded.called.remove("good");
    recorded.stubs.insert("fetch".into());
    assert_eq!(missing_references(&workflow, &catalog, &recorded).len(), 1, "only what the If step handed on is known");
    recorded.stubs.insert("check".into());
    assert!(missing_references(&workflow, &catalog, &recorded).is_empty());
}
