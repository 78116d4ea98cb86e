//! Runs and their events.

use crate::dto::{TaskLink, Usage};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::debug::Breakpoint;
use signalbox_model::event::RunEventWire;
use signalbox_model::{Map, RunStatus, RunSummary, StepSummary, Workflow};
use signalbox_runtime::StartOutcome;

/// Starts a run of `document` (what the editor shows, saved or not) or of the file `ref`. With both, `document` runs as
/// what `ref` holds: sub-workflows are looked for beside that file, then in the library.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunStart {
    /// The workflow itself.
    #[serde(default)]
    #[schemars(with = "Option<Workflow>")]
    pub document: Option<Value>,
    /// Opaque id of its file.
    #[serde(rename = "ref", default)]
    pub reference: Option<String>,
    /// The run's input.
    pub params: Map,
    /// The client's own name for the run: comes back on every event, and means nothing else.
    #[serde(default)]
    pub client_run_token: Option<String>,
    /// The same start sent again with the same key gives the same run, for 24 hours; another start with it is refused.
    #[serde(default)]
    pub idempotency_key: Option<String>,
    /// Before which calls it stops; for builders.
    #[serde(default)]
    pub breakpoints: Vec<Breakpoint>,
    /// It stops before its first call; for builders.
    #[serde(default)]
    pub paused: bool,
    /// The step, at the top, that it ends after: what does not lead to it does not run; for builders.
    #[serde(default)]
    pub until: Option<String>,
    /// Steps with a pinned output are not called, and put that out; for builders, with `ref`.
    #[serde(default)]
    pub pinned: bool,
    /// Faults of steps for this run only, by id of the step; for builders.
    #[serde(default)]
    pub faults: FaultSpecs,
    /// A checkpoint of another program that it begins at (`vl_workflow_checkpoint`); for builders.
    #[serde(default)]
    pub checkpoint: Option<Value>,
    /// What is changed of the checkpoint: `$name` is a variable, `_name` a local one, `name` a param.
    #[serde(default)]
    pub overrides: Map,
}

/// Faults by id of the step.
pub type FaultSpecs = IndexMap<String, FaultSpec>;

/// What happens to the calls of a step in one run of the builder: at most one of `error` and `output`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FaultSpec {
    /// They fail with this code, one of those that the kind of the step declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// They have this result: port → data of its items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<IndexMap<String, Vec<Value>>>,
    /// How long a call takes at least, milliseconds, at most an hour. The time limit of the step ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Only the first attempt has it, so that a retry gets through.
    #[serde(default)]
    pub first_call_only: bool,
}

/// Names a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunId {
    /// UUID v7.
    pub run_id: String,
}

/// A run that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunStarted {
    /// UUID v7.
    pub run_id: String,
    /// The limits of the workflow leave no room for it now: it waits for its turn. Absent when it has started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued: Option<bool>,
}

impl From<StartOutcome> for RunStarted {
    fn from(started: StartOutcome) -> Self {
        let queued = matches!(started, StartOutcome::Queued(_)).then_some(true);
        Self { run_id: started.run_id(), queued }
    }
}

/// Filters of the run history.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunList {
    /// Id of a workflow.
    #[serde(default)]
    pub workflow: Option<String>,
    /// Status.
    #[serde(default)]
    pub status: Option<RunStatus>,
    /// Part of the workflow's name, of the run id or of the error.
    #[serde(default)]
    pub text: Option<String>,
    /// Only re-runs that began from this run.
    #[serde(default)]
    pub parent: Option<String>,
    /// Only of this workspace.
    #[serde(default)]
    pub workspace: Option<String>,
    /// At most this many, 50 when absent, 500 at most.
    #[serde(default)]
    pub limit: Option<u32>,
    /// `next` of the page before.
    #[serde(default)]
    pub before: Option<String>,
}

/// What a run is, in a list or beside another one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunHead {
    /// UUID v7.
    pub run_id: String,
    /// Id of the workflow.
    pub workflow_id: String,
    /// Its name at the start.
    pub workflow_name: String,
    /// Where it stands.
    pub status: RunStatus,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// From start to end, or until now.
    pub duration_ms: i64,
    /// The run it was re-run from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    /// The workspace that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Its place in the queue of its workflow while it is `queued`, else in that of runs that wait for a worker; 1 is the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<u64>,
    /// The step that failed the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_step_id: Option<String>,
}

