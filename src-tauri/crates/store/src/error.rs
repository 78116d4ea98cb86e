//! What can go wrong, in words for a person: what, where, why; [`Error::hint`] says what next.

use rusqlite::ffi;

/// Every failure of the store. Cheap to clone, because one failed commit answers a whole group of jobs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The data folder cannot be used.
    #[error("The data folder {folder} cannot be used: {reason}")]
    Folder {
        /// The folder.
        folder: String,
        /// What the system said.
        reason: String,
    },
    /// Written by a newer release.
    #[error("The store {path} was written by a newer release (store version {found}, this release knows {known})")]
    NewerStore {
        /// Database file.
        path: String,
        /// Its version.
        found: i64,
        /// Newest version that this release knows.
        known: i64,
    },
    /// Some other program's database.
    #[error("The file {path} is not a Signalbox store")]
    NotAStore {
        /// Database file.
        path: String,
    },
    /// The linked SQLite can lose committed writes.
    #[error("This build uses SQLite {found}; versions before 3.51.3 can lose committed writes")]
    SqliteTooOld {
        /// Its version.
        found: String,
    },
    /// The content of an event is not what was written.
    #[error("Event {seq} of run {run} is damaged: its content does not match its hash")]
    Corrupt {
        /// The run.
        run: String,
        /// The event.
        seq: u64,
    },
    /// SQLite cannot read its own file.
    #[error("The store is damaged: {reason}")]
    Damaged {
        /// What SQLite said.
        reason: String,
    },
    /// No room for the write. Nothing was written; the store stays usable.
    #[error("The disk is full: nothing was saved")]
    DiskFull,
    /// Another process held the store for longer than the time limit.
    #[error("Another process kept the store busy for too long")]
    Busy,
    /// The store was opened read-only, because it is damaged.
    #[error("The store is open for reading only, because it is damaged")]
    ReadOnly,
    /// The commit of a driver that no longer owns the run, or with a gap in `seq`. Nothing was written.
    #[error("Run {run} is driven by another process, or its log has moved on")]
    Fenced {
        /// The run.
        run: String,
    },
    /// There is no such run.
    #[error("There is no run {run}")]
    UnknownRun {
        /// The run.
        run: String,
    },
    /// The id is taken.
    #[error("Run {run} exists already")]
    RunExists {
        /// The run.
        run: String,
    },
    /// A policy decided about a task that a person has answered meanwhile. Nothing was written: the answer waits as an input.
    #[error("Task {task} was decided meanwhile")]
    TaskDecided {
        /// The task.
        task: String,
    },
    /// A run was started with this key before, with the same request. Nothing was written.
    #[error("Run {run} was started with this key before")]
    StartedBefore {
        /// The run.
        run: String,
    },
    /// The key stands for another start. Nothing was written.
    #[error("The key '{key}' was used for run {run}, which was started with another workflow or other params")]
    KeyReused {
        /// The key.
        key: String,
        /// The run that was started with it.
        run: String,
    },
    /// A tick of a trigger has its run already. Nothing was written.
    #[error("The trigger {trigger} fired for {key} before")]
    FiredBefore {
        /// The trigger.
        trigger: String,
        /// Key of the firing.
        key: String,
    },
    /// The trigger is not one of the active version any more. Nothing was written.
    #[error("The workflow of the trigger {trigger} is not active, or was activated in another version")]
    TriggerChanged {
        /// The trigger.
        trigger: String,
    },
    /// As many runs are under way, or have started lately, as the workflow allows. Nothing was written.
    #[error("The limits of the workflow '{workflow}' allow no other run now")]
    LimitReached {
        /// The workflow.
        workflow: String,
    },
    /// As many runs wait as may. Nothing was written.
    #[error("{waiting} runs of the workflow '{workflow}' are waiting already; no more can be queued")]
    QueueFull {
        /// The workflow.
        workflow: String,
        /// How many wait.
        waiting: u64,
    },
    /// A workspace or a token has started as many runs as it may. Nothing was written.
    #[error("The quota of the {of} is reached: {limit}")]
    QuotaReached {
        /// The workspace or the token.
        of: String,
        /// The number that was reached.
        limit: String,
        /// Seconds after which a start may have room.
        retry_s: u64,
    },
    /// Another run asks the task again already. Nothing was written.
    #[error("Task {task} was opened again already: run {run} asks it")]
    TaskReopened {
        /// The task.
        task: String,
        /// The run that asks it.
        run: String,
    },
    /// Another run asks a person about this failed one already. Nothing was written.
    #[error("Run {run} was sent to the inbox already: run {by} asks about it")]
    RunSent {
        /// The failed run.
        run: String,
        /// The run that asks about it.
        by: String,
    },
    /// There is no such group of failures.
    #[error("There is no group of failures '{group}'")]
    UnknownFailures {
        /// Its key.
        group: String,
    },
    /// There is no such replay.
    #[error("There is no replay '{replay}'")]
    UnknownReplay {
        /// Its id.
        replay: String,
    },
    /// No failure of the group is open, or all of them wait in another replay. Nothing was written.
    #[error("The group '{group}' has no open failure that is not in a replay already")]
    NothingToReplay {
        /// Its key.
        group: String,
    },
    /// The replay was paused, stopped or taken back. Nothing was written.
    #[error("The replay {replay} begins no more runs")]
    ReplayHalted {
        /// Its id.
        replay: String,
    },
    /// The failed run was re-run meanwhile. Nothing was written.
    #[error("The failed run was re-run meanwhile: {run}")]
    ReplayedBefore {
        /// The re-run.
        run: String,
    },
    /// The run cannot be deleted now.
    #[error("Run {run} cannot be deleted: it is {status}")]
    DeleteRefused {
        /// The run.
        run: String,
        /// Its status.
        status: String,
    },
    /// It has ended: nothing can be asked of it any more.
    #[error("Run {run} has ended")]
    RunEnded {
        /// The run.
        run: String,
    },
    /// What should be `next` of a page before is something else.
    #[error("{page:?} does not name a page of {what}")]
    BadPage {
        /// What was given.
        page: String,
        /// What is listed.
        what: &'static str,
    },
    /// The caller's data cannot be stored.
    #[error("This cannot be stored: {reason}")]
    Invalid {
        /// Why.
        reason: String,
    },
    /// The store is being closed.
    #[error("The store is closed")]
    Closed,
    /// What is done to a file is not done to a database server.
    #[error("The history is in PostgreSQL: {what} is not made here")]
    AtServer {
        /// What was asked.
        what: &'static str,
        /// What does it.
        instead: &'static str,
    },
    /// The server of the history is away, or cannot be used.
    #[error("The history cannot be reached: {reason}")]
    Unreachable {
        /// What the server or the system said.
        reason: String,
    },
    /// Anything else that SQLite reported.
    #[error("The store failed: {message}")]
    Sqlite {
        /// Extended result code.
        code: i32,
        /// SQLite's message.
        message: String,
    },
}

