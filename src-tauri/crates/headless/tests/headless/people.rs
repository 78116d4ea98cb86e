//! People and the audit chain from outside: the command line and REST, with the real program.

use crate::support;

use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Barrier;
use support::{Serving, TestHome, eventually};

const ANNA: &str = "operator-token-of-anna-0123";
const BOB: &str = "operator-token-of-bob-01234";
const VIEWER: &str = "viewer-token-0123456789";

/// A step that refuses its input and says what it wants, and a person who decides.
fn asks() -> Value {
    let schema = json!({
        "type": "object", "required": ["age"], "properties": { "age": { "type": "integer" }, "email": { "type": "string" } },
    });
    json!({
        "signalbox": 1, "id": "asks", "name": "Asks",
        "nodes": {
            "read": { "type": "data.set", "config": { "assign": { "age": "=params.age", "email": "ada@example.org" } } },
            "check": { "type": "flow.fail", "title": "Check the age", "config": { "error": {
                "type": "ValidationError", "message": "ada@example.org has no age", "retryable": false,
                "details": { "code": "INPUT_INVALID", "schema": schema } } } },
            "ask": { "type": "builtin.human_decision", "config": { "title": "Look at the age" } },
            "end": { "type": "flow.noop" },
        },
        "edges": [
            { "from": "read.success", "to": "check" }, { "from": "check.error", "to": "ask" },
            { "from": "ask.skip", "to": "end" },
        ],
    })
}

/// Starts the run by the command line; gives run and task.
fn paused(place: &TestHome) -> (String, String) {
    let file = place.file("asks.signalbox.json", asks().to_string());
    let done = place.run(&["run", &file.display().to_string(), "--params", "{\"age\":\"36\"}", "--json"]);
    assert_eq!(done.code, 3, "{}\n{}", done.out, done.err);
    let summary = done.last();
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    (text(&summary["runId"]), text(&summary["openTasks"][0]))
}

