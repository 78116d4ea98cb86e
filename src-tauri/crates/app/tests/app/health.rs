//! The health of workflows, and alerts about it.

use crate::common::place;
use serde_json::{Value, json};

fn flow(fails: bool) -> Value {
    let step = if fails {
        json!({ "type": "flow.fail", "config": { "error": { "message": "no" } } })
    } else {
        json!({ "type": "flow.noop" })
    };
    json!({ "signalbox": 1, "id": "orders", "name": "Orders", "nodes": { "step": step }, "edges": [], "settings": { "errorPolicy": "fail" } })
}

#[test]
fn numbers_of_the_runs_of_a_workflow() {
    let place = place();
    assert_eq!(place.ok("health_list", json!({}))["workflows"], json!([]));
    for fails in [false, false, false, true] {
        place.run(&flow(fails), json!({}));
    }
    let list = place.ok("health_list", json!({ "days": 7 }));
    let numbers = &list["workflows"][0]["numbers"];
    assert_eq!((&numbers["runs"], &numbers["failed"], &numbers["errorRate"]), (&json!(4), &json!(1), &json!(0.25)));
    let one = place.ok("health_get", json!({ "workflowId": "orders", "days": 7 }));
    assert_eq!(one["days"].as_array().map(Vec::len), Some(7));
    assert_eq!((&one["days"][6]["completed"], &one["days"][6]["failed"]), (&json!(3), &json!(1)));
    assert_eq!(one["errors"][0]["stepId"], "step");
    assert_eq!((&one["errors"][0]["errors"], &one["errors"][0]["failed"]), (&json!(1), &json!(1)), "{one}");
    assert_eq!(one["workflowName"], "Orders");
    assert_eq!(place.ok("health_get", json!({ "workflowId": "nobody" }))["numbers"]["runs"], 0);
}

#[test]
fn a_workflow_keeps_its_name_when_its_runs_are_deleted() {
    let place = place();
    place.ok("workflow_create", json!({ "name": "Orders" }));
    place.run(&flow(false), json!({}));
    let name = || place.ok("health_list", json!({}))["workflows"][0]["workflowName"].clone();
    assert_eq!(name(), "Orders");
    let listed = || place.ok("workflow_list", json!({}))[0].clone();
    assert_eq!((&listed()["lastRun"]["status"], &listed()["ranBefore"]), (&json!("completed"), &Value::Null));
    let run = place.ok("run_list", json!({}))["runs"][0]["runId"].clone();
    place.ok("run_delete", json!({ "runId": run }));
    assert_eq!((place.ok("run_list", json!({}))["runs"].clone(), name()), (json!([]), json!("Orders")));
    // That it ran is known without its runs.
    let day = listed()["ranBefore"].as_str().expect("a day").to_owned();
    assert_eq!((&listed()["lastRun"], day.len(), &day[4..5]), (&Value::Null, 10, "-"));
}

#[test]
fn an_alert_is_raised_once_and_is_over_when_its_condition_is() {
    let place = place();
    let put = |alert: Value| place.ok("health_alert_put", alert);
    let set = put(json!({ "name": "Failures", "expression": "errorRate > 0.4 && runs >= 2", "days": 1 }));
    let id = set["alerts"][0]["id"].clone();
    assert_eq!(set["raised"], json!([]));
    let raised = || place.ok("health_alerts", json!({}))["raised"].clone();
    let entries = |event: &str| {
        let all = place.ok("audit_list", json!({ "limit": 200 })).to_string();
        all.matches(&format!("\"{event}\"")).count()
    };
    place.run(&flow(true), json!({}));
    assert_eq!(place.app.check_pending_alerts().expect("checks"), 1);
    assert_eq!(raised(), json!([]), "one run is not enough");
    place.run(&flow(true), json!({}));
    place.app.check_pending_alerts().expect("checks");
    let first = raised();
    assert_eq!((&first[0]["name"], &first[0]["workflowName"]), (&json!("Failures"), &json!("Orders")));
    // It stays true: nothing is told again.
    place.run(&flow(true), json!({}));
    place.app.check_pending_alerts().expect("checks");
    assert_eq!((raised(), entries("HEALTH_ALERT_RAISED")), (first, 1));
    assert_eq!(place.ok("health_list", json!({}))["workflows"][0]["alerts"], json!(["Failures"]));
    for _ in 0..5 {
        place.run(&flow(false), json!({}));
    }
    place.app.check_pending_alerts().expect("checks");
    assert_eq!((raised(), entries("HEALTH_ALERT_CLEARED")), (json!([]), 1));
    assert_eq!(place.app.check_pending_alerts().expect("checks"), 0, "nothing has ended since");
    // Another condition is checked at once.
    let set = put(json!({ "id": id, "name": "Runs", "workflowId": "orders", "expression": "runs > 1", "days": 1 }));
    assert_eq!(set["raised"][0]["name"], "Runs");
    assert_eq!(place.ok("health_alert_remove", json!({ "id": id })), json!({ "alerts": [], "raised": [] }));
    assert_eq!(place.code("health_alert_remove", json!({ "id": id })), "NOT_FOUND");
    assert_eq!(
        place.code("health_alert_put", json!({ "name": "x", "expression": "runs >", "days": 1 })),
        "BAD_EXPRESSION"
    );
}
