use super::{anthropic, base, below, ollama, openai};
use serde_json::json;
use signalbox_ports::llm::{
    AnswerForm, ImageSource, LlmRequest, Message, Part, ProviderChoice, Role, ToolOffer, ToolResult, ToolUse,
};
use std::time::Duration;

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
        assert_eq!(anthropic::url(&base(given).expect(given)).as_str(), want);
    }
    for (given, want) in [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("https://gate.example/api/v3/", "https://gate.example/api/v3/chat/completions"),
    ] {
        assert_eq!(openai::url(&base(given).expect(given)).as_str(), want);
    }
    for given in ["http://127.0.0.1:11434", "http://127.0.0.1:11434/api", "http://127.0.0.1:11434/api/"] {
        assert_eq!(ollama::url(&base(given).expect(given)).as_str(), "http://127.0.0.1:11434/api/chat");
    }
    assert_eq!(below(&base("http://a.example/v1").expect("url"), "/v1", "/x").path(), "/v1/x");
    assert!(base("file:///etc/passwd").is_err());
    assert!(base("no address").is_err());
}

#[test]
fn a_question_in_the_words_of_each_kind() {
    let request = question();
    let told = anthropic::body(&request);
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

    let told = openai::body(&request, &base("http://127.0.0.1:1234/v1").expect("url"));
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
    let own = openai::body(&request, &base("https://api.openai.com/v1").expect("url"));
    assert_eq!((own.get("max_tokens"), &own["max_completion_tokens"]), (None, &json!(100)));

    let told = ollama::body(&request);
    assert_eq!(told["messages"][1]["images"], json!(["QUJD"]));
    assert_eq!(told["messages"][2]["tool_calls"][0]["function"]["arguments"], json!({ "q": "a" }));
    assert_eq!(told["messages"][3], json!({ "role": "tool", "tool_name": "find", "content": "Error: none" }));
    assert_eq!(told["options"], json!({ "num_predict": 100, "temperature": 0.5 }));
}

#[test]
fn a_form_in_the_words_of_each_kind() {
    let here = base("http://127.0.0.1:1").expect("url");
    let open = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let closed = json!({
        "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"], "additionalProperties": false,
    });
    let mut request = question();
    request.form = Some(AnswerForm::JsonSchema(open.clone()));
    assert_eq!(anthropic::body(&request)["output_config"]["format"], json!({ "type": "json_schema", "schema": open }));
    let strict =
        |request: &LlmRequest| openai::body(request, &here)["response_format"]["json_schema"].get("strict").cloned();
    assert_eq!(strict(&request), None);
    assert_eq!(ollama::body(&request)["format"], open);
    request.form = Some(AnswerForm::JsonSchema(closed.clone()));
    assert_eq!(strict(&request), Some(json!(true)));

    // An endpoint without forms is asked with a tool that is the form: only when there are no other tools.
    let mut body = anthropic::body(&request);
    assert!(anthropic::relaxed(&mut body, &request, "output_config: extra inputs are not permitted"));
    assert_eq!((body.get("output_config"), body.get("tool_choice")), (None, None));
    request.tools.clear();
    let mut body = anthropic::body(&request);
    assert!(anthropic::relaxed(&mut body, &request, "output_config: extra inputs are not permitted"));
    assert_eq!(body["tools"][0]["input_schema"], closed);
    assert_eq!(body["tool_choice"], json!({ "type": "tool", "name": "answer" }));
    assert!(!anthropic::relaxed(&mut body, &request, "output_config: extra inputs are not permitted"), "only once");

    request.form = Some(AnswerForm::JsonObject);
    assert_eq!(openai::body(&request, &here)["response_format"], json!({ "type": "json_object" }));
    assert_eq!(ollama::body(&request)["format"], "json");
    assert_eq!(anthropic::body(&request)["tool_choice"]["name"], "answer");
}

#[test]
fn thoughts_leave_room_for_words() {
    let mut request = question();
    request.thinking_budget = Some(10);
    let mut body = anthropic::body(&request);
    assert_eq!(body["thinking"], json!({ "type": "enabled", "budget_tokens": 1024 }));
    assert_eq!((&body["max_tokens"], body.get("temperature")), (&json!(1124), None));
    assert!(anthropic::relaxed(&mut body, &request, "use thinking.type.adaptive instead"));
    assert_eq!(body["thinking"], json!({ "type": "adaptive" }));
    assert!(!anthropic::relaxed(&mut body, &request, "use thinking.type.adaptive instead"));
    let mut body = ollama::body(&request);
    assert_eq!(body["think"], true);
    assert!(ollama::relaxed(&mut body, "\"m\" does not support thinking"));
    assert_eq!(body.get("think"), None);
    let mut body = openai::body(&request, &base("http://127.0.0.1:1").expect("url"));
    assert_eq!(body["reasoning_effort"], "low");
    assert!(openai::relaxed(&mut body, "unsupported parameter: 'max_tokens'. use 'max_completion_tokens' instead"));
    assert_eq!((body.get("max_tokens"), &body["max_completion_tokens"]), (None, &json!(100)));
    assert!(openai::relaxed(&mut body, "unknown field stream_options"));
    assert!(!openai::relaxed(&mut body, "unknown field stream_options"));
}
