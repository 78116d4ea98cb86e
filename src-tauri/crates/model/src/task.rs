//! What a person is asked (K-54, UX D1): one record for a decision on an error, an approval, a form and a pause.

use crate::{Binaries, ErrorPayload, Map, time::Millis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The failed slot that a recovery node works on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Origin {
    /// The node whose call failed.
    pub step_id: String,
    /// Where in nested containers; left out at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Item index; left out when there is one item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// Round of the slot.
    pub visit: u32,
    /// Attempt of the failed call.
    pub attempt: u32,
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// What to do about an error.
    Decision,
    /// Yes or no.
    Approval,
    /// Values to fill in.
    Form,
    /// A run that waits to be resumed (`flow.pause`).
    Pause,
}

/// Why it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskReason {
    /// A step failed.
    Error,
    /// A step was cut off and may have happened.
    Interrupted,
    /// A step of the workflow asks.
    Step,
    /// A model wants to call a tool, and a rule asks before.
    ToolCall,
    /// A tool or an agent that the step called asks back.
    Question,
}

/// How far an approval of a call of a tool goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolGrant {
    /// This call.
    Once,
    /// This call, and in this run every further one of the same tool for which the same rule asks.
    Run,
}

impl ToolGrant {
    /// As in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Run => "run",
        }
    }
    /// From JSON.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Once, Self::Run].into_iter().find(|grant| grant.as_str() == text)
    }
}

/// What may be answered (K-16). `approve`, `reject` belong to approvals, `submit` to forms and pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum TaskAction {
    Retry,
    Correct,
    Skip,
    Alternative,
    Abort,
    Approve,
    Reject,
    Submit,
}

impl TaskAction {
    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Correct => "correct",
            Self::Skip => "skip",
            Self::Alternative => "alternative",
            Self::Abort => "abort",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Submit => "submit",
        }
    }
    /// From JSON.
    pub fn parse(text: &str) -> Option<Self> {
        let all = [
            Self::Retry,
            Self::Correct,
            Self::Skip,
            Self::Alternative,
            Self::Abort,
            Self::Approve,
            Self::Reject,
            Self::Submit,
        ];
        all.into_iter().find(|action| action.as_str() == text)
    }
}

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It waits for a person.
    Open,
    /// A person answered.
    Done,
    /// Nobody answered in time, and its policy decided.
    Expired,
    /// The run ended before.
    Cancelled,
    /// A re-run asks again.
    Superseded,
}

impl TaskState {
    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Superseded => "superseded",
        }
    }
    /// From JSON.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Open, Self::Done, Self::Expired, Self::Cancelled, Self::Superseded]
            .into_iter()
            .find(|state| state.as_str() == text)
    }
}

/// A way out that the author offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Alternative {
    /// The step it leads to.
    pub target_node_id: String,
    /// In plain words.
    pub label: String,
}

/// How bad an error is (K-06).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum Level {
    Info,
    Warn,
    Error,
    Critical,
}

impl Level {
    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
            Self::Critical => "CRITICAL",
        }
    }
    /// From JSON.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Info, Self::Warn, Self::Error, Self::Critical].into_iter().find(|level| level.as_str() == text)
    }
}

/// What happens when nobody answers in time: `"escalate"`, `"abort"`, `"retry"`, `"skip"`, or an object that says more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OnExpiry {
    /// An action alone.
    Action(ExpiryAction),
    /// An action with its details.
    Policy(Box<ExpiryPolicy>),
}

impl OnExpiry {
    /// The action.
    pub fn action(&self) -> ExpiryAction {
        match self {
            Self::Action(action) => *action,
            Self::Policy(policy) => policy.action,
        }
    }
}

/// What happens automatically when nobody answers in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum ExpiryAction {
    Escalate,
    Abort,
    Retry,
    Skip,
}

/// One level of an escalation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpiryPolicy {
    /// What happens.
    pub action: ExpiryAction,
    /// Who gets the task: `user:…` or `group:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// How long they have; the node's `ttlMs` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// What happens when they do not answer either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<OnExpiry>,
}

/// `human_task_created`: everything that the record begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HumanTaskCreated {
    /// Id of the task.
    pub task_id: String,
    /// The failed slot, when a recovery node asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What is asked.
    pub kind: TaskKind,
    /// Why.
    pub reason: TaskReason,
    /// One line.
    pub title: String,
    /// What the person has to know, as the author wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What may be answered, in the order of the buttons.
    pub allowed_actions: Vec<TaskAction>,
    /// Ways out for `alternative`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
    /// Who has it: `user:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Who may take it: `group:…`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidate_groups: Vec<String>,
    /// 0 to 100.
    pub priority: u8,
    /// How bad.
    pub severity: Level,
    /// The same for failures of the same step for the same cause.
    pub fingerprint: String,
    /// What failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Arc<ErrorPayload>>,
    /// The input that failed, or the data that is shown.
    pub input: Arc<Value>,
    /// Name → reference to bytes that came with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<Binaries>,
    /// What a corrected input, or a form, has to fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Fields that are masked, beside the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redact: Vec<String>,
    /// RFC 3339; nobody decides after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// A reminder each time after this long, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remind_every_ms: Option<u64>,
    /// RFC 3339, in order: reminders at half and at nine tenths of the time, when there is no `remindEveryMs`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remind_at: Vec<String>,
    /// The time to answer in working time of `settings.businessHours`, milliseconds; absent = by the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_ttl_ms: Option<u64>,
    /// What happens at `expiresAt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_expiry: Option<OnExpiry>,
    /// How many failed slots this one task stands for; absent = one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<usize>,
    /// How many different people must approve; absent = one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_approvals: Option<u32>,
    /// Who started the run may not approve.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_self_approval: bool,
    /// The task of an earlier run that was re-opened as this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopens: Option<String>,
    /// The failed run that was sent to the inbox as this task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_from: Option<SentFrom>,
}

