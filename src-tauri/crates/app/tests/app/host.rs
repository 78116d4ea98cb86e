//! Every command without a window and without a server: what they do, what they refuse, what they never lose.

use crate::common;

use common::{place, wait};
use serde_json::{Value, json};
use signalbox_app::Caller;
use signalbox_app::command_list::COMMANDS;
use signalbox_app::dto::{CallerRole, Host};
use std::path::{Path, PathBuf};

fn flow(id: &str) -> Value {
    json!({
        "signalbox": 1, "id": id, "name": "Flow",
        "nodes": {
            "a": { "type": "data.transform", "config": { "expression": "params.rows", "split": true } },
            "b": { "type": "data.set", "config": { "assign": { "twice": "=item.n * 2" } }, "out": { "$last": "=_result.twice" } },
        },
        "edges": [{ "from": "a.success", "to": "b" }],
    })
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("there")
}

/// What was cut off is repeated by no rule, also not by one about the loop that it stands in; the name of a cause is not enough.
#[test]
fn a_dry_run_says_that_nothing_repeats_what_was_cut_off() {
    let place = place();
    let rules = json!([{ "name": "again", "when": "true", "action": "retry" }]);
    let told = |kind: &str, details: Value| {
        let error = json!({ "type": "UnknownError", "retryable": false, "details": details });
        let answer = place.ok("handler_dry_run", json!({ "rules": rules, "error": error, "kind": kind }));
        answer["action"].as_str().expect("an action").to_owned()
    };
    let bare = json!({ "code": "INTERRUPTED" });
    let held = json!({ "code": "INTERRUPTED", "effect": "unknown", "childErrors": [] });
    assert_eq!((told("http.request", bare.clone()), told("data.set", bare.clone())), ("abort".into(), "retry".into()));
    assert_eq!((told("flow.loop", bare), told("flow.loop", held)), ("retry".into(), "abort".into()));
}

#[test]
fn about_kinds_samples_settings() {
    let place = place();
    let info = place.ok("app_info", json!({}));
    assert_eq!((info["host"].as_str(), info["version"].as_str()), (Some("desktop"), Some(env!("CARGO_PKG_VERSION"))));
    assert!(place.ok("catalog_list", json!({})).as_array().expect("a list").len() >= 18);
    assert!(place.ok("sample_list", json!({})).as_array().expect("a list").len() >= 4);
    let usual = place.ok("settings_get", json!({}));
    assert_eq!(usual, json!({ "theme": "system", "layout": {}, "keymap": {} }));
    let set = json!({ "theme": "dark", "layout": { "left": 240.0, "log": true }, "keymap": { "run": ["F5"] }, "language": "zh" });
    place.ok("settings_set", json!({ "settings": set }));
    let place = place.reopen();
    assert_eq!(place.ok("settings_get", json!({})), set);
    assert_eq!(
        place.code("settings_set", json!({ "settings": { "theme": "pink", "layout": {}, "keymap": {} } })),
        "BAD_REQUEST"
    );
}

