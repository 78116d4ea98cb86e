//! A start that is sent again with its key gives the run that is there: over REST, at the terminal, after kill -9.

#[cfg(all(unix, debug_assertions))]
use crate::dying;
use crate::support;

use serde_json::{Value, json};
use support::{Answer, BUILDER, Loopback, OPERATOR, Serving, TestHome, workflow};

/// The workflow of the case: it waits for a moment.
fn store(serving: &Serving) {
    let mut file = workflow(json!({ "w": { "type": "flow.wait", "config": { "ms": 10 } } }), json!([]));
    file["id"] = json!("start-twice");
    assert_eq!(serving.ask("PUT", "/workflows/start-twice", &file).status, 200);
}

fn body(params: Value) -> Value {
    json!({ "workflow": "start-twice", "params": params, "clientRunToken": "order-77" })
}

fn start(serving: &Serving, token: &str, key: &str, body: &Value) -> Answer {
    serving.ask_as(token, "POST", "/workflow/run", body, &[("idempotency-key", key)])
}

fn run_of(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["runId"].as_str().expect("an id").to_owned()
}

fn runs(serving: &Serving) -> usize {
    let list = serving.ask("POST", "/rpc/run_list", &json!({})).json();
    list["runs"].as_array().expect("a list").len()
}

fn message(answer: &Answer) -> String {
    answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
}

/// `start-twice`: one run for one key, 409 for the same key with other params.
#[test]
fn a_start_that_is_sent_twice_is_one_run() {
    let place = TestHome::new();
    let serving = support::with_roles(&place);
    store(&serving);
    let first = run_of(&start(&serving, BUILDER, "order-77", &body(json!({ "a": 1, "b": 2 }))));
    // The order of the fields and the client's token are no other start; quotes are those of a structured header.
    let again = json!({ "params": { "b": 2, "a": 1 }, "workflow": "start-twice" });
    for key in ["order-77", "\"order-77\""] {
        assert_eq!(run_of(&start(&serving, BUILDER, key, &again)), first, "{key}");
    }
    for other in [body(json!({ "a": 1, "b": 3 })), json!({ "workflow": "start-twice" }), json!({ "workflow": "nope" })]
    {
        let refused = start(&serving, BUILDER, "order-77", &other);
        assert_eq!((refused.status, refused.code().as_str()), (409, "IDEMPOTENCY_KEY_REUSED"), "{other}");
        let error = refused.json()["error"].clone();
        let told = format!(
            "The key 'order-77' was used for run {first}, which was started with another workflow or other params."
        );
        assert_eq!((&error["message"], &error["details"]["runId"]), (&json!(told), &json!(first)));
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("24 hours")), "{error}");
    }
    assert_eq!(runs(&serving), 1);
    // Without a key, with another one, and without what the client calls its run: a run for each.
    let without = serving.ask("POST", "/workflow/run", &body(json!({ "a": 1, "b": 2 })));
    let others = [run_of(&without), run_of(&start(&serving, BUILDER, "order-78", &body(json!({ "a": 1, "b": 2 }))))];
    assert!(!others.contains(&first));
    assert_eq!(runs(&serving), 3);
    // The file may have changed or gone meanwhile: the start was made.
    let any = [("if-match", "*")];
    assert_eq!(serving.ask_as(BUILDER, "DELETE", "/workflows/start-twice", &Value::Null, &any).status, 200);
    assert_eq!(run_of(&start(&serving, BUILDER, "order-77", &again)), first);
    // Another process on the same store knows the key as well.
    drop(serving);
    let serving = support::with_roles(&place);
    assert_eq!(run_of(&start(&serving, BUILDER, "order-77", &again)), first);
}

