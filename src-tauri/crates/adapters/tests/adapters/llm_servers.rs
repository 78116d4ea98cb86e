//! What real model servers do differently, each as a script.

use crate::common::{Reply, Script, json_reply, reply};
use crate::llm::{DeltaCollector, asked, chunk, events, fails, models, provider, question, request_body, stream};
use ProviderKind::{Ollama, Openai};
use serde_json::{Value, json};
use signalbox_ports::Llm as _;
use signalbox_ports::llm::{
    AnswerForm, ImageSource, LlmFault, LlmRequest, Message, Part, ProviderKind, Role, ToolOffer, ToolResult, ToolUse,
};

fn refusal(status: u16, body: &Value) -> Reply {
    reply(&format!("{status} X\r\nContent-Type: application/json"), &body.to_string())
}

fn completion(text: &str) -> Reply {
    let body = json!({ "id": "c1", "model": "small", "usage": { "prompt_tokens": 3, "completion_tokens": 2 },
        "choices": [{ "message": { "content": text }, "finish_reason": "stop" }] });
    json_reply(&body.to_string())
}

fn with_form() -> LlmRequest {
    LlmRequest { form: Some(AnswerForm::JsonObject), ..question(false) }
}

/// Asks the same question twice; for each request that was sent, whether it asked for a form.
async fn forms_of_two_questions(replies: Vec<Reply>) -> Vec<bool> {
    let server = Script::start(|_| replies).await;
    let models = models(provider(Openai, &server.base, Some("key")), &format!("127.0.0.1:{}", server.port));
    for _ in 0..2 {
        models.ask(with_form(), &DeltaCollector::default()).await.expect("an answer");
    }
    server.asked().iter().map(|request| request_body(request).get("response_format").is_some()).collect()
}

/// Some servers refuse `content: null` beside tool calls, others a message without the field; an empty text is always taken.
#[tokio::test]
async fn tool_calls_without_words_go_back_with_an_empty_text() {
    let mut request = question(false);
    let used = ToolUse { id: "a".into(), name: "find".into(), input: json!({ "q": 1 }) };
    let result = ToolResult { tool_use_id: "a".into(), content: "found".into(), is_error: false };
    request.messages.push(Message { role: Role::Assistant, parts: vec![Part::ToolUse(used)] });
    request.messages.push(Message { role: Role::User, parts: vec![Part::ToolResult(result)] });
    let (answer, _, sent) = asked(Openai, vec![completion("four")], request).await;
    assert!(answer.is_ok(), "{answer:?}");
    let body = request_body(&sent[0]);
    let messages = body["messages"].as_array().expect("messages");
    let call = messages.iter().find(|message| message["tool_calls"].is_array()).expect("the call");
    assert_eq!(call["content"], json!(""));
}

#[tokio::test]
async fn a_refused_form_is_left_out_whatever_the_status_and_not_asked_for_again() {
    let long = "x".repeat(600);
    for (status, body) in [
        (400, json!({ "error": { "message": "response_format is not supported" } })),
        (422, json!({ "detail": [{ "loc": ["body", "response_format", "type"], "msg": "Input should be 'text'" }] })),
        // The name of the field comes after the part that a person is shown.
        (500, json!({ "error": { "message": format!("{long} 'loc': ('body', 'response_format')") } })),
        (500, json!({ "error": { "message": "json_schema is unknown here" } })),
    ] {
        let forms = forms_of_two_questions(vec![refusal(status, &body), completion("{}")]).await;
        assert_eq!(forms, [true, false, false], "{status} {body}");
    }
    let other = json!({ "error": { "message": "the worker is gone" } });
    let (failed, _, sent) = asked(Openai, vec![refusal(500, &other)], with_form()).await;
    assert_eq!((failed.expect_err("refused").fault, sent.len()), (LlmFault::Unavailable, 1));
}

#[tokio::test]
async fn an_endpoint_that_ignores_a_form_is_not_asked_for_one_again() {
    assert_eq!(forms_of_two_questions(vec![completion("I would rather not.")]).await, [true, false]);
    assert_eq!(forms_of_two_questions(vec![completion("{\"a\": 1}")]).await, [true, true]);
}

