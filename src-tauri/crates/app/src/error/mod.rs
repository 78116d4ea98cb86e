//! Every failure of a command: what, why, what next.

mod conversions;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
pub use signalbox_runtime::triggers::Class;
use std::{fmt, io};

/// The error of every command.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ApiError {
    /// Stable, upper case.
    pub code: String,
    /// What happened and why, one or two sentences.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// Free; depends on the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// For the host.
    #[serde(skip)]
    pub class: Class,
}

/// Result of a command body.
pub type ApiResult<T> = Result<T, ApiError>;

/// The first of some reasons in the middle of a sentence, and how many more there are.
pub(crate) fn first_of(first: &str, count: usize) -> String {
    let first = first.trim_end_matches('.');
    match count {
        0 | 1 => first.to_owned(),
        2 => format!("{first}, and one more reason"),
        more => format!("{first}, and {} more reasons", more - 1),
    }
}

impl ApiError {
    /// An error of a class.
    pub fn new(class: Class, code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), hint: hint.into(), details: None, class }
    }
    /// Nothing has this id. The message is fixed by the interface (TS-099), the hint says what was looked for.
    pub fn not_found(hint: impl Into<String>) -> Self {
        Self::new(Class::NotFound, "NOT_FOUND", "not found", hint)
    }
    /// The request does not fit the command.
    pub fn bad_request(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Class::BadRequest, "BAD_REQUEST", message, hint)
    }
    /// The caller's role is too small, or the host may not.
    pub fn forbidden(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Class::Forbidden, "FORBIDDEN", message, hint)
    }
    /// Something on this machine does not work now.
    pub fn unavailable(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Class::Unavailable, code, message, hint)
    }
    /// The system gives no thread.
    pub fn no_thread(error: &io::Error) -> Self {
        let message = format!("The system gives no thread: {error}.");
        Self::unavailable("NO_THREAD", message, "Close other programs, then try again.")
    }
    /// Adds details.
    #[must_use]
    pub fn with(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.code, self.message, self.hint)
    }
}

impl std::error::Error for ApiError {}
