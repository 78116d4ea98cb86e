use crate::people::record;
use crate::support::temporary;
use serde_json::json;
use signalbox_audit::{Actor, Level, Record};
use signalbox_store::{AuditQuery, AuditWithout, Store};

fn entry(n: usize) -> Record {
    let message = if n.is_multiple_of(9) { "Paid 4711 EUR" } else { "waits" };
    let mut entry = record("NOTE", "r", json!({ "message": message }));
    entry.run_id = format!("run-{}", n / 100);
    entry.node_id = format!("n{}", n % 7);
    entry.event = ["NODE_START", "NODE_SUCCESS", "NODE_ERROR", "HITL_COMPLETED"][n % 4].into();
    entry.level = [Level::Info, Level::Warn, Level::Error][n % 3];
    entry.actor = if n.is_multiple_of(5) { Actor::operator("user:anna") } else { Actor::system() };
    entry.tags = n.is_multiple_of(11).then(|| vec!["money".to_owned()]);
    entry
}

fn found(store: &Store, without: AuditWithout, query: AuditQuery) -> Vec<u64> {
    let query = AuditQuery { without, limit: 1_000, ..query };
    let page = store.audit_page(&query).expect("lists");
    assert_eq!(page.total, page.rows.len() as u64);
    let mut all = Vec::new();
    let take = |row: signalbox_audit::verify::Row| {
        all.push(row.seq);
        true
    };
    store.audit_matching(&query, take).expect("exports");
    let listed: Vec<u64> = page.rows.into_iter().rev().map(|row| row.seq).collect();
    assert_eq!(all, listed, "what is exported is what is listed");
    let counted: u64 = store.audit_facets(&query).expect("counts").events.iter().map(|(_, count)| count).sum();
    assert_eq!(counted, listed.len() as u64, "and what is counted");
    listed
}

/// The same is left out whether the entries are in the tables and in the index of texts or are not in yet.
#[test]
fn what_is_left_out_is_nowhere() {
    let (_folder, store) = temporary();
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let look = |n: usize| {
        let rest = |without: AuditWithout, stays: &dyn Fn(usize) -> bool| {
            let wanted: Vec<u64> = (0..=n).filter(|n| stays(*n)).map(|n| n as u64).collect();
            assert_eq!(found(&store, without.clone(), AuditQuery::default()), wanted, "{without:?} of {n}");
        };
        let none = AuditWithout::default;
        rest(AuditWithout { events: names(&["NODE_START"]), ..none() }, &|n| n % 4 != 0);
        rest(AuditWithout { events: names(&["NODE_START", "NODE_SUCCESS"]), ..none() }, &|n| n % 4 > 1);
        let errors = AuditWithout { events: names(&["NODE_SUCCESS", "NODE_ERROR", "NODE_START"]), ..none() };
        rest(errors, &|n| n % 4 == 3);
        rest(AuditWithout { levels: vec![Level::Info], ..none() }, &|n| n % 3 != 0);
        rest(AuditWithout { levels: vec![Level::Warn], ..none() }, &|n| n % 3 != 1);
        rest(AuditWithout { actors: names(&["system"]), ..none() }, &|n| n % 5 == 0);
        for anna in ["anna", "user:anna", "human"] {
            rest(AuditWithout { actors: names(&[anna]), ..none() }, &|n| n % 5 != 0);
        }
        rest(AuditWithout { actors: names(&["ann", "agent"]), ..none() }, &|_| true);
        rest(AuditWithout { runs: names(&["run-0", "run-2"]), ..none() }, &|n| n / 100 != 0 && n / 100 != 2);
        rest(AuditWithout { nodes: names(&["n3"]), ..none() }, &|n| n % 7 != 3);
        rest(AuditWithout { tags: names(&["money"]), ..none() }, &|n| n % 11 != 0);
        rest(AuditWithout { error_types: names(&["Timeout"]), ..none() }, &|_| true);
        for text in ["4711", "PAID 47", "eu"] {
            rest(AuditWithout { texts: names(&[text]), ..none() }, &|n| n % 9 != 0);
        }
        // Together with what is asked for.
        let asked = AuditQuery { event: Some("HITL_COMPLETED".into()), ..AuditQuery::default() };
        let without = AuditWithout { actors: names(&["anna"]), texts: names(&["paid"]), ..none() };
        let wanted: Vec<u64> = (0..=n).filter(|n| n % 4 == 3 && n % 5 != 0 && n % 9 != 0).map(|n| n as u64).collect();
        assert_eq!(found(&store, without, asked), wanted, "{n}");
    };
    for n in 0..520_usize {
        store.audit_append(entry(n), None, false).expect("records");
        if n == 300 {
            while store.audit_index().expect("takes in") {}
        }
        if [0, 255, 300, 400, 519].contains(&n) {
            look(n);
        }
    }
}

#[test]
fn workflows_and_types_of_error_are_left_out() {
    let (_folder, store) = temporary();
    for kind in [None, Some("Timeout"), Some("ToolError")] {
        let entry = record("NODE_ERROR", "r", kind.map_or(json!({}), |kind| json!({ "errorType": kind })));
        store.audit_append(entry, None, false).expect("records");
    }
    let without = AuditWithout { error_types: vec!["Timeout".into()], ..AuditWithout::default() };
    assert_eq!(found(&store, without, AuditQuery::default()), [0, 2], "no type is another type");
    // A run that is not there any more is of no workflow.
    let without = AuditWithout { workflows: vec!["invoices".into()], ..AuditWithout::default() };
    assert_eq!(found(&store, without, AuditQuery::default()), [0, 1, 2]);
}
