//! What models cost, with the real program and a peer that says how many tokens each answer has.

use crate::model_peer;
use crate::provider;
use crate::support;

use model_peer::Peer;
use serde_json::{Value, json};
use support::TestHome;

fn kept(place: &TestHome, name: &str, text: &str) -> String {
    place.file(name, text).to_str().expect("a plain path").to_owned()
}

/// A million tokens cost 0.5 and 2, so that an answer of the peer costs 700 millionths.
fn with_prices(place: &TestHome, peer: &Peer) {
    let set = ["models", "set", "house", "--kind", "openai", "--url", &peer.base, "--model", "small=0.5/2"];
    assert_eq!(place.run(&set).code, 0);
}

/// Two questions, one after the other.
fn questions(settings: &Value, model: &str) -> String {
    let ask = |prompt: &str| json!({ "type": "llm.chat", "config": { "prompt": prompt, "provider": "house", "model": model } });
    json!({
        "signalbox": 1, "id": "asks", "name": "Asks", "settings": settings,
        "nodes": { "first": ask("One"), "second": ask("Two") },
        "edges": [{ "from": "first.success", "to": "second" }],
    })
    .to_string()
}

#[test]
fn b_24_what_a_run_and_its_steps_cost_is_told_by_stored_prices() {
    let (place, peer) = (TestHome::new(), Peer::start(None));
    with_prices(&place, &peer);
    let file = kept(&place, "asks.json", &questions(&json!({}), "small"));
    let run = place.run(&["run", &file, "--json"]).json();
    assert_eq!(run["status"], "completed", "{run}");
    let run_id = run["runId"].as_str().expect("an id");

    let usage = place.run(&["runs", "usage", run_id, "--json"]).json();
    assert_eq!(
        usage["total"],
        json!({
            "calls": 2, "inputTokens": 2_000, "outputTokens": 200, "thinkingTokens": 0, "costMicros": 1_400, "unpriced": 0,
        })
    );
    let steps: Vec<_> =
        usage["steps"].as_array().expect("a list").iter().map(|s| (&s["stepId"], &s["usage"]["costMicros"])).collect();
    assert_eq!(steps, [(&json!("first"), &json!(700)), (&json!("second"), &json!(700))]);
    assert!(place.run(&["runs", "usage", run_id]).out.contains("0.0014"));

    // A re-run pays its own questions: what it keeps was paid by its original.
    let again = place.run(&["rerun", run_id, "--from", "second", "--json"]).json();
    let usage = place.run(&["runs", "usage", again["runId"].as_str().expect("an id"), "--json"]).json();
    assert_eq!((&usage["total"]["calls"], &usage["total"]["costMicros"]), (&json!(1), &json!(700)));

    // A model without a price has tokens only, and says so.
    let file = kept(&place, "big.json", &questions(&json!({}), "big"));
    assert_eq!(place.run(&["run", &file, "--json"]).json()["status"], "completed");
    let usage = place.run(&["models", "usage", "--json"]).json();
    assert_eq!(
        (&usage["total"]["calls"], &usage["total"]["costMicros"], &usage["total"]["unpriced"]),
        (&json!(5), &json!(2_100), &json!(2))
    );
    assert_eq!(usage["days"][0]["usage"], usage["today"]);
    assert_eq!(usage["workflows"][0]["workflowId"], "asks");
    assert!(place.run(&["models", "usage", "--days", "1"]).out.contains("0.0021 and 2 calls without a price"));
    assert_eq!(peer.seen.lock().expect("no panic").len(), 5, "each question was put once");
    assert_eq!(place.run(&["runs", "usage", "nope"]).code, 2);
}

/// The only open task of a run.
fn task(place: &TestHome, run_id: &str) -> Value {
    let tasks = place.run(&["tasks", "list", "--json"]).json();
    let mine = |task: &&Value| task["runId"] == run_id;
    tasks.as_array().expect("a list").iter().find(mine).expect("a task").clone()
}

