//! The inbox: tasks of people, and what people do to them.

use crate::dto::{SavedViewCount, TaskLink};
use crate::error::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_engine::patch::Operation;
use signalbox_model::task::{Alternative, SentFrom};
use signalbox_model::{ErrorPayload, Level, Origin, TaskAction, TaskKind, TaskReason, TaskState, ToolGrant};

/// Who the caller is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Who {
    /// `user:…`.
    pub operator_id: String,
    /// What the caller may do.
    pub role: crate::dto::CallerRole,
    /// Through which door.
    pub via: super::Via,
    /// Roles in workspaces; absent: the role holds for everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspaces: Option<super::WhoWorkspaces>,
}

/// Which half of the inbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskScope {
    /// Those that wait, most urgent first.
    #[default]
    Open,
    /// Those that do not wait any more, last decided first.
    Done,
    /// All, newest first.
    All,
}

/// A view of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskView {
    /// Everything that is not snoozed.
    All,
    /// Assigned to me or to somebody for whom I answer, or claimed by me.
    Mine,
    /// Nobody has it.
    Unassigned,
    /// Its time ends today.
    DueToday,
    /// Its time has ended.
    Overdue,
    /// Hidden until later.
    Snoozed,
}

/// In which order open tasks are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskSort {
    /// What is overdue and what is due today by its deadline, then the rest by priority, the oldest first.
    #[default]
    Urgent,
    /// Whose time ends first; those without an end last.
    Due,
}

/// Which tasks to list.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskList {
    /// Which half, `open` when absent.
    #[serde(default)]
    pub state: Option<TaskScope>,
    /// Which view; everything, snoozed tasks too, when absent.
    #[serde(default)]
    pub view: Option<TaskView>,
    /// Id of a workflow.
    #[serde(default)]
    pub workflow: Option<String>,
    /// Failures of the same step for the same cause.
    #[serde(default)]
    pub fingerprint: Option<String>,
    /// Of this run.
    #[serde(default)]
    pub run_id: Option<String>,
    /// Part of title, error, step, workflow or run.
    #[serde(default)]
    pub text: Option<String>,
    /// In which order open ones, `urgent` when absent.
    #[serde(default)]
    pub sort: Option<TaskSort>,
    /// End of the caller's day (RFC 3339), 24 hours from now when absent.
    #[serde(default)]
    pub day_end: Option<String>,
    /// At most this many, 50 when absent, 500 at most.
    #[serde(default)]
    pub limit: Option<u32>,
    /// `next` of the page before.
    #[serde(default)]
    pub after: Option<String>,
}

/// One task as lists show it. Texts that may hold personal data are masked.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskRow {
    /// Its id.
    pub id: String,
    /// What is asked.
    pub kind: TaskKind,
    /// Why.
    pub reason: TaskReason,
    /// Where it stands.
    pub state: TaskState,
    /// From 1, +1 with each change.
    pub revision: i64,
    /// The run that waits for it.
    pub run_id: String,
    /// Id of its workflow.
    pub workflow_id: String,
    /// Name of the workflow when the run started.
    pub workflow_name: String,
    /// The step that it is about: the failed one, else the one that asks.
    pub node_id: String,
    /// Its title in the workflow.
    pub node_title: String,
    /// The step that asks.
    pub step_id: String,
    /// Where in nested containers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Item index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// Round of the slot.
    pub visit: u32,
    /// Attempt of the call.
    pub attempt: u32,
    /// One line.
    pub title: String,
    /// How bad.
    pub severity: Level,
    /// 0 to 100.
    pub priority: u8,
    /// The same for failures of the same step for the same cause.
    pub fingerprint: String,
    /// Open tasks with this fingerprint, counted up to 1,000.
    pub same_count: u64,
    /// Type of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_type: Option<String>,
    /// Its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// Its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Who has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Who may take it.
    pub candidate_groups: Vec<String>,
    /// Who works on it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// Until when, RFC 3339; claiming again prolongs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_expires_at: Option<String>,
    /// Hidden until then, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snoozed_until: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339; nobody decides after it, unless it is escalated then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Since when it waits for somebody else, RFC 3339; its time stands still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_since: Option<String>,
    /// What is left of its time then, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_ms: Option<i64>,
    /// Reminders so far.
    pub reminders: u32,
    /// Escalations so far.
    pub escalation_level: u32,
    /// Failed slots that this one task stands for.
    pub cases: usize,
    /// How many different people must approve; 1 = whoever decides first.
    pub min_approvals: u32,
    /// How many have approved, where several must.
    pub approvals: u32,
    /// What may be answered, in the order of the buttons.
    pub allowed_actions: Vec<TaskAction>,
    /// Who decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// When it was decided or closed, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    /// What was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<TaskAction>,
}

