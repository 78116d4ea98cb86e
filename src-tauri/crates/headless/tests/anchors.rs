//! Anchors with the real program: what a checkpoint kept outside shows, and what happens when it cannot be kept.

mod support;

use serde_json::{Value, json};
use signalbox_store::audit::verify::Row;
use signalbox_store::audit::{Chain, Entry, Record, SignedCheckpoint};
use std::path::Path;
use support::{Box, Loopback, workflow};

fn run_once(place: &Box) {
    let document = workflow(json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), json!([]));
    let file = place.file("flow.signalbox.json", document.to_string());
    assert_eq!(place.run(&["run", &file.display().to_string(), "--json"]).code, 0);
}

fn verified(place: &Box, more: &[&str]) -> (i32, Value) {
    let mut args = vec!["audit", "verify", "--json"];
    args.extend(more);
    let done = place.run(&args);
    (done.code, done.json())
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("the folder").flatten() {
        if entry.path().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            std::fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
        }
    }
}

fn events(place: &Box, event: &str) -> usize {
    let query = format!("event:{event}");
    let list = place.run(&["audit", "list", "--query", &query, "--json"]).json();
    list.as_array().map_or(0, Vec::len)
}

/// E3: an older copy of the whole folder is put in its place.
#[test]
fn an_older_copy_is_found_by_an_anchor_alone() {
    let place = Box::new();
    run_once(&place);
    let file = place.dir.path().join("outside.jsonl").display().to_string();
    let added = place.run(&["audit", "anchor", "add", "--file", &file, "--json"]);
    assert_eq!(added.code, 0, "{} {}", added.out, added.err);
    let row = added.json()[0].clone();
    assert_eq!((row["kind"].as_str(), row["error"].is_null(), row["at"].is_string()), (Some("file"), true, true));
    let (code, verdict) = verified(&place, &["--anchor", &file]);
    assert_eq!((code, &verdict["anchoredUpTo"]), (0, &row["size"]), "{verdict}");
    assert_eq!(events(&place, "AUDIT_ANCHORED"), 1);
    // Nothing happened but the anchoring: no second line, no second entry.
    assert_eq!(place.run(&["audit", "anchor", "now"]).code, 0);
    assert_eq!(std::fs::read_to_string(&file).expect("lines").lines().count(), 1);

    let old = place.dir.path().join("old");
    copy(&place.data(), &old);
    run_once(&place);
    assert_eq!(place.run(&["audit", "anchor", "now", "--json"]).code, 0);
    assert_eq!(std::fs::read_to_string(&file).expect("lines").lines().count(), 2);
    assert_eq!(verified(&place, &[]).0, 0);

    std::fs::remove_dir_all(place.data()).expect("gone");
    copy(&old, &place.data());
    let (code, verdict) = verified(&place, &["--anchor", &file]);
    assert_eq!((code, verdict["broken"]["kind"].as_str()), (1, Some("ANCHOR_MISMATCH")), "{verdict}");
    // The place is known to the old copy too: every verification looks there.
    let (code, verdict) = verified(&place, &[]);
    assert_eq!((code, verdict["state"].as_str()), (1, Some("broken")), "{verdict}");
    let failed = place.run(&["audit", "list", "--query", "event:AUDIT_VERIFY_FAILED", "--json"]).json();
    assert_eq!(failed.as_array().map(Vec::len), Some(1), "once per finding: {failed}");
    // E2: what follows says on which good root it stands.
    assert!(failed[0]["metadata"]["lastGood"]["rootHash"].is_string(), "{failed}");
}

/// E3: everything is rewritten with hashes that fit, and whatever else is in the folder says the same.
#[test]
fn a_full_rewrite_is_found_by_an_anchor_alone() {
    let place = Box::new();
    run_once(&place);
    let file = place.dir.path().join("outside.jsonl").display().to_string();
    assert_eq!(place.run(&["audit", "anchor", "add", "--file", &file, "--json"]).code, 0);
    rewrite(&place.data());
    let (code, verdict) = verified(&place, &[]);
    assert_eq!(code, 0, "without the anchor nothing shows it: {verdict}");
    let (code, verdict) = verified(&place, &["--anchor", &file]);
    assert_eq!((code, verdict["broken"]["kind"].as_str()), (1, Some("ANCHOR_MISMATCH")), "{verdict}");
}

