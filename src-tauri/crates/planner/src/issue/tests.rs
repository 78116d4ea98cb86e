use super::*;
use serde_json::json;

fn error(error_type: &str, code: &str, message: &str, details: Value) -> ErrorPayload {
    let mut all = json!({ "code": code });
    for (name, value) in details.as_object().into_iter().flatten() {
        all[name] = value.clone();
    }
    serde_json::from_value(json!({
        "type": error_type, "message": message, "retryable": false, "originNode": "fetch",
        "timestamp": "2026-01-01T00:00:00.000Z", "details": all,
    }))
    .expect("a payload")
}

#[test]
fn ts_139_credentials_limits_and_the_network_are_fatal() {
    for (error_type, code, details) in [
        ("ToolError", "AUTH", json!({ "status": 401 })),
        ("ToolError", "RATE_LIMIT", json!({ "status": 429 })),
        ("NetworkError", "CONNECTION", json!({})),
        ("NetworkError", "SERVICE_UNAVAILABLE", json!({ "status": 503 })),
        ("ToolError", "HTTP_STATUS", json!({ "status": 404 })),
        ("Timeout", "TIMEOUT", json!({})),
        ("ValidationError", "NON_JSON", json!({ "status": 200 })),
        ("ToolError", "TOOL_NOT_APPROVED", json!({})),
    ] {
        let issue = issue_of_error("fetch", &error(error_type, code, "No.", details));
        assert!(!issue.fixable, "{code}");
        assert_eq!(route(&[issue], 0, 3), Route::FailedRuntime, "{code}");
    }
}

#[test]
fn ts_142_a_refused_argument_is_fixable() {
    for (error_type, code, message, details) in [
        ("ValidationError", "INPUT_INVALID", "'to' must be a list", json!({})),
        ("ToolError", "HTTP_STATUS", "The address answered 422", json!({ "status": 422 })),
        ("ValidationError", "MISSING_FIELD", "`item.nme` does not exist.", json!({ "available": ["name"] })),
    ] {
        let issue = issue_of_error("fetch", &error(error_type, code, message, details));
        assert!(issue.fixable, "{code}");
        assert_eq!(route(&[issue], 2, 3), Route::RuntimeFix, "{code}");
    }
}

/// T-15: the type of an error decides, in whatever language a tool speaks.
#[test]
fn words_of_a_tool_decide_nothing() {
    for words in ["Input should be a valid list", "'to' is required", "The disk is gone", "应为列表", ""] {
        let failed = issue_of_error("send", &error("ToolError", "TOOL_FAILED", words, json!({})));
        assert_eq!((failed.fixable, failed.category), (false, Category::Service), "{words}");
        let refused = issue_of_error("send", &error("ValidationError", "INPUT_INVALID", words, json!({})));
        assert_eq!((refused.fixable, refused.category), (true, Category::Arguments), "{words}");
    }
}

#[test]
fn an_error_that_a_tool_step_passes_on_is_classed_as_if_it_had_failed() {
    let passed = |kind: &str, code: &str| json!({ "ok": false, "tool": "send", "error": { "type": kind, "message": "no", "details": { "code": code } } });
    let found = issue_of_result("send", &passed("ValidationError", "INPUT_INVALID")).expect("an error");
    assert_eq!((found.fixable, found.category), (true, Category::Arguments));
    let found = issue_of_result("send", &passed("ToolError", "TOOL_FAILED")).expect("an error");
    assert_eq!((found.fixable, found.category), (false, Category::Service));
    for none in [json!({ "ok": true, "tool": "send" }), json!({ "ok": false, "error": "channel_not_found" }), json!(1)]
    {
        assert_eq!(issue_of_result("send", &none), None, "{none}");
    }
}

fn holds(cases: &[(Value, Option<&str>)]) {
    for (value, found) in cases {
        assert_eq!(body_error(value).as_deref(), *found, "{value}");
    }
}

#[test]
fn ts_140_an_error_inside_a_good_answer_is_found() {
    let slack = json!({ "successful": true, "data": { "ok": false, "error": "channel_not_found" } });
    holds(&[
        (Value::from(slack.to_string()), Some("channel_not_found")),
        (slack, Some("channel_not_found")),
        (json!({ "errors": [{ "message": "Cannot query field" }] }), Some("Cannot query field")),
        (json!({ "errors": [{ "message": "Cannot query field" }], "data": null }), Some("Cannot query field")),
        (json!({ "error": { "code": 7, "message": "gone" } }), Some("gone")),
        (json!({ "success": false, "message": "no quota" }), Some("no quota")),
    ]);
}

#[test]
fn ts_141_an_error_that_is_null_or_a_field_of_the_data_is_none() {
    holds(&[
        (json!({ "error": null, "successful": true, "data": { "id": 1 } }), None),
        (json!({ "error": "", "ok": true }), None),
        (json!({ "name": "Ada", "error": "a field of the data" }), None),
        (json!([{ "ok": false }]), None),
        (json!("plain"), None),
    ]);
}

#[test]
fn k_47_a_fatal_issue_stops_its_own_step_only() {
    let fix = |step: &str| Issue::new(step, Category::MissingPath, "BAD_PATH", "x", true);
    let fatal = |step: &str| Issue::new(step, Category::Service, "AUTH", "x", false);
    assert_eq!(route(&[fix("a"), fatal("a")], 0, 3), Route::FailedRuntime);
    assert_eq!(route(&[fix("a"), fatal("b")], 0, 3), Route::RuntimeFix);
    assert_eq!(route(&[fix("a"), fatal("b")], 3, 3), Route::FailedRuntime);
    assert_eq!(route(&[], 3, 3), Route::Default);
}

#[test]
fn ts_136_a_signature_is_the_same_for_the_same_trouble() {
    let mut one = Issue::new("a", Category::MissingPath, "BAD_PATH", "Field 1", true);
    one.attempted = vec!["$.x".into(), "$.y".into()];
    let mut other = one.clone();
    other.attempted.reverse();
    other.message = "other words".into();
    assert_eq!(signature(&[one.clone()]), signature(&[other]));
    let mut third = one.clone();
    third.attempted = vec!["$.z".into()];
    assert_ne!(signature(&[one]), signature(&[third]));
    let said = |words: &str| signature(&[Issue::new("a", Category::Arguments, "TOOL_FAILED", words, true)]);
    assert_eq!(said("Row 17 must be a list"), said("row 99 must be a list"));
}