#[test]
fn n_09_a_budget_that_is_used_up_is_an_error_and_a_person_approves_more() {
    let (place, peer) = (TestHome::new(), Peer::start(None));
    with_prices(&place, &peer);
    // One answer costs 700 millionths: the second question is not put.
    let settings = json!({ "errorPolicy": "safe", "budget": { "perRun": 0.0005 } });
    let file = kept(&place, "asks.json", &questions(&settings, "small"));
    let run = place.run(&["run", &file, "--json"]);
    assert_eq!((run.code, &run.json()["status"]), (3, &json!("paused")), "{}", run.out);
    let run_id = run.json()["runId"].as_str().expect("an id").to_owned();
    let asked = || peer.seen.lock().expect("no panic").len();
    assert_eq!(asked(), 1);

    let open = task(&place, &run_id);
    let id = open["id"].as_str().expect("an id").to_owned();
    let shown = place.run(&["tasks", "show", &id, "--json"]).json();
    let error = &shown["error"];
    assert_eq!((&error["type"], &error["retryable"]), (&json!("LLMError"), &json!(false)), "{shown}");
    assert_eq!(error["suggestedAction"], "human_review");
    assert_eq!(error["details"]["code"], "BUDGET_EXCEEDED");
    assert_eq!(error["details"]["scope"], "run");
    assert_eq!((&error["details"]["limitMicros"], &error["details"]["spentMicros"]), (&json!(500), &json!(700)));
    assert!(error["message"].as_str().expect("words").contains("0.0007 of 0.0005"), "{error}");

    // More budget goes with a retry only; a retry without any is refused again, by a new task.
    let complete = |id: &str, more: &[&str]| place.run(&[&["tasks", "complete", id, "--json"], more].concat());
    assert_eq!(complete(&id, &["--action", "skip", "--budget", "1"]).code, 2);
    assert_eq!(complete(&id, &["--action", "retry", "--budget", "0"]).code, 2);
    assert_eq!(complete(&id, &["--action", "retry"]).code, 0);
    assert_eq!(place.run(&["resume", &run_id, "--json"]).code, 3);
    let again = task(&place, &run_id)["id"].as_str().expect("an id").to_owned();
    assert_ne!(again, id);
    assert_eq!(asked(), 1);

    // Approved: the question is put, after a restart of the program as well, for the approval is in the log.
    let done = complete(&again, &["--action", "retry", "--budget", "0.001", "--as", "user:ada"]);
    assert_eq!(done.code, 0, "{} {}", done.out, done.err);
    let done = place.run(&["resume", &run_id, "--json"]);
    assert_eq!((done.code, &done.json()["status"]), (0, &json!("completed")), "{}", done.out);
    assert_eq!(asked(), 2);
    let entries = place.run(&["audit", "list", "--run", &run_id, "--json"]).out;
    assert_eq!(entries.matches("\"budgetMicros\":1000").count(), 1, "{entries}");
    let events = place.run(&["runs", "events", &run_id]).out;
    assert_eq!(events.matches("\"budgetMicros\":1000").count(), 1);
}

#[test]
fn n_09_a_budget_ends_although_the_provider_tells_no_tokens() {
    let place = TestHome::new();
    let base = provider::listen(|_, _| {
        let said = json!({ "message": { "content": "OK" }, "finish_reason": "stop" });
        ("200 OK", json!({ "choices": [said] }))
    });
    let set = ["models", "set", "house", "--kind", "openai", "--url", &base, "--model", "small=0.5/2"];
    assert_eq!(place.run(&set).code, 0);
    let settings = json!({ "errorPolicy": "fail", "budget": { "perRun": 0.000_01 } });
    let file = kept(&place, "asks.json", &questions(&settings, "small"));
    let run = place.run(&["run", &file, "--events", "--json"]);
    let events = run.lines();
    let done = events.iter().find(|event| event["type"] == "llm_done").expect("one answer");
    assert_eq!(done["payload"]["usage"]["estimated"], true, "{done}");
    assert!(done["payload"]["costMicros"].as_u64().is_some_and(|cost| cost > 10), "{done}");
    let summary = run.last();
    assert_eq!(
        (&summary["failedStepId"], &summary["error"]["details"]["code"]),
        (&json!("second"), &json!("BUDGET_EXCEEDED"))
    );
}

#[test]
fn n_09_a_day_has_a_budget_on_this_machine_and_in_a_workflow() {
    let (place, peer) = (TestHome::new(), Peer::start(None));
    with_prices(&place, &peer);
    let failed = |settings: Value| {
        let file = kept(&place, "asks.json", &questions(&settings, "small"));
        let run = place.run(&["run", &file, "--json"]);
        assert_eq!(run.code, 1, "{}", run.out);
        run.json()["error"]["details"].clone()
    };
    assert_eq!(place.run(&["models", "budget", "0.0021"]).code, 0);
    assert!(place.run(&["models", "budget"]).out.contains("Daily model budget on this machine: 0.0021."));
    let file = kept(&place, "asks.json", &questions(&json!({}), "small"));
    assert_eq!(place.run(&["run", &file]).code, 0);
    // The day has seen 1,400; one more question is paid, the next is not put.
    let details = failed(json!({}));
    assert_eq!((&details["scope"], &details["spentMicros"]), (&json!("day"), &json!(2_100)));
    assert_eq!(details["runSpentMicros"], 700);
    assert_eq!(place.run(&["models", "budget", "--none"]).code, 0);
    let details = failed(json!({ "budget": { "perDay": 0.002 } }));
    assert_eq!((&details["scope"], &details["limitMicros"]), (&json!("workflow_day"), &json!(2_000)));
    assert_eq!(peer.seen.lock().expect("no panic").len(), 3);

    // What is no budget is no workflow; one that cannot be counted is told.
    let file = kept(&place, "bad.json", &questions(&json!({ "budget": { "perRun": "2" } }), "small"));
    assert!(place.run(&["validate", &file]).out.contains("/settings/budget/perRun"));
    let file = kept(&place, "big.json", &questions(&json!({ "budget": { "perRun": 2 } }), "big"));
    assert_eq!(place.run(&["run", &file]).code, 0);
    assert!(place.run(&["models", "budget", "--", "-1"]).code == 2);
}
