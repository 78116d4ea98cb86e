//! Alerts about the health of workflows.

use super::health::{ends, record};
use crate::support::{T0, temporary};
use serde_json::json;
use signalbox_model::{AuditEvent, RunStatus};
use signalbox_store::{HEALTH_ALERTS, Pending, RaisedAlert, TaskNews, Webhook};

#[test]
fn an_alert_is_raised_once_until_it_is_over() {
    let (_folder, store) = temporary();
    let one = Webhook {
        id: "all".into(),
        url: "https://all.example/hook".into(),
        events: vec![TaskNews::WorkflowHealth],
        secret: "desk".into(),
        here: true,
        made_by: "user:anna".into(),
        made_ms: T0,
        failures: 0,
        next_ms: None,
    };
    store.webhook_add(one, 8, record(AuditEvent::WebhookChanged)).expect("is kept");
    ends(&store, "before", RunStatus::Completed, (T0, 1), false);
    assert!(store.health_pending().expect("reads").is_empty(), "nobody set an alert");
    store.setting_set(HEALTH_ALERTS, Some(json!([]))).expect("sets");
    ends(&store, "first", RunStatus::Completed, (T0, 1), false);
    let pending = store.health_pending().expect("reads");
    assert_eq!(pending, [Pending { workflow: "wf".into(), ended: 1 }]);
    // A run that ends meanwhile keeps the workflow on the list.
    ends(&store, "second", RunStatus::Completed, (T0, 1), false);
    store.health_checked(pending[0].clone()).expect("is noted");
    let pending = store.health_pending().expect("reads");
    assert_eq!(pending[0].ended, 2);
    store.health_checked(pending[0].clone()).expect("is noted");
    assert!(store.health_pending().expect("reads").is_empty());
    let alert =
        RaisedAlert { alert: "a".into(), workflow: "wf".into(), at_ms: T0, facts: json!({ "state": "raised" }) };
    let raise = |at_ms: i64| {
        store
            .health_raise(RaisedAlert { at_ms, ..alert.clone() }, record(AuditEvent::HealthAlertRaised))
            .expect("writes")
    };
    assert_eq!([raise(T0), raise(T0 + 1)], [true, false]);
    assert_eq!(store.health_raised().expect("reads"), std::slice::from_ref(&alert));
    let clear = || store.health_clear(alert.clone(), record(AuditEvent::HealthAlertCleared)).expect("writes");
    assert_eq!([clear(), clear()], [true, false]);
    assert!(raise(T0 + 2));
    assert_eq!(store.webhook_log(Some("all"), 100).expect("reads").len(), 3);
    store.health_forget("a").expect("forgets");
    assert!(store.health_raised().expect("reads").is_empty());
}
