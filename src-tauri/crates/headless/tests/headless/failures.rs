//! Failures that are alike, and one correction for all of them: the command line and REST, with the real program.

use crate::support;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::{Answer, Serving, TestHome, VIEWER, eventually, with_roles, workflow};

/// a → book (needs a number) → end. `amount` comes as text, so booking fails.
fn flow(id: &str) -> Value {
    let mut file = workflow(
        json!({
            "a": { "type": "data.set", "config": { "assign": { "amount": "=params.amount", "id": "=params.id" }, "keep": false } },
            "book": { "type": "data.set", "title": "Book", "config": { "assign": { "total": "=item.amount * 2.0" } } },
            "end": { "type": "data.set", "config": { "assign": { "done": true } } },
        }),
        json!([{ "from": "a.success", "to": "book" }, { "from": "book.success", "to": "end" }]),
    );
    file["id"] = id.into();
    file["settings"] = json!({ "errorPolicy": "fail" });
    file
}

fn rpc(serving: &Serving, command: &str, body: Value) -> Value {
    let answer = serving.ask("POST", &format!("/rpc/{command}"), &body);
    assert_eq!(answer.status, 200, "{command}: {}", answer.body);
    answer.json()
}

fn store(serving: &Serving, file: &Value) {
    let id = file["id"].as_str().expect("an id");
    assert_eq!(serving.ask("PUT", &format!("/workflows/{id}"), file).status, 200);
}

fn start(serving: &Serving, id: &str, params: &Value) -> String {
    let answer: Answer = serving.ask("POST", "/workflow/run", &json!({ "workflow": id, "params": params }));
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["runId"].as_str().expect("an id").to_owned()
}

fn groups(serving: &Serving) -> Vec<Value> {
    rpc(serving, "failure_groups", json!({}))["groups"].as_array().cloned().expect("a list")
}

/// The one group, when so many failures of it are open.
fn group_of(serving: &Serving, open: u64) -> String {
    eventually("the failures", || {
        groups(serving).iter().map(|group| group["open"].as_u64().unwrap_or(0)).sum::<u64>() == open
    });
    let all = groups(serving);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0]["group"].as_str().expect("an id").to_owned()
}

fn ended(serving: &Serving, replay: &str) -> Value {
    let mut found = Value::Null;
    eventually("the end of the replay", || {
        found = rpc(serving, "replay_get", json!({ "replay": replay }));
        !matches!(found["status"].as_str(), Some("running" | "paused"))
    });
    found
}

