//! The server: what gets in and what does not, made from the tables; REST, events, the web UI.

use crate::support;

use serde_json::{Value, json};
use signalbox_app::command_list::COMMANDS;
use signalbox_app::dto::{CallerRole, Host};
use support::{BUILDER, Loopback, OPERATOR, Serving, TestHome, VIEWER, eventually, with_roles, workflow};

/// As in `routes.rs`; the unit test there says that every route stands here (method, path, least role).
pub(crate) const ROUTES: &[(&str, &str, Option<CallerRole>)] = &[
    ("GET", "/openapi.json", Some(CallerRole::Viewer)),
    ("POST", "/workflow/run", Some(CallerRole::Operator)),
    ("GET", "/workflow/x/status", Some(CallerRole::Viewer)),
    ("GET", "/workflow/x/events", Some(CallerRole::Viewer)),
    ("GET", "/human-tasks/changes", Some(CallerRole::Viewer)),
    ("GET", "/workflow/x/checkpoint", Some(CallerRole::Viewer)),
    ("GET", "/workflow/x/variables", Some(CallerRole::Viewer)),
    ("GET", "/workflow/x/artifacts", Some(CallerRole::Viewer)),
    ("GET", "/workflow/x/diff", Some(CallerRole::Viewer)),
    ("GET", "/workflow/x/binary/x", Some(CallerRole::Operator)),
    ("GET", "/workflow/x/files", Some(CallerRole::Operator)),
    ("GET", "/workflow/x/files/x", Some(CallerRole::Operator)),
    ("POST", "/workflow/rerun", Some(CallerRole::Operator)),
    ("POST", "/workflow/x/inbox", Some(CallerRole::Operator)),
    ("GET", "/failures", Some(CallerRole::Viewer)),
    ("GET", "/failures/x", Some(CallerRole::Viewer)),
    ("GET", "/failures/x/members", Some(CallerRole::Viewer)),
    ("POST", "/failures/x/preview", Some(CallerRole::Operator)),
    ("POST", "/failures/x/replay", Some(CallerRole::Operator)),
    ("GET", "/replays", Some(CallerRole::Viewer)),
    ("GET", "/replays/x", Some(CallerRole::Viewer)),
    ("POST", "/replays/x/pause", Some(CallerRole::Operator)),
    ("POST", "/replays/x/resume", Some(CallerRole::Operator)),
    ("POST", "/replays/x/stop", Some(CallerRole::Operator)),
    ("POST", "/replays/x/undo", Some(CallerRole::Operator)),
    ("POST", "/workflow/x/abort", Some(CallerRole::Operator)),
    ("GET", "/workflow/x/debug", Some(CallerRole::Builder)),
    ("POST", "/workflow/x/breakpoints", Some(CallerRole::Builder)),
    ("POST", "/workflow/x/pause", Some(CallerRole::Builder)),
    ("POST", "/workflow/x/continue", Some(CallerRole::Builder)),
    ("POST", "/workflow/x/step", Some(CallerRole::Builder)),
    ("POST", "/workflow/x/input", Some(CallerRole::Builder)),
    ("POST", "/workflow/x/resume", Some(CallerRole::Operator)),
    ("GET", "/human-tasks", Some(CallerRole::Viewer)),
    ("GET", "/human-tasks/stats", Some(CallerRole::Viewer)),
    ("GET", "/human-tasks/x", Some(CallerRole::Viewer)),
    ("POST", "/human-tasks/x/claim", Some(CallerRole::Operator)),
    ("POST", "/human-tasks/x/release", Some(CallerRole::Operator)),
    ("POST", "/human-tasks/x/suggest", Some(CallerRole::Operator)),
    ("POST", "/human-tasks/x/unsuggest", Some(CallerRole::Operator)),
    ("POST", "/human-tasks/x/reassign", Some(CallerRole::Operator)),
    ("POST", "/human-tasks/x/comment", Some(CallerRole::Operator)),
    ("POST", "/human-tasks/x/snooze", Some(CallerRole::Operator)),
    ("POST", "/human-tasks/x/hold", Some(CallerRole::Operator)),
    ("POST", "/human-tasks/x/complete", Some(CallerRole::Operator)),
    ("POST", "/human-tasks/x/reopen", Some(CallerRole::Operator)),
    ("POST", "/audit/record", Some(CallerRole::Operator)),
    ("GET", "/audit", Some(CallerRole::Viewer)),
    ("GET", "/audit/verify", Some(CallerRole::Viewer)),
    ("GET", "/workflows", Some(CallerRole::Viewer)),
    ("GET", "/workflows/x", Some(CallerRole::Viewer)),
    ("PUT", "/workflows/x", Some(CallerRole::Builder)),
    ("DELETE", "/workflows/x", Some(CallerRole::Builder)),
    ("GET", "/workflows/x/program", Some(CallerRole::Builder)),
    ("POST", "/workflows/x/activation", Some(CallerRole::Builder)),
    ("DELETE", "/workflows/x/activation", Some(CallerRole::Builder)),
    ("GET", "/triggers", Some(CallerRole::Viewer)),
    ("POST", "/triggers/x/fire", Some(CallerRole::Operator)),
    ("GET", "/catalog", Some(CallerRole::Viewer)),
    ("GET", "/metrics", Some(CallerRole::Viewer)),
];

