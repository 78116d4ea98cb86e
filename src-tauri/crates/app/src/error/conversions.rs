//! What the store, the runtime and the engine refuse, as a command tells it.

use super::{ApiError, Class};
use serde_json::json;
use signalbox_engine::imported_checkpoint::Refused;
use signalbox_engine::rerun::RerunError;
use signalbox_engine::until::UntilError;
use signalbox_runtime::Error as RunError;
use signalbox_runtime::triggers::TriggerError;
use signalbox_store::StoreError;

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        if let StoreError::Sqlite { code, .. } = &error {
            // For a report; no word for who works.
            let told = Self::new(Class::Unavailable, error.code(), format!("{error}."), error.hint());
            return told.with(json!({ "sqliteCode": code }));
        }
        match &error {
            StoreError::UnknownRun { run } => {
                let hint = format!("There is no run {run}. `signalbox runs list`, or POST /rpc/run_list, shows all.");
                return Self::not_found(hint).with(json!({ "runId": run }));
            }
            StoreError::QuotaReached { retry_s, .. } => {
                let told = Self::new(Class::TooMany, error.code(), format!("{error}."), error.hint());
                return told.with(json!({ "retryAfterSeconds": retry_s }));
            }
            StoreError::KeyReused { run, .. } => {
                let told = Self::new(Class::Conflict, error.code(), format!("{error}."), error.hint());
                return told.with(json!({ "runId": run }));
            }
            _ => {}
        }
        Self::new(Class::from(&error), error.code(), format!("{error}."), error.hint())
    }
}

impl From<RunError> for ApiError {
    fn from(error: RunError) -> Self {
        match &error {
            RunError::Store(store) => store.clone().into(),
            RunError::Invalid(diagnostics) => {
                Self::new(Class::Invalid, error.code(), format!("{error}."), error.hint())
                    .with(json!({ "diagnostics": diagnostics }))
            }
            RunError::Rerun(refused) => of_rerun(refused),
            _ => Self::new(Class::from(&error), error.code(), format!("{error}."), error.hint()),
        }
    }
}

impl From<TriggerError> for ApiError {
    fn from(error: TriggerError) -> Self {
        let TriggerError { code, message, hint, details, class } = error;
        Self { code, message, hint, details, class }
    }
}

impl From<ApiError> for TriggerError {
    fn from(error: ApiError) -> Self {
        let ApiError { code, message, hint, details, class } = error;
        Self { code, message, hint, details, class }
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
