//! RunEvent: the log that alone rebuilds a run (INTERFACES 2, WALKTHROUGH).

mod body;

pub use body::{EventBody, Payload, Telemetry};

use crate::base::Base;
use crate::task::Origin;
use crate::{Data, ErrorPayload, Items, Map};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// One entry of a run's log. `seq` is absent on events that are not stored (`live: true`).
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    /// The run.
    pub run_id: String,
    /// From 1, +1, no gaps.
    pub seq: Option<u64>,
    /// RFC 3339 with milliseconds and `Z`.
    pub ts: String,
    /// The node, or null for the run.
    pub step_id: Option<String>,
    /// Where in nested containers; left out at the top.
    pub path: Option<String>,
    /// Item index; left out when there is one item.
    pub item: Option<usize>,
    /// Round of the slot, from 1.
    pub visit: Option<u32>,
    /// Automatic re-executions before this call, from 0.
    pub attempt: Option<u32>,
    /// Type and payload.
    pub body: EventBody,
    /// Token of the client that started the run.
    pub client_run_token: Option<String>,
}

/// Payload of `workflow_start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowStart {
    /// Name of the workflow.
    pub name: String,
    /// SHA-256 of the pinned definition, hex.
    pub version: String,
    /// The run's input.
    pub params: Arc<Value>,
    /// 16 hex digits; every delay is a function of it.
    pub seed: String,
    /// Initial context values given at the start besides the file's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Map>,
    /// What started the run, when not a person on this machine: `rest`, `webhook`, `schedule`.
    #[serde(rename = "startedBy", default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<String>,
    /// Step that a re-run begins at.
    #[serde(rename = "resumedFrom", default, skip_serializing_if = "Option::is_none")]
    pub resumed_from: Option<String>,
    /// Step that the run ends after; whatever else does not lead to it does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Original of a re-run.
    #[serde(rename = "parentRunId", default, skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    /// Last event of the original that is part of the base.
    #[serde(rename = "baseSeq", default, skip_serializing_if = "Option::is_none")]
    pub base_seq: Option<u64>,
    /// What a re-run has of its original. `context` then holds all variables, not only some beside the file's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Box<Base>>,
}

/// Payload of `workflow_done`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowDone {
    /// Milliseconds since `workflow_start`.
    pub duration_ms: i64,
    /// Set when a Stop ended the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_id: Option<String>,
}

/// Payload of `workflow_failed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowFailed {
    /// The error that ended the run.
    pub error: Arc<ErrorPayload>,
    /// Node that failed.
    pub failed_step_id: String,
    /// Milliseconds since `workflow_start`.
    pub duration_ms: i64,
    /// `max_attempts_exceeded`, `no_fallback`, `aborted_by_operator`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Payload of `workflow_cancelled`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowCancelled {
    /// Milliseconds since `workflow_start`.
    pub duration_ms: i64,
    /// The re-run that took its place while it waited for a person.
    #[serde(rename = "supersededBy", default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// Payload of `workflow_resumed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowResumed {}

/// Payload of `step_start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepStart {
    /// Node kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// `title` of the node when it has one.
    pub meta: Map,
    /// Evaluated `in`, or null without `in`.
    #[serde(rename = "resolvedInputs")]
    pub resolved_inputs: Option<Data>,
    /// Evaluated config of the first item of the call.
    pub config: Arc<Value>,
    /// Evaluated configs of the other items of a batch whose config differs: item index → config.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configs: Option<IndexMap<usize, Arc<Value>>>,
    /// The items as they go into the code.
    // There may be many, and a copy of the event shares them.
    #[schemars(with = "Vec<InputItem>")]
    pub input: Arc<[InputItem]>,
    /// So many items go in that are not told again: the step reads the list of its wires where it lies, and `input` is empty (ADR 157).
    #[serde(rename = "inputItems", default, skip_serializing_if = "Option::is_none")]
    pub input_items: Option<usize>,
    /// Idempotency key of a `write`.
    #[serde(rename = "idempotencyKey", default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// When a wait is over, milliseconds since 1970.
    #[serde(rename = "dueMs", default, skip_serializing_if = "Option::is_none")]
    pub due_ms: Option<i64>,
    /// The failed slot, when a recovery node runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The step is not called: its pinned output follows (ADR 102).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// A person put a fault into the call (ADR 144).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub faulted: bool,
    /// What safety checks masked in the input and the settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<MaskedData>,
}

/// Personal data that a safety check replaced by placeholders (ADR 125).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MaskedData {
    /// Name of the safety check.
    pub check: String,
    /// `email`, `phone`, `iban`, `card` or `nationalId`.
    pub kind: String,
    /// How many places.
    pub count: usize,
}

/// One item as it went into a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InputItem {
    /// Index in the activation's input.
    pub item: usize,
    /// Its data.
    pub data: Data,
}

impl InputItem {
    /// The same items, the texts of their data in one piece of memory: many short ones take several times their text otherwise.
    pub fn packed(items: Vec<Self>) -> Vec<Self> {
        let datas = crate::data::packed(items.iter().map(|item| &item.data));
        items.iter().zip(datas).map(|(item, data)| Self { item: item.item, data }).collect()
    }
}

