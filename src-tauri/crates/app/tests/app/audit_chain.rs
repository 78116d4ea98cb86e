//! Entries and errors as the published schemas say them, from an error to its entry, and steps that wait for a copy.

use crate::common::{Place, place, wait};
use serde_json::{Value, json};
use signalbox_app::Caller;

fn schema(text: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    jsonschema::draft7::options().should_validate_formats(true).build(&schema).expect("a schema")
}

fn fits(schema: &jsonschema::Validator, value: &Value) {
    let wrong: Vec<String> = schema.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}: {value}");
}

/// each error is an entry `NODE_ERROR`, and its event has the reference to it.
#[test]
fn a_02_e_16_entries_and_errors_fit_the_published_schemas_and_an_error_leads_to_its_entry() {
    let place = place();
    let refused = json!({ "error": { "type": "ValidationError", "message": "No", "retryable": true } });
    let document = json!({
        "signalbox": 1, "id": "fails", "name": "Fails",
        "nodes": {
            "first": { "type": "flow.fail", "config": refused },
            "items": { "type": "data.transform", "mode": "each", "config": { "expression": "{'n': item.missing}" } },
        },
        "edges": [{ "from": "first.error", "to": "items" }],
    });
    let run = place.run(&document, json!({}))["runId"].clone();
    let errors = schema(include_str!("../../../../../schemas/ErrorPayload.schema.json"));
    let entries = schema(include_str!("../../../../../schemas/AuditPayload.schema.json"));
    let own = schema_of_error();
    let events = place.ok("run_events", json!({ "runId": run, "after": 0 }));
    let failed: Vec<&Value> =
        events.as_array().expect("a list").iter().filter(|one| one["type"] == "step_error").collect();
    assert!(failed.len() > 1, "{events}");
    let mut found = Vec::new();
    for event in &failed {
        let error = &event["payload"]["error"];
        fits(&errors, error);
        fits(&own, error);
        let reference = error["provenanceRef"].as_str().expect("a reference");
        assert_eq!(reference, format!("audit:{}:{}", run.as_str().expect("an id"), event["seq"]));
        let page = place.ok("audit_list", json!({ "query": format!("ref:{reference}") }));
        let [row] = page["entries"].as_array().expect("a list").as_slice() else { panic!("{reference}: {page}") };
        let entry = place.ok("audit_get", json!({ "seq": row["seq"] }))["entry"].clone();
        assert_eq!(
            (&entry["event"], &entry["nodeId"], &entry["metadata"]["attempt"], &entry["metadata"]["code"]),
            (&json!("NODE_ERROR"), &event["stepId"], &event["attempt"], &error["details"]["code"])
        );
        found.push(row["seq"].clone());
    }
    found.dedup();
    assert_eq!(found.len(), failed.len(), "each has its own");
    for wrong in ["ref:audit:nothing", "ref:audit:nothing:1", "ref:audit:nothing:0"] {
        assert!(place.ask("audit_list", json!({ "query": wrong })).is_err(), "{wrong}");
    }
    place.run(&audits("SEEN", ""), json!({}));
    let all = place.ok("audit_list", json!({ "limit": 200 }))["entries"].clone();
    let mut kinds = Vec::new();
    for row in all.as_array().expect("a list") {
        let entry = place.ok("audit_get", json!({ "seq": row["seq"] }))["entry"].clone();
        fits(&entries, &entry);
        kinds.push(entry["event"].as_str().expect("a name").to_owned());
    }
    for kind in ["SEEN", "NODE_ERROR", "NODE_START", "WORKFLOW_STARTED", "WORKFLOW_COMPLETED"] {
        assert!(kinds.iter().any(|known| known == kind), "{kind}: {kinds:?}");
    }
}

fn schema_of_error() -> jsonschema::Validator {
    let text = include_str!("../../../../../schemas/error-payload.schema.json");
    jsonschema::validator_for(&serde_json::from_str(text).expect("JSON")).expect("a schema")
}

fn audits(event: &str, sink: &str) -> Value {
    json!({
        "signalbox": 1, "id": "notes", "name": "Notes",
        "nodes": { "note": { "type": "builtin.audit", "config": { "event": event, "sink": sink } } }, "edges": [],
    })
}

fn entries_of(place: &Place, event: &str) -> usize {
    place.ok("audit_list", json!({ "query": format!("event:{event}") }))["entries"].as_array().expect("a list").len()
}

/// The entry and all before it are in the named copy when the step ends; nobody copies in the background here.
#[test]
fn a_10_an_audit_step_waits_for_the_copy_that_it_names() {
    let place = place();
    let file = place.dir.path().join("copy.jsonl");
    let add = |name: &str| wait(place.app.sink_file(&Caller::here(), file.clone(), Some(name.to_owned())));
    assert_eq!(add("no name").expect_err("refused").code, "BAD_REQUEST");
    let kept = add("vault").expect("added");
    assert_eq!((kept.len(), kept[0].name.as_str()), (1, "vault"));
    assert_eq!(add("vault").expect_err("refused").code, "SINK_EXISTS");
    let lines = || std::fs::read_to_string(&file).expect("there").lines().count();
    let before = lines();
    assert_eq!(place.run(&audits("WITHOUT", ""), json!({}))["status"], "completed");
    assert_eq!(lines(), before, "nobody waits for a copy that is not named");
    assert_eq!(place.run(&audits("WITH", "vault"), json!({}))["status"], "completed");
    let text = std::fs::read_to_string(&file).expect("there");
    assert!(
        text.contains("\"WITHOUT\"") && text.lines().last().is_some_and(|last| last.contains("\"WITH\"")),
        "{text}"
    );

    // A name that nobody has: said with those that there are, and nothing is written.
    let run = place.run(&audits("NOWHERE", "safe"), json!({}));
    assert_eq!((&run["status"], &run["error"]["details"]["code"]), (&json!("failed"), &json!("AUDIT_SINK_UNKNOWN")));
    let message = run["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("'safe'") && message.contains("vault"), "{message}");
    assert_eq!(entries_of(&place, "NOWHERE"), 0);

    // One that does not take it: the entry is in the chain, and the step fails so that it can be repeated.
    std::fs::write(&file, "something else\n").expect("written");
    let run = place.run(&audits("LATE", "vault"), json!({}));
    assert_eq!(
        (&run["error"]["details"]["code"], &run["error"]["retryable"]),
        (&json!("AUDIT_NOT_COPIED"), &json!(true)),
        "{run}"
    );
    assert_eq!(entries_of(&place, "LATE"), 1);
    std::fs::remove_file(&file).expect("removed");
    assert_eq!(place.run(&audits("AGAIN", "vault"), json!({}))["status"], "completed");
    assert!(std::fs::read_to_string(&file).expect("there").contains("\"LATE\""));

    // A paused one is not waited for.
    let id = place.ok("audit_sinks", json!({}))[0]["id"].clone();
    place.ok("audit_sink_pause", json!({ "id": id, "paused": true }));
    let run = place.run(&audits("PAUSED", "vault"), json!({}));
    assert!(run["error"]["message"].as_str().is_some_and(|text| text.contains("it is paused")), "{run}");
}
