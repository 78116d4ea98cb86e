//! The clients of language models, against a scripted server that speaks the three kinds and breaks off where it is told.

use crate::common;

use async_trait::async_trait;
use common::{Reply, Script, json_reply, reply};
use serde_json::{Value, json};
use signalbox_adapters::{KnownProvider, Models, Providers, WebHttp};
use signalbox_ports::llm::{
    AnswerForm, Delta, DeltaSink, Finish, ImageSource, LlmAnswer, LlmFailure, LlmFault, LlmRequest, Message, Part,
    ProviderChoice, ProviderKind, Role, ToolUse, Usage,
};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{Credential, CredentialKind, Llm as _, Scrubber, Secret, SecretError, Secrets};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ProviderKind::{Anthropic, Ollama, Openai};

const KEY: &str = "sk-canary-0123456789";

struct One(KnownProvider);

impl Providers for One {
    fn provider(&self, name: &str) -> Result<Option<KnownProvider>, String> {
        Ok((self.0.name == name).then(|| self.0.clone()))
    }
    fn default_model(&self) -> Result<Option<(String, String)>, String> {
        Ok(Some((self.0.name.clone(), "usual".into())))
    }
}

/// One secret, for one host.
struct Safe {
    host: String,
    kind: CredentialKind,
    scrubber: Arc<Scrubber>,
}

#[async_trait]
impl Secrets for Safe {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        match name {
            "key" => {
                self.scrubber.add(name, Some(&self.kind), &Secret::new(KEY));
                Ok(Arc::new(Credential {
                    name: name.into(),
                    kind: self.kind.clone(),
                    hosts: vec![AllowedHost::parse(&self.host).expect("a host")],
                    value: Secret::new(KEY),
                    scrubber: Arc::clone(&self.scrubber),
                }))
            }
            "locked" => Err(SecretError::Unavailable { message: "The secrets are locked".into() }),
            _ => Err(SecretError::Missing { message: format!("There is no secret '{name}'") }),
        }
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        Arc::clone(&self.scrubber)
    }
}

pub(crate) fn provider(kind: ProviderKind, base: &str, credential: Option<&str>) -> KnownProvider {
    KnownProvider {
        name: "house".into(),
        kind,
        base_url: base.into(),
        credential: credential.map(str::to_owned),
        here: true,
    }
}

pub(crate) fn models(provider: KnownProvider, host: &str) -> Models {
    let kind = match provider.kind {
        Anthropic => CredentialKind::Header { name: "x-api-key".into() },
        _ => CredentialKind::Bearer,
    };
    let safe = Safe { host: host.into(), kind, scrubber: Arc::default() };
    Models::new(Arc::new(WebHttp::new(&[]).expect("a client")), Arc::new(One(provider)), Arc::new(safe))
}

pub(crate) fn question(stream: bool) -> LlmRequest {
    LlmRequest {
        provider: ProviderChoice::Named("house".into()),
        model: "small".into(),
        system: None,
        messages: vec![Message { role: Role::User, parts: vec![Part::Text("Hi".into())] }],
        tools: Vec::new(),
        form: None,
        temperature: None,
        max_tokens: 50,
        thinking_budget: None,
        stream,
        loopback_allowed: false,
        timeout: Duration::from_secs(20),
        budget: None,
    }
}

#[derive(Default)]
pub(crate) struct DeltaCollector(Mutex<Vec<String>>);

impl DeltaSink for DeltaCollector {
    fn delta(&self, delta: Delta<'_>) {
        let text = match delta {
            Delta::Text(text) => format!("+{text}"),
            Delta::Thinking(text) => format!("~{text}"),
        };
        self.0.lock().expect("not poisoned").push(text);
    }
}

/// A stream without a length: its end is clean wherever it comes.
pub(crate) fn stream(media: &str, body: &str) -> Reply {
    Reply::Bytes(format!("HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nConnection: close\r\n\r\n{body}"))
}

pub(crate) fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

pub(crate) async fn asked(
    kind: ProviderKind,
    replies: Vec<Reply>,
    request: LlmRequest,
) -> (Result<LlmAnswer, LlmFailure>, Vec<String>, Vec<String>) {
    let server = Script::start(|_| replies).await;
    let models = models(provider(kind, &server.base, Some("key")), &format!("127.0.0.1:{}", server.port));
    let collector = DeltaCollector::default();
    let answer = models.ask(request, &collector).await;
    (answer, collector.0.into_inner().expect("not poisoned"), server.asked())
}

