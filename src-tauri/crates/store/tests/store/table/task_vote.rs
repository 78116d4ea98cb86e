use crate::people::{answer, ask, asked};
use crate::support::{count, new_run, temporary};
use serde_json::json;
use signalbox_model::{TaskAction, TaskKind, TaskState};
use signalbox_store::audit::verify::Verdict;
use signalbox_store::{AnswerTask, Store, TaskError};

fn approval(store: &Store, wanted: u32, no_self: bool) {
    let mut run = new_run("r");
    run.origin.person = Some("user:anna".into());
    let owner = store.create_run(run).expect("is created");
    let mut created = ask("t", json!({"amount": 10}));
    created.kind = TaskKind::Approval;
    created.allowed_actions = vec![TaskAction::Approve, TaskAction::Reject];
    created.min_approvals = Some(wanted);
    created.no_self_approval = no_self;
    asked(store, "r", &owner, 2, created);
}

fn says(person: &str, action: TaskAction, request: &str) -> AnswerTask {
    let mut given = answer("t", "r", person);
    given.answer.action = action;
    given.request_id = Some(request.into());
    given
}

/// D2.9: two people approve, each once; the run hears of it when the second has.
#[test]
fn two_people_approve() {
    let (folder, store) = temporary();
    approval(&store, 2, true);
    let approve = |person: &str, request: &str| store.answer_task(says(person, TaskAction::Approve, request));
    assert_eq!(approve("user:anna", "q0"), Err(TaskError::SelfApproval));
    let first = approve("user:bob", "q1").expect("counts");
    assert_eq!((first.state, first.approvals, first.min_approvals), (TaskState::Open, 1, 2));
    let inputs = || count(folder.path(), "SELECT count(*) FROM run_input");
    assert_eq!(inputs(), 0, "the run waits");
    let again = approve("user:bob", "q1").expect("is the same request");
    assert_eq!((again.repeated, again.approvals), (true, 1));
    assert!(matches!(approve("user:bob", "q2"), Err(TaskError::AlreadyVoted { .. })));
    let row = store.task("t").expect("reads").expect("is there");
    assert_eq!((row.approvals, row.revision, row.state), (1, 2, TaskState::Open));
    let second = approve("user:cleo", "q3").expect("decides");
    assert_eq!((second.state, second.approvals, inputs()), (TaskState::Done, 2, 1));
    let record = store.task_record("t").expect("reads").expect("is there");
    assert_eq!((record.row.approvals, record.starter.as_deref()), (2, Some("user:anna")));
    let people: Vec<&str> = record.votes.iter().map(|vote| vote.person.as_str()).collect();
    assert_eq!(people, ["user:bob", "user:cleo"]);
    let told: Vec<&str> = record.history.iter().map(|note| note.what.as_str()).collect();
    assert_eq!(told, ["created", "approved", "decided"]);
    let entries = |event: &str| {
        let sql = format!("SELECT count(*) FROM audit_entry WHERE entry ->> '$.event' = '{event}'");
        count(folder.path(), &sql)
    };
    assert_eq!((entries("HITL_VOTED"), entries("HITL_COMPLETED")), (1, 1), "one entry for each person's decision");
    let verdict = store.audit_verify(Vec::new(), Vec::new(), None).expect("reads");
    assert!(matches!(verdict, Verdict::Intact(_)));
}

/// D2.9: one rejection is enough, also of who started the run or has approved before.
#[test]
fn one_rejection_rejects() {
    for person in ["user:anna", "user:bob", "user:cleo"] {
        let (_folder, store) = temporary();
        approval(&store, 3, true);
        store.answer_task(says("user:bob", TaskAction::Approve, "q1")).expect("counts");
        let told = store.answer_task(says(person, TaskAction::Reject, "q2")).expect("rejects");
        assert_eq!(told.state, TaskState::Done, "{person}");
        let row = store.task("t").expect("reads").expect("is there");
        assert_eq!((row.action, row.approvals), (Some(TaskAction::Reject), 1));
    }
}

/// Fault 14 with several eyes: two people at once make exactly one decision.
#[test]
fn two_at_once_make_one_decision() {
    let (folder, store) = temporary();
    approval(&store, 2, false);
    let start = std::sync::Barrier::new(4);
    let told: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = ["user:anna", "user:bob", "user:anna", "user:bob"]
            .into_iter()
            .map(|person| {
                let (store, start) = (&store, &start);
                scope.spawn(move || {
                    start.wait();
                    store.answer_task(says(person, TaskAction::Approve, person))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("answers")).collect()
    });
    let fresh: Vec<_> = told.iter().filter_map(|one| one.as_ref().ok().filter(|one| !one.repeated)).collect();
    assert_eq!(fresh.iter().filter(|one| one.state == TaskState::Done).count(), 1, "{told:?}");
    assert_eq!(fresh.len(), 2, "{told:?}");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run_input"), 1);
}
