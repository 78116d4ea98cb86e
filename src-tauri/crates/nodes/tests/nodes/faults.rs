//! Calls into which a person put a fault.

use crate::common::{FakeHttp, call, impatient_world, slot, world};
use futures_util::FutureExt;
use serde_json::json;
use signalbox_model::{Effects, ErrorType, FaultError, StepFault};
use signalbox_nodes::{kind, run_faulted};
use std::sync::Arc;

/// Nothing is sent.
fn unasked() -> Arc<FakeHttp> {
    FakeHttp::new(|request| panic!("{} was asked", request.url))
}

fn error() -> FaultError {
    FaultError {
        error_type: ErrorType::NetworkError,
        code: "CONNECTION".into(),
        message: "Put in.".into(),
        retryable: true,
        may_have_happened: false,
    }
}

#[test]
fn a_call_fails_or_has_a_result_without_its_code() {
    let code = kind("http.request").expect("has code");
    let call = call("http.request", Effects::Read, slot(json!({ "url": "https://example.org" }), &[json!({})]));
    let world = world(unasked());
    let ends = |fault: StepFault| {
        let work = run_faulted(&fault, code, &call, &world, &signalbox_ports::Unheard);
        work.now_or_never().expect("nothing waits").remove(0).1
    };
    let failure = ends(StepFault { error: Some(error()), ..StepFault::default() }).expect_err("fails");
    assert_eq!((failure.code.as_str(), failure.retryable), ("CONNECTION", true));
    assert_eq!(failure.details["faulted"], true);
    let output =
        [("success".to_owned(), vec![json!({ "status": 500 }), json!({ "status": 200 })])].into_iter().collect();
    let made = ends(StepFault { output: Some(output), ..StepFault::default() }).expect("succeeds");
    assert_eq!(made.ports["success"].len(), 2);
}

#[test]
fn a_delay_is_waited_for_and_ends_at_the_time_limit() {
    let code = kind("http.request").expect("has code");
    let config = json!({ "url": "https://example.org", "timeoutMs": 1000 });
    let call = call("http.request", Effects::Read, slot(config, &[json!({})]));
    let fault = StepFault { error: Some(error()), delay_ms: 5_000, ..StepFault::default() };
    let waits = world(unasked());
    assert!(run_faulted(&fault, code, &call, &waits, &signalbox_ports::Unheard).now_or_never().is_none());
    let rushes = impatient_world(unasked());
    let ended = run_faulted(&fault, code, &call, &rushes, &signalbox_ports::Unheard).now_or_never().expect("is over");
    assert_eq!(ended[0].1.as_ref().expect_err("fails").code, "TIMEOUT");
}