pub(crate) async fn fails(kind: ProviderKind, replies: Vec<Reply>, request: LlmRequest) -> LlmFailure {
    asked(kind, replies, request).await.0.expect_err("a failure")
}

pub(crate) fn request_body(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").expect("a body").1).expect("JSON")
}

fn anthropic_stream() -> Vec<Value> {
    vec![
        json!({ "type": "message_start", "message": { "id": "msg_1", "model": "small-2", "usage": {
            "input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "Let me" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "signature_delta", "signature": "c2ln" } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "ping" }),
        json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "Hel" } }),
        json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "lo" } }),
        json!({ "type": "content_block_start", "index": 2, "content_block": {
            "type": "tool_use", "id": "toolu_1", "name": "find", "input": {} } }),
        json!({ "type": "content_block_delta", "index": 2, "delta": { "type": "input_json_delta", "partial_json": "{\"q\": \"a" } }),
        json!({ "type": "content_block_delta", "index": 2, "delta": { "type": "input_json_delta", "partial_json": "b\"}" } }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 33 } }),
        json!({ "type": "message_stop" }),
    ]
}

fn whole_answer() -> LlmAnswer {
    LlmAnswer {
        parts: vec![
            Part::Thinking { text: "Let me".into(), signature: Some("c2ln".into()) },
            Part::Text("Hello".into()),
            Part::ToolUse(ToolUse { id: "toolu_1".into(), name: "find".into(), input: json!({ "q": "ab" }) }),
        ],
        model: "small-2".into(),
        provider: Some("house".into()),
        id: Some("msg_1".into()),
        finish: Finish::ToolUse,
        usage: Usage { input_tokens: 15, output_tokens: 33, thinking_tokens: None, ..Usage::default() },
    }
}

#[tokio::test]
async fn anthropic_streams_words_thoughts_and_tools() {
    let replies = vec![stream("text/event-stream", &events(&anthropic_stream()))];
    let (answer, heard, sent) = asked(Anthropic, replies, question(true)).await;
    assert_eq!(answer.expect("an answer"), whole_answer());
    assert_eq!(heard, ["~Let me", "+Hel", "+lo"]);
    assert!(sent[0].starts_with("POST /v1/messages HTTP/1.1"), "{}", sent[0]);
    assert!(sent[0].contains(&format!("x-api-key: {KEY}")) && sent[0].contains("anthropic-version: 2023-06-01"));
}

#[tokio::test]
async fn anthropic_answers_at_once() {
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "small-2", "stop_reason": "tool_use",
        "content": [
            { "type": "thinking", "thinking": "Let me", "signature": "c2ln" }, { "type": "text", "text": "Hello" },
            { "type": "tool_use", "id": "toolu_1", "name": "find", "input": { "q": "ab" } },
        ],
        "usage": { "input_tokens": 15, "output_tokens": 33 },
    });
    // Also when a stream was asked for: some gateways do not stream.
    for streams in [false, true] {
        for mark in ["", "\u{feff}"] {
            let reply = vec![json_reply(&format!("{mark}{body}"))];
            let (answer, heard, _) = asked(Anthropic, reply, question(streams)).await;
            assert_eq!(answer.expect("an answer"), whole_answer());
            assert_eq!(heard.is_empty(), !streams);
        }
    }
}

#[tokio::test]
async fn anthropic_without_forms_is_asked_with_a_tool() {
    let refusal = json!({ "type": "error", "error": {
        "type": "invalid_request_error", "message": "output_config: Extra inputs are not permitted" } });
    let good = [
        json!({ "type": "message_start", "message": { "id": "m", "model": "small", "usage": {} } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": {
            "type": "tool_use", "id": "t", "name": "answer", "input": {} } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": "{\"a\":1}" } }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        json!({ "type": "message_stop" }),
    ];
    let replies = vec![
        reply("400 Bad Request\r\nContent-Type: application/json", &refusal.to_string()),
        stream("text/event-stream", &events(&good)),
    ];
    let mut request = question(true);
    request.form = Some(AnswerForm::JsonSchema(json!({ "type": "object" })));
    let (answer, heard, sent) = asked(Anthropic, replies, request).await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.parts, [Part::Text("{\"a\":1}".into())]);
    assert_eq!((answer.finish, heard), (Finish::Stop, vec!["+{\"a\":1}".to_owned()]));
    assert!(request_body(&sent[0]).get("output_config").is_some());
    assert_eq!(request_body(&sent[1])["tool_choice"]["name"], "answer");
}

