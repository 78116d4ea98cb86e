use crate::people::record;
use crate::support::{T0, count, open, raw, temporary};
use serde_json::json;
use signalbox_audit::{Actor, Level, Record};
use signalbox_model::time;
use signalbox_store::{AuditQuery, Store};

fn note(n: usize) -> Record {
    let mut note = record("NOTE", "r", json!({ "n": n }));
    note.run_id = format!("run-{}", n / 40);
    note.node_id = if n.is_multiple_of(50) { "$run".into() } else { format!("n{}", n % 7) };
    // Now and then a time goes back.
    let at = if n % 10 == 3 { n - 3 } else { n };
    note.timestamp = time::format(T0 + i64::try_from(at).expect("small"));
    note
}

/// Marked by its event, its level, who did it, and a type of error.
fn marked(n: usize) -> Record {
    let mut entry = note(n);
    entry.event = ["NODE_START", "NODE_ERROR", "HITL_COMPLETED"][n % 3].into();
    entry.level = [Level::Info, Level::Warn, Level::Error, Level::Critical][n % 4];
    entry.actor = if n.is_multiple_of(5) { Actor::operator("user:anna") } else { Actor::system() };
    if n % 3 == 1 {
        let kind = if n.is_multiple_of(2) { "Timeout" } else { "ToolError" };
        entry = entry.with_metadata([("errorType".to_owned(), json!(kind))].into_iter().collect());
    }
    entry
}

