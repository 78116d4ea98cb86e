use crate::people::{answer, ask, asked};
use crate::support::{T0, commit, finish, new_run, temporary};
use serde_json::json;
use signalbox_model::RunStatus;
use signalbox_store::{NewRun, RunCommit, RunEnd, RunQuery, Store};

fn ids(store: &Store, query: &RunQuery) -> Vec<String> {
    store.runs(query).expect("lists").runs.into_iter().map(|run| run.run_id).collect()
}

#[test]
fn pages_are_newest_first_and_meet_without_gap_or_repeat() {
    let (_folder, store) = temporary();
    for index in 0..25_i64 {
        // Several runs start in the same millisecond.
        let new = NewRun { started_ms: T0 + index / 3, ..new_run(&format!("r{index:02}")) };
        store.create_run(new).expect("is created");
    }
    let mut seen = Vec::new();
    let mut query = RunQuery { limit: 4, ..RunQuery::default() };
    loop {
        let page = store.runs(&query).expect("lists");
        assert!(page.runs.len() == 4 || page.next.is_none());
        seen.extend(page.runs.into_iter().map(|run| run.run_id));
        match page.next {
            Some(next) => query.before = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, (0..25).rev().map(|index| format!("r{index:02}")).collect::<Vec<_>>());
    let wrong = RunQuery { before: Some("nonsense".into()), ..RunQuery::default() };
    assert_eq!(store.runs(&wrong).expect_err("is refused").code(), "BAD_PAGE");
}

#[test]
fn filters_by_workflow_status_and_text() {
    let (_folder, store) = temporary();
    for (run, workflow, name) in [("r1", "a", "Invoices 100%"), ("r2", "b", "Prüfung"), ("r3", "a", "Invoices")] {
        let parent_run_id = (run == "r3").then(|| "r1".into());
        let new = NewRun { workflow_id: workflow.into(), workflow_name: name.into(), parent_run_id, ..new_run(run) };
        let owner = store.create_run(new).expect("is created");
        if run == "r3" {
            let end = RunEnd {
                ended_ms: T0 + 5,
                failed_step: Some("fetch".into()),
                error_code: Some("TIMEOUT".into()),
                error_message: Some("No answer from HOST".into()),
                ..RunEnd::default()
            };
            let status = Some(RunStatus::Failed);
            let last = RunCommit { status, end: Some(end), ..commit(run, &owner, vec![finish(run, 2)]) };
            store.commit(last).expect("ends");
        }
    }
    let text = |text: &str| RunQuery { text: Some(text.into()), ..RunQuery::default() };
    assert_eq!(ids(&store, &RunQuery { workflow: Some("a".into()), ..RunQuery::default() }), ["r3", "r1"]);
    assert_eq!(ids(&store, &RunQuery { status: Some(RunStatus::Failed), ..RunQuery::default() }), ["r3"]);
    assert_eq!(ids(&store, &RunQuery { parent: Some("r1".into()), ..RunQuery::default() }), ["r3"]);
    assert_eq!(ids(&store, &RunQuery { parent: Some("r3".into()), ..RunQuery::default() }), Vec::<String>::new());
    assert_eq!(ids(&store, &text("invoices")), ["r3", "r1"]);
    assert_eq!(ids(&store, &text("100%")), ["r1"]);
    assert_eq!(ids(&store, &text("host")), ["r3"]);
    assert_eq!(ids(&store, &text("PRÜF")), ["r2"]);
    assert_eq!(ids(&store, &text("_")), Vec::<String>::new());
    let row = store.run("r3").expect("reads");
    assert_eq!((row.status, row.ended_ms, row.last_seq), (RunStatus::Failed, Some(T0 + 5), 2));
    assert_eq!((row.failed_step.as_deref(), row.error_code.as_deref()), (Some("fetch"), Some("TIMEOUT")));
    assert_eq!(store.run("none").expect_err("is unknown").code(), "UNKNOWN_RUN");
}

#[test]
fn a_page_is_found_by_an_index_whatever_the_filter() {
    crate::support::files_only!();
    let (folder, _store) = temporary();
    let plan = |filter: &str| -> String {
        let sql = format!("EXPLAIN QUERY PLAN SELECT * FROM run {filter} ORDER BY started_ms DESC, id DESC LIMIT 5");
        let connection = crate::support::raw(folder.path());
        let mut statement = connection.prepare(&sql).expect("prepares");
        let rows = statement.query_map([], |row| row.get::<_, String>(3)).expect("explains");
        rows.map(|row| row.expect("row")).collect::<Vec<_>>().join("; ")
    };
    for filter in [
        "",
        "WHERE workflow_id = 'a'",
        "WHERE status = 'failed'",
        "WHERE (started_ms, id) < (5, 'a')",
        "WHERE workflow_id = 'a' AND (started_ms, id) < (5, 'a')",
    ] {
        let plan = plan(filter);
        assert!(plan.contains("USING INDEX") && !plan.contains("TEMP B-TREE"), "{filter}: {plan}");
    }
    // A run has few re-runs: they are put in order when they are found.
    let plan = plan("WHERE parent_run_id = 'a'");
    assert!(plan.contains("USING INDEX run_of_parent"), "{plan}");
}

#[test]
fn runs_are_counted_by_status() {
    let (_folder, store) = temporary();
    assert_eq!(store.run_counts().expect("counts"), []);
    for run in ["r1", "r2", "r3"] {
        let owner = store.create_run(new_run(run)).expect("is created");
        if run == "r3" {
            let end = RunEnd { ended_ms: T0 + 5, ..RunEnd::default() };
            let status = Some(RunStatus::Completed);
            let last = RunCommit { status, end: Some(end), ..commit(run, &owner, vec![finish(run, 2)]) };
            store.commit(last).expect("ends");
        }
    }
    assert_eq!(store.run_counts().expect("counts"), [("completed".to_owned(), 1), ("running".to_owned(), 2)]);
}

/// A run that waits for a person is told from one that rests for another reason, in lists as in one row.
#[test]
fn a_row_says_how_many_tasks_are_open() {
    let (_folder, store) = temporary();
    let owner = store.create_run(new_run("r1")).expect("is created");
    store.create_run(new_run("r2")).expect("is created");
    asked(&store, "r1", &owner, 2, ask("t1", json!({})));
    asked(&store, "r1", &owner, 3, ask("t2", json!({})));
    let open = || -> Vec<(String, u64)> {
        let runs = store.runs(&RunQuery::default()).expect("lists").runs;
        runs.into_iter().map(|run| (run.run_id, run.open_tasks)).collect()
    };
    assert_eq!(open(), [("r2".to_owned(), 0), ("r1".to_owned(), 2)]);
    store.answer_task(answer("t1", "r1", "user:anna")).expect("is answered");
    assert_eq!((open()[1].1, store.run("r1").expect("reads").open_tasks), (1, 1));
}