#[tokio::test]
async fn a_stream_without_an_event_is_asked_again_without_streaming() {
    let reason = json!({ "error": { "message": "Requested tokens (900) exceed context window of 512" } });
    for (body, second, fault, words) in [
        ("", refusal(400, &reason), LlmFault::ContextLength, "exceed context window"),
        ("data: [DONE]\n\n", refusal(400, &reason), LlmFault::ContextLength, "exceed context window"),
        ("", stream("application/json", ""), LlmFault::BadAnswer, "without an event"),
    ] {
        let (failed, _, sent) = asked(Openai, vec![stream("text/event-stream", body), second], question(true)).await;
        let failed = failed.expect_err("a failure");
        assert_eq!(failed.fault, fault, "{failed:?}");
        assert!(failed.message.contains(words), "{}", failed.message);
        let streams: Vec<Value> = sent.iter().map(|request| request_body(request)["stream"].clone()).collect();
        assert_eq!(streams, [json!(true), json!(false)]);
    }
    let (answer, ..) = asked(Openai, vec![stream("text/event-stream", ""), completion("four")], question(true)).await;
    assert_eq!(answer.expect("an answer").parts, [Part::Text("four".into())]);
}

#[tokio::test]
async fn an_answer_without_text_calls_and_tokens_is_a_retryable_failure() {
    let whole = json!({ "choices": [{ "message": { "content": "" }, "finish_reason": "stop" }] });
    let piece = events(&[chunk(json!({ "content": "" }), Some("stop"))]);
    for (streams, one) in [(false, json_reply(&whole.to_string())), (true, stream("text/event-stream", &piece))] {
        let failed = fails(Openai, vec![one], question(streams)).await;
        assert_eq!(failed.fault, LlmFault::Unavailable, "{failed:?}");
        assert!(failed.message.contains("empty answer"), "{}", failed.message);
    }
    // A model that counted its tokens has said nothing on purpose.
    let (answer, ..) = asked(Openai, vec![completion("")], question(false)).await;
    assert!(answer.is_ok(), "{answer:?}");
}

#[tokio::test]
async fn an_unknown_model_points_at_its_name_and_details_are_text() {
    for (status, body) in [
        (400, json!({ "detail": "Model 'small' not found" })),
        (400, json!({ "error": { "message": "Invalid model name passed in model=small" } })),
        (404, json!({ "error": { "code": "model_not_found", "message": "no 'small' here" } })),
    ] {
        let failed = fails(Openai, vec![refusal(status, &body)], question(false)).await;
        assert_eq!((failed.fault, failed.status), (LlmFault::HttpStatus, Some(status)), "{failed:?}");
        assert!(failed.message.contains("Check the name of the model"), "{}", failed.message);
    }
    let detail = json!({ "detail": [{ "loc": ["body", "temperature"], "msg": "Input should be below 2" }] });
    let failed = fails(Openai, vec![refusal(422, &detail)], question(false)).await;
    assert_eq!(failed.fault, LlmFault::BadRequest);
    assert!(failed.message.contains("body.temperature: Input should be below 2"), "{}", failed.message);
    assert!(!failed.message.contains('{'), "{}", failed.message);
}

/// No `[DONE]`, and tokens in the chunk that finishes; an error in mid-stream is a line inside a 200.
#[tokio::test]
async fn streams_that_end_in_their_own_way_are_read() {
    let mut last = chunk(json!({ "content": "lo" }), Some("stop"));
    last["usage"] = json!({ "prompt_tokens": 3, "completion_tokens": 2 });
    let body = events(&[chunk(json!({ "content": "Hel" }), None), last]);
    let (answer, ..) = asked(Openai, vec![stream("text/event-stream", &body)], question(true)).await;
    let answer = answer.expect("an answer");
    assert_eq!((answer.parts, answer.usage.output_tokens), (vec![Part::Text("Hello".into())], 2));
    let mut body = events(&[chunk(json!({ "content": "Hel" }), None)]);
    body.push_str("data: {\"error\": {\"message\": \"upstream is gone\", \"code\": \"503\"}}\n\n");
    let failed = fails(Openai, vec![stream("text/event-stream", &body)], question(true)).await;
    assert_eq!(failed.fault, LlmFault::Unavailable, "{failed:?}");
}

