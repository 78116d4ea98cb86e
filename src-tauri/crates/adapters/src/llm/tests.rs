use super::base;
use super::protocol::below;
use super::providers::of;
use ProviderKind::{Anthropic, Ollama, Openai};
use serde_json::{Value, json};
use signalbox_ports::llm::{
    AnswerForm, ImageSource, LlmRequest, Message, Part, ProviderChoice, ProviderKind, Role, ToolOffer, ToolResult,
    ToolUse,
};
use std::time::Duration;

fn url(kind: ProviderKind, given: &str) -> String {
    of(kind).url(&base(given).expect(given)).to_string()
}

fn body_at(kind: ProviderKind, request: &LlmRequest, given: &str) -> Value {
    of(kind).body(request, &base(given).expect(given))
}

fn body_of(kind: ProviderKind, request: &LlmRequest) -> Value {
    body_at(kind, request, "http://127.0.0.1:1")
}

fn question() -> LlmRequest {
    let tool = ToolUse { id: "t1".into(), name: "find".into(), input: json!({ "q": "a" }) };
    let result = ToolResult { tool_use_id: "t1".into(), content: "none".into(), is_error: true };
    let thought = Part::Thinking { text: "hm".into(), signature: Some("sig".into()) };
    let hidden = Part::Thinking { text: String::new(), signature: Some("redacted:xyz".into()) };
    let foreign = Part::Thinking { text: "other".into(), signature: None };
    let image =
        Part::Image { mime: "image/png".into(), base64: "QUJD".into(), from: ImageSource::File("a.png".into()) };
    LlmRequest {
        provider: ProviderChoice::Named("p".into()),
        model: "m".into(),
        system: Some("Be brief.".into()),
        messages: vec![
            Message { role: Role::User, parts: vec![Part::Text("What is this?".into()), image] },
            Message { role: Role::Assistant, parts: vec![thought, hidden, foreign, Part::ToolUse(tool)] },
            Message { role: Role::User, parts: vec![Part::ToolResult(result), Part::Text("Go on".into())] },
            Message { role: Role::User, parts: vec![Part::Text(String::new())] },
        ],
        tools: vec![ToolOffer {
            name: "find".into(),
            description: "Finds".into(),
            schema: json!({ "type": "object" }),
        }],
        form: None,
        temperature: Some(0.5),
        max_tokens: 100,
        thinking_budget: None,
        stream: true,
        loopback_allowed: true,
        timeout: Duration::from_secs(5),
        budget: None,
    }
}

#[test]
fn addresses_are_found_below_what_a_person_writes() {
    for (given, want) in [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
        ("https://gate.example/anthropic?x=1", "https://gate.example/anthropic/v1/messages"),
    ] {
        assert_eq!(url(Anthropic, given), want);
    }
    for (given, want) in [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("https://gate.example/api/v3/", "https://gate.example/api/v3/chat/completions"),
    ] {
        assert_eq!(url(Openai, given), want);
    }
    for given in ["http://127.0.0.1:11434", "http://127.0.0.1:11434/api", "http://127.0.0.1:11434/api/"] {
        assert_eq!(url(Ollama, given), "http://127.0.0.1:11434/api/chat");
    }
    assert_eq!(below(&base("http://a.example/v1").expect("url"), "/v1", "/x").path(), "/v1/x");
    assert!(base("file:///etc/passwd").is_err());
    assert!(base("no address").is_err());
}

