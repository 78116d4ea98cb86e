//! What was found wrong when a store was opened, in words.

use std::fmt;

/// What a person has to look at before anything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreAlarm {
    /// Committed events are gone: the steps after `found` may have been executed and may be executed a second time.
    Behind {
        /// The run.
        run: String,
        /// Last event that was committed, by the high-water file.
        expected: u64,
        /// Last event that the store has; 0 when it does not know the run.
        found: u64,
    },
    /// The event is there, with another content than the one committed.
    Differs {
        /// The run.
        run: String,
        /// The event.
        seq: u64,
    },
    /// Audit entries are gone that were there, or the last of them is another one: verify the audit chain.
    AuditBehind {
        /// Entries that there were, by the high-water file.
        expected: u64,
        /// Entries that there are.
        found: u64,
    },
    /// SQLite's own check failed; the store is open for reading only.
    Damaged {
        /// What the check said.
        reason: String,
    },
}

impl fmt::Display for StoreAlarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Behind { run, expected, found } => write!(
                f,
                "The store is older than it was: run {run} had {expected} events and has {found} now. Steps after event \
                 {found} may be executed twice; look at the run before you go on."
            ),
            Self::Differs { run, seq } => {
                write!(f, "Event {seq} of run {run} is not the one that was written. Look at the run before you go on.")
            }
            Self::AuditBehind { expected, found } => write!(
                f,
                "The audit chain is not the one that was there: it had {expected} entries and has {found} now, or the \
                 last of them is another one. Verify it, and compare with a checkpoint that you kept elsewhere."
            ),
            Self::Damaged { reason } => write!(
                f,
                "The store is damaged ({reason}) and open for reading only. Restore the data folder from a backup."
            ),
        }
    }
}
