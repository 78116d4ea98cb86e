//! Agents of others (A2A): a step that asks one, and workflows that are offered as one.

use crate::provider;
use crate::support;

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use support::{OPERATOR, Serving, TestHome, VIEWER, with_roles};

fn activate(place: &TestHome, id: &str, node: &Value) {
    let flow = json!({
        "signalbox": 1, "id": id, "name": "Greet", "description": "Greets somebody.",
        "params": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } },
        "settings": { "errorPolicy": "fail" },
        "nodes": { "start": { "type": "trigger.manual", "config": { "offerAsAgent": true } }, "say": node },
        "edges": [{ "from": "start.success", "to": "say" }],
    });
    let path = place.file(&format!("{id}.signalbox.json"), flow.to_string()).display().to_string();
    let done = place.run(&["activate", &path, "--json"]);
    assert_eq!(done.code, 0, "{}", done.out);
}

fn greeting() -> Value {
    json!({ "type": "data.set", "config": { "assign": { "text": "Hello {{params.name}}" }, "keep": false } })
}

const VERSION: [(&str, &str); 1] = [("a2a-version", "1.0")];

fn rpc(serving: &Serving, path: &str, method: &str, params: &Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": "q", "method": method, "params": params });
    let answer = serving.ask_as(OPERATOR, "POST", path, &request, &VERSION);
    assert_eq!(answer.status, 200, "{} {}", answer.head, answer.body);
    assert_eq!(answer.json()["id"], "q");
    answer.json()
}

fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m1", "role": "ROLE_USER", "contextId": "talk", "parts": [{ "text": text }] } })
}

#[test]
fn an_offered_workflow_has_a_card_and_answers_messages() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let host = serving.host().to_owned();
    let card = |path: &str| serving.raw("GET", path, &[("host", host.as_str())], "");
    assert_eq!(card("/.well-known/agent-card.json").status, 404, "nothing is offered");
    activate(&place, "greet", &greeting());
    let told = card("/.well-known/agent-card.json");
    assert_eq!(told.status, 200, "no token is needed: {}", told.body);
    assert_eq!(told.json()["supportedInterfaces"][0]["url"], format!("http://{host}/a2a"));
    assert_eq!(told.json()["skills"][0]["id"], "greet");
    let one = card("/a2a/greet/.well-known/agent-card.json").json();
    assert_eq!(
        (&one["name"], &one["supportedInterfaces"][0]["url"]),
        (&json!("Greet"), &json!(format!("http://{host}/a2a/greet")))
    );

    let said = rpc(&serving, "/a2a", "SendMessage", &message("Ada"));
    let task = &said["result"]["task"];
    assert_eq!((&task["status"]["state"], &task["contextId"]), (&json!("TASK_STATE_COMPLETED"), &json!("talk")));
    assert_eq!(task["artifacts"][0]["parts"][0]["text"], "Hello Ada");
    let again = rpc(&serving, "/a2a", "GetTask", &json!({ "id": task["id"] }));
    assert_eq!(&again["result"], task);
    assert_eq!(rpc(&serving, "/a2a", "CancelTask", &json!({ "id": task["id"] }))["error"]["code"], -32002);
    assert_eq!(rpc(&serving, "/a2a", "GetTask", &json!({ "id": "nobody" }))["error"]["code"], -32001);
    assert_eq!(rpc(&serving, "/a2a", "Sing", &json!({}))["error"]["code"], -32601);
    let unfit = json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "data": { "name": 7 } }] } });
    assert_eq!(rpc(&serving, "/a2a", "SendMessage", &unfit)["error"]["code"], -32602);
}

