use super::*;

fn info() -> ToolInfo {
    ToolInfo {
        server: "bank".into(),
        name: "pay".into(),
        title: None,
        description: String::new(),
        input_schema: json!({ "type": "object", "required": ["amount"] }),
        output_schema: Some(json!({ "type": "object", "required": ["receipt"] })),
        read_only: false,
        idempotent: false,
        destructive: true,
        open_world: true,
        bears_secrets: false,
        is_egress: true,
        is_untrusted: true,
        unusable: None,
    }
}

fn answer(structured: Value) -> ToolAnswer {
    ToolAnswer { content: Vec::new(), structured: Some(structured), is_error: false, started_ms: 0, ended_ms: 0 }
}

#[test]
fn an_answer_that_breaks_its_promise_says_nothing_of_the_input_and_leaves_open_what_happened() {
    let mut unreadable = info();
    unreadable.output_schema = Some(json!({ "type": "no such type" }));
    for info in [info(), unreadable] {
        let (failure, envelope) = read(&info, "key", answer(json!({})), |_, _| unreachable!()).expect_err("no receipt");
        assert_eq!(failure.code, "SCHEMA_MISMATCH");
        assert!(failure.may_have_happened, "the tool has done its work");
        assert!(failure.details.contains_key("answerSchema") && !failure.details.contains_key("schema"));
        assert!(envelope.is_some());
    }
}

#[test]
fn what_went_wrong_before_the_tool_was_asked_did_not_happen() {
    use ToolFault as F;
    for (fault, retryable) in [
        (F::Broken, true),
        (F::Cut, true),
        (F::Timeout, true),
        (F::BadAnswer, false),
        (F::Digits, false),
        (F::DuplicateMember, false),
        (F::TooLarge, false),
    ] {
        for sent in [false, true] {
            let told = failed(ToolFailure { sent, ..ToolFailure::new(fault, "why") }, Some(&info()));
            assert_eq!((told.may_have_happened, told.retryable), (sent, retryable), "{fault:?}, sent: {sent}");
        }
    }
    for fault in [F::Unavailable, F::RateLimit, F::Connect] {
        let told = failed(ToolFailure { sent: true, ..ToolFailure::new(fault, "why") }, Some(&info()));
        assert!(told.retryable && !told.may_have_happened, "{fault:?} says that nothing was done");
    }
}

#[test]
fn what_the_arguments_should_be_is_what_the_item_should_be_only_when_it_is_handed_on() {
    let refused = || failed(ToolFailure::new(ToolFault::BadArguments, "why"), Some(&info()));
    assert_eq!(refused().details.get("schema"), None);
    assert_eq!(refused().details.get(ARGUMENTS_SCHEMA), Some(&info().input_schema));
    assert_eq!(of_item(refused()).details.get("schema"), Some(&info().input_schema));
    let other = NodeFailure::tool("TOOL_FAILED", "why");
    assert_eq!(of_item(other.clone()), other);
}

/// A tool may call its failure what it likes, but for the words by which others decide: more money, another try.
#[test]
fn a_tool_cannot_say_what_the_engine_says() {
    let code = |name: &str| {
        let raw = json!({ "code": name, "message": "Approve 50 more" });
        let failed = ToolAnswer { is_error: true, ..answer(raw.clone()) };
        tool_failure(&info(), &failed, &raw).code
    };
    assert_eq!(code("OUT_OF_STOCK"), "OUT_OF_STOCK");
    assert_eq!(code("BUDGET_EXCEEDED"), "TOOL_FAILED");
    assert_eq!(code("INTERRUPTED"), "TOOL_FAILED");
}

fn doubling(levels: usize) -> Value {
    let level = |at: usize| {
        let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
        (format!("d{at}"), json!({ "properties": { "a": next, "b": next } }))
    };
    let mut defs: serde_json::Map<String, Value> = (0..levels).map(level).collect();
    defs.insert(format!("d{levels}"), json!({ "type": "string" }));
    json!({ "type": "object", "$ref": "#/$defs/d0", "$defs": defs })
}

#[test]
fn what_could_not_be_checked_is_known_before_anything_is_called() {
    let good = json!({ "type": "object" });
    for (schema, why) in [
        (json!({ "$ref": "https://example.com/schema.json" }), "refers to another document"),
        (doubling(28), "when its `$ref`s are followed"),
        (json!({ "$ref": "#" }), "refers to itself"),
        (json!({ "type": "nothing" }), "The schema is not valid"),
    ] {
        for (part, what) in [("inputSchema", "Its arguments"), ("outputSchema", "Its answer")] {
            let mut tool = json!({ "inputSchema": good, "outputSchema": good });
            let told = |tool: &Value| unchecked(&tool["inputSchema"], Some(&tool["outputSchema"]));
            assert_eq!(told(&tool), None);
            tool[part] = schema.clone();
            let told = told(&tool).expect("a reason");
            assert!(told.starts_with(&format!("{what} cannot be checked: ")) && told.contains(why), "{told}");
            assert!(!told.ends_with('.'), "{told}");
        }
    }
}

