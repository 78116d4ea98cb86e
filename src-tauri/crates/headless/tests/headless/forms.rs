//! Forms that start workflows, as a browser asks for them: without a token, and nothing else is reached.

use crate::support;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use support::{Answer, Serving, TestHome};

fn flow(id: &str, config: &Value) -> Value {
    json!({
        "signalbox": 1, "id": id, "name": "Requests", "settings": { "errorPolicy": "fail" },
        "nodes": {
            "ask": { "type": "trigger.form", "typeVersion": 1, "config": config },
            "size": { "type": "data.transform", "typeVersion": 1, "config": {
                "expression": "{'who': item.answers.name, 'files': item.files.size()}",
            } },
        },
        "edges": [{ "from": "ask.success", "to": "size" }],
    })
}

fn config(more: Value) -> Value {
    let mut config = json!({
        "path": "vacation", "title": "Vacation <script>",
        "schema": { "type": "object", "required": ["name", "days"], "additionalProperties": false, "properties": {
            "name": { "type": "string", "title": "Name", "minLength": 2 },
            "days": { "type": "integer", "minimum": 1, "maximum": 30 },
            "paper": { "type": "string", "format": "binary", "contentMediaType": "application/pdf" },
            "photos": { "type": "array", "items": { "type": "string", "format": "binary" } },
        } },
    });
    config.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    config
}

fn activate(place: &TestHome, document: &Value) -> support::Done {
    let name = format!("{}.json", document["id"].as_str().expect("an id"));
    let file = place.file(&name, document.to_string()).display().to_string();
    place.run(&["activate", &file, "--json"])
}

fn open(config: &Value) -> (TestHome, Serving) {
    let place = TestHome::new();
    let done = activate(&place, &flow("requests", config));
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let serving = Serving::start(&place, &[]);
    (place, serving)
}

/// As the page does: no token, JSON.
fn post(serving: &Serving, path: &str, body: &Value) -> Answer {
    let headers = [("host", serving.host()), ("origin", serving.url.as_str()), ("content-type", "application/json")];
    serving.raw("POST", path, &headers, &body.to_string())
}

fn get(serving: &Serving, path: &str) -> Answer {
    serving.raw("GET", path, &[("host", serving.host())], "")
}

fn submission(key: &str, answers: Value) -> Value {
    json!({ "key": key, "answers": answers })
}

fn file(name: &str, mime: &str, bytes: &[u8]) -> Value {
    json!({ "name": name, "mime": mime, "data": STANDARD.encode(bytes) })
}

fn firings(place: &TestHome) -> Vec<Value> {
    let shown = place.run(&["triggers", "show", "requests.ask", "--json"]).json();
    shown["firings"].as_array().cloned().unwrap_or_default()
}