#[test]
fn failures_that_are_alike_are_one_group_and_one_rule_mends_those_it_fits() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    store(&serving, &flow("orders"));
    for (id, amount) in [(1, json!("12.5")), (2, json!("7")), (3, json!("n/a"))] {
        start(&serving, "orders", &json!({ "id": id, "amount": amount }));
    }
    let group = group_of(&serving, 3);
    let listed = groups(&serving).remove(0);
    assert_eq!((&listed["stepId"], &listed["workflowId"]), (&json!("book"), &json!("orders")), "{listed}");
    assert_eq!(listed["stepTitle"], "Book", "{listed}");
    let details = rpc(&serving, "failure_group", json!({ "group": group }));
    assert_eq!((&details["stepTitle"], &details["shape"][1]), (&json!("Book"), &json!("/amount string")), "{details}");

    // A rule that fits two; nothing is started by looking.
    let rule = json!({ "patch": [{ "op": "replace", "path": "/amount", "value": "=double(item.amount)" }] });
    let members = rpc(&serving, "failure_members", json!({ "group": group }));
    let sample = members["failures"][2]["failure"].clone();
    let preview = rpc(&serving, "failure_preview", json!({ "group": group, "correction": rule, "sample": sample }));
    let fits: Vec<&Value> = preview["tried"].as_array().expect("a list").iter().map(|one| &one["fit"]).collect();
    assert_eq!(fits, ["not", "fits", "fits"], "{preview}");
    let one = rpc(&serving, "failure_preview_one", json!({ "failure": sample, "correction": rule }));
    assert_eq!((&one["before"][0]["amount"], &one["after"][0]["amount"]), (&json!("12.5"), &json!(12.5)), "{one}");
    assert_eq!(rpc(&serving, "run_list", json!({}))["runs"].as_array().map(Vec::len), Some(3));
    // Who may only look starts nothing, and a replay has a reason.
    let refused = serving.ask_as(VIEWER, "POST", &format!("/failures/{group}/replay"), &json!({ "reason": "x" }), &[]);
    assert_eq!(refused.status, 403);
    let request = json!({ "group": group, "correction": rule, "sample": sample, "reason": " " });
    assert_eq!(serving.ask("POST", "/rpc/replay_start", &request).code(), "BAD_REQUEST");

    let request = json!({ "correction": rule, "sample": sample, "reason": "amounts came as text", "rate": 1000 });
    let started = serving.ask("POST", &format!("/failures/{group}/replay"), &request);
    assert_eq!(started.status, 200, "{}", started.body);
    let replay = started.json()["replay"].as_str().expect("an id").to_owned();
    let done = ended(&serving, &replay);
    assert_eq!((&done["status"], &done["started"], &done["refused"]), (&json!("done"), &json!(2), &json!(1)), "{done}");
    eventually("both runs", || rpc(&serving, "replay_get", json!({ "replay": replay }))["completed"] == 2);
    let why = rpc(&serving, "replay_items", json!({ "replay": replay, "state": "refused" }));
    assert!(why["items"][0]["why"].as_str().is_some_and(|why| why.ends_with("not a number.")), "{why}");
    let new = rpc(&serving, "replay_items", json!({ "replay": replay, "state": "started" }))["items"][0].clone();
    let run = rpc(&serving, "run_get", json!({ "runId": new["newRunId"] }));
    assert_eq!((&run["parentRunId"], &run["output"][0]["total"]), (&new["runId"], &json!(25.0)), "{run}");

    // The one that does not fit is still there; a person re-runs it by hand, and the group is empty.
    assert_eq!(group_of(&serving, 1), group);
    let last = rpc(&serving, "failure_members", json!({ "group": group }))["failures"][0].clone();
    let request = json!({ "runId": last["runId"], "stepId": "book", "input": [{ "amount": 0.0, "id": 3 }] });
    rpc(&serving, "run_rerun", request);
    eventually("the empty group", || groups(&serving).is_empty());

    // One reason stands in the chain, and with each run.
    let entries = rpc(&serving, "audit_list", json!({ "query": "event:REPLAY_STARTED" }));
    let whole = rpc(&serving, "audit_get", json!({ "seq": entries["entries"][0]["seq"] }));
    let facts = &whole["entry"]["metadata"];
    assert_eq!((&facts["failures"], &facts["reason"]), (&json!(3), &json!("amounts came as text")), "{entries}");
    drop(serving);
    let listed = place.run(&["audit", "list", "--query", "event:RUN_RERUN", "--json"]).json();
    let of_replay =
        listed.as_array().expect("a list").iter().filter(|one| one["metadata"]["replayId"] == json!(replay));
    assert_eq!(of_replay.count(), 2);
    assert_eq!(place.run(&["audit", "verify", "--json"]).code, 0);
}

#[test]
fn an_open_error_task_belongs_to_its_group_and_three_rules_make_a_proposal() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut file = flow("asks");
    file["settings"] = json!({ "errorPolicy": "safe" });
    store(&serving, &file);
    let rule = json!({ "patch": [{ "op": "replace", "path": "/amount", "value": "=double(item.amount)" }] });
    let mut group = String::new();
    for round in 1..=3 {
        start(&serving, "asks", &json!({ "id": round, "amount": "4" }));
        group = group_of(&serving, 1);
        let members = rpc(&serving, "failure_members", json!({ "group": group }));
        assert!(members["failures"][0]["taskId"].is_string(), "{members}");
        let none = serving.ask("POST", "/rpc/failure_propose", &json!({ "group": group }));
        assert_eq!(none.code(), "NO_SUGGESTION");
        let request = json!({ "group": group, "correction": rule, "reason": "text again" });
        let replay = rpc(&serving, "replay_start", request)["replay"].as_str().expect("an id").to_owned();
        let done = ended(&serving, &replay);
        assert_eq!((&done["started"], &done["completed"]), (&json!(1), &json!(1)), "{done}");
        assert_eq!(rpc(&serving, "task_counts", json!({}))["open"], 0, "the question is superseded");
        assert!(groups(&serving).is_empty());
    }
    let details = rpc(&serving, "failure_group", json!({ "group": group }));
    assert_eq!((&details["suggestion"]["times"], &details["suggestion"]["kind"]), (&json!(3), &json!("data.set")));
    let proposed = rpc(&serving, "failure_propose", json!({ "group": group }));
    let plan = rpc(&serving, "plan_get", json!({ "ref": proposed["ref"] }));
    let step = proposed["stepId"].as_str().expect("an id");
    assert_eq!(
        plan["proposal"]["document"]["nodes"][step]["config"]["assign"]["amount"], "=double(item.amount)",
        "{plan}"
    );
    assert_eq!(serving.ask("GET", "/workflows/asks", &Value::Null).json()["nodes"].get(step), None, "only proposed");
}

