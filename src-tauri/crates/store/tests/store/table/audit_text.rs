use crate::people::record;
use crate::support::{count, raw, temporary};
use serde_json::json;
use signalbox_store::{AuditQuery, Store};
use std::time::{Duration, Instant};

fn found(store: &Store, text: &str) -> Vec<u64> {
    let query = AuditQuery { text: vec![text.into()], limit: 1_000, ..AuditQuery::default() };
    store.audit_page(&query).expect("lists").rows.into_iter().rev().map(|row| row.seq).collect()
}

/// A search finds the same whether the texts are in, are not yet, or are partly in.
#[test]
fn what_is_not_taken_in_yet_is_found_too() {
    let (_folder, store) = temporary();
    let texts = ["Paid 4711 EUR", "paid nothing", "Ärger mit \"Zitat\"", "100% done_now", "ab"];
    let add = || {
        for text in texts {
            store.audit_append(record("NOTE", "run-1", json!({ "message": text })), None, false).expect("records");
        }
    };
    add();
    let asked = [
        "4711",
        "PAID",
        "aid 4",
        "Ärger",
        "100%",
        "_now",
        "ab",
        "user:anna",
        "run-1",
        "nowhere",
        "%",
        "a_",
        "2026-11",
        "log",
        "\"level\":\"INFO",
    ];
    let plain: Vec<Vec<u64>> = asked.iter().map(|text| found(&store, text)).collect();
    assert_eq!((&plain[0], &plain[1], &plain[9]), (&vec![0], &vec![0, 1], &vec![]));
    assert!(!store.audit_index().expect("takes in"), "all of it at once");
    assert_eq!(asked.iter().map(|text| found(&store, text)).collect::<Vec<_>>(), plain);
    add();
    for (text, before) in asked.iter().zip(&plain) {
        let twice: Vec<u64> = before.iter().copied().chain(before.iter().map(|seq| seq + 5)).collect();
        assert_eq!(found(&store, text), twice, "{text}");
    }
}

#[test]
fn tags_are_found_and_go_with_their_entries() {
    let (folder, store) = temporary();
    for tags in [vec!["pii", "pii", "pay"], vec!["pay"]] {
        let mut one = record("NOTE", "r", json!({}));
        one.tags = Some(tags.into_iter().map(str::to_owned).collect());
        store.audit_append(one, None, false).expect("records");
    }
    let tagged = |tag: &str| {
        let query = AuditQuery { tag: Some(tag.into()), ..AuditQuery::default() };
        store.audit_page(&query).expect("lists").rows.iter().map(|row| row.seq).collect::<Vec<_>>()
    };
    assert_eq!((tagged("pay"), tagged("pii"), tagged("p")), (vec![1, 0], vec![0], vec![]));
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_tag"), 3);
}

/// `cargo nextest run -p signalbox-store --release --run-ignored only -E 'test(two_hundred_thousand)' --no-capture`: every
/// query beside the statements of before, and what an entry costs with and without the index of nodes.
#[test]
#[ignore = "a measurement"]
fn two_hundred_thousand() {
    let (folder, store) = temporary();
    let add = |store: &Store, n: u64| {
        let event = if n.is_multiple_of(50) { "NODE_ERROR" } else { "NODE_SUCCESS" };
        let facts = json!({ "attempt": 0, "message": format!("order {} of customer {}", n, n % 977) });
        let mut one = record(event, &format!("01a2009a-37a6-7464-a79a-{:012x}", n / 10), facts);
        one.node_id = format!("step-{}", n % 400);
        if n.is_multiple_of(5_000) {
            one.tags = Some(vec!["pii".into()]);
        }
        store.audit_append(one, None, false).expect("records");
    };
    (0..200_000).for_each(|n| add(&store, n));
    let best = |work: &dyn Fn()| {
        let once = |_| {
            let start = Instant::now();
            work();
            start.elapsed()
        };
        (0..5).map(once).min().unwrap_or(Duration::ZERO)
    };
    let plain = raw(folder.path());
    let before = |condition: &str| {
        let count = format!("SELECT count(*) FROM (SELECT 1 FROM audit_entry WHERE {condition} LIMIT 2001)");
        plain.query_row(&count, [], |row| row.get::<_, u64>(0)).expect("counts");
        let page = format!("SELECT seq FROM audit_entry WHERE {condition} ORDER BY seq DESC LIMIT 100");
        let mut page = plain.prepare(&page).expect("a statement");
        page.query_map([], |row| row.get::<_, u64>(0)).expect("lists").for_each(|row| assert!(row.is_ok()));
    };
    let text =
        |text: &str| (format!("entry LIKE '%{text}%'"), AuditQuery { text: vec![text.into()], ..Default::default() });
    let tag = "EXISTS (SELECT 1 FROM json_each(entry, '$.tags') WHERE json_each.value = 'pii')";
    let cases = [
        ("text, one hit", text("order 123456 of")),
        ("text, no hit", text("nowhere at all")),
        ("text, 205 hits", text("customer 976")),
        ("text, every entry", text("customer")),
        ("text, two letters, no hit", text("qq")),
        ("tag, 40 hits", (tag.into(), AuditQuery { tag: Some("pii".into()), ..Default::default() })),
        (
            "node, 500 hits",
            ("+node_id = 'step-7'".into(), AuditQuery { node: Some("step-7".into()), ..Default::default() }),
        ),
    ];
    let all = |when: &str| {
        for (what, (condition, query)) in &cases {
            let (old, new) = (best(&|| before(condition)), best(&|| drop(store.audit_page(query).expect("lists"))));
            println!("{when}: {what}: {old:?} -> {new:?}, {:.4} x", new.as_secs_f64() / old.as_secs_f64());
        }
    };
    all("not taken in");
    let size = || std::fs::metadata(folder.path().join("signalbox.db")).map_or(0, |file| file.len());
    let was = size();
    let start = Instant::now();
    while store.audit_index().expect("takes in") {}
    println!("taking in: {:?}", start.elapsed());
    all("taken in");
    plain.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("checkpoint");
    println!("size: {was} -> {}", size());

    let (other_folder, other) = temporary();
    raw(other_folder.path()).execute_batch("DROP INDEX audit_of_node").expect("as before");
    let (_third, fresh) = temporary();
    for round in 0..6_u64 {
        let span = || round * 20_000..(round + 1) * 20_000;
        let time = |store: &Store| {
            let start = Instant::now();
            span().for_each(|n| add(store, n));
            start.elapsed()
        };
        let (without, with) = (time(&other), time(&fresh));
        println!("20,000 entries: {without:?} -> {with:?}, {:.3} x", with.as_secs_f64() / without.as_secs_f64());
    }
}
