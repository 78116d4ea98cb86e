//! What a call tells while it is under way.

use signalbox_model::Said;
use std::future::Future;
use std::pin::Pin;

/// Takes what a call tells, in order. It is stored with the run before the call's result is.
pub trait CallLog: Send + Sync {
    /// The next thing.
    fn say(&self, said: Said);

    /// Completes when the run is being cancelled, so that nothing more is asked for in vain. Never, where nobody tells.
    fn cancelled(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::pending())
    }
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unheard;

impl CallLog for Unheard {
    fn say(&self, _said: Said) {}
}