#[test]
fn a_file_is_made_saved_opened_copied_and_deleted() {
    let place = place();
    let made = place.ok("workflow_create", json!({ "name": "Invoice intake" }));
    assert_eq!((made["document"]["id"].as_str(), made["readOnly"].as_bool()), (Some("invoice-intake"), Some(false)));
    assert_eq!(made["document"]["settings"]["errorPolicy"], "safe");
    let path = PathBuf::from(made["path"].as_str().expect("a path"));
    assert_eq!(path.parent(), Some(place.library().as_path()));
    let second = place.ok("workflow_create", json!({ "name": "Invoice intake" }));
    assert_eq!(second["document"]["id"], "invoice-intake-2");

    let mut document = flow("invoice-intake");
    document["future"] = json!({ "kept": [1, 2.5, null] });
    document["nodes"]["a"]["later"] = json!("kept");
    let saved = place
        .ok("workflow_save", json!({ "ref": made["ref"], "document": document, "baseRevision": made["revision"] }));
    let bytes = text(&path);
    let open = place.ok("workflow_open", json!({ "ref": made["ref"] }));
    assert_eq!((&open["revision"], &open["document"]["future"]), (&saved["revision"], &document["future"]));
    let warned = open["diagnostics"].as_array().expect("a list");
    assert!(warned.iter().any(|d| d["code"] == "UNKNOWN_FIELD" && d["severity"] == "warning"), "{warned:?}");
    // What was opened is saved to the same bytes.
    let again = place.ok(
        "workflow_save",
        json!({ "ref": made["ref"], "document": open["document"], "baseRevision": open["revision"] }),
    );
    assert_eq!((again["revision"].clone(), text(&path)), (saved["revision"].clone(), bytes.clone()));
    assert_eq!(place.ok("workflow_revision", json!({ "ref": made["ref"] }))["revision"], saved["revision"]);

    let copy = place.ok("workflow_duplicate", json!({ "ref": made["ref"], "name": "A copy" }));
    assert_eq!((copy["document"]["id"].as_str(), &copy["document"]["future"]), (Some("a-copy"), &document["future"]));
    let list = place.ok("workflow_list", json!({}));
    assert_eq!(list.as_array().map(Vec::len), Some(3));
    place.ok("workflow_delete", json!({ "ref": copy["ref"] }));
    assert_eq!(place.code("workflow_open", json!({ "ref": copy["ref"] })), "NOT_FOUND");
    assert_eq!(place.ok("workflow_revision", json!({ "ref": copy["ref"] }))["revision"], Value::Null);
    // A new process knows the same ids.
    let place = place.reopen();
    assert_eq!(place.ok("workflow_open", json!({ "ref": made["ref"] }))["revision"], saved["revision"]);
    assert_eq!(place.code("workflow_open", json!({ "ref": "../../etc/passwd" })), "NOT_FOUND");
    for bad in [
        json!([]),
        json!({ "signalbox": 1 }),
        json!({ "signalbox": 2, "id": "a", "name": "a", "nodes": {}, "edges": [] }),
    ] {
        let refused = place
            .ask("workflow_save", json!({ "ref": made["ref"], "document": bad, "baseRevision": saved["revision"] }));
        assert!(refused.is_err(), "{bad}");
    }
    assert_eq!(text(&path), bytes, "nothing was lost");
}

#[test]
fn a_change_from_outside_is_a_conflict_and_a_draft_survives_a_crash() {
    let place = place();
    let made = place.ok("workflow_create", json!({ "name": "One" }));
    let path = PathBuf::from(made["path"].as_str().expect("a path"));
    let mine = flow("one");
    place.ok("draft_put", json!({ "ref": made["ref"], "document": mine }));
    let outside = text(&path).replace("\"One\"", "\"Outside\"");
    std::fs::write(&path, &outside).expect("written");
    let save = json!({ "ref": made["ref"], "document": mine, "baseRevision": made["revision"] });
    let conflict = place.ask("workflow_save", save.clone()).expect_err("it changed");
    let now = place.ok("workflow_revision", json!({ "ref": made["ref"] }))["revision"].clone();
    assert_eq!((conflict.code.as_str(), conflict.details.expect("details")["revision"].clone()), ("CONFLICT", now));
    assert_eq!(text(&path), outside);
    // The window dies here; the next start has the draft.
    let place = place.reopen();
    let open = place.ok("workflow_open", json!({ "ref": made["ref"] }));
    assert_eq!(open["draft"]["document"], mine);
    assert_eq!(place.ok("workflow_list", json!({}))[0]["hasDraft"], true);
    let mut over = save;
    over["overwrite"] = json!(true);
    place.ok("workflow_save", over);
    let open = place.ok("workflow_open", json!({ "ref": made["ref"] }));
    assert_eq!((open["document"]["nodes"].clone(), open.get("draft")), (mine["nodes"].clone(), None));
    place.ok("draft_put", json!({ "ref": made["ref"], "document": mine }));
    assert!(
        place.ok("workflow_open", json!({ "ref": made["ref"] })).get("draft").is_none(),
        "a draft that says the same is over"
    );
    let other = flow("other");
    place.ok("draft_put", json!({ "ref": made["ref"], "document": other }));
    place.ok("draft_discard", json!({ "ref": made["ref"] }));
    assert!(place.ok("workflow_open", json!({ "ref": made["ref"] })).get("draft").is_none());
    // Spoilt outside: what was in the editor is still there.
    place.ok("draft_put", json!({ "ref": made["ref"], "document": other }));
    std::fs::write(&path, "{ spoilt").expect("written");
    let spoilt = place.ok("workflow_open", json!({ "ref": made["ref"] }));
    assert_eq!((&spoilt["document"], &spoilt["draft"]["document"]), (&other, &other));
    assert!(spoilt["unreadable"].as_str().is_some_and(|why| why.contains("JSON")), "{spoilt}");
    // Deleted outside: saving says so, and writes it again on purpose.
    std::fs::remove_file(&path).expect("deleted");
    let base = open["revision"].clone();
    assert_eq!(
        place.code("workflow_save", json!({ "ref": made["ref"], "document": mine, "baseRevision": base })),
        "CONFLICT"
    );
    place.ok("workflow_save", json!({ "ref": made["ref"], "document": mine, "baseRevision": "" }));
    assert!(path.exists());
}