/// A page of tasks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TaskPage {
    /// The tasks.
    pub tasks: Vec<TaskRow>,
    /// For `after` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Tasks of all pages.
    pub total: u64,
}

/// For whom to count.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskCountsRequest {
    /// End of the caller's day (RFC 3339), 24 hours from now when absent.
    #[serde(default)]
    pub day_end: Option<String>,
}

/// How many tasks stand where. All but `done` count open ones.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskCounts {
    /// All, snoozed ones too.
    pub open: u64,
    /// Assigned to me or claimed by me.
    pub mine: u64,
    /// Nobody has it.
    pub unassigned: u64,
    /// Its time ends today.
    pub due_today: u64,
    /// Its time has ended.
    pub overdue: u64,
    /// Hidden until later.
    pub snoozed: u64,
    /// Not open any more.
    pub done: u64,
    /// Most first, at most 50.
    pub by_workflow: Vec<WorkflowCount>,
    /// Those of several tasks, most first, at most 50.
    pub by_fingerprint: Vec<FingerprintCount>,
    /// The caller's own views, in the order in which they were saved.
    pub saved: Vec<SavedViewCount>,
}

/// Open tasks of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WorkflowCount {
    /// Id of the workflow.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How many.
    pub count: u64,
}

/// Open tasks of a fingerprint.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FingerprintCount {
    /// The fingerprint.
    pub fingerprint: String,
    /// Title of one of them.
    pub title: String,
    /// How many.
    pub count: u64,
}

/// Names a task.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskGet {
    /// The task.
    pub task_id: String,
    /// Also give a new one-time secret that answers it (role operator).
    #[serde(default)]
    pub secret: bool,
}

/// Names a task.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskRef {
    /// The task.
    pub task_id: String,
}

/// A task with everything that helps to decide. Values that may be personal are masked: their text is `•••N•`, the same
/// number for the same value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// As in lists.
    #[serde(flatten)]
    pub row: TaskRow,
    /// Where it stands in other services.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<super::TaskCopy>,
    /// The failed slot, when a recovery step asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What the author wrote for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ErrorPayload>")]
    pub error: Option<Value>,
    /// The input that failed, or the data that is shown. Masked values may stand in a corrected input as they are: they
    /// keep their value.
    pub input: Value,
    /// What a corrected input, or a form, has to fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Where the run goes on, for each answer that a wire of the asking step decides about.
    pub ways: Vec<super::TaskWay>,
    /// Ways out for `alternative`.
    pub alternatives: Vec<Alternative>,
    /// JSON Pointers of what is masked in `input`.
    pub redacted: Vec<String>,
    /// The caller may see it, with a reason (`task_reveal`).
    pub may_reveal: bool,
    /// The last events of the run, oldest first.
    pub trace: Vec<TaskTrace>,
    /// The context of the run now; large values are cut.
    pub variables: Map<String, Value>,
    /// What the steps before put out; large values are cut.
    pub upstream: Vec<TaskUpstream>,
    /// Corrections to take with one click.
    pub suggestions: Vec<TaskSuggestion>,
    /// What happened to the task, oldest first.
    pub history: Vec<TaskEvent>,
    /// One-time, for who may answer; only when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// What was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<TaskDecision>,
    /// Files in the input and in the error, at most 50.
    pub attachments: Vec<TaskAttachment>,
    /// Who has approved, where several must, in the order of their votes.
    pub votes: Vec<TaskVote>,
    /// Who started the run may not approve.
    pub no_self_approval: bool,
    /// Who started the run, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_by: Option<String>,
    /// The ended task of an earlier run that this one asks again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reopens: Option<TaskLink>,
    /// What asks this one again, the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reopened_as: Option<TaskLink>,
    /// The failed run that a person sent to the inbox as this task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_from: Option<SentFrom>,
}

