use super::{AuditProfile, Hiding, parts};
use serde_json::{Value, json};
use signalbox_store::audit::verify::Row;
use signalbox_store::audit::{Actor, Chain, Entry, Level, Record};

fn row(event: &str, actor: Actor, facts: Value) -> Row {
    let mut record = Record::new("2026-11-22T10:00:00.000Z", "r-1", "ask", event, Level::Info, actor)
        .with_metadata(facts.as_object().cloned().expect("an object"));
    record.tags = Some(vec!["pii".into()]);
    let sealed = Chain::new("log").seal(record).expect("seals");
    Row { seq: 0, text: sealed.text, hash: sealed.hash.to_hex(), signature: None }
}

fn hiding(base: AuditProfile, hide: &[&str]) -> Hiding {
    let hide: Vec<String> = hide.iter().map(|place| (*place).to_owned()).collect();
    Hiding::new(base, &hide).expect("places")
}

fn shown(hiding: &mut Hiding, row: &Row) -> (bool, Value) {
    let line = hiding.show(row.clone()).expect("can be read");
    assert_eq!(line.row.hash, row.hash, "the hash stays");
    let read = Entry::from_canonical(&line.row.text).expect("an entry");
    assert_eq!(read.canonical().expect("canonical"), line.row.text);
    (line.shown, serde_json::from_str(&line.row.text).expect("JSON"))
}

#[test]
fn people_have_numbers_and_their_texts_are_hidden() {
    let mut masked = hiding(AuditProfile::Masked, &[]);
    let facts = json!({
        "taskId": "t-1", "action": "correct", "notes": "Ada called", "to": "user:bob", "osUser": "anna",
        "deep": { "reason": "her birthday", "list": ["user:anna", 1] }, "attempt": 2,
    });
    let (part, entry) = shown(&mut masked, &row("TASK_REASSIGNED", Actor::operator("user:anna"), facts));
    assert!(part);
    assert_eq!(entry["actor"], json!({ "type": "human", "id": "person:1", "role": "operator" }));
    let facts = json!({
        "taskId": "t-1", "action": "correct", "notes": "•••", "to": "person:3", "osUser": "person:2",
        "deep": { "reason": "•••", "list": ["person:1", 1] }, "attempt": 2,
    });
    assert_eq!(entry["metadata"]["deep"], facts["deep"]);
    assert_eq!(entry["metadata"]["notes"], "•••");
    assert!(!entry.to_string().contains("anna") && !entry.to_string().contains("bob"), "{entry}");
    // The same person has the same number in the next entry.
    let (_, next) = shown(&mut masked, &row("HITL_COMPLETED", Actor::operator("user:anna"), json!({})));
    assert_eq!(next["actor"]["id"], "person:1");
    // The machine's own words stay, and an entry that loses nothing is there as it was sealed.
    let (part, _) = shown(
        &mut masked,
        &row("WORKFLOW_COMPLETED", Actor::system(), json!({ "reason": "no_fallback", "entryCount": 3 })),
    );
    assert!(!part);
    for key in ["added", "moved", "removed", "paths", "hosts", "url"] {
        let anchor = row("AUDIT_ANCHOR_CHANGED", Actor::operator("user:anna"), json!({ key: "/home/anna/a.jsonl" }));
        assert_eq!(shown(&mut masked, &anchor).1["metadata"][key], "•••", "{key}");
    }
    // What a workflow's own event tells is not known.
    let (_, own) =
        shown(&mut masked, &row("ORDER_REFUSED", Actor::tool("shop"), json!({ "customer": "Ada", "amount": 3 })));
    assert_eq!(
        (own["metadata"].clone(), own["actor"]["id"].as_str()),
        (json!({ "customer": "•••", "amount": 3 }), Some("shop"))
    );
}

#[test]
fn the_least_is_what_happened_where_and_when() {
    let mut minimal = hiding(AuditProfile::Minimal, &[]);
    let facts = json!({ "errorType": "Timeout", "message": "x", "attempt": 1, "anything": "else" });
    let (part, entry) = shown(&mut minimal, &row("NODE_ERROR", Actor::operator("user:anna"), facts));
    assert!(part);
    assert_eq!(entry["actor"], json!({ "type": "human" }));
    assert_eq!(entry["metadata"], json!({ "errorType": "Timeout", "attempt": 1 }));
    assert_eq!(
        (entry["tags"].is_null(), &entry["nodeId"], &entry["event"]),
        (true, &json!("ask"), &json!("NODE_ERROR"))
    );
    // Where the owner keeps checkpoints is nobody else's; how many entries a retention removed is.
    for (fact, left) in
        [(json!({ "removed": "/home/anna/a.jsonl" }), Value::Null), (json!({ "removed": 7 }), json!({ "removed": 7 }))]
    {
        let (_, entry) = shown(&mut minimal, &row("AUDIT_ANCHOR_CHANGED", Actor::operator("user:anna"), fact));
        assert_eq!(entry["metadata"], left);
    }
    let (_, own) = shown(&mut minimal, &row("ORDER_REFUSED", Actor::system(), json!({ "status": "Ada" })));
    assert!(own["metadata"].is_null(), "{own}");
}

#[test]
fn places_of_a_profile_are_taken_out() {
    let mut own = hiding(AuditProfile::Full, &["/nodeId", "/metadata/*/name", "/metadata/code", "/tags", "/actor/id"]);
    let facts = json!({ "a": { "name": "x", "n": 1 }, "b": [{ "name": "y" }, 2], "code": 7, "name": "stays" });
    let (_, entry) = shown(&mut own, &row("NODE_ERROR", Actor::operator("user:anna"), facts));
    let left = json!({ "a": { "name": "•••", "n": 1 }, "b": [{ "name": "•••" }, 2], "code": "•••", "name": "stays" });
    assert_eq!((&entry["metadata"], &entry["nodeId"], entry["tags"].is_null()), (&left, &json!("•••"), true));
    assert_eq!(entry["actor"], json!({ "type": "human", "role": "operator" }));
    assert_eq!(own.stated().hides.len(), 5);
    // The record of a retention is what a verification begins with.
    let (part, _) = shown(&mut own, &row("AUDIT_RETENTION", Actor::operator("user:anna"), json!({ "code": 7 })));
    assert!(!part);
    let damaged = Row { seq: 4, text: "{".into(), hash: String::new(), signature: None };
    assert!(own.show(damaged.clone()).is_none(), "nothing in it can be hidden");
    assert!(hiding(AuditProfile::Full, &[]).show(damaged).is_some());
}

#[test]
fn what_a_verification_needs_cannot_be_hidden() {
    for good in ["/runId", "/actor/role", "/metadata", "/metadata/a~1b/*"] {
        assert!(parts(good).is_ok(), "{good}");
    }
    let many = vec!["/tags".to_owned(); 101];
    assert!(
        Hiding::new(AuditProfile::Full, &many).is_err() && Hiding::new(AuditProfile::Full, &["/seq".into()]).is_err()
    );
    for bad in [
        "",
        "runId",
        "/seq",
        "/prevHash",
        "/timestamp",
        "/event",
        "/level",
        "/actor",
        "/actor/type",
        "/metadata/",
        "/v",
        "/logId",
    ] {
        assert!(parts(bad).is_err(), "{bad}");
    }
}
