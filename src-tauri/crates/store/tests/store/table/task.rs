use crate::people::{answer, ask, asked, asking, escalate, new_task};
use crate::support::{T0, commit, count, end, print, raw, started, temporary};
use serde_json::json;
use signalbox_model::task::{ExpiryAction, HumanTaskContinued, HumanTaskHeld, OnExpiry};
use signalbox_model::{DurableInput, Origin, TaskAction, TaskState, time};
use signalbox_store::audit::Record;
use signalbox_store::{RunCommit, TaskAct, TaskChange, TaskQuery, TaskRow, TaskScope, TaskSort, TaskView};
use std::time::Instant;

fn ids(rows: &[TaskRow]) -> Vec<&str> {
    rows.iter().map(|row| row.id.as_str()).collect()
}

fn query(view: TaskView) -> TaskQuery {
    let (now_ms, day_end_ms) = (T0 + 1_000, T0 + 10_000);
    TaskQuery { view, person: "user:anna".into(), now_ms, day_end_ms, ..TaskQuery::default() }
}

fn entry(run: &str) -> Record {
    crate::people::record("TASK_CHANGED", run, json!({}))
}

#[test]
fn a_task_is_about_the_failed_step_and_asked_by_another() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let mut created = ask("t", json!({"a": 1}));
    created.origin =
        Some(Origin { step_id: "fetch".into(), path: Some("loop[2]".into()), item: Some(3), visit: 2, attempt: 1 });
    asked(&store, "r", &owner, 2, created.clone());
    let record = store.task_record("t").expect("reads").expect("is there");
    let row = &record.row;
    assert_eq!((row.step.as_str(), row.node.as_str(), row.path.as_deref()), ("ask", "fetch", Some("loop[2]")));
    assert_eq!((row.item, row.visit, row.attempt, row.revision, row.same), (Some(3), 2, 1, 1, 1));
    assert_eq!((row.workflow_id.as_str(), row.workflow_name.as_str()), ("wf", "Work"));
    assert_eq!((record.created, record.decision), (created, None));
    assert_eq!(store.open_tasks_of("r").expect("reads"), ["t"]);
    assert_eq!(store.task("nope").expect("reads"), None);
}

#[test]
fn views_and_counts_agree() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let mut seq = 2;
    let mut add = |id: &str, priority: u8, expires: Option<i64>, assignee: Option<&str>| {
        let mut created = ask(id, json!(1));
        created.priority = priority;
        created.expires_at = expires.map(time::format);
        created.assignee = assignee.map(str::to_owned);
        created.fingerprint = if id < "d" { "same".into() } else { id.into() };
        created.title = if id == "d" { "Überweisung prüfen".into() } else { format!("Look at {id}") };
        asked(&store, "r", &owner, seq, created);
        seq += 1;
    };
    add("a", 50, None, Some("user:anna"));
    add("b", 90, Some(T0 + 500), None);
    add("c", 50, Some(T0 + 5_000), Some("user:bob"));
    add("d", 10, Some(T0 + 50_000), None);
    add("e", 50, None, None);
    let act =
        |id: &str, act: TaskAct| store.act_on_task(id, act, "user:anna", None, T0 + 900, entry("r")).expect("acts");
    act("d", TaskAct::Claim);
    act("e", TaskAct::Snooze { until_ms: T0 + 2_000 });
    let list = |view| {
        let page = store.tasks(&query(view)).expect("lists");
        assert_eq!((page.total, page.next.as_ref()), (page.tasks.len() as u64, None));
        ids(&page.tasks).join(" ")
    };
    // Overdue, due today, then by priority.
    assert_eq!(list(TaskView::Any), "b c a e d");
    assert_eq!(list(TaskView::Awake), "b c a d");
    assert_eq!(list(TaskView::Mine), "a d");
    assert_eq!(list(TaskView::Unassigned), "b");
    assert_eq!(list(TaskView::DueToday), "c");
    assert_eq!(list(TaskView::Overdue), "b");
    assert_eq!(list(TaskView::Snoozed), "e");
    let counts = store.task_counts(&query(TaskView::Any)).expect("counts");
    let six = (counts.open, counts.mine, counts.unassigned, counts.due_today, counts.overdue, counts.snoozed);
    assert_eq!(six, (5, 2, 1, 1, 1, 1));
    assert_eq!(counts.by_workflow, [("wf".into(), "Work".into(), 5)]);
    assert_eq!(counts.by_fingerprint, [("same".into(), "Look at c".into(), 3)]);
    assert_eq!(store.task("a").expect("reads").expect("there").same, 3);
    let found = |query: TaskQuery| ids(&store.tasks(&query).expect("lists").tasks).join(" ");
    assert_eq!(found(TaskQuery { text: Some("AT C".into()), ..query(TaskView::Any) }), "c");
    assert_eq!(found(TaskQuery { text: Some("üBERWEISUNG PRÜ".into()), ..query(TaskView::Any) }), "d");
    assert_eq!(found(TaskQuery { fingerprint: Some("d".into()), ..query(TaskView::Any) }), "d");
    assert_eq!(found(TaskQuery { run: Some("x".into()), ..query(TaskView::Any) }), "");
    store.answer_task(answer("a", "r", "user:anna")).expect("answers");
    assert_eq!(found(TaskQuery { scope: TaskScope::Done, ..query(TaskView::Any) }), "a");
    assert_eq!(found(TaskQuery { scope: TaskScope::All, ..query(TaskView::Any) }), "e d c b a");
    assert_eq!(store.task_counts(&query(TaskView::Any)).expect("counts").done, 1);
}

