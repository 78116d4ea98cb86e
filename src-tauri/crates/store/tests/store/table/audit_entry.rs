use crate::people::record;
use crate::support::{T0, count, raw, started, temporary};
use serde_json::json;
use signalbox_audit::{Actor, Level, Record};
use signalbox_model::time;
use signalbox_store::{AuditQuery, Store};
use std::time::Instant;

fn add(store: &Store, event: &str, level: Level, at: i64, actor: Actor, facts: serde_json::Value) -> u64 {
    let record = Record::new(time::format(T0 + at), "r", "n", event, level, actor)
        .with_metadata(facts.as_object().cloned().expect("an object"));
    store.audit_append(record, None, false).expect("records").seq
}

fn seqs(store: &Store, query: AuditQuery) -> Vec<u64> {
    let page = store.audit_page(&query).expect("lists");
    assert_eq!(page.total, page.rows.len() as u64);
    page.rows.into_iter().map(|row| row.seq).collect()
}

#[test]
fn entries_are_found_by_what_stands_in_them() {
    let (_folder, store) = temporary();
    let anna = || Actor::operator("user:anna");
    add(&store, "NODE_START", Level::Info, 0, Actor::system(), json!({}));
    add(
        &store,
        "NODE_ERROR",
        Level::Error,
        10,
        Actor::system(),
        json!({"errorType": "Timeout", "message": "50% late"}),
    );
    add(&store, "HITL_COMPLETED", Level::Info, 20, anna(), json!({"taskId": "t"}));
    let mut tagged = record("NOTE", "other", json!({}));
    tagged.tags = Some(vec!["pii".into()]);
    tagged.timestamp = time::format(T0 + 15);
    store.audit_append(tagged, None, false).expect("records");
    add(&store, "NODE_SUCCESS", Level::Info, 30, Actor::tool("mailer"), json!({}));
    let some = |text: &str| Some(text.to_owned());
    let all = AuditQuery::default;
    assert_eq!(seqs(&store, all()), [4, 3, 2, 1, 0]);
    assert_eq!(seqs(&store, AuditQuery { event: some("NODE_START"), ..all() }), [0]);
    assert_eq!(seqs(&store, AuditQuery { event: some("NODE_ERROR"), ..all() }), [1]);
    assert_eq!(seqs(&store, AuditQuery { level: Some(Level::Error), ..all() }), [1]);
    assert_eq!(seqs(&store, AuditQuery { level: Some(Level::Info), run: some("r"), ..all() }), [4, 2, 0]);
    assert_eq!(seqs(&store, AuditQuery { actor: some("human"), ..all() }), [3, 2]);
    assert_eq!(seqs(&store, AuditQuery { actor: some("system"), ..all() }), [1, 0]);
    assert_eq!(seqs(&store, AuditQuery { actor: some("mailer"), ..all() }), [4]);
    assert_eq!(seqs(&store, AuditQuery { error_type: some("Timeout"), ..all() }), [1]);
    assert_eq!(seqs(&store, AuditQuery { tag: some("pii"), ..all() }), [3]);
    assert_eq!(seqs(&store, AuditQuery { node: some("ask"), ..all() }), [3]);
    assert_eq!(seqs(&store, AuditQuery { text: vec!["50%".into(), "LATE".into()], ..all() }), [1]);
    // Entry 3 is older than entry 2: times of several runs do not follow each other exactly.
    assert_eq!(seqs(&store, AuditQuery { since_ms: Some(T0 + 15), ..all() }), [4, 3, 2]);
    assert_eq!(seqs(&store, AuditQuery { until_ms: Some(T0 + 15), ..all() }), [3, 1, 0]);
    assert_eq!(seqs(&store, AuditQuery { since_ms: Some(T0 + 31), ..all() }), [0; 0]);
    assert_eq!(seqs(&store, AuditQuery { until_ms: Some(T0 - 1), ..all() }), [0; 0]);
    let page = |query| store.audit_page(&query).expect("lists").rows.into_iter().map(|row| row.seq).collect::<Vec<_>>();
    assert_eq!(page(AuditQuery { before: Some(3), limit: 2, ..all() }), [2, 1]);
    assert_eq!(page(AuditQuery { after: Some(1), limit: 2, ..all() }), [3, 2]);
    let facets = store.audit_facets(&AuditQuery { run: some("r"), ..all() }).expect("counts");
    assert_eq!(facets.levels, [("INFO".into(), 3), ("ERROR".into(), 1)]);
    assert_eq!(facets.actors[0], ("system".into(), 2));
    assert_eq!(facets.events.len(), 4);
}

#[test]
fn what_cannot_be_sealed_is_refused_with_everything_around_it() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let mut next = crate::people::asking("r", &owner, 2, crate::people::ask("t", json!(1)));
    next.audit.push(record("not an event", "r", json!({})));
    let error = store.commit(next).expect_err("is refused");
    assert!(error.to_string().contains("NODE_ERROR"), "{error}");
    assert_eq!(store.run("r").expect("reads").last_seq, 1);
    assert_eq!(store.task("t").expect("reads"), None);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_entry"), 0);
    let wide = record("NOTE", "r", json!({"n": u64::MAX}));
    store.audit_append(wide, None, false).expect("a large number is carried as text");
    assert!(store.audit_entry(0).expect("reads").expect("there").text.contains("\"18446744073709551615\""));
}