/// UX D2.8: the time of a task stands still while somebody else is waited for.
#[test]
fn a_task_is_held_at_the_terminal() {
    let place = TestHome::new();
    let nodes = json!({ "ok": { "type": "builtin.human_approval", "config": { "ttlMs": 3_600_000 } } });
    let file = place.file("ok.signalbox.json", support::workflow(nodes, json!([])).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--json"]);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    let task = done.last()["openTasks"][0].as_str().expect("a task").to_owned();
    let held = place.run(&["tasks", "hold", &task, "--notes", "The supplier calls back", "--as", "user:anna"]);
    assert!(held.code == 0 && held.out.contains("the deadline is paused"), "{}{}", held.out, held.err);
    let shown = place.run(&["tasks", "show", &task, "--json"]).json();
    assert!(shown["heldSince"].is_string(), "{shown}");
    let list = place.run(&["audit", "list", "--query", "event:TASK_HELD", "--json"]).json();
    let told = (list[0]["actor"]["id"].as_str(), list[0]["metadata"]["notes"].as_str());
    assert_eq!(told, (Some("user:anna"), Some("The supplier calls back")), "{list}");
    let goes_on = place.run(&["tasks", "continue", &task, "--json"]).json();
    assert!(goes_on["id"].is_string() && goes_on.get("heldSince").is_none(), "{goes_on}");
    assert_eq!(place.run(&["tasks", "complete", &task, "--action", "approve"]).code, 0);
    let late = place.run(&["tasks", "hold", &task, "--json"]);
    assert_eq!((late.code, late.json()["error"]["code"].as_str()), (5, Some("ALREADY_ANSWERED")), "{}", late.out);
    assert_eq!(place.run(&["tasks", "continue", "no-task"]).code, 2);
}

/// TS-017, TS-052, exit codes of INTERFACES 1.
#[test]
fn ts_017_a_person_answers_at_the_terminal() {
    let place = TestHome::new();
    let (run, task) = paused(&place);
    let list = place.run(&["tasks", "list", "--json"]).json();
    assert_eq!((list[0]["id"].as_str(), list[0]["nodeId"].as_str()), (Some(task.as_str()), Some("check")));
    assert_eq!(list[0]["errorMessage"], "•••1• has no age", "masked in lists");
    let runs = place.run(&["runs", "list", "--json"]).json();
    assert_eq!((&runs[0]["status"], &runs[0]["openTaskCount"]), (&json!("paused"), &json!(1)), "{runs}");
    let told = place.run(&["runs", "list"]).out;
    assert!(told.contains("1 task waits for a person"), "{told}");
    let shown = place.run(&["tasks", "show", &task, "--json"]).json();
    assert_eq!(shown["input"], json!({ "age": "36", "email": "•••1•" }));
    assert_eq!(shown["redacted"], json!(["/email"]));
    assert_eq!(shown["error"]["message"], "•••1• has no age");
    assert_eq!(shown["suggestions"][0]["correctedInput"]["age"], 36);
    assert!(shown.get("secret").is_none(), "only on request");
    assert!(!shown.to_string().contains("ada@example.org"), "{shown}");

    let complete = |more: &[&str]| {
        let mut args = vec!["tasks", "complete", task.as_str(), "--json"];
        args.extend(more);
        place.run(&args)
    };
    let bad = complete(&["--action", "correct", "--input", "{\"age\":\"x\",\"email\":\"•••1•\"}"]);
    assert_eq!(bad.code, 2, "{}", bad.out);
    let error = &bad.json()["error"];
    assert_eq!(
        (error["code"].as_str(), error["details"]["violations"][0]["path"].as_str()),
        (Some("INPUT_INVALID"), Some("/age"))
    );
    for (more, code) in [
        (vec!["--action", "approve"], "ACTION_NOT_ALLOWED"),
        (vec!["--action", "correct"], "INPUT_INVALID"),
        (vec!["--action", "skip", "--target", "end"], "BAD_TARGET"),
        (vec!["--action", "skip", "--as", "anna"], "BAD_REQUEST"),
        (vec!["--action", "nothing"], "BAD_ARGUMENTS"),
    ] {
        let done = complete(&more);
        assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some(code)), "{more:?}");
    }
    assert_eq!(place.run(&["tasks", "show", "nope", "--json"]).code, 2);
    assert_eq!(place.run(&["tasks", "list", "--json"]).json()[0]["revision"], 1, "the task stays as it was");

    assert_eq!(place.run(&["tasks", "claim", &task, "--as", "user:bob", "--json"]).json()["claimedBy"], "user:bob");
    assert_eq!(complete(&["--action", "skip", "--as", "user:anna"]).code, 5, "bob works on it");
    assert_eq!(place.run(&["tasks", "claim", &task, "--as", "user:anna"]).code, 5);
    assert_eq!(place.run(&["tasks", "release", &task, "--as", "user:bob"]).code, 0);

    // The mask stands for the value that it hides.
    let fixed = ["--action", "correct", "--input", "{\"age\":36,\"email\":\"•••1•\"}", "--notes", "typing error"];
    let done = complete(&[&fixed[..], &["--as", "user:anna", "--request-id", "q1"]].concat());
    assert_eq!(done.json(), json!({ "taskId": task, "runId": run, "state": "done", "driven": false }));
    let again = complete(&[&fixed[..], &["--as", "user:anna", "--request-id", "q1"]].concat());
    assert_eq!((again.code, again.out), (0, done.out), "TS-020: the same request, the same answer");
    let late = complete(&["--action", "skip", "--as", "user:bob"]);
    assert_eq!(late.code, 5);
    let details = late.json()["error"]["details"].clone();
    assert_eq!(
        (details["who"].as_str(), late.json()["error"]["code"].as_str()),
        (Some("user:anna"), Some("ALREADY_ANSWERED"))
    );

    assert_eq!(place.run(&["resume", &run, "--json"]).code, 3, "the step refuses again: the next task");
    let events = place.run(&["runs", "events", &run]).out;
    assert!(events.contains(r#"{"age":36,"email":"ada@example.org"}"#), "the whole input went on");
    let entries = place.run(&["audit", "list", "--run", &run, "--query", "event:HITL_COMPLETED", "--json"]).json();
    let entry = &entries[0];
    assert_eq!(entries.as_array().map(Vec::len), Some(1), "one decision, one entry");
    assert_eq!(entry["actor"], json!({ "id": "user:anna", "role": "operator", "type": "human" }));
    let facts = &entry["metadata"];
    assert_eq!(
        (&facts["action"], &facts["notes"], &facts["via"]),
        (&json!("correct"), &json!("typing error"), &json!("cli"))
    );
    assert!(facts["osUser"].is_string() && facts["delta"] == 1 && entry["signature"].is_string(), "{entry}");
    assert!(!entries.to_string().contains("ada@example.org"));
}

/// UX E7: an export shows less, says so, and verifies offline with both verifiers.
#[test]
fn ux_e7_an_export_hides_and_still_proves() {
    let place = TestHome::new();
    let (run, task) = paused(&place);
    let notes = "Ada called about it";
    place.run(&["tasks", "complete", &task, "--action", "skip", "--notes", notes, "--as", "user:anna"]);
    assert_eq!(place.run(&["resume", &run]).code, 0);
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/audit/verify.py");
    for (name, profile, more) in [
        ("m.zip", "masked", vec!["--run", &run]),
        ("all.zip", "minimal", vec![]),
        ("p.zip", "full", vec!["--hide", "/nodeId"]),
    ] {
        let args = [&["audit", "export", "--profile", profile, "--out", name, "--json"], more.as_slice()].concat();
        let done = place.run(&args);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        let told = place.run(&["audit", "verify", name, "--json"]);
        let found = told.json();
        assert_eq!(
            (told.code, &found["pinned"], found["profile"].as_str()),
            (0, &json!(true), Some(profile)),
            "{found}"
        );
        let part = found["verdict"]["shownInPart"].as_u64().expect("some are shown in part");
        let python = std::process::Command::new("python3").arg(&script).arg(place.dir.path().join(name)).output();
        let python = String::from_utf8(python.expect("python3").stdout).expect("text");
        assert!(
            python.contains("\"intact\": true") && python.contains(&format!("\"shownInPart\": {part}")),
            "{python}"
        );
    }
    let lines = ["audit", "export", "--profile", "masked", "--out", "m.jsonl", "--json"];
    assert_eq!(place.run(&lines).code, 0);
    let text = std::fs::read_to_string(place.dir.path().join("m.jsonl")).expect("lines");
    assert!(text.contains("person:1") && !text.contains("anna") && !text.contains(notes), "{text}");
    let bad = place.run(&["audit", "export", "--hide", "/prevHash", "--out", "x.zip", "--json"]);
    assert!(bad.code == 2 && bad.out.contains("/metadata/notes"), "what may be hidden is said: {}", bad.out);
    let list = place.run(&["audit", "list", "--query", "event:AUDIT_EXPORTED", "--json"]).json();
    let profiles: Vec<&str> =
        list.as_array().into_iter().flatten().filter_map(|one| one["metadata"]["profile"].as_str()).collect();
    assert_eq!(profiles, ["masked", "minimal", "full", "masked"], "recorded with its profile");
}

/// TS-045, TS-047, E2, INTERFACES 1: verify, export, and what a changed store or pack says.
#[test]
fn ts_047_the_chain_is_verified_and_a_pack_proves_a_run() {
    let place = TestHome::new();
    let (run, task) = paused(&place);
    place.run(&["tasks", "complete", &task, "--action", "skip"]);
    assert_eq!(place.run(&["resume", &run]).code, 0);
    let entries = place.run(&["audit", "list", "--run", &run, "--json"]).json();
    let events: Vec<&str> =
        entries.as_array().expect("a list").iter().filter_map(|one| one["event"].as_str()).collect();
    let wanted = ["NODE_START", "NODE_ERROR", "HITL_CREATED", "HITL_COMPLETED", "NODE_SUCCESS", "WORKFLOW_COMPLETED"];
    let mut rest = events.iter();
    for event in wanted {
        assert!(rest.any(|found| *found == event), "{event} in its order: {events:?}");
    }
    let last = entries.as_array().and_then(|list| list.last()).expect("one");
    assert_eq!(last["metadata"]["entryCount"], json!(events.len()));

    let verdict = place.run(&["audit", "verify", "--run", &run, "--json"]);
    assert_eq!(verdict.code, 0, "{}", verdict.out);
    let verdict = verdict.json();
    assert_eq!((verdict["state"].as_str(), verdict["signed"].as_bool()), (Some("intact"), Some(true)));
    assert_eq!(verdict["run"]["complete"], true);

    for name in ["run.zip", "all.zip", "all.csv", "all.jsonl"] {
        let mut args = vec!["audit", "export", "--out", name, "--json"];
        if name == "run.zip" {
            args.extend(["--run", run.as_str()]);
        }
        assert_eq!(place.run(&args).code, 0, "{name}");
    }
    assert_eq!(place.run(&["audit", "export", "--out", "x.doc", "--json"]).code, 2);
    assert_eq!(place.run(&["audit", "export", "--run", "nope", "--out", "x.zip", "--json"]).code, 2);
    let exported = place.run(&["audit", "list", "--query", "event:AUDIT_EXPORTED", "--json"]).json();
    assert_eq!(exported.as_array().map(Vec::len), Some(4), "exporting is recorded");
    for name in ["run.zip", "all.zip"] {
        let found = place.run(&["audit", "verify", name, "--json"]);
        let told = found.json();
        assert_eq!((found.code, &told["pinned"]), (0, &json!(true)), "{told}");
        let runs = told["runs"].as_array().expect("a list");
        assert!(runs.iter().any(|one| one["runId"] == run.as_str() && one["complete"] == true), "{told}");
    }
    // Elsewhere nobody knows the key; with the right one it is pinned, with another one it is broken.
    let (other, key) = (TestHome::new(), place.run(&["audit", "verify", "run.zip", "--json"]).json());
    let zip = place.dir.path().join("run.zip").display().to_string();
    assert_eq!(other.run(&["audit", "verify", &zip, "--json"]).json()["pinned"], false);
    let told = other.run(&["audit", "verify", &zip]);
    assert!(told.code == 0 && told.out.contains("This does not prove who made the pack"), "{}", told.out);
    assert!(told.out.contains("--key key.pub") && !told.out.contains("a known key"), "{}", told.out);
    let own = place.run(&["audit", "verify", "run.zip"]).out;
    assert!(own.contains("known to this data folder.") && !own.contains("does not prove"), "{own}");
    let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    let kept: String = store
        .query_row("SELECT value FROM audit_meta WHERE name = 'keys'", [], |row| row.get(0))
        .expect("there is a key");
    let given = other.file("owner.pub", kept.as_bytes()).display().to_string();
    let named = other.run(&["audit", "verify", &zip, "--key", &given]);
    assert!(named.out.contains("the one of --key.") && !named.out.contains("does not prove"), "{}", named.out);
    let wrong = other.file("wrong.pub", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\n");
    let refused = other.run(&["audit", "verify", &zip, "--key", &wrong.display().to_string(), "--json"]);
    assert_eq!(refused.code, 1, "{} {key}", refused.out);
    let torn = other.file("torn.zip", &std::fs::read(&zip).expect("there")[..400]);
    assert_eq!(other.run(&["audit", "verify", &torn.display().to_string(), "--json"]).code, 2);
    // A changed byte in what the zip holds.
    let mut bytes = std::fs::read(&zip).expect("there");
    bytes[200] ^= 1;
    let flipped = other.file("flipped.zip", &bytes).display().to_string();
    let told = other.run(&["audit", "verify", &flipped]);
    assert!(told.code == 2 && told.err.contains("flipped.zip is damaged (entries.jsonl: "), "{}", told.err);

    let raw = |sql: &str| {
        let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
        store.execute_batch(sql).expect(sql);
    };
    raw("CREATE TABLE kept AS SELECT * FROM audit_entry");
    for (sql, seq, kind) in [
        ("UPDATE audit_entry SET entry = replace(entry, 'INFO', 'WARN') WHERE seq = 0", 0, "MODIFIED"),
        ("DELETE FROM audit_entry WHERE seq = 3", 3, "MISSING"),
        ("UPDATE audit_entry SET entry = (SELECT entry FROM kept WHERE seq = 5) WHERE seq = 4", 4, ""),
        (
            "INSERT INTO audit_entry SELECT seq + 1, entry, hash, signature, run_id, node_id, event, level, actor_type, \
             actor_id, error_type, ts, ts_high, NULL FROM kept WHERE seq = (SELECT max(seq) FROM kept)",
            -1,
            "",
        ),
        ("DELETE FROM audit_entry WHERE seq = (SELECT max(seq) FROM audit_entry)", -1, "TRUNCATED"),
    ] {
        raw(sql);
        let found = place.run(&["audit", "verify", "--json"]);
        let broken = found.json()["broken"].clone();
        assert_eq!((found.code, broken.is_null()), (1, false), "{sql}");
        let fits = (seq < 0 || broken["seq"] == seq) && (kind.is_empty() || broken["kind"] == kind);
        assert!(fits, "{sql}: {broken}");
        // The failure itself was recorded after the last entry: put everything back as it was.
        raw("DELETE FROM audit_entry; INSERT INTO audit_entry SELECT * FROM kept; \
             DELETE FROM audit_checkpoint WHERE size > (SELECT count(*) FROM kept)");
        std::fs::remove_file(place.data().join("signalbox.mark")).ok();
        assert_eq!(place.run(&["audit", "verify", "--json"]).code, 0, "{sql}: whole again");
    }
    assert_eq!(place.run(&["audit", "accept-cut", "--reason", "no"]).code, 2, "nothing is missing");
    // E2: that the end was cut stays known whatever is written behind it, until somebody says why.
    paused(&place);
    raw("DELETE FROM audit_entry WHERE seq > (SELECT max(seq) - 2 FROM audit_entry); \
         DELETE FROM audit_checkpoint WHERE size > (SELECT count(*) FROM audit_entry)");
    let mut places = std::collections::BTreeSet::new();
    for turn in 0..4 {
        let found = place.run(&["audit", "verify", "--json"]);
        let broken = found.json()["broken"].clone();
        assert_eq!((found.code, &broken["kind"], &broken["acceptable"]), (1, &json!("TRUNCATED"), &json!(true)));
        places.insert(broken["seq"].as_u64());
        assert_eq!(places.len(), 1, "the record of a verification moves no end: {places:?}");
        // The second one finds nothing behind the gap but the record of the first.
        if turn > 0 {
            paused(&place);
        }
    }
    // What a query found is proved, too, and says what it is; a profile hides the words of the query.
    for (profile, words) in [("full", "event:WORKFLOW_COMPLETED"), ("minimal", "a query that the profile hides")] {
        let query = ["--query", "event:WORKFLOW_COMPLETED", "--profile", profile];
        let told = place.run(&[&["audit", "export", "--out", "ends.zip"], &query[..]].concat());
        assert_eq!(told.code, 0, "{}{}", told.out, told.err);
        let told = place.run(&["audit", "verify", "ends.zip"]);
        assert!(told.code == 0 && told.out.contains(words), "{profile}: {}{}", told.out, told.err);
        std::fs::remove_file(place.dir.path().join("ends.zip")).expect("removed");
    }
    let failed = place.run(&["audit", "list", "--query", "event:AUDIT_VERIFY_FAILED", "--json"]).json();
    assert_eq!(failed.as_array().map(Vec::len), Some(1), "once per finding: {failed}");
    // ADR 77: what is exported then says so, in the answer and in the pack; both verifiers pass it on.
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/audit/verify.py");
    let exported = |name: &str, profile: &str, words: &str| {
        let told = place.run(&["audit", "export", "--profile", profile, "--out", name]);
        assert!(told.code == 0 && told.out.contains(words), "{}{}", told.out, told.err);
        let told = place.run(&["audit", "verify", name]);
        assert!(told.code == 0 && told.out.contains("OK: ") && told.out.contains(words), "{}{}", told.out, told.err);
        assert!(told.out.contains("records that this chain failed verification"), "{}", told.out);
        let json = place.run(&["audit", "verify", name, "--json"]).json();
        let python = std::process::Command::new("python3").arg(&script).arg(place.dir.path().join(name)).output();
        let second: Value = serde_json::from_slice(&python.expect("python3").stdout).expect("JSON");
        assert_eq!((&second["intact"], &second["findings"]), (&json!(true), &json["findings"]), "{second}");
        assert_eq!(second["missing"][0]["expected"], json["missing"][0]["expected"]);
        assert!(second["missing"][0]["expected"].is_u64(), "{second}");
    };
    let unknown = "the last one there when that was noticed; nobody has said why.";
    exported("cut.zip", "full", unknown);
    exported("cut-part.zip", "minimal", unknown);
    assert!(place.run(&["audit", "export", "--out", "cut.jsonl"]).out.contains(unknown));
    let lines = place.run(&["audit", "verify", "cut.jsonl"]);
    assert!(lines.out.contains("failed verification: TRUNCATED at entry "), "{}{}", lines.out, lines.err);
    // While something else is broken, an end that the last verification did not show is not accepted.
    let accept = || place.run(&["audit", "accept-cut", "--reason", "a power cut", "--json"]);
    raw("UPDATE audit_entry SET entry = replace(entry, 'INFO', 'WARN') WHERE seq = 0");
    assert_eq!(place.run(&["audit", "verify", "--json"]).json()["broken"]["kind"], "MODIFIED");
    let refused = accept();
    assert!(refused.code != 0 && refused.out.contains("NOT_ACCEPTABLE"), "{}{}", refused.out, refused.err);
    raw("UPDATE audit_entry SET entry = (SELECT entry FROM kept WHERE seq = 0) WHERE seq = 0");
    assert!(accept().out.contains("broken in another way"), "so says the last verification");
    assert_eq!(place.run(&["audit", "verify", "--json"]).json()["broken"]["acceptable"], true);
    let done = accept();
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    exported("accepted.zip", "full", &format!("noticed; entry {} says why.", done.json()["seq"]));
    assert_eq!(place.run(&["audit", "verify", "--json"]).code, 0);
    let said = place.run(&["audit", "list", "--query", "event:AUDIT_CUT_ACCEPTED", "--json"]);
    assert!(said.out.contains("a power cut"), "{}", said.out);
}

/// ADR 77: an end that a checkpoint had sealed goes, and others are written in its place: no record that stands there is accused.
#[test]
fn ts_047_an_end_that_was_sealed_is_told_as_missing_whatever_follows() {
    let place = TestHome::new();
    paused(&place);
    assert_eq!(place.run(&["audit", "export", "--out", "first.zip"]).code, 0);
    paused(&place);
    assert_eq!(place.run(&["audit", "export", "--out", "sealed.zip"]).code, 0);
    let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    store.execute_batch("DELETE FROM audit_entry WHERE seq > (SELECT max(seq) - 3 FROM audit_entry)").expect("cuts");
    let left: u64 = store.query_row("SELECT count(*) FROM audit_entry", [], |row| row.get(0)).expect("counts");
    drop(store);
    for _ in 0..3 {
        paused(&place);
        let broken = place.run(&["audit", "verify", "--json"]).json()["broken"].clone();
        assert_eq!((&broken["kind"], &broken["seq"]), (&json!("TRUNCATED"), &json!(left)), "{broken}");
        // What was sealed and is gone stays red: nobody explains that away.
        assert_ne!(broken["acceptable"], true, "{broken}");
    }
}

fn tokens(place: &TestHome) -> PathBuf {
    let text = format!("operator {ANNA} anna\noperator {BOB} bob\nviewer {VIEWER} vera\nbuilder-token-0123456789\n");
    let file = place.file("tokens", text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("chmod");
    }
    file
}

/// TS-019, TS-020, TS-052, fault 15: the doors of REST.
#[test]
fn ts_019_two_people_answer_over_rest_and_one_is_first() {
    let place = TestHome::new();
    let (run, task) = paused(&place);
    let serving = Serving::start(&place, &["--token-file", &tokens(&place).display().to_string()]);
    let path = |act: &str| format!("/human-tasks/{task}{act}");
    let ask = |token: &str, method: &str, path: &str, body: Value| serving.ask_as(token, method, path, &body, &[]);
    assert_eq!(
        ask(ANNA, "POST", "/rpc/who", json!({})).json(),
        json!({ "operatorId": "user:anna", "role": "operator", "via": "rest" })
    );
    let listed = ask(VIEWER, "GET", "/human-tasks?state=open&limit=5&text=look%20at", Value::Null).json();
    assert_eq!((listed["total"].as_u64(), listed["tasks"][0]["id"].as_str()), (Some(1), Some(task.as_str())));
    for bad in ["?limit=x", "?limit=0", "?nope=1", "?limit=1&limit=2", "?text=%zz", "?state=lost"] {
        assert_eq!(ask(VIEWER, "GET", &format!("/human-tasks{bad}"), Value::Null).status, 400, "{bad}");
    }
    // A viewer sees no secret and no personal value, and can get at neither.
    let seen = ask(VIEWER, "GET", &path(""), Value::Null);
    assert_eq!((seen.status, seen.json()["mayReveal"].as_bool()), (200, Some(false)));
    assert!(!seen.body.contains("ada@example.org") && seen.json().get("secret").is_none(), "{}", seen.body);
    assert_eq!(ask(VIEWER, "POST", "/rpc/task_reveal", json!({ "taskId": task, "reason": "curious" })).status, 403);
    assert_eq!(ask(VIEWER, "POST", "/rpc/task_get", json!({ "taskId": task, "secret": true })).status, 403);
    assert_eq!(ask(ANNA, "POST", "/rpc/task_reveal", json!({ "taskId": task, "reason": " " })).status, 400);
    let told = ask(ANNA, "POST", "/rpc/task_reveal", json!({ "taskId": task, "reason": "to call them" })).json();
    assert_eq!(told["input"]["email"], "ada@example.org");
    let revealed = ask(VIEWER, "GET", "/audit?query=event%3AREVEALED", Value::Null).json();
    assert_eq!(revealed["entries"][0]["summary"], "anna revealed masked values: to call them");

    // Fault 15: no decision by GET, no decision with a foreign token or in another name.
    assert_eq!(ask(ANNA, "GET", &path("/complete"), Value::Null).status, 405);
    let foreign = json!({ "action": "skip", "operatorId": "user:bob" });
    assert_eq!(ask(ANNA, "POST", &path("/complete"), foreign).status, 403);
    let secret =
        ask(ANNA, "GET", &path(""), Value::Null).json()["secret"].as_str().expect("for an operator").to_owned();
    assert_eq!(secret.len(), 32);
    let resume = |token: &str| json!({ "token": token, "requestId": "r1" });
    let refused = ask(ANNA, "POST", &format!("/workflow/{run}/resume"), resume("0123456789abcdef0123456789abcdef"));
    assert_eq!((refused.status, refused.json()["error"]["details"]["reason"].as_str()), (403, Some("bad_token")));
    assert_eq!(ask(ANNA, "POST", "/workflow/nope/resume", resume(&secret)).status, 404);
    assert_eq!(ask(ANNA, "POST", &format!("/workflow/{run}/resume"), json!({ "token": 5 })).status, 400);
    let refusals = ask(VIEWER, "GET", "/audit?query=event:ANSWER_REFUSED", Value::Null).json();
    assert_eq!((refusals["total"].as_u64(), refusals["entries"][0]["runId"].as_str()), (Some(1), Some(run.as_str())));
    let invalid = ask(ANNA, "POST", &path("/complete"), json!({ "action": "correct", "correctedInput": {} }));
    assert_eq!((invalid.status, invalid.json()["error"]["code"].as_str()), (422, Some("INPUT_INVALID")));
    let stale = ask(ANNA, "POST", &path("/complete"), json!({ "action": "skip", "revision": 7 }));
    assert_eq!((stale.status, stale.json()["error"]["code"].as_str()), (409, Some("STALE")));

    let start = Barrier::new(2);
    let post = |token: &'static str, request: &'static str| {
        start.wait();
        ask(token, "POST", &path("/complete"), json!({ "action": "skip", "requestId": request }))
    };
    let (one, two) = std::thread::scope(|scope| {
        let one = scope.spawn(|| post(ANNA, "a"));
        let two = scope.spawn(|| post(BOB, "b"));
        (one.join().expect("asks"), two.join().expect("asks"))
    });
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.body, two.body);
    let (first, (token, request), late) =
        if one.status == 200 { (one, (ANNA, "a"), two) } else { (two, (BOB, "b"), one) };
    let again = ask(token, "POST", &path("/complete"), json!({ "action": "skip", "requestId": request }));
    assert_eq!((again.status, again.body), (200, first.body), "TS-020");
    let details = &late.json()["error"]["details"];
    let who = if token == ANNA { "user:anna" } else { "user:bob" };
    assert_eq!((details["who"].as_str(), details["reason"].as_str()), (Some(who), Some("already_answered")));
    assert_eq!(ask(ANNA, "POST", &format!("/workflow/{run}/resume"), resume(&secret)).status, 409);
    eventually("the run goes on by itself", || {
        ask(VIEWER, "GET", &format!("/workflow/{run}/status"), Value::Null).json()["status"] == "completed"
    });
    let decided = ask(VIEWER, "GET", &format!("/audit?query=event:HITL_COMPLETED%20run:{run}"), Value::Null).json();
    assert_eq!((decided["total"].as_u64(), decided["entries"][0]["signed"].as_bool()), (Some(1), Some(true)));
    assert_eq!(ask(VIEWER, "GET", "/audit/verify", Value::Null).json()["state"], "intact");
}

/// TS-049.
#[test]
fn ts_049_records_from_outside_are_checked_and_nobody_chooses_an_actor() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &["--token-file", &tokens(&place).display().to_string()]);
    let record = json!({
        "timestamp": "2020-01-01T00:00:00.000Z", "runId": "r-1", "nodeId": "n-1", "event": "INVOICE_CHECKED", "level": "INFO",
        "actor": { "type": "human", "id": "user:ceo", "role": "operator" }, "metadata": { "amount": 12 },
        "contextSnapshot": { "invoice": "canary-of-the-erased" },
    });
    let post = |body: &Value| serving.ask_as(ANNA, "POST", "/audit/record", body, &[]);
    let with = |name: &str, value: Value| {
        let mut body = record.clone();
        body[name] = value;
        body
    };
    let done = post(&record);
    assert_eq!((done.status, done.json()), (200, json!({ "status": "ok" })));
    let mut without = record.clone();
    without.as_object_mut().expect("an object").remove("level");
    for bad in [
        without,
        with("level", json!("LOUD")),
        with("event", json!("HITL_COMPLETED")),
        with("event", json!("REVEALED")),
        with("event", json!("lower case")),
        with("hash", json!("0")),
        with("runId", json!("")),
        with("metadata", json!([1])),
        json!({}),
    ] {
        let refused = post(&bad);
        assert_eq!(refused.status, 400, "{bad}: {}", refused.body);
    }
    assert_eq!(post(&json!([1])).status, 400);
    assert_eq!(serving.ask_as(VIEWER, "POST", "/audit/record", &record, &[]).status, 403);
    let list = serving.ask_as(VIEWER, "GET", "/audit?query=event:INVOICE_CHECKED", &Value::Null, &[]).json();
    assert_eq!(list["total"], 1);
    let seq = list["entries"][0]["seq"].clone();
    let got = serving.ask_as(VIEWER, "POST", "/rpc/audit_get", &json!({ "seq": seq }), &[]).json();
    assert_eq!((&got["matches"], &got["entry"]["actor"]["id"]), (&json!(true), &json!("user:anna")));
    assert_eq!(got["entry"]["metadata"]["claimedActor"]["id"], "user:ceo");
    assert_ne!(got["entry"]["timestamp"], "2020-01-01T00:00:00.000Z", "the recorder's clock, not the caller's");
    assert_eq!(got["entry"]["contextSnapshotHash"].as_str().map(str::len), Some(64));
    // E1: it is kept apart; erased, lost or changed, the chain stays what it is, and a verification says which.
    let verify = || place.run(&["audit", "verify", "--json"]);
    assert_eq!((verify().code, &verify().json()["payloads"]["kept"]), (0, &json!(1)));
    let seq = seq.to_string();
    let raw = |sql: &str| {
        let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
        store.execute_batch(sql).expect(sql);
    };
    // What this test itself deletes must not be what is found below.
    raw(
        "PRAGMA secure_delete = ON; CREATE TABLE kept_blob AS SELECT * FROM blob; UPDATE blob SET data = CAST('{}' AS BLOB)",
    );
    let changed = verify();
    assert_eq!((changed.code, &changed.json()["payloads"]["changed"]), (1, &json!([seq.parse::<u64>().ok()])));
    raw("PRAGMA secure_delete = ON; DELETE FROM blob");
    let lost = verify();
    assert_eq!((lost.code, &lost.json()["payloads"]["lost"]), (1, &json!([seq.parse::<u64>().ok()])));
    assert_eq!(lost.json()["state"], "intact");
    raw("PRAGMA secure_delete = ON; INSERT INTO blob SELECT * FROM kept_blob; DROP TABLE kept_blob");
    let on_disk = || {
        let files =
            ["signalbox.db", "signalbox.db-wal"].map(|name| std::fs::read(place.data().join(name)).unwrap_or_default());
        files.iter().any(|bytes| bytes.windows(20).any(|part| part == b"canary-of-the-erased"))
    };
    assert!(on_disk());
    assert_eq!(place.run(&["audit", "erase", &seq, "--reason", "asked for", "--json"]).code, 0);
    assert!(!on_disk(), "what is erased stands in no file any more");
    let erased = verify();
    assert_eq!((erased.code, &erased.json()["payloads"]["erased"]), (0, &json!([seq.parse::<u64>().ok()])));
    assert_eq!(place.run(&["audit", "erase", &seq, "--reason", "again", "--json"]).code, 2);
}