/// 10,000 open tasks: each task stands on one page, a page is found fast (the limit of the design is 10 ms).
#[test]
fn ten_thousand_tasks_are_a_list() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let mut tasks = Vec::new();
    for n in 0..10_000_u32 {
        let mut created = ask(&format!("t{n:05}"), json!({"n": n, "text": "x".repeat(300)}));
        created.priority = u8::try_from(n % 7 * 10).expect("small");
        let mut new = new_task(created);
        new.created_ms = T0 + i64::from(n % 50);
        tasks.push(TaskChange::Create(Box::new(new)));
    }
    store.commit(RunCommit { tasks, ..commit("r", &owner, vec![print("r", 2, json!(1))]) }).expect("commits");
    let mut seen = std::collections::BTreeSet::new();
    let mut last = u8::MAX;
    let mut slowest = 0;
    let mut asked = TaskQuery { limit: 200, ..query(TaskView::Any) };
    loop {
        let before = Instant::now();
        let page = store.tasks(&asked).expect("lists");
        slowest = slowest.max(before.elapsed().as_micros());
        assert_eq!(page.total, 10_000);
        for row in page.tasks {
            assert!(row.priority <= last);
            last = row.priority;
            assert!(seen.insert(row.id));
        }
        match page.next {
            Some(next) => asked.after = Some(next),
            None => break,
        }
    }
    assert_eq!(seen.len(), 10_000);
    println!("slowest page of 200 among 10,000 open tasks: {slowest} µs");
    let plan = raw(folder.path())
        .prepare(
            "EXPLAIN QUERY PLAN SELECT * FROM task WHERE state = 'open' ORDER BY priority DESC, created_ms, id LIMIT 9",
        )
        .and_then(|mut statement| statement.query_row([], |row| row.get::<_, String>(3)))
        .expect("plans");
    assert!(plan.contains("task_open"), "{plan}");
}