/// Payload of `step_done`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepDone {
    /// Read-back of `out`, or null without `out`.
    pub outputs: Option<Map>,
    /// The port, when all items took one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<String>,
    /// Port → number of items; taken ports only.
    pub ports: IndexMap<String, usize>,
    /// Port → items.
    pub items: IndexMap<String, Items>,
    /// The failed slot, when a recovery node runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The items are pinned output; the step was not called (ADR 102).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// What safety checks masked in the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<MaskedData>,
}

/// Payload of `step_error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepError {
    /// The completed error.
    pub error: Arc<ErrorPayload>,
    /// The failed slot, when a recovery node runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The step waits for a person who allows a call of a tool, and goes on with this conversation (ADR 51).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Arc<Value>>,
}

/// Payload of `step_interrupted`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepInterrupted {
    /// `unknown` when it may have happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// The failed slot, when a recovery node runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// Payload of `step_skipped`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepSkipped {
    /// The condition that was false, or `disabled`.
    pub condition: String,
}

/// Payload of `step_print`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepPrint {
    /// What was printed.
    pub value: Arc<Value>,
}

/// Payload of `var_changed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VarChanged {
    /// With `$`.
    pub name: String,
    /// Absent when it was unset.
    #[serde(
        rename = "oldValue",
        default,
        deserialize_with = "crate::present::present",
        skip_serializing_if = "Option::is_none"
    )]
    pub old_value: Option<Arc<Value>>,
    /// The new value.
    #[serde(rename = "newValue")]
    pub new_value: Arc<Value>,
}

/// Payload of `retry_scheduled`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RetryScheduled {
    /// The next attempt.
    pub attempt: u32,
    /// The delay really used, milliseconds.
    #[serde(rename = "delayMs")]
    pub delay_ms: u64,
}

/// Payload of `error_handled`; stands before what it decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorHandled {
    /// Node that failed.
    pub origin_step_id: String,
    /// Rule name; `policy:<name>` for a policy's.
    pub rule: String,
    /// What is really done.
    pub action: String,
    /// The rule's action when it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// A rule before it that could not be evaluated (K-10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_error: Option<String>,
    /// The failed slot, when a recovery node runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// Payload of `file_start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileStart {
    /// Artifact path.
    pub path: String,
}

/// Payload of `file_done`. The text itself is in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileDone {
    /// Artifact path; for a file in a granted folder the path that the step was given.
    pub path: String,
    /// Bytes.
    pub size_bytes: u64,
    /// Present for a file in a granted folder, absent for an artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted: Option<GrantedFile>,
}

/// A file that a step wrote into a granted folder, as it was right after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrantedFile {
    /// The workflow whose grants were used.
    pub workflow_id: String,
    /// The real path, without links.
    pub place: String,
    /// Time of its last change, in milliseconds since 1970.
    pub modified_ms: i64,
}

/// A list with more items is shown by its first ones.
pub const MOST_SHOWN: usize = 10_000;
/// So many of them.
pub const SHOWN: usize = 1_000;

impl RunEvent {
    /// The event as it travels to people: of a list that lies in files only the first items are there. `ports` says how many there are.
    pub fn shown(&self) -> Cow<'_, Self> {
        let is_long = |items: &Items| items.len() > MOST_SHOWN && items.is_paged();
        match &self.body {
            EventBody::StepDone(done) if done.items.values().any(is_long) => {
                let mut done = done.clone();
                for items in done.items.values_mut().filter(|items| is_long(items)) {
                    *items = items.begin(SHOWN);
                }
                Cow::Owned(Self { body: EventBody::StepDone(done), ..self.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }
}

impl Serialize for RunEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("runId", &self.run_id)?;
        match self.seq {
            Some(seq) => map.serialize_entry("seq", &seq)?,
            None => map.serialize_entry("live", &true)?,
        }
        map.serialize_entry("ts", &self.ts)?;
        map.serialize_entry("type", self.body.type_name())?;
        map.serialize_entry("stepId", &self.step_id)?;
        if let Some(path) = &self.path {
            map.serialize_entry("path", path)?;
        }
        if let Some(item) = self.item {
            map.serialize_entry("item", &item)?;
        }
        if let Some(visit) = self.visit {
            map.serialize_entry("visit", &visit)?;
        }
        if let Some(attempt) = self.attempt {
            map.serialize_entry("attempt", &attempt)?;
        }
        map.serialize_entry("payload", &Payload(&self.body))?;
        if let Some(token) = &self.client_run_token {
            map.serialize_entry("clientRunToken", token)?;
        }
        map.end()
    }
}

/// The wire shape of [`RunEvent`], for reading and for the schema.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RunEvent")]
pub struct RunEventWire {
    run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[expect(dead_code, reason = "stands for an absent seq")]
    live: Option<bool>,
    ts: String,
    #[serde(rename = "type")]
    event_type: String,
    step_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    visit: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    payload: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_run_token: Option<String>,
    /// The trace of the run; in events as they are shown, not in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[expect(dead_code, reason = "follows from the run")]
    trace_id: Option<String>,
}

impl<'de> Deserialize<'de> for RunEvent {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = RunEventWire::deserialize(deserializer)?;
        let body = EventBody::of_text(&wire.event_type, &wire.payload.to_string());
        Ok(Self {
            run_id: wire.run_id,
            seq: wire.seq,
            ts: wire.ts,
            step_id: wire.step_id,
            path: wire.path,
            item: wire.item,
            visit: wire.visit,
            attempt: wire.attempt,
            body: body.map_err(serde::de::Error::custom)?,
            client_run_token: wire.client_run_token,
        })
    }
}
