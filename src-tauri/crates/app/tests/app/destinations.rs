//! H-21: tasks in other services, against peers with the recorded shapes of their public API documents. Every peer is a real
//! server on this machine; the connectors are the shipped files and one of a person's own.

mod mail;
mod peer;
mod services;

use crate::common::{Place, place, wait};
use peer::{Peer, Reply, Seen, ok};
use serde_json::{Value, json};
use signalbox_app::dto::CallerRole;
use signalbox_app::{ApiError, Caller, HookRequest, connectors};
use signalbox_model::hash::hmac_sha256;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A person's own connector: YAML, no code.
const DESK: &str = r#"
connector: 1
name: desk
title: Desk
servers: [{ url: https://desk.example }]
auth: [{ type: bearer }]
operations:
  make: { title: Make, method: POST, path: /tickets, parameters: [
    { name: title, in: body, required: true, schema: { type: string } },
    { name: mark, in: body, schema: { type: string } }, { name: text, in: body, schema: { type: string } } ] }
  change: { title: Change, method: PATCH, path: "/tickets/{id}", repeatable: true, parameters: [
    { name: id, in: path, required: true, schema: { type: string } },
    { name: text, in: body, schema: { type: string } }, { name: state, in: body, schema: { type: string } } ] }
  list: { title: List, method: GET, path: /tickets, parameters: [{ name: mark, in: query, schema: { type: string } }],
    response: { items: /tickets } }
tasks:
  settings: { queue: { title: Queue, default: general } }
  templates:
    text: "{{item.task.title}} [{{item.settings.queue}}] to {{item.task.assignee}}: {{item.link}}"
  find:
    - { operation: list, params: { mark: "{{item.marker}}" }, keep: { id: string(item.answer.id), link: item.answer.url } }
  create:
    - { operation: make, params: { title: "{{item.task.title}}", mark: "{{item.marker}}", text: "{{item.text.text}}" },
        keep: { id: string(item.answer.id), link: item.answer.url } }
  update: [{ operation: change, params: { id: "{{item.remote.id}}", text: "{{item.text.text}}" } }]
  close: [{ operation: change, params: { id: "{{item.remote.id}}", state: "{{item.task.state}}" } }]
  test: [{ operation: list }]
  decisions:
    auth: { type: hmac, preset: github }
    when: item.body.kind == 'state'
    id: string(item.body.ticket)
    value: item.body.state
    person: item.body.by
"#;

fn terminal() -> Caller {
    Caller::terminal(None).expect("a person")
}

fn ask(place: &Place, caller: &Caller, command: &str, request: Value) -> Result<Value, ApiError> {
    wait(place.app.dispatch(caller, command, request))
}

/// A folder with the connector and a secret.
fn with_desk() -> Place {
    let place = place();
    connectors::add_text(place.app.data_dir(), DESK, None, false).expect("added");
    let file = place.dir.path().join("key.txt").display().to_string();
    ask(&place, &terminal(), "secret_choose", json!({ "key": "file", "identityFile": file })).expect("chosen");
    for name in ["desk", "hook"] {
        let secret = json!({ "name": name, "kind": "bearer", "hosts": ["http://127.0.0.1"], "value": "s3cret-value" });
        ask(&place, &terminal(), "secret_set", secret).expect("kept");
    }
    place
}

fn add(place: &Place, more: Value) -> String {
    let mut request = json!({ "name": "Desk", "connector": "desk", "credential": "secret://desk", "allowLocal": true });
    more.as_object().into_iter().flatten().for_each(|(name, value)| request[name] = value.clone());
    let all = place.ok("task_destination_add", request);
    all[0]["id"].as_str().expect("an id").to_owned()
}

/// A run that waits for a person; gives the task.
fn approval(place: &Place, config: Value) -> String {
    let document = json!({
        "signalbox": 1, "id": "pay", "name": "Pay invoices", "edges": [],
        "nodes": { "ask": { "type": "builtin.human_approval", "config": config } },
    });
    let summary = place.run(&document, json!({}));
    assert_eq!(summary["status"], "paused", "{summary}");
    summary["openTasks"][0].as_str().expect("a task").to_owned()
}

fn send(place: &Place) -> u64 {
    place.ok("task_copy_send", json!({}))["tried"].as_u64().expect("a number")
}

fn elsewhere(place: &Place, task: &str) -> Value {
    place.ok("task_get", json!({ "taskId": task }))["elsewhere"][0].clone()
}

fn ticket(seen: &Seen) -> Reply {
    ok(match seen.line.split_whitespace().next() {
        Some("GET") => json!({ "tickets": [] }),
        _ => json!({ "id": 12, "url": "https://desk.example/t/12" }),
    })
}

#[test]
fn h_21_a_task_is_created_changed_and_closed_by_a_connector_of_a_person() {
    let (place, peer) = (with_desk(), Peer::start(ticket));
    let id = add(&place, json!({ "server": peer.base, "settings": { "queue": "money" } }));
    assert_eq!(place.ok("task_destination_test", json!({ "id": id }))["ok"], true);
    assert_eq!(peer.lines(), ["GET /tickets"]);
    let task = approval(&place, json!({ "title": "Pay ada@example.org?", "assignee": "user:bob" }));
    assert_eq!(send(&place), 1);
    let made = peer.take().remove(0);
    assert_eq!(made.line, "POST /tickets");
    // Masked there as in lists here; the secret is sent as the connector says.
    assert!(!made.body.to_string().contains("ada@example.org"), "{}", made.body);
    let text = made.body["text"].as_str().expect("a text");
    assert!(text.contains("[money] to user:bob: signalbox://task/"), "{text}");
    assert_eq!(made.header("authorization"), Some("Bearer s3cret-value"));
    let there = elsewhere(&place, &task);
    assert_eq!(
        (&there["name"], &there["externalId"], &there["link"], &there["state"]),
        (&json!("Desk"), &json!("12"), &json!("https://desk.example/t/12"), &json!("current"))
    );
    // Nothing has changed: nothing is sent.
    place.ok("task_claim", json!({ "taskId": task }));
    assert_eq!(send(&place), 0);
    place.ok("task_reassign", json!({ "taskId": task, "to": "user:carl" }));
    assert_eq!(send(&place), 1);
    let changed = peer.take().remove(0);
    assert_eq!(changed.line, "PATCH /tickets/12");
    assert!(changed.body["text"].as_str().expect("a text").contains("to user:carl"));
    place.ok("task_complete", json!({ "taskId": task, "action": "approve" }));
    assert_eq!((send(&place), send(&place)), (1, 0));
    let closed = peer.take().remove(0);
    assert_eq!((closed.line.as_str(), &closed.body["state"]), ("PATCH /tickets/12", &json!("done")));
    assert_eq!(elsewhere(&place, &task)["state"], "closed");
    // A task whose run is cancelled is closed, too.
    let other = approval(&place, json!({ "title": "Another" }));
    send(&place);
    let run = place.ok("task_get", json!({ "taskId": other }))["runId"].clone();
    place.ok("run_cancel", json!({ "runId": run }));
    wait(place.app.wait(run.as_str().expect("an id").to_owned())).expect("ends");
    peer.take();
    assert_eq!(send(&place), 1);
    assert_eq!(peer.take().remove(0).body["state"], "cancelled");
    // One that ended before it was sent is never created.
    let never = approval(&place, json!({ "title": "Never" }));
    place.ok("task_complete", json!({ "taskId": never, "action": "approve" }));
    assert_eq!((send(&place), peer.lines().len()), (1, 0));
    let entries = place.ok("audit_list", json!({ "query": "event:TASK_DESTINATION_CHANGED" }));
    assert_eq!(entries["total"], 1, "{entries}");
}

#[test]
fn h_21_an_interrupted_creation_is_found_and_not_repeated() {
    let place = with_desk();
    let made = std::sync::Arc::new(AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&made);
    let mark = std::sync::Mutex::new(Value::Null);
    // It takes the ticket, and its answer is lost.
    let peer = Peer::start(move |seen| match seen.line.split_whitespace().next() {
        Some("POST") => {
            count.fetch_add(1, Ordering::SeqCst);
            *mark.lock().expect("no panic") = seen.body["mark"].clone();
            None
        }
        Some("GET") => {
            let mark = mark.lock().expect("no panic");
            assert!(seen.line.ends_with(mark.as_str().expect("a mark")), "{}", seen.line);
            ok(json!({ "tickets": [{ "id": 7, "url": "https://desk.example/t/7" }] }))
        }
        _ => ok(json!({})),
    });
    add(&place, json!({ "server": peer.base }));
    let task = approval(&place, json!({ "title": "Pay?" }));
    send(&place);
    let there = elsewhere(&place, &task);
    assert_eq!((&there["state"], &there["externalId"]), (&json!("waiting"), &Value::Null), "{there}");
    assert!(there["error"].as_str().is_some_and(|why| !why.is_empty()) && there["againAt"].is_string(), "{there}");
    peer.take();
    let again = place.ok("task_copy_again", json!({ "id": there["id"] }));
    assert_eq!((&again["externalId"], &again["state"]), (&json!("7"), &json!("current")), "{again}");
    let lines = peer.lines();
    assert!(lines[0].starts_with("GET /tickets?mark=signalbox-"), "{lines:?}");
    assert_eq!((lines[1].as_str(), lines.len()), ("PATCH /tickets/7", 2));
    assert_eq!(made.load(Ordering::SeqCst), 1);
}

#[test]
fn h_21_a_limit_of_the_service_is_kept_and_told() {
    let (place, limited) = (with_desk(), AtomicUsize::new(0));
    let peer = Peer::start(move |seen| match limited.fetch_add(1, Ordering::SeqCst) {
        0 => Some((429, vec![("retry-after", "900".to_owned())], json!({}))),
        1 => Some((500, Vec::new(), json!({ "message": "no" }))),
        _ => ticket(seen),
    });
    add(&place, json!({ "server": peer.base }));
    let task = approval(&place, json!({ "title": "Pay?" }));
    assert_eq!((send(&place), send(&place)), (1, 0), "it is left alone");
    let there = elsewhere(&place, &task);
    let at = |text: &Value| signalbox_model::time::parse(text.as_str().expect("a time")).expect("a time");
    assert!(at(&there["againAt"]) - at(&there["triedAt"]) >= 900_000, "{there}");
    let log = place.ok("task_copy_log", json!({}));
    assert_eq!((&log[0]["attempts"], &log[0]["state"]), (&json!(1), &json!("waiting")));
    // A server error of a creation leaves the question whether it was: it is looked for first.
    peer.take();
    place.ok("task_copy_again", json!({ "id": there["id"] }));
    let done = place.ok("task_copy_again", json!({ "id": there["id"] }));
    assert_eq!(done["externalId"], "12", "{done}");
    assert!(peer.lines().iter().any(|line| line.starts_with("GET /tickets")), "it was looked for");
}

fn hook(place: &Place, id: &str, body: &Value, secret: &str, delivery: &str) -> Result<Value, ApiError> {
    let body = body.to_string().into_bytes();
    let sum: String = hmac_sha256(secret.as_bytes(), &body).iter().map(|byte| format!("{byte:02x}")).collect();
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("x-hub-signature-256", format!("sha256={sum}")),
        ("x-github-delivery", delivery.to_owned()),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let request = HookRequest { method: "POST".into(), query: String::new(), headers, body };
    let reply = wait(place.app.task_hook(id, request))?;
    assert_eq!(reply.status, 200);
    Ok(serde_json::from_slice(&reply.body).expect("JSON"))
}

#[test]
fn h_21_a_signed_webhook_decides_once_and_only_what_the_mapping_says() {
    let (place, peer) = (with_desk(), Peer::start(ticket));
    let none = json!({ "name": "X", "connector": "desk", "server": peer.base, "allowLocal": true,
        "decisions": { "secret": "secret://hook" } });
    assert_eq!(place.code("task_destination_add", none), "BAD_REQUEST", "nothing says which values decide");
    let decisions = json!({ "secret": "secret://hook", "values": { "Done": "approve", "No": "reject" } });
    let id = add(&place, json!({ "server": peer.base, "decisions": decisions }));
    let task = approval(&place, json!({ "title": "Pay?" }));
    send(&place);
    let said = |state: &str| json!({ "kind": "state", "ticket": 12, "state": state, "by": "Ada Lovelace" });
    let wrong = hook(&place, &id, &said("Done"), "another", "d1").expect_err("refused");
    assert_eq!(wrong.code, "UNAUTHORIZED");
    for (body, why) in [
        (said("In progress"), "stands for no answer"),
        (json!({ "kind": "comment", "ticket": 12, "state": "Done", "by": "x" }), "no decision"),
        (json!({ "kind": "state", "ticket": 99, "state": "Done", "by": "x" }), "not about a task"),
        (json!({ "hello": 1 }), ""),
    ] {
        let reply = hook(&place, &id, &body, "s3cret-value", why).expect("taken");
        assert_eq!(reply["result"], "ignored", "{reply}");
        assert!(reply["reason"].as_str().is_some_and(|reason| reason.contains(why)), "{reply}");
    }
    assert_eq!(place.ok("task_get", json!({ "taskId": task }))["state"], "open");
    assert_eq!(hook(&place, &id, &said("No"), "s3cret-value", "d2").expect("taken")["result"], "decided");
    let decided = place.ok("task_get", json!({ "taskId": task }));
    let decision = &decided["decision"];
    assert_eq!(
        (&decision["action"], &decision["operatorId"], &decision["via"]),
        (&json!("reject"), &json!("reported:Desk/Ada_Lovelace"), &json!("destination")),
        "{decided}"
    );
    assert!(decision["notes"].as_str().is_some_and(|notes| notes.contains("as reported there")), "{decision}");
    // The same delivery again, also under another name, does nothing.
    let replayed = hook(&place, &id, &said("No"), "s3cret-value", "d2").expect("taken");
    assert!(replayed["reason"].as_str().is_some_and(|why| why.contains("received before")), "{replayed}");
    let renamed = hook(&place, &id, &said("No"), "s3cret-value", "d3").expect("taken");
    assert_eq!(renamed["result"], "ignored", "{renamed}");

    // Names that a service reports are nobody's here: approvals of several people are given in the inbox.
    let several = approval(&place, json!({ "title": "Two?", "minApprovals": 2 }));
    send(&place);
    let other = json!({ "kind": "state", "ticket": 12, "state": "Done", "by": "Ada" });
    let reply = hook(&place, &id, &other, "s3cret-value", "d4").expect("taken");
    assert_eq!(reply["result"], "ignored", "{reply}");
    let there = elsewhere(&place, &several);
    assert!(there["note"].as_str().is_some_and(|note| note.contains("approvals by known people")), "{there}");
    assert_eq!(place.ok("audit_list", json!({ "query": "event:ANSWER_REFUSED" }))["total"], 1);

    // Who looks at a link or at the address of decisions is counted, and decides nothing.
    let copy = there["id"].as_str().expect("an id").to_owned();
    assert_eq!(wait(place.app.task_link_opened(&copy)).expect("counts").as_deref(), Some(several.as_str()));
    assert!(wait(place.app.task_hook_opened(&id)).expect("counts"));
    assert_eq!(elsewhere(&place, &several)["opened"], 1);
    assert_eq!(place.ok("task_destination_list", json!({}))[0]["opened"], 1);
    assert_eq!(place.ok("task_get", json!({ "taskId": several }))["state"], "open");
}

#[test]
fn h_21_what_cannot_be_used_is_refused_with_its_reason() {
    let place = with_desk();
    let with = |more: Value| {
        let mut request = json!({ "name": "Desk", "connector": "desk", "credential": "secret://desk" });
        more.as_object().into_iter().flatten().for_each(|(name, value)| request[name] = value.clone());
        place.ask("task_destination_add", request).expect_err("refused")
    };
    for (more, words) in [
        (json!({ "server": "http://127.0.0.1:1/" }), "address of this machine"),
        (json!({}), "may not be sent there"),
        (json!({ "connector": "stripe" }), "no section 'tasks'"),
        (json!({ "connector": "nothing" }), "no connector 'nothing'"),
        (json!({ "connector": "jira", "variables": { "site": "acme" } }), "'project' is missing"),
        (json!({ "connector": "jira", "settings": { "project": "A" } }), "'site'"),
        (json!({ "settings": { "que": "x" } }), "no setting 'que'"),
        (json!({ "templates": { "text": "{{item.}}" } }), "cannot be read"),
        (json!({ "templates": { "txt": "x" } }), "no text 'txt'"),
        (json!({ "mail": { "host": "a", "from": "a@b.c", "to": ["d@e.f"] } }), "either a connector or a mail server"),
        (json!({ "decisions": { "secret": "secret://hook", "values": { "Done": "correct" } } }), "cannot stand for"),
        (json!({ "assignees": ["bob"] }), "not a person or a group"),
        (json!({ "name": " " }), "no name"),
    ] {
        let error = with(more.clone());
        assert!(error.message.contains(words), "{more}: {} / {}", error.message, error.hint);
    }
    let operator = Caller { role: CallerRole::Operator, ..Caller::here() };
    let error = ask(&place, &operator, "task_destination_add", json!({ "name": "x" })).expect_err("a builder's");
    assert_eq!(error.code, "FORBIDDEN");
}