fn all_paths() -> Vec<(&'static str, String)> {
    let commands = COMMANDS.iter().map(|command| ("POST", format!("/rpc/{}", command.name)));
    ROUTES.iter().map(|(method, path, _)| (*method, (*path).to_owned())).chain(commands).collect()
}

#[test]
fn every_route_refuses_strangers() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let host = serving.host().to_owned();
    let bearer = format!("Bearer {BUILDER}");
    let body = |method: &str| if method == "GET" || method == "DELETE" { "" } else { "{}" };
    for (method, path) in all_paths() {
        let text = body(method);
        let json = ("content-type", "application/json");
        let status = |headers: &[(&str, &str)]| {
            let answer = serving.raw(method, &path, headers, text);
            assert!(!answer.head.to_lowercase().contains("access-control"), "{}", answer.head);
            if answer.status >= 400 {
                let error = &answer.json()["error"];
                assert!(
                    error["code"].is_string() && error["message"].is_string() && error["hint"].is_string(),
                    "{error}"
                );
            }
            answer.status
        };
        assert_eq!(status(&[("host", &host), json]), 401, "{method} {path}: no token");
        for wrong in [
            "Bearer",
            "Bearer ",
            "Bearer null",
            "Bearer 0",
            "Bearer []",
            "Basic YTpi",
            "bearer-token",
            "Bearer builder-token-012345678",
        ] {
            assert_eq!(status(&[("host", &host), ("authorization", wrong), json]), 401, "{method} {path}: {wrong}");
        }
        let two = [("host", host.as_str()), ("authorization", bearer.as_str()), ("authorization", "Bearer x"), json];
        assert_eq!(status(&two), 401, "{method} {path}: two tokens");
        for evil in ["evil.com", "evil.com:80", "0.0.0.0", "localhost"] {
            assert_eq!(
                status(&[("host", evil), ("authorization", &bearer), json]),
                403,
                "{method} {path}: host {evil}"
            );
        }
        for evil in ["null", "http://evil.com", "http://localhost:1", "https://127.0.0.1"] {
            let headers = [("host", host.as_str()), ("authorization", bearer.as_str()), ("origin", evil), json];
            assert_eq!(status(&headers), 403, "{method} {path}: origin {evil}");
        }
        if method == "POST" || method == "PUT" {
            for media in [
                "text/plain",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/json; charset=utf-16",
            ] {
                let headers = [("host", host.as_str()), ("authorization", bearer.as_str()), ("content-type", media)];
                assert_eq!(status(&headers), 415, "{method} {path}: {media}");
            }
            let answer = serving.raw("GET", &path, &[("host", &host), ("authorization", &bearer)], "");
            assert!(matches!(answer.status, 405 | 404 | 200), "GET {path}: {}", answer.status);
            let options = serving.raw("OPTIONS", &path, &[("host", &host), ("authorization", &bearer)], "");
            assert_eq!(options.status, 405, "OPTIONS {path}");
            let allow = options.head.lines().find_map(|line| line.strip_prefix("allow: ")).unwrap_or_default();
            assert!(allow.split(", ").any(|one| one == method), "OPTIONS {path}: {allow}");
        }
    }
    let upgrade = [
        ("host", host.as_str()),
        ("authorization", bearer.as_str()),
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
    ];
    assert_eq!(serving.raw("GET", "/nothing", &upgrade, "").status, 404);
    let open = serving.raw("GET", "/healthz", &[("host", &host)], "");
    assert_eq!((open.status, open.json()["status"].as_str()), (200, Some("ok")));
    assert_eq!(serving.raw("GET", "/healthz", &[("host", "evil.com")], "").status, 403);
}

