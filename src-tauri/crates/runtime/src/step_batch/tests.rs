use super::{Limits, StepBatch, run};
use crate::load;
use crate::registry::Registry;
use serde_json::json;
use signalbox_engine::effect::{Call, Effect};
use signalbox_engine::input::Input;
use signalbox_engine::validate::Called;
use signalbox_engine::{Compiled, RunState};
use signalbox_model::{EventBody, Map, NodeFailure};
use signalbox_ports::Clock;
use signalbox_testkit::ManualClock;
use signalbox_testkit::scenario::workflow;
use std::collections::VecDeque;
use std::time::Duration;

const LIMITS: Limits = Limits { events: 256, time: Duration::from_secs(60) };

struct Chain {
    compiled: std::sync::Arc<Compiled>,
    state: RunState,
    clock: ManualClock,
    code: fn(&str) -> Option<signalbox_nodes::Kind>,
}

impl Chain {
    /// A GET whose own policy tries it again after so long.
    fn new(delay_ms: u64) -> Self {
        let policy = json!({ "maxAttempts": 2, "backoff": "fixed", "initialDelayMs": delay_ms, "jitter": false });
        let node = json!({ "type": "http.request", "config": { "url": "http://api.example/" },
            "errorHandling": { "retryPolicy": policy } });
        let file = workflow(&json!({ "nodes": { "call": node } })).expect("can be read");
        let registry = Registry::built_in();
        let compiled = load::pin(file, Called::default(), &registry).expect("valid").compiled;
        let state = RunState::new(&compiled, "r", None);
        Self { compiled, state, clock: ManualClock::default(), code: registry.code }
    }

    fn burst(&mut self, input: Input) -> StepBatch {
        let inputs = VecDeque::from([input]);
        run(&self.compiled, &mut self.state, inputs, VecDeque::new(), self.code, &self.clock, LIMITS).expect("goes on")
    }

    fn begun(&mut self) -> Call {
        let now = self.clock.now_ms();
        let (params, context) = (std::sync::Arc::new(json!({})), Map::new());
        let burst =
            self.burst(Input::Start { params, context, seed: 1, started_by: None, debug: None, until: None, now });
        call_of(burst)
    }

    fn failed(&mut self, call: &Call) -> StepBatch {
        let failure = NodeFailure::tool("DOWN", "it does not answer").retryable();
        let now = self.clock.now_ms();
        self.burst(Input::NodeFinished { key: call.key.clone(), results: vec![(0, Err(failure))], now })
    }
}

fn call_of(burst: StepBatch) -> Call {
    match burst.effects.into_iter().next() {
        Some(Effect::Call(call)) => *call,
        other => panic!("{other:?}"),
    }
}

fn names(burst: &StepBatch) -> Vec<&'static str> {
    burst.events.iter().map(|event| event.body.type_name()).collect()
}

/// One commit holds the error and the beginning of the next attempt.
#[test]
fn p5_a_retry_without_a_delay_begins_in_the_burst_of_its_error() {
    let mut chain = Chain::new(0);
    let mut call = chain.begun();
    for attempt in 1..=2 {
        let burst = chain.failed(&call);
        assert_eq!(names(&burst), ["step_error", "retry_scheduled", "step_start"]);
        assert!(
            matches!(&burst.events[0].body, EventBody::StepError(failed) if failed.error.attempt == Some(attempt - 1))
        );
        call = call_of(burst);
        assert_eq!(call.key.attempt, attempt);
    }
    assert_eq!(names(&chain.failed(&call)), ["step_error", "error_handled", "workflow_failed"]);
}

#[test]
fn a_retry_with_a_delay_waits_for_its_timer() {
    let mut chain = Chain::new(30);
    let call = chain.begun();
    let burst = chain.failed(&call);
    assert_eq!(names(&burst), ["step_error", "retry_scheduled"]);
    let due = chain.clock.now_ms() + 30;
    let [Effect::Timer { timer, due_ms }] = &burst.effects[..] else { panic!("{:?}", burst.effects) };
    assert_eq!(*due_ms, due);
    chain.clock.advance(30);
    let burst = chain.burst(Input::TimerFired { timer: timer.clone(), now: due });
    assert_eq!(names(&burst), ["step_start"]);
}