/// One run of the history.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    /// What it is.
    #[serde(flatten)]
    pub head: RunHead,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// Only a part was to run: the step it ends after, as "Run to here" asks for. Absent for a whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// What its questions to language models cost; absent when it asked none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Tasks of it that are open in the inbox; absent when there are none. A `paused` run with one waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_task_count: Option<u64>,
}

/// A page of the history, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunPage {
    /// The runs.
    pub runs: Vec<RunRow>,
    /// For `before` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Node id → state and counts.
pub type Steps = IndexMap<String, StepSummary>;

/// One run with everything to draw it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunDetails {
    /// The definition that the run pinned. First, so that its text can be put into the text of the rest.
    #[schemars(with = "Workflow")]
    pub definition: (),
    /// The summary; large values are cut.
    #[serde(flatten)]
    #[schemars(with = "RunSummary")]
    pub summary: Value,
    /// The summary's steps.
    #[schemars(skip)]
    pub steps: Steps,
    /// Name of the workflow at the start.
    pub workflow_name: String,
    /// Newest event.
    pub last_seq: u64,
    /// Its place in the queue of its workflow while it is `queued`, else in that of runs that wait for a worker; 1 is the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<u64>,
    /// The run's input.
    pub params: Value,
    /// Some process drives it now.
    pub driven: bool,
    /// Why it stands still although nothing in it has failed (disk full, a fault of the program).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<RunTrouble>,
    /// The step that a re-run began at, with its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_from: Option<String>,
    /// Steps whose result a re-run has from its original, in a container with their paths; the first 10,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// The run that asks a person about the failure of this one, while it has not ended, and the task with which it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_as: Option<TaskLink>,
    /// Values that may be personal or secret are masked.
    pub masked: bool,
    /// The caller may say why they need to see them (`run_reveal`).
    pub may_reveal: bool,
}

/// Shows a run without masks.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunReveal {
    /// The run.
    pub run_id: String,
    /// Why; it is recorded.
    pub reason: String,
}

/// The run is shown without masks to this caller.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunRevealed {
    /// RFC 3339; then the masks are back.
    pub until: String,
}

/// Why a run stands still.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunTrouble {
    /// `DISK_FULL`, `STORE_FAILED`, `INTERNAL`, `WAITS_FOR_WORKER`.
    pub code: String,
    /// In words. Of a run that waits for a worker: why runs are not handed over now, if that is so.
    pub message: String,
}

/// Events of a run.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunEventsAfter {
    /// The run.
    pub run_id: String,
    /// Events with a larger `seq`.
    pub after: u64,
    /// At most this many, 1,000 when absent.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Only those of this iteration or branch, with what is further in: `each[3]`, `par/left`.
    #[serde(default)]
    pub path: Option<String>,
}

/// Iterations and branches of a run.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunPaths {
    /// The run.
    pub run_id: String,
    /// Those that began after this event; all when absent.
    #[serde(default)]
    pub after: Option<u64>,
}

/// Up to 1,000 iterations and branches in the order in which they began.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunPathPage {
    /// Iterations of loops, branches of parallels, sub-workflows.
    pub paths: Vec<RunPath>,
    /// The containers at the top and those that `paths` are about, by their node, behind their path and `/` further in.
    pub containers: IndexMap<String, RunContainer>,
    /// There are more: ask again with `after` = `firstSeq` of the last.
    pub truncated: bool,
}

/// One iteration, branch or sub-workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunPath {
    /// `each[3]`, `par/left`, `each[3]/inner[0]`.
    pub path: String,
    /// Its first event.
    pub first_seq: u64,
    /// Its last event so far, without those further in.
    pub last_seq: u64,
    /// It has not ended.
    pub running: bool,
    /// It ended with an error, or was cut off.
    pub failed: bool,
    /// A person is asked, here or further in.
    pub waiting: bool,
    /// It stands from the original of a re-run and has no events here but the first; 10,000 of them at most.
    pub kept: bool,
}

/// A loop, a parallel or a sub-workflow at one path.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunContainer {
    /// Where the container itself stands; empty at the top.
    pub path: String,
    /// Its node.
    pub step_id: String,
    /// How many iterations or branches it has, when that is known.
    pub total: Option<u64>,
    /// How many ended well.
    pub done: u64,
    /// How many have begun and not ended.
    pub running: u64,
    /// How many ended with an error, or were cut off.
    pub failed: u64,
}

/// Events as they travel.
pub type Events = Vec<RunEventWire>;

/// A value that was cut on the wire.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueRef {
    /// `ref` of the cut value.
    #[serde(rename = "ref")]
    pub reference: String,
}
