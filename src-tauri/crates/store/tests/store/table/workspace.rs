//! Workspaces: which runs belong to them, what lists leave out, and how many may start.

use crate::people::{ask, asked, record};
use crate::support::{T0, end, new_run, open, started, temporary};
use serde_json::json;
use signalbox_model::RunOrigin;
use signalbox_store::{
    AccessToken, AuditQuery, NewRun, Quota, RunQuery, Started, Store, StoreError, TaskQuery, Workspace,
};

const MINUTE: i64 = 60_000;
/// The first moment of a minute and of a day.
const DAY: i64 = 1_795_305_600_000;

fn workspace(store: &Store, name: &str, quota: Quota) {
    let made = record("WORKSPACE_CHANGED", "$store", json!({ "name": name }));
    store.workspace_put(Workspace { name: name.into(), quota, made_ms: T0 }, made).expect("is kept");
}

fn assign(store: &Store, workflow: &str, to: Option<&str>) -> bool {
    store.workspace_assign(workflow, to, record("WORKSPACE_ASSIGNED", "$store", json!({}))).expect("writes")
}

/// A run as the runtime makes it: its workspace is known before.
fn run_of(store: &Store, run: &str, workflow: &str, parent: Option<&str>, token: Option<&str>, now_ms: i64) -> NewRun {
    let workspace = store.workspace_of_new_run(workflow, parent).expect("reads");
    let origin = RunOrigin { workspace, token: token.map(str::to_owned), ..RunOrigin::default() };
    let parent_run_id = parent.map(str::to_owned);
    NewRun { workflow_id: workflow.into(), origin, parent_run_id, started_ms: now_ms, ..new_run(run) }
}

fn start(store: &Store, run: &str, workflow: &str, now_ms: i64) -> Result<(), StoreError> {
    store.create_run(run_of(store, run, workflow, None, None, now_ms)).map(drop).map_err(StoreError::from)
}