/// D2.9, H-12: somebody answers for somebody else for a time, at the terminal.
#[test]
fn ux_d2_9_h_12_a_delegation_is_made_listed_used_and_ended_at_the_terminal() {
    let place = TestHome::new();
    let delegate = |more: &[&str]| {
        let mut args = vec!["tasks", "delegate", "--as", "user:anna", "--json"];
        args.extend(more);
        place.run(&args)
    };
    for (more, code) in [
        (vec!["--to", "user:bob", "--until", "tomorrow"], "BAD_REQUEST"),
        (vec!["--to", "user:bob", "--until", "2020-01-01T00:00:00Z"], "BAD_REQUEST"),
        (vec!["--to", "user:anna", "--until", "2099-01-01T00:00:00Z"], "BAD_REQUEST"),
        (vec!["--to", "bob", "--until", "2099-01-01T00:00:00Z"], "BAD_REQUEST"),
        (vec!["--to", "user:bob"], "BAD_ARGUMENTS"),
    ] {
        let refused = delegate(&more);
        assert_eq!((refused.code, refused.json()["error"]["code"].as_str()), (2, Some(code)), "{more:?}");
    }
    let mut asks = asks();
    asks["nodes"]["ask"]["config"]["assignee"] = "user:anna".into();
    let file = place.file("asks.signalbox.json", asks.to_string());
    let done = place.run(&["run", &file.display().to_string(), "--params", "{\"age\":\"36\"}", "--json"]);
    let task = done.last()["openTasks"][0].as_str().expect("a task").to_owned();
    // A year at most, so counted from the first minute of the run's own day.
    let day = place.run(&["tasks", "show", &task, "--json"]).json()["createdAt"].as_str().expect("a time").to_owned();
    let year: u32 = day[..4].parse().expect("a year");
    let until = format!("{}-01-01T00:00:00Z", year + 1);
    let made = delegate(&["--to", "user:bob", "--until", &until, "--workflow", "asks", "--notes", "On a journey"]);
    assert_eq!(made.code, 0, "{} {}", made.out, made.err);
    let id = made.json()["id"].as_str().expect("an id").to_owned();
    let listed = |person: &str| place.run(&["tasks", "delegations", "--as", person, "--json"]).json();
    assert_eq!(listed("user:bob")[0]["from"], "user:anna");
    assert_eq!(listed("user:carl"), json!([]));
    let text = place.run(&["tasks", "delegations", "--as", "user:bob"]).out;
    assert!(text.contains("user:bob answers for user:anna in asks"), "{text}");

    let done = place.run(&["tasks", "complete", &task, "--action", "skip", "--as", "user:bob", "--json"]);
    assert_eq!(done.code, 0, "{} {}", done.out, done.err);
    let decided = place.run(&["tasks", "show", &task, "--json"]).json()["decision"].clone();
    assert_eq!((&decided["operatorId"], &decided["onBehalfOf"]), (&json!("user:bob"), &json!("user:anna")));

    assert_eq!(place.run(&["tasks", "undelegate", &id, "--as", "user:anna"]).code, 0);
    assert_eq!(listed("user:bob"), json!([]));
    assert_eq!(place.run(&["tasks", "undelegate", &id, "--as", "user:anna", "--json"]).code, 2);
    let entries = place.run(&["audit", "list", "--json"]).json();
    let names: Vec<&str> =
        entries.as_array().expect("a list").iter().filter_map(|entry| entry["event"].as_str()).collect();
    for name in ["DELEGATION_CREATED", "DELEGATION_ENDED"] {
        assert_eq!(names.iter().filter(|event| **event == name).count(), 1, "{name} in {names:?}");
    }
}

/// D2.11: who shows tasks hears of an answer that another process gave, and is told what changed nowhere but in the task.
#[test]
fn a_change_of_a_task_by_another_process_is_told() {
    let place = TestHome::new();
    let (_, task) = paused(&place);
    let serving = Serving::start(&place, &["--token-file", &tokens(&place).display().to_string()]);
    let mut changes = support::lines(&serving, VIEWER, "/human-tasks/changes", "accept: text/event-stream\r\n");
    let mut next = || {
        let data = changes.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).expect("a change");
        serde_json::from_str::<Value>(&data).expect("json")["change"].as_i64().expect("a number")
    };
    let first = next();
    assert!(first > 0, "the task is there");
    let done = place.run(&["tasks", "complete", &task, "--action", "skip", "--as", "user:grace", "--json"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    assert!(next() > first);
    let late =
        serving.ask_as(BOB, "POST", &format!("/human-tasks/{task}/complete"), &json!({ "action": "retry" }), &[]);
    assert_eq!((late.status, late.json()["error"]["details"]["who"].as_str()), (409, Some("user:grace")));
    assert_eq!(
        serving.ask_as(VIEWER, "GET", "/human-tasks/changes", &Value::Null, &[]).status,
        400,
        "not as an answer"
    );
}
