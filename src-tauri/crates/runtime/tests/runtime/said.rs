//! What calls tell while they are under way stands in the log before their result, also after a crash.

use crate::support::{NoAlarm, collect, lines, runtime_of, runtime_on, start, until};
use serde_json::json;
use signalbox_engine::effect::{Call, CallOutput, CallSlot};
use signalbox_model::call_progress::{CallProgress, LlmDelta, LlmError, LlmToolUse, LlmUsage};
use signalbox_model::event::Telemetry;
use signalbox_model::{ErrorType, EventBody, RunStatus};
use signalbox_nodes::{EffectFuture, Kind};
use signalbox_ports::{CallLog, World};
use signalbox_runtime::{Registry, Resumed};
use std::sync::Arc;

fn say(log: &dyn CallLog) {
    for delta in ["a", "b", "c"] {
        log.say(CallProgress::LlmToken(LlmDelta::new(delta)));
    }
    let input = Arc::new(json!({ "q": 1 }));
    log.say(CallProgress::LlmToolUse(LlmToolUse { tool_use_id: "t1".into(), name: "find".into(), input }));
}

fn at_once<'a>(_: &'a Call, _: &'a CallSlot, _: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(async {
        say(log);
        Ok(CallOutput::success(json!({ "said": true })))
    })
}

fn later<'a>(_: &'a Call, _: &'a CallSlot, _: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(async {
        say(log);
        tokio::task::yield_now().await;
        say(log);
        Ok(CallOutput::success(json!({ "said": true })))
    })
}

fn never<'a>(_: &'a Call, _: &'a CallSlot, _: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(async {
        say(log);
        std::future::pending().await
    })
}

/// A step that asks a model: it has paid for answers, and says so when it is dropped.
fn paid<'a>(_: &'a Call, _: &'a CallSlot, _: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    struct Talk<'a>(&'a dyn CallLog);
    impl Drop for Talk<'_> {
        fn drop(&mut self) {
            self.0.say(CallProgress::LlmError(LlmError {
                error: "given up".into(),
                error_type: ErrorType::Timeout,
                code: "TIMEOUT".into(),
                retryable: true,
                latency_ms: 1,
                model: Some("small".into()),
                usage: Some(LlmUsage { input_tokens: 30, output_tokens: 12, total_tokens: 42, ..LlmUsage::default() }),
                thinking_tokens: None,
                provider: Some("home".into()),
                cost_micros: Some(500),
            }));
        }
    }
    Box::pin(async {
        say(log);
        let _talk = Talk(log);
        std::future::pending().await
    })
}

fn of(code: fn(&str) -> Option<Kind>) -> Registry {
    Registry { code, ..Registry::built_in() }
}

fn one() -> serde_json::Value {
    json!({ "nodes": { "tell": { "type": "http.request", "config": { "url": "http://h/" } } } })
}

#[tokio::test]
async fn ts_061_all_that_was_told_comes_before_the_result() {
    let codes: [fn(&str) -> Option<Kind>; 2] = [|_| Some(Kind::Effect(at_once)), |_| Some(Kind::Effect(later))];
    for code in codes {
        let dir = tempfile::tempdir().expect("a folder");
        let runtime = runtime_of(dir.path(), of(code));
        let run = start(&runtime, one()).await;
        assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
        let events = collect(runtime.subscribe(&run, 0).await.expect("known")).await;
        let found = lines(&events);
        assert_eq!(found[..2], ["workflow_start", "step_start tell"]);
        assert_eq!(found[found.len() - 2..], ["step_done tell", "workflow_done"]);
        assert!(found[2..found.len() - 2].iter().all(|line| line.starts_with("llm_")), "{found:?}");
        let text = |body: &EventBody| match body {
            EventBody::Telemetry(Telemetry::LlmToken(piece)) => piece.delta.clone(),
            EventBody::Telemetry(Telemetry::LlmToolUse(asked)) => format!("<{}>", asked.name),
            _ => String::new(),
        };
        let text: String = events.iter().map(|event| text(&event.body)).collect();
        assert!(text == "abc<find>" || text == "abc<find>abc<find>", "{text}");
        assert_eq!((events[2].visit, events[2].attempt), (Some(1), Some(0)), "they repeat the key of their call");
    }
}

#[tokio::test]
async fn a_call_that_is_cut_off_keeps_what_it_told_and_tells_its_own_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime_of(dir.path(), of(|_| Some(Kind::Effect(never))));
    let run = start(&runtime, one()).await;
    let told = |events: usize| {
        let store = runtime.store().clone();
        let run = run.clone();
        move || store.run(&run).is_ok_and(|row| row.last_seq >= events as u64)
    };
    until("what it tells", told(4)).await;
    runtime.shutdown().await;
    drop(runtime);
    let runtime = runtime_of(dir.path(), of(|_| Some(Kind::Effect(at_once))));
    assert_eq!(runtime.resume(&run).await, Ok(Resumed::TakenOver));
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    let events = collect(runtime.subscribe(&run, 0).await.expect("known")).await;
    assert_eq!(
        lines(&events),
        [
            "workflow_start",
            "step_start tell",
            "llm_token tell",
            "llm_tool_use tell",
            "workflow_resumed",
            "step_interrupted tell",
            "step_start tell",
            "llm_token tell",
            "llm_tool_use tell",
            "step_done tell",
            "workflow_done"
        ]
    );
}

/// ADR 50: what is paid is in the sums, also when the call is given up and no event tells it any more.
#[tokio::test]
async fn what_a_call_has_paid_that_is_given_up_is_in_the_sums() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime_of(dir.path(), of(|_| Some(Kind::Effect(paid))));
    let store = runtime.store().clone();
    let run = start(&runtime, one()).await;
    until("what it tells", || store.run(&run).is_ok_and(|row| row.last_seq >= 4)).await;
    assert_eq!(store.spent_by_run(&run).expect("read"), 0);
    runtime.shutdown().await;
    until("the sum", || store.spent_by_run(&run).is_ok_and(|sum| sum == 500)).await;
    let sums = store.usage_of_run(&run).expect("read");
    assert_eq!((sums.len(), sums[0].of.as_str(), sums[0].sums.calls, sums[0].sums.input), (1, "tell", 1, 30));
    let days = store.usage_of_days("2020-01-01").expect("read");
    assert_eq!(days.iter().map(|day| day.sums.cost_micros).sum::<u64>(), 500);
}

/// A call that only waits for a model: it gives up when the run is cancelled.
fn waiting<'a>(_: &'a Call, _: &'a CallSlot, _: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(async {
        say(log);
        log.cancelled().await;
        log.give_up();
        std::future::pending().await
    })
}

/// PLATFORM, real models: the grace is for calls that may still change something. On this clock it never ends.
#[tokio::test]
async fn a_cancel_does_not_wait_for_a_call_that_gives_up() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime_on(dir.path(), of(|_| Some(Kind::Effect(waiting))), Arc::new(NoAlarm));
    let store = runtime.store().clone();
    let run = start(&runtime, one()).await;
    until("what it tells", || store.run(&run).is_ok_and(|row| row.last_seq >= 4)).await;
    runtime.cancel(&run).await.expect("it is running");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Cancelled));
    let events = collect(runtime.subscribe(&run, 0).await.expect("known")).await;
    let lines = lines(&events);
    assert_eq!(lines[lines.len() - 2..], ["step_interrupted tell", "workflow_cancelled"], "{lines:?}");
}