/// A file that a task is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskAttachment {
    /// Where it stands: a JSON Pointer that begins with `/input` or `/error`.
    pub id: String,
    /// Its name, without folders.
    pub name: String,
    /// Its media type.
    pub mime: String,
    /// Bytes.
    pub size: u64,
}

/// Asks for a file of a task; that is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskAttachmentGet {
    /// The task.
    pub task_id: String,
    /// `id` of the attachment.
    pub id: String,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskFile {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub mime: String,
    /// Its bytes.
    pub bytes_base64: String,
}

/// One of several approvals.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskVote {
    /// Who: `user:…`.
    pub by: String,
    /// RFC 3339.
    pub at: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// For whom, when the task was somebody else's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<String>,
}

/// One event of the run in plain words.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskTrace {
    /// Its place in the run.
    pub seq: u64,
    /// The step; empty for the run itself.
    pub step_id: String,
    /// Its title.
    pub title: String,
    /// Type of the event.
    pub event: String,
    /// A `step_error` that is a question to a person, and no fault: the step waits for the answer.
    pub asks: bool,
    /// RFC 3339.
    pub at: String,
    /// In words.
    pub summary: String,
}

/// What a step before put out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskUpstream {
    /// The step.
    pub step_id: String,
    /// Its title.
    pub title: String,
    /// Port → items.
    pub output: Value,
}

/// Who proposes a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SuggestionSource {
    /// The built-in repair of inputs.
    Rule,
    /// What a person decided the last time.
    History,
    /// A language model that a person asked.
    Llm,
}

/// A correction to take with one click.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskSuggestion {
    /// Who proposes it.
    pub source: SuggestionSource,
    /// The whole corrected input.
    pub corrected_input: Value,
    /// Why.
    pub rationale: String,
    /// It fits the schema.
    pub valid: bool,
    /// What is changed, one sentence each.
    pub changes: Vec<String>,
}

/// One thing that happened to a task.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TaskEvent {
    /// RFC 3339.
    pub at: String,
    /// Who: `user:…` or `system`.
    pub by: String,
    /// What.
    pub what: TaskEventKind,
    /// In words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What happened to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum TaskEventKind {
    Created,
    Claimed,
    Released,
    Reassigned,
    Commented,
    Snoozed,
    Held,
    Continued,
    Reminded,
    Escalated,
    Revealed,
    Approved,
    Opened,
    Suggested,
    Decided,
    Closed,
    Reopened,
    Sent,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskDecision {
    /// What was chosen.
    pub action: TaskAction,
    /// With `correct` and `submit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected_input: Option<Value>,
    /// With `alternative`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_node_id: Option<String>,
    /// From the input that failed to the corrected one (RFC 6902).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    /// What the run may spend more, in millionths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_micros: Option<u64>,
    /// How far an approval of a call of a tool goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_grant: Option<ToolGrant>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Who; `system` when a policy decided.
    pub operator_id: String,
    /// RFC 3339.
    pub at: String,
    /// From the creation of the task.
    pub duration_ms: i64,
    /// Through which door: `app`, `cli`, `rest`, `policy`, `run`.
    pub via: String,
    /// For whom, when the task was somebody else's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<String>,
}

/// A corrected input to look at.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskCheckRequest {
    /// The task.
    pub task_id: String,
    /// The whole corrected input, or the values of the form.
    pub corrected_input: Value,
}

/// Whether a corrected input fits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TaskCheck {
    /// It fits.
    pub valid: bool,
    /// What does not.
    pub violations: Vec<TaskViolation>,
    /// From the input that failed to this one (RFC 6902).
    #[schemars(with = "Vec<PatchOperation>")]
    pub patch: Vec<Operation>,
}

/// One operation of a JSON Patch (RFC 6902).
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(tag = "op", rename_all = "lowercase")]
#[expect(missing_docs, reason = "the standard is the definition")]
pub enum PatchOperation {
    Add { path: String, value: Value },
    Remove { path: String },
    Replace { path: String, value: Value },
    Move { from: String, path: String },
    Copy { from: String, path: String },
    Test { path: String, value: Value },
}

