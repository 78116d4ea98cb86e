//! What the store, the runtime and the engine refuse, as a command tells it.

use super::{ApiError, Class};
use serde_json::json;
use signalbox_engine::imported_checkpoint::Refused;
use signalbox_engine::rerun::RerunError;
use signalbox_engine::until::UntilError;
use signalbox_runtime::Error as RunError;
use signalbox_store::StoreError;

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        if let StoreError::Sqlite { code, .. } = &error {
            // For a report; no word for who works.
            let told = Self::new(Class::Unavailable, error.code(), format!("{error}."), error.hint());
            return told.with(json!({ "sqliteCode": code }));
        }
        let class = match &error {
            StoreError::UnknownRun { run } => {
                let hint = format!("There is no run {run}. `signalbox runs list`, or POST /rpc/run_list, shows all.");
                return Self::not_found(hint).with(json!({ "runId": run }));
            }
            StoreError::KeyReused { run, .. } => {
                let told = Self::new(Class::Conflict, error.code(), format!("{error}."), error.hint());
                return told.with(json!({ "runId": run }));
            }
            StoreError::DeleteRefused { .. }
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
            | StoreError::Fenced { .. } => Class::Conflict,
            StoreError::UnknownFailures { .. } | StoreError::UnknownReplay { .. } => Class::NotFound,
            StoreError::BadPage { .. } => Class::BadRequest,
            StoreError::Invalid { .. } => Class::Invalid,
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
            | StoreError::Sqlite { .. } => Class::Unavailable,
        };
        Self::new(class, error.code(), format!("{error}."), error.hint())
    }
}

impl From<RunError> for ApiError {
    fn from(error: RunError) -> Self {
        let class = match &error {
            RunError::Store(store) => return store.clone().into(),
            RunError::Invalid(diagnostics) => {
                return Self::new(Class::Invalid, error.code(), format!("{error}."), error.hint())
                    .with(json!({ "diagnostics": diagnostics }));
            }
            RunError::Rerun(refused) => return of_rerun(refused),
            RunError::Ended { .. }
            | RunError::EndedMeanwhile { .. }
            | RunError::StillRuns { .. }
            | RunError::DrivenElsewhere { .. }
            | RunError::Queued { .. }
            | RunError::CannotWait { .. } => Class::Conflict,
            RunError::LimitKey { .. } | RunError::DoesNotFit { .. } => Class::Invalid,
            RunError::Definition { .. } | RunError::Log { .. } | RunError::Stopped { .. } | RunError::Closing => {
                Class::Unavailable
            }
        };
        Self::new(class, error.code(), format!("{error}."), error.hint())
    }
}

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> Self {
        let class = if refused.code == "TOO_LARGE" { Class::TooLarge } else { Class::Invalid };
        Self::new(class, refused.code, refused.message, refused.hint).with(json!({ "path": refused.path }))
    }
}

/// Why a re-run was refused, as the outside hears it.
fn of_rerun(error: &RerunError) -> ApiError {
    let class = match error {
        RerunError::UnknownStep { .. } | RerunError::NeverAsked { .. } => Class::NotFound,
        RerunError::NeverRan { .. } | RerunError::Gone { .. } => Class::Conflict,
        RerunError::NotFailed { .. } | RerunError::NoFailedCall { .. } => Class::Conflict,
        RerunError::Recovery { .. } | RerunError::AfterAbort { .. } => Class::Invalid,
        RerunError::Variable { .. } | RerunError::Params(_) | RerunError::NoInput => Class::Invalid,
        RerunError::Until(UntilError::Unknown { .. }) => Class::NotFound,
        RerunError::Until(_) => Class::Invalid,
        RerunError::Log(_) => Class::Unavailable,
    };
    let (code, message) = (error.code(), format!("{error}."));
    let mut hint = error.hint().to_owned();
    let details = match error {
        RerunError::UnknownStep { known, .. } => Some(json!({ "steps": known })),
        RerunError::NeverRan { ran, .. } if !ran.is_empty() => {
            hint = format!("It ran as {}.", ran.join(", "));
            Some(json!({ "ran": ran }))
        }
        RerunError::Params(diagnostics) => Some(json!({ "diagnostics": diagnostics })),
        _ => None,
    };
    let made = ApiError::new(class, code, message, hint);
    match details {
        Some(details) => made.with(details),
        None => made,
    }
}