fn places(answer: &Answer) -> Vec<String> {
    assert_eq!((answer.status, answer.code().as_str()), (422, "FORM_INVALID"), "{}", answer.body);
    let violations = answer.json()["error"]["details"]["violations"].as_array().cloned().unwrap_or_default();
    assert!(violations.iter().all(|one| one["message"].as_str().is_some_and(|text| !text.is_empty())));
    violations.iter().map(|one| one["path"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_submission_starts_one_run_and_keeps_its_files() {
    let (place, serving) = open(&config(json!({ "thanks": "See you!" })));
    let definition = get(&serving, "/forms/vacation/definition").json();
    assert_eq!((&definition["title"], &definition["waits"]), (&json!("Vacation <script>"), &json!(false)));
    assert!(definition.get("path").is_none() && !definition.to_string().contains("requests"), "{definition}");
    let mut sent = submission("k1", json!({ "name": "Ada", "days": 3, "paper": "other.exe" }));
    sent["files"] = json!({
        "paper": [file("C:\\tmp\\letter.pdf", "application/pdf", b"%PDF-1")],
        "photos": [file("../a.png", "image/png", b"one"), file("", "", b"two")],
    });
    let first = post(&serving, "/forms/vacation", &sent);
    assert_eq!(
        (first.status, first.json()),
        (200, json!({ "status": "accepted", "thanks": "See you!" })),
        "{}",
        first.body
    );
    // A double click, a reload: the same page sends the same answers.
    assert_eq!(post(&serving, "/forms/vacation", &sent).body, first.body);
    let fired = firings(&place);
    assert_eq!(fired.len(), 1, "{fired:?}");
    let run = fired[0]["runId"].as_str().expect("a run").to_owned();
    support::eventually("the end", || place.run(&["runs", "show", &run, "--json"]).json()["status"] == "completed");
    let summary = place.run(&["runs", "show", &run, "--json"]).json();
    assert_eq!(summary["output"], json!([{ "who": "Ada", "files": 3 }]), "{summary}");
    let events = place.run(&["runs", "events", &run]).lines();
    let done = events.iter().find(|event| event["type"] == "step_done" && event["stepId"] == "ask").expect("it ran");
    let item = done.to_string();
    for part in ["letter.pdf", "a.png", "photos_1", "photos_2", "\"paper\""] {
        assert!(item.contains(part), "{part} in {item}");
    }
    assert!(!item.contains("other.exe") && !item.contains("..") && !item.contains("tmp"), "{item}");
    // The bytes are the run's, and a person with a token reads them.
    let known = signalbox_model::hash::sha256_hex(b"one");
    let bytes = serving.ask("GET", &format!("/workflow/{run}/binary/{known}"), &Value::Null);
    assert_eq!((bytes.status, bytes.body.as_str()), (200, "one"));
    // What was changed before it was sent again is another submission.
    sent["answers"]["days"] = json!(4);
    assert_eq!(post(&serving, "/forms/vacation", &sent).status, 200);
    assert_eq!(firings(&place).len(), 2);
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

#[test]
fn answers_that_do_not_fit_are_told_at_their_places() {
    let (place, serving) = open(&config(json!({ "maxBytes": 4096 })));
    let ask = |answers: Value, files: Value| {
        let sent = json!({ "key": "k", "answers": answers, "files": files });
        post(&serving, "/forms/vacation", &sent)
    };
    let good = json!({ "name": "Ada", "days": 3 });
    assert_eq!(places(&ask(json!({}), json!({}))), ["/name", "/days"]);
    assert_eq!(places(&ask(json!({ "name": "", "days": "3" }), json!({}))), ["/name", "/days"]);
    assert_eq!(places(&ask(json!({ "name": "A", "days": 31 }), json!({}))).len(), 2);
    assert_eq!(
        places(&ask(good.clone(), json!({ "paper": [file("a.exe", "application/x-msdownload", b"MZ")] }))),
        ["/paper"]
    );
    let two = [file("a.pdf", "application/pdf", b"1"), file("b.pdf", "application/pdf", b"2")];
    assert_eq!(places(&ask(good.clone(), json!({ "paper": two }))), ["/paper"]);
    assert_eq!(places(&ask(good.clone(), json!({ "name": [file("a", "", b"1")] }))), ["/name"]);
    let large = ask(good.clone(), json!({ "photos": [file("a", "", &[7; 5000])] }));
    assert_eq!((large.status, large.code().as_str()), (413, "TOO_LARGE"));
    for bad in [
        json!({ "answers": good }),
        json!({ "key": "", "answers": good }),
        json!({ "key": "a\nb", "answers": good }),
        json!({ "key": "k", "answers": [] }),
        json!({ "key": "k", "answers": good, "params": {} }),
        json!({ "key": "k", "answers": good, "files": { "paper": [{ "name": "a.pdf", "mime": "application/pdf", "data": "%%" }] } }),
    ] {
        assert_eq!(post(&serving, "/forms/vacation", &bad).status, 400, "{bad}");
    }
    assert_eq!(firings(&place).len(), 0);
}

#[test]
fn a_form_reaches_nothing_else_and_nobody_else_reaches_it() {
    let (place, serving) = open(&config(json!({})));
    let host = serving.host().to_owned();
    let json = ("content-type", "application/json");
    let body = submission("k", json!({ "name": "Ada", "days": 3 })).to_string();
    for evil in ["http://evil.com", "null", "http://localhost:1"] {
        let answer = serving.raw("POST", "/forms/vacation", &[("host", &host), ("origin", evil), json], &body);
        assert_eq!(answer.status, 403, "{evil}");
    }
    assert_eq!(serving.raw("POST", "/forms/vacation", &[("host", "evil.com"), json], &body).status, 403);
    for media in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let answer = serving.raw("POST", "/forms/vacation", &[("host", &host), ("content-type", media)], &body);
        assert_eq!(answer.status, 415, "{media}");
    }
    for method in ["PUT", "DELETE", "OPTIONS", "PATCH"] {
        let answer = serving.raw(method, "/forms/vacation", &[("host", &host)], "");
        assert_eq!(answer.status, 405, "{method}");
        assert!(answer.head.to_lowercase().contains("allow: get, post"), "{}", answer.head);
    }
    // What is no form says so, and does not repeat the address.
    for path in [
        "/forms/none",
        "/forms/",
        "/forms/vacation/x",
        "/forms/%3Cscript%3E",
        "/forms/../rpc/run_list",
        "/forms/assets/none.js",
    ] {
        let answer = get(&serving, path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.body.contains("script%3E") && !answer.body.contains("run_list"), "{}", answer.body);
    }
    assert_eq!(
        (get(&serving, "/forms/none/definition").code().as_str(), post(&serving, "/forms/none", &json!({})).status),
        ("NO_FORM", 404)
    );
    // The app's page and its commands stay closed.
    assert_eq!((get(&serving, "/").status, get(&serving, "/triggers").status), (401, 401));
    let page = get(&serving, "/forms/vacation");
    let head = page.head.to_lowercase();
    if page.status == 200 {
        let connect = format!("connect-src http://{host}/forms/;");
        for part in [
            "x-frame-options: deny",
            "frame-ancestors 'none'",
            "default-src 'none'",
            "script-src 'self';",
            &connect,
            "nosniff",
        ] {
            assert!(head.contains(part), "{part} in {head}");
        }
        assert!(!page.body.contains("Vacation"), "the page holds nothing of the workflow");
    }
    assert!(!head.contains("set-cookie") && !head.contains("access-control"), "{head}");
    // Closed with its workflow.
    assert_eq!(place.run(&["deactivate", "requests"]).code, 0);
    assert_eq!(
        (get(&serving, "/forms/vacation/definition").status, post(&serving, "/forms/vacation", &json!({})).status),
        (404, 404)
    );
}

#[test]
fn a_page_that_waits_shows_the_result_and_says_when_a_person_has_to_answer() {
    let (place, serving) = open(&config(json!({ "respond": "result" })));
    let sent = submission("k", json!({ "name": "Ada", "days": 3 }));
    let result = json!({ "status": "completed", "output": [{ "who": "Ada", "files": 0 }] });
    assert_eq!(post(&serving, "/forms/vacation", &sent).json(), result);
    assert_eq!(post(&serving, "/forms/vacation", &sent).json(), result, "asked again it is the same run");
    assert_eq!(firings(&place).len(), 1);
    let mut document = flow("requests", &config(json!({ "respond": "result" })));
    document["nodes"]["size"] =
        json!({ "type": "builtin.human_approval", "typeVersion": 1, "config": { "title": "Yes?" } });
    assert_eq!(activate(&place, &document).code, 0);
    assert_eq!(
        post(&serving, "/forms/vacation", &submission("p", sent["answers"].clone())).json(),
        json!({ "status": "waiting" })
    );
    document["nodes"]["size"] =
        json!({ "type": "flow.fail", "typeVersion": 1, "config": { "error": { "message": "inside" } } });
    assert_eq!(activate(&place, &document).code, 0);
    let failed = post(&serving, "/forms/vacation", &submission("f", sent["answers"].clone()));
    assert_eq!(failed.json(), json!({ "status": "failed" }), "no reason from inside");
}

#[test]
fn a_form_that_cannot_be_shown_is_refused_before_it_is_active() {
    let (place, serving) = open(&config(json!({})));
    let found = |document: &Value| {
        let done = activate(&place, document);
        assert_eq!(done.code, 2, "{}", done.out);
        let found = done.json()["error"]["details"]["diagnostics"][0].clone();
        (found["code"].as_str().unwrap_or_default().to_owned(), found["path"].as_str().unwrap_or_default().to_owned())
    };
    let told = |code: &str, path: &str| (code.to_owned(), format!("/nodes/ask/config{path}"));
    assert_eq!(found(&flow("other", &config(json!({})))), told("FORM_PATH_TAKEN", "/path"));
    assert_eq!(found(&flow("other", &config(json!({ "path": "../x" })))), told("BAD_FORM_PATH", "/path"));
    assert_eq!(
        found(&flow("other", &config(json!({ "path": "o", "schema": { "type": "object" } })))),
        told("BAD_FORM", "/schema")
    );
    let mut two = flow("other", &config(json!({ "path": "o" })));
    two["nodes"]["second"] = two["nodes"]["ask"].clone();
    assert_eq!(found(&two), ("FORM_PATH_TAKEN".to_owned(), "/nodes/second/config/path".to_owned()));
    // The form that is open stays as it is, and a person fires it with a sample.
    assert_eq!(get(&serving, "/forms/vacation/definition").status, 200);
    let fired = place.run(&["triggers", "fire", "requests.ask", "--json"]).json();
    assert_eq!(fired["output"], json!([{ "who": "Name", "files": 0 }]), "{fired}");
    assert!(place.run(&["triggers", "list"]).out.contains("/forms/vacation"));
}

#[test]
fn a_flood_is_told_to_wait() {
    let (_place, serving) = open(&config(json!({})));
    let answers: Vec<Answer> = (0..125).map(|_| post(&serving, "/forms/vacation", &json!({}))).collect();
    let last = answers.last().expect("some");
    assert_eq!((last.status, last.code().as_str()), (429, "TOO_MANY"), "{}", last.body);
    assert!(last.head.to_lowercase().contains("retry-after: "), "{}", last.head);
    assert_eq!(get(&serving, "/forms/vacation/definition").status, 200, "it can still be read");
}
