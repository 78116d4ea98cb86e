//! What the validator says about a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How serious a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file cannot run.
    Error,
    /// It runs; a person should look.
    Warning,
}

/// The closed set of codes, each explained in `docs/diagnostics.md`. Codes may be added, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "docs/diagnostics.md explains every code; a test compares the two")]
pub enum Code {
    BadJson,
    UnknownType,
    UnknownPort,
    DanglingEdge,
    DuplicateEdge,
    Cycle,
    BadId,
    BadFile,
    TooLarge,
    NotAvailable,
    MissingConfig,
    UnknownConfig,
    BadConfig,
    BadMode,
    CelSyntax,
    CelLimit,
    UnknownName,
    NotAnAncestor,
    HandlerNeedsError,
    BadReentry,
    CrossesContainer,
    BranchesMeet,
    NewerVersion,
    EmptyWorkflow,
    AuditReservedEvent,
    ContextRace,
    RuleUnreachable,
    StopInFork,
    HostFromData,
    UnknownField,
    BadParam,
    BadParent,
    EmptyContainer,
    UnknownWorkflow,
    SecretPlace,
    SecretMissing,
    SecretHost,
    MissingModel,
    UnknownProvider,
    NoPrice,
    UngatedEgress,
    UnusableTool,
    UnknownTool,
    ToolArguments,
    UnusableSkill,
    NotTranslated,
    HandlerUnreachable,
    BadCron,
    NeverFires,
    UnknownTimezone,
    MissingGrant,
    UnfitParams,
    BadFormPath,
    FormPathTaken,
    BadForm,
    BadHookPath,
    HookPathTaken,
    NoResponse,
    SameForAllItems,
    UnknownConnector,
    UnknownOperation,
}

impl Code {
    /// The code as written in JSON.
    pub fn as_str(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

/// One finding with its place and the next step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostic {
    /// What kind of finding.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// JSON Pointer into the file.
    pub path: String,
    /// What is wrong and why, one sentence.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// A change of the file that mends it, where there is one that needs no choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Box<Fix>>,
}

/// A change of the file that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fix {
    /// What it does, in a few words: the text of a button.
    pub title: String,
    /// JSON Pointer of what is set.
    pub path: String,
    /// To what.
    pub value: serde_json::Value,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: Code, path: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            path: path.into(),
            message: message.into(),
            hint: hint.into(),
            fix: None,
        }
    }
    /// A warning.
    pub fn warning(code: Code, path: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Warning,
            path: path.into(),
            message: message.into(),
            hint: hint.into(),
            fix: None,
        }
    }
}

/// Escapes one JSON Pointer token.
pub fn pointer_token(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}
