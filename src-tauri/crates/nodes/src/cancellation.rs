//! When a cancelled run stops waiting for a service.

use futures_util::future::{Either, select};
use signalbox_ports::{CallLog, World};
use std::pin::pin;

/// How long a cancelled call still waits: for an answer that is on its way, or to tell the service that it leaves.
pub(crate) const LEAVING_MS: i64 = 1_500;

/// Waits for a service until the run is cancelled: then its call is dropped, which closes the connection, and nobody waits for a result.
pub(crate) async fn until_cancelled<T>(log: &dyn CallLog, work: impl Future<Output = T>) -> T {
    let done = {
        match select(pin!(work), log.cancelled()).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(_) => None,
        }
    };
    or_given_up(log, done).await
}

/// Does the work of a call. When the run is cancelled, an answer that comes soon still counts, because it says whether the service did
/// what it was asked for. Then the connection is closed, and nobody waits for a result.
pub(crate) async fn unless_left<T>(log: &dyn CallLog, world: &World, work: impl Future<Output = T> + Send) -> T {
    let done = {
        match select(pin!(work), log.cancelled()).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(((), work)) => {
                let late = world.clock.sleep_until(world.clock.now_ms().saturating_add(LEAVING_MS));
                match select(work, late).await {
                    Either::Left((done, _)) => Some(done),
                    Either::Right(_) => None,
                }
            }
        }
    };
    or_given_up(log, done).await
}

/// The result; without one the driver ends the call.
async fn or_given_up<T>(log: &dyn CallLog, done: Option<T>) -> T {
    match done {
        Some(done) => done,
        None => {
            log.give_up();
            std::future::pending().await
        }
    }
}
