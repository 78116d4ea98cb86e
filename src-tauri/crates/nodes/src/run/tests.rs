use super::without_secrets;
use serde_json::json;
use signalbox_engine::effect::CallOutput;
use signalbox_model::NodeFailure;
use signalbox_ports::{Scrubber, Secret};
use std::sync::Arc;

/// A service that sends a key back in a field that the step writes.
#[test]
fn ts_166_what_a_step_writes_itself_holds_no_secret() {
    let scrubber = Scrubber::default();
    scrubber.add("home", None, &Secret::new("k-canary-77".to_owned()));
    let mut output = CallOutput::success(json!({ "echo": "k-canary-77" }));
    output.writes.insert("echo".into(), json!(["it is k-canary-77"]));
    let told = format!("{:?}", without_secrets(Ok(output), &scrubber).expect("an output"));
    assert!(!told.contains("k-canary-77") && told.contains("[secret:home]"), "{told}");
}

/// A document of the question holds a key, and a person is asked before a call.
#[test]
fn ts_166_a_conversation_that_waits_holds_no_secret() {
    let scrubber = Scrubber::default();
    scrubber.add("home", None, &Secret::new("k-canary-77".to_owned()));
    let mut failure = NodeFailure::tool("TOOL_APPROVAL", "The model wants to call 'send'");
    let used = json!({ "use": "t1", "name": "send", "input": { "text": "k-canary-77" } });
    failure.held = Some(Arc::new(json!({
        "system": "Document app.env:\nKEY=k-canary-77", "messages": [{ "model": true, "parts": [used] }],
    })));
    let told = format!("{:?}", without_secrets(Err(failure), &scrubber).expect_err("it waits").held);
    assert!(!told.contains("k-canary-77") && told.matches("[secret:home]").count() == 2, "{told}");
}
