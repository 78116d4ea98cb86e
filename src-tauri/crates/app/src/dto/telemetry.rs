//! Where spans go, and the span of a step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How spans are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TelemetryProtocol {
    /// Protobuf over HTTP.
    #[default]
    Http,
    /// gRPC.
    Grpc,
}

/// Whether and where spans of runs are sent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TelemetrySet {
    /// They are sent.
    pub on: bool,
    /// Address of the collector, such as `http://localhost:4318`; over HTTP `/v1/traces` is added when it has no path.
    #[serde(default)]
    #[schemars(length(max = 2048))]
    pub endpoint: Option<String>,
    /// How.
    #[serde(default)]
    pub protocol: TelemetryProtocol,
    /// `secret://NAME`: the header that the collector asks for. It must allow the host of the address.
    #[serde(default)]
    pub credential: Option<String>,
    /// Address of a trace in a tracing program, with `{traceId}` and, where it has one, `{spanId}`.
    #[serde(default)]
    #[schemars(length(max = 2048))]
    pub link: Option<String>,
}

/// How spans are sent, and what became of those of this process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TelemetryView {
    /// They are to be sent.
    pub on: bool,
    /// Address of the collector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// How.
    pub protocol: TelemetryProtocol,
    /// The secret that is sent, `secret://NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// Address of a trace in a tracing program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Environment variables that decide instead of the settings; empty: the settings decide.
    pub variables: Vec<String>,
    /// This process sends spans now.
    pub sending: bool,
    /// Spans that arrived since this process started.
    pub sent: u64,
    /// Spans that did not arrive, and groups of events that found the queue full.
    pub dropped: u64,
    /// Why the last spans did not arrive, or why none can be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What became of one span that was sent to try the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TelemetryTest {
    /// The collector took it.
    pub ok: bool,
    /// Where it was sent.
    pub endpoint: String,
    /// The trace to look for.
    pub trace_id: String,
    /// Why it did not arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A run, or the last call of a step in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunTraceOf {
    /// The run.
    pub run_id: String,
    /// A step of it.
    #[serde(default)]
    pub step_id: Option<String>,
    /// Where the step was called, within containers.
    #[serde(default)]
    pub path: Option<String>,
    /// The item that it was called with.
    #[serde(default)]
    pub item: Option<usize>,
}

/// What leads to a run or a step in a tracing program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunTraceView {
    /// 32 hex digits.
    pub trace_id: String,
    /// 16 hex digits; absent when the step was not called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span_id: Option<String>,
    /// Its address in the tracing program of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// This process sends spans now.
    pub sending: bool,
}