impl Error {
    /// The code that a host shows and decides by.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "FOLDER_UNUSABLE",
            Self::NewerStore { .. } => "NEWER_STORE",
            Self::NotAStore { .. } => "NOT_A_STORE",
            Self::SqliteTooOld { .. } => "SQLITE_TOO_OLD",
            Self::Corrupt { .. } => "CORRUPT_EVENT",
            Self::Damaged { .. } => "STORE_DAMAGED",
            Self::DiskFull => "DISK_FULL",
            Self::Busy => "STORE_BUSY",
            Self::ReadOnly => "STORE_READ_ONLY",
            Self::Fenced { .. } => "FENCED",
            Self::UnknownRun { .. } => "UNKNOWN_RUN",
            Self::RunExists { .. } => "RUN_EXISTS",
            Self::StartedBefore { .. } => "STARTED_BEFORE",
            Self::KeyReused { .. } => "IDEMPOTENCY_KEY_REUSED",
            Self::FiredBefore { .. } => "FIRED_BEFORE",
            Self::TriggerChanged { .. } => "TRIGGER_CHANGED",
            Self::LimitReached { .. } => "RUN_LIMIT",
            Self::QueueFull { .. } => "QUEUE_FULL",
            Self::QuotaReached { .. } => "QUOTA_REACHED",
            Self::TaskDecided { .. } => "TASK_DECIDED",
            Self::TaskReopened { .. } => "ALREADY_REOPENED",
            Self::RunSent { .. } => "ALREADY_SENT",
            Self::UnknownFailures { .. } => "UNKNOWN_FAILURES",
            Self::UnknownReplay { .. } => "UNKNOWN_REPLAY",
            Self::NothingToReplay { .. } => "NOTHING_TO_REPLAY",
            Self::ReplayHalted { .. } => "REPLAY_HALTED",
            Self::ReplayedBefore { .. } => "ALREADY_RERUN",
            Self::DeleteRefused { .. } => "DELETE_REFUSED",
            Self::RunEnded { .. } => "RUN_ENDED",
            Self::BadPage { .. } => "BAD_PAGE",
            Self::Invalid { .. } => "INVALID_DATA",
            Self::Closed => "STORE_CLOSED",
            Self::AtServer { .. } => "HISTORY_AT_SERVER",
            Self::Unreachable { .. } => "HISTORY_UNREACHABLE",
            Self::Sqlite { .. } => "STORE_FAILED",
        }
    }

    /// What a person does next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "Make the folder writable, or choose another one with --data or SIGNALBOX_DATA.",
            Self::NewerStore { .. } => {
                "Update Signalbox to the release that wrote it, or choose another data folder with --data."
            }
            Self::NotAStore { .. } => "Move the file away, or choose another data folder with --data.",
            Self::SqliteTooOld { .. } => "Install a build of Signalbox that links SQLite 3.51.3 or newer.",
            Self::Corrupt { .. } | Self::Damaged { .. } | Self::ReadOnly => {
                "Copy the data folder, then restore it from a backup. Where it still opens, runs that are not affected can be read."
            }
            Self::DiskFull => "Free some space on the disk of the data folder, then continue.",
            Self::Busy => "Try again; if it stays busy, look for a stopped Signalbox process.",
            Self::Fenced { .. } => "Nothing is lost: the process that drives the run goes on with it.",
            Self::UnknownRun { .. } => "List the runs to see which exist.",
            Self::RunExists { .. } => "Start the run again with a new id.",
            Self::StartedBefore { .. } => "Follow that run, or start a new one with another key.",
            Self::KeyReused { .. } => {
                "Use a new key for another start. A key stands for one workflow with its params for 24 hours."
            }
            Self::FiredBefore { .. } => "Look at the run that it started.",
            Self::TriggerChanged { .. } => "Look at the triggers again: signalbox triggers list.",
            Self::LimitReached { .. } => "Start it again later, or raise the limits in the workflow settings.",
            Self::QueueFull { .. } => {
                "Start it again later, cancel queued runs, or raise the limits in the workflow settings."
            }
            Self::QuotaReached { .. } => {
                "Start it again later, or ask a builder for a larger quota: Settings, Access, or `signalbox workspace list`."
            }
            Self::TaskDecided { .. } => "Nothing is lost: the run goes on with the answer.",
            Self::TaskReopened { .. } => "Answer the task that this run asks, or cancel the run first.",
            Self::RunSent { .. } => "Answer the task of that run, or cancel it first.",
            Self::UnknownFailures { .. } => "`signalbox failures list`, or POST /rpc/failure_groups, shows all.",
            Self::UnknownReplay { .. } => "`signalbox failures show GROUP`, or POST /rpc/replay_list, shows all.",
            Self::NothingToReplay { .. } => "Wait for the replay under way, or look at the list again.",
            Self::ReplayHalted { .. } => "Resume the replay, or start another one.",
            Self::ReplayedBefore { .. } => "Look at that run.",
            Self::DeleteRefused { .. } => "Cancel the run or let it end, then delete it.",
            Self::RunEnded { .. } => "Start a new run.",
            Self::BadPage { .. } => "Give the value of `next` of the page before as it is, or leave it out.",
            Self::Invalid { .. } => "Make the data smaller or less deeply nested.",
            Self::Closed => "Start Signalbox again.",
            Self::AtServer { instead, .. } => instead,
            Self::Unreachable { .. } => {
                "Look at the server of the database, its address and the password. Runs go on by themselves when it is back."
            }
            Self::Sqlite { .. } => "Try again; if it fails again, check the disk of the data folder.",
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        #[cfg(feature = "postgres")]
        if let Some(reason) = crate::sql::postgres::server::is_unreachable(&error) {
            return Self::Unreachable { reason };
        }
        match &error {
            rusqlite::Error::SqliteFailure(failure, message) => {
                let text = || message.clone().unwrap_or_else(|| failure.to_string());
                match failure.extended_code {
                    // A write past a size limit or on a full tmpfs is reported as an I/O error, not as FULL.
                    ffi::SQLITE_FULL | ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE => Self::DiskFull,
                    code => match code & 0xff {
                        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => Self::Busy,
                        ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => Self::Damaged { reason: text() },
                        _ => Self::Sqlite { code, message: text() },
                    },
                }
            }
            other => Self::Sqlite { code: 0, message: other.to_string() },
        }
    }
}

/// Why a commit of a run wrote nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// The caller does not own the run (any more), or the events do not follow the last one. The driver stops.
    #[error("Run {run} is driven by another process, or its log has moved on")]
    Fenced {
        /// The run.
        run: String,
    },
    /// No room. The same commit may be made again when there is.
    #[error("The disk is full: nothing was saved")]
    DiskFull,
    /// Another process held the store too long. The same commit may be made again.
    #[error("Another process kept the store busy for too long")]
    Busy,
    /// Any other failure.
    #[error(transparent)]
    Store(Error),
}

impl From<Error> for CommitError {
    fn from(error: Error) -> Self {
        match error {
            Error::Fenced { run } => Self::Fenced { run },
            Error::DiskFull => Self::DiskFull,
            Error::Busy => Self::Busy,
            other => Self::Store(other),
        }
    }
}

impl From<CommitError> for Error {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Fenced { run } => Self::Fenced { run },
            CommitError::DiskFull => Self::DiskFull,
            CommitError::Busy => Self::Busy,
            CommitError::Store(other) => other,
        }
    }
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;