/// D2.1: by the end of their time, those without one last; each on one page, by the index.
#[test]
fn open_tasks_are_listed_by_their_deadline() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let mut tasks = Vec::new();
    for n in 0..300_i64 {
        let mut created = ask(&format!("t{n:03}"), json!(n));
        created.priority = u8::try_from(n % 7 * 10).expect("small");
        created.expires_at = (n % 3 > 0).then(|| time::format(T0 + 60_000 * (n * 7 % 50)));
        let mut new = new_task(created);
        new.created_ms = T0 + n % 5;
        tasks.push(TaskChange::Create(Box::new(new)));
    }
    store.commit(RunCommit { tasks, ..commit("r", &owner, vec![print("r", 2, json!(1))]) }).expect("commits");
    let mut seen = Vec::new();
    let mut asked = TaskQuery { limit: 20, sort: TaskSort::Due, ..query(TaskView::Any) };
    loop {
        let page = store.tasks(&asked).expect("lists");
        let keys = page.tasks.iter().map(|row| (row.expires_ms.unwrap_or(i64::MAX), row.created_ms, row.id.clone()));
        seen.extend(keys);
        match page.next {
            Some(next) => asked.after = Some(next),
            None => break,
        }
    }
    let mut sorted = seen.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!((seen.len(), &seen), (300, &sorted));
    let plan = raw(folder.path())
        .prepare(
            "EXPLAIN QUERY PLAN SELECT * FROM task WHERE state = 'open' \
             ORDER BY coalesce(expires_ms, 9223372036854775807), created_ms, id LIMIT 9",
        )
        .and_then(|mut statement| statement.query_row([], |row| row.get::<_, String>(3)))
        .expect("plans");
    assert!(plan.contains("task_deadline"), "{plan}");
}

#[test]
fn done_and_all_page_by_their_own_keys() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    for n in 0..5 {
        asked(&store, "r", &owner, n + 2, ask(&format!("t{n}"), json!(1)));
        let mut answered = answer(&format!("t{n}"), "r", "user:anna");
        answered.at_ms = T0 + 100 - i64::try_from(n).expect("small");
        store.answer_task(answered).expect("answers");
    }
    for (scope, expected) in [(TaskScope::Done, "t0 t1 t2 t3 t4"), (TaskScope::All, "t4 t3 t2 t1 t0")] {
        let mut found = Vec::new();
        let mut asked = TaskQuery { scope, limit: 2, ..query(TaskView::Any) };
        loop {
            let page = store.tasks(&asked).expect("lists");
            found.extend(page.tasks.into_iter().map(|row| row.id));
            match page.next {
                Some(next) => asked.after = Some(next),
                None => break,
            }
        }
        assert_eq!(found.join(" "), expected);
    }
    let bad = TaskQuery { after: Some("x".into()), ..query(TaskView::Any) };
    assert_eq!(store.tasks(&bad).expect_err("no page").code(), "BAD_PAGE");
}

/// TS-014, TS-041: what is due is found without a process that remembered it.
#[test]
fn reminders_and_ends_are_due_again_and_again() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let mut created = ask("t", json!(1));
    created.remind_every_ms = Some(1_000);
    created.expires_at = Some(time::format(T0 + 2_500));
    created.on_expiry = Some(OnExpiry::Action(ExpiryAction::Escalate));
    asked(&store, "r", &owner, 2, created);
    let change = |seq: u64, change: TaskChange| {
        let next = RunCommit { tasks: vec![change], ..commit("r", &owner, vec![print("r", seq, json!(1))]) };
        store.commit(next).expect("commits");
        store.next_due_task().expect("reads").map(|due| due - T0)
    };
    let reminded = |reminder| TaskChange::Reminded { task_id: "t".into(), reminder, at_ms: T0 + 1_000 };
    assert_eq!(store.next_due_task().expect("reads"), Some(T0 + 1_000));
    let seen = store.task("t").expect("reads").expect("there").revision;
    assert_eq!(change(3, reminded(1)), Some(2_000));
    assert_eq!(change(4, reminded(2)), Some(2_500));
    let row = store.task("t").expect("reads").expect("there");
    assert_eq!((row.reminders, row.revision), (2, seen), "who is deciding is not told that the task is another one");
    assert_eq!(change(5, escalate("t", "group:leads", T0 + 9_000)), Some(3_000));
    let row = store.task("t").expect("reads").expect("there");
    assert_eq!((row.state, row.escalation_level, row.escalates), (TaskState::Open, 1, false));
    assert_eq!((row.candidate_groups, row.assignee), (vec!["group:leads".to_owned()], None));
    let due = |now| store.runs_with_pending_input_or_due(T0 + now).expect("reads");
    assert_eq!(due(3_000), Vec::<String>::new(), "this process drives it");
    store.release("r", &owner).expect("releases");
    assert_eq!((due(2_999), due(3_000)), (vec![], vec!["r".to_owned()]));
    store.answer_task(answer("t", "r", "user:anna")).expect("answers");
    assert_eq!(due(0), ["r"], "its input waits");
    assert_eq!(store.next_due_task().expect("reads"), None);
    let owner = store.take_over("r").expect("takes").expect("is free");
    let input = store.pending_inputs("r").expect("reads").remove(0);
    let Some(DurableInput::Decision { task_id, answer: given, .. }) = input.body else { panic!("{input:?}") };
    assert_eq!((task_id.as_str(), given.operator_id.as_deref()), ("t", Some("user:anna")));
    let consumed = RunCommit { consumed_inputs: vec![input.id], ..commit("r", &owner, vec![print("r", 6, json!(1))]) };
    store.commit(consumed).expect("commits");
    store.release("r", &owner).expect("releases");
    assert_eq!(due(9_999), Vec::<String>::new());
}