#[test]
fn roles_are_kept_for_every_command_and_route() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let tokens = [(VIEWER, CallerRole::Viewer), (OPERATOR, CallerRole::Operator), (BUILDER, CallerRole::Builder)];
    for command in COMMANDS {
        for (token, role) in tokens {
            let answer =
                serving.ask_as(token, "POST", &format!("/rpc/{}", command.name), &json!({ "no": "such field" }), &[]);
            let served = command.hosts.contains(&Host::Http);
            let want = match (served, role >= command.role) {
                (false, _) => 404,
                (true, false) => 403,
                // Through, and then refused for the field.
                (true, true) => 400,
            };
            assert_eq!(answer.status, want, "{} as {role:?}: {}", command.name, answer.body);
        }
    }
    for (method, path, least) in ROUTES {
        for (token, role) in tokens {
            let body = if *method == "GET" || *method == "DELETE" { Value::Null } else { json!({}) };
            let answer = serving.ask_as(token, method, path, &body, &[]);
            let refused = least.is_some_and(|least| role < least);
            assert_eq!(answer.status == 403, refused, "{method} {path} as {role:?}: {}", answer.body);
        }
    }
    // An operator runs what is stored, not what they send.
    let document = workflow(json!({ "a": { "type": "flow.noop" } }), json!([]));
    let start = json!({ "document": document, "params": {} });
    assert_eq!(serving.ask_as(OPERATOR, "POST", "/rpc/run_start", &start, &[]).status, 403);
    assert_eq!(serving.ask_as(BUILDER, "POST", "/rpc/run_start", &start, &[]).status, 200);
}

