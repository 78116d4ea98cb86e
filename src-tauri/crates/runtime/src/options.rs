//! Numbers that hosts and tests may change.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What a host keeps for a run while this process drives it, a service that it talks to for example. It is dropped when
/// the run ends here, waits for a person, or goes to another process.
pub type Kept = Box<dyn Any + Send>;

type Give = dyn Fn(&str) -> Option<Kept> + Send + Sync;

/// Gives what a run needs beside it, by its id. Asked on a thread that may wait, each time that a run is taken over,
/// whatever the reason: a start of the program, a command, an answer of a person that another process wrote.
#[derive(Clone)]
pub struct RunResources(Arc<Give>);

impl RunResources {
    /// Asks `give` for each run that is taken over.
    pub fn new(give: impl Fn(&str) -> Option<Kept> + Send + Sync + 'static) -> Self {
        Self(Arc::new(give))
    }

    pub(crate) fn of(&self, run_id: &str) -> Option<Kept> {
        (self.0)(run_id)
    }
}

impl Default for RunResources {
    fn default() -> Self {
        Self::new(|_| None)
    }
}

impl fmt::Debug for RunResources {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RunResources")
    }
}

/// How a [`crate::Runtime`] works.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folder below which each run has a folder for its artifact files.
    pub artifacts: PathBuf,
    /// Folder for the parts of long lists of this process, without which all of them are in memory; and how many bytes of the text of one
    /// list stay there (ADR 157).
    pub lists: Option<(PathBuf, usize)>,
    /// Takes over runs whose process died, as soon as that is noticed. For hosts that stay, not for one command.
    pub adopt: bool,
    /// What runs that are taken over need beside them.
    pub beside: RunResources,
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
            lists: None,
            adopt: false,
            beside: RunResources::default(),
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