/// A policy and a person at the same moment: whoever is written first stands, the other one writes nothing.
#[test]
fn a_policy_does_not_overrule_a_person() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    asked(&store, "r", &owner, 2, ask("t", json!(1)));
    store.answer_task(answer("t", "r", "user:anna")).expect("answers");
    let policy = signalbox_model::task::Answer::by_policy(TaskAction::Abort);
    let decided = |answer| TaskChange::Answered { task_id: "t".into(), answer, at_ms: T0 + 6_000 };
    for change in [decided(policy.clone()), escalate("t", "user:bob", T0 + 9_000)] {
        let next = RunCommit { tasks: vec![change], ..commit("r", &owner, vec![print("r", 3, json!(1))]) };
        let error = store.commit(next).expect_err("is refused");
        assert_eq!(signalbox_store::StoreError::from(error).code(), "TASK_DECIDED");
    }
    assert_eq!(store.run("r").expect("reads").last_seq, 2, "nothing of the commit was written");
    let same = RunCommit {
        tasks: vec![decided(answer("t", "r", "user:anna").answer)],
        ..commit("r", &owner, vec![print("r", 3, json!(1))])
    };
    store.commit(same).expect("the answer that the run consumed is the one that stands");
    asked(&store, "r", &owner, 4, ask("u", json!(1)));
    let next = TaskChange::Answered { task_id: "u".into(), answer: policy, at_ms: T0 + 1 };
    store
        .commit(RunCommit { tasks: vec![next], ..commit("r", &owner, vec![print("r", 5, json!(1))]) })
        .expect("commits");
    let row = store.task("u").expect("reads").expect("there");
    assert_eq!((row.state, row.decided_by, row.action), (TaskState::Expired, None, Some(TaskAction::Abort)));
}

