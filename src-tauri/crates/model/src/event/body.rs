//! Types and payloads of events: what changes the state of a run, and what only reports on it.

use super::{
    ErrorHandled, FileDone, FileStart, RetryScheduled, StepDone, StepError, StepInterrupted, StepPrint, StepSkipped,
    StepStart, VarChanged, WorkflowCancelled, WorkflowDone, WorkflowFailed, WorkflowResumed, WorkflowStart,
};
use crate::call_progress::{
    LlmDelta, LlmDone, LlmError, LlmToolResult, LlmToolUse, ToolDone, ToolError, ToolMessage, ToolStart,
};
use crate::debug::{BreakpointsSet, InputEdited, WorkflowContinued, WorkflowPaused};
use crate::task::{
    AutoFixAttempt, Escalated, HumanTaskClosed, HumanTaskCompleted, HumanTaskContinued, HumanTaskCreated,
    HumanTaskHeld, HumanTaskReminded, Origin, PauseRejected, PauseResumed, PauseStart, PauseTimeout,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error, ser::SerializeStruct};
use serde_json::Value;
use std::borrow::Cow;

/// Makes the two enums, and the flat one that is their JSON.
macro_rules! event_bodies {
    (
        state { $($(#[$state_doc:meta])* $state:ident($state_payload:ty) = $state_name:literal,)* }
        telemetry { $($(#[$told_doc:meta])* $told:ident($told_payload:ty) = $told_name:literal,)* }
    ) => {
        /// Type and payload of a [`RunEvent`](super::RunEvent). In JSON: `type` and `payload` beside the other fields, however
        /// the variants are nested here.
        #[derive(Debug, Clone, PartialEq)]
        pub enum EventBody {
            $($(#[$state_doc])* $state($state_payload),)*
            /// A report: no state depends on it.
            Telemetry(Telemetry),
        }

        /// Events that report on a run and change none of its state.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Telemetry {
            $($(#[$told_doc])* $told($told_payload),)*
        }

        /// All types of events next to each other, as in JSON.
        #[derive(JsonSchema)]
        #[serde(tag = "type", content = "payload")]
        #[schemars(rename = "EventBody")]
        #[expect(dead_code, reason = "for the schema")]
        enum FlatBody {
            $($(#[$state_doc])* #[serde(rename = $state_name)] $state($state_payload),)*
            $($(#[$told_doc])* #[serde(rename = $told_name)] $told($told_payload),)*
        }

        impl EventBody {
            /// Reads the JSON of a payload, however deep it is nested. The one place that reads payloads, and from nothing but
            /// text: the code of all of them is a quarter of a megabyte for each source (ADR 223).
            pub fn of_text(kind: &str, payload: &str) -> serde_json::Result<Self> {
                let mut reader = serde_json::Deserializer::from_str(payload);
                reader.disable_recursion_limit();
                let body = match kind {
                    $($state_name => Self::$state(Deserialize::deserialize(&mut reader)?),)*
                    $($told_name => Self::Telemetry(Telemetry::$told(Deserialize::deserialize(&mut reader)?)),)*
                    _ => return Err(Error::custom(format!("there is no type of event `{kind}`"))),
                };
                reader.end()?;
                Ok(body)
            }
        }

        impl EventBody {
            /// The event type as written in JSON.
            pub fn type_name(&self) -> &'static str {
                match self {
                    $(Self::$state(_) => $state_name,)*
                    Self::Telemetry(report) => report.type_name(),
                }
            }
        }

        impl Telemetry {
            /// The event type as written in JSON.
            pub fn type_name(&self) -> &'static str {
                match self {
                    $(Self::$told(_) => $told_name,)*
                }
            }
        }

        impl Serialize for Payload<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.0 {
                    $(EventBody::$state(payload) => payload.serialize(serializer),)*
                    $(EventBody::Telemetry(Telemetry::$told(payload)) => payload.serialize(serializer),)*
                }
            }
        }
    };
}

/// The payload of a body, without its type.
pub struct Payload<'a>(pub &'a EventBody);

event_bodies! {
    state {
        /// The run begins.
        WorkflowStart(WorkflowStart) = "workflow_start",
        /// The run ended well.
        WorkflowDone(WorkflowDone) = "workflow_done",
        /// The run ended by an error or an abort.
        WorkflowFailed(WorkflowFailed) = "workflow_failed",
        /// The run was cancelled.
        WorkflowCancelled(WorkflowCancelled) = "workflow_cancelled",
        /// A crash or shutdown is over; calls without an end follow as `step_interrupted`.
        WorkflowResumed(WorkflowResumed) = "workflow_resumed",
        /// Before which calls the run stops.
        BreakpointsSet(BreakpointsSet) = "breakpoints_set",
        /// Nothing begins any more.
        WorkflowPaused(WorkflowPaused) = "workflow_paused",
        /// It goes on.
        WorkflowContinued(WorkflowContinued) = "workflow_continued",
        /// A person changed the input of a call that waits.
        InputEdited(InputEdited) = "input_edited",
        /// A call begins.
        StepStart(StepStart) = "step_start",
        /// A call ended well.
        StepDone(StepDone) = "step_done",
        /// A call failed.
        StepError(StepError) = "step_error",
        /// A call was cut off.
        StepInterrupted(StepInterrupted) = "step_interrupted",
        /// `if` was false, or the node is disabled.
        StepSkipped(StepSkipped) = "step_skipped",
        /// A context variable changed.
        VarChanged(VarChanged) = "var_changed",
        /// An automatic retry was planned.
        RetryScheduled(RetryScheduled) = "retry_scheduled",
        /// A rule or policy decided.
        ErrorHandled(ErrorHandled) = "error_handled",
        /// A repair of the input was tried.
        AutoFixAttempt(AutoFixAttempt) = "auto_fix_attempt",
        /// A person is asked.
        HumanTaskCreated(Box<HumanTaskCreated>) = "human_task_created",
        /// A person, or the policy of an expired task, answered.
        HumanTaskCompleted(HumanTaskCompleted) = "human_task_completed",
        /// The person was reminded.
        HumanTaskReminded(HumanTaskReminded) = "human_task_reminded",
        /// It waits for somebody else; its time stands still.
        HumanTaskHeld(HumanTaskHeld) = "human_task_held",
        /// Its time passes again.
        HumanTaskContinued(HumanTaskContinued) = "human_task_continued",
        /// Its step was cancelled with the container around it: nobody has to answer any more.
        HumanTaskClosed(HumanTaskClosed) = "human_task_closed",
        /// Nobody answered in time.
        Escalated(Escalated) = "escalated",
        /// Nobody resumed it in time.
        PauseTimeout(PauseTimeout) = "pause_timeout",
    }
    telemetry {
        /// `print` of a node.
        StepPrint(StepPrint) = "step_print",
        /// The run waits to be resumed.
        PauseStart(PauseStart) = "pause_start",
        /// It was resumed.
        PauseResumed(PauseResumed) = "pause_resumed",
        /// An answer by token was not taken; never stored.
        PauseRejected(PauseRejected) = "pause_rejected",
        /// An artifact write begins.
        FileStart(FileStart) = "file_start",
        /// An artifact was written.
        FileDone(FileDone) = "file_done",
        /// A piece of a model's answer.
        LlmToken(LlmDelta) = "llm_token",
        /// A piece of what a model thinks.
        LlmThinking(LlmDelta) = "llm_thinking",
        /// A model asks for a tool.
        LlmToolUse(LlmToolUse) = "llm_tool_use",
        /// The tool's answer goes back to the model.
        LlmToolResult(LlmToolResult) = "llm_tool_result",
        /// A model has said all.
        LlmDone(LlmDone) = "llm_done",
        /// A model could not be asked, or its answer is of no use.
        LlmError(LlmError) = "llm_error",
        /// A tool begins.
        ToolStart(ToolStart) = "tool_start",
        /// It tells something while it works.
        ToolMessage(ToolMessage) = "tool_message",
        /// It ended well.
        ToolDone(ToolDone) = "tool_done",
        /// It failed.
        ToolError(ToolError) = "tool_error",
    }
}

impl From<Telemetry> for EventBody {
    fn from(report: Telemetry) -> Self {
        Self::Telemetry(report)
    }
}

impl Serialize for EventBody {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_struct("EventBody", 2)?;
        body.serialize_field("type", self.type_name())?;
        body.serialize_field("payload", &Payload(self))?;
        body.end()
    }
}

impl<'de> Deserialize<'de> for EventBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Parts {
            r#type: String,
            payload: Value,
        }
        let parts = Parts::deserialize(deserializer)?;
        Self::of_text(&parts.r#type, &parts.payload.to_string()).map_err(D::Error::custom)
    }
}

impl JsonSchema for EventBody {
    fn schema_name() -> Cow<'static, str> {
        FlatBody::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        FlatBody::json_schema(generator)
    }
}

impl EventBody {
    /// The failed slot that an event of a recovery node is about.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Self::StepStart(p) => p.origin.as_ref(),
            Self::StepDone(p) => p.origin.as_ref(),
            Self::StepError(p) => p.origin.as_ref(),
            Self::StepInterrupted(p) => p.origin.as_ref(),
            Self::ErrorHandled(p) => p.origin.as_ref(),
            Self::AutoFixAttempt(p) => p.origin.as_ref(),
            Self::HumanTaskCreated(p) => p.origin.as_ref(),
            Self::WorkflowPaused(p) => p.origin.as_ref(),
            // A task that stands for several slots is closed for all of them.
            Self::HumanTaskCompleted(_)
            | Self::HumanTaskReminded(_)
            | Self::HumanTaskHeld(_)
            | Self::HumanTaskContinued(_)
            | Self::HumanTaskClosed(_)
            | Self::Escalated(_)
            | Self::PauseTimeout(_)
            | Self::WorkflowStart(_)
            | Self::WorkflowDone(_)
            | Self::WorkflowFailed(_)
            | Self::WorkflowCancelled(_)
            | Self::WorkflowResumed(_)
            | Self::BreakpointsSet(_)
            | Self::WorkflowContinued(_)
            | Self::InputEdited(_)
            | Self::StepSkipped(_)
            | Self::VarChanged(_)
            | Self::RetryScheduled(_)
            | Self::Telemetry(_) => None,
        }
    }

    /// After this event there is none.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::WorkflowDone(_) | Self::WorkflowFailed(_) | Self::WorkflowCancelled(_))
    }
}

#[cfg(test)]
mod tests;
