//! Stores in temporary folders and small runs.

use serde_json::{Value, json};
use signalbox_model::event::{
    EventBody, InputItem, StepDone, StepPrint, StepStart, Telemetry, VarChanged, WorkflowDone, WorkflowStart,
};
use signalbox_model::{Item, RunEvent, RunOrigin, RunStatus, time};
use signalbox_store::audit::Actor;
use signalbox_store::{NewRun, Owner, RunCommit, RunEnd, Store, StoreOptions};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

#[cfg(feature = "postgres")]
pub(crate) mod server;

pub(crate) const T0: i64 = 1_795_300_686_123;

pub(crate) fn temporary() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("folder");
    let store = open(folder.path());
    (folder, store)
}

/// As the suite is run: on files, or with `SIGNALBOX_STORE_SERVER` on a database of PostgreSQL for each folder.
pub(crate) fn options(folder: &Path) -> StoreOptions {
    StoreOptions { history: history(folder), ..StoreOptions::default() }
}

#[cfg(feature = "postgres")]
fn history(folder: &Path) -> Option<signalbox_store::History> {
    server::history(folder)
}

#[cfg(not(feature = "postgres"))]
fn history(_folder: &Path) -> Option<signalbox_store::History> {
    None
}

/// Whether this is a run of the suite on PostgreSQL: what only a file has is not looked at then.
pub(crate) fn at_server() -> bool {
    cfg!(feature = "postgres") && std::env::var_os("SIGNALBOX_STORE_SERVER").is_some()
}

pub(crate) fn open(folder: &Path) -> Store {
    Store::open(folder, &options(folder)).expect("opens")
}

/// A connection beside the store, as a person with the `sqlite3` shell has it.
pub(crate) fn raw(folder: &Path) -> rusqlite::Connection {
    assert!(!at_server(), "a test that needs a file begins with files_only!()");
    rusqlite::Connection::open(folder.join("signalbox.db")).expect("opens")
}

/// The texts that a statement tells.
pub(crate) fn texts(folder: &Path, sql: &str) -> Vec<String> {
    #[cfg(feature = "postgres")]
    if at_server() {
        return server::texts(folder, sql);
    }
    let file = raw(folder);
    let mut statement = file.prepare(sql).expect("a query");
    let rows = statement.query_map([], |row| row.get(0)).expect("reads");
    rows.collect::<Result<_, _>>().expect("texts")
}

/// Changes the data beside the store, whichever kind it is.
pub(crate) fn change(folder: &Path, sql: &str) {
    #[cfg(feature = "postgres")]
    if at_server() {
        return server::change(folder, sql);
    }
    raw(folder).execute_batch(sql).expect(sql);
}

/// Waits until a run of a process that has died is free: a server tells it a little later, a file at once.
pub(crate) fn is_free(store: &Store, run: &str) {
    until(|| !store.is_driven(run).expect("asks"));
}

/// Waits for what follows the death of a process, at a server only.
pub(crate) fn until(mut given_up: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while at_server() && !given_up() {
        assert!(began.elapsed().as_secs() < 20, "the process is not given up");
        std::thread::yield_now();
    }
}

/// A test of what only a file has: its pages, its log of writes, its limits, the plans of SQLite.
macro_rules! files_only {
    () => {
        if crate::support::at_server() {
            return;
        }
    };
}
pub(crate) use files_only;

pub(crate) fn count(folder: &Path, sql: &str) -> i64 {
    #[cfg(feature = "postgres")]
    if at_server() {
        return server::count(folder, sql);
    }
    raw(folder).query_row(sql, [], |row| row.get(0)).expect(sql)
}

pub(crate) fn event(run: &str, seq: u64, node: Option<&str>, body: EventBody) -> RunEvent {
    RunEvent {
        run_id: run.into(),
        seq: Some(seq),
        ts: time::format(T0 + i64::try_from(seq).expect("small")),
        step_id: node.map(str::to_owned),
        path: None,
        item: None,
        visit: node.map(|_| 1),
        attempt: node.map(|_| 0),
        body,
        client_run_token: None,
    }
}

