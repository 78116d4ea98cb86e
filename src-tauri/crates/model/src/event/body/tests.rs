use super::{EventBody, Telemetry};
use crate::call_progress::LlmDelta;
use crate::event::{StepPrint, StepSkipped};
use schemars::SchemaGenerator;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// In JSON a report is an event type like any other.
#[test]
fn nested_variants_are_flat_in_json_and_in_the_schema() {
    let schema = SchemaGenerator::default().into_root_schema_for::<EventBody>().to_value();
    let types = schema["oneOf"].as_array().expect("a list").iter();
    let names: BTreeSet<&str> = types.filter_map(|one| one["properties"]["type"]["const"].as_str()).collect();
    assert!(names.contains("step_done") && names.contains("llm_token"), "{names:?}");
    assert!(names.iter().all(|name| *name != "telemetry" && !name.contains(char::is_uppercase)), "{names:?}");
    for (body, text) in [
        (
            EventBody::StepSkipped(StepSkipped { condition: "a > 1".into() }),
            r#"{"type":"step_skipped","payload":{"condition":"a > 1"}}"#,
        ),
        (
            Telemetry::StepPrint(StepPrint { value: Arc::new(json!({ "b": 1, "a": 2.0 })) }).into(),
            r#"{"type":"step_print","payload":{"value":{"b":1,"a":2.0}}}"#,
        ),
        (Telemetry::LlmToken(LlmDelta::new("Hello")).into(), r#"{"type":"llm_token","payload":{"delta":"Hello"}}"#),
    ] {
        assert_eq!(serde_json::to_string(&body).expect("is JSON"), text);
        assert_eq!(serde_json::from_str::<EventBody>(text).expect(text), body);
    }
}

#[test]
fn a_payload_is_read_by_its_type_however_deep_it_is() {
    let value = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let text = format!(r#"{{"value":{value}}}"#);
    let body = EventBody::of_text("step_print", &text).expect("is a payload");
    assert_eq!(serde_json::to_string(&super::Payload(&body)).expect("is JSON"), text);

    let error = EventBody::of_text("step_pint", &text).expect_err("no such type");
    assert!(error.to_string().contains("there is no type of event `step_pint`"), "{error}");
    for (kind, text) in [("step_skipped", "{}"), ("step_skipped", r#"{"condition":"a"} x"#), ("step_print", "")] {
        assert!(EventBody::of_text(kind, text).is_err(), "{text}");
    }
}
