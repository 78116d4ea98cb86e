use super::{of_entry, of_event};
use serde_json::{Value, json};
use signalbox_model::EventBody;
use signalbox_store::audit::Entry;

fn told(kind: &str, payload: Value) -> String {
    let event = json!({ "runId": "r", "seq": 1, "ts": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload });
    let event: signalbox_model::RunEvent = serde_json::from_value(event).expect("an event");
    let body: &EventBody = &event.body;
    of_event(body)
}

/// D2.5: what happened before a task is read by operators: no identifiers of ours.
#[test]
fn what_happened_is_told_in_words() {
    let ruled = |rule: &str, action: &str| {
        told("error_handled", json!({ "originStepId": "a", "rule": rule, "action": action }))
    };
    assert_eq!(ruled("policy:safe", "human_review"), "The default error handling decided: ask a person.");
    assert_eq!(ruled("policy:Slow", "auto_fix"), "The workflow's rule \"Slow\" decided: repair the input.");
    assert_eq!(ruled("Busy", "retry"), "Rule \"Busy\" decided: retry.");
    let done = |ports: Value| told("step_done", json!({ "ports": ports, "items": {}, "outputs": {} }));
    assert_eq!(done(json!({ "success": 1 })), "The step completed.");
    assert_eq!(done(json!({ "success": 2, "error": 1 })), "The step completed: 2 items succeeded, one item failed.");
    assert_eq!(done(json!({ "true": 1 })), "The step completed: one item left at port \"true\".");
    let escalated = told("escalated", json!({ "taskId": "t", "level": 1, "action": "escalate", "to": "group:lead" }));
    assert_eq!(escalated, "Nobody answered in time; the task was escalated to group lead.");
    let decided = json!({ "taskId": "t", "action": "retry", "operatorId": "user:olga" });
    assert_eq!(told("human_task_completed", decided), "olga decided: retry.");
}

/// A-33: no time ran out where a rule over the records asks for eyes.
#[test]
fn a_rule_that_escalates_is_told_as_a_rule() {
    let told = |facts: Value| {
        let entry = json!({ "v": 1, "logId": "l", "seq": 0, "prevHash": "0".repeat(64), "runId": "r", "nodeId": "n",
            "timestamp": "2026-01-01T00:00:00.000Z", "event": "ESCALATED", "level": "ERROR",
            "actor": { "type": "system" }, "metadata": facts });
        of_entry(&serde_json::from_value::<Entry>(entry).expect("an entry"), None)
    };
    let by_rule = told(json!({ "reason": "audit_rule", "of": "NODE_ERROR" }));
    assert_eq!(by_rule, "An audit rule of the workflow escalated the previous entry");
    assert_eq!(told(json!({ "taskId": "t" })), "Nobody answered in time");
}
