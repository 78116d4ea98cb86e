//! Who carries runs out that this process only writes down.

use signalbox_store::HandedRun;

/// Carries runs out that were handed over, in whatever process.
pub trait RunHost: Send + Sync {
    /// What these runs are handed to.
    fn name(&self) -> &'static str;
    /// A run was handed over, or was asked something just now. Never waits.
    fn begin(&self, run: HandedRun);
    /// All runs that are handed over and under way, or that were asked something. Told again and again; never waits.
    fn go_on(&self, runs: Vec<HandedRun>);
    /// Why runs cannot be handed over now; `None` while they can.
    fn trouble(&self) -> Option<String> {
        None
    }
}