/// Case js-big-ids and ADR 216: what the reader would change is refused with its place, also in a text that is JSON.
#[test]
fn params_that_would_change_are_refused() {
    let place = TestHome::new();
    activate(&place, "greet", &greeting());
    let serving = with_roles(&place);
    let bearer = format!("Bearer {OPERATOR}");
    let mut headers =
        vec![("host", serving.host()), ("authorization", bearer.as_str()), ("content-type", "application/json")];
    headers.extend(VERSION);
    for (part, why) in [
        (
            r#"{"data":{"name":18446744073709551617}}"#,
            "the number 18446744073709551617 at params.message.parts[0].data.name ",
        ),
        (r#"{"data":{"name":"Ada","name":"Bob"}}"#, "the member params.message.parts[0].data.name occurs twice"),
        (r#"{"text":"{\"name\":\"Ada\",\"name\":\"Bob\"}"}"#, "the member name occurs twice"),
    ] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":"q","method":"SendMessage","params":{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{part}]}}}}}}"#
        );
        let error = serving.raw("POST", "/a2a", &headers, &body).json()["error"].clone();
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(why)), "{error}");
    }
}

#[test]
fn a_message_needs_a_token_of_an_operator_and_a_version_that_is_spoken() {
    let place = TestHome::new();
    activate(&place, "greet", &greeting());
    let serving = with_roles(&place);
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": message("Ada") });
    assert_eq!(serving.ask_as(VIEWER, "POST", "/a2a", &request, &VERSION).status, 403);
    assert_eq!(serving.ask_as("nobody", "POST", "/a2a", &request, &VERSION).status, 401);
    let old = serving.ask_as(OPERATOR, "POST", "/a2a", &request, &[]);
    assert_eq!(old.json()["error"]["code"], -32009);
    assert_eq!(place.run(&["runs", "list", "--json"]).json().as_array().map(Vec::len), Some(0));
}

#[test]
fn a_run_that_waits_for_a_person_is_at_work_and_can_be_canceled() {
    let place = TestHome::new();
    activate(&place, "ask", &json!({ "type": "builtin.human_approval", "config": { "title": "May it?" } }));
    let serving = with_roles(&place);
    let said = rpc(&serving, "/a2a/ask", "SendMessage", &message("Ada"));
    let task = &said["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_WORKING", "{said}");
    assert!(task["status"]["message"]["parts"][0]["text"].as_str().is_some_and(|text| text.contains("person")));
    let more = json!({ "message": { "messageId": "m2", "role": "ROLE_USER", "taskId": task["id"], "parts": [{ "text": "approve" }] } });
    assert_eq!(rpc(&serving, "/a2a/ask", "SendMessage", &more)["error"]["code"], -32004, "nobody decides from outside");
    let ended = rpc(&serving, "/a2a/ask", "CancelTask", &json!({ "id": task["id"] }));
    assert_eq!(ended["result"]["status"]["state"], "TASK_STATE_CANCELED");
}

