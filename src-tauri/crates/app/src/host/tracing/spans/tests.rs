use super::*;
use serde_json::{Value, json};

/// Events of a run, a second apart.
fn events(list: Value) -> Vec<RunEvent> {
    let list = list.as_array().unwrap().iter().enumerate();
    list.map(|(at, event)| {
        let mut whole = json!({
            "runId": "r", "seq": at + 1, "ts": format!("2026-01-01T00:00:{at:02}.000Z"), "stepId": null
        });
        whole.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        serde_json::from_value(whole).unwrap()
    })
    .collect()
}

fn start() -> Value {
    json!({ "type": "workflow_start", "payload": { "name": "Orders", "version": "v", "params": {}, "seed": "0" } })
}

fn step(kind: &str, attempt: u32) -> Value {
    let input = json!([{ "item": 0, "data": {} }, { "item": 1, "data": {} }]);
    let payload = json!({ "type": kind, "meta": {}, "resolvedInputs": null, "config": {}, "input": input });
    json!({ "type": "step_start", "stepId": "a", "attempt": attempt, "payload": payload })
}

fn done(attempt: u32) -> Value {
    let payload = json!({ "outputs": null, "ports": {}, "items": {} });
    json!({ "type": "step_done", "stepId": "a", "attempt": attempt, "payload": payload })
}

fn failed() -> Value {
    let error = json!({ "type": "NetworkError", "message": "secret words", "retryable": true, "originNode": "a",
        "timestamp": "2026-01-01T00:00:00Z",
        "details": { "code": "CONNECT" } });
    json!({ "type": "step_error", "stepId": "a", "attempt": 0, "payload": { "error": error } })
}

fn end() -> Value {
    json!({ "type": "workflow_done", "payload": { "duration_ms": 1 } })
}

fn all(spans: &mut Spans, list: Value) -> Vec<Span> {
    events(list).iter().flat_map(|event| spans.take(event)).collect()
}

fn attribute<'a>(span: &'a Span, name: &str) -> Option<&'a SpanValue> {
    span.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

#[test]
fn o_01_o_07_a_run_has_a_span_and_below_it_one_for_each_attempt() {
    let told = all(
        &mut Spans::new(|_| None),
        json!([start(), step("http.request", 0), failed(), step("http.request", 1), done(1), end()]),
    );
    let [first, second, run] = &told[..] else { panic!("{told:?}") };
    assert_eq!(
        (first.name.as_str(), second.name.as_str(), run.name.as_str()),
        ("node.execute", "node.execute", "workflow.run")
    );
    for call in [first, second] {
        assert_eq!(call.parent_id.as_deref(), Some(run.span_id.as_str()));
        assert_eq!(call.trace_id, run.trace_id);
        assert_eq!(call.ended_ms - call.began_ms, 1_000);
        assert_eq!(attribute(call, "node.type"), Some(&"http.request".into()));
        assert_eq!(attribute(call, "itemCount"), Some(&2.into()));
    }
    assert_ne!(first.span_id, second.span_id);
    assert_eq!((first.error.as_deref(), second.error.as_deref()), (Some("CONNECT"), None));
    assert_eq!(attribute(first, "status"), Some(&"error".into()));
    assert_eq!(attribute(first, "error.type"), Some(&"CONNECT".into()));
    assert_eq!((run.parent_id.as_deref(), run.ended_ms - run.began_ms), (None, 5_000));
    assert_eq!(run.trace_id, trace_id("r"));
    assert!(!format!("{told:?}").contains("secret words"), "messages of errors stay at home");
}

#[test]
fn o_01_a_run_continues_the_trace_of_its_caller() {
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let caller = TraceContext::parse(parent, Some("vendor=1")).unwrap();
    let given = caller.clone();
    let mut spans = Spans::new(move |_| Some(given.clone()));
    let told = all(&mut spans, json!([start(), step("http.request", 0), done(0), end()]));
    let [call, run] = &told[..] else { panic!("{told:?}") };
    assert_eq!(run.parent_id.as_deref(), Some("00f067aa0ba902b7"));
    for span in [call, run] {
        assert_eq!(span.trace_id, caller.trace_id);
        assert_eq!(span.trace_state.as_deref(), Some("vendor=1"));
    }
    let place = CallPlace { step: "a".into(), path: None, item: None, visit: 1, attempt: 0, is_recovery: false };
    let sent = RunTrace::of("r", Some(caller)).outgoing("r", &place, 0);
    assert_eq!(sent.traceparent(), format!("00-{}-{}-01", call.trace_id, call.span_id));
    assert_eq!(sent.state.as_deref(), Some("vendor=1"));
}

