use super::RunMasks;
use serde_json::{Value, json};
use signalbox_model::data::as_text;
use signalbox_model::{RunEvent, Workflow};
use std::sync::Arc;

fn masked(events: &[(&str, Value)]) -> Vec<Value> {
    masked_with(&[], events)
}

/// `redact`: what a step of the workflow says is to be hidden.
fn masked_with(redact: &[&str], events: &[(&str, Value)]) -> Vec<Value> {
    let step = json!({ "type": "builtin.human_decision", "config": { "redact": redact } });
    let mut workflow = Workflow::empty("pays", "Pays");
    workflow.nodes.insert("ask".into(), serde_json::from_value(step).expect("a step"));
    let mut masks = RunMasks::new(&[Arc::new(workflow)]);
    let event = |(at, (kind, payload)): (usize, &(&str, Value))| -> RunEvent {
        let event = json!({
            "runId": "run_1", "seq": at + 1, "ts": "2026-01-01T00:00:00.000Z", "type": kind, "stepId": "call",
            "payload": payload,
        });
        serde_json::from_value(event).expect("an event")
    };
    let events: Vec<RunEvent> = events.iter().enumerate().map(event).collect();
    events.iter().for_each(|event| masks.learn(event));
    events.iter().map(|event| masks.event(event)["payload"].take()).collect()
}

/// ADR 43: what stands under a telling name is hidden wherever the same data is told again: cut, short, or escaped.
#[test]
fn what_a_tool_is_given_and_answers_is_hidden_in_every_form() {
    let long = format!("correct horse {}", "battery staple ".repeat(12));
    let input = json!({ "user": "ada", "password": long });
    let output = json!({ "cvv": "123", "password": "p\u{e4}ss\"w\u{f6}rt" });
    let text = r#"{"cvv":"123","password":"p\u00e4ss\"w\u00f6rt"}"#;
    let answer = json!({ "status": "ok", "result": output, "content": [{ "type": "text", "text": text }] });
    let shown = masked(&[
        (
            "tool_start",
            json!({ "name": "pay", "input": input, "inputSummary": input.to_string()[..160], "tool_use_id": null }),
        ),
        ("tool_message", json!({ "name": "pay", "level": "info", "message": format!("log: {text}"), "data": output })),
        ("tool_message", json!({ "name": "pay", "level": "info", "message": text, "data": output })),
        (
            "tool_done",
            json!({ "name": "pay", "output": output, "outputSummary": output.to_string(), "toolResult": answer }),
        ),
        ("tool_error", {
            let error = json!({
                "type": "ToolError", "message": "no", "retryable": false, "originNode": "call",
                "timestamp": "2026-01-01T00:00:00.000Z",
            });
            json!({ "name": "pay", "error": error, "allowError": false, "output": null, "toolResult": answer })
        }),
    ]);
    let told = json!(shown).to_string();
    for part in ["correct", "horse", "\"123\"", "123\\\"", "00e4", "\u{e4}ss", "w\u{f6}rt"] {
        assert!(!told.contains(part), "{part}: {told}");
    }
    assert_eq!(shown[0]["input"]["user"], "ada", "the rest can be read");
    assert_eq!(shown[3]["toolResult"]["status"], "ok");
    let text = shown[3]["toolResult"]["content"][0]["text"].as_str().expect("a text");
    let text: Value = serde_json::from_str(text).expect("still JSON");
    assert_eq!(text, shown[3]["output"]);
}

#[test]
fn words_of_a_tool_that_are_no_data_can_be_read() {
    let shown = masked(&[(
        "tool_message",
        json!({ "name": "pay", "level": "progress", "message": "half of it", "data": { "progress": 1, "total": 2 } }),
    )]);
    assert_eq!(shown[0]["message"], "half of it");
}

/// ADR 52: what a model proposed is hidden by its places, also when it was refused and nothing was learned of it.
#[test]
fn a_refused_repair_tells_no_hidden_field() {
    let tried = json!({
        "model": "mender", "accepted": false, "delta": 2,
        "patch": [
            { "op": "replace", "path": "/salary", "value": 50000 },
            { "op": "replace", "path": "/num", "value": "x" },
        ],
        "violations": ["/salary: 50000 is not right"], "changes": [],
        "asked": { "number": 1, "of": 2, "tokens": 120, "answer": "{\"salary\": 50000}" },
    });
    let shown = masked_with(&["/salary"], &[("auto_fix_attempt", tried)]);
    assert!(!shown[0].to_string().contains("50000"), "{}", shown[0]);
    assert_eq!(shown[0]["patch"][1]["value"], "x", "the rest can be read");
}

/// A table that is text is masked row by row, to the same result as its values, and nobody makes values of all of it.
#[test]
fn long_data_is_masked_as_text() {
    let row = |n: usize| {
        json!({
            "id": n, "password": format!("hunter{n:04}"), "api_token": [n], "mail": format!("ask ada{n}@example.org"),
            "card": format!("private {n}"), "schema": { "password": "the word" }, "none": null,
        })
    };
    let table: Value = (0..300).map(row).collect();
    let data = json!({ "rows": table, "schema": { "secret": "a name" }, "secret": "one text ".repeat(2_000), "n": 7 });
    let done = json!({
        "outputs": null, "ports": { "success": 2 },
        "items": { "success": [{ "id": "1", "data": data }, { "id": "2", "data": "hunter0007 again" }] },
    });
    let event = json!({
        "runId": "run_1", "seq": 1, "ts": "2026-01-01T00:00:00.000Z", "type": "step_done", "stepId": "call", "payload": done,
    })
    .to_string();
    let step = json!({ "type": "builtin.human_decision", "config": { "redact": ["/rows/3/card", "/rows/3/id"] } });
    let mut workflow = Workflow::empty("pays", "Pays");
    workflow.nodes.insert("ask".into(), serde_json::from_value(step).expect("a step"));
    let shown = |event: &RunEvent| {
        let mut masks = RunMasks::new(&[Arc::new(workflow.clone())]);
        masks.learn(event);
        masks.masks.remember();
        (masks.event(event), masks.event_with_texts(event).texts.len())
    };
    let (of_values, none) = shown(&serde_json::from_str(&event).expect("an event"));
    let (of_text, texts) = shown(&as_text(|| serde_json::from_str(&event).expect("an event")));
    assert!(of_values == of_text, "both hide the same");
    assert!(none == 0 && texts > 0, "{none} and {texts}");
    let items = &of_text["payload"]["items"]["success"];
    assert!(items[0]["data"]["rows"][3]["card"] != "private 3" && items[0]["data"]["rows"][4]["card"] == "private 4");
    assert!(!of_text.to_string().contains("hunter"), "{}", items[1]);
}
