use crate::people::{answer, ask, asked, record};
use crate::support::{T0, started, temporary};
use serde_json::json;
use signalbox_store::{Delegation, TaskQuery, TaskView};

fn delegation(id: &str, workflow: Option<&str>) -> Delegation {
    Delegation {
        id: id.into(),
        from: "user:anna".into(),
        to: "user:bob".into(),
        starts_ms: T0,
        ends_ms: T0 + 10_000,
        workflow_id: workflow.map(str::to_owned),
        notes: Some("holiday".into()),
        made_by: "user:anna".into(),
        made_ms: T0,
    }
}

/// D2.9: who answers for somebody has their tasks in the own list, for the time and the workflow that was said.
#[test]
fn a_delegation_holds_for_its_time_and_its_workflow() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let mut created = ask("t", json!(1));
    created.assignee = Some("user:anna".into());
    asked(&store, "r", &owner, 2, created);
    let mine = |person: &str, now_ms: i64| {
        let query = TaskQuery { view: TaskView::Mine, person: person.into(), now_ms, ..TaskQuery::default() };
        store.task_total(&query).expect("counts")
    };
    let entry = || record("DELEGATION_CREATED", "$store", json!({}));
    assert_eq!(mine("user:bob", T0 + 1), 0);
    store.delegate(delegation("other", Some("another")), entry()).expect("keeps");
    assert_eq!(mine("user:bob", T0 + 1), 0, "another workflow");
    store.delegate(delegation("d", Some("wf")), entry()).expect("keeps");
    assert_eq!((mine("user:bob", T0 - 1), mine("user:bob", T0), mine("user:bob", T0 + 10_000)), (0, 1, 0));
    assert_eq!((mine("user:anna", T0), mine("user:cleo", T0)), (1, 0));
    assert_eq!(store.delegations_of("user:bob", T0).expect("reads").len(), 2);
    assert_eq!(store.delegations_of("user:bob", T0 + 10_000).expect("reads").len(), 0);

    let told = store.answer_task(answer("t", "r", "user:bob")).expect("answers");
    assert_eq!(told.task_id, "t");
    let decision = store.task_record("t").expect("reads").expect("is there").decision.expect("is decided");
    assert_eq!(decision["onBehalfOf"], "user:anna");
}

#[test]
fn a_delegation_is_ended_once() {
    let (_folder, store) = temporary();
    store.delegate(delegation("d", None), record("DELEGATION_CREATED", "$store", json!({}))).expect("keeps");
    let end = |now| store.end_delegation("d", now, record("DELEGATION_ENDED", "$store", json!({}))).expect("writes");
    assert!(end(T0 + 5));
    assert!(!end(T0 + 6));
    let kept = store.delegation("d").expect("reads").expect("stays");
    assert_eq!((kept.ends_ms, kept.notes.as_deref()), (T0 + 5, Some("holiday")));
    assert!(store.audit_page(&Default::default()).is_ok_and(|page| page.total == 2), "made and ended");
}