#[test]
fn unknown_things_have_one_shape() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    for path in ["/workflow/nope/status", "/workflow/nope/events", "/workflows/nope"] {
        let answer = serving.ask("GET", path, &Value::Null);
        assert_eq!(answer.status, 404, "{path}");
        let error = answer.json()["error"].clone();
        assert_eq!(
            (error["code"].as_str(), error["message"].as_str()),
            (Some("NOT_FOUND"), Some("not found")),
            "{path}"
        );
    }
    // What was looked for stands beside the fixed message.
    let unknown = serving.ask("GET", "/workflow/nope/status", &Value::Null).json()["error"].clone();
    assert_eq!(unknown["details"], json!({ "runId": "nope" }));
    assert!(unknown["hint"].as_str().is_some_and(|hint| hint.contains("There is no run nope.")), "{unknown}");
    let nothing = serving.ask("GET", "/nothing", &Value::Null);
    assert_eq!((nothing.status, nothing.code().as_str()), (404, "NOT_FOUND"));
    assert_eq!(nothing.json()["error"]["message"], "There is no route /nothing.");
    for (method, path, allow) in [
        ("GET", "/rpc/run_list", "POST"),
        ("PATCH", "/workflows/x", "GET, PUT, DELETE"),
        ("POST", "/human-tasks/stats", "GET"),
        ("HEAD", "/openapi.json", "GET"),
        ("QUERY", "/audit", "GET"),
    ] {
        let answer = serving.ask(method, path, &Value::Null);
        assert_eq!(answer.status, 405, "{method} {path}");
        assert!(answer.head.contains(&format!("allow: {allow}\r\n")), "{method} {path}: {}", answer.head);
        if method != "HEAD" {
            let told = format!("There is no route {method} {path}; it supports only {allow}.");
            assert_eq!(
                (answer.code().as_str(), &answer.json()["error"]["message"]),
                ("METHOD_NOT_ALLOWED", &json!(told))
            );
        }
    }
    for path in
        ["/Workflows", "//workflows", "/workflows/", "/workflows/%2e%2e%2fx", "/rpc/run_list%00", "/workflow//status"]
    {
        assert_eq!(serving.ask("GET", path, &Value::Null).status, 404, "{path}");
    }
    for part in ["checkpoint", "variables", "artifacts", "debug"] {
        assert_eq!(serving.ask("GET", &format!("/workflow/nope/{part}"), &Value::Null).status, 404, "{part}");
    }
    for act in ["abort", "pause", "continue", "step"] {
        assert_eq!(serving.ask("POST", &format!("/workflow/nope/{act}"), &Value::Null).status, 404, "{act}");
        let typo = serving.ask("POST", &format!("/workflow/nope/{act}"), &json!({ "typo": 1 }));
        assert_eq!(typo.status, 400, "{act}");
    }
    let elsewhere = serving.ask("POST", "/workflow/nope/step", &json!({ "runId": "other" }));
    assert_eq!(elsewhere.status, 400, "the address names the run");
    assert_eq!(serving.ask("POST", "/workflow/rerun", &json!({ "runId": "nope", "stepId": "a" })).status, 404);
    assert_eq!(serving.ask("POST", "/workflow/rerun", &json!({ "runId": "nope" })).status, 400);
    assert_eq!(serving.ask("POST", "/rpc/nope", &json!({})).status, 404);
    assert_eq!(serving.ask("POST", "/workflow/run", &json!({ "workflow": "nope" })).status, 404);
    assert_eq!(serving.ask("POST", "/workflow/run", &json!({ "workflow": "nope", "typo": 1 })).status, 400);
    let host = serving.host().to_owned();
    let bearer = format!("Bearer {}", serving.token);
    let headers = [("host", host.as_str()), ("authorization", bearer.as_str()), ("content-type", "application/json")];
    assert_eq!(serving.raw("POST", "/rpc/run_list", &headers, "{ broken").status, 400);
    let large = format!("{{\"text\":\"{}\"}}", "x".repeat(21 * 1024 * 1024));
    assert_eq!(serving.raw("POST", "/rpc/run_list", &headers, &large).status, 413);
}