#[test]
fn bad_files_are_listed_with_their_problem_and_refused() {
    let place = place();
    let write = |name: &str, bytes: &[u8]| std::fs::write(place.library().join(name), bytes).expect("written");
    write("broken.signalbox.json", b"{ nope");
    write("list.signalbox.json", b"[]");
    write("utf8.signalbox.json", b"{\"id\":\"\xff\"}");
    write("newer.signalbox.json", b"{\"signalbox\":9,\"id\":\"n\",\"name\":\"n\",\"nodes\":{},\"edges\":[]}");
    write("large.signalbox.json", &vec![b' '; 17 * 1024 * 1024]);
    write(
        "twice.signalbox.json",
        b"{\"signalbox\":1,\"id\":\"a\",\"id\":\"b\",\"name\":\"n\",\"nodes\":{},\"edges\":[]}",
    );
    write("shape.signalbox.json", b"{\"signalbox\":1,\"id\":\"a\",\"name\":\"n\",\"nodes\":{\"x\":1},\"edges\":[]}");
    let marked = [b"\xef\xbb\xbf".as_slice(), flow("marked").to_string().as_bytes()].concat();
    write("marked.signalbox.json", &marked);
    write("other.json", b"{}");
    let list = place.ok("workflow_list", json!({}));
    let find = |name: &str| {
        let all = list.as_array().expect("a list").iter();
        all.clone().find(|entry| entry["path"].as_str().is_some_and(|path| path.ends_with(name))).cloned()
    };
    assert!(find("other.json").is_none());
    for (name, code) in [
        ("broken", "BAD_JSON"),
        ("list", "BAD_FILE"),
        ("utf8", "BAD_JSON"),
        ("large", "TOO_LARGE"),
        ("newer", "NEWER_VERSION"),
        ("twice", "BAD_JSON"),
        ("shape", "BAD_FILE"),
    ] {
        let entry = find(&format!("{name}.signalbox.json")).expect("listed");
        assert!(entry["problem"].is_string(), "{entry}");
        // Also a file that is not read was changed at some time.
        assert!(entry["modifiedAt"].as_str().is_some_and(|at| at > "2000"), "{entry}");
        let refused = place.ask("workflow_open", json!({ "ref": entry["ref"] })).expect_err(name);
        assert_eq!(refused.code, code, "{name}");
        assert!(!refused.message.is_empty() && !refused.hint.is_empty());
        // The list says what opening says, before anybody opens it.
        if code != "NEWER_VERSION" {
            assert_eq!(entry["problem"], refused.message, "{name}");
        }
    }
    let marked = find("marked.signalbox.json").expect("listed");
    assert_eq!((&marked["id"], marked.get("problem")), (&json!("marked"), None));
    place.ok("workflow_open", json!({ "ref": marked["ref"] }));
}

#[cfg(unix)]
#[test]
fn a_link_in_the_library_is_not_followed() {
    let place = place();
    let secret = place.dir.path().join("secret.signalbox.json");
    std::fs::write(&secret, flow("secret").to_string()).expect("written");
    std::os::unix::fs::symlink(&secret, place.library().join("link.signalbox.json")).expect("linked");
    assert_eq!(place.ok("workflow_list", json!({})), json!([]));
}