/// The same is found by event, level, actor and type of error whether the entries are in the table or are not in yet, also
/// several conditions at once, and after a store of the version before is opened.
#[test]
fn entries_are_found_by_their_marks_before_and_after_they_are_taken_in() {
    crate::support::files_only!();
    let wanted = |n: usize, holds: &dyn Fn(usize) -> bool| -> Vec<u64> {
        (0..=n).filter(|n| holds(*n)).map(|n| n as u64).collect()
    };
    let look = |store: &Store, n: usize| {
        let all = AuditQuery::default;
        let event = |name: &str| AuditQuery { event: Some(name.into()), ..all() };
        let level = |level: Level| AuditQuery { level: Some(level), ..all() };
        let actor = |name: &str| AuditQuery { actor: Some(name.into()), ..all() };
        let error = |name: &str| AuditQuery { error_type: Some(name.into()), ..all() };
        assert_eq!(found(store, event("NODE_START")), wanted(n, &|n| n % 3 == 0), "{n}");
        assert_eq!(found(store, event("NODE_ERROR")), wanted(n, &|n| n % 3 == 1), "{n}");
        assert_eq!(found(store, event("HITL_COMPLETED")), wanted(n, &|n| n % 3 == 2), "{n}");
        assert_eq!(found(store, level(Level::Info)), wanted(n, &|n| n % 4 == 0), "{n}");
        assert_eq!(found(store, level(Level::Critical)), wanted(n, &|n| n % 4 == 3), "{n}");
        assert_eq!(found(store, actor("user:anna")), wanted(n, &|n| n % 5 == 0), "{n}");
        assert_eq!(found(store, actor("anna")), wanted(n, &|n| n % 5 == 0), "{n}");
        assert_eq!(found(store, actor("ann")), Vec::<u64>::new(), "{n}");
        assert_eq!(found(store, actor("human")), wanted(n, &|n| n % 5 == 0), "{n}");
        assert_eq!(found(store, actor("system")), wanted(n, &|n| n % 5 != 0), "{n}");
        assert_eq!(found(store, error("Timeout")), wanted(n, &|n| n % 6 == 4), "{n}");
        assert_eq!(found(store, error("nothing")), Vec::<u64>::new(), "{n}");
        let both = AuditQuery { level: Some(Level::Error), ..actor("user:anna") };
        assert_eq!(found(store, both), wanted(n, &|n| n % 4 == 2 && n % 5 == 0), "{n}");
    };
    let (folder, store) = temporary();
    for n in 0..600_usize {
        store.audit_append(marked(n), None, false).expect("records");
        if [0, 254, 255, 256, 300, 511, 599].contains(&n) {
            look(&store, n);
        }
    }
    // 512 are in: the starts of steps, the system and what is at level INFO are not marked.
    let of = |mark: &str| count(folder.path(), &format!("SELECT count(*) FROM audit_mark WHERE mark = '{mark}'"));
    assert_eq!([of("event:NODE_START"), of("kind:system"), of("level:INFO")], [0, 0, 0]);
    assert_eq!(
        [of("event:NODE_ERROR"), of("kind:human"), of("level:CRITICAL"), of("error:Timeout")],
        [171, 103, 128, 85]
    );
    drop(store);
    crate::support::change(folder.path(), "DROP TABLE audit_mark; DROP TABLE run_sent; DROP TABLE run_key;
             DROP TABLE workflow_limit; DROP TABLE run_limit; DROP TABLE run_rate; DROP TABLE failure_notice;
             DROP TABLE activation; DROP TABLE workflow_version; DROP TABLE workflow_trigger; DROP TABLE trigger_firing; DROP TABLE trigger_change;
             DROP TABLE trigger_failed_run; DROP TABLE trigger_seen; DROP TABLE remembered_key; DROP TABLE user_session; DROP TABLE access_token;
             DROP TABLE workspace; DROP TABLE workspace_workflow; DROP TABLE start_count; DROP INDEX run_of_workspace;
             DROP INDEX run_open_in_workspace; ALTER TABLE run DROP COLUMN workspace;
             DROP TABLE task_destination; DROP TABLE task_copy; DROP TABLE task_decision_seen;
             CREATE INDEX audit_by_event ON audit_entry (event, seq) WHERE event NOT IN ('NODE_START', 'NODE_SUCCESS');
             CREATE INDEX audit_by_level ON audit_entry (level, seq) WHERE level <> 'INFO';
             CREATE INDEX audit_by_actor ON audit_entry (actor_id, seq) WHERE actor_id IS NOT NULL;
             CREATE INDEX audit_by_actor_type ON audit_entry (actor_type, seq) WHERE actor_type <> 'system';
             CREATE INDEX audit_by_error ON audit_entry (error_type, seq) WHERE error_type IS NOT NULL;
             ALTER TABLE tool_server DROP COLUMN sign_in;
             ALTER TABLE run DROP COLUMN trace; ALTER TABLE run DROP COLUMN handed_to; DROP TABLE health_run; DROP TABLE health_error; DROP TABLE health_pending; DROP TABLE health_raised; DROP TABLE proof;
             DROP TRIGGER failure_of_task; DROP TRIGGER failure_of_run; DROP INDEX run_of_parent; DROP INDEX task_open_of;
             DROP TABLE failure_group; DROP TABLE failure; DROP TABLE failure_fill; DROP TABLE replay; DROP TABLE replay_item;
             ALTER TABLE run DROP COLUMN trial; PRAGMA user_version = 34;");
    without_numbers(folder.path());
    let store = Store::open(folder.path(), &crate::support::options(folder.path())).expect("opens");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_mark WHERE mark = 'event:NODE_ERROR'"), 171);
    look(&store, 599);
}

/// As a store was before its runs had numbers; it has no runs.
fn without_numbers(folder: &std::path::Path) {
    crate::support::change(folder, "DROP INDEX run_no; ALTER TABLE run DROP COLUMN no; ALTER TABLE run_deleted DROP COLUMN no; DROP TABLE run_event;
             CREATE TABLE run_event (run TEXT NOT NULL, seq INTEGER NOT NULL, ts INTEGER NOT NULL, type TEXT NOT NULL, node TEXT,
               path TEXT, item INTEGER, visit INTEGER, attempt INTEGER, hash BLOB NOT NULL, payload BLOB NOT NULL, blobs TEXT,
               PRIMARY KEY (run, seq)) STRICT, WITHOUT ROWID;
             CREATE INDEX run_event_path ON run_event (run, path, node) WHERE path IS NOT NULL;");
}

fn found(store: &Store, query: AuditQuery) -> Vec<u64> {
    let page = store.audit_page(&AuditQuery { limit: 1_000, ..query }).expect("lists");
    assert_eq!(page.total, page.rows.len() as u64);
    page.rows.into_iter().rev().map(|row| row.seq).collect()
}

/// The same is found by node, run and time whether the entries are in the tables or are not in yet.
#[test]
fn entries_are_found_by_place_before_and_after_they_are_taken_in() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let mut taken = Vec::new();
    for n in 0..600_usize {
        store.audit_append(note(n), None, false).expect("records");
        if ![0, 254, 255, 256, 300, 511, 512, 599].contains(&n) {
            continue;
        }
        taken.push(count(folder.path(), "SELECT count(*) FROM audit_node"));
        let of = |node: &str| AuditQuery { node: Some(node.into()), ..AuditQuery::default() };
        for node in ["$run", "n0", "n3", "nowhere"] {
            let wanted: Vec<u64> = (0..=n).filter(|n| note(*n).node_id == node).map(|n| n as u64).collect();
            assert_eq!(found(&store, of(node)), wanted, "{node} of {n}");
        }
        for run in [0, 5, 6, 7, 14] {
            let run = format!("run-{run}");
            let wanted: Vec<u64> = (0..=n).filter(|n| note(*n).run_id == run).map(|n| n as u64).collect();
            assert_eq!(
                found(&store, AuditQuery { run: Some(run.clone()), ..AuditQuery::default() }),
                wanted,
                "{run} of {n}"
            );
            let mut rows = Vec::new();
            store
                .audit_rows(Some(&run), 45, |row| {
                    rows.push(row.seq);
                    true
                })
                .expect("reads");
            assert_eq!(rows, wanted.into_iter().filter(|seq| *seq >= 45).collect::<Vec<_>>(), "{run} of {n}");
        }
        for at in [0, 1, 2, 3, 7, 250, 256, 600] {
            let at = T0 + at;
            let time = |n: &usize| time::parse(&note(*n).timestamp).expect("a time");
            let since: Vec<u64> = (0..=n).filter(|n| time(n) >= at).map(|n| n as u64).collect();
            let until: Vec<u64> = (0..=n).filter(|n| time(n) <= at).map(|n| n as u64).collect();
            assert_eq!(found(&store, AuditQuery { since_ms: Some(at), ..AuditQuery::default() }), since, "since {at}");
            assert_eq!(found(&store, AuditQuery { until_ms: Some(at), ..AuditQuery::default() }), until, "until {at}");
        }
    }
    assert_eq!((taken[0], taken[1]), (0, 0));
    assert_eq!(taken[2], 256 - 6, "all but those of the run as a whole");
    assert_eq!((taken[3], taken[5]), (taken[2], 512 - 11));
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_run"), 512);
    // The end of a run counts its entries wherever they stand.
    let end = Record::new(time::format(T0), "run-12", "$run", "WORKFLOW_COMPLETED", Level::Info, Actor::system());
    let end = store.audit_append(end, None, false).expect("records");
    let text = store.audit_entry(end.seq).expect("reads").expect("there").text;
    assert!(text.contains("\"entryCount\":41"), "{text}");
    let plan: Vec<String> = raw(folder.path())
        .prepare(
            "EXPLAIN QUERY PLAN SELECT seq FROM audit_entry WHERE seq IN (SELECT seq FROM audit_node WHERE node_id = 'n1' \
             UNION ALL SELECT seq FROM audit_entry WHERE seq >= 512 AND node_id = 'n1') ORDER BY seq DESC LIMIT 100",
        )
        .and_then(|mut plan| plan.query_map([], |row| row.get(3))?.collect())
        .expect("a plan");
    assert!(plan.iter().all(|line| !line.starts_with("SCAN")), "{plan:?}");
}

/// A store of the version before has an index; what it holds is in the table after the first start.
#[test]
fn a_store_of_before_is_taken_over() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    for n in 0..20 {
        store.audit_append(note(n), None, false).expect("records");
    }
    drop(store);
    crate::support::change(folder.path(), "DROP TABLE audit_node; DROP TABLE audit_run; DELETE FROM audit_meta WHERE name = 'placesTo';
             CREATE INDEX audit_of_run ON audit_entry (run_id, seq);
             CREATE INDEX audit_of_node ON audit_entry (node_id, seq) WHERE node_id <> '$run';
             CREATE INDEX audit_by_time ON audit_entry (ts_high);
             DROP TABLE audit_mark;
             CREATE INDEX audit_by_event ON audit_entry (event, seq) WHERE event NOT IN ('NODE_START', 'NODE_SUCCESS');
             CREATE INDEX audit_by_level ON audit_entry (level, seq) WHERE level <> 'INFO';
             CREATE INDEX audit_by_actor ON audit_entry (actor_id, seq) WHERE actor_id IS NOT NULL;
             CREATE INDEX audit_by_actor_type ON audit_entry (actor_type, seq) WHERE actor_type <> 'system';
             CREATE INDEX audit_by_error ON audit_entry (error_type, seq) WHERE error_type IS NOT NULL;
             DROP INDEX webhook_of_task;
             DROP TABLE tool_server; DROP TABLE llm_run; DROP TABLE llm_day; DROP TABLE run_sent; DROP TABLE run_key;
             DROP TABLE workflow_limit; DROP TABLE run_limit; DROP TABLE run_rate; DROP TABLE failure_notice;
             DROP TABLE activation; DROP TABLE workflow_version; DROP TABLE workflow_trigger; DROP TABLE trigger_firing; DROP TABLE trigger_change;
             DROP TABLE trigger_failed_run; DROP TABLE trigger_seen; DROP TABLE remembered_key; DROP TABLE user_session; DROP TABLE access_token;
             DROP TABLE workspace; DROP TABLE workspace_workflow; DROP TABLE start_count; DROP INDEX run_of_workspace;
             DROP INDEX run_open_in_workspace; ALTER TABLE run DROP COLUMN workspace;
             DROP TABLE task_destination; DROP TABLE task_copy; DROP TABLE task_decision_seen;
             ALTER TABLE run DROP COLUMN trace; ALTER TABLE run DROP COLUMN handed_to; DROP TABLE health_run; DROP TABLE health_error; DROP TABLE health_pending; DROP TABLE health_raised; DROP TABLE proof;
             DROP TRIGGER failure_of_task; DROP TRIGGER failure_of_run; DROP INDEX run_of_parent; DROP INDEX task_open_of;
             DROP TABLE failure_group; DROP TABLE failure; DROP TABLE failure_fill; DROP TABLE replay; DROP TABLE replay_item;
             ALTER TABLE run DROP COLUMN trial; PRAGMA user_version = 30;");
    without_numbers(folder.path());
    let store = Store::open(folder.path(), &crate::support::options(folder.path())).expect("opens");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_node"), 19);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_run"), 20);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'audit_of_*'"), 0);
    store.audit_append(note(22), None, false).expect("records");
    assert_eq!(found(&store, AuditQuery { node: Some("n1".into()), ..AuditQuery::default() }), [1, 8, 15, 20]);
}

/// The end of a run counts what is there, whichever process wrote it and whatever was refused in between.
#[test]
fn the_end_of_a_run_counts_its_entries_whoever_wrote_them() {
    let (folder, store) = temporary();
    let other = open(folder.path());
    let mut written = [0; 7];
    for n in 0..700 {
        let store = if n / 30 % 2 == 0 { &store } else { &other };
        let mut entry = note(n);
        entry.run_id = format!("run-{}", n % 7);
        if n % 11 == 0 {
            entry.event = "no name of an event".into();
            store.audit_append(entry, None, false).expect_err("is refused");
            continue;
        }
        written[n % 7] += 1;
        let ends = n % 13 == 5;
        if ends {
            entry.event = "WORKFLOW_COMPLETED".into();
        }
        let receipt = store.audit_append(entry, None, false).expect("records");
        if ends {
            let text = store.audit_entry(receipt.seq).expect("reads").expect("there").text;
            assert!(text.contains(&format!("\"entryCount\":{},", written[n % 7])), "{n}: {text}");
        }
    }
}