#[test]
fn what_no_route_takes_is_refused_and_named() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    let message = |answer: &support::Answer| answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
    for path in [
        "/workflows",
        "/workflows/x",
        "/catalog",
        "/metrics",
        "/human-tasks/x",
        "/workflow/x/status",
        "/workflow/x/checkpoint",
        "/workflow/x/variables",
        "/workflow/x/artifacts",
        "/workflow/x/debug",
    ] {
        let answer = serving.ask("GET", &format!("{path}?run=R&more=1"), &Value::Null);
        assert_eq!(
            (answer.status, message(&answer).as_str()),
            (400, "The query parameter 'run=R' is unknown."),
            "{path}"
        );
    }
    let start = json!({ "workflow": "echo" });
    assert_eq!(serving.ask("POST", "/workflow/run?dry=1", &start).status, 400);
    for (query, why) in [
        ("limit=-1", "'limit=-1' is not valid: limit must be a whole number of at least 0."),
        ("limit", "'limit' is not valid: it has no value."),
        ("limit=1&limit=2", "'limit=2' is not valid: its name appears twice."),
        ("limit=%zz", "'limit=%zz' is not valid: it is not percent-encoded UTF-8."),
    ] {
        let answer = serving.ask("GET", &format!("/human-tasks?{query}"), &Value::Null);
        assert_eq!((answer.status, message(&answer).as_str()), (400, why), "{query}");
    }
    // serde would take a list for the fields in their order.
    let mut echo = workflow(json!({ "a": { "type": "flow.noop" } }), json!([]));
    echo["id"] = json!("echo");
    assert_eq!(serving.ask("PUT", "/workflows/echo", &echo).status, 200);
    for body in [json!(["echo", {}, null, [], false, null, null, {}]), json!([])] {
        let answer = serving.ask("POST", "/workflow/run", &body);
        let told = message(&answer);
        assert_eq!((answer.status, told.as_str()), (400, "The body is not valid: it is not a JSON object."), "{body}");
    }
    for (path, body) in [
        ("/workflow/rerun", json!({ "runId": "r", "stepId": "a", "overrides": [] })),
        ("/workflow/run", json!({ "workflow": "echo", "overrides": [] })),
    ] {
        let answer = serving.ask("POST", path, &body);
        let told = message(&answer);
        assert!(
            answer.status == 400 && told.ends_with(": 'overrides': invalid type: sequence, expected a map."),
            "{told}"
        );
    }
    let when = json!({ "workflow": "echo", "breakpoints": [{ "node": "a", "when": "item." }] });
    let told = message(&serving.ask("POST", "/workflow/run", &when));
    assert!(told.ends_with('.') && !told.ends_with(".."), "{told}");
}

#[test]
fn workflows_are_stored_run_and_followed() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    let mut document = workflow(
        json!({ "a": { "type": "data.set", "config": { "assign": { "n": "=params.n + 1" }, "keep": false } }, "w": { "type": "flow.wait", "config": { "ms": 300 } } }),
        json!([{ "from": "a.success", "to": "w" }]),
    );
    document["id"] = json!("stored");
    let put = serving.ask("PUT", "/workflows/stored", &document);
    assert_eq!(put.status, 200, "{}", put.body);
    let revision = put.json()["revision"].as_str().expect("a hash").to_owned();
    assert!(put.head.contains(&revision), "the ETag is the revision");
    let got = serving.ask("GET", "/workflows/stored", &Value::Null).json();
    assert_eq!((&got["document"], got["revision"].as_str()), (&document, Some(revision.as_str())));
    assert_eq!(serving.ask("GET", "/workflows", &Value::Null).json()[0]["id"], "stored");
    // A lost update is refused.
    document["name"] = json!("Changed");
    let blind = serving.ask("PUT", "/workflows/stored", &document);
    assert_eq!((blind.status, blind.code().as_str()), (409, "CONFLICT"));
    assert!(blind.body.contains("If-Match is missing"), "{}", blind.body);
    let bad = serving.ask_as(&serving.token, "PUT", "/workflows/stored", &document, &[("if-match", "\"0\"")]);
    assert_eq!(bad.status, 409);
    let quoted = format!("\"{revision}\"");
    let good = serving.ask_as(&serving.token, "PUT", "/workflows/stored", &document, &[("if-match", &quoted)]);
    assert_eq!(good.status, 200, "{}", good.body);
    assert_eq!(serving.ask("PUT", "/workflows/other", &document).status, 422);
    assert_eq!(serving.ask("PUT", "/workflows/x", &json!({ "signalbox": 1 })).status, 422);

    let started = serving.ask(
        "POST",
        "/workflow/run",
        &json!({ "workflow": "stored", "params": { "n": 1 }, "clientRunToken": "t" }),
    );
    assert_eq!(started.status, 200, "{}", started.body);
    let run = started.json()["runId"].as_str().expect("an id").to_owned();
    // Replayed and live, each once, in order, to the end.
    let seen = follow(&serving, &run, 0, None, usize::MAX);
    let seqs: Vec<u64> = seen.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    assert_eq!(seen.last().expect("events")["type"], "workflow_done");
    assert!(seen.iter().all(|event| event["clientRunToken"] == "t"));
    let long = json!({ "workflow": "stored", "params": { "n": 1 }, "clientRunToken": "t".repeat(257) });
    let refused = serving.ask("POST", "/workflow/run", &long);
    assert_eq!(
        (refused.status, refused.json()["error"]["code"].as_str()),
        (400, Some("BAD_REQUEST")),
        "it stands in each event"
    );
    let status = serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
    assert_eq!((status["status"].as_str(), &status["output"]), (Some("completed"), &json!([{ "n": 2 }])));
    // TS-097: a reader that comes back gets what it has not seen, once.
    let first = follow(&serving, &run, 0, None, 3);
    assert_eq!(first.len(), 3);
    let rest = follow(&serving, &run, 0, Some("3"), usize::MAX);
    assert_eq!(
        rest.iter().filter_map(|event| event["seq"].as_u64()).collect::<Vec<_>>(),
        (4..=seqs.len() as u64).collect::<Vec<_>>()
    );
    assert_eq!(follow(&serving, &run, 2, None, usize::MAX).len(), seqs.len() - 2);
    assert_eq!(follow(&serving, &run, 99, None, usize::MAX).len(), 0);
    for query in ["after=x", "before=1"] {
        assert_eq!(serving.ask("GET", &format!("/workflow/{run}/events?{query}"), &Value::Null).status, 400, "{query}");
    }
    assert_eq!(serving.ask("POST", &format!("/workflow/{run}/abort"), &Value::Null).status, 409, "it has ended");
    assert_eq!(serving.ask("DELETE", "/workflows/stored", &Value::Null).status, 200);
    assert_eq!(serving.ask("GET", "/workflows/stored", &Value::Null).status, 404);
    assert_eq!(serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).status, 200, "its runs stay");
}

