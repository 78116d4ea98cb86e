//! What a call tells while it is under way.

use signalbox_model::Said;

/// Takes what a call tells, in order. It is stored with the run before the call's result is.
pub trait CallLog: Send + Sync {
    /// The next thing.
    fn say(&self, said: Said);
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unheard;

impl CallLog for Unheard {
    fn say(&self, _said: Said) {}
}
