use super::{Reached, changes, follows, pause};
use serde_json::json;
use signalbox_model::NodeFailure;
use signalbox_store::{TaskCopy, TaskDestination, TaskRules};

const NOW: i64 = 1_764_331_200_000;

fn destination() -> TaskDestination {
    TaskDestination {
        id: "d".into(),
        name: "Jira".into(),
        rules: TaskRules::default(),
        config: "{}".into(),
        here: false,
        made_by: "user:anna".into(),
        made_ms: 0,
        failures: 0,
        next_ms: None,
        opened: 0,
    }
}

fn copy(tried_ms: Option<i64>, since_ms: i64) -> TaskCopy {
    TaskCopy {
        id: "c".into(),
        destination: "d".into(),
        task: "t".into(),
        wanted: "{}".into(),
        sent: None,
        remote: None,
        external_id: None,
        creating_ms: None,
        closed: false,
        attempts: 0,
        since_ms: Some(since_ms),
        due_ms: Some(0),
        tried_ms,
        error: None,
        note: None,
        opened: 0,
    }
}

#[test]
fn a_service_says_when_it_is_asked_again_and_a_day_is_the_end() {
    assert_eq!((pause(0, 3_600_000, None), pause(30, 3_600_000, None)), (10_000, 3_600_000));
    assert_eq!(pause(0, 3_600_000, Some(900_000)), 900_000);
    let limited = NodeFailure::tool("RATE_LIMITED", "Too many requests").detail("retryAfterMs", 900_000);
    let tried = follows(&destination(), &copy(None, NOW), NOW, &Reached::default(), Some(&limited));
    assert_eq!((tried.again_ms, tried.next_ms), (Some(NOW + 900_000), Some(NOW + 300_000)));
    assert_eq!(tried.error.as_deref(), Some("Too many requests (RATE_LIMITED)"));
    let day = 86_400_000;
    let late = follows(&destination(), &copy(Some(NOW - 1_000), NOW - day), NOW, &Reached::default(), Some(&limited));
    assert_eq!(late.again_ms, None);
    // A machine that slept gives nothing up with its first attempt.
    let slept = follows(&destination(), &copy(Some(NOW - day), NOW - day), NOW, &Reached::default(), Some(&limited));
    assert!(slept.again_ms.is_some());
}

#[test]
fn what_has_changed_is_named() {
    let sent = json!({ "priority": 1, "assignee": "user:a", "title": "x" }).to_string();
    let wanted = json!({ "priority": 2, "assignee": "user:a", "title": "x", "state": "open" });
    assert_eq!(changes(Some(&sent), &wanted), ["priority", "state"]);
    assert_eq!(changes(None, &wanted), Vec::<String>::new());
}
