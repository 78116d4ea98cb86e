//! The command line as scripts use it: exit codes and JSON shapes (INTERFACES 1), and everything bad that a file or an
//! argument can hold.

use crate::support;

use serde_json::{Value, json};
use support::{Loopback, TestHome, workflow};

const FIRST: &str = include_str!("../../../../../tests/workflows/first.signalbox.json");
const HISTORY: &str = include_str!("../../../../../tests/histories/first.jsonl");

/// Replaces what differs from run to run: ids, times, seed, hash, durations, the port.
fn normal(text: &str, run: &str, base: &str) -> Value {
    let mut value: Value = serde_json::from_str(text).expect("json");
    walk(&mut value, run, base);
    value
}

fn walk(value: &mut Value, run: &str, base: &str) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map.iter_mut() {
                match key.as_str() {
                    "ts" | "timestamp" | "startedAt" | "endedAt" => *inner = json!("T"),
                    "duration_ms" | "durationMs" => *inner = json!(0),
                    "seed" => *inner = json!("S"),
                    "version" => *inner = json!("V"),
                    "date" => *inner = json!("D"),
                    "error" => {
                        // The history is of a release whose errors did not lead to their entries.
                        if let Some(error) = inner.as_object_mut() {
                            error.retain(|name, _| name != "provenanceRef" && name != "traceId");
                        }
                        walk(inner, run, base);
                    }
                    _ => walk(inner, run, base),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|inner| walk(inner, run, base)),
        Value::String(text) => *text = text.replace(run, "R").replace(base, "http://127.0.0.1:8080"),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn the_first_run_is_the_walkthrough_s() {
    let place = TestHome::new();
    let server = Loopback::start();
    let file = place.file("first.signalbox.json", FIRST);
    let params = json!({ "base": server.base }).to_string();
    let done = place.run(&["run", &file.display().to_string(), "--params", &params, "--events", "--json"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let lines: Vec<&str> = done.out.lines().collect();
    let run = done.last()["runId"].as_str().expect("an id").to_owned();
    let trace = signalbox_model::trace_context::trace_id(&run);
    let shown = |line: &&str| {
        let mut event = normal(line, &run, &server.base);
        // It is added to an event when it is shown; the log does not contain it.
        let told = event.as_object_mut().and_then(|fields| fields.shift_remove("traceId"));
        assert_eq!(told, Some(json!(trace)), "{line}");
        event
    };
    let found: Vec<Value> = lines[..lines.len() - 1].iter().map(shown).collect();
    let recorded: Value = serde_json::from_str(HISTORY.lines().next().expect("a line")).expect("json");
    let recorded = recorded["runId"].as_str().expect("an id");
    let want: Vec<Value> = HISTORY.lines().map(|line| normal(line, recorded, "http://127.0.0.1:8080")).collect();
    for (index, (found, want)) in found.iter().zip(&want).enumerate() {
        assert_eq!(found.to_string(), want.to_string(), "event {}", index + 1);
    }
    assert_eq!(found.len(), want.len());
    let summary = normal(lines[lines.len() - 1], &run, &server.base);
    let want = r#"{"runId":"R","workflowId":"first","status":"completed","startedAt":"T","endedAt":"T","durationMs":0,"context":{"user":{"name":"Ada","age":36}},"output":[{"verdict":"adult"}],"openTasks":[],"steps":{"fetch":{"state":"SUCCEEDED","visits":1,"attempts":3},"adult":{"state":"SUCCEEDED","visits":1,"attempts":1},"yes":{"state":"SUCCEEDED","visits":1,"attempts":1},"no":{"state":"SKIPPED","visits":0,"attempts":0},"join":{"state":"SUCCEEDED","visits":1,"attempts":1},"end":{"state":"SUCCEEDED","visits":1,"attempts":1}}}"#;
    assert_eq!(summary.to_string(), want);
    // The same from the store, by another process.
    assert_eq!(place.run(&["runs", "show", &run, "--json"]).out.trim(), lines[lines.len() - 1]);
    let stored = place.run(&["runs", "events", &run]);
    assert_eq!(stored.out.lines().collect::<Vec<_>>(), lines[..lines.len() - 1]);
    assert_eq!(place.run(&["runs", "events", &run, "--after", "18"]).lines().len(), 1);
    let list = place.run(&["runs", "list", "--json"]).json();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    let keys: Vec<&str> = list[0].as_object().expect("a row").keys().map(String::as_str).collect();
    assert_eq!(keys, ["runId", "workflowId", "status", "startedAt", "endedAt"]);
    // For people.
    let words = place.run(&["run", &file.display().to_string(), "--params", &params]);
    assert_eq!(words.code, 0);
    assert!(words.out.contains("Fetch the user") && words.out.contains("Completed"), "{}", words.out);
    // For a program that reads events: every line is one, also without a summary.
    let events = place.run(&["run", &file.display().to_string(), "--params", &params, "--events"]);
    assert_eq!((events.code, events.last()["type"].as_str()), (0, Some("workflow_done")), "{}", events.out);
}

#[test]
fn exit_codes_say_how_a_run_ended() {
    let place = TestHome::new();
    let fail =
        workflow(json!({ "f": { "type": "flow.fail", "config": { "error": { "message": "No." } } } }), json!([]));
    let file = place.file("fail.json", fail.to_string()).display().to_string();
    let failed = place.run(&["run", &file, "--json"]);
    assert_eq!(failed.code, 1, "{}{}", failed.out, failed.err);
    let summary = failed.json();
    assert_eq!((summary["status"].as_str(), summary["failedStepId"].as_str()), (Some("failed"), Some("f")));
    let human = place.run(&["run", &file]);
    assert!(human.out.contains("No."), "{}", human.out);

    let empty = place.file("empty.json", workflow(json!({}), json!([])).to_string()).display().to_string();
    let refused = place.run(&["run", &empty, "--json"]);
    assert_eq!(refused.code, 2);
    let error = &refused.json()["error"];
    assert_eq!(error["details"]["diagnostics"][0]["code"], "EMPTY_WORKFLOW");
    for key in ["code", "message", "hint"] {
        assert!(error[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
    for args in [
        &["runs", "show", "nope", "--json"][..],
        &["runs", "events", "nope", "--json"],
        &["runs", "delete", "nope", "--json"],
        &["resume", "nope", "--json"],
        &["cancel", "nope", "--json"],
        &["catalog", "show", "nope", "--json"],
    ] {
        let done = place.run(args);
        assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some("NOT_FOUND")), "{args:?}");
    }
    for args in [
        &["fly", "--json"][..],
        &["run", "--json"],
        &["run", "x", "--nope", "--json"],
        &["runs", "list", "--status", "fine", "--json"],
    ] {
        let done = place.run(args);
        assert_eq!(done.code, 2, "{args:?}");
        assert!(done.json()["error"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{args:?}");
    }
    assert_eq!(place.run(&["resume", "--json"]).json(), json!([]));
    assert_eq!(place.run(&["runs", "list", "--workflow", "other", "--json"]).json(), json!([]));
}

#[test]
fn runs_can_be_filtered_and_deleted() {
    let place = TestHome::new();
    let ok = workflow(json!({ "a": { "type": "flow.noop" } }), json!([]));
    let file = place.file("ok.json", ok.to_string()).display().to_string();
    let run = place.run(&["run", &file, "--json"]).json()["runId"].as_str().expect("an id").to_owned();
    assert_eq!(place.run(&["runs", "list", "--status", "failed", "--json"]).json(), json!([]));
    assert_eq!(
        place.run(&["runs", "list", "--status", "completed", "--workflow", "test", "--limit", "1", "--json"]).json()[0]
            ["runId"],
        json!(run)
    );
    assert_eq!(place.run(&["cancel", &run, "--json"]).code, 2, "it has ended");
    assert_eq!(place.run(&["resume", &run, "--json"]).code, 2, "it has ended");
    assert_eq!(place.run(&["runs", "delete", &run, "--json"]).code, 0);
    assert_eq!(place.run(&["runs", "show", &run, "--json"]).code, 2);
}

#[test]
fn the_table_of_a_run_is_of_its_own_steps_and_its_output_does_not_hide_it() {
    let place = TestHome::new();
    let mut inner = workflow(json!({ "same": { "type": "flow.noop", "title": "Of the other file" } }), json!([]));
    inner["id"] = json!("inner");
    place.file("inner.signalbox.json", inner.to_string());
    let sub = json!({ "type": "flow.subworkflow", "title": "Call", "config": { "workflow": "inner" } });
    let list: Vec<u32> = (0..120).collect();
    let outer = workflow(
        json!({
            "sub": sub, "mid": { "type": "flow.noop", "title": "Between" },
            "each": { "type": "flow.loop", "title": "Each", "config": { "source": list } },
            "same": { "type": "data.set", "title": "Of this file", "parent": "each", "config": { "assign": { "n": "=_item" }, "keep": false } },
        }),
        json!([{ "from": "sub.success", "to": "mid" }, { "from": "mid.success", "to": "each" }]),
    );
    let done = place.run(&["run", &place.file("outer.signalbox.json", outer.to_string()).display().to_string()]);
    let at = |title: &str| done.out.find(&format!("✓ {title}")).unwrap_or_else(|| panic!("{title}: {}", done.out));
    assert!(
        at("Call") < at("Between") && at("Between") < at("Each") && at("Each") < at("Of this file"),
        "{}",
        done.out
    );
    assert_eq!(done.out.lines().filter(|line| line.starts_with("  {")).count(), 100, "{}", done.out);
    assert!(done.out.contains("  and 20 more: signalbox runs show "), "{}", done.out);
}

#[test]
fn people_read_titles_and_nothing_twice() {
    let place = TestHome::new();
    let flow = workflow(
        json!({
            "a": { "type": "flow.if", "title": "Old enough?", "config": { "condition": "false" } },
            "use": { "type": "flow.noop", "title": "Use the answer" }
        }),
        json!([{ "from": "a.true", "to": "use" }]),
    );
    let done = place.run(&["run", &place.file("ok.json", flow.to_string()).display().to_string()]);
    assert!(done.out.contains("· Use the answer"), "a step that was never called has its title: {}", done.out);

    let broken = place.file("broken.json", "{ \"signalbox\": 1, \"nodes\": {").display().to_string();
    let mut asks = flow.clone();
    asks["params"] = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } });
    let asks = place.file("asks.json", asks.to_string()).display().to_string();
    for args in [vec!["run", broken.as_str()], vec!["run", asks.as_str(), "--set", "n=\"one\""]] {
        let refused = place.run(&args);
        assert_eq!(refused.code, 2);
        let lines: Vec<&str> = refused.err.lines().map(|line| line.trim().trim_start_matches("error: ")).collect();
        let distinct: std::collections::BTreeSet<&str> = lines.iter().copied().collect();
        assert_eq!(lines.len(), distinct.len(), "{}", refused.err);
        assert!(!refused.err.contains("EOF"), "{}", refused.err);
    }
    let odd = place.file("no\x1b[31m.json", "").display().to_string();
    let told = place.run(&["validate", &odd]).out;
    assert!(!told.contains('\x1b') && told.contains("The file is empty"), "{told}");
    let broken = place.run(&["validate", &broken]);
    assert!(broken.out.contains("it ends in the middle of an object (line 1, column 28)"), "{}", broken.out);
}

#[test]
fn params_come_from_the_line_a_file_and_single_values() {
    let place = TestHome::new();
    let mut flow = workflow(
        json!({ "a": { "type": "data.set", "config": { "keep": false, "assign": { "out": "={'n': params.n, 's': params.s, 'c': context.c}" } } } }),
        json!([]),
    );
    flow["params"] = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" }, "s": { "type": "string", "default": "none" } } });
    let file = place.file("p.json", flow.to_string()).display().to_string();
    let params = format!("@{}", place.file("params.json", "{\"n\":1}").display());
    let done = place.run(&["run", &file, "--params", &params, "--set", "s=\"Ada\"", "--set", "$c=[1]", "--json"]);
    assert_eq!(done.json()["output"], json!([{ "out": { "n": 1, "s": "Ada", "c": [1] } }]), "{}", done.err);
    for (args, code) in [
        (&["--json"][..], "BAD_PARAM"),
        (&["--set", "n=\"one\"", "--json"], "BAD_PARAM"),
        (&["--set", "n=one", "--json"], "BAD_REQUEST"),
        (&["--params", "[1]", "--json"], "BAD_REQUEST"),
        (&["--params", "@/no/such/file", "--json"], "BAD_REQUEST"),
    ] {
        let mut all = vec!["run", file.as_str()];
        all.extend(args);
        let done = place.run(&all);
        assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some(code)), "{args:?}");
    }
}

#[test]
fn bad_files_get_their_codes_and_touch_nothing() {
    let place = TestHome::new();
    let node = |kind: &str, config: Value| json!({ "type": kind, "config": config });
    let one = |node: Value| workflow(json!({ "a": node }), json!([])).to_string();
    let wired = |edges: Value| {
        workflow(json!({ "a": { "type": "flow.noop" }, "b": { "type": "flow.noop" } }), edges).to_string()
    };
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("broken", b"{ \"signalbox\": 1, ".to_vec(), "BAD_JSON"),
        (
            "twice",
            b"{\"signalbox\":1,\"signalbox\":1,\"id\":\"a\",\"name\":\"a\",\"nodes\":{},\"edges\":[]}".to_vec(),
            "BAD_JSON",
        ),
        ("utf8", b"{\"signalbox\":1,\"id\":\"\xff\"}".to_vec(), "BAD_JSON"),
        ("deep", format!("{{\"a\":{}{}}}", "[".repeat(3_000), "]".repeat(3_000)).into_bytes(), "BAD_JSON"),
        ("list", b"[]".to_vec(), "BAD_FILE"),
        ("missing", b"{\"signalbox\":1}".to_vec(), "BAD_FILE"),
        (
            "newer",
            b"{\"signalbox\":99,\"id\":\"a\",\"name\":\"a\",\"nodes\":{},\"edges\":[]}".to_vec(),
            "NEWER_VERSION",
        ),
        ("empty", workflow(json!({}), json!([])).to_string().into_bytes(), "EMPTY_WORKFLOW"),
        ("type", one(node("data.nope", json!({}))).into_bytes(), "UNKNOWN_TYPE"),
        ("pinned", one(json!({ "type": "flow.noop", "pinned": {} })).into_bytes(), "NOT_AVAILABLE"),
        ("config", one(node("flow.if", json!({}))).into_bytes(), "MISSING_CONFIG"),
        ("extra", one(node("flow.if", json!({ "condition": "true", "nope": 1 }))).into_bytes(), "UNKNOWN_CONFIG"),
        ("wrong", one(node("flow.wait", json!({ "ms": "soon" }))).into_bytes(), "BAD_CONFIG"),
        ("cel", one(node("flow.if", json!({ "condition": "1 +" }))).into_bytes(), "CEL_SYNTAX"),
        ("name", one(node("flow.if", json!({ "condition": "nope > 1" }))).into_bytes(), "UNKNOWN_NAME"),
        (
            "brackets",
            one(node("flow.if", json!({ "condition": format!("{}1{} > 0", "(".repeat(3_000), ")".repeat(3_000)) })))
                .into_bytes(),
            "CEL_LIMIT",
        ),
        ("port", wired(json!([{ "from": "a.nope", "to": "b" }])).into_bytes(), "UNKNOWN_PORT"),
        ("dangling", wired(json!([{ "from": "a.success", "to": "c" }])).into_bytes(), "DANGLING_EDGE"),
        (
            "double",
            wired(json!([{ "from": "a.success", "to": "b" }, { "from": "a.success", "to": "b" }])).into_bytes(),
            "DUPLICATE_EDGE",
        ),
        (
            "cycle",
            wired(json!([{ "from": "a.success", "to": "b" }, { "from": "b.success", "to": "a" }])).into_bytes(),
            "CYCLE",
        ),
        ("big", vec![b' '; 50 * 1024 * 1024], "TOO_LARGE"),
    ];
    let mut files = vec!["validate".to_owned(), "--json".to_owned()];
    for (name, bytes, _) in &cases {
        files.push(place.file(&format!("{name}.signalbox.json"), bytes).display().to_string());
    }
    let before: Vec<Vec<u8>> = files[2..].iter().map(|file| std::fs::read(file).expect("there")).collect();
    let done = place.run(&files);
    assert_eq!(done.code, 2, "{}", done.err);
    let results = done.json();
    for ((name, _, code), result) in cases.iter().zip(results.as_array().expect("a list")) {
        let found = result["diagnostics"].as_array().expect("a list");
        let codes: Vec<&str> = found.iter().filter_map(|d| d["code"].as_str()).collect();
        assert!(codes.contains(code), "{name}: {codes:?}");
        assert_eq!(result["ok"], false, "{name}");
        for d in found {
            for key in ["severity", "message", "hint"] {
                assert!(d[key].as_str().is_some_and(|text| !text.is_empty()), "{name}: {d}");
            }
            assert!(d["path"].is_string(), "{name}: {d}");
        }
    }
    let after: Vec<Vec<u8>> = files[2..].iter().map(|file| std::fs::read(file).expect("there")).collect();
    assert!(before == after, "validate changed a file");
    assert!(!place.data().exists(), "validate touches nothing else");
    // The same files with `run`: exit 2 with the diagnostics.
    for (file, (name, _, code)) in files[2..].iter().zip(&cases) {
        let done = place.run(&["run", file, "--json"]);
        assert_eq!(done.code, 2, "{name}: {}", done.out);
        assert!(done.out.contains(code), "{name}: {}", done.out);
    }
    assert_eq!(place.run(&["runs", "list", "--json"]).json(), json!([]), "nothing was started");
}