/// Seals every entry anew, the first one changed, and removes what would tell.
fn rewrite(data: &Path) {
    let store = rusqlite::Connection::open(data.join("signalbox.db")).expect("opens");
    let rows: Vec<Row> = store
        .prepare("SELECT seq, entry, hash FROM audit_entry ORDER BY seq")
        .expect("reads")
        .query_map([], |row| Ok(Row { seq: row.get(0)?, text: row.get(1)?, hash: row.get(2)?, signature: None }))
        .expect("reads")
        .collect::<Result<_, _>>()
        .expect("rows");
    let first: Entry = serde_json::from_str(&rows[0].text).expect("an entry");
    let mut chain = Chain::new(first.log_id.as_str());
    for row in rows {
        let entry: Entry = serde_json::from_str(&row.text).expect("an entry");
        let mut record =
            Record::new(entry.timestamp, entry.run_id, entry.node_id, entry.event, entry.level, entry.actor);
        record.metadata = entry.metadata;
        if row.seq == 0 {
            record.timestamp = "2020-01-01T00:00:00.000Z".into();
        }
        let sealed = chain.seal(record).expect("seals");
        store
            .execute(
                "UPDATE audit_entry SET entry = ?, hash = ?, signature = NULL WHERE seq = ?",
                rusqlite::params![sealed.text, sealed.hash.to_hex(), row.seq],
            )
            .expect("writes");
    }
    store
        .execute_batch("DELETE FROM audit_checkpoint; DELETE FROM audit_meta WHERE name LIKE 'note.%'")
        .expect("writes");
    std::fs::remove_file(data.join("signalbox.mark")).expect("the mark beside the store");
}

/// A webhook gets the signed checkpoint; one that fails is told, recorded once, and tried again.
#[test]
fn a_webhook_gets_the_checkpoint_or_it_is_told() {
    let (place, peer) = (Box::new(), Loopback::start());
    run_once(&place);
    let url = format!("{}/log?token=hidden", peer.base);
    let added = place.run(&["audit", "anchor", "add", "--url", &url, "--json"]);
    assert_eq!(added.code, 0, "{} {}", added.out, added.err);
    let bodies = peer.bodies("/log?token=hidden");
    let sealed = SignedCheckpoint::from_line(&bodies[0]).expect("a checkpoint");
    assert_eq!((bodies.len(), Some(sealed.checkpoint.size)), (1, added.json()[0]["size"].as_u64()));
    assert!(sealed.signature.is_some());
    let chain = place.run(&["audit", "list", "--json"]).out;
    assert!(chain.contains("/log") && !chain.contains("hidden"), "what may be secret stays out of the chain");
    assert!(!place.run(&["audit", "anchor", "list", "--json"]).out.contains("hidden"));
    assert_eq!(place.run(&["audit", "anchor", "add", "--url", &url, "--json"]).code, 2, "it is there already");

    let down = format!("{}/down", peer.base);
    let added = place.run(&["audit", "anchor", "add", "--url", &down, "--json"]);
    assert_eq!(added.code, 1, "{}", added.out);
    let error = added.json()[1]["error"].as_str().map(str::to_owned).unwrap_or_default();
    assert!(error.contains("answered 503"), "{error}");
    run_once(&place);
    let again = place.run(&["audit", "anchor", "now", "--json"]).json();
    assert_eq!((again[0]["error"].is_null(), again[1]["error"].is_string()), (true, true));
    assert_eq!((peer.hits("/down"), events(&place, "AUDIT_ANCHOR_FAILED")), (2, 1), "recorded once until it works");
    let id = again[1]["id"].as_str().expect("an id").to_owned();
    assert_eq!(place.run(&["audit", "anchor", "remove", &id, "--json"]).json().as_array().map(Vec::len), Some(1));
    assert_eq!(place.run(&["audit", "anchor", "remove", &id, "--json"]).code, 2);
    // Metadata addresses of clouds, files, unknown hosts: refused before anything is sent.
    for (bad, code) in
        [("http://169.254.169.254/x", 1), ("http://192.168.77.7/x", 1), ("file:///etc/passwd", 2), ("log", 2)]
    {
        let done = place.run(&["audit", "anchor", "add", "--url", bad, "--json"]);
        assert_eq!(done.code, code, "{bad}: {}", done.out);
    }
    assert_eq!(verified(&place, &[]).0, 0);
}
