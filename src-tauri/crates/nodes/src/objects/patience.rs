//! How often one part of an object is tried, and when a call stops for good.

use crate::cancellation::LEAVING_MS;
use futures_util::future::{Either, select};
use signalbox_model::NodeFailure;
use signalbox_ports::{CallLog, World};
use std::pin::pin;

/// Attempts of one part.
const ATTEMPTS: u32 = 5;
const FIRST_PAUSE_MS: u64 = 500;
const LONGEST_PAUSE_MS: u64 = 30_000;

/// Attempts so far.
#[derive(Debug, Default)]
pub(crate) struct Retries(u32);

impl Retries {
    /// Waits before the next attempt; gives the failure back when there is none.
    pub(crate) async fn pause(&mut self, failure: NodeFailure, world: &World) -> Result<(), NodeFailure> {
        self.0 += 1;
        if !failure.retryable || self.0 >= ATTEMPTS {
            return Err(failure);
        }
        let pause = FIRST_PAUSE_MS << (self.0 - 1).min(8);
        let pause = failure.retry_after_ms.unwrap_or(pause).min(LONGEST_PAUSE_MS);
        world.clock.sleep_until(world.clock.now_ms() + i64::try_from(pause).unwrap_or_default()).await;
        Ok(())
    }

    /// There was progress: the next failure is the first one again.
    pub(crate) fn begin_again(&mut self) {
        self.0 = 0;
    }
}

/// Does the work; nothing when the run was cancelled before it was done.
pub(crate) async fn unless_cancelled<T>(log: &dyn CallLog, work: impl Future<Output = T> + Send) -> Option<T> {
    match select(pin!(work), log.cancelled()).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}

/// Ends a cancelled call, after what is left to do at the store. Nobody waits for its result.
pub(crate) async fn leave<T>(log: &dyn CallLog, world: &World, cleaning: impl Future<Output = ()> + Send) -> T {
    let late = world.clock.sleep_until(world.clock.now_ms() + LEAVING_MS);
    select(pin!(cleaning), late).await;
    log.give_up();
    std::future::pending().await
}
