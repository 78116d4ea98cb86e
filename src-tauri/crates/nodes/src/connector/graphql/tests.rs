use super::failure;
use serde_json::{Value, json};
use signalbox_model::connector::OperationEffects;
use signalbox_model::{Connector, NodeFailure, Operation};

fn failed(effects: OperationEffects, status: u16, body: &Value) -> NodeFailure {
    let connector = Connector { title: "Shop".into(), ..Connector::default() };
    let operation = Operation { effects: Some(effects), ..Operation::default() };
    failure(&connector, &operation, (status, true), body).expect("an error")
}

#[test]
fn errors_beside_data_are_one_failure_that_says_so() {
    let body = json!({
        "data": { "viewer": { "login": "ada", "email": null } },
        "errors": [
            { "message": "no email", "path": ["viewer", "email", 0], "extensions": { "code": "ODD" } },
            { "message": "second" },
        ],
    });
    let found = failed(OperationEffects::Read, 200, &body);
    assert_eq!(found.code, "GRAPHQL_ERRORS");
    let words = "Shop answered with an error: no email (at viewer.email.0), and 1 more. The answer has a part of the data, which is not used";
    assert_eq!(found.message, words);
    assert_eq!((&found.details["partialData"], &found.details["serviceCode"]), (&json!(true), &json!("ODD")));
    assert!(!found.retryable && !found.may_have_happened);
    assert!(failed(OperationEffects::Write, 200, &body).may_have_happened);
    let nothing = json!({ "data": { "viewer": null }, "errors": [{ "message": "x" }] });
    assert_eq!(failed(OperationEffects::Read, 200, &nothing).details["partialData"], json!(false));
}

#[test]
fn codes_of_services_become_those_of_steps() {
    for (error, status, code, retryable) in [
        (json!({ "extensions": { "code": "UNAUTHENTICATED" } }), 200, "AUTH", false),
        (json!({ "type": "NOT_FOUND" }), 200, "NOT_FOUND", false),
        (json!({ "type": "RATE_LIMITED" }), 200, "RATE_LIMIT", true),
        (json!({ "extensions": { "code": "THROTTLED" } }), 200, "RATE_LIMIT", true),
        (json!({ "extensions": { "code": "GRAPHQL_VALIDATION_FAILED" } }), 400, "INPUT_INVALID", false),
        (json!({ "extensions": { "code": "INTERNAL_SERVER_ERROR" } }), 200, "SERVICE_UNAVAILABLE", true),
        (json!({ "message": "x" }), 401, "AUTH", false),
        (json!({ "message": "x" }), 503, "SERVICE_UNAVAILABLE", true),
        (json!("plain"), 200, "GRAPHQL_ERRORS", false),
    ] {
        let found = failed(OperationEffects::Write, status, &json!({ "errors": [error] }));
        assert_eq!((found.code.as_str(), found.retryable), (code, retryable), "{error}");
        assert!(!found.may_have_happened, "nothing was carried out without data: {error}");
    }
    let connector = Connector::default();
    for body in [json!({ "data": 1 }), json!({ "errors": [] }), json!({ "errors": "x" }), Value::Null] {
        assert_eq!(failure(&connector, &Operation::default(), (200, true), &body), None, "{body}");
    }
}