#[test]
fn a_run_is_aborted_and_a_run_by_rest_reaches_no_loopback() {
    let place = TestHome::new();
    let server = Loopback::start();
    let serving = Serving::start(&place, &[]);
    let mut wait = workflow(json!({ "w": { "type": "flow.wait", "config": { "ms": 600_000 } } }), json!([]));
    wait["id"] = json!("wait");
    assert_eq!(serving.ask("PUT", "/workflows/wait", &wait).status, 200);
    let run = serving.ask("POST", "/workflow/run", &json!({ "workflow": "wait" })).json()["runId"]
        .as_str()
        .expect("an id")
        .to_owned();
    assert_eq!(serving.ask("POST", &format!("/workflow/{run}/abort"), &Value::Null).status, 200);
    let status = || serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"].clone();
    eventually("the cancel", || status() == "cancelled");

    let url = format!("{}/canary", server.base);
    let mut call = workflow(json!({ "c": { "type": "http.request", "config": { "url": url } } }), json!([]));
    call["id"] = json!("call");
    assert_eq!(serving.ask("PUT", "/workflows/call", &call).status, 200);
    let run = serving.ask("POST", "/workflow/run", &json!({ "workflow": "call" })).json()["runId"]
        .as_str()
        .expect("an id")
        .to_owned();
    let summary = || serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
    eventually("the end", || summary()["status"] == "failed");
    assert_eq!(summary()["error"]["details"]["code"], "ADDRESS_REFUSED");
    // A person here runs it again: what a program sent reaches no further by that.
    let again = place.run(&["rerun", &run, "--from", "c", "--json"]).json();
    assert_eq!(
        (&again["status"], &again["error"]["details"]["code"]),
        (&json!("failed"), &json!("ADDRESS_REFUSED")),
        "{again}"
    );
    assert_eq!(server.hits("/canary"), 0);
}

