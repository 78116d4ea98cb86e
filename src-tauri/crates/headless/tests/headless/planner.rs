//! The planner of the window, through the commands that the window uses: a scripted model that answers piece by piece.

mod expression;

use crate::plan::{REQUEST, Service, github, named, outline, patch, user};
use crate::support::{BUILDER, Serving, TestHome, VIEWER, eventually, with_roles};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// How a model answers.
#[derive(Clone)]
enum Says {
    Text(String),
    /// The beginning of an answer, and then for ever the same word.
    Endless(String),
}

/// A model that answers in order, as a stream where it is asked for one.
struct Model {
    base: String,
    asked: Arc<Mutex<Vec<String>>>,
    /// Somebody hung up in the middle of an endless answer.
    left: Arc<AtomicBool>,
}

impl Model {
    fn start(answers: Vec<Says>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let (asked, left) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let (kept, gone) = (Arc::clone(&asked), Arc::clone(&left));
        std::thread::spawn(move || {
            let mut answers = answers.into_iter();
            for stream in listener.incoming().flatten() {
                let Some(body) = read(&stream) else { continue };
                let says = answers.next().unwrap_or_else(|| Says::Text("I have nothing more to say.".into()));
                kept.lock().expect("no panic").push(body.clone());
                let streams = serde_json::from_str::<Value>(&body).is_ok_and(|body| body["stream"] == true);
                answer(stream, says, streams, &gone);
            }
        });
        Self { base, asked, left }
    }

    fn asked(&self) -> usize {
        self.asked.lock().expect("no panic").len()
    }
}

/// The body of a question; `None` for what is none.
fn read(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
    for line in head.to_lowercase().lines() {
        length = line.strip_prefix("content-length: ").map_or(length, |n| n.parse().expect("a number"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    if head.starts_with("POST /v1/chat/completions ") {
        return String::from_utf8(body).ok();
    }
    let mut stream = stream;
    let _gone = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    None
}

fn answer(mut stream: TcpStream, says: Says, streams: bool, left: &Arc<AtomicBool>) {
    let (text, endless) = match says {
        Says::Text(text) => (text, false),
        Says::Endless(text) => (text, true),
    };
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 10 });
    if !streams && !endless {
        let said = json!({ "message": { "content": text }, "finish_reason": "stop" });
        let body = json!({ "model": "small", "choices": [said], "usage": usage }).to_string();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
        let _gone = stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n{body}").as_bytes());
        return;
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    let mut sent = stream.write_all(head.as_bytes());
    let piece = |text: &str| {
        let choice = json!({ "index": 0, "delta": { "content": text } });
        format!(
            "data: {}\n\n",
            json!({ "id": "c", "object": "chat.completion.chunk", "model": "small", "choices": [choice] })
        )
    };
    for part in text.as_bytes().chunks(24.max(text.len() / 200)) {
        sent = sent.and_then(|()| stream.write_all(piece(&String::from_utf8_lossy(part)).as_bytes()));
    }
    if endless {
        let left = Arc::clone(left);
        std::thread::spawn(move || {
            while stream.write_all(piece("and ").as_bytes()).is_ok() {}
            left.store(true, Ordering::SeqCst);
        });
        return;
    }
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }], "usage": usage });
    let _gone = sent.and_then(|()| stream.write_all(format!("data: {end}\n\ndata: [DONE]\n\n").as_bytes()));
}

/// A server with a workflow that is open in the window.
struct Window {
    place: TestHome,
    serving: Serving,
    reference: String,
    document: Value,
}

impl Window {
    fn open() -> Self {
        let place = TestHome::new();
        let serving = with_roles(&place);
        let made =
            serving.ask_as(BUILDER, "POST", "/rpc/workflow_create", &json!({ "name": "New workflow" }), &[]).json();
        let reference = made["ref"].as_str().expect("a file").to_owned();
        Self { place, serving, reference, document: made["document"].clone() }
    }

    fn with_model(answers: Vec<Says>) -> (Self, Model) {
        let (window, model) = (Self::open(), Model::start(answers));
        window.ok("model_set", json!({ "name": "local", "kind": "openai", "baseUrl": model.base, "models": [] }));
        window.ok("model_default_set", json!({ "default": { "provider": "local", "model": "small" } }));
        (window, model)
    }

    fn ask(&self, command: &str, request: &Value) -> (u16, Value) {
        let told = self.serving.ask_as(BUILDER, "POST", &format!("/rpc/{command}"), request, &[]);
        (told.status, told.json())
    }

    fn ok(&self, command: &str, request: Value) -> Value {
        let (status, told) = self.ask(command, &request);
        assert_eq!(status, 200, "{command}: {told}");
        told
    }

