//! What a call tells while it is under way.

use signalbox_model::CallProgress;
use std::pin::Pin;

/// Takes what a call tells, in order. It is stored with the run before the call's result is.
pub trait CallLog: Send + Sync {
    /// The next thing.
    fn say(&self, said: CallProgress);
    /// Is ready once the run is cancelled. A call that only waits for an answer need not use its grace: it gives up then.
    fn cancelled(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::pending())
    }
    /// After [`CallLog::cancelled`]: nothing comes of this call any more, so that nobody waits for it.
    fn give_up(&self) {}
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unheard;

impl CallLog for Unheard {
    fn say(&self, _said: CallProgress) {}
}
