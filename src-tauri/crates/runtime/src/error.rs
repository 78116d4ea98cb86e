//! What can go wrong, in words for a person.

use signalbox_engine::rerun::RerunError;
use signalbox_model::{Diagnostic, RunStatus};
use signalbox_store::{CommitError, StoreError};

/// Why something asked of the runtime was not done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The run has ended already.
    #[error("Run {run} has ended: it is {}", status.as_str())]
    Ended {
        /// The run.
        run: String,
        /// How it ended.
        status: RunStatus,
    },
    /// The run waited when a re-run of it was looked at, and ended before the re-run could take its place.
    #[error("Run {run} has ended in the meantime: it is {}{}, and nothing was started", status.as_str(), replaced(by.as_deref()))]
    EndedMeanwhile {
        /// The run.
        run: String,
        /// How it ended.
        status: RunStatus,
        /// The run that took its place.
        by: Option<String>,
    },
    /// The run goes on, so nothing can begin at its steps.
    #[error("Run {run} is running")]
    StillRuns {
        /// The run.
        run: String,
    },
    /// It cannot be run again like this.
    #[error(transparent)]
    Rerun(#[from] RerunError),
    /// The correction of a replay does not fit this run. Nothing was started.
    #[error("{why}")]
    DoesNotFit {
        /// Why.
        why: String,
    },
    /// Another living process drives the run.
    #[error("Run {run} is driven by another process")]
    DrivenElsewhere {
        /// The run.
        run: String,
    },
    /// The run waits for its turn.
    #[error("Run {run} is queued: it starts when its turn comes")]
    Queued {
        /// The run.
        run: String,
    },
    /// The limits of the workflow leave no room, and this start cannot wait.
    #[error("The limits of the workflow '{workflow}' allow no other run now, and a run that {why} cannot be queued")]
    CannotWait {
        /// The workflow.
        workflow: String,
        /// What it does.
        why: &'static str,
    },
    /// The key of the concurrency limit has no value for this start.
    #[error("The key of the concurrency limit cannot be evaluated for this start: {reason}")]
    LimitKey {
        /// Why.
        reason: String,
    },
    /// The run's pinned definition cannot be run by this program.
    #[error("Run {run} cannot go on: {reason}")]
    Definition {
        /// The run.
        run: String,
        /// Why.
        reason: String,
    },
    /// The workflow is not valid.
    #[error("The workflow has {} problem(s) that keep it from running", .0.len())]
    Invalid(Vec<Diagnostic>),
    /// The log of the run contradicts itself.
    #[error("The log of run {run} cannot be followed at event {seq}: {reason}")]
    Log {
        /// The run.
        run: String,
        /// The event.
        seq: u64,
        /// Why.
        reason: String,
    },
    /// An entry of a journal cannot be read or written.
    #[error("The journal of the run cannot be followed: {reason}")]
    Journal {
        /// Why.
        reason: String,
    },
    /// The run stopped because of a fault of the program.
    #[error("Run {run} was stopped: {trouble}")]
    Stopped {
        /// The run.
        run: String,
        /// What happened.
        trouble: Trouble,
    },
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The runtime is being shut down.
    #[error("Signalbox is closing")]
    Closing,
}

fn replaced(by: Option<&str>) -> String {
    by.map(|run| format!(", replaced by run {run}")).unwrap_or_default()
}

impl Error {
    /// The code that a host shows and decides by.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Ended { .. } | Self::EndedMeanwhile { .. } => "RUN_ENDED",
            Self::StillRuns { .. } => "RUN_RUNNING",
            Self::Rerun(error) => error.code(),
            Self::DoesNotFit { .. } => "DOES_NOT_FIT",
            Self::DrivenElsewhere { .. } => "DRIVEN_ELSEWHERE",
            Self::Queued { .. } => "RUN_QUEUED",
            Self::CannotWait { .. } => "RUN_LIMIT",
            Self::LimitKey { .. } => "LIMIT_KEY",
            Self::Definition { .. } => "DEFINITION_UNUSABLE",
            Self::Invalid(_) => "INVALID_WORKFLOW",
            Self::Log { .. } | Self::Journal { .. } => "LOG_DAMAGED",
            Self::Stopped { .. } => "RUN_STOPPED",
            Self::Store(error) => error.code(),
            Self::Closing => "CLOSING",
        }
    }

    /// What a person does next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Ended { .. } => "Start it again as a new run.",
            Self::EndedMeanwhile { .. } => "Look again: see how it ended, and whether it is still to be run again.",
            Self::StillRuns { .. } => "Wait until it has ended or waits for a person, or cancel it.",
            Self::Rerun(error) => error.hint(),
            Self::DoesNotFit { .. } => "Change the correction, or leave the run in its group.",
            Self::DrivenElsewhere { .. } => "It goes on there; follow it here with its events.",
            Self::Queued { .. } => "Wait until it starts, cancel it, or end a run that holds its place.",
            Self::CannotWait { .. } => "Start it when a run has ended, or start it without this.",
            Self::LimitKey { .. } => "Correct `key` in the workflow settings, or give the params that it uses.",
            Self::Definition { .. } => "Open it with the release that started it, or cancel it.",
            Self::Invalid(_) => "Correct the problems that are listed.",
            Self::Log { .. } => "Restore the data folder from a backup; other runs are not affected.",
            Self::Journal { .. } => "Carry the run out with the release that began it.",
            Self::Stopped { .. } => "Try to resume it; if it stops again, cancel it and report the fault.",
            Self::Store(error) => error.hint(),
            Self::Closing => "Start Signalbox again; the run goes on from where it is.",
        }
    }
}

impl From<CommitError> for Error {
    fn from(error: CommitError) -> Self {
        Self::Store(error.into())
    }
}

/// Why a run stands still although nothing in it has failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// The disk is full; the run continues automatically when there is room.
    #[error("the disk of the data folder is full; the run goes on when there is room")]
    DiskFull,
    /// The run's log or an artifact of it cannot be written now; the run continues automatically when it can.
    #[error("the data folder cannot be written ({0}); the run goes on when it can")]
    Store(String),
    /// A fault of the program; the log is whole up to the last event.
    #[error("a fault of the program ({0}); nothing that was recorded is lost")]
    Fault(String),
}

impl Trouble {
    /// The code that a host shows.
    pub fn code(&self) -> &'static str {
        match self {
            Self::DiskFull => "DISK_FULL",
            Self::Store(_) => "STORE_FAILED",
            Self::Fault(_) => "INTERNAL",
        }
    }
}