pub(crate) fn chunk(delta: Value, finish: Option<&str>) -> Value {
    json!({ "id": "c1", "model": "small-2", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

#[tokio::test]
async fn openai_streams_words_thoughts_and_tools() {
    let call = |index: u64, rest: Value| {
        let mut call = json!({ "index": index });
        call.as_object_mut().expect("object").extend(rest.as_object().expect("object").clone());
        chunk(json!({ "tool_calls": [call] }), None)
    };
    let mut body = events(&[
        chunk(json!({ "role": "assistant", "content": "", "reasoning_content": "Let " }), None),
        chunk(json!({ "reasoning": "me" }), None),
        chunk(json!({ "content": "Hel" }), None),
        chunk(json!({ "content": "lo" }), None),
        call(0, json!({ "id": "a", "type": "function", "function": { "name": "find", "arguments": "" } })),
        call(0, json!({ "function": { "arguments": "{\"q\":" } })),
        call(1, json!({ "id": "b", "type": "function", "function": { "name": "list", "arguments": "not json" } })),
        call(0, json!({ "function": { "arguments": "1}" } })),
        chunk(json!({}), Some("stop")),
        json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16,
            "completion_tokens_details": { "reasoning_tokens": 4 } } }),
    ]);
    body.insert_str(0, "\u{feff}: a comment\r\n\r\nevent: x\r\n\r\n");
    body.push_str("data: [DONE]\n\n");
    let (answer, heard, sent) =
        asked(Openai, vec![stream("text/event-stream; charset=utf-8", &body)], question(true)).await;
    let answer = answer.expect("an answer");
    assert_eq!(
        answer.parts,
        [
            Part::Thinking { text: "Let me".into(), signature: None },
            Part::Text("Hello".into()),
            Part::ToolUse(ToolUse { id: "a".into(), name: "find".into(), input: json!({ "q": 1 }) }),
            Part::ToolUse(ToolUse { id: "b".into(), name: "list".into(), input: json!("not json") }),
        ]
    );
    assert_eq!((answer.finish, answer.model.as_str()), (Finish::ToolUse, "small-2"));
    assert_eq!(answer.usage, Usage { input_tokens: 7, output_tokens: 9, thinking_tokens: Some(4), ..Usage::default() });
    assert_eq!(heard, ["~Let ", "~me", "+Hel", "+lo"]);
    assert!(sent[0].starts_with("POST /v1/chat/completions "), "{}", sent[0]);
    assert!(sent[0].contains(&format!("authorization: Bearer {KEY}")));
    assert_eq!(request_body(&sent[0])["stream_options"], json!({ "include_usage": true }));
}

#[tokio::test]
async fn openai_answers_at_once_and_refuses() {
    let body = |message: Value, finish: &str| {
        let whole = json!({ "id": "c1", "choices": [{ "message": message, "finish_reason": finish }] });
        vec![json_reply(&whole.to_string())]
    };
    for (message, finish, want) in [
        (json!({ "content": "Hello" }), "stop", Finish::Stop),
        (json!({ "content": "Hel" }), "length", Finish::MaxTokens),
        (json!({ "content": null, "refusal": "I cannot" }), "stop", Finish::Refusal),
        (json!({ "content": "" }), "content_filter", Finish::Refusal),
    ] {
        let (answer, heard, _) = asked(Openai, body(message, finish), question(false)).await;
        let answer = answer.expect("an answer");
        assert_eq!((answer.finish, answer.model.as_str()), (want, "small"), "{answer:?}");
        assert!(heard.is_empty());
    }
}