#[test]
fn runs_start_end_and_are_found_again() {
    let place = place();
    let document = flow("rows");
    let summary = place.run(&document, json!({ "rows": [{ "n": 1 }, { "n": 21 }] }));
    assert_eq!((summary["status"].as_str(), &summary["context"]["last"]), (Some("completed"), &json!(42)));
    let run = summary["runId"].clone();
    let place = place.reopen();
    let page = place.ok("run_list", json!({ "workflow": "rows", "status": "completed", "text": "flow", "limit": 10 }));
    assert_eq!((page["runs"][0]["runId"].clone(), page["runs"].as_array().map(Vec::len)), (run.clone(), Some(1)));
    assert_eq!(place.ok("run_list", json!({ "text": "nothing" }))["runs"], json!([]));
    let got = place.ok("run_get", json!({ "runId": run }));
    assert_eq!((&got["params"]["rows"][1]["n"], got["driven"].as_bool()), (&json!(21), Some(false)));
    assert_eq!(got["definition"]["nodes"]["a"]["type"], "data.transform");
    let events = place.ok("run_events", json!({ "runId": run, "after": 0 }));
    assert_eq!(events.as_array().map(Vec::len), Some(got["lastSeq"].as_u64().expect("a number") as usize));
    assert_eq!(place.ok("run_events", json!({ "runId": run, "after": 2, "limit": 1 }))[0]["seq"], 3);
    assert_eq!(place.code("run_cancel", json!({ "runId": run })), "RUN_ENDED");
    assert_eq!(place.code("run_resume", json!({ "runId": run })), "RUN_ENDED");

    let data = place.ok("run_step_data", json!({ "workflowId": "rows", "nodeId": "b" }));
    assert_eq!(data["input"], json!([{ "item": 0, "data": { "n": 1 } }, { "item": 1, "data": { "n": 21 } }]));
    assert_eq!(data["output"]["success"][1]["data"], json!({ "n": 21, "twice": 42 }));
    assert_eq!(place.ok("run_step_data", json!({ "workflowId": "rows", "nodeId": "c" })), Value::Null);
    assert_eq!(place.ok("run_step_data", json!({ "workflowId": "none", "nodeId": "b" })), Value::Null);

    place.ok("run_delete", json!({ "runId": run }));
    for command in ["run_get", "run_cancel", "run_delete", "run_resume"] {
        assert_eq!(place.code(command, json!({ "runId": run })), "NOT_FOUND", "{command}");
    }
}

#[test]
fn a_run_needs_a_valid_workflow_and_fitting_params() {
    let place = place();
    let mut document = flow("p");
    document["params"] =
        json!({ "type": "object", "required": ["rows"], "properties": { "rows": { "type": "array" } } });
    let wrong = place.ask("run_start", json!({ "document": document, "params": { "rows": 1 } })).expect_err("no list");
    assert_eq!(wrong.code, "BAD_PARAM");
    document["nodes"]["b"]["config"]["assign"]["twice"] = json!("=item.n *");
    let wrong = place.ask("run_start", json!({ "document": document, "params": { "rows": [] } })).expect_err("no CEL");
    assert_eq!(wrong.code, "INVALID_WORKFLOW");
    assert_eq!(wrong.details.expect("details")["diagnostics"][0]["code"], "CEL_SYNTAX");
    assert_eq!(place.code("run_start", json!({ "params": {} })), "BAD_REQUEST");
    assert_eq!(place.code("run_start", json!({ "document": flow("a"), "ref": "b", "params": {} })), "NOT_FOUND");
    let found = place.ok("workflow_validate", json!({ "document": document }));
    assert_eq!(found[0]["code"], "CEL_SYNTAX");
    assert!(found[0]["path"].as_str().is_some_and(|path| path.starts_with("/nodes/b/config")), "{found}");
    assert_eq!(place.ok("run_list", json!({}))["runs"], json!([]), "nothing was started");
}

#[test]
fn a_stored_file_runs_and_a_long_one_is_cancelled() {
    let place = place();
    let made = place.ok("workflow_create", json!({ "name": "Wait" }));
    let document = json!({
        "signalbox": 1, "id": "wait", "name": "Wait", "nodes": { "w": { "type": "flow.wait", "config": { "ms": 600_000 } } }, "edges": [],
    });
    place.ok("workflow_save", json!({ "ref": made["ref"], "document": document, "baseRevision": made["revision"] }));
    let run =
        place.ok("run_start", json!({ "ref": made["ref"], "params": {}, "clientRunToken": "mine" }))["runId"].clone();
    let got = place.ok("run_get", json!({ "runId": run }));
    assert_eq!((got["status"].as_str(), got["driven"].as_bool()), (Some("running"), Some(true)));
    assert_eq!(place.ok("run_events", json!({ "runId": run, "after": 0 }))[0]["clientRunToken"], "mine");
    assert_eq!(place.code("run_delete", json!({ "runId": run })), "DELETE_REFUSED");
    place.ok("run_cancel", json!({ "runId": run }));
    let summary = wait(place.app.wait(run.as_str().expect("an id").to_owned())).expect("ends");
    assert_eq!(summary["status"], "cancelled");
    assert_eq!(place.ok("workflow_list", json!({}))[0]["lastRun"]["status"], "cancelled");
}