#[test]
fn a_question_in_the_words_of_each_kind() {
    let request = question();
    let told = body_of(Anthropic, &request);
    assert_eq!(
        told["messages"],
        json!([
            { "role": "user", "content": [
                { "type": "text", "text": "What is this?" },
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "QUJD" } },
            ] },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "hm", "signature": "sig" },
                { "type": "redacted_thinking", "data": "xyz" },
                { "type": "tool_use", "id": "t1", "name": "find", "input": { "q": "a" } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "t1", "content": "none", "is_error": true },
                { "type": "text", "text": "Go on" },
            ] },
        ])
    );
    assert_eq!(
        (&told["system"], &told["temperature"], &told["max_tokens"]),
        (&json!("Be brief."), &json!(0.5), &json!(100))
    );

    let told = body_at(Openai, &request, "http://127.0.0.1:1234/v1");
    assert_eq!(
        told["messages"],
        json!([
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": [
                { "type": "text", "text": "What is this?" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,QUJD" } },
            ] },
            { "role": "assistant", "content": "", "tool_calls": [
                { "id": "t1", "type": "function", "function": { "name": "find", "arguments": "{\"q\":\"a\"}" } },
            ] },
            { "role": "tool", "tool_call_id": "t1", "content": "Error: none" },
            { "role": "user", "content": "Go on" },
        ])
    );
    assert_eq!(told["max_tokens"], 100);
    let own = body_at(Openai, &request, "https://api.openai.com/v1");
    assert_eq!((own.get("max_tokens"), &own["max_completion_tokens"]), (None, &json!(100)));

    let told = body_of(Ollama, &request);
    assert_eq!(told["messages"][1]["images"], json!(["QUJD"]));
    assert_eq!(told["messages"][2]["tool_calls"][0]["function"]["arguments"], json!({ "q": "a" }));
    assert_eq!(told["messages"][3], json!({ "role": "tool", "tool_name": "find", "content": "Error: none" }));
    assert_eq!(told["options"], json!({ "num_predict": 100, "temperature": 0.5 }));
}

#[test]
fn a_form_in_the_words_of_each_kind() {
    let open = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let closed = json!({
        "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"], "additionalProperties": false,
    });
    let mut request = question();
    request.form = Some(AnswerForm::JsonSchema(open.clone()));
    assert_eq!(
        body_of(Anthropic, &request)["output_config"]["format"],
        json!({ "type": "json_schema", "schema": open })
    );
    let strict =
        |request: &LlmRequest| body_of(Openai, request)["response_format"]["json_schema"].get("strict").cloned();
    assert_eq!(strict(&request), None);
    assert_eq!(body_of(Ollama, &request)["format"], open);
    request.form = Some(AnswerForm::JsonSchema(closed.clone()));
    assert_eq!(strict(&request), Some(json!(true)));

    // An endpoint without forms is asked with a tool that is the form: only when there are no other tools.
    let mut body = body_of(Anthropic, &request);
    assert!(of(Anthropic).relax(&mut body, &request, "output_config: extra inputs are not permitted"));
    assert_eq!((body.get("output_config"), body.get("tool_choice")), (None, None));
    request.tools.clear();
    let mut body = body_of(Anthropic, &request);
    assert!(of(Anthropic).relax(&mut body, &request, "output_config: extra inputs are not permitted"));
    assert_eq!(body["tools"][0]["input_schema"], closed);
    assert_eq!(body["tool_choice"], json!({ "type": "tool", "name": "answer" }));
    assert!(!of(Anthropic).relax(&mut body, &request, "output_config: extra inputs are not permitted"), "only once");

    request.form = Some(AnswerForm::JsonObject);
    assert_eq!(body_of(Openai, &request)["response_format"], json!({ "type": "json_object" }));
    assert_eq!(body_of(Ollama, &request)["format"], "json");
    assert_eq!(body_of(Anthropic, &request)["tool_choice"]["name"], "answer");
}

#[test]
fn thoughts_leave_room_for_words() {
    let mut request = question();
    request.thinking_budget = Some(10);
    let mut body = body_of(Anthropic, &request);
    assert_eq!(body["thinking"], json!({ "type": "enabled", "budget_tokens": 1024 }));
    assert_eq!((&body["max_tokens"], body.get("temperature")), (&json!(1124), None));
    assert!(of(Anthropic).relax(&mut body, &request, "use thinking.type.adaptive instead"));
    assert_eq!(body["thinking"], json!({ "type": "adaptive" }));
    assert!(!of(Anthropic).relax(&mut body, &request, "use thinking.type.adaptive instead"));
    let mut body = body_of(Ollama, &request);
    assert_eq!(body["think"], true);
    assert!(of(Ollama).relax(&mut body, &request, "\"m\" does not support thinking"));
    assert_eq!(body.get("think"), None);
    let mut body = body_at(Openai, &request, "http://127.0.0.1:1");
    assert_eq!(body["reasoning_effort"], "low");
    assert!(of(Openai).relax(
        &mut body,
        &request,
        "unsupported parameter: 'max_tokens'. use 'max_completion_tokens' instead"
    ));
    assert_eq!((body.get("max_tokens"), &body["max_completion_tokens"]), (None, &json!(100)));
    assert!(of(Openai).relax(&mut body, &request, "unknown field stream_options"));
    assert!(!of(Openai).relax(&mut body, &request, "unknown field stream_options"));
}