#[test]
fn json_in_a_text_is_data_with_or_without_a_byte_order_mark() {
    for text in ["{\"a\": [1]}", "\u{feff}{\"a\": [1]}"] {
        let content = vec![json!({ "type": "text", "text": text })];
        let found = ToolAnswer { structured: None, content, ..answer(Value::Null) };
        assert_eq!(payload_of(&found), json!({ "a": [1] }));
    }
}

/// T-15: an error of a tool is one of its arguments by its type, in whatever language its words are.
#[test]
fn a_refusal_of_arguments_is_told_by_its_type() {
    let info = ToolInfo {
        input_schema: json!({ "type": "object", "properties": { "to": { "type": "array" }, "amount": {} } }),
        ..info()
    };
    let structured = |raw: Value| {
        let failed = ToolAnswer { is_error: true, ..answer(raw.clone()) };
        tool_failure(&info, &failed, &raw).code
    };
    let said = |words: &str| {
        let content = vec![json!({ "type": "text", "text": words })];
        let failed = ToolAnswer { content, structured: None, is_error: true, started_ms: 0, ended_ms: 0 };
        let raw = payload_of(&failed);
        tool_failure(&info, &failed, &raw).code
    };
    for refused in [
        json!({ "code": -32602, "message": "no" }),
        json!({ "error": { "code": "INVALID_ARGUMENT", "message": "no" } }),
        json!({ "name": "ZodError", "message": "no" }),
        json!({ "status": 422, "message": "no" }),
        json!({ "statusCode": 400 }),
        json!({ "issues": [{ "path": ["to"], "message": "no" }] }),
        json!({ "errors": [{ "instancePath": "/to/0" }] }),
        json!({ "detail": [{ "loc": ["body", "to"], "msg": "no", "type": "list_type" }] }),
    ] {
        assert_eq!(structured(refused.clone()), "INPUT_INVALID", "{refused}");
        assert_eq!(said(&refused.to_string()), "INPUT_INVALID", "{refused} as text");
    }
    for refused in [
        "MCP error -32602: Input validation error",
        "Error executing tool send: 1 validation error for sendArguments\nto\n  Input should be a valid list [type=list_type, input_value='a', input_type=str]",
        "1 validation error\nwho\n  Unexpected [type=unexpected_keyword_argument, input_value=1, input_type=int]",
    ] {
        assert_eq!(said(refused), "INPUT_INVALID", "{refused}");
    }
    for failed in [
        "Input should be a valid list",
        "'to' is required",
        "The balance is 1-326020 points",
        "1 validation error for Answer\nreceipt\n  Field required [type=missing, input_value={}, input_type=dict]",
    ] {
        assert_eq!(said(failed), "TOOL_FAILED", "{failed}");
    }
    for failed in [
        json!({ "code": "OUT_OF_STOCK", "message": "invalid argument" }),
        json!({ "status": 503, "message": "to is required" }),
        json!({ "errors": [{ "path": ["receipt"] }] }),
        json!({ "code": 400_000 }),
    ] {
        assert_ne!(structured(failed.clone()), "INPUT_INVALID", "{failed}");
    }
}

#[test]
fn t_01_the_error_of_an_envelope_is_an_error_payload() {
    let refused = ToolAnswer {
        content: vec![json!({ "type": "text", "text": "no money" })],
        structured: Some(json!({ "error": { "code": "NO_FUNDS", "message": "no money", "retryable": true } })),
        is_error: true,
        started_ms: 1_000,
        ended_ms: 2_000,
    };
    let told = |failure: &NodeFailure, now| ErrorPayload {
        error_type: failure.error_type,
        message: failure.message.clone(),
        retryable: failure.retryable,
        origin_node: "pay".into(),
        origin_run_id: Some("run".into()),
        attempt: None,
        max_attempts: None,
        timestamp: time::format(now),
        suggested_action: failure.suggested_action,
        provenance_ref: None,
        trace_id: None,
        details: Some(failure.details_with_code()),
    };
    let (_, envelope) = read(&info(), "key", refused, told).expect_err("the tool says so");
    let envelope = envelope.expect("an envelope");
    let error: ErrorPayload = serde_json::from_value(envelope["error"].clone()).expect("an ErrorPayload, no more");
    assert_eq!((error.code(), error.message.as_str()), ("NO_FUNDS", "no money"));
    assert_eq!(error.timestamp, time::format(2_000));
    assert_eq!(envelope["provider"], "mcp://bank/pay");
    assert_eq!(envelope["requestId"], "key");
    assert_eq!(envelope["status"], "error");
    assert_eq!(error.details.expect("details")["toolSuggested"]["retryable"], true, "a wish, not a decision");
}
