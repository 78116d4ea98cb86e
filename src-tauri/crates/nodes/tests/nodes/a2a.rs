//! `a2a.agent` against a scripted agent.

use crate::common;

use common::{FakeHttp, answer, call, slot, world};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use signalbox_engine::effect::{self, Suspended};
use signalbox_model::{Effects, NodeFailure};
use signalbox_nodes::{kind, run_call};
use signalbox_ports::{HttpError, HttpRequest, HttpResponse};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

fn card(streaming: bool) -> Value {
    json!({
        "name": "Greeter", "capabilities": { "streaming": streaming },
        "supportedInterfaces": [{ "url": "https://agent.example.org/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
    })
}

fn task(state: &str, words: &str) -> Value {
    let message = json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": words }] });
    json!({ "id": "t1", "contextId": "c1", "status": { "state": state, "message": message } })
}

/// Answers by the method of the request and how often it was asked before.
fn agent(
    card: Value,
    script: impl Fn(&str, usize) -> Result<HttpResponse, HttpError> + Send + Sync + 'static,
) -> Arc<FakeHttp> {
    let asked = AtomicUsize::new(0);
    FakeHttp::new(move |request| match request.method.as_str() {
        "GET" => Ok(answer(200, &JSON, &card.to_string())),
        _ => script(&method(request), asked.fetch_add(1, Ordering::SeqCst)),
    })
}

fn method(request: &HttpRequest) -> String {
    let body: Value = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).unwrap_or_default();
    body["method"].as_str().unwrap_or_default().to_owned()
}

fn methods(http: &FakeHttp) -> Vec<String> {
    http.asked.lock().expect("not poisoned").iter().filter(|one| one.method == "POST").map(method).collect()
}

fn result(result: &Value) -> Result<HttpResponse, HttpError> {
    Ok(answer(200, &JSON, &json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string()))
}

fn stream(events: &[Value]) -> Result<HttpResponse, HttpError> {
    let text: String = events
        .iter()
        .map(|event| format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "result": event })))
        .collect();
    Ok(answer(200, &[("content-type", "text/event-stream")], &text))
}