#[test]
fn a_key_is_its_callers_own_and_has_a_shape() {
    let place = TestHome::new();
    let file = place.file("tokens", format!("builder {BUILDER} anna\noperator {OPERATOR} ben\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("chmod");
    }
    let serving = Serving::start(&place, &["--token-file", &file.display().to_string()]);
    let as_anna = |method: &str, path: &str, body: &Value, more: &[(&str, &str)]| {
        serving.ask_as(BUILDER, method, path, body, more)
    };
    let mut flow = workflow(json!({ "a": { "type": "flow.noop" } }), json!([]));
    flow["id"] = json!("start-twice");
    assert_eq!(as_anna("PUT", "/workflows/start-twice", &flow, &[]).status, 200);
    let anna = run_of(&start(&serving, BUILDER, "k", &body(json!({ "n": 1 }))));
    let ben = run_of(&start(&serving, OPERATOR, "k", &body(json!({ "n": 2 }))));
    assert_ne!(anna, ben);
    assert_eq!(run_of(&start(&serving, OPERATOR, "k", &body(json!({ "n": 2 })))), ben);

    let long = "k".repeat(256);
    for (key, why) in [
        ("", "The idempotency key is empty."),
        ("two words", "The idempotency key holds ' ', which is no visible ASCII character."),
        (long.as_str(), "The idempotency key has 256 characters; at most 255 are taken."),
        ("größe", "Idempotency-Key contains non-ASCII characters."),
        ("\"a\\\"b\"", "Idempotency-Key contains an escape."),
    ] {
        let refused = start(&serving, BUILDER, key, &body(json!({})));
        assert_eq!((refused.status, message(&refused).as_str()), (400, why), "{key}");
    }
    let twice = [("idempotency-key", "a"), ("idempotency-key", "b")];
    assert_eq!(as_anna("POST", "/workflow/run", &body(json!({})), &twice).status, 400);
    assert_eq!(run_of(&start(&serving, BUILDER, &"k".repeat(255), &body(json!({})))).len(), 36);

    // Of the commands one starts by a field, which the header says as well; all others would do twice what is sent twice.
    let command = json!({ "document": flow, "params": {}, "idempotencyKey": "c" });
    let by_field = run_of(&as_anna("POST", "/rpc/run_start", &command, &[]));
    let bare = json!({ "params": {}, "document": flow });
    assert_eq!(run_of(&as_anna("POST", "/rpc/run_start", &bare, &[("idempotency-key", "c")])), by_field);
    let both = as_anna("POST", "/rpc/run_start", &command, &[("idempotency-key", "d")]);
    assert_eq!((both.status, message(&both).as_str()), (400, "The header has the key d, the body \"c\"."));
    flow["name"] = json!("Another");
    let other = json!({ "document": flow, "params": {}, "idempotencyKey": "c" });
    assert_eq!(as_anna("POST", "/rpc/run_start", &other, &[]).status, 409);
    for (path, what) in [
        ("/rpc/run_again", "The command run_again"),
        ("/workflow/rerun", "/workflow/rerun"),
        ("/workflow/x/abort", "/workflow/x/abort"),
    ] {
        let refused = as_anna("POST", path, &json!({ "runId": "x" }), &[("idempotency-key", "k")]);
        let told = format!("{what} does not support Idempotency-Key: a repeated request would run twice.");
        assert_eq!((refused.status, message(&refused)), (400, told));
    }
}

#[test]
fn starts_at_once_with_one_key_are_one_run() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    store(&serving);
    let gate = std::sync::Barrier::new(8);
    let all: Vec<String> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    gate.wait();
                    run_of(&start(&serving, &serving.token, "once", &body(json!({}))))
                })
            })
            .collect();
        starts.into_iter().map(|start| start.join().expect("no panic")).collect()
    });
    assert!(all.iter().all(|run| *run == all[0]), "{all:?}");
    assert_eq!(runs(&serving), 1);
}

#[test]
fn a_command_with_a_key_follows_the_run_that_is_there() {
    let place = TestHome::new();
    let server = Loopback::start();
    let call = json!({ "c": { "type": "http.request", "config": { "url": format!("{}/c", server.base) } } });
    let file = place.file("w.signalbox.json", workflow(call, json!([])).to_string()).display().to_string();
    let run = |more: &[&str]| place.run(&[&["run", &file, "--json", "--key", "2026-11-28"], more].concat());
    let first = run(&["--set", "n=1"]);
    assert_eq!((first.code, first.json()["status"].as_str()), (0, Some("completed")), "{}{}", first.out, first.err);
    let again = run(&["--params", "{\"n\": 1}", "--events"]);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    assert_eq!((again.last()["runId"].clone(), again.lines().len()), (first.json()["runId"].clone(), 5));
    assert_eq!(server.hits("/c"), 1);
    let other = run(&["--set", "n=2"]);
    assert_eq!((other.code, other.json()["error"]["code"].as_str()), (2, Some("IDEMPOTENCY_KEY_REUSED")));
    let bad = place.run(&["run", &file, "--json", "--key", "two words"]);
    assert_eq!((bad.code, bad.json()["error"]["code"].as_str()), (2, Some("BAD_REQUEST")));
    assert_eq!(place.run(&["runs", "list", "--json"]).json().as_array().map(Vec::len), Some(1));
    // The key of a deleted run starts nothing, and says why.
    let id = first.json()["runId"].as_str().expect("an id").to_owned();
    assert_eq!(place.run(&["runs", "delete", &id]).code, 0);
    let gone = run(&["--set", "n=1"]);
    let told = format!("Run {id} was started with this key and is deleted.");
    assert_eq!((gone.code, gone.json()["error"]["message"].as_str()), (2, Some(told.as_str())), "{}", gone.out);
    assert_eq!(server.hits("/c"), 1);
}

/// Wherever a process dies, the same command sent again with the same key leaves one run, and goes on with it.
#[test]
#[cfg(all(unix, debug_assertions))]
fn a_start_with_a_key_that_kill_9_cut_off_is_neither_lost_nor_doubled() {
    use signalbox_store::failpoint::Point;
    let server = Loopback::start();
    let points =
        [Point::Begin, Point::Begun, Point::Written, Point::Committed, Point::Marked, Point::Told, Point::Born];
    let died = dying::points(
        &points,
        |_| 4,
        |point, nth| {
            let case = dying::Case::new(&server, format!("keyed-{}-{nth}", point.name()));
            let file = dying::file(&case.place, &server, &case.name);
            let command = ["run", &file, "--key", "once", "--json"];
            let (died, told) = dying::killed(&case.place, &command, point, nth);
            if !died {
                assert_eq!(told.status.code(), Some(3), "{}: {told:?}", case.name);
                return false;
            }
            let before = case.after(&[]).unwrap_or_default();
            let again = case.place.run(&command);
            assert_eq!(again.code, 3, "{}: {}{}", case.name, again.out, again.err);
            let list = case.place.run(&["runs", "list", "--json"]).json();
            assert_eq!(list.as_array().map(Vec::len), Some(1), "{}", case.name);
            assert!(before.first().is_none_or(|event| list[0]["runId"] == *event.run_id), "{}", case.name);
            case.asked_once(&before, &dying::ASKED);
            true
        },
    );
    assert_eq!(died.len(), points.len(), "{died:?}");
}