fn with_tool() -> LlmRequest {
    let tool = ToolOffer { name: "find".into(), description: "Finds".into(), schema: json!({ "type": "object" }) };
    LlmRequest { tools: vec![tool], ..question(false) }
}

/// llama.cpp takes tools for a model whose chat template has no place for them, answers 200, and leaves them out.
#[tokio::test]
async fn tools_that_a_model_does_not_see_are_told_before_it_is_asked() {
    let props = |sees: bool| json_reply(&json!({ "chat_template_caps": { "supports_tools": sees } }).to_string());
    let (failed, _, sent) = asked(Openai, vec![props(false)], with_tool()).await;
    let failed = failed.expect_err("refused");
    assert_eq!(failed.fault, LlmFault::NoTools, "{failed:?}");
    assert!(failed.message.contains("cannot see tools"), "{}", failed.message);
    assert_eq!(sent.len(), 1, "the model was not asked");
    assert!(sent[0].starts_with("GET /props "), "{}", sent[0]);
    for first in [props(true), reply("404 Not", "{}"), json_reply("{}"), json_reply("hello")] {
        let (answer, _, sent) = asked(Openai, vec![first, completion("four")], with_tool()).await;
        assert!(answer.is_ok(), "{answer:?}");
        assert!(request_body(&sent[1])["tools"].is_array());
    }

    let can = |all: Value| json_reply(&json!({ "capabilities": all }).to_string());
    let answer = json!({ "message": { "content": "four" }, "done": true }).to_string();
    let (failed, _, sent) = asked(Ollama, vec![can(json!(["completion"]))], with_tool()).await;
    assert_eq!((failed.expect_err("refused").fault, sent.len()), (LlmFault::NoTools, 1));
    let (answer, ..) = asked(Ollama, vec![can(json!(["completion", "tools"])), json_reply(&answer)], with_tool()).await;
    assert!(answer.is_ok(), "{answer:?}");
}

/// What a server says about its model is asked for once.
#[tokio::test]
async fn what_a_model_can_do_is_remembered() {
    let replies = vec![reply("404 Not", "{}"), completion("one"), completion("two")];
    let server = Script::start(|_| replies).await;
    let models = models(provider(Openai, &server.base, None), "127.0.0.1");
    for _ in 0..2 {
        models.ask(with_tool(), &DeltaCollector::default()).await.expect("an answer");
    }
    let paths: Vec<String> =
        server.asked().iter().map(|one| one.split(' ').nth(1).unwrap_or_default().into()).collect();
    assert_eq!(paths, ["/props", "/v1/chat/completions", "/v1/chat/completions"]);
}

#[tokio::test]
async fn a_picture_that_a_text_model_would_drop_is_told_before_it_is_asked() {
    let mut request = question(false);
    let from = ImageSource::File("a.png".into());
    request.messages[0].parts.push(Part::Image { mime: "image/png".into(), base64: "QUJD".into(), from });
    let props = json_reply(&json!({ "modalities": { "vision": false } }).to_string());
    let (failed, _, sent) = asked(Openai, vec![props], request).await;
    assert_eq!((failed.expect_err("blind").fault, sent.len()), (LlmFault::NoImages, 1));
}

/// Compressed bytes are neither the answer nor the words of an error.
#[tokio::test]
async fn an_answer_that_is_compressed_unasked_says_so() {
    for (head, fault) in [("200 OK", LlmFault::BadAnswer), ("401 Unauthorized", LlmFault::Auth)] {
        let packed = reply(&format!("{head}\r\nContent-Type: application/json\r\nContent-Encoding: gzip"), "packed");
        let (failed, _, sent) = asked(Openai, vec![packed], question(false)).await;
        let failure = failed.expect_err(head);
        assert_eq!((failure.fault, sent.len()), (fault, 1));
        assert!(!failure.message.contains("packed"), "{}", failure.message);
        assert_eq!(
            failure.message.contains("Content-Encoding: gzip"),
            fault == LlmFault::BadAnswer,
            "{}",
            failure.message
        );
    }
}