/// A failed run that a person sent to the inbox (ADR 58).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SentFrom {
    /// The failed run.
    pub run_id: String,
    /// Who sent it: `user:…`.
    pub by: String,
    /// Why, in their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `human_task_completed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HumanTaskCompleted {
    /// Id of the task.
    pub task_id: String,
    /// The failed slot, when a recovery node asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
    /// In a re-run: the run in which this answer was given; nobody was asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_from: Option<String>,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// What was chosen.
    pub action: TaskAction,
    /// With `correct`: the whole corrected input. With `submit`: the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected_input: Option<Arc<Value>>,
    /// With `alternative`: the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_node_id: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// With `retry` of a step whose budget is used up: what the run may spend more, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_micros: Option<u64>,
    /// With `approve` of a call of a tool: how far it goes; this call when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_grant: Option<ToolGrant>,
    /// Who: `user:…`; absent when a policy decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_id: Option<String>,
}

impl Answer {
    /// An action and nothing else: what a policy decides.
    pub fn by_policy(action: TaskAction) -> Self {
        Self {
            action,
            corrected_input: None,
            target_node_id: None,
            notes: None,
            budget_micros: None,
            tool_grant: None,
            operator_id: None,
        }
    }
}

/// `escalated`: nobody answered in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Escalated {
    /// Id of the task.
    pub task_id: String,
    /// The failed slot, when a recovery node asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// From 1.
    pub level: u32,
    /// What was done.
    pub action: ExpiryAction,
    /// Who has it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Until when they may answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When they are reminded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remind_at: Vec<String>,
    /// What happens then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_expiry: Option<OnExpiry>,
}

/// `human_task_reminded`: the person was reminded; nothing else changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HumanTaskReminded {
    /// Id of the task.
    pub task_id: String,
    /// The failed slot, when a recovery node asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// From 1.
    pub reminder: u32,
}

/// `human_task_held`: the task waits for somebody else; its time stands still.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HumanTaskHeld {
    /// Id of the task.
    pub task_id: String,
    /// The failed slot, when a recovery node asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// RFC 3339: when the person said so.
    pub held_at: String,
    /// What is left of the time to answer (of the working time, where that counts), milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaining_ms: Option<Millis>,
    /// Who: `user:…`.
    pub operator_id: String,
}

/// `human_task_continued`: its time passes again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HumanTaskContinued {
    /// Id of the task.
    pub task_id: String,
    /// The failed slot, when a recovery node asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// RFC 3339: when the person said so.
    pub continued_at: String,
    /// RFC 3339; nobody decides after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// RFC 3339: the reminders that are left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remind_at: Vec<String>,
    /// How long it has waited for somebody else, all in all, milliseconds.
    pub waited_ms: Millis,
    /// Who: `user:…`.
    pub operator_id: String,
}

/// `human_task_closed`: nobody answered, and nobody has to any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HumanTaskClosed {
    /// Id of the task.
    pub task_id: String,
    /// The failed slot, when a recovery node asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// `auto_fix_attempt`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AutoFixAttempt {
    /// `deterministic`, or the model that was asked.
    pub model: String,
    /// The failed slot, when a healer tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The fixed input fits its schema.
    pub accepted: bool,
    /// Number of operations of `patch` (K-25).
    pub delta: usize,
    /// The input from now on; only when accepted.
    #[serde(default, deserialize_with = "crate::present::present", skip_serializing_if = "Option::is_none")]
    pub fixed_input: Option<Arc<Value>>,
    /// RFC 6902, original to fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    /// What was done, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// What still does not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<String>,
    /// What was asked of a model; absent for a repair by rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<ModelTry>,
}

/// One question to a model for a repair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelTry {
    /// Which question of this healer in the visit of the origin, from 1.
    pub number: u32,
    /// So many it may ask.
    pub of: u32,
    /// Tokens of question and answer, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The answer where it was of no use; left out where it was long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The provider asks to wait so long, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

/// `pause_start` (H-25).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PauseStart {
    /// The node.
    pub node_id: String,
    /// Id of the task; the secret that resumes is another thing (K-19).
    pub wait_token: String,
    /// Why it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expire_at: Option<String>,
}

/// `pause_resumed` (H-26).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PauseResumed {
    /// The node.
    pub node_id: String,
    /// Which request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// RFC 3339.
    pub resumed_at: String,
    /// What came with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Arc<Value>>,
}

/// `pause_timeout` (H-27).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PauseTimeout {
    /// Id of the task.
    pub task_id: String,
    /// The node.
    pub node_id: String,
    /// RFC 3339.
    pub expired_at: String,
    /// The port that the items leave through.
    pub timeout_action: String,
}

/// `pause_rejected` (H-28): an answer by token was not taken. It is not stored, so it has no `seq`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PauseRejected {
    /// The node that waits, when the token says which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// Which request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Why.
    pub reason: Rejection,
}

/// Why an answer by token was not taken (K-19).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    /// The run waits for nobody.
    NotPaused,
    /// The token is none of the task, or none any more.
    BadToken,
    /// Somebody was first.
    AlreadyAnswered,
    /// The time of the task or of the token is over.
    Expired,
    /// The values do not fit.
    InvalidPayload,
}

/// Reads an escalation policy of a config; `None` when it is absent or not one.
pub fn on_expiry(config: &Map) -> Option<OnExpiry> {
    config.get("onExpiry").cloned().and_then(|value| serde_json::from_value(value).ok())
}
