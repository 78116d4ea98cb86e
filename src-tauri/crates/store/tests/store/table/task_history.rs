use crate::people::{answer, ask, asked, record};
use crate::support::{T0, started, temporary};
use serde_json::json;
use signalbox_store::TaskAct;

#[test]
fn everything_that_happens_to_a_task_is_in_its_history_and_in_the_chain() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    asked(&store, "r", &owner, 2, ask("t", json!(1)));
    let act = |act: TaskAct, person: &str, text: Option<&str>| {
        let entry = record("TASK_CHANGED", "r", json!({"taskId": "t"}));
        store.act_on_task("t", act, person, text.map(str::to_owned), T0 + 10, entry).expect("acts").revision
    };
    assert_eq!(act(TaskAct::Claim, "user:anna", None), 2);
    assert_eq!(act(TaskAct::Claim, "user:anna", None), 2, "a heartbeat is no change");
    assert_eq!(act(TaskAct::Comment, "user:bob", Some("look at row 3")), 3);
    assert_eq!(act(TaskAct::Reveal, "user:bob", Some("to call them")), 3);
    assert_eq!(act(TaskAct::Reassign { to: "user:bob".into() }, "user:bob", Some("mine")), 4);
    assert_eq!(act(TaskAct::Snooze { until_ms: T0 + 99_000 }, "user:bob", None), 5);
    store.answer_task(answer("t", "r", "user:bob")).expect("answers");
    let history = store.task_record("t").expect("reads").expect("there").history;
    let told: Vec<String> = history
        .iter()
        .map(|note| format!("{} {} {}", note.by, note.what, note.text.as_deref().unwrap_or("-")))
        .collect();
    assert_eq!(
        told,
        [
            "system created -",
            "user:anna claimed -",
            "user:bob commented look at row 3",
            "user:bob revealed to call them",
            "user:bob reassigned user:bob: mine",
            "user:bob snoozed 2026-11-21T22:39:45.123Z",
            "user:bob decided retry",
        ]
    );
    assert_eq!(store.audit_state().expect("reads").head.size, 1 + 5 + 1);
}
