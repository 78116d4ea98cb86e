//! Numbers that hosts and tests may change.

use std::path::PathBuf;
use std::time::Duration;

/// How a [`crate::Runtime`] works.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folder below which each run has a folder for its artifact files.
    pub artifacts: PathBuf,
    /// Takes over runs whose process died, as soon as that is noticed. For hosts that stay, not for one command.
    pub adopt: bool,
    /// How often other processes' changes are looked for.
    pub poll: Duration,
    /// How often runs without a process are looked for, with `adopt`.
    pub adopt_every: Duration,
    /// Pause between two attempts to write to a full disk.
    pub retry_commit: Duration,
    /// A burst ends after so many events.
    pub burst_events: usize,
    /// A burst ends after so long.
    pub burst: Duration,
    /// A snapshot after so many calls …
    pub snapshot_calls: usize,
    /// … or after so many bytes of events; never before the events weigh twice as much as the last snapshot (ADR 7).
    pub snapshot_bytes: usize,
    /// Worker threads; 0 = as many as the machine has processors, at least 2 and at most 8.
    pub workers: usize,
}

impl Options {
    /// The defaults of the design, with the folder for artifacts.
    pub fn new(artifacts: impl Into<PathBuf>) -> Self {
        Self {
            artifacts: artifacts.into(),
            adopt: false,
            poll: Duration::from_millis(200),
            adopt_every: Duration::from_secs(1),
            retry_commit: Duration::from_secs(1),
            burst_events: 256,
            burst: Duration::from_millis(50),
            snapshot_calls: 100,
            snapshot_bytes: 256 * 1024,
            workers: 0,
        }
    }
}
