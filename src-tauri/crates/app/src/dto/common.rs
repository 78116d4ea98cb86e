//! Words that every command knows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A request or an answer without fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Empty {}

/// Who serves the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Host {
    /// The window.
    Desktop,
    /// The server (`signalbox serve`).
    Http,
}

/// What a token may do; each role may do what the smaller ones may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CallerRole {
    /// Looks.
    Viewer,
    /// Starts, cancels and resumes runs of stored workflows.
    Operator,
    /// Also changes workflows and runs what is not stored.
    Builder,
}

impl CallerRole {
    /// As in JSON and in token files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Builder => "builder",
        }
    }

    /// The role of such a name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Viewer, Self::Operator, Self::Builder].into_iter().find(|role| role.as_str() == text)
    }
}

/// Through which door a caller came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// The window.
    App,
    /// The command line.
    Cli,
    /// A request with a token.
    Rest,
    /// A webhook of a service that tasks are copied to; who decided is what the service reports.
    Destination,
}

impl Via {
    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Cli => "cli",
            Self::Rest => "rest",
            Self::Destination => "destination",
        }
    }
}