/// One reason why an input does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskViolation {
    /// JSON Pointer; empty for the whole.
    pub path: String,
    /// In plain words.
    pub message: String,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskComplete {
    /// The task.
    pub task_id: String,
    /// What is chosen.
    pub action: TaskAction,
    /// With `correct`: the whole corrected input. With `submit`: the values.
    #[serde(default)]
    pub corrected_input: Option<Value>,
    /// With `alternative`: one of the task's targets.
    #[serde(default)]
    pub target_node_id: Option<String>,
    /// With `retry` of a step whose budget is used up: what the run may spend more, in millionths.
    #[serde(default)]
    pub budget_micros: Option<u64>,
    /// With `approve` of a call of a tool: how far it goes; this call when absent.
    #[serde(default)]
    pub tool_grant: Option<ToolGrant>,
    /// Why.
    #[serde(default)]
    pub notes: Option<String>,
    /// The revision that the person saw: refused when the task has changed since.
    #[serde(default)]
    pub revision: Option<i64>,
    /// The same id again gives the first answer again.
    #[serde(default)]
    pub request_id: Option<String>,
    /// Taken only when it is the caller.
    #[serde(default)]
    pub operator_id: Option<String>,
}

/// An answer that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskCompleted {
    /// The task.
    pub task_id: String,
    /// Its run.
    pub run_id: String,
    /// Where the task stands now.
    pub state: TaskState,
    /// A process drove the run when it was answered; false = it goes on when one takes it up (`resume`).
    pub driven: bool,
    /// How many people have approved, where several must. The run waits until it is `minApprovals`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvals: Option<u32>,
    /// How many must.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_approvals: Option<u32>,
}

/// One answer for several tasks.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskCompleteMany {
    /// The tasks, at most 1,000.
    pub task_ids: Vec<String>,
    /// What is chosen.
    pub action: TaskAction,
    /// With `correct`: the corrected input of every one of them.
    #[serde(default)]
    pub corrected_input: Option<Value>,
    /// With `correct`: what is changed in each one's own input (RFC 6902).
    #[serde(default)]
    #[schemars(with = "Option<Vec<PatchOperation>>")]
    pub patch: Option<Vec<Operation>>,
    /// Why.
    #[serde(default)]
    pub notes: Option<String>,
    /// The same id again gives the first answers again; it is the batch id, then.
    #[serde(default)]
    pub request_id: Option<String>,
}

/// What became of each.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskBatch {
    /// Stands in the audit entry of each.
    pub batch_id: String,
    /// One per task, in the order of the request.
    pub results: Vec<TaskBatchResult>,
}

/// What became of one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskBatchResult {
    /// The task.
    pub task_id: String,
    /// It was answered.
    pub ok: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ApiError>,
}

/// Gives a task to somebody.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskReassign {
    /// The task.
    pub task_id: String,
    /// `user:…` or `group:…`.
    pub to: String,
    /// Why.
    #[serde(default)]
    pub notes: Option<String>,
}

/// Says something about a task.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskComment {
    /// The task.
    pub task_id: String,
    /// What.
    pub text: String,
}

/// Hides a task.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskSnooze {
    /// The task.
    pub task_id: String,
    /// RFC 3339; a time that has passed shows a hidden one again, and is refused for another.
    pub until: String,
}

/// Says that a task waits for somebody else, or that it does no more.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskHold {
    /// The task.
    pub task_id: String,
    /// It waits; its time stands still.
    pub held: bool,
    /// For whom, or why.
    #[serde(default)]
    pub notes: Option<String>,
}

/// Asks for masked values.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskReveal {
    /// The task.
    pub task_id: String,
    /// Why; it is recorded.
    pub reason: String,
}

/// Values without masks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TaskRevealed {
    /// The input that failed, or the data that is shown.
    pub input: Value,
    /// What failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ErrorPayload>")]
    pub error: Option<Value>,
}

/// Resumes a run that waits, with the one-time secret of its task.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunAnswer {
    /// The run.
    pub run_id: String,
    /// The secret of `task_get`.
    pub token: String,
    /// The values.
    #[serde(default)]
    pub payload: Option<Value>,
    /// The same id again gives the first answer again.
    #[serde(default)]
    pub request_id: Option<String>,
}