#[test]
fn the_same_thing_is_recorded_once() {
    let (_folder, store) = temporary();
    let note = || record("NOTE", "r", json!({}));
    let first = store.audit_append(note(), Some("x".into()), false).expect("records");
    let second = store.audit_append(note(), Some("x".into()), false).expect("is there");
    assert_eq!((second.seq, second.hash == first.hash, second.repeated), (0, true, true));
    assert_eq!(store.audit_append(note(), Some("y".into()), false).expect("records").seq, 1);
    let done = || record("HITL_COMPLETED", "r", json!({"taskId": "t"}));
    store.audit_append(note(), None, false).expect("records");
    assert_eq!(store.audit_state().expect("reads").head.size, 3);
    let owner = started(&store, "r");
    let twice = signalbox_store::RunCommit {
        audit: vec![done(), done()],
        ..crate::support::commit("r", &owner, vec![crate::support::print("r", 2, json!(1))])
    };
    store.commit(twice).expect("commits");
    assert_eq!(store.audit_state().expect("reads").head.size, 4, "one decision, one entry");
}

/// A page of a long chain is found by an index, whatever is looked for. `AUDIT_ROWS=1000000` measures the real size.
#[test]
fn a_page_of_a_long_chain_is_fast() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let rows: i64 = std::env::var("AUDIT_ROWS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    store.audit_append(record("NOTE", "r", json!({})), None, false).expect("records");
    raw(folder.path())
        .execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
             INSERT INTO audit_entry (seq, entry, hash, run_id, node_id, event, level, actor_type, actor_id, ts, ts_high)
             SELECT i, '{\"event\":\"NODE_START\",\"metadata\":{\"x\":\"' || hex(randomblob(120)) || '\"}}', printf('%064x', i),
               'run' || (i / 100), 'n' || (i % 9), CASE WHEN i % 1000 = 7 THEN 'HITL_COMPLETED' WHEN i % 2 THEN 'NODE_START'
               ELSE 'NODE_SUCCESS' END, CASE WHEN i % 500 = 3 THEN 'ERROR' ELSE 'INFO' END,
               CASE WHEN i % 1000 = 7 THEN 'human' ELSE 'system' END, CASE WHEN i % 1000 = 7 THEN 'user:anna' END,
               ?2 + i, ?2 + i FROM n",
            [rows, T0],
        )
        .expect("writes");
    // The tables that find entries take all of them in.
    for _ in 0..256 {
        store.audit_append(record("NOTE", "r", json!({})), None, false).expect("records");
    }
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_run WHERE run_id = 'run7'"), 100);
    let some = |text: &str| Some(text.to_owned());
    let all = AuditQuery::default;
    // Those far back are found too, and counted once.
    let far = AuditQuery { event: some("HITL_COMPLETED"), level: None, actor: some("human"), ..all() };
    let far = store.audit_page(&far).expect("lists");
    assert_eq!((far.total, far.rows.len() as u64), (u64::try_from(rows / 1000).expect("few"), far.total.min(100)));
    let few = store.audit_page(&AuditQuery { run: some("run3"), limit: 7, ..all() }).expect("lists");
    assert_eq!((few.total, few.rows[0].seq, few.rows.len()), (100, 399, 7));
    let none = AuditQuery { run: some("run3"), level: Some(Level::Critical), ..all() };
    assert_eq!(store.audit_page(&none).expect("lists").total, 0);
    // Those of many are counts of the newest, and say so.
    let many = store.audit_facets(&all()).expect("counts");
    assert_eq!((many.newest, many.levels.iter().map(|(_, n)| n).sum::<u64>()), (Some(10_000), 10_000));
    let old = store.audit_facets(&AuditQuery { run: some("run3"), ..all() }).expect("counts");
    assert_eq!(old.newest, None);
    assert_eq!(old.events.iter().map(|(_, n)| n).sum::<u64>(), 100);
    for (what, query) in [
        ("newest", all()),
        ("before", AuditQuery { before: Some(5_000), ..all() }),
        ("run", AuditQuery { run: some("run7"), ..all() }),
        ("rare event", AuditQuery { event: some("HITL_COMPLETED"), ..all() }),
        ("common event", AuditQuery { event: some("NODE_START"), ..all() }),
        ("level", AuditQuery { level: Some(Level::Error), ..all() }),
        ("person", AuditQuery { actor: some("user:anna"), ..all() }),
        ("people", AuditQuery { actor: some("human"), ..all() }),
        ("time", AuditQuery { since_ms: Some(T0 + 3_000), until_ms: Some(T0 + 4_000), ..all() }),
        ("until", AuditQuery { until_ms: Some(T0 + 50), ..all() }),
    ] {
        store.audit_page(&query).expect("warms up");
        let before = Instant::now();
        let page = store.audit_page(&query).expect("lists");
        println!("{what}: {} rows of {}, {} µs", page.rows.len(), page.total, before.elapsed().as_micros());
        assert!(!page.rows.is_empty(), "{what}");
    }
}