#[test]
fn a_stream_tells_the_task_its_output_and_its_end() {
    let place = TestHome::new();
    activate(&place, "greet", &greeting());
    let serving = with_roles(&place);
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "SendStreamingMessage", "params": message("Ada") });
    let answer = serving.ask_as(OPERATOR, "POST", "/a2a", &request, &VERSION);
    let events: Vec<Value> = answer
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str::<Value>(data).expect("JSON")["result"].clone())
        .collect();
    assert!(events.first().is_some_and(|first| first["task"]["id"].is_string()), "{}", answer.body);
    if let Some(output) = events.iter().find(|event| event["artifactUpdate"].is_object()) {
        assert_eq!(output["artifactUpdate"]["artifact"]["parts"][0]["text"], "Hello Ada");
        let last = events.last().expect("a last one");
        assert_eq!(last["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
    } else {
        // The run had ended before it was looked at: the first event says all.
        assert_eq!(events[0]["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    }
}

/// An agent on a free port that asks a question and then says what it was told. What it was sent is kept.
fn asking_agent() -> (String, Arc<Mutex<Vec<Value>>>) {
    let sent: Arc<Mutex<Vec<Value>>> = Arc::default();
    let base: Arc<Mutex<String>> = Arc::default();
    let (kept, own) = (Arc::clone(&sent), Arc::clone(&base));
    let listening = provider::listen(move |_, body| {
        let Ok(request) = serde_json::from_slice::<Value>(body) else {
            let url = own.lock().expect("no panic").clone();
            let card = json!({
                "name": "Painter", "capabilities": {},
                "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
            });
            return ("200 OK", card);
        };
        kept.lock().expect("no panic").push(request.clone());
        let said = &request["params"]["message"];
        let (state, text) = match (request["method"].as_str(), said["taskId"].as_str()) {
            (Some("CancelTask"), _) => ("TASK_STATE_CANCELED", String::new()),
            (_, None) => ("TASK_STATE_INPUT_REQUIRED", "Which colour?".to_owned()),
            (_, Some(_)) => {
                ("TASK_STATE_COMPLETED", format!("Painted {}", said["parts"][0]["text"].as_str().unwrap_or_default()))
            }
        };
        let message = json!({ "messageId": "a", "role": "ROLE_AGENT", "parts": [{ "text": text }] });
        let task = json!({ "id": "t1", "contextId": "c1", "status": { "state": state, "message": message } });
        let result = if request["method"] == "CancelTask" { task } else { json!({ "task": task }) };
        ("200 OK", json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
    });
    base.lock().expect("no panic").clone_from(&listening);
    (listening, sent)
}

fn paint(place: &TestHome, base: &str) -> String {
    let flow = json!({
        "signalbox": 1, "id": "paint", "name": "Paint", "settings": { "errorPolicy": "fail" },
        "nodes": { "ask": { "type": "a2a.agent", "config": { "url": base, "message": "Paint the door" } } }, "edges": [],
    });
    place.file("paint.signalbox.json", flow.to_string()).display().to_string()
}

#[test]
fn a_question_of_an_agent_is_a_task_and_its_answer_goes_on() {
    let place = TestHome::new();
    let (base, sent) = asking_agent();
    let path = paint(&place, &base);
    let paused = place.run(&["run", &path, "--json"]).last();
    assert_eq!(paused["status"], "paused", "{paused}");
    let tasks = place.run(&["tasks", "list", "--json"]).json();
    assert_eq!((&tasks[0]["reason"], &tasks[0]["title"]), (&json!("question"), &json!("Ask an agent: Painter asks")));
    let id = tasks[0]["id"].as_str().expect("a task").to_owned();
    let task = place.run(&["tasks", "show", &id, "--json"]).json();
    assert_eq!((&task["instructions"], &task["schema"]["required"]), (&json!("Which colour?"), &json!(["answer"])));
    let unfit = place.run(&["tasks", "complete", &id, "--action", "submit", "--input", "{}"]);
    assert_eq!(unfit.code, 2, "the answer is checked: {}", unfit.out);
    let answered = place.run(&["tasks", "complete", &id, "--action", "submit", "--input", "{\"answer\":\"green\"}"]);
    assert_eq!(answered.code, 0, "{}{}", answered.out, answered.err);
    // Another process goes on: what the agent's task is comes out of the log.
    let run = place.run(&["resume", paused["runId"].as_str().expect("a run"), "--json"]).json();
    assert_eq!((&run["status"], &run["output"][0]["text"]), (&json!("completed"), &json!("Painted green")), "{run}");
    let sent = sent.lock().expect("no panic");
    assert_eq!(sent.len(), 2, "each message is sent once");
    assert_eq!(sent[1]["params"]["message"]["taskId"], "t1");
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

#[test]
fn a_refused_question_cancels_the_agents_task() {
    let place = TestHome::new();
    let (base, sent) = asking_agent();
    let path = paint(&place, &base);
    let paused = place.run(&["run", &path, "--json"]).last();
    assert_eq!(paused["status"], "paused", "{paused}");
    let tasks = place.run(&["tasks", "list", "--json"]).json();
    let id = tasks[0]["id"].as_str().expect("a task").to_owned();
    let refused = place.run(&["tasks", "complete", &id, "--action", "reject", "--notes", "Not today"]);
    assert_eq!(refused.code, 0, "{}{}", refused.out, refused.err);
    let run = place.run(&["resume", paused["runId"].as_str().expect("a run"), "--json"]).json();
    assert_eq!(
        (&run["status"], &run["error"]["details"]["code"]),
        (&json!("failed"), &json!("INPUT_REFUSED")),
        "{run}"
    );
    assert_eq!(sent.lock().expect("no panic").last().map(|last| last["method"].clone()), Some(json!("CancelTask")));
}
