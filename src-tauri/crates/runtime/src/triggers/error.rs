//! Why a trigger did not start a run, in the words of every host.

use crate::Error;
use serde_json::{Value, json};
use signalbox_store::StoreError;
use std::fmt;

/// How a host answers a failure (HTTP status, exit code).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The request itself is wrong (400).
    BadRequest,
    /// No or wrong token (401).
    Unauthorized,
    /// The caller may not (403).
    Forbidden,
    /// No such thing (404).
    NotFound,
    /// It cannot be asked like this (405).
    WrongMethod,
    /// The request did not come in time (408).
    TooSlow,
    /// It changed, or it is in use (409).
    Conflict,
    /// Above a limit (413).
    TooLarge,
    /// More than a quota allows now (429).
    TooMany,
    /// Not JSON (415).
    UnsupportedType,
    /// Understood, and wrong (422).
    Invalid,
    /// The machine cannot at the moment: disk full, store damaged or newer (503).
    Unavailable,
}

impl Class {
    /// The status code of HTTP.
    pub fn status(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::WrongMethod => 405,
            Self::TooSlow => 408,
            Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::TooMany => 429,
            Self::UnsupportedType => 415,
            Self::Invalid => 422,
            Self::Unavailable => 503,
        }
    }
}

impl From<&StoreError> for Class {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::UnknownRun { .. } => Self::NotFound,
            StoreError::KeyReused { .. }
            | StoreError::DeleteRefused { .. }
            | StoreError::RunExists { .. }
            | StoreError::StartedBefore { .. }
            | StoreError::FiredBefore { .. }
            | StoreError::TriggerChanged { .. }
            | StoreError::LimitReached { .. }
            | StoreError::QueueFull { .. }
            | StoreError::TaskDecided { .. }
            | StoreError::TaskReopened { .. }
            | StoreError::RunSent { .. }
            | StoreError::NothingToReplay { .. }
            | StoreError::ReplayHalted { .. }
            | StoreError::ReplayedBefore { .. }
            | StoreError::RunEnded { .. }
            | StoreError::Fenced { .. } => Self::Conflict,
            StoreError::UnknownFailures { .. } | StoreError::UnknownReplay { .. } => Self::NotFound,
            StoreError::QuotaReached { .. } => Self::TooMany,
            StoreError::BadPage { .. } => Self::BadRequest,
            StoreError::Invalid { .. } | StoreError::AtServer { .. } => Self::Invalid,
            StoreError::Folder { .. }
            | StoreError::NewerStore { .. }
            | StoreError::NotAStore { .. }
            | StoreError::SqliteTooOld { .. }
            | StoreError::Corrupt { .. }
            | StoreError::Damaged { .. }
            | StoreError::DiskFull
            | StoreError::Busy
            | StoreError::ReadOnly
            | StoreError::Closed
            | StoreError::Unreachable { .. }
            | StoreError::Sqlite { .. } => Self::Unavailable,
        }
    }
}

impl From<&Error> for Class {
    fn from(error: &Error) -> Self {
        match error {
            Error::Store(store) => store.into(),
            Error::Invalid(_) | Error::Rerun(_) | Error::LimitKey { .. } | Error::DoesNotFit { .. } => Self::Invalid,
            Error::Ended { .. }
            | Error::EndedMeanwhile { .. }
            | Error::StillRuns { .. }
            | Error::DrivenElsewhere { .. }
            | Error::Queued { .. }
            | Error::CannotWait { .. } => Self::Conflict,
            Error::Definition { .. } | Error::Log { .. } | Error::Journal { .. } => Self::Unavailable,
            Error::Stopped { .. } | Error::Closing => Self::Unavailable,
        }
    }
}

/// What happened, why, and what to do next.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerError {
    /// Stable, upper case.
    pub code: String,
    /// What happened and why, one or two sentences.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// Free; depends on the code.
    pub details: Option<Value>,
    /// For the host.
    pub class: Class,
}

/// Result of what a trigger does.
pub type TriggerResult<T> = Result<T, TriggerError>;

impl TriggerError {
    /// An error of a class.
    pub fn new(class: Class, code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), hint: hint.into(), details: None, class }
    }
    /// The request does not fit.
    pub fn bad_request(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Class::BadRequest, "BAD_REQUEST", message, hint)
    }
    /// Something on this machine does not work now.
    pub fn unavailable(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Class::Unavailable, code, message, hint)
    }
    /// Adds details.
    #[must_use]
    pub fn with(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }
}

impl fmt::Display for TriggerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.code, self.message, self.hint)
    }
}

impl std::error::Error for TriggerError {}

impl From<StoreError> for TriggerError {
    fn from(error: StoreError) -> Self {
        let told = Self::new(Class::from(&error), error.code(), format!("{error}."), error.hint());
        match &error {
            StoreError::QuotaReached { retry_s, .. } => told.with(json!({ "retryAfterSeconds": retry_s })),
            _ => told,
        }
    }
}

impl From<Error> for TriggerError {
    fn from(error: Error) -> Self {
        let told = Self::new(Class::from(&error), error.code(), format!("{error}."), error.hint());
        match error {
            Error::Store(store) => store.into(),
            Error::Invalid(diagnostics) => told.with(json!({ "diagnostics": diagnostics })),
            _ => told,
        }
    }
}