#[test]
fn a_step_that_waits_for_a_broker_is_cancelled() {
    let place = place();
    for system in ["mqtt", "redis", "nats", "amqp"] {
        // It takes the connection and says nothing.
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = silent.local_addr().expect("an address").port();
        let document = json!({
            "signalbox": 1, "id": "wait", "name": "Wait", "edges": [], "nodes": { "p": { "type": "message.publish", "config": {
                "system": system, "host": "127.0.0.1", "port": port, "tls": false, "topic": "orders", "timeoutMs": 3_600_000,
            } } },
        });
        let run = place.ok("run_start", json!({ "document": document, "params": {} }))["runId"].clone();
        let (connection, _) = silent.accept().expect("it asks");
        place.ok("run_cancel", json!({ "runId": run }));
        let summary = wait(place.app.wait(run.as_str().expect("an id").to_owned())).expect("ends");
        assert_eq!(summary["status"], "cancelled", "{system}");
        drop(connection);
    }
}

#[test]
fn expressions_are_tried_on_the_last_run_s_data() {
    let place = place();
    let mut document = flow("rows");
    let preview = |document: &Value, node: &str, text: &str, kind: &str, item: usize| {
        place.ok(
            "expression_preview",
            json!({ "document": document, "nodeId": node, "text": text, "kind": kind, "item": item }),
        )
    };
    assert_eq!(preview(&document, "b", "item.n", "cel", 0)["state"], "no_data");
    assert_eq!(preview(&document, "b", "item.", "cel", 0)["state"], "error", "without data the text is still checked");
    place.run(&document, json!({ "rows": [{ "n": 1 }, { "n": 21 }] }));
    let second = preview(&document, "b", "item.n + 1", "cel", 1);
    assert_eq!(
        (second["state"].as_str(), &second["value"], &second["itemCount"]),
        (Some("value"), &json!(22), &json!(2))
    );
    assert_eq!(preview(&document, "b", "n is {{item.n}}", "value", 1)["value"], "n is 21");
    assert_eq!(preview(&document, "b", "=params.rows[0]", "value", 0)["value"], json!({ "n": 1 }));
    assert_eq!(preview(&document, "b", "plain", "value", 0)["value"], "plain");
    assert_eq!(
        preview(&document, "b", "_result", "cel", 1)["state"],
        "value",
        "`out` is tried on the step's last output"
    );
    let wrong = preview(&document, "b", "item.nope", "cel", 0);
    assert_eq!(wrong["state"], "error");
    assert!(wrong["message"].as_str().is_some_and(|text| text.contains("nope")), "{wrong}");
    // A node that was drawn after the run sees what the step before it gives.
    document["nodes"]["c"] = json!({ "type": "flow.if", "config": { "condition": "true" } });
    document["edges"].as_array_mut().expect("a list").push(json!({ "from": "b.success", "to": "c" }));
    assert_eq!(preview(&document, "c", "item.twice > 40", "cel", 1)["value"], true);
    assert_eq!(preview(&document, "c", "nodes.a.items[0].n + context.last", "cel", 0)["value"], 43);
    let names = place.ok("expression_names", json!({ "document": document, "nodeId": "c" }));
    let labels: Vec<&str> =
        names.as_array().expect("a list").iter().filter_map(|name| name["label"].as_str()).collect();
    for label in ["item.twice", "params.rows", "context.last", "nodes.b"] {
        assert!(labels.contains(&label), "{label} in {labels:?}");
    }
    // T-08: what a tool answered as it came has a name only where a tool is called.
    assert!(!labels.iter().any(|label| label.starts_with("_toolResult")), "{labels:?}");
    document["nodes"]["d"] = json!({ "type": "mcp.tool", "config": { "server": "files", "tool": "read" } });
    let names = place.ok("expression_names", json!({ "document": document, "nodeId": "d" }));
    let has = |label: &str| names.as_array().expect("a list").iter().any(|name| name["label"] == label);
    assert!(has("_toolResult") && has("_toolResult.status"), "{names}");
    let policy = json!({ "maxAttempts": 2, "backoff": "exponential", "initialDelayMs": 100, "maxDelayMs": 1_000, "jitter": true });
    let line = place.ok("retry_timeline", json!({ "policy": policy }));
    assert_eq!(line, json!([{ "attempt": 1, "delayMs": 100 }, { "attempt": 2, "delayMs": 200 }]));
}

fn on_the_grid(title: &str, document: &Value) {
    let nodes = document["nodes"].as_object().expect("nodes");
    // A frame is as wide as its steps need: what stands behind it is on no column.
    let column = if nodes.values().any(|node| node.get("parent").is_some()) { 8 } else { 248 };
    for (id, place) in document["layout"].as_object().expect("a layout") {
        let on_grid =
            place[0].as_i64().is_some_and(|x| x % column == 0) && place[1].as_i64().is_some_and(|y| y % 8 == 0);
        assert!(on_grid && nodes.contains_key(id), "{title}: {id}");
    }
}

