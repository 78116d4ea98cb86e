use super::DurableInput;
use crate::TaskAction;
use crate::debug::DebugRequest;
use crate::task::Answer;
use serde_json::json;
use std::sync::Arc;

fn cases() -> Vec<(DurableInput, &'static str)> {
    let corrected = json!({ "b": 1.0, "a": 18446744073709551615_u64, "type": "cancel" });
    let answer = Answer {
        corrected_input: Some(Arc::new(corrected)),
        operator_id: Some("user:anna".into()),
        ..Answer::by_policy(TaskAction::Correct)
    };
    vec![
        (DurableInput::Cancel { superseded_by: None }, r#"{"type":"cancel"}"#),
        (DurableInput::Cancel { superseded_by: Some("r2".into()) }, r#"{"type":"cancel","supersededBy":"r2"}"#),
        (
            DurableInput::Decision { task_id: "t".into(), answer: answer.clone(), request_id: Some("q".into()) },
            r#"{"type":"decision","taskId":"t","answer":{"action":"correct","correctedInput":{"b":1.0,"a":18446744073709551615,"type":"cancel"},"operatorId":"user:anna"},"requestId":"q"}"#,
        ),
        (
            DurableInput::Decision {
                task_id: "t".into(),
                answer: Answer::by_policy(TaskAction::Retry),
                request_id: None,
            },
            r#"{"type":"decision","taskId":"t","answer":{"action":"retry"}}"#,
        ),
        (
            DurableInput::Hold { task_id: "t".into(), held: true, operator_id: "user:anna".into(), at_ms: 5 },
            r#"{"type":"hold","taskId":"t","held":true,"operatorId":"user:anna","atMs":5}"#,
        ),
        (
            DurableInput::Debug { request: DebugRequest::Pause, operator_id: Some("user:anna".into()) },
            r#"{"type":"debug","request":{"action":"pause"},"operatorId":"user:anna"}"#,
        ),
        (
            DurableInput::Debug {
                request: DebugRequest::Edit {
                    step: "s".into(),
                    path: None,
                    item: Some(2),
                    input: json!({ "z": null, "a": [1] }),
                },
                operator_id: None,
            },
            r#"{"type":"debug","request":{"action":"edit","step":"s","item":2,"input":{"z":null,"a":[1]}}}"#,
        ),
    ]
}

#[test]
fn the_stored_form_is_that_of_earlier_versions() {
    for (input, text) in cases() {
        assert_eq!(serde_json::to_string(&input).expect("is JSON"), text);
        assert_eq!(serde_json::from_str::<DurableInput>(text).expect(text), input);
        // The store checks the text as a value before it reads it.
        let value: serde_json::Value = serde_json::from_str(text).expect(text);
        assert_eq!(serde_json::from_value::<DurableInput>(value).expect(text), input);
    }
}

#[test]
fn what_another_version_wrote_is_not_read() {
    for text in [
        r#"{"type":"of-tomorrow"}"#,
        r#"{"cancel":true}"#,
        r#"{"type":"decision","taskId":"t","answer":1}"#,
        r#"{"type":"hold","taskId":"t","held":true,"atMs":5}"#,
        "2",
        "null",
    ] {
        assert!(serde_json::from_str::<DurableInput>(text).is_err(), "{text}");
    }
    // More fields than are known change nothing.
    let text = r#"{"type":"cancel","reason":"late"}"#;
    let read = serde_json::from_str::<DurableInput>(text).expect(text);
    assert_eq!(read, DurableInput::Cancel { superseded_by: None });
}
