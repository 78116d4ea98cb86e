use serde_json::{Map, Value};
use std::fmt;

/// Why a document cannot be read or written.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// For decisions: `BAD_XML`, `TOO_LARGE` and so on.
    pub code: String,
    /// What is wrong, where, and what helps.
    pub message: String,
    /// The same for programs.
    pub details: Map<String, Value>,
}

impl Error {
    /// Without details.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), details: Map::new() }
    }

    /// With one more detail.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Above a limit.
    pub(crate) fn too_large(message: impl Into<String>, limit: u64) -> Self {
        Self::new("TOO_LARGE", message).detail("limit", limit)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}