#[test]
fn samples_say_what_is_set_up_of_what_they_need() {
    let place = place();
    let ready = || {
        let list = place.ok("sample_list", json!({}));
        let of = |id: &str| {
            let found = list.as_array().expect("a list").iter().find(|one| one["id"] == id).expect("a sample");
            found["needs"][0]["ready"].as_bool().expect("a state")
        };
        [of("triage-with-a-gate"), of("a-budget-that-asks"), of("files-by-a-tool-server")]
    };
    assert_eq!(ready(), [false, false, false]);
    let provider = |models: Value| json!({ "name": "home", "kind": "ollama", "baseUrl": "http://127.0.0.1:11434", "models": models });
    place.ok("model_set", provider(json!([{ "name": "small" }])));
    place.ok("model_default_set", json!({ "default": { "provider": "home", "model": "small" } }));
    assert_eq!(ready(), [true, false, false], "a model without a price uses no budget up");
    place.ok("model_set", provider(json!([{ "name": "small", "inputPrice": 0.5, "outputPrice": 2.0 }])));
    assert_eq!(ready(), [true, true, false]);
}

#[test]
fn every_sample_works_offline() {
    let place = place();
    for sample in place.ok("sample_list", json!({})).as_array().expect("a list") {
        let title = sample["title"].as_str().expect("a title");
        let found = place.ok("workflow_validate", json!({ "document": sample["document"] }));
        on_the_grid(title, &sample["document"]);
        // What has to be set up first is said; tests/peers/samples.mjs runs these with a model and a tool server.
        if let Some(need) = sample["needs"].as_array().and_then(|needs| needs.first()) {
            assert_eq!(need["ready"], false, "{title}");
            let errors = found.as_array().expect("a list").iter().filter(|one| one["severity"] == "error");
            let codes: Vec<&str> = errors.filter_map(|one| one["code"].as_str()).collect();
            let (words, missing) = match need["kind"].as_str() {
                Some("toolServer") => ("Requires the tool server", false),
                _ => ("Requires a default model", true),
            };
            assert_eq!(!codes.is_empty() && codes.iter().all(|code| *code == "MISSING_MODEL"), missing, "{title}");
            assert!(sample["description"].as_str().is_some_and(|text| text.contains(words)), "{title}");
            continue;
        }
        // Where files are, only the person of this machine can say.
        let others = found.as_array().expect("a list").iter().filter(|one| one["code"] != "MISSING_GRANT");
        assert_eq!(others.collect::<Vec<_>>(), Vec::<&Value>::new(), "{title}");
        // Read in a process that the program starts of itself, and this is a test: headless/tests/headless/documents.rs runs them.
        let separate = ["unpaid-invoices", "invoices-from-a-template", "shipped-orders", "monthly-report"];
        if separate.iter().any(|id| sample["id"] == *id) {
            continue;
        }
        let made = place.ok("workflow_create", json!({ "sampleId": sample["id"] }));
        let run = place.ok("run_start", json!({ "ref": made["ref"], "params": {} }))["runId"].clone();
        let mut summary = wait(place.app.wait(run.as_str().expect("an id").to_owned())).expect("ends");
        // The first one asks once.
        if let Some(task) = summary["openTasks"][0].as_str() {
            let answer = if sample["id"] == "vacation-request" || sample["id"] == "order-webhook" {
                json!({ "taskId": task, "action": "approve" })
            } else {
                json!({ "taskId": task, "action": "correct", "correctedInput": { "customer": 2 } })
            };
            place.ok("task_complete", answer);
            wait(place.app.resume(run.as_str().expect("an id").to_owned())).ok();
            summary = wait(place.app.wait(run.as_str().expect("an id").to_owned())).expect("ends");
        }
        assert_eq!(summary["status"], "completed", "{title}: {summary}");
        assert_eq!(summary["output"].as_array().map(Vec::is_empty), Some(false), "{title}");
    }
    let runs = place.ok("run_list", json!({ "workflow": "call-an-unreliable-service" }))["runs"].clone();
    let events = place.ok("run_events", json!({ "runId": runs[0]["runId"], "after": 0 }));
    let retries = events.as_array().expect("a list").iter().filter(|event| event["type"] == "retry_scheduled").count();
    assert_eq!(retries, 2);
    assert_eq!(place.code("workflow_create", json!({ "sampleId": "nope" })), "NOT_FOUND");
}