#[test]
fn a_killed_server_goes_on_with_its_replay_and_begins_no_run_twice() {
    const RUNS: usize = 60;
    let place = TestHome::new();
    let mut serving = with_roles(&place);
    store(&serving, &flow("many"));
    let originals: BTreeSet<String> =
        (0..RUNS).map(|id| start(&serving, "many", &json!({ "id": id, "amount": "3" }))).collect();
    let group = group_of(&serving, RUNS as u64);
    let rule = json!({ "expression": "{'id': item.id, 'amount': double(item.amount)}" });
    let request = json!({ "group": group, "correction": rule, "reason": "text", "rate": 100, "concurrency": 4 });
    let replay = rpc(&serving, "replay_start", request)["replay"].as_str().expect("an id").to_owned();
    for kill in 1..=3 {
        eventually("some progress", || {
            let now = rpc(&serving, "replay_get", json!({ "replay": replay }));
            now["started"].as_u64().is_some_and(|started| started >= kill * 10)
        });
        serving.child.kill().expect("kill -9");
        serving.child.wait().expect("gone");
        serving = with_roles(&place);
    }
    let done = ended(&serving, &replay);
    assert_eq!((&done["status"], &done["started"]), (&json!("done"), &json!(RUNS)), "{done}");
    eventually("all runs", || rpc(&serving, "replay_get", json!({ "replay": replay }))["completed"] == RUNS);
    let runs = rpc(&serving, "run_list", json!({ "limit": 500 }))["runs"].as_array().cloned().expect("a list");
    let parents: Vec<&str> = runs.iter().filter_map(|run| run["parentRunId"].as_str()).collect();
    assert_eq!(parents.len(), RUNS, "none twice");
    assert_eq!(parents.iter().map(|run| (*run).to_owned()).collect::<BTreeSet<_>>(), originals, "and none lost");

    // Paused, taken back, stopped: what has not begun is in its group again.
    for id in 0..8 {
        start(&serving, "many", &json!({ "id": id, "amount": "3" }));
    }
    group_of(&serving, 8);
    let request = json!({ "group": group, "correction": rule, "reason": "text", "rate": 1, "concurrency": 1 });
    let replay = rpc(&serving, "replay_start", request.clone())["replay"].clone();
    let paused = rpc(&serving, "replay_pause", json!({ "replay": replay }));
    assert_eq!(paused["status"], "paused");
    let again = serving.ask("POST", "/rpc/replay_start", &request);
    assert_eq!(again.code(), "NOTHING_TO_REPLAY", "they wait in the other one: {}", again.body);
    assert_eq!(rpc(&serving, "replay_resume", json!({ "replay": replay }))["status"], "running");
    let stopped = rpc(&serving, "replay_stop", json!({ "replay": replay, "cancelRuns": true }));
    let left = stopped["removed"].as_u64().expect("a number");
    assert!(stopped["status"] == "stopped" && stopped["waiting"] == 0 && left >= 6, "{stopped}");
    let other = rpc(&serving, "replay_start", request)["replay"].clone();
    let undone = rpc(&serving, "replay_undo", json!({ "replay": other }));
    assert!(undone["status"] == "undone" && undone["removed"].as_u64() >= Some(left - 2), "{undone}");
    assert_eq!(serving.ask("POST", "/rpc/replay_resume", &json!({ "replay": other })).code(), "REPLAY_STATE");
}

#[test]
fn a_call_in_a_loop_begins_again_in_its_iteration() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut file = workflow(
        json!({
            "l": { "type": "flow.loop", "config": { "source": "=params.rows" } },
            "b": { "type": "data.set", "parent": "l", "config": { "assign": { "n": "=_item.n * 2.0" } } },
        }),
        json!([]),
    );
    file["id"] = "rows".into();
    file["settings"] = json!({ "errorPolicy": "fail" });
    store(&serving, &file);
    start(&serving, "rows", &json!({ "rows": [{ "n": 1.0 }, { "n": "2" }, { "n": 3.0 }] }));
    let group = group_of(&serving, 1);
    assert_eq!(groups(&serving)[0]["stepId"], "l/b");
    let one = rpc(&serving, "failure_members", json!({ "group": group }))["failures"][0].clone();
    assert_eq!(one["stepId"], "l[1]/b");
    // The input of the workflow is not the step's: a re-run with the same input fails in the same way.
    let request = json!({ "group": group, "correction": {}, "reason": "once more" });
    let replay = rpc(&serving, "replay_start", request)["replay"].as_str().expect("an id").to_owned();
    let done = ended(&serving, &replay);
    assert_eq!((&done["started"], &done["rule"]), (&json!(1), &json!("recorded")), "{done}");
    assert_eq!(group_of(&serving, 1), group, "it is a separate failure");
}