#[tokio::test]
async fn ollama_streams_lines() {
    let line = |message: Value| json!({ "model": "small:1b", "message": message, "done": false });
    let lines = [
        line(json!({ "role": "assistant", "thinking": "Hm" })),
        line(json!({ "role": "assistant", "content": "Hello" })),
        line(
            json!({ "role": "assistant", "content": "", "tool_calls": [{ "function": { "name": "find", "arguments": { "q": 1 } } }] }),
        ),
        json!({ "model": "small:1b", "message": { "content": "" }, "done": true, "done_reason": "stop",
            "prompt_eval_count": 3, "eval_count": 4 }),
    ];
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (answer, heard, sent) = asked(Ollama, vec![stream("application/x-ndjson", &body)], question(true)).await;
    let answer = answer.expect("an answer");
    assert_eq!(
        answer.parts[2],
        Part::ToolUse(ToolUse { id: "call_0".into(), name: "find".into(), input: json!({ "q": 1 }) })
    );
    assert_eq!((answer.finish, answer.usage.output_tokens), (Finish::ToolUse, 4));
    assert_eq!(heard, ["~Hm", "+Hello"]);
    assert!(sent[0].starts_with("POST /api/chat "));
    // The last line may lack its end, and the whole may come at once.
    let one = json!({ "model": "m", "message": { "content": "x" }, "done": true, "done_reason": "length" }).to_string();
    for (streams, media) in [(true, "application/x-ndjson"), (false, "application/json")] {
        let (answer, ..) = asked(Ollama, vec![stream(media, &one)], question(streams)).await;
        assert_eq!(answer.expect("an answer").finish, Finish::MaxTokens);
    }
}

