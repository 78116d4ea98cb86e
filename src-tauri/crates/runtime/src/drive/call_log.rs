//! The log of a call: what it tells becomes inputs of its run, and a cancel of the run reaches it.

use super::{Driver, Message};
use signalbox_engine::effect::CallKey;
use signalbox_engine::input::Input;
use signalbox_model::{CallProgress, EventBody, time};
use signalbox_nodes::progress_reporter::{Cancellation, ProgressReporter, Signal};
use std::sync::Arc;

impl Driver {
    /// What a call tells becomes inputs of the run, before its result.
    pub(super) fn speech(&self, key: &CallKey, step: &str) -> ProgressReporter {
        let (given_up, key, inbox) = (key.clone(), key.clone(), self.driven.inbox.clone());
        let world = &self.core.world;
        let clock = Arc::clone(&world.clock);
        let tell = move |said| {
            let input = Input::CallSaid { key: key.clone(), said, now: clock.now_ms() };
            // The run has ended meanwhile: nobody listens.
            let _ = inbox.send(Message::Input(input));
        };
        // A call that is given up tells what it has paid when nobody listens any more: only the sums still take it.
        let (store, run, step, clock) =
            (self.core.store.clone(), self.driven.run_id.clone(), step.to_owned(), Arc::clone(&world.clock));
        let left = move |said: Vec<CallProgress>| {
            let ts = time::format(clock.now_ms());
            for body in said.into_iter().filter_map(|said| EventBody::try_from(said).ok()) {
                store.submit_given_up(&run, &step, &ts, &body);
            }
        };
        let cancelled = self.cancelled.subscribe();
        let cancelled = move || -> Signal {
            let mut cancelled = cancelled.clone();
            Box::pin(async move {
                if cancelled.wait_for(|is_cancelled| *is_cancelled).await.is_err() {
                    // The driver is gone, and the call ends with it.
                    std::future::pending::<()>().await;
                }
            })
        };
        let (call, inbox) = (given_up, self.driven.inbox.clone());
        let give_up = move || {
            // The run has ended meanwhile: nobody waits for the call.
            let _ = inbox.send(Message::GivenUp(call.clone()));
        };
        ProgressReporter::new(Arc::clone(&world.clock), world.secrets.scrubber(), Box::new(tell))
            .leaving(Box::new(left))
            .cancelled_by(Cancellation { cancelled: Box::new(cancelled), give_up: Box::new(give_up) })
    }
}
