//! What models cost, with the real program and a peer that says how many tokens each answer has.

#[path = "support/model_peer.rs"]
mod model_peer;
mod support;

use model_peer::Peer;
use serde_json::{Value, json};
use support::Box;

fn kept(place: &Box, name: &str, text: &str) -> String {
    place.file(name, text).to_str().expect("a plain path").to_owned()
}

/// A million tokens cost 0.5 and 2, so that an answer of the peer costs 700 millionths.
fn with_prices(place: &Box, peer: &Peer) {
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
    let (place, peer) = (Box::new(), Peer::start(None));
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