/// Case js-big-ids: an id that a model writes for a tool is the one that the tool gets, whether the arguments come as text or as an
/// object, in pieces or at once. What no value holds keeps its digits as a text.
#[tokio::test]
async fn numbers_in_the_arguments_of_a_tool_keep_their_digits() {
    let given = r#"{"id":9007199254740993,"order":18446744073709551615,"price":0.1,"long":12345678901234567890123}"#;
    let as_text = Value::String(given.to_owned()).to_string();
    let of_openai = |arguments: &str| {
        format!(
            r#"{{"id":"c","choices":[{{"message":{{"content":null,"tool_calls":[{{"id":"a","type":"function","function":{{"name":"find","arguments":{arguments}}}}}]}},"finish_reason":"tool_calls"}}]}}"#
        )
    };
    let of_anthropic = format!(
        r#"{{"id":"m","type":"message","role":"assistant","model":"small","stop_reason":"tool_use","content":[{{"type":"tool_use","id":"a","name":"find","input":{given}}}],"usage":{{}}}}"#
    );
    let of_ollama = format!(
        r#"{{"model":"small","message":{{"content":"","tool_calls":[{{"function":{{"name":"find","arguments":{given}}}}}]}},"done":true,"done_reason":"stop"}}"#
    );
    for (kind, reply) in [
        (Openai, json_reply(&of_openai(&as_text))),
        (Openai, json_reply(&of_openai(given))),
        (Anthropic, json_reply(&of_anthropic)),
        (Ollama, json_reply(&of_ollama)),
        (Ollama, stream("application/x-ndjson", &of_ollama)),
    ] {
        let (answer, ..) = asked(kind, vec![reply], question(false)).await;
        let parts = answer.expect("an answer").parts;
        let Some(Part::ToolUse(tool)) = parts.last() else { panic!("no tool: {parts:?}") };
        let written = match &tool.input {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        for digits in ["9007199254740993", "18446744073709551615", "0.1", "12345678901234567890123"] {
            assert!(written.contains(digits), "{digits} in {written}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_ends_without_a_reason_is_cut_off() {
    let anthropic = anthropic_stream();
    let openai = [chunk(json!({ "content": "Hel" }), None), chunk(json!({ "content": "lo" }), None)];
    let ollama = json!({ "model": "m", "message": { "content": "Hel" }, "done": false }).to_string();
    let half = format!("{}data: {{\"choices\":[{{\"delta\":", events(&openai));
    let long = |body: &str| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 100000\r\n\r\n";
        Reply::Bytes(format!("{head}{body}"))
    };
    for (kind, one) in [
        (Anthropic, stream("text/event-stream", &events(&anthropic[..9]))),
        (Anthropic, long(&events(&anthropic[..9]))),
        (Openai, stream("text/event-stream", &events(&openai))),
        (Openai, stream("text/event-stream", &format!("{}data: [DONE]\n\n", events(&openai)))),
        (Openai, stream("text/event-stream", &half)),
        (Openai, long(&half)),
        (Ollama, stream("application/x-ndjson", &format!("{ollama}\n"))),
        (Ollama, stream("application/x-ndjson", &format!("{ollama}\n{}", &ollama[..10]))),
    ] {
        let failure = fails(kind, vec![one], question(true)).await;
        assert_eq!(failure.fault, LlmFault::Connection, "{failure:?}");
        assert!(failure.message.contains("'house'"), "{}", failure.message);
    }
    let failure = fails(Openai, vec![stream("application/json", "{\"choices\": [{")], question(false)).await;
    assert_eq!(failure.fault, LlmFault::Connection);
}

#[tokio::test]
async fn every_status_means_what_the_table_says() {
    let json_of = |kind: &str, message: &str| json!({ "error": { "type": kind, "code": kind, "message": message } });
    let filter = json_of("content_policy_violation", "no");
    let long = json_of("context_length_exceeded", "This model's maximum context length is 10");
    let plain = json_of("invalid_request_error", "temperature: must be below 2");
    let small = json!({ "type": "error", "error": { "type": "invalid_request_error", "message": "prompt is too long: 9 > 8" } });
    for (status, body, want) in [
        (401, &plain, LlmFault::Auth),
        (403, &plain, LlmFault::Auth),
        (429, &plain, LlmFault::RateLimit),
        (529, &plain, LlmFault::RateLimit),
        (500, &plain, LlmFault::Unavailable),
        (503, &plain, LlmFault::Unavailable),
        (408, &plain, LlmFault::Timeout),
        (504, &plain, LlmFault::Timeout),
        (400, &plain, LlmFault::BadRequest),
        (422, &plain, LlmFault::BadRequest),
        (400, &long, LlmFault::ContextLength),
        (400, &small, LlmFault::ContextLength),
        (400, &filter, LlmFault::ContentPolicy),
        (404, &plain, LlmFault::HttpStatus),
        (418, &plain, LlmFault::HttpStatus),
    ] {
        let head = format!("{status} X\r\nContent-Type: application/json");
        let failure = fails(Anthropic, vec![reply(&head, &body.to_string())], question(true)).await;
        assert_eq!((failure.fault, failure.status), (want, Some(status)), "{failure:?}");
        assert!(failure.message.contains(body["error"]["message"].as_str().expect("words")), "{}", failure.message);
    }
    let page = reply("502 Bad Gateway\r\nContent-Type: text/html", "<html><b>nginx</b></html>");
    let failure = fails(Openai, vec![page], question(true)).await;
    assert_eq!(failure.fault, LlmFault::Unavailable);
    assert!(!failure.message.contains("nginx"), "{}", failure.message);
}

#[tokio::test]
async fn the_time_to_wait_is_read_in_every_form() {
    for (header, want) in [
        ("Retry-After: 7", Some(7_000)),
        ("Retry-After: 1.5", Some(1_500)),
        ("Retry-After: 86400", Some(86_400_000)),
        ("retry-after-ms: 250", Some(250)),
        ("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
        ("Retry-After: soon", None),
        ("X-Other: 1", None),
    ] {
        let failure = fails(Openai, vec![reply(&format!("429 Too Many\r\n{header}"), "{}")], question(true)).await;
        assert_eq!((failure.fault, failure.retry_after_ms), (LlmFault::RateLimit, want), "{header}");
        assert_eq!(failure.message.contains("asks to wait"), want.is_some_and(|wait| wait > 0), "{}", failure.message);
    }
}

#[tokio::test]
async fn an_error_in_a_good_answer_is_an_error() {
    let overloaded = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let mut begun = events(&anthropic_stream()[..8]);
    begun.push_str(&format!("event: error\ndata: {overloaded}\n\n"));
    let number = json!({ "error": { "code": 502, "message": "upstream" } }).to_string();
    let auth = json!({ "error": { "type": "authentication_error", "message": "no" } }).to_string();
    for (kind, one, want) in [
        (Anthropic, stream("text/event-stream", &begun), LlmFault::RateLimit),
        (Openai, json_reply(&number), LlmFault::Unavailable),
        (Openai, stream("text/event-stream", &format!("data: {auth}\n\n")), LlmFault::Auth),
        (Ollama, stream("application/x-ndjson", "{\"error\":\"model runner has stopped\"}\n"), LlmFault::Unavailable),
    ] {
        let failure = fails(kind, vec![one], question(true)).await;
        assert_eq!(failure.fault, want, "{failure:?}");
    }
}

#[tokio::test]
async fn what_is_no_answer_says_so() {
    let page = reply("200 OK\r\nContent-Type: text/html", "<!doctype html><title>Hello</title>");
    let long = format!("data: {}\n\n", "x".repeat(9 * 1024 * 1024));
    for (one, words) in [
        (page, "a web page"),
        (json_reply("hello"), "no JSON"),
        (stream("text/event-stream", "data: hello\n\n"), "no JSON"),
        (stream("text/event-stream", &long), "longer than 8 MiB"),
    ] {
        let failure = fails(Openai, vec![one], question(true)).await;
        assert_eq!(failure.fault, LlmFault::BadAnswer, "{failure:?}");
        assert!(failure.message.contains(words), "{}", failure.message);
    }
    for kind in [Anthropic, Openai, Ollama] {
        for (media, body, words) in [
            ("text/html", "<!doctype html><title>Hello</title>", "a web page"),
            ("text/html", "<!doctype html>\n<title>Hello</title>\n", "a web page"),
            ("application/json", "\"hello\"", "no object"),
            ("application/json", "[]", "no object"),
        ] {
            for streams in [true, false] {
                let failure = fails(kind, vec![stream(media, body)], question(streams)).await;
                assert_eq!(failure.fault, LlmFault::BadAnswer, "{kind:?} {streams} {body}: {failure:?}");
                assert!(failure.message.contains(words), "{}", failure.message);
            }
        }
    }
    for kind in [Anthropic, Openai] {
        let failure = fails(kind, vec![json_reply("{}")], question(true)).await;
        assert_eq!(failure.fault, LlmFault::BadAnswer, "{failure:?}");
    }
}

#[tokio::test]
async fn a_key_goes_nowhere_else() {
    // Another host than the secret allows: nothing is sent.
    let server = Script::start(|_| vec![json_reply("{}")]).await;
    let other = models(provider(Openai, &server.base, Some("key")), "api.example.com");
    let failure = other.ask(question(true), &DeltaCollector::default()).await.expect_err("refused");
    assert_eq!(failure.fault, LlmFault::CredentialRefused);
    assert!(server.asked().is_empty());

    // A redirect is not followed.
    let second = Script::start(|_| vec![json_reply("{}")]).await;
    let to = format!("307 Go\r\nLocation: {}/v1/chat/completions", second.base);
    let failure = fails(Openai, vec![reply(&to, "")], question(true)).await;
    assert_eq!(failure.fault, LlmFault::HttpStatus);
    assert!(failure.message.contains("redirects"), "{}", failure.message);
    assert!(second.asked().is_empty());

    // What sends it back does not bring it into a message.
    let echo = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}") } }).to_string();
    let failure = fails(Openai, vec![reply("401 No", &echo)], question(true)).await;
    assert_eq!(failure.fault, LlmFault::Auth);
    assert!(!failure.message.contains(KEY) && failure.message.contains("[secret:key]"), "{}", failure.message);
}

#[tokio::test]
async fn secrets_and_providers_that_are_not_there_say_so() {
    for (secret, want) in [("none", LlmFault::SecretMissing), ("locked", LlmFault::SecretUnavailable)] {
        let models = models(provider(Openai, "http://127.0.0.1:9", Some(secret)), "127.0.0.1");
        assert_eq!(models.ask(question(true), &DeltaCollector::default()).await.expect_err("none").fault, want);
    }
    let models = models(provider(Openai, "http://127.0.0.1:9", None), "127.0.0.1");
    let mut request = question(true);
    request.provider = ProviderChoice::Named("other".into());
    let failure = models.ask(request, &DeltaCollector::default()).await.expect_err("none");
    assert_eq!(failure.fault, LlmFault::NotConfigured);
    assert!(failure.message.contains("Settings, Models"));
}

#[tokio::test]
async fn k_41_the_default_of_the_machine_answers_where_none_is_named() {
    let body = json!({ "choices": [{ "message": { "content": "x" }, "finish_reason": "stop" }] }).to_string();
    for (name, model, want) in [("", "", "usual"), ("house", "", "usual"), ("", "other", "other")] {
        let mut request = question(false);
        (request.provider, request.model) = (ProviderChoice::Named(name.into()), model.into());
        let (answer, _, sent) = asked(Openai, vec![json_reply(&body)], request).await;
        assert_eq!(answer.expect("an answer").model, want);
        assert_eq!(request_body(&sent[0])["model"], want);
    }
    let mut request = question(false);
    (request.provider, request.model) = (ProviderChoice::Named("else".into()), String::new());
    assert_eq!(fails(Openai, vec![json_reply(&body)], request).await.fault, LlmFault::NotConfigured);
}

#[tokio::test]
async fn ssrf_only_a_person_here_names_this_machine() {
    let server =
        Script::start(|_| vec![stream("application/x-ndjson", "{\"message\":{\"content\":\"x\"},\"done\":true}\n")])
            .await;
    let models_of = |here: bool| models(KnownProvider { here, ..provider(Ollama, &server.base, None) }, "127.0.0.1");
    // Registered through a token: public addresses only.
    let failure = models_of(false).ask(question(true), &DeltaCollector::default()).await.expect_err("refused");
    assert_eq!(failure.fault, LlmFault::AddressRefused);
    // Inline: under the loopback rule, and never further.
    let inline = |base: &str, allowed: bool| LlmRequest {
        provider: ProviderChoice::Inline { kind: Ollama, base_url: base.into() },
        loopback_allowed: allowed,
        ..question(true)
    };
    for (base, allowed) in
        [(server.base.as_str(), false), ("http://10.0.0.1", true), ("http://169.254.169.254", true), ("ftp://a", true)]
    {
        let failure =
            models_of(true).ask(inline(base, allowed), &DeltaCollector::default()).await.expect_err("refused");
        assert_eq!(failure.fault, LlmFault::AddressRefused, "{base}");
    }
    let link_local = models(provider(Ollama, "http://169.254.169.254", None), "127.0.0.1");
    assert_eq!(
        link_local.ask(question(true), &DeltaCollector::default()).await.expect_err("refused").fault,
        LlmFault::AddressRefused
    );
    assert!(server.asked().is_empty());
    assert!(models_of(true).ask(inline(&server.base, true), &DeltaCollector::default()).await.is_ok());
    assert!(models_of(true).ask(question(true), &DeltaCollector::default()).await.is_ok());
}

#[tokio::test]
async fn an_answer_of_another_kind_is_no_cut_connection_and_is_not_asked_for_again() {
    let ollama = |done: bool| json!({ "model": "m", "message": { "content": "Hi" }, "done": done }).to_string();
    let lines = format!("{}\n{}\n", ollama(false), ollama(true));
    let sse = |body: &str| stream("text/event-stream", body);
    let openai = events(&[chunk(json!({ "content": "Hi" }), None), chunk(json!({}), Some("stop"))]);
    let anthropic = events(&anthropic_stream());
    let as_events: String = lines.lines().map(|line| format!("data: {line}\n\n")).collect();
    for (kind, body, words) in [
        (
            Anthropic,
            sse(&format!("{openai}data: [DONE]\n\n")),
            "it is written in the format of OpenAI, not of Anthropic",
        ),
        (Anthropic, sse(&as_events), "it is written in the format of Ollama, not of Anthropic"),
        (Openai, sse(&anthropic), "it is written in the format of Anthropic, not of OpenAI"),
        (Ollama, sse(&anthropic), "it is written in the format of Anthropic, not of Ollama"),
        (Ollama, sse(&openai), "it is written in the format of OpenAI, not of Ollama"),
        (Openai, stream("application/json", &ollama(true)), "it is written in the format of Ollama, not of OpenAI"),
        (Openai, stream("application/x-ndjson", &lines), "it is written in the format of Ollama, as lines of JSON"),
        (Openai, sse("data: {\"hello\": 1}\n\n"), "none of it is in the format of OpenAI"),
    ] {
        let failure = fails(kind, vec![body], question(true)).await;
        assert_eq!(failure.fault, LlmFault::BadAnswer, "{failure:?}");
        assert!(failure.message.contains(words), "{}", failure.message);
        assert!(failure.message.contains("Check its kind and its address in Settings, Models"), "{}", failure.message);
    }
}

#[tokio::test]
async fn who_refuses_a_question_without_a_key_is_not_said_to_refuse_the_key() {
    let body = json!({ "error": { "message": "not from here" } }).to_string();
    let refused = || vec![reply("403 Forbidden\r\nContent-Type: application/json", &body)];
    let failure = fails(Ollama, refused(), question(false)).await;
    assert!(failure.message.contains("refused the key (403): not from here"), "{}", failure.message);
    let server = Script::start(|_| refused()).await;
    let keyless = models(provider(Ollama, &server.base, None), "127.0.0.1");
    let failure = keyless.ask(question(false), &DeltaCollector::default()).await.expect_err("a failure");
    assert_eq!(failure.fault, LlmFault::Auth, "{failure:?}");
    assert!(failure.message.contains("refused the question (403): not from here"), "{}", failure.message);
    assert!(failure.message.contains("asked without a key"), "{}", failure.message);
}

#[tokio::test]
async fn nothing_waits_longer_than_the_limit() {
    let mut request = question(true);
    request.timeout = Duration::from_millis(50);
    let failure = fails(Openai, vec![Reply::Silence], request).await;
    assert_eq!(failure.fault, LlmFault::Timeout);
    assert!(failure.message.contains("50 ms"), "{}", failure.message);
    let gone = models(provider(Openai, "http://127.0.0.1:1", None), "127.0.0.1");
    let failure = gone.ask(question(true), &DeltaCollector::default()).await.expect_err("nobody");
    assert_eq!(failure.fault, LlmFault::Connection);
    assert!(failure.message.contains("connection refused"), "{}", failure.message);
}

#[tokio::test]
async fn providers_tell_their_models() {
    let limit = Duration::from_secs(20);
    for (kind, body, path) in [
        (Openai, json!({ "data": [{ "id": "b" }, { "id": "a" }] }), "GET /v1/models "),
        (Anthropic, json!({ "data": [{ "id": "b" }, { "id": "a" }] }), "GET /v1/models?limit=1000 "),
        (Ollama, json!({ "models": [{ "name": "b" }, { "name": "a" }] }), "GET /api/tags "),
    ] {
        let server = Script::start(|_| vec![json_reply(&body.to_string())]).await;
        let one = provider(kind, &server.base, Some("key"));
        let found = models(one.clone(), "127.0.0.1").models(&one, limit).await.expect("a list");
        assert_eq!(found, ["a", "b"]);
        assert!(server.asked()[0].starts_with(path), "{}", server.asked()[0]);
    }
    let server = Script::start(|_| vec![json_reply("{\"hello\":1}")]).await;
    let one = provider(Openai, &server.base, None);
    let failure = models(one.clone(), "127.0.0.1").models(&one, limit).await.expect_err("no list");
    assert_eq!(failure.fault, LlmFault::BadAnswer);
}

#[tokio::test]
async fn tokens_that_nobody_tells_are_estimated_and_never_too_few() {
    let body = json!({ "choices": [{ "message": { "content": "x".repeat(400) }, "finish_reason": "stop" }] });
    let mut request = question(false);
    request.system = Some("y".repeat(1_000));
    let (answer, ..) = asked(Openai, vec![json_reply(&body.to_string())], request.clone()).await;
    let silent = answer.expect("an answer").usage;
    assert!(silent.estimated);
    // A token has some four letters.
    assert!((250..1_000).contains(&silent.input_tokens), "{silent:?}");
    assert!((100..400).contains(&silent.output_tokens), "{silent:?}");

    let mut pictured = request;
    pictured.messages[0].parts.insert(
        0,
        Part::Image { mime: "image/png".into(), base64: "QUJD".into(), from: ImageSource::File("a.png".into()) },
    );
    let (answer, ..) = asked(Openai, vec![json_reply(&body.to_string())], pictured).await;
    assert!(answer.expect("an answer").usage.input_tokens > silent.input_tokens + 1_000);

    let mut told = body;
    told["usage"] = json!({ "prompt_tokens": 7, "completion_tokens": 9 });
    let (answer, ..) = asked(Openai, vec![json_reply(&told.to_string())], question(false)).await;
    assert_eq!(answer.expect("an answer").usage, Usage { input_tokens: 7, output_tokens: 9, ..Usage::default() });
    // What is told is not put in doubt; what is missing is put in.
    told["usage"] = json!({ "prompt_tokens": 7 });
    let (answer, ..) = asked(Openai, vec![json_reply(&told.to_string())], question(false)).await;
    let half = answer.expect("an answer").usage;
    assert_eq!((half.input_tokens, half.estimated), (7, true));
    assert!(half.output_tokens >= 100);
}
