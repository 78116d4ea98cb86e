//! What a call tells while it is under way (source 003, R-17…R-26): pieces of a model's answer, the tools that it asks
//! for, notices of tools. The log shows it; no state depends on it.

use crate::event::{EventBody, FileDone, Telemetry};
use crate::{ErrorPayload, ErrorType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Payload of `llm_token` and `llm_thinking`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LlmDelta {
    /// The next piece of text.
    pub delta: String,
    /// It is the first of another answer: it does not go on where the last piece ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anew: bool,
}

impl LlmDelta {
    /// A piece that goes on where the last one ended.
    pub fn new(delta: impl Into<String>) -> Self {
        Self { delta: delta.into(), anew: false }
    }
}

/// Payload of `llm_tool_use`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LlmToolUse {
    /// Names the request, so that its result finds it.
    pub tool_use_id: String,
    /// The tool, as it was offered to the model.
    pub name: String,
    /// Its arguments as the model wrote them; a text where they are no JSON.
    pub input: Arc<Value>,
}

/// Payload of `llm_tool_result`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LlmToolResult {
    /// [`LlmToolUse::tool_use_id`].
    pub tool_use_id: String,
    /// What the model gets to read.
    pub content: String,
    /// The tool failed.
    pub is_error: bool,
}

/// What a question cost (R-26, L-10).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LlmUsage {
    /// Tokens of the questions.
    pub input_tokens: u64,
    /// Tokens of the answers, thoughts included.
    pub output_tokens: u64,
    /// Both together.
    pub total_tokens: u64,
    /// The provider did not tell all of them: what it left out is estimated, rather too much than too little.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// Payload of `llm_done`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LlmDone {
    /// Milliseconds of all questions of the call, tools between them included.
    pub latency_ms: i64,
    /// Why the model stopped: `stop`, `tool_use`, `max_tokens`, `refusal`.
    pub finish_reason: String,
    /// The model that really answered.
    pub model: String,
    /// What all questions of the call cost.
    pub usage: LlmUsage,
    /// Tokens of its thoughts, where the provider tells.
    pub thinking_tokens: Option<u64>,
    /// It asked for tools.
    pub has_tool_use: bool,
    /// The provider, by its name on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What all questions of the call cost, in millionths; absent where a price is not known.
    #[serde(rename = "costMicros", default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

/// Failures before any question: no model was asked.
pub const UNASKED: [&str; 7] = [
    "NOT_CONFIGURED",
    "SECRET_IN_INPUT",
    "BUDGET_EXCEEDED",
    "ADDRESS_REFUSED",
    "SECRET_MISSING",
    "SECRET_UNAVAILABLE",
    "CREDENTIAL_REFUSED",
];

/// Payload of `llm_error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LlmError {
    /// Plain words.
    pub error: String,
    /// Error type, as in the ErrorPayload that follows.
    #[serde(rename = "type")]
    pub error_type: ErrorType,
    /// Finer cause, as in the ErrorPayload that follows.
    pub code: String,
    /// The same question may work later.
    pub retryable: bool,
    /// Milliseconds since the call began.
    pub latency_ms: i64,
    /// The model that answered questions of the call before it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What these questions cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<LlmUsage>,
    /// Tokens of its thoughts, where the provider tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_tokens: Option<u64>,
    /// The provider, by its name on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What these questions cost, in millionths; absent where a price is not known.
    #[serde(rename = "costMicros", default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

/// Payload of `tool_start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolStart {
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub input: Arc<Value>,
    /// The arguments in one line.
    #[serde(rename = "inputSummary")]
    pub input_summary: String,
}

/// Payload of `tool_message`: a tool's own log and progress notices (K-57).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolMessage {
    /// The tool.
    pub name: String,
    /// `info`, `warn`, `error` or `progress`.
    pub level: String,
    /// Words.
    pub message: String,
    /// What else it told.
    pub data: Option<Arc<Value>>,
}

/// Payload of `tool_done`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolDone {
    /// The tool.
    pub name: String,
    /// Its normalised answer, bound as `_result` (T-08, T-09).
    pub output: Arc<Value>,
    /// The answer in one line.
    #[serde(rename = "outputSummary")]
    pub output_summary: String,
    /// The answer as it came, bound as `_toolResult`.
    #[serde(rename = "toolResult")]
    pub tool_result: Arc<Value>,
}

/// Payload of `tool_error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolError {
    /// The tool.
    pub name: String,
    /// What went wrong.
    pub error: Arc<ErrorPayload>,
    /// The step goes on all the same (T-07).
    pub allow_error: bool,
    /// What stands in place of the answer; null when the step fails.
    pub output: Option<Arc<Value>>,
    /// The answer as it came, if there was one.
    pub tool_result: Option<Arc<Value>>,
}

/// A file that a call leaves with the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftFile {
    /// Path inside the run's artifact folder.
    pub path: String,
    /// What it holds; text as it is, anything else as JSON.
    pub content: Arc<Value>,
}

/// One thing that a call tells while it is under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallProgress {
    /// A piece of the answer.
    LlmToken(LlmDelta),
    /// A piece of what the model thinks.
    LlmThinking(LlmDelta),
    /// The model asks for a tool.
    LlmToolUse(LlmToolUse),
    /// A tool's answer goes back to the model.
    LlmToolResult(LlmToolResult),
    /// The model has said all.
    LlmDone(LlmDone),
    /// The model could not be asked, or its answer is of no use.
    LlmError(LlmError),
    /// A tool begins.
    ToolStart(ToolStart),
    /// It tells something.
    ToolMessage(ToolMessage),
    /// It ended well.
    ToolDone(ToolDone),
    /// It failed.
    ToolError(ToolError),
    /// A file stays behind, however the call ends.
    File(LeftFile),
    /// A file was written into a granted folder.
    Wrote(FileDone),
}

impl TryFrom<CallProgress> for EventBody {
    /// It is no event of its own.
    type Error = LeftFile;

    fn try_from(said: CallProgress) -> Result<Self, LeftFile> {
        Ok(match said {
            CallProgress::LlmToken(said) => Self::Telemetry(Telemetry::LlmToken(said)),
            CallProgress::LlmThinking(said) => Self::Telemetry(Telemetry::LlmThinking(said)),
            CallProgress::LlmToolUse(said) => Self::Telemetry(Telemetry::LlmToolUse(said)),
            CallProgress::LlmToolResult(said) => Self::Telemetry(Telemetry::LlmToolResult(said)),
            CallProgress::LlmDone(said) => Self::Telemetry(Telemetry::LlmDone(said)),
            CallProgress::LlmError(said) => Self::Telemetry(Telemetry::LlmError(said)),
            CallProgress::ToolStart(said) => Self::Telemetry(Telemetry::ToolStart(said)),
            CallProgress::ToolMessage(said) => Self::Telemetry(Telemetry::ToolMessage(said)),
            CallProgress::ToolDone(said) => Self::Telemetry(Telemetry::ToolDone(said)),
            CallProgress::ToolError(said) => Self::Telemetry(Telemetry::ToolError(said)),
            CallProgress::Wrote(said) => Self::Telemetry(Telemetry::FileDone(said)),
            CallProgress::File(left) => return Err(left),
        })
    }
}