fn limit(outcome: Result<(), StoreError>) -> Option<(String, u64)> {
    match outcome {
        Ok(()) => None,
        Err(StoreError::QuotaReached { limit, retry_s, .. }) => Some((limit, retry_s)),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_workflow_is_in_one_workspace_and_its_runs_stay_where_they_started() {
    let (folder, store) = temporary();
    workspace(&store, "sales", Quota::default());
    workspace(&store, "hr", Quota::default());
    assert!(assign(&store, "quotes", Some("sales")) && !assign(&store, "quotes", Some("nowhere")));
    start(&store, "first", "quotes", T0).expect("starts");
    assert!(assign(&store, "quotes", Some("hr")));
    start(&store, "second", "quotes", T0).expect("starts");
    // A re-run has the data of its original.
    store.create_run(run_of(&store, "again", "quotes", Some("first"), None, T0)).expect("starts");
    started(&store, "free");
    drop(store);
    let store = open(folder.path());
    let of = |run: &str| store.workspace_of_run(run).expect("reads");
    assert_eq!(of("first"), Some(Some("sales".into())));
    assert_eq!(of("second"), Some(Some("hr".into())));
    assert_eq!(of("again"), Some(Some("sales".into())));
    assert_eq!((of("free"), of("nothing")), (Some(None), None));
    assert_eq!(store.workspace_workflows("sales"), Ok(Vec::new()));
    assert_eq!(store.workspace_workflows("hr"), Ok(vec!["quotes".to_owned()]));
    let gone = || record("WORKSPACE_REMOVED", "$store", json!({}));
    assert_eq!(store.workspace_remove("hr", gone()), Ok(false), "it has a workflow");
    assert!(assign(&store, "quotes", None));
    assert_eq!(store.workspace_remove("hr", gone()), Ok(true));
    assert_eq!(store.workspace_remove("hr", gone()), Ok(false));
    let names: Vec<String> = store.workspaces().expect("reads").into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["sales"]);
}

#[test]
fn lists_and_counts_leave_out_what_is_elsewhere() {
    let (_folder, store) = temporary();
    for name in ["sales", "hr"] {
        workspace(&store, name, Quota::default());
        assign(&store, name, Some(name));
    }
    for (run, workflow) in [("s1", "sales"), ("s2", "sales"), ("h1", "hr"), ("f1", "free")] {
        let owner = store.create_run(run_of(&store, run, workflow, None, None, T0)).expect("starts");
        asked(&store, run, &owner, 2, ask(&format!("t-{run}"), json!({ "age": 1 })));
        store.audit_append(record("NOTE", run, json!({})), None, true).expect("records");
    }
    let within = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    let runs = |workspaces: Option<Vec<String>>| {
        let page = store.runs(&RunQuery { workspaces, ..RunQuery::default() }).expect("lists");
        let mut ids: Vec<String> = page.runs.into_iter().map(|row| row.run_id).collect();
        ids.sort();
        ids.join(" ")
    };
    assert_eq!(runs(None), "f1 h1 s1 s2");
    assert_eq!(runs(within(&["sales"])), "s1 s2");
    assert_eq!(runs(within(&["hr", "sales"])), "h1 s1 s2");
    assert_eq!(runs(within(&[])), "");
    let tasks = |workspaces: Option<Vec<String>>| {
        let query = TaskQuery { workspaces, now_ms: T0, day_end_ms: T0, ..TaskQuery::default() };
        let (page, counts) = (store.tasks(&query).expect("lists"), store.task_counts(&query).expect("counts"));
        let by_workflow: Vec<String> = counts.by_workflow.into_iter().map(|(id, _, n)| format!("{id} {n}")).collect();
        let same: u64 = counts.by_fingerprint.into_iter().map(|(_, _, n)| n).sum();
        (page.total, page.tasks.len(), counts.open, counts.done, by_workflow.join(", "), same)
    };
    assert_eq!(tasks(within(&["hr"])), (1, 1, 1, 0, "hr 1".into(), 0));
    assert_eq!(tasks(within(&["sales"])).4, "sales 2");
    assert_eq!(tasks(within(&[])), (0, 0, 0, 0, String::new(), 0));
    let notes = |workspaces: Option<Vec<String>>| {
        let query = AuditQuery { workspaces, event: Some("NOTE".into()), ..AuditQuery::default() };
        let (page, facets) = (store.audit_page(&query).expect("lists"), store.audit_facets(&query).expect("counts"));
        let mut of: Vec<String> = page.rows.iter().filter_map(|row| Some(row.entry()?.run_id)).collect();
        of.sort();
        (page.total, of.join(" "), facets.events.iter().map(|(_, count)| count).sum::<u64>())
    };
    assert_eq!(notes(None), (4, "f1 h1 s1 s2".into(), 4));
    assert_eq!(notes(within(&["hr"])), (1, "h1".into(), 1));
    assert_eq!(notes(within(&[])), (0, String::new(), 0));
}

#[test]
fn a_quota_refuses_the_next_start_and_says_when_there_is_room() {
    let (folder, store) = temporary();
    workspace(&store, "sales", Quota { per_minute: Some(2), per_day: Some(3), ..Quota::default() });
    assign(&store, "quotes", Some("sales"));
    let other = open(folder.path());
    start(&store, "a", "quotes", DAY).expect("starts");
    // Another process counts in the same place.
    start(&other, "b", "quotes", DAY + 1_000).expect("starts");
    assert_eq!(limit(start(&store, "c", "quotes", DAY + 1_000)), Some(("2 in a minute".into(), 59)));
    assert_eq!(limit(start(&store, "c", "quotes", DAY + MINUTE - 1)), Some(("2 in a minute".into(), 1)));
    start(&store, "free", "other", DAY + 1_000).expect("no workspace, no quota");
    start(&store, "c", "quotes", DAY + MINUTE).expect("the next minute");
    assert_eq!(limit(start(&store, "d", "quotes", DAY + 5 * MINUTE)), Some(("3 in a day".into(), 86_100)));
    let counted = store.workspace_started("sales", DAY + MINUTE).expect("reads");
    assert_eq!(counted, Started { minute: 1, day: 3, open: 3 });
    start(&store, "d", "quotes", DAY + 24 * 60 * MINUTE).expect("the next day");
    assert!(store.run("c").is_ok(), "what was refused left nothing behind");
}

#[test]
fn a_quota_of_runs_at_once_frees_a_place_when_one_ends() {
    let (_folder, store) = temporary();
    workspace(&store, "sales", Quota { at_once: Some(1), ..Quota::default() });
    assign(&store, "quotes", Some("sales"));
    let owner = store.create_run(run_of(&store, "a", "quotes", None, None, T0)).expect("starts");
    assert_eq!(limit(start(&store, "b", "quotes", T0)), Some(("1 at the same time".into(), 11)));
    end(&store, "a", &owner, 2);
    start(&store, "b", "quotes", T0).expect("there is a place again");
}

#[test]
fn a_token_has_a_quota_of_its_own_which_ends_with_it() {
    let (_folder, store) = temporary();
    let token = |hash: &str| AccessToken {
        hash: hash.into(),
        name: "nightly".into(),
        role: "operator".into(),
        person: "user:anna".into(),
        made_ms: T0,
        expires_ms: None,
        used_ms: None,
        workspaces: None,
        quota: Quota { per_day: Some(1), ..Quota::default() },
    };
    let noted = |event: &str| record(event, "$store", json!({}));
    assert_eq!(store.access_token_add(token("h1"), noted("TOKEN_CREATED")), Ok(true));
    let by = |run: &str| {
        let new = run_of(&store, run, "quotes", None, Some("nightly"), T0);
        store.create_run(new).map(drop).map_err(StoreError::from)
    };
    by("a").expect("starts");
    assert_eq!(limit(by("b")).map(|(limit, _)| limit), Some("1 in a day".into()));
    start(&store, "person", "quotes", T0).expect("others are not concerned");
    assert_eq!(store.token_started("nightly", T0), Ok(Started { minute: 1, day: 1, open: 0 }));
    assert_eq!(store.access_token_delete("h1", noted("TOKEN_REVOKED")), Ok(true));
    assert_eq!(store.access_token_add(token("h2"), noted("TOKEN_CREATED")), Ok(true));
    by("b").expect("another token, although it has the name");
}

#[test]
fn a_person_has_a_quota_in_each_workspace() {
    let (folder, store) = temporary();
    let quota = Quota { person_per_minute: Some(1), person_per_day: Some(2), ..Quota::default() };
    workspace(&store, "sales", quota);
    workspace(&store, "hr", Quota { person_per_day: Some(1), ..Quota::default() });
    for (workflow, name) in [("quotes", "sales"), ("leave", "hr")] {
        assign(&store, workflow, Some(name));
    }
    let by = |store: &Store, run: &str, workflow: &str, person: Option<&str>, now_ms: i64| {
        let mut new = run_of(store, run, workflow, None, None, now_ms);
        new.origin.person = person.map(str::to_owned);
        store.create_run(new).map(drop).map_err(StoreError::from)
    };
    let (anna, ben) = (Some("user:anna"), Some("user:ben"));
    by(&store, "a", "quotes", anna, DAY).expect("starts");
    let refused = by(&store, "b", "quotes", anna, DAY).expect_err("it is the second one");
    assert_eq!(refused.code(), "QUOTA_REACHED");
    assert!(refused.to_string().contains("person user:anna in the workspace sales"), "{refused}");
    assert_eq!(limit(Err(refused)), Some(("1 in a minute".into(), 60)));
    by(&store, "b", "quotes", ben, DAY).expect("somebody else");
    by(&store, "c", "quotes", None, DAY).expect("a schedule is nobody");
    by(&store, "d", "leave", anna, DAY).expect("another workspace");
    assert_eq!(limit(by(&store, "e", "leave", anna, DAY + MINUTE)).map(|(limit, _)| limit), Some("1 in a day".into()));
    by(&store, "e", "free", anna, DAY).expect("no workspace, no quota");
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.workspace("sales").expect("reads").expect("is there").quota, quota);
    by(&store, "f", "quotes", anna, DAY + MINUTE).expect("the next minute");
    assert_eq!(
        limit(by(&store, "g", "quotes", anna, DAY + 2 * MINUTE)).map(|(limit, _)| limit),
        Some("2 in a day".into())
    );
    store.starts_sweep(DAY + 3 * MINUTE).expect("sweeps");
    assert!(limit(by(&store, "g", "quotes", anna, DAY + 3 * MINUTE)).is_some(), "this day is still counted");
    store.starts_sweep(DAY + 24 * 60 * MINUTE).expect("sweeps");
    assert_eq!(store.workspace_started("sales", DAY).expect("reads").day, 0, "the day is over");
    by(&store, "g", "quotes", anna, DAY + 24 * 60 * MINUTE).expect("the next day");
}
