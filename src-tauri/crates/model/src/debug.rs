//! Looking into a run while it goes on: breakpoints, stops before a call, single steps, an edited input (UX C27, ADR 33).

use crate::Map;
use crate::task::Origin;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Before which calls a run stops. It belongs to a person and a run, never to the workflow file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Breakpoint {
    /// A node of the run's own file wherever it stands, or a path and a node: `loop[3]/b`, `sub/b`.
    pub node: String,
    /// The wire that leads there, `node.port`: only calls with what comes along it (ADR 53); whatever the way when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// CEL over what the call's config sees; every call when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// Payload of `breakpoints_set`: all of them, whatever there was before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BreakpointsSet {
    /// The list.
    pub breakpoints: Vec<Breakpoint>,
    /// Who: `user:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_id: Option<String>,
}

/// Why a run stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// A breakpoint is at the call.
    Breakpoint,
    /// One call was asked for, and it has begun.
    Step,
    /// A person asked.
    Request,
}

impl PauseReason {
    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Breakpoint => "breakpoint",
            Self::Step => "step",
            Self::Request => "request",
        }
    }
}

/// Payload of `workflow_paused`: nothing begins any more until `workflow_continued`. The event stands on the call that would
/// have begun next, or on the run when a person asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowPaused {
    /// Why.
    pub reason: PauseReason,
    /// The breakpoint's wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The breakpoint's condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Why the condition could not be evaluated; it counts as true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition_error: Option<String>,
    /// Who asked: `user:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_id: Option<String>,
    /// The failed slot, when a recovery node would have run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// How a stopped run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Onward {
    /// To the next breakpoint, or to the end.
    Continue,
    /// By one call.
    Step,
}

/// Payload of `workflow_continued`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowContinued {
    /// How far.
    pub mode: Onward,
    /// Who: `user:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_id: Option<String>,
}

/// Payload of `input_edited`; the event stands on the call that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InputEdited {
    /// From the input before to the new one (RFC 6902).
    pub patch: Vec<Map>,
    /// The new input: the item's data in `mode: each`, a list of all in `mode: all`.
    pub input: Arc<Value>,
    /// Who: `user:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_id: Option<String>,
}

/// Where and why a run stands stopped, in its summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    /// Why.
    pub reason: PauseReason,
    /// RFC 3339.
    pub since: String,
    /// The node whose call would have begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// Where it stands; left out at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Item index; left out when there is one item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// The breakpoint's wire, `node.port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The breakpoint's condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Why it could not be evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition_error: Option<String>,
    /// Who asked: `user:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_id: Option<String>,
}

/// What a person who looks into a run asks of it; a durable input of the run carries it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub enum DebugRequest {
    /// These breakpoints, no others.
    Breakpoints {
        /// The list.
        breakpoints: Vec<Breakpoint>,
    },
    /// Nothing begins any more.
    Pause,
    /// To the next breakpoint, or to the end.
    Continue,
    /// By one call.
    Step,
    /// Another input for a call that waits.
    Edit {
        /// Its node.
        step: String,
        /// Where it stands; left out at the top.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// Item index; left out when there is one item.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<usize>,
        /// The item's data in `mode: each`, a list of all in `mode: all`.
        input: Value,
    },
}

/// How a run begins that somebody looks into.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DebugStart {
    /// Before which calls it stops.
    pub breakpoints: Vec<Breakpoint>,
    /// It stops before its first call.
    pub paused: bool,
    /// Who: `user:…`.
    pub operator_id: Option<String>,
}
