//! Anchors with the real program: what a checkpoint kept outside shows, and what happens when it cannot be kept.

use crate::support;

use serde_json::{Value, json};
use signalbox_store::audit::verify::Row;
use signalbox_store::audit::{Chain, Entry, Record, SignedCheckpoint};
use std::path::Path;
use support::{Loopback, TestHome, workflow};

fn run_once(place: &TestHome) {
    let document = workflow(json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), json!([]));
    let file = place.file("flow.signalbox.json", document.to_string());
    assert_eq!(place.run(&["run", &file.display().to_string(), "--json"]).code, 0);
}

fn verified(place: &TestHome, more: &[&str]) -> (i32, Value) {
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

fn events(place: &TestHome, event: &str) -> usize {
    let query = format!("event:{event}");
    let list = place.run(&["audit", "list", "--query", &query, "--json"]).json();
    list.as_array().map_or(0, Vec::len)
}

/// E3: an older copy of the whole folder is put in its place.
#[test]
fn an_older_copy_is_found_by_an_anchor_alone() {
    let place = TestHome::new();
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
    let place = TestHome::new();
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
    let (place, peer) = (TestHome::new(), Loopback::start());
    run_once(&place);
    let plain = format!("{}/log?token=hidden", peer.base);
    let refused = place.run(&["audit", "anchor", "add", "--url", &plain, "--json"]);
    assert_eq!(
        (refused.code, refused.json()["error"]["code"].as_str()),
        (2, Some("PLAIN_CREDENTIAL")),
        "{}",
        refused.out
    );
    let url = format!("{}/log?kind=anchor", peer.base);
    let unsaid = place.run(&["audit", "anchor", "add", "--url", &url, "--json"]);
    assert_eq!((unsaid.code, unsaid.json()["error"]["code"].as_str()), (2, Some("ADDRESS_REFUSED")), "{}", unsaid.out);
    assert_eq!(peer.hits("/log?kind=anchor"), 0, "nothing is sent to this machine before a person allows it");
    let added = place.run(&["audit", "anchor", "add", "--url", &url, "--allow-local", "--json"]);
    assert_eq!(added.code, 0, "{} {}", added.out, added.err);
    let bodies = peer.bodies("/log?kind=anchor");
    let sealed = SignedCheckpoint::from_line(&bodies[0]).expect("a checkpoint");
    assert_eq!((bodies.len(), Some(sealed.checkpoint.size)), (1, added.json()[0]["size"].as_u64()));
    assert!(sealed.signature.is_some());
    let chain = place.run(&["audit", "list", "--json"]).out;
    assert!(chain.contains("/log") && !chain.contains("kind=anchor"), "what may be secret stays out of the chain");
    assert_eq!(
        place.run(&["audit", "anchor", "add", "--url", &url, "--allow-local", "--json"]).code,
        2,
        "it is there already"
    );

    let down = format!("{}/down", peer.base);
    let added = place.run(&["audit", "anchor", "add", "--url", &down, "--allow-local", "--json"]);
    assert_eq!(added.code, 1, "{}", added.out);
    let error = added.json()[1]["error"].as_str().map(str::to_owned).unwrap_or_default();
    assert!(error.contains("answered 503"), "{error}");
    // One more is added and anchored: the other one that fails is told, and is not what was asked.
    let file = place.dir.path().join("anchors.jsonl").display().to_string();
    let added = place.run(&["audit", "anchor", "add", "--file", &file, "--json"]);
    let list = added.json();
    assert_eq!((added.code, list[1]["error"].is_null(), list[2]["error"].is_null()), (0, false, true), "{list}");
    let id = list[2]["id"].as_str().expect("an id").to_owned();
    assert_eq!(place.run(&["audit", "anchor", "list", "--json"]).code, 1, "how all of them stand");
    place.run(&["audit", "anchor", "remove", &id, "--json"]);
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
        let done = place.run(&["audit", "anchor", "add", "--url", bad, "--allow-local", "--json"]);
        assert_eq!(done.code, code, "{bad}: {}", done.out);
    }
    assert_eq!(verified(&place, &[]).0, 0);
}

