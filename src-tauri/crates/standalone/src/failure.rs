//! Why the program did not do what it was asked for.

use serde::Serialize;
use serde_json::Value;
use signalbox_runtime::Error;
use signalbox_runtime::triggers::TriggerError;
use signalbox_store::StoreError;

/// What happened, why, and what to do next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Failure {
    /// Stable, upper case.
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) hint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<Value>,
}

impl Failure {
    pub(crate) fn invalid(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), hint: hint.into(), details: None }
    }

    pub(crate) fn no_thread(error: &std::io::Error) -> Self {
        Self::invalid(
            "NO_THREAD",
            format!("The system gives no thread: {error}."),
            "End other programs, then try again.",
        )
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::invalid(error.code(), format!("{error}."), error.hint())
    }
}

impl From<TriggerError> for Failure {
    fn from(error: TriggerError) -> Self {
        let TriggerError { code, message, hint, details, .. } = error;
        Self { code, message, hint, details }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let details = match &error {
            Error::Invalid(found) => Some(serde_json::json!({ "diagnostics": found })),
            _ => None,
        };
        Self { details, ..Self::invalid(error.code(), format!("{error}."), error.hint()) }
    }
}