#[test]
fn large_values_are_cut_on_the_wire_and_fetched_whole() {
    let place = TestHome::new();
    let server = Loopback::start();
    let serving = Serving::start(&place, &[]);
    let url = format!("{}/big", server.base);
    let document = workflow(json!({ "c": { "type": "http.request", "config": { "url": url } } }), json!([]));
    let started = serving.ask("POST", "/rpc/run_start", &json!({ "document": document, "params": {} }));
    let run = started.json()["runId"].as_str().expect("an id").to_owned();
    let events = follow(&serving, &run, 0, None, usize::MAX);
    let done = events.iter().find(|event| event["type"] == "step_done").expect("a step");
    let cut = &done["payload"]["items"]["success"][0]["data"]["response"];
    let cut = if cut["_truncated"] == true { cut } else { &done["payload"]["items"]["success"][0]["data"] };
    assert_eq!(cut["_truncated"], true, "{done}");
    let whole = serving.ask("POST", "/rpc/run_value", &json!({ "ref": cut["ref"] })).json();
    assert!(whole.to_string().len() > 30_000);
    // The summary over REST is whole.
    let status = serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null);
    assert!(status.body.len() > 30_000);
    let shown = serving.ask("POST", "/rpc/run_get", &json!({ "runId": run })).json();
    assert_eq!(shown["output"][0]["_truncated"], true);
    let whole = serving.ask("POST", "/rpc/run_value", &json!({ "ref": shown["output"][0]["ref"] })).json();
    assert!(whole.to_string().len() > 30_000);
    let data = serving.ask("POST", "/rpc/run_step_data", &json!({ "workflowId": "test", "nodeId": "c" })).json();
    assert_eq!(data["runId"], json!(run));
    for bad in ["", "x", "x/1/y", &format!("{run}/x/y"), &format!("{run}/99/payload"), &format!("{run}/1/nope")] {
        assert_eq!(serving.ask("POST", "/rpc/run_value", &json!({ "ref": bad })).status, 404, "{bad}");
    }
}

#[test]
fn an_address_for_everybody_and_a_readable_token_are_refused() {
    let place = TestHome::new();
    let done = place.run(&["serve", "--addr", "0.0.0.0:0", "--json"]);
    assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some("BAD_ADDRESS")));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = place.file("open-token", "0123456789abcdef0123\n");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("chmod");
        let done =
            place.run(&["serve", "--addr", "127.0.0.1:0", "--token-file", &file.display().to_string(), "--json"]);
        assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some("BAD_TOKEN_FILE")));
        let serving = Serving::start(&place, &[]);
        let mode = std::fs::metadata(&serving.token_file).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
    }
}

/// A page of another site that got its name to lead here says so in the request line or in `Host`; neither gets in.
#[test]
fn a_request_line_that_names_another_host_is_refused() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    let (host, bearer) = (serving.host().to_owned(), format!("Bearer {}", serving.token));
    let ask = |line: &str, host: &str| {
        let answer = serving.raw("GET", line, &[("host", host), ("authorization", &bearer)], "");
        (answer.status, answer.code())
    };
    let own = format!("http://{host}/workflows");
    let raw = serving.raw("GET", &own, &[("host", &host), ("authorization", &bearer)], "");
    assert_eq!((raw.status, raw.body.as_str()), (200, "[]"));
    let refused = (403, "BAD_HOST".to_owned());
    assert_eq!(ask("http://evil.example/workflows", &host), refused);
    assert_eq!(ask(&own, "evil.example"), refused);
    assert_eq!(ask(&format!("https://{host}/workflows"), &host), refused);
    assert_eq!(ask(&format!("http://a@{host}/workflows"), &host), refused);
    assert_eq!(serving.raw("GET", "http://evil.example/healthz", &[("host", &host)], "").status, 403);
}