pub(crate) fn begin(run: &str) -> RunEvent {
    let body = WorkflowStart {
        name: "Test".into(),
        version: "v".into(),
        params: Arc::new(json!({"n": 1})),
        seed: "0123456789abcdef".into(),
        context: None,
        started_by: None,
        resumed_from: None,
        until: None,
        parent_run_id: None,
        base_seq: None,
        base: None,
    };
    event(run, 1, None, EventBody::WorkflowStart(body))
}

pub(crate) fn step_start(run: &str, seq: u64, node: &str, data: Value) -> RunEvent {
    let body = StepStart {
        origin: None,
        kind: "data.set".into(),
        meta: signalbox_model::Map::new(),
        resolved_inputs: None,
        config: Arc::new(json!({"keep": false})),
        configs: None,
        input: [InputItem { item: 0, data: data.into() }].into(),
        input_items: None,
        idempotency_key: None,
        due_ms: None,
        pinned: false,
        faulted: false,
        masked: Vec::new(),
    };
    event(run, seq, Some(node), EventBody::StepStart(body))
}

pub(crate) fn step_done(run: &str, seq: u64, node: &str, data: Value) -> RunEvent {
    let body = StepDone {
        origin: None,
        outputs: None,
        selected: Some("success".into()),
        ports: [("success".to_owned(), 1)].into_iter().collect(),
        items: [("success".to_owned(), vec![Item::new("1", data)].into())].into_iter().collect(),
        pinned: false,
        masked: Vec::new(),
    };
    event(run, seq, Some(node), EventBody::StepDone(body))
}

pub(crate) fn print(run: &str, seq: u64, value: Value) -> RunEvent {
    event(run, seq, Some("p"), Telemetry::StepPrint(StepPrint { value: Arc::new(value) }).into())
}

pub(crate) fn var_changed(run: &str, seq: u64, value: Value) -> RunEvent {
    let body = VarChanged { name: "$v".into(), old_value: None, new_value: Arc::new(value) };
    event(run, seq, Some("v"), EventBody::VarChanged(body))
}

pub(crate) fn finish(run: &str, seq: u64) -> RunEvent {
    event(run, seq, None, EventBody::WorkflowDone(WorkflowDone { duration_ms: 5, stop_id: None }))
}

pub(crate) fn new_run(run: &str) -> NewRun {
    NewRun {
        run_id: run.into(),
        workflow_id: "wf".into(),
        workflow_name: "Work".into(),
        definition_hash: "definition".into(),
        definition: Some("{}".into()),
        parent_run_id: None,
        started_ms: T0,
        origin: RunOrigin::default(),
        status: RunStatus::Running,
        events: vec![begin(run)],
        snapshot: None,
        end: None,
        tasks: Vec::new(),
        audit: Vec::new(),
        durable: true,
        rests: false,
        key: None,
        firing: None,
        limited: None,
        replayed: None,
        handed: None,
    }
}

pub(crate) fn started(store: &Store, run: &str) -> Owner {
    store.create_run(new_run(run)).expect("is created")
}

pub(crate) fn commit(run: &str, owner: &Owner, events: Vec<RunEvent>) -> RunCommit {
    RunCommit::new(run, owner.clone(), events)
}

/// Ends a run with event `seq`.
pub(crate) fn end(store: &Store, run: &str, owner: &Owner, seq: u64) {
    let end = RunEnd { ended_ms: T0 + 9, summary: Some(json!({"runId": run}).to_string()), ..RunEnd::default() };
    let commit = RunCommit {
        status: Some(RunStatus::Completed),
        end: Some(end),
        durable: true,
        ..commit(run, owner, vec![finish(run, seq)])
    };
    store.commit(commit).expect("ends");
}

/// Text that no compression or sharing makes small.
pub(crate) fn noise(seed: u64, length: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(b'a' + u8::try_from(state % 26).expect("a letter"))
        })
        .collect()
}

pub(crate) fn delete(store: &Store, run: &str) -> Result<(), signalbox_store::Error> {
    store.delete_run(run, Actor::operator("user:anna"), T0 + 99)
}