fn run(http: &Arc<FakeHttp>, more: &Value, held: Option<Suspended>) -> Result<Value, NodeFailure> {
    let mut config = json!({ "url": "https://agent.example.org", "message": "Hi" });
    for (name, value) in more.as_object().expect("an object") {
        config[name] = value.clone();
    }
    let mut call = call("a2a.agent", Effects::Write, slot(config, &[json!({})]));
    call.permits.held = held;
    let world = world(Arc::clone(http));
    let code = kind("a2a.agent").expect("a kind");
    let results = run_call(code, &call, &world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
    let (_, outcome) = results.into_iter().next().expect("one slot");
    outcome.map(|output| (*output.ports["success"].iter().next().expect("an item").data).clone())
}

#[test]
fn a_stream_that_is_cut_is_taken_up_again_and_then_looked_at() {
    let http = agent(card(true), |method, _| match method {
        "SendStreamingMessage" => stream(&[json!({ "task": task("TASK_STATE_WORKING", "on it") })]),
        "SubscribeToTask" => Err(HttpError::Cut { message: "cut".into() }),
        _ => result(&task("TASK_STATE_COMPLETED", "Hello")),
    });
    let told = run(&http, &json!({}), None).expect("an answer");
    assert_eq!((&told["text"], &told["state"], &told["taskId"]), (&json!("Hello"), &json!("completed"), &json!("t1")));
    let asked = methods(&http);
    assert_eq!(asked.first().map(String::as_str), Some("SendStreamingMessage"));
    assert_eq!(asked.last().map(String::as_str), Some("GetTask"));
    assert_eq!(
        asked.iter().filter(|one| *one == "SendStreamingMessage").count(),
        1,
        "nothing is sent twice: {asked:?}"
    );
}

#[test]
fn states_of_a_task_are_errors_with_what_the_agent_said() {
    let states = [
        ("TASK_STATE_FAILED", "AGENT_FAILED"),
        ("TASK_STATE_REJECTED", "AGENT_REJECTED"),
        ("TASK_STATE_CANCELED", "AGENT_CANCELED"),
        ("TASK_STATE_AUTH_REQUIRED", "AGENT_AUTH"),
    ];
    for (state, code) in states {
        let http = agent(card(false), move |_, _| result(&json!({ "task": task(state, "out of paper") })));
        let failure = run(&http, &json!({}), None).expect_err(state);
        assert_eq!(failure.code, code);
        assert!(failure.message.contains("out of paper"), "{}", failure.message);
    }
}

#[test]
fn a_question_is_held_and_its_answer_goes_to_the_same_task() {
    let http = agent(card(false), |_, nth| {
        let state = if nth == 0 { "TASK_STATE_INPUT_REQUIRED" } else { "TASK_STATE_COMPLETED" };
        result(&json!({ "task": task(state, "Which colour?") }))
    });
    let waits = run(&http, &json!({ "answerWithinMs": 60_000 }), None).expect_err("it asks");
    assert_eq!(waits.code, "INPUT_REQUIRED");
    let question = &waits.details["question"];
    assert_eq!(
        (&question["from"], &question["message"], &question["ttlMs"]),
        (&json!("Greeter"), &json!("Which colour?"), &json!(60_000))
    );
    let conversation = waits.held.expect("it goes on");
    let answer =
        effect::ToolAnswer { allowed: true, values: Some(Arc::new(json!({ "answer": "red" }))), ..Default::default() };
    run(&http, &json!({}), Some(Suspended { conversation, answer: Some(answer) })).expect("an answer");
    let asked = http.asked.lock().expect("not poisoned");
    let last: Value =
        serde_json::from_slice(asked.last().and_then(|one| one.body.as_deref()).expect("a body")).expect("JSON");
    let message = &last["params"]["message"];
    assert_eq!(
        (&message["taskId"], &message["contextId"], &message["parts"]),
        (&json!("t1"), &json!("c1"), &json!([{ "text": "red" }]))
    );
}

#[test]
fn a_question_that_nobody_answers_cancels_the_task() {
    for (expired, code) in [(true, "INPUT_EXPIRED"), (false, "INPUT_REFUSED")] {
        let http = agent(card(false), |_, _| result(&task("TASK_STATE_CANCELED", "")));
        let conversation = Arc::new(json!({ "agent": "Greeter", "taskId": "t1", "contextId": "c1", "round": 1 }));
        let answer = effect::ToolAnswer { expired, ..Default::default() };
        let failure = run(&http, &json!({}), Some(Suspended { conversation, answer: Some(answer) })).expect_err(code);
        assert_eq!(failure.code, code);
        assert_eq!(methods(&http), ["CancelTask"]);
    }
}

#[test]
fn an_endless_stream_ends_with_an_error_and_a_cancelled_task() {
    let http = agent(card(true), |method, _| match method {
        "CancelTask" => result(&task("TASK_STATE_CANCELED", "")),
        _ => stream(&vec![json!({ "task": task("TASK_STATE_WORKING", "and on") }); 10_001]),
    });
    let failure = run(&http, &json!({}), None).expect_err("too much");
    assert_eq!(failure.code, "TOO_LARGE");
    assert_eq!(methods(&http), ["SendStreamingMessage", "CancelTask"]);
}

#[test]
fn a_card_that_leads_elsewhere_gets_no_message() {
    let mut elsewhere = card(false);
    elsewhere["supportedInterfaces"][0]["url"] = "http://127.0.0.1:9160/".into();
    let http = agent(elsewhere, |_, _| result(&json!({})));
    assert_eq!(run(&http, &json!({}), None).expect_err("refused").code, "AGENT_CARD");
    assert_eq!(methods(&http), Vec::<String>::new());
}

#[test]
fn a_signature_is_required_present_or_ignored() {
    let mut signed = card(false);
    signed["signatures"] = json!([{ "protected": "e30", "signature": "AAAA" }]);
    let done = |_: &str, _: usize| result(&json!({ "task": task("TASK_STATE_COMPLETED", "Hello") }));
    let refused =
        |card: Value, how: &str| run(&agent(card, done), &json!({ "signature": how }), None).map_err(|one| one.code);
    assert_eq!(refused(card(false), "required"), Err("AGENT_SIGNATURE".into()));
    assert_eq!(refused(signed.clone(), "present"), Err("AGENT_SIGNATURE".into()));
    assert!(refused(signed, "ignore").is_ok() && refused(card(false), "present").is_ok());
}