#[test]
fn o_01_spans_of_a_trace_that_its_caller_does_not_record_are_not_sent() {
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    let mut spans = Spans::new(move |_| TraceContext::parse(parent, None));
    assert_eq!(all(&mut spans, json!([start(), step("http.request", 0), done(0), end()])), []);
    assert!(!spans.knows("r"));
}

/// R-61: the tenant is the workspace of the run.
#[test]
fn o_07_spans_name_the_workspace_of_their_run() {
    let mut spans = Spans::new(|_| None).with_workspaces(|run| (run == "r").then(|| "sales".to_owned()));
    let told = all(&mut spans, json!([start(), step("http.request", 0), done(0), end()]));
    assert_eq!(told.len(), 2);
    for span in &told {
        assert_eq!(attribute(span, "tenant.id"), Some(&"sales".into()));
    }
}

#[test]
fn o_07_a_cancelled_run_ends_the_spans_of_its_calls() {
    let cancelled = json!({ "type": "workflow_cancelled", "payload": { "duration_ms": 1 } });
    let told = all(&mut Spans::new(|_| None), json!([start(), step("flow.wait", 0), cancelled]));
    let [call, run] = &told[..] else { panic!("{told:?}") };
    assert_eq!((call.error.as_deref(), run.error.as_deref()), (Some("CANCELLED"), None));
    assert_eq!(attribute(run, "status"), Some(&"cancelled".into()));
}

#[test]
fn o_07_after_a_crash_the_span_of_before_is_ended_and_the_next_one_links_to_it() {
    let before = events(json!([start(), step("http.request", 0)]));
    let mut spans = Spans::new(|_| None);
    spans.replay(&before);
    assert!(spans.knows("r"));
    let interrupted = json!({ "type": "step_interrupted", "stepId": "a", "attempt": 0, "payload": {} });
    let resumed = json!({ "type": "workflow_resumed", "payload": {} });
    let whole = events(json!([
        start(),
        step("http.request", 0),
        resumed,
        interrupted,
        step("http.request", 1),
        done(1),
        end()
    ]));
    let told: Vec<Span> = whole[2..].iter().flat_map(|event| spans.take(event)).collect();
    let [first, cut, call, second] = &told[..] else { panic!("{told:?}") };
    assert_eq!((first.name.as_str(), first.error.as_deref()), ("workflow.run", Some("INTERRUPTED")));
    assert_eq!(first.ended_ms - first.began_ms, 1_000, "it ends with the last that is known of it");
    assert_eq!(cut.error.as_deref(), Some("INTERRUPTED"));
    assert_eq!(second.continues.as_deref(), Some(first.span_id.as_str()));
    assert_eq!(call.parent_id.as_deref(), Some(second.span_id.as_str()));
    assert_eq!(first.trace_id, second.trace_id);
    assert!(!spans.knows("r"));
}

#[test]
fn answers_of_models_and_tools_stand_below_their_call() {
    let tool = |kind: &str, payload: Value| json!({ "type": kind, "stepId": "a", "payload": payload });
    let answer = json!({ "latency_ms": 500, "finish_reason": "stop", "model": "m-1", "thinking_tokens": null,
        "usage": { "input_tokens": 7, "output_tokens": 3, "total_tokens": 10 }, "has_tool_use": true, "provider": "house" });
    let told = all(
        &mut Spans::new(|_| None),
        json!([
            start(),
            step("agent.task", 0),
            tool("tool_start", json!({ "name": "find", "input": {}, "inputSummary": "" })),
            tool("tool_done", json!({ "name": "find", "output": {}, "outputSummary": "", "toolResult": {} })),
            tool("llm_done", answer),
            done(0),
            end()
        ]),
    );
    let [find, chat, call, _] = &told[..] else { panic!("{told:?}") };
    assert_eq!((find.name.as_str(), chat.name.as_str()), ("execute_tool find", "chat m-1"));
    for inner in [find, chat] {
        assert_eq!((inner.parent_id.as_deref(), inner.kind), (Some(call.span_id.as_str()), SpanKind::Client));
    }
    assert_eq!((find.ended_ms - find.began_ms, chat.ended_ms - chat.began_ms), (1_000, 500));
    assert_eq!(attribute(chat, "gen_ai.usage.input_tokens"), Some(&7.into()));
    assert_eq!(attribute(chat, "gen_ai.provider.name"), Some(&"house".into()));
    assert_eq!(attribute(find, "gen_ai.operation.name"), Some(&"execute_tool".into()));
}