#[test]
fn five_thousand_nodes_validate() {
    let place = TestHome::new();
    let node = json!({ "type": "data.set", "config": { "assign": { "a": "=item" } } });
    let nodes: serde_json::Map<String, Value> = (0..5_000).map(|n| (format!("n{n}"), node.clone())).collect();
    let edges: Vec<Value> =
        (1..5_000).map(|n| json!({ "from": format!("n{}.success", n - 1), "to": format!("n{n}") })).collect();
    let file = place.file("many.json", workflow(Value::Object(nodes), json!(edges)).to_string()).display().to_string();
    let done = place.run(&["validate", &file, "--json"]);
    assert_eq!((done.code, done.json()[0]["ok"].as_bool()), (0, Some(true)), "{}", done.err);
}

/// TRUST, "The audit chain": what a file from outside says cannot steer the terminal that shows it.
#[test]
fn texts_of_a_file_do_not_steer_the_terminal() {
    let place = TestHome::new();
    let odd = workflow(json!({ "a": { "type": "x\u{1b}[2J\u{202e}\u{9b}y" } }), json!([]));
    let file = place.file("odd.json", odd.to_string()).display().to_string();
    for args in [&["validate", &file][..], &["run", &file], &["validate", &file, "--json"]] {
        let done = place.run(args);
        let printed = done.out + &done.err;
        assert!(printed.contains('y') && !printed.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{args:?}: {printed:?}");
    }
}

#[test]
fn every_help_has_an_example() {
    let place = TestHome::new();
    for args in [
        &["--help"][..],
        &["run", "--help"],
        &["validate", "--help"],
        &["runs", "--help"],
        &["runs", "list", "--help"],
        &["runs", "show", "--help"],
        &["runs", "events", "--help"],
        &["runs", "delete", "--help"],
        &["resume", "--help"],
        &["cancel", "--help"],
        &["catalog", "--help"],
        &["catalog", "list", "--help"],
        &["catalog", "show", "--help"],
        &["catalog", "check", "--help"],
        &["serve", "--help"],
    ] {
        let done = place.run(args);
        assert_eq!(done.code, 0, "{args:?}");
        assert!(done.out.contains("Example") && done.out.contains("  signalbox "), "{args:?}\n{}", done.out);
    }
}

#[test]
fn the_catalog_is_complete_and_fits() {
    let place = TestHome::new();
    let list = place.run(&["catalog", "list", "--json"]).json();
    let kinds: Vec<&str> = list.as_array().expect("a list").iter().filter_map(|kind| kind["type"].as_str()).collect();
    for kind in ["trigger.manual", "data.set", "flow.if", "flow.switch", "http.request", "file.read"] {
        assert!(kinds.contains(&kind), "{kind}");
    }
    assert_eq!(place.run(&["catalog", "show", "flow.if", "--json"]).json()["type"], "flow.if");
    assert_eq!(place.run(&["catalog", "check", "--json"]).code, 0);
    let bad = place.file("bad.yaml", "type: x\n").display().to_string();
    assert_eq!(place.run(&["catalog", "check", &bad, "--json"]).code, 2);
    assert!(!place.data().exists());
}

#[test]
fn folders_are_closed_unless_granted() {
    let place = TestHome::new();
    let inside = place.dir.path().join("in");
    std::fs::create_dir(&inside).expect("a folder");
    std::fs::write(inside.join("a.txt"), "hello").expect("a file");
    let path = inside.join("a.txt").display().to_string();
    let flow = workflow(json!({ "r": { "type": "file.read", "config": { "path": path } } }), json!([]));
    let file = place.file("read.json", flow.to_string()).display().to_string();
    let refused = place.run(&["run", &file, "--json"]);
    assert_eq!((refused.code, refused.json()["error"]["details"]["code"].as_str()), (1, Some("PATH_REFUSED")));
    let granted = place.run(&["run", &file, "--allow-dir", &inside.display().to_string(), "--json"]);
    assert_eq!(granted.json()["output"][0]["content"], "hello", "{}", granted.err);
    assert_eq!(place.run(&["run", &file, "--allow-dir", "/no/such/folder", "--json"]).code, 2);
}

#[test]
fn a_list_of_none_is_no_list() {
    let place = TestHome::new();
    for list in [["runs", "list"], ["tasks", "list"], ["audit", "list"], ["webhook", "log"]] {
        for limit in ["0", "-1", "some"] {
            let refused = place.run(&[&list[..], &["--limit", limit]].concat());
            assert_eq!(refused.code, 2, "{list:?} {limit}: {}{}", refused.out, refused.err);
            assert!(
                limit == "-1" || refused.err.contains("the limit must be a whole number of at least 1"),
                "{}",
                refused.err
            );
        }
    }
}