/// A secret of the machine goes along; it stands neither in the store nor in the chain, nor in a list.
#[test]
fn a_webhook_gets_a_credential_that_stands_nowhere() {
    let (place, peer) = (TestHome::new(), Loopback::start());
    run_once(&place);
    let url = format!("{}/log", peer.base);
    let add = |name: &str| {
        place.run(&["audit", "anchor", "add", "--url", &url, "--credential", name, "--allow-local", "--json"])
    };
    assert_eq!(place.run(&["secret", "choose", "file", "--json"]).code, 0);
    assert_eq!((add("secret://log").code, add("hunter2").code), (2, 2), "no such secret; no reference");
    let set = ["secret", "set", "log", "--kind", "query", "--field", "token", "--host", &peer.base, "--json"];
    let kept = place.run_with(&set, "hidden-0123456789\n");
    assert_eq!(kept.code, 0, "{}{}", kept.out, kept.err);
    let added = add("secret://log");
    assert_eq!(added.code, 0, "{}", added.out);
    let row = added.json()[0].clone();
    assert_eq!(
        (row["credential"].as_str(), row["place"].as_str()),
        (Some("secret://log"), Some(url.as_str())),
        "{row}"
    );
    assert_eq!(peer.hits("/log?token=hidden-0123456789"), 1);
    for list in [["audit", "list", "--json"].as_slice(), &["audit", "anchor", "list", "--json"]] {
        assert!(!place.run(list).out.contains("hidden"));
    }
    for file in ["signalbox.db", "signalbox.db-wal"] {
        let bytes = std::fs::read(place.data().join(file)).unwrap_or_default();
        assert!(!bytes.windows(6).any(|window| window == b"hidden"), "{file}");
    }
    // Without the secret the place fails and says why.
    assert_eq!(place.run(&["secret", "delete", "log", "--json"]).code, 0);
    run_once(&place);
    let failed = place.run(&["audit", "anchor", "now", "--json"]);
    assert!(
        failed.code == 1 && failed.json()[0]["error"].as_str().is_some_and(|why| why.contains("'log'")),
        "{}",
        failed.out
    );
}

/// A place of an older release has its credential in the address: it becomes a secret as soon as secrets can be kept.
#[test]
fn a_plain_credential_of_before_becomes_a_secret() {
    let (place, peer) = (TestHome::new(), Loopback::start());
    run_once(&place);
    let url = format!("{}/log?token=hidden-0123456789&kind=anchor", peer.base);
    let old = json!([{ "id": "01a2009a-37a6-7464-a79a-75ea2b8117cd", "kind": "webhook", "place": url, "everyMinutes": 60, "here": true }]);
    let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    store
        .execute("INSERT INTO audit_meta (name, value) VALUES ('note.anchors', ?)", [old.to_string()])
        .expect("as before");
    drop(store);
    let told = place.run(&["audit", "anchor", "now", "--json"]).json();
    assert!(told[0]["warning"].as_str().is_some_and(|why| why.contains("Settings, Secrets")), "{told}");
    assert!(told[0]["error"].is_null() && !told.to_string().contains("hidden"), "it goes on: {told}");
    assert_eq!(place.run(&["secret", "choose", "file", "--json"]).code, 0);
    run_once(&place);
    let told = place.run(&["audit", "anchor", "now", "--json"]).json();
    assert_eq!((told[0]["warning"].is_null(), told[0]["error"].is_null()), (true, true), "{told}");
    assert_eq!(told[0]["credential"].as_str(), Some("secret://anchor-dc7118b2ae57"), "{told}");
    assert_eq!(peer.hits("/log?kind=anchor&token=hidden-0123456789"), 1, "what is sent is the same");
    let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    let kept: String = store
        .query_row("SELECT value FROM audit_meta WHERE name = 'note.anchors'", [], |row| row.get(0))
        .expect("reads");
    assert!(!kept.contains("hidden"), "{kept}");
    assert_eq!((events(&place, "AUDIT_ANCHOR_CHANGED"), events(&place, "SECRET_SET")), (1, 1));
}

/// A crash cut the last line of the file off: it is told, the others count. A damaged line is named.
#[test]
fn a_cut_line_does_not_keep_the_others_from_counting() {
    let place = TestHome::new();
    run_once(&place);
    let path = place.dir.path().join("outside.jsonl");
    let file = path.display().to_string();
    assert_eq!(place.run(&["audit", "anchor", "add", "--file", &file, "--json"]).code, 0);
    let text = std::fs::read_to_string(&path).expect("lines");
    std::fs::write(&path, format!("{text}{}", &text[..100])).expect("cut");
    let (code, verdict) = verified(&place, &["--anchor", &file]);
    assert_eq!(
        (code, verdict["anchorLines"][0]["line"].as_u64(), verdict["anchoredUpTo"].is_u64()),
        (0, Some(2), true),
        "{verdict}"
    );
    let told = place.run(&["audit", "verify", "--anchor", &file]);
    assert!(told.code == 0 && told.out.contains("Line 2 of"), "{}", told.out);
    run_once(&place);
    assert_eq!(place.run(&["audit", "anchor", "now", "--json"]).code, 0);
    assert_eq!(std::fs::read_to_string(&path).expect("lines").lines().count(), 2, "the next one replaces it");
    std::fs::write(&path, text.replacen("cpSeq", "cpXeq", 1) + &text).expect("damaged");
    let done = place.run(&["audit", "verify", "--anchor", &file, "--json"]);
    assert!(done.code == 2 && done.out.contains("line 1"), "{}{}", done.out, done.err);
    let (code, verdict) = verified(&place, &[]);
    assert_eq!((code, verdict["anchorLines"][0]["line"].as_u64()), (0, Some(1)), "{verdict}");
    let told = place.run(&["audit", "anchor", "list", "--json"]);
    assert!(
        told.code == 1 && told.json()[0]["error"].as_str().is_some_and(|why| why.contains("line 1")),
        "{}",
        told.out
    );
}