#[test]
fn an_ended_run_closes_its_tasks_and_a_deleted_one_takes_them_along() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    asked(&store, "r", &owner, 2, ask("t", json!("x".repeat(9_000))));
    store.issue_task_secret("t", T0).expect("issues").expect("is open");
    let close = TaskChange::CloseAll { state: TaskState::Cancelled, at_ms: T0 + 7 };
    let next = RunCommit { tasks: vec![close], ..commit("r", &owner, vec![print("r", 3, json!(1))]) };
    store.commit(next).expect("commits");
    let error = store.answer_task(answer("t", "r", "user:anna")).expect_err("is closed");
    assert_eq!(error.to_string(), "This task is cancelled: its run does not wait for it any more");
    end(&store, "r", &owner, 4);
    crate::support::delete(&store, "r").expect("deletes");
    for table in ["task", "task_body", "task_history", "task_token", "blob"] {
        assert_eq!(count(folder.path(), &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_entry"), 2, "its entries stay");
}

#[test]
fn a_task_of_another_run_is_not_changed() {
    let (_folder, store) = temporary();
    let (one, two) = (started(&store, "one"), started(&store, "two"));
    asked(&store, "one", &one, 2, ask("t", json!(1)));
    let close = TaskChange::CloseOne { task_id: "t".into(), state: TaskState::Cancelled, at_ms: T0 };
    let next = RunCommit { tasks: vec![close], ..commit("two", &two, vec![print("two", 2, json!(1))]) };
    assert!(store.commit(next).is_err());
    let again = asking("two", &two, 2, ask("t", json!(1)));
    assert!(store.commit(again).is_err(), "an id is used once");
    assert_eq!(store.task("t").expect("reads").expect("there").state, TaskState::Open);
}

/// D2.8: what a person stopped does not expire, whatever a run decides that has not heard of it.
#[test]
fn ux_d2_8_a_task_that_waits_for_somebody_else_does_not_expire() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let mut created = ask("t", json!(1));
    created.expires_at = Some(time::format(T0 + 5_000));
    created.on_expiry = Some(OnExpiry::Action(ExpiryAction::Abort));
    created.remind_at = vec![time::format(T0 + 2_500), time::format(T0 + 4_500)];
    asked(&store, "r", &owner, 2, created);
    let hold = |held, at_ms| {
        store.act_on_task("t", TaskAct::Hold { held }, "user:anna", Some("The supplier".into()), at_ms, entry("r"))
    };
    assert_eq!(store.next_due_task().expect("reads"), Some(T0 + 2_500));
    let row = hold(true, T0 + 1_000).expect("stands still");
    assert_eq!((row.held_ms, row.is_over(T0 + 9_000)), (Some(T0 + 1_000), false));
    assert_eq!(store.next_due_task().expect("reads"), None);
    // Again is no news.
    hold(true, T0 + 1_500).expect("the same");
    let inputs = store.pending_inputs("r").expect("reads");
    assert_eq!(inputs.len(), 1);
    let asked =
        DurableInput::Hold { task_id: "t".into(), held: true, operator_id: "user:anna".into(), at_ms: T0 + 1_000 };
    assert_eq!(inputs[0].body, Some(asked));
    let expire = RunCommit { tasks: vec![escalate("t", "group:seniors", T0 + 9_000)], ..commit("r", &owner, vec![]) };
    assert!(matches!(
        store.commit(expire),
        Err(signalbox_store::CommitError::Store(signalbox_store::StoreError::TaskDecided { .. }))
    ));
    let told = |change| RunCommit { tasks: vec![change], ..commit("r", &owner, vec![]) };
    let held = HumanTaskHeld {
        task_id: "t".into(),
        origin: None,
        held_at: time::format(T0 + 1_000),
        remaining_ms: Some(4_000),
        operator_id: "user:anna".into(),
    };
    store.commit(told(TaskChange::Held { change: held })).expect("hears");
    let row = store.task("t").expect("reads").expect("is there");
    assert_eq!((row.expires_ms, row.remaining_ms), (None, Some(4_000)));
    hold(false, T0 + 60_000).expect("goes on");
    let continued = HumanTaskContinued {
        task_id: "t".into(),
        origin: None,
        continued_at: time::format(T0 + 60_000),
        expires_at: Some(time::format(T0 + 64_000)),
        remind_at: vec![time::format(T0 + 63_500)],
        waited_ms: 59_000,
        operator_id: "user:anna".into(),
    };
    store.commit(told(TaskChange::Continued { change: continued })).expect("hears");
    let row = store.task("t").expect("reads").expect("is there");
    assert_eq!((row.held_ms, row.expires_ms, row.waited_ms), (None, Some(T0 + 64_000), 59_000));
    assert_eq!(store.next_due_task().expect("reads"), Some(T0 + 63_500));
    let told: Vec<String> =
        store.task_record("t").expect("reads").expect("is there").history.into_iter().map(|note| note.what).collect();
    assert_eq!(told, ["created", "held", "continued"]);
    assert!(hold(true, T0 + 64_000).is_err(), "what is over does not stand still");
}
