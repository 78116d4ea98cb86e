//! Keys that steps have seen before, over all runs of a workflow.

use async_trait::async_trait;
use signalbox_model::KeyClaim;

/// Why keys cannot be kept now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberError {
    /// Plain words.
    pub message: String,
    /// The disk is full.
    pub disk_full: bool,
}

/// Keys of earlier runs.
#[async_trait]
pub trait Remembered: Send + Sync {
    /// Takes the keys for a call, and says of each whether it is new: no run but this one has taken it. A repeated claim of
    /// the same call gives the same answer, and so does one of a re-run of the run that took the key.
    async fn claim(&self, claim: KeyClaim) -> Result<Vec<bool>, RememberError>;
}

/// Where no keys can be kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRemembered;

#[async_trait]
impl Remembered for NoRemembered {
    async fn claim(&self, _claim: KeyClaim) -> Result<Vec<bool>, RememberError> {
        Err(RememberError { message: "Keys cannot be kept here".into(), disk_full: false })
    }
}
