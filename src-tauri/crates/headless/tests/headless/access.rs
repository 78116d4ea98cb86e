//! Access tokens and the record of administration with the real program: at the terminal, by REST, and across processes.

use crate::support;

use serde_json::{Value, json};
use support::{BUILDER, OPERATOR, Serving, TestHome, eventually, with_roles, workflow};

/// Entries of an event with their facts, the newest first.
fn entries(place: &TestHome, event: &str) -> Vec<Value> {
    let listed = place.run(&["audit", "list", "--query", &format!("event:{event}"), "--json"]);
    listed.json().as_array().expect("a list").clone()
}

fn status(serving: &Serving, token: &str) -> u16 {
    serving.ask_as(token, "POST", "/rpc/who", &json!({}), &[]).status
}

/// Whatever a token does is done in the name of whoever made it, and the chain names the token.
#[test]
fn a_token_acts_for_its_owner_until_it_is_revoked() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let rpc =
        |token: &str, command: &str, body: Value| serving.ask_as(token, "POST", &format!("/rpc/{command}"), &body, &[]);
    let add = json!({ "name": "ci", "role": "operator", "expiresDays": 30 });
    assert_eq!(rpc(OPERATOR, "token_add", add.clone()).status, 403);
    assert_eq!(rpc(BUILDER, "token_add", json!({ "name": "a b", "role": "viewer" })).status, 400);
    let made = rpc(BUILDER, "token_add", add.clone());
    assert_eq!(made.status, 200, "{}", made.body);
    let token = made.json()["token"].as_str().expect("a token").to_owned();
    assert!(token.starts_with("sbx_"), "{token}");
    assert_eq!(rpc(BUILDER, "token_add", add).json()["error"]["code"], "NAME_TAKEN");
    let owner = rpc(BUILDER, "who", json!({})).json()["operatorId"].clone();
    let who = rpc(&token, "who", json!({})).json();
    assert_eq!((&who["operatorId"], &who["role"]), (&owner, &json!("operator")));

    let document = workflow(json!({ "end": { "type": "flow.noop" } }), json!([]));
    assert_eq!(serving.ask_as(&token, "PUT", "/workflows/test", &document, &[]).status, 403);
    assert_eq!(serving.ask_as(BUILDER, "PUT", "/workflows/test", &document, &[]).status, 200);
    let start = json!({ "workflow": "test" });
    let run = serving.ask_as(&token, "POST", "/workflow/run", &start, &[]).json()["runId"].clone();
    let started = entries(&place, &format!("WORKFLOW_STARTED run:{}", run.as_str().expect("an id"))).remove(0);
    assert_eq!(
        (&started["metadata"]["tokenName"], &started["metadata"]["person"]),
        (&json!("ci"), &owner),
        "{started}"
    );

    // Whatever its role: one that leaked makes no other.
    let strong = rpc(BUILDER, "token_add", json!({ "name": "deploy", "role": "builder" })).json();
    let strong = strong["token"].as_str().expect("a token").to_owned();
    for (command, body) in [
        ("token_add", json!({ "name": "more", "role": "viewer" })),
        ("token_revoke", json!({ "name": "ci" })),
        ("session_end", json!({ "id": "x" })),
    ] {
        assert_eq!(rpc(&strong, command, body).status, 403, "{command}");
    }
    let changed = json!({ "signalbox": 1, "id": "test", "name": "Changed", "nodes": document["nodes"], "edges": [] });
    assert_eq!(serving.ask_as(&strong, "PUT", "/workflows/test", &changed, &[("if-match", "*")]).status, 200);
    let saved = entries(&place, "WORKFLOW_SAVED").remove(0);
    assert_eq!((&saved["actor"]["id"], &saved["metadata"]["tokenName"]), (&owner, &json!("deploy")), "{saved}");
    assert_eq!(saved["metadata"]["renamedFrom"], "Test");

    assert_eq!(rpc(BUILDER, "token_revoke", json!({ "name": "ci" })).status, 200);
    assert_eq!(status(&serving, &token), 401, "at once");
    let events: Vec<_> = ["TOKEN_CREATED", "TOKEN_REVOKED"].map(|event| entries(&place, event).len()).into();
    assert_eq!(events, [2, 1]);
    // Neither the tokens nor anything that gets in with them is in the list or in the files.
    let listed = rpc(BUILDER, "token_list", json!({})).body;
    assert!(!listed.contains(&strong) && listed.contains("\"deploy\""), "{listed}");
    for file in ["signalbox.db", "signalbox.db-wal"] {
        let bytes = std::fs::read(place.data().join(file)).unwrap_or_default();
        for text in [&token, &strong] {
            assert!(!bytes.windows(text.len()).any(|part| part == text.as_bytes()), "{file} has a token");
        }
    }
}

/// The terminal is another process: the server hears of what it does.
#[test]
fn tokens_of_the_terminal_work_at_a_running_server_and_end_there() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    let add = ["token", "add", "dash", "--role", "viewer", "--days", "2", "--as", "user:anna", "--json"];
    let made = place.run(&add);
    let token = made.json()["token"].as_str().expect("a token").to_owned();
    // The first request with an unknown token has the list read, at most once a second.
    eventually("the token works", || status(&serving, &token) == 200);
    let listed = place.run(&["token", "list", "--json"]).json();
    assert_eq!((&listed[0]["name"], &listed[0]["person"]), (&json!("dash"), &json!("user:anna")));
    eventually("the use is written", || {
        place.run(&["token", "list", "--json"]).json()[0]["usedAt"].as_str().is_some_and(|at| !at.is_empty())
    });
    assert_eq!(place.run(&["token", "revoke", "dash", "--as", "user:bob"]).code, 0);
    eventually("the token is refused", || status(&serving, &token) == 401);
    assert_eq!(place.run(&["token", "revoke", "dash"]).code, 2);
    let revoked = entries(&place, "TOKEN_REVOKED").remove(0);
    assert_eq!((&revoked["actor"]["id"], &revoked["metadata"]["person"]), (&json!("user:bob"), &json!("user:anna")));
    assert!(revoked["metadata"]["osUser"].is_string());
}