#[test]
fn folders_are_granted_by_handles_only() {
    let place = place();
    let folder = place.dir.path().join("in");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("a.txt"), "hello").expect("a file");
    std::fs::write(folder.join("mine.signalbox.json"), flow("mine").to_string()).expect("a file");
    let path = folder.display().to_string();
    let grant = |what: &str| json!({ "folder": what, "access": "rw", "library": true });
    assert_eq!(place.code("folder_grant", grant(&path)), "FORBIDDEN", "a path from the window is not trusted");
    assert_eq!(place.code("workflow_open_path", json!({ "path": path })), "FORBIDDEN");
    let own = place.ok("workflow_create", json!({ "name": "Own" }))["ref"].clone();
    assert_eq!(place.code("workflow_export", json!({ "ref": own, "choices": {}, "folder": path })), "FORBIDDEN");
    place.ok("workflow_delete", json!({ "ref": own }));
    let read = json!({
        "signalbox": 1, "id": "read", "name": "Read", "nodes": { "r": { "type": "file.read", "config": { "path": format!("{path}/a.txt") } } }, "edges": [],
    });
    assert_eq!(place.run(&read, json!({}))["error"]["details"]["code"], "PATH_REFUSED");
    place.ok("folder_grant", grant(&place.app.choose(folder.clone())));
    assert_eq!(place.run(&read, json!({}))["output"][0]["content"], "hello");
    let list = place.ok("folder_list", json!({}));
    assert_eq!((list[0]["access"].as_str(), list[0]["library"].as_bool()), (Some("rw"), Some(true)));
    assert_eq!(place.ok("workflow_list", json!({}))[0]["id"], "mine");
    let place = place.reopen();
    assert_eq!(place.run(&read, json!({}))["output"][0]["content"], "hello", "grants are kept");
    place.ok("folder_revoke", json!({ "folder": list[0]["folder"] }));
    assert_eq!(place.run(&read, json!({}))["error"]["details"]["code"], "PATH_REFUSED");
    assert_eq!(place.code("folder_revoke", json!({ "folder": list[0]["folder"] })), "NOT_FOUND");
    let open = place.ok("workflow_open_path", json!({ "path": place.app.choose(folder.join("mine.signalbox.json")) }));
    assert_eq!(open["document"]["id"], "mine");
}

#[test]
fn every_command_asks_for_host_role_and_shape() {
    let place = place();
    let roles = [CallerRole::Viewer, CallerRole::Operator, CallerRole::Builder];
    for command in COMMANDS {
        for role in roles {
            let error = wait(place.app.dispatch(
                &Caller::http(role, true, "tester"),
                command.name,
                json!({ "no": "such field" }),
            ));
            let code = error.expect_err("an unknown field is refused").code;
            let want = if !command.hosts.contains(&Host::Http) {
                "NOT_FOUND"
            } else if role < command.role {
                "FORBIDDEN"
            } else {
                "BAD_REQUEST"
            };
            assert_eq!(code, want, "{} as {role:?}", command.name);
        }
        // A window answers no requests of other programs, so it cannot listen for one, either; its system has a dialog for folders.
        let of_server = command.name.starts_with("hook_") || command.name == "folder_browse";
        let in_window = command.hosts.contains(&Host::Desktop) || of_server;
        assert!(!command.about.is_empty() && in_window, "{}", command.name);
        for stale in command.stale {
            assert!(COMMANDS.iter().any(|query| query.name == *stale), "{} makes {stale} stale", command.name);
        }
        for request in [json!([]), json!("x"), json!(1)].into_iter().filter(|_| command.hosts.contains(&Host::Desktop))
        {
            assert_eq!(place.code(command.name, request), "BAD_REQUEST", "{}", command.name);
        }
    }
    assert_eq!(place.code("nope", json!({})), "NOT_FOUND");
}

/// A number of the input is halved, a person says whether that is right.
fn halved() -> Value {
    json!({
        "signalbox": 1, "id": "halved", "name": "Halved", "context": { "initial": { "n": 3.0 } },
        "nodes": {
            "half": { "type": "data.set", "config": { "assign": { "half": "=item.n / 2", "own": "=context.n / 2" } } },
            "ask": { "type": "builtin.human_approval", "config": { "title": "Is that right?" } },
        },
        "edges": [{ "from": "half.success", "to": "ask" }],
    })
}