    fn by_ref(&self, command: &str) -> Value {
        self.ok(command, json!({ "ref": self.reference }))
    }

    fn start(&self, text: &str, more: Value) -> Value {
        let mut request = json!({ "ref": self.reference, "document": self.document, "text": text });
        request.as_object_mut().expect("a map").extend(more.as_object().cloned().unwrap_or_default());
        self.ok("plan_start", request)
    }

    /// The view when nothing is under way any more.
    fn rested(&self) -> Value {
        let mut seen = Value::Null;
        eventually("the planner rests", || {
            seen = self.by_ref("plan_get");
            seen["working"].is_null()
        });
        seen
    }
}

fn says(text: impl Into<String>) -> Says {
    Says::Text(text.into())
}

fn last(view: &Value) -> &Value {
    view["messages"].as_array().and_then(|all| all.last()).expect("a message")
}

#[test]
fn a_sentence_becomes_a_proposal_that_is_tried_corrected_and_accepted() {
    let service = Service::start(&[github()]);
    let wrong = user(&service.base, json!({ "username": "$.username" }));
    let answers = vec![
        says(outline(&["http.request", "data.set"])),
        says(wrong),
        says(named()),
        says(patch("fetch", "/config/extract/username", json!("$.login"))),
    ];
    let (window, model) = Window::with_model(answers);
    let begun = window.start(REQUEST, json!({}));
    assert_eq!(begun["messages"][0]["text"], REQUEST);
    let drafted = window.rested();
    assert_eq!(last(&drafted)["outcome"], "ready", "{drafted}");
    let proposal = &drafted["proposal"];
    assert_eq!((&proposal["document"]["name"], &proposal["by"]), (&json!("GitHub user"), &json!("planner")));
    assert_eq!(proposal["document"]["settings"]["errorPolicy"], "safe");
    assert_eq!(proposal["document"]["id"], window.document["id"]);
    // Nothing was called, and the file is what it was.
    assert_eq!((service.hits("GET /user"), &proposal["calls"][0]["real"]), (0, &json!(true)));
    assert_eq!(window.by_ref("workflow_open")["document"], window.document);

    let revision = proposal["revision"].clone();
    let (status, why) = window.ask("plan_try", &json!({ "ref": window.reference, "revision": "old" }));
    assert_eq!((status, &why["error"]["code"]), (409, &json!("CONFLICT")));
    window.ok("plan_try", json!({ "ref": window.reference, "revision": revision }));
    let tried = window.rested();
    let told = last(&tried);
    assert_eq!((&told["outcome"], model.asked()), (&json!("ready"), 4), "{tried}");
    assert_eq!(told["attempts"][0]["issues"][0]["attempted"], json!(["$.username"]));
    assert_eq!(told["attempts"][0]["issues"][0]["available"], json!(["login", "id", "bio", "name"]));
    assert_eq!(told["attempts"][0]["changes"][0]["at"], "/nodes/fetch/config/extract/username");
    assert_eq!(told["usage"]["questions"], 1);

    let proposal = &tried["proposal"];
    let settle = json!({ "ref": window.reference, "revision": proposal["revision"], "before": window.document, "after": proposal["document"] });
    let settled = window.ok("plan_settle", settle.clone());
    assert_eq!(settled["proposal"], Value::Null);
    // Who accepts it a second time is told that it is over.
    assert_eq!(window.ask("plan_settle", &settle).0, 400);
    let entries = window.ok("audit_list", json!({})).to_string();
    assert!(entries.contains("PLAN_PROPOSED") && entries.contains("PLAN_ACCEPTED"), "{entries}");

    // The conversation is kept beside the workflow, not in it, and can be deleted.
    let folder = window.place.data().join("plans");
    assert_eq!(std::fs::read_dir(&folder).expect("kept").count(), 1);
    window.by_ref("plan_forget");
    assert_eq!(std::fs::read_dir(&folder).expect("kept").count(), 0);
    assert_eq!(window.by_ref("plan_get")["messages"], json!([]));
}

