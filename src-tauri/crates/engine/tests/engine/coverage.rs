//! Error coverage (N1).

use crate::driver::catalog;
use serde_json::{Value, json};
use signalbox_engine::coverage::{self, Score};
use signalbox_model::Workflow;

fn workflow(policy: Value, edges: Value, handling: Value) -> Workflow {
    serde_json::from_value(json!({
        "signalbox": 1, "id": "w", "name": "W", "settings": { "errorPolicy": policy },
        "nodes": {
            "pay": { "type": "t.write", "title": "Pay", "errorHandling": handling },
            "eh": { "type": "builtin.error_handler", "config": { "rules": [
                { "name": "all", "when": "true", "action": "retry" },
                { "name": "late", "when": "error.type == 'Timeout'", "action": "abort" } ] } }
        },
        "edges": edges
    }))
    .expect("a workflow")
}

#[test]
fn n_01_red_ports_are_counted_by_where_they_lead() {
    let edges = json!([{ "from": "pay.error", "to": "eh" }]);
    let wired = coverage::of(&workflow(json!("safe"), edges, json!({})), &catalog());
    assert_eq!(wired.score, Score { wired: 1, policy: 0, total: 1 });
    let codes: Vec<&str> = wired.findings.iter().map(|f| f.code.as_str()).collect();
    // The rules of the handler repeat a POST, and its second rule never decides.
    assert_eq!(codes, ["RETRY_UNSAFE_WRITE", "RULE_UNREACHABLE"]);
    let edges = json!([]);
    let safe = coverage::of(&workflow(json!("safe"), edges.clone(), json!({})), &catalog());
    assert_eq!(safe.score, Score { wired: 0, policy: 1, total: 1 });
    let open = coverage::of(&workflow(json!("fail"), edges, json!({})), &catalog());
    assert_eq!(open.score, Score { wired: 0, policy: 0, total: 1 });
    let fix = open.findings.iter().find(|f| f.code == "RED_PORT_OPEN").and_then(|f| f.fix.clone()).expect("a fix");
    assert_eq!((fix.template, fix.port.as_deref()), (Some("ask"), Some("pay.error")));
}

/// What the button "Ask a person" puts there leaves nothing to find: its own red port leads to an end.
#[test]
fn n_01_what_a_fix_inserts_is_no_new_finding() {
    let fixed = |more: Value| {
        let mut edges = vec![json!({ "from": "pay.error", "to": "ask" }), json!({ "from": "ask.retry", "to": "pay" })];
        edges.extend(more.as_array().cloned().unwrap_or_default());
        serde_json::from_value::<Workflow>(json!({
            "signalbox": 1, "id": "w", "name": "W", "settings": { "errorPolicy": "fail" }, "edges": edges,
            "nodes": { "pay": { "type": "t.write" }, "ask": { "type": "builtin.human_decision" },
                       "end": { "type": "t.fail" } }
        }))
        .expect("a workflow")
    };
    let open = coverage::of(&fixed(json!([])), &catalog());
    assert_eq!(open.findings.iter().map(|f| f.step_id.as_deref()).collect::<Vec<_>>(), [Some("ask")]);
    let led = coverage::of(&fixed(json!([{ "from": "ask.error", "to": "end" }])), &catalog());
    assert_eq!((led.findings, led.score), (vec![], Score { wired: 2, policy: 0, total: 2 }));
}

/// SEMANTICS 4: what a healer could not repair is a task, whatever the policy is.
#[test]
fn n_01_the_open_red_port_of_a_healer_asks_a_person() {
    let document: Workflow = serde_json::from_value(json!({
        "signalbox": 1, "id": "w", "name": "W", "settings": { "errorPolicy": "fail" },
        "nodes": { "pay": { "type": "t.write" }, "heal": { "type": "builtin.self_healing" } },
        "edges": [{ "from": "pay.error", "to": "heal" }, { "from": "heal.success", "to": "pay" }]
    }))
    .expect("a workflow");
    let found = coverage::of(&document, &catalog());
    assert_eq!(found.score, Score { wired: 1, policy: 1, total: 2 });
    let told: Vec<_> = found.findings.iter().map(|one| (one.code.as_str(), one.severity.is_some())).collect();
    assert_eq!(told, [("RED_PORT_POLICY", false)]);
    assert!(found.findings[0].message.contains("become tasks"), "{:?}", found.findings);
}

#[test]
fn n_01_own_retries_of_a_write_are_a_finding_unless_a_key_tells_them_apart() {
    let edges = json!([]);
    let handling = json!({ "retryPolicy": { "maxAttempts": 2 } });
    let mut document = workflow(json!("safe"), edges, handling);
    let found = coverage::of(&document, &catalog());
    let unsafe_write = found.findings.iter().find(|f| f.code == "RETRY_UNSAFE_WRITE").expect("a finding");
    assert_eq!(unsafe_write.fix.as_ref().map(|f| f.edits[0]["value"]["maxAttempts"].clone()), Some(json!(0)));
    // Its fix ends it, also where rules would repeat it: they repeat nothing that has no retry.
    let repeats = |policy: serde_json::Value, retries: serde_json::Value| {
        let found = coverage::of(&workflow(policy, json!([]), retries), &catalog()).findings;
        found.into_iter().find(|f| f.code == "RETRY_UNSAFE_WRITE").map(|f| f.message)
    };
    let rules = json!({ "rules": [{ "name": "r", "when": "true", "action": "retry" }] });
    let by_policy = repeats(rules.clone(), json!({})).expect("a finding");
    assert!(by_policy.ends_with("and the workflow rules may call it again"), "{by_policy}");
    assert_eq!(repeats(rules, json!({ "retryPolicy": { "maxAttempts": 0 } })), None);
    assert_eq!(repeats(json!("safe"), json!({})), None);
    let keyed = document.nodes.get_mut("pay").expect("a step");
    keyed.idempotency_key = Some("{{run.id}}".into());
    // Nobody outside hears of the key of such a step: it repeats what it did.
    assert!(coverage::of(&document, &catalog()).findings.iter().any(|f| f.code == "RETRY_UNSAFE_WRITE"));
    document.nodes.get_mut("pay").expect("a step").kind = "http.request".into();
    assert!(coverage::of(&document, &catalog()).findings.iter().all(|f| f.code != "RETRY_UNSAFE_WRITE"));
}
