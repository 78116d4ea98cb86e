//! Retention with the real program: what is old goes, a signed entry stands for it, and both verifiers say so.

use crate::support;

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use support::{TestHome, workflow};

const DB: &str = "signalbox.db";

fn run_once(place: &TestHome) {
    let document = workflow(json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), json!([]));
    let file = place.file("flow.signalbox.json", document.to_string());
    assert_eq!(place.run(&["run", &file.display().to_string(), "--json"]).code, 0);
}

fn json_of(place: &TestHome, args: &[&str]) -> (i32, Value) {
    let done = place.run(args);
    (done.code, if done.out.is_empty() { Value::Null } else { done.json() })
}

fn sql(place: &TestHome, text: &str) {
    let connection = rusqlite::Connection::open(place.data().join(DB)).expect("the store");
    connection.execute_batch(text).expect("executed");
}

/// Entries are as old as their columns say: what finds rows is not what holds.
fn age(place: &TestHome, below: u64) {
    sql(place, &format!("UPDATE audit_entry SET ts_high = 1000, ts = 1000 WHERE seq < {below};"));
}

fn python(args: &[&str]) -> (i32, Value) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/audit/verify.py");
    let done = Command::new("python3").arg(script).args(args).output().expect("python3");
    (done.status.code().unwrap_or(-1), serde_json::from_slice(&done.stdout).unwrap_or_default())
}

/// UX E8: the chain still verifies and says so, in the program and in the second verifier; exports go on; a forged or a
/// missing record does not pass.
#[test]
fn e_08_old_entries_go_and_a_signed_entry_stands_for_them() {
    let place = TestHome::new();
    run_once(&place);
    let old = place.dir.path().join("old.zip").display().to_string();
    // An export seals a checkpoint: a place to cut.
    assert_eq!(place.run(&["audit", "export", "--out", &old]).code, 0);
    run_once(&place);
    let (_, before) = json_of(&place, &["audit", "verify", "--json"]);
    let sealed = before["lastCheckpoint"]["size"].as_u64().expect("sealed");
    assert_eq!(json_of(&place, &["audit", "retention", "--json"]).1["removed"], 0);
    assert_eq!(place.run(&["audit", "retention", "--now", "--json"]).code, 2, "no policy, nothing goes");
    assert_eq!(place.run(&["audit", "retention", "--keep-days", "0", "--json"]).code, 2);
    let first = json_of(&place, &["audit", "list", "--json"]).1;
    let cut =
        first.as_array().expect("entries").iter().position(|e| e["event"] == "AUDIT_EXPORTED").expect("exported") + 1;
    age(&place, cut as u64);

    let (code, told) = json_of(&place, &["audit", "retention", "--keep-days", "30", "--now", "--json"]);
    assert_eq!((code, &told["keepDays"], &told["done"]["removed"]), (0, &json!(30), &json!(cut)), "{told}");
    assert!(told["record"].is_u64() && told["held"].is_null() && sealed >= cut as u64, "{told}");
    let (code, verdict) = json_of(&place, &["audit", "verify", "--json"]);
    assert_eq!((code, &verdict["state"], &verdict["removed"]), (0, &json!("intact"), &json!(cut)), "{verdict}");
    assert!(place.run(&["audit", "verify"]).out.contains(&format!("The first {cut} were removed by retention")));
    let left = json_of(&place, &["audit", "list", "--json"]).1;
    assert_eq!(left[0]["seq"], json!(cut), "the oldest is where the checkpoint ended");
    // Once more removes nothing more, and the chain goes on.
    assert_eq!(json_of(&place, &["audit", "retention", "--now", "--json"]).1["done"]["removed"], 0);
    run_once(&place);
    assert_eq!(json_of(&place, &["audit", "verify", "--json"]).0, 0);

    // All that is left, a query, and lines: each verifies alone, here and by the other verifier.
    let export = |name: &str, more: &[&str]| -> String {
        let file = place.dir.path().join(name).display().to_string();
        let mut args = vec!["audit", "export", "--out", &file];
        args.extend(more);
        assert_eq!(place.run(&args).code, 0);
        file
    };
    let whole = export("whole.zip", &[]);
    let (code, told) = json_of(&place, &["audit", "verify", &whole, "--json"]);
    assert_eq!((code, &told["verdict"]["removed"]), (0, &json!(cut)), "{told}");
    let (code, told) = python(&[&whole]);
    assert_eq!((code, &told["intact"], &told["removed"]), (0, &json!(true), &json!(cut)), "{told}");
    let part = export("part.zip", &["--query", "event:WORKFLOW_COMPLETED"]);
    let (code, told) = json_of(&place, &["audit", "verify", &part, "--json"]);
    assert_eq!((code, &told["query"]), (0, &json!("event:WORKFLOW_COMPLETED")), "ADR 78: it says what it is");
    assert!(told["runs"].as_array().expect("runs").iter().any(|run| run["complete"] == false), "{told}");
    let part = export("starts.zip", &["--query", "event:NODE_START"]);
    let (code, told) = json_of(&place, &["audit", "verify", &part, "--json"]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(python(&[&part]).0, 0);
    let lines = export("lines.jsonl", &[]);
    let (code, told) = python(&[&lines]);
    assert_eq!((code, &told["removed"]), (0, &json!(cut)), "{told}");
    // What was taken before is what it was.
    assert_eq!(json_of(&place, &["audit", "verify", &old, "--json"]).0, 0);

    // Somebody forges the record, or takes more than it says.
    sql(
        &place,
        "CREATE TABLE kept AS SELECT seq, signature FROM audit_entry WHERE event = 'AUDIT_RETENTION';
                 UPDATE audit_entry SET signature = NULL WHERE event = 'AUDIT_RETENTION';",
    );
    let (code, verdict) = json_of(&place, &["audit", "verify", "--json"]);
    assert_eq!((code, &verdict["broken"]["kind"]), (1, &json!("WRONG_SIGNER")), "{verdict}");
    sql(&place, "UPDATE audit_entry SET signature = kept.signature FROM kept WHERE kept.seq = audit_entry.seq;");
    assert_eq!(json_of(&place, &["audit", "verify", "--json"]).0, 0);
    sql(&place, &format!("DELETE FROM audit_entry WHERE seq = {cut};"));
    let (code, verdict) = json_of(&place, &["audit", "verify", "--json"]);
    assert_eq!((code, &verdict["broken"]["kind"]), (1, &json!("MISSING")), "{verdict}");
    // Nothing goes from a chain that is broken.
    assert_eq!(place.run(&["audit", "retention", "--now", "--json"]).code, 2);
}