/// What somebody set is not lost by a request whose body was lost.
#[test]
fn a_command_that_changes_something_wants_a_body_when_it_takes_fields() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    let set = [
        ("audit_retention_set", json!({ "keepDays": 30 })),
        ("model_budget_set", json!({ "perDay": 2.5 })),
        ("run_cancel", json!({ "runId": "x" })),
    ];
    for (command, body) in &set {
        let path = format!("/rpc/{command}");
        serving.ask("POST", &path, body);
        let refused = serving.ask("POST", &path, &Value::Null);
        let told = format!("{command} requires fields, and the request has no body.");
        assert_eq!((refused.status, &refused.json()["error"]["message"]), (400, &json!(told)));
    }
    let ask = |command: &str| serving.ask("POST", &format!("/rpc/{command}"), &Value::Null);
    assert_eq!(ask("audit_retention").json()["keepDays"], 30);
    assert_eq!(ask("model_list").json()["dayBudgetMicros"], 2_500_000);
    assert_eq!(ask("run_list").json()["runs"], json!([]));
    assert_eq!(ask("webhook_send").status, 200, "it takes no field");
}

/// Hundreds of connections that ask nothing are more than the process may have files for; others are answered all the same.
#[test]
#[cfg(target_os = "linux")]
fn half_open_connections_keep_nobody_out() {
    use std::io::Write;
    let place = TestHome::new();
    let program = place.command(&["serve", "--addr", "127.0.0.1:0"]);
    let mut limited = std::process::Command::new("prlimit");
    limited.arg("--nofile=256:256").arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let piped = std::process::Stdio::piped;
    let child =
        limited.current_dir(place.dir.path()).stdin(std::process::Stdio::null()).stdout(piped()).stderr(piped());
    let serving = Serving::of(child.spawn().expect("it starts"));
    let flood: Vec<_> = (0..400)
        .map(|number| {
            let mut stream = std::net::TcpStream::connect(serving.host()).expect("connected");
            if number % 2 == 0 {
                // One that was closed to make room takes it no more.
                drop(stream.write_all(b"GET /workflows HTTP/1.1\r\nhost: "));
            }
            stream
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(serving.ask("GET", "/workflows", &Value::Null).status, 200);
    }
    drop(flood);
}

#[test]
fn the_description_lists_every_command() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    let document = serving.ask("GET", "/openapi.json", &Value::Null).json();
    assert_eq!(document["openapi"], "3.1.0");
    for command in COMMANDS.iter().filter(|command| command.hosts.contains(&Host::Http)) {
        assert!(document["paths"][format!("/rpc/{}", command.name)]["post"].is_object(), "{}", command.name);
    }
    let text = document.to_string();
    assert!(!text.contains("#/$defs/"), "every reference points into this document");
}

#[test]
fn the_web_ui_is_served_under_a_tight_policy_or_says_how_to_build_it() {
    let place = TestHome::new();
    let built = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/dist/index.html").exists();
    if !built {
        let done = place.run(&["serve", "--ui", "--addr", "127.0.0.1:0", "--json"]);
        assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some("NO_UI")));
        assert!(done.out.contains("npm"), "{}", done.out);
        return;
    }
    let serving = Serving::start(&place, &["--ui"]);
    let host = serving.host().to_owned();
    let page = serving.raw("GET", "/", &[("host", &host)], "");
    assert_eq!(page.status, 200);
    let head = page.head.to_lowercase();
    for part in ["default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'", "nosniff"]
    {
        assert!(head.contains(part), "{part} in {head}");
    }
    assert!(!head.contains("set-cookie"), "{head}");
    assert_eq!(serving.raw("GET", "/", &[("host", "evil.com")], "").status, 403);
    // The page is open, nothing behind it is.
    for path in ["/assets/none.js", "/../Cargo.toml", "/workflows", "/index.html/"] {
        assert_eq!(serving.raw("GET", path, &[("host", &host)], "").status, 401, "{path}");
    }
}

/// Reads the event stream until it ends or `most` events have come.
fn follow(serving: &Serving, run: &str, after: u64, last_id: Option<&str>, most: usize) -> Vec<Value> {
    support::follow(serving, &serving.token, run, after, last_id, most)
}