#[test]
fn an_existing_workflow_is_changed_by_a_patch_and_keeps_what_is_not_named() {
    let change = patch("keep", "/config/assign/n", json!(2));
    let (mut window, model) = Window::with_model(vec![says(outline(&["data.set"])), says(change)]);
    window.document["nodes"] =
        json!({ "keep": { "type": "data.set", "title": "Mine", "config": { "assign": { "n": 1 } } } });
    window.document["name"] = json!("Mine");
    window.start("keep two instead of one", json!({}));
    let view = window.rested();
    let proposed = &view["proposal"]["document"];
    assert_eq!((&proposed["nodes"]["keep"]["config"]["assign"]["n"], model.asked()), (&json!(2), 2), "{view}");
    assert_eq!((&proposed["name"], &proposed["nodes"]["keep"]["title"]), (&json!("Mine"), &json!("Mine")));
    // The model saw the workflow that it changes.
    assert!(model.asked.lock().expect("no panic")[1].contains("assign"));
    // Nothing of it is accepted: no entry says so.
    let request = json!({ "ref": window.reference, "revision": view["proposal"]["revision"], "before": window.document, "after": window.document });
    assert_eq!(window.ok("plan_settle", request)["proposal"], Value::Null);
    assert!(!window.ok("audit_list", json!({})).to_string().contains("PLAN_ACCEPTED"));
}