#[test]
fn of_two_re_runs_of_a_waiting_run_at_once_one_begins() {
    let place = place();
    // Where the second one looks after the first has taken the place of the original, it sees an ended one and may begin.
    let collided = (0..20).any(|_| {
        let run = place.run(&halved(), json!({ "n": 3.0 }))["runId"].clone();
        let ask = json!({ "runId": run, "stepId": "half" });
        let caller = Caller::here();
        let (one, two) = wait(async {
            let again = || place.app.dispatch(&caller, "run_rerun", ask.clone());
            tokio::join!(again(), again())
        });
        let (begun, refused): (Vec<_>, Vec<_>) = [one, two].into_iter().partition(Result::is_ok);
        assert!(!begun.is_empty(), "{refused:?}");
        let Some(refused) = refused.into_iter().next() else { return false };
        let (begun, refused) = (begun[0].as_ref().expect("begun"), refused.expect_err("refused"));
        assert_eq!((refused.code.as_str(), refused.class), ("RUN_ENDED", signalbox_app::Class::Conflict), "{refused}");
        let by = begun["runId"].as_str().expect("an id");
        assert!(refused.message.contains(by) && refused.hint.starts_with("Look again"), "{refused}");
        let began = place.ok("run_list", json!({ "parent": run }))["runs"].as_array().expect("a list").clone();
        assert_eq!(began.iter().map(|row| &row["runId"]).collect::<Vec<_>>(), [by], "nothing else was started");
        true
    });
    assert!(collided, "no two of them met");
}

#[test]
fn a_re_run_says_that_its_original_has_not_ended_also_where_it_stands_stopped() {
    let place = place();
    let run = place.run(&halved(), json!({ "n": 3.0 }))["runId"].clone();
    assert_eq!(place.ok("rerun_look", json!({ "runId": run, "stepId": "half" }))["waits"], true);
    let start = json!({ "document": halved(), "params": { "n": 3.0 }, "breakpoints": [{ "node": "ask" }] });
    let stopped = place.ok("run_start", start)["runId"].clone();
    let summary = wait(place.app.wait(stopped.as_str().expect("an id").to_owned())).expect("stops");
    assert_eq!(summary["status"], "paused", "{summary}");
    assert_eq!(place.ok("rerun_look", json!({ "runId": stopped, "stepId": "half" }))["waits"], true);
}

/// JSON in a page knows no difference between 3.0 and 3, expressions do.
#[test]
fn an_untouched_number_of_a_re_run_stays_as_it_was() {
    let place = place();
    let run = place.run(&halved(), json!({ "n": 3.0 }))["runId"].clone();
    let half = |sent: Value, context: Value| {
        let ask = json!({ "runId": run, "stepId": "half", "input": [{ "n": sent }], "overrides": { "$n": context } });
        let again = place.ok("run_rerun", ask)["runId"].as_str().expect("an id").to_owned();
        wait(place.app.wait(again.clone())).expect("waits");
        let data = place.ok("run_step_data", json!({ "workflowId": "halved", "nodeId": "half", "runId": again }));
        data["output"]["success"][0]["data"].clone()
    };
    for sent in [json!(3), json!(3.0)] {
        let made = half(sent.clone(), sent);
        assert_eq!((&made["half"], &made["own"]), (&json!(1.5), &json!(1.5)), "{made}");
    }
    assert_eq!(half(json!(7), json!(5))["half"], 3, "another whole number is one");

    let start = json!({ "document": halved(), "params": { "n": 3.0 }, "paused": true });
    let stopped = place.ok("run_start", start)["runId"].clone();
    wait(place.app.wait(stopped.as_str().expect("an id").to_owned())).expect("stops");
    let edit = |input: Value| place.ok("run_edit_input", json!({ "runId": stopped, "stepId": "half", "input": input }));
    assert_eq!(edit(json!({ "n": 3 }))["patch"], json!([]), "nothing was changed");
    let patch = edit(json!({ "n": 3, "more": 1 }))["patch"].clone();
    assert_eq!(patch.as_array().map(Vec::len), Some(1), "{patch}");
}

/// A row that was just added is to be filled in: nothing wrong was written yet.
#[test]
fn a_row_that_was_just_added_is_no_fault() {
    let place = place();
    let document = json!({ "signalbox": 1, "id": "rows", "name": "Rows", "edges": [], "nodes": {
        "rename": { "type": "data.rename", "config": { "fields": [{ "field": "", "name": "" }] } },
        "sort": { "type": "flow.switch", "config": { "cases": [{ "when": "true", "port": "" }] } },
    } });
    let found = place.ok("workflow_validate", json!({ "document": document }));
    let of =
        |path: &str| found.as_array().expect("a list").iter().find(|one| one["path"] == path).map(|one| &one["code"]);
    for path in ["rename/config/fields/0/field", "rename/config/fields/0/name", "sort/config/cases/0/port"] {
        assert_eq!(of(&format!("/nodes/{path}")), Some(&json!("MISSING_CONFIG")), "{path}: {found}");
    }
}
