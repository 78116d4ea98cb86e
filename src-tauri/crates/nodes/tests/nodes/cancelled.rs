//! A step that asks a model while its run is cancelled.

use crate::common::{FakeHttp, call, slot, world};
use async_trait::async_trait;
use serde_json::json;
use signalbox_model::{Effects, Said};
use signalbox_nodes::{kind, run_call};
use signalbox_ports::llm::{Hearer, LlmAnswer, LlmFailure, LlmRequest};
use signalbox_ports::{CallLog, HttpError, Llm, World};
use std::future::{pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

/// Streams for ever; says whether the stream is open.
#[derive(Default)]
struct Endless(Arc<AtomicBool>);

struct Open(Arc<AtomicBool>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

#[async_trait]
impl Llm for Endless {
    async fn ask(&self, _: LlmRequest, _: &dyn Hearer) -> Result<LlmAnswer, LlmFailure> {
        self.0.store(true, Ordering::SeqCst);
        let _open = Open(Arc::clone(&self.0));
        pending().await
    }
}

#[derive(Default)]
struct Log(AtomicBool);

impl CallLog for Log {
    fn say(&self, _: Said) {}

    fn cancelled(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(poll_fn(|_| if self.0.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }))
    }
}

#[test]
fn ts_079_a_cancel_closes_the_stream_of_a_model_at_once() {
    for (kind_name, config) in [
        ("llm.chat", json!({ "prompt": "Go", "model": "m", "stream": true })),
        ("agent.task", json!({ "prompt": "Go", "model": "m", "tools": [] })),
    ] {
        let http = FakeHttp::new(|_| Err(HttpError::Connect { message: "closed".into() }));
        let open = Arc::new(AtomicBool::new(false));
        let world = World { llm: Arc::new(Endless(Arc::clone(&open))), ..world(http) };
        let log = Log::default();
        let call = call(kind_name, Effects::Read, slot(config, &[json!({})]));
        let code = kind(kind_name).expect("it is there");
        let mut work = pin!(run_call(code, &call, &world, &log));
        let mut context = Context::from_waker(Waker::noop());
        assert!(work.as_mut().poll(&mut context).is_pending());
        assert!(open.load(Ordering::SeqCst), "{kind_name} asks");
        log.0.store(true, Ordering::SeqCst);
        assert!(work.as_mut().poll(&mut context).is_pending(), "the engine ends the call, not the step");
        assert!(!open.load(Ordering::SeqCst), "{kind_name} closes the connection");
    }
}