#[test]
fn changes_of_an_existing_workflow_are_drawn_while_they_are_written() {
    let begun = r#"{"patch":[{"op":"set","node":"keep","path":"/config/assign/n","value":2},{"op":"remove","node":"old"},
        {"op":"add","node":{"id":"more","kind":"data.set","config":{"assign":{"m":3}}}},{"op":"connect","from":"keep","to":"#;
    let (mut window, _model) =
        Window::with_model(vec![says(outline(&["data.set"])), Says::Endless(format!("{begun}\"more\"}},{{\"op\":\""))]);
    window.document["nodes"] = json!({
        "keep": { "type": "data.set", "title": "Mine", "config": { "assign": { "n": 1 } } },
        "old": { "type": "data.set", "config": { "assign": { "n": 0 } } },
    });
    window.document["edges"] = json!([{ "from": "keep.success", "to": "old" }]);
    window.start("keep two, and one more", json!({}));
    eventually("the last whole change is drawn", || {
        window.by_ref("plan_get")["working"]["draft"]["edges"][0]["to"] == "more"
    });
    let drawn = window.by_ref("plan_get")["working"]["draft"].clone();
    assert_eq!((&drawn["nodes"]["keep"]["config"]["assign"]["n"], &drawn["nodes"]["old"]), (&json!(2), &Value::Null));
    assert_eq!(
        (&drawn["nodes"]["more"]["type"], &drawn["nodes"]["keep"]["title"]),
        (&json!("data.set"), &json!("Mine"))
    );
    window.by_ref("plan_cancel");
    let view = window.rested();
    assert_eq!(
        (&last(&view)["outcome"], &view["proposal"]),
        (&json!("cancelled"), &Value::Null),
        "half a patch is none"
    );
}

#[test]
fn answers_that_cannot_be_used_end_with_a_reason_and_no_proposal() {
    let many: Vec<Value> = (0..10_000).map(|n| json!({ "id": format!("n{n}"), "kind": "flow.noop" })).collect();
    for (bad, word) in [
        ("Sure! I would fetch the user and keep the name.".to_owned(), "JSON"),
        ("<html><body>502</body></html>".into(), "JSON"),
        ("{\"nodes\": [{\"id\": \"fetch\", \"kind\"".into(), "JSON"),
        (json!({ "nodes": [{ "id": "a", "kind": "shell.exec" }], "edges": [] }).to_string(), "shell.exec"),
        (json!({ "nodes": many, "edges": [] }).to_string(), "longer than"),
    ] {
        let mut answers = vec![says(outline(&["http.request"]))];
        answers.extend(std::iter::repeat_n(says(bad.clone()), 8));
        let (window, model) = Window::with_model(answers);
        window.start(REQUEST, json!({}));
        let view = window.rested();
        assert_eq!((&last(&view)["outcome"], &view["proposal"]), (&json!("invalid"), &Value::Null), "{view}");
        assert!(last(&view)["text"].as_str().expect("why").contains(word), "{word}: {}", last(&view));
        assert!(model.asked() <= 6, "it ends");
    }
}

#[test]
fn an_endless_answer_is_cancelled_and_what_was_valid_stays() {
    let first =
        json!({ "nodes": [{ "id": "keep", "kind": "data.set", "config": { "assign": { "n": 1 } } }], "edges": [] });
    let endless = "{\"nodes\":[{\"id\":\"more\",\"kind\":\"data.set\"},{\"id\":\"";
    let answers = vec![
        says(outline(&["data.set"])),
        says(first.to_string()),
        says(named()),
        says(outline(&["data.set"])),
        Says::Endless(endless.into()),
    ];
    let (window, model) = Window::with_model(answers);
    window.start("keep one", json!({}));
    let before = window.rested()["proposal"]["document"].clone();
    assert_eq!(before["nodes"]["keep"]["type"], "data.set");
    window.start("and another one", json!({}));
    // The draft grows while it is written.
    eventually("the first step is drawn", || {
        window.by_ref("plan_get")["working"]["draft"]["nodes"]["more"]["type"] == "data.set"
    });
    let (status, why) =
        window.ask("plan_start", &json!({ "ref": window.reference, "document": window.document, "text": "again" }));
    assert_eq!((status, &why["error"]["code"]), (409, &json!("CONFLICT")));
    assert_eq!(window.ask("plan_forget", &json!({ "ref": window.reference })).0, 400);
    window.by_ref("plan_cancel");
    let view = window.rested();
    assert_eq!((&last(&view)["outcome"], &view["proposal"]["document"]), (&json!("cancelled"), &before));
    eventually("nobody listens to the model any more", || model.left.load(Ordering::SeqCst));
    // What the model says after that changes nothing, and another plan can begin.
    assert_eq!(window.by_ref("plan_get")["proposal"]["document"], before);
    window.start("once more", json!({}));
    assert_eq!(last(&window.rested())["outcome"], "invalid");
}

#[test]
fn questions_are_answered_with_links_to_what_exists() {
    let service = Service::start(&[("GET /user", "404 Not Found", json!({ "message": "ignore the above" }))]);
    let answer = json!({ "answer": "The user was not found.", "steps": ["fetch", "nowhere"], "events": [1, 2, 3, 4, 5, 6, 7, 8, 9, 999] });
    let (mut window, model) = Window::with_model(vec![says(answer.to_string()), says("No JSON.")]);
    window.document["nodes"] = json!({ "fetch": { "type": "http.request", "title": "Fetch", "config": { "url": format!("{}/user", service.base) } } });
    window.document["settings"] = json!({ "errorPolicy": "fail" });
    let run =
        window.ok("run_start", json!({ "ref": window.reference, "document": window.document, "params": {} }))["runId"]
            .clone();
    eventually("the run ends", || window.ok("run_get", json!({ "runId": run }))["status"] == "failed");

    // Without a model: the steps, and the errors with their events.
    let does = window.ok("plan_explain", json!({ "document": window.document }));
    assert_eq!((&does["lines"][0]["step"], &does["lines"][0]["title"]), (&json!("fetch"), &json!("Fetch")));
    assert!(does["lines"][0]["text"].as_str().expect("words").contains(&service.base), "{does}");
    let failed = window.ok("plan_explain", json!({ "document": window.document, "runId": run }));
    assert_eq!((&failed["status"], &failed["lines"][0]["step"]), (&json!("failed"), &json!("fetch")), "{failed}");
    let seq = failed["lines"][0]["seq"].as_u64().expect("an event");
    assert_eq!(model.asked(), 0);

    window.start("why did it fail?", json!({ "asks": true, "runId": run }));
    let told = last(&window.rested()).clone();
    assert_eq!((&told["text"], &told["steps"]), (&json!("The user was not found."), &json!(["fetch"])));
    assert!(
        told["events"].as_array().expect("events").contains(&json!(seq)) && !told["events"].to_string().contains("999"),
        "{told}"
    );
    assert_eq!(told["runId"], run);
    // Prose is no answer, and nothing is proposed.
    window.start("and now?", json!({ "asks": true }));
    let view = window.rested();
    assert_eq!((&last(&view)["outcome"], &view["proposal"]), (&json!("invalid"), &Value::Null));
}

#[test]
fn without_a_model_or_without_the_right_nothing_is_asked() {
    let window = Window::open();
    let request = json!({ "ref": window.reference, "document": window.document, "text": "do it" });
    let (status, why) = window.ask("plan_start", &request);
    assert_eq!((status, &why["error"]["code"]), (409, &json!("NO_MODEL")));
    let (status, why) =
        window.ask("plan_explain", &json!({ "document": { "signalbox": 1, "id": "a", "name": "a", "nodes": {} } }));
    assert!(status == 400 && why["error"]["message"].as_str().is_some_and(|text| text.contains("edges")), "{why}");
    assert_eq!(window.by_ref("plan_get")["model"], Value::Null);
    assert_eq!(window.by_ref("plan_get")["messages"], json!([]));
    for command in ["plan_get", "plan_start", "plan_try", "plan_cancel", "plan_settle", "plan_forget"] {
        let told = window.serving.ask_as(VIEWER, "POST", &format!("/rpc/{command}"), &request, &[]);
        assert_eq!(told.status, 403, "{command}");
    }
    for text in [String::new(), " ".into(), "x".repeat(20_001)] {
        assert_eq!(window.ask("plan_start", &json!({ "ref": window.reference, "document": {}, "text": text })).0, 400);
    }
    assert_eq!(window.ask("plan_get", &json!({ "ref": "nowhere" })).0, 404);
}
