//! Failures by what makes them alike, and replays of them with one correction.

use crate::dto::RerunDefinition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which groups to list.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailureGroupList {
    /// Only of this workflow (id).
    #[serde(default)]
    pub workflow: Option<String>,
    /// At most so many, 50 when absent, at most 200.
    #[serde(default)]
    pub limit: Option<u32>,
    /// `next` of the page before.
    #[serde(default)]
    pub after: Option<String>,
}

/// A group of failures: the same step of the same workflow with the same code, a message that differs only in values, and an
/// input of the same shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureGroup {
    /// Its id.
    pub group: String,
    /// Id of the workflow.
    pub workflow_id: String,
    /// Its name.
    pub workflow_name: String,
    /// The failed step, without iterations.
    pub step_id: String,
    /// Its title in the newest failed run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_title: Option<String>,
    /// Code of the error; may be empty.
    pub code: String,
    /// The message, with `#`, `<id>`, `<time>`, `<path>`, `<url>` and `"…"` in the place of its values.
    pub message: String,
    /// The newest message, with masks.
    pub sample: String,
    /// Failures that nobody has dealt with.
    pub open: u64,
    /// All that are still stored.
    pub total: u64,
    /// RFC 3339.
    pub first_at: String,
    /// RFC 3339.
    pub last_at: String,
}

/// A page of groups, those that failed last first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureGroupPage {
    /// The groups.
    pub groups: Vec<FailureGroup>,
    /// Asks for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Groups of all pages.
    pub total: u64,
    /// Failures of before an upgrade are still being taken in.
    pub filling: bool,
}

/// Names a group.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailureGroupGet {
    /// Its id.
    pub group: String,
}

/// A group with what belongs to it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureGroupDetails {
    /// The group.
    #[serde(flatten)]
    pub group: FailureGroup,
    /// The shape of the input, one place with its type each: `/items/*/price number`.
    pub shape: Vec<String>,
    /// The newest open failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<Failure>,
    /// Replays of this group, the newest first, at most 20.
    pub replays: Vec<Replay>,
    /// What three corrections of one kind suggest to the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<FailureSuggestion>,
}

/// A correction that was made again and again, as a step for the workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureSuggestion {
    /// The replay whose rule it is.
    pub replay: String,
    /// How often the rule was used.
    pub times: u64,
    /// Kind of the step that would stand before the failed one.
    pub kind: String,
    /// Its settings.
    pub config: Value,
}

/// One failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Its number.
    pub failure: i64,
    /// The run.
    pub run_id: String,
    /// The open task about it; none when the run has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The failed step, with its path.
    pub step_id: String,
    /// RFC 3339.
    pub at: String,
}

/// Which failures of a group to list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailureList {
    /// The group.
    pub group: String,
    /// `next` of the page before.
    #[serde(default)]
    pub before: Option<i64>,
    /// At most so many, 100 when absent, at most 500.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// A page of open failures, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailurePage {
    /// The failures.
    pub failures: Vec<Failure>,
    /// Asks for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// What is changed before the failed step executes again. At most one of `edited`, `patch` and `expression`; with none of them
/// the step gets its recorded input.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Correction {
    /// Data of the items of one failure, as a person has edited them. What was changed there is changed in the others where
    /// they have the same value in that place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<EditedInput>,
    /// JSON Patch (RFC 6902) over the data of each item. A text value that begins with `=` is an expression over `item`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Vec<Value>>,
    /// CEL over `item`, `items`, `params`, `context` and `error` that gives the new data of each item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// With which definition the new runs run.
    pub definition: RerunDefinition,
}

/// An edited input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditedInput {
    /// The failure whose input it is.
    pub failure: i64,
    /// Data of its items.
    pub input: Vec<Value>,
}

/// Tries a correction on some failures of a group; nothing is started.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailurePreview {
    /// The group.
    pub group: String,
    /// The correction.
    pub correction: Correction,
    /// The failure that the correction was made for; the others are compared with what it gives there. The newest when absent.
    #[serde(default)]
    pub sample: Option<i64>,
    /// `next` of the piece before.
    #[serde(default)]
    pub before: Option<i64>,
    /// At most so many, 50 when absent, at most 200.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// How a correction fits a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CorrectionFit {
    /// It gives an input of the same shape as for the sample.
    Fits,
    /// It gives an input of another shape, or other steps would execute again.
    Different,
    /// It cannot be used.
    Not,
}

/// A failure that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureTried {
    /// Its number.
    pub failure: i64,
    /// Its run.
    pub run_id: String,
    /// How the correction fits.
    pub fit: CorrectionFit,
    /// Why it does not, or what is different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A piece of a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailurePreviewPage {
    /// What was tried.
    pub tried: Vec<FailureTried>,
    /// Asks for the next piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// Tries a correction on one failure and shows the values.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailurePreviewOne {
    /// The failure.
    pub failure: i64,
    /// The correction.
    pub correction: Correction,
}

/// A failure with what a correction makes of its input.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailurePreviewed {
    /// Data of the items that the step got.
    pub before: Vec<Value>,
    /// Data of the items that it would get; absent when the correction does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Vec<Value>>,
    /// Why the correction does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Values are masked.
    pub masked: bool,
    /// Steps that execute again, write, and have done so before: done twice they may do the same a second time.
    pub repeats: Vec<String>,
    /// Answers of people that could be kept.
    pub answers: u64,
}

/// Starts a replay.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplayStart {
    /// The group.
    pub group: String,
    /// The correction.
    #[serde(default)]
    pub correction: Correction,
    /// The failure that the correction was made for; the newest when absent.
    #[serde(default)]
    pub sample: Option<i64>,
    /// Only these failures; all open ones of the group when absent. At most 10,000.
    #[serde(default)]
    pub only: Option<Vec<i64>>,
    /// Also those for which the correction gives something different.
    #[serde(default)]
    pub include_different: bool,
    /// Answers of people are given again where they fit; else the people are asked again.
    #[serde(default)]
    pub keep_answers: bool,
    /// Most runs that begin in a second, 50 when absent, at most 10,000.
    #[serde(default)]
    pub rate: Option<u32>,
    /// Most runs of it under way at once, 20 when absent, at most 500.
    #[serde(default)]
    pub concurrency: Option<u32>,
    /// Why; stands in the audit chain.
    pub reason: String,
}

/// Names a replay.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplayRef {
    /// Its id.
    pub replay: String,
}

/// Stops a replay.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplayStop {
    /// Its id.
    pub replay: String,
    /// Also cancels the runs that it has begun and that have not ended.
    #[serde(default)]
    pub cancel_runs: bool,
}

/// Which replays to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplayList {
    /// Only of this group.
    #[serde(default)]
    pub group: Option<String>,
}

/// Where a replay stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayStatus {
    /// Runs begin.
    Running,
    /// Nothing more begins until it is resumed.
    Paused,
    /// Everything was dealt with.
    Done,
    /// It was stopped; what had not begun is in its group again.
    Stopped,
    /// What had not begun was taken back.
    Undone,
}

/// A replay.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// Its id.
    pub replay: String,
    /// Its group.
    pub group: String,
    /// Where it stands.
    pub status: ReplayStatus,
    /// Why it was started.
    pub reason: String,
    /// Who started it.
    pub by: String,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Why it was paused, when no person did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Failures that were not dealt with yet.
    pub waiting: u64,
    /// Failures whose runs have begun.
    pub started: u64,
    /// Failures that somebody else dealt with meanwhile.
    pub skipped: u64,
    /// Failures that the correction does not fit; they stay in the group.
    pub refused: u64,
    /// Failures that were taken back before they began; they are in the group again.
    pub removed: u64,
    /// Of the runs that have begun: ended well.
    pub completed: u64,
    /// Of the runs that have begun: failed again.
    pub failed: u64,
    /// Of the runs that have begun: wait for a person.
    pub paused: u64,
    /// Of the runs that have begun: under way.
    pub running: u64,
    /// Of the runs that have begun: cancelled.
    pub cancelled: u64,
    /// Most runs that begin in a second.
    pub rate: u32,
    /// Most runs of it under way at once.
    pub concurrency: u32,
    /// Answers of people are given again.
    pub keep_answers: bool,
    /// Also those for which the correction gives something different.
    pub include_different: bool,
    /// How it corrects: `recorded`, `edited`, `patch` or `expression`.
    pub rule: String,
    /// With which definition its runs run.
    pub definition: RerunDefinition,
}

/// Which failures of a replay to list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplayItems {
    /// The replay.
    pub replay: String,
    /// Which ones.
    pub state: ReplayItemState,
    /// `next` of the page before.
    #[serde(default)]
    pub after: Option<i64>,
    /// At most so many, 100 when absent, at most 500.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Where a failure of a replay stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayItemState {
    /// Not dealt with yet.
    Waiting,
    /// Its run has begun.
    Started,
    /// Somebody else dealt with it meanwhile.
    Skipped,
    /// The correction does not fit it.
    Refused,
    /// It was taken back before it began.
    Removed,
}

impl ReplayItemState {
    /// As it is stored.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Started => "started",
            Self::Skipped => "skipped",
            Self::Refused => "refused",
            Self::Removed => "removed",
        }
    }
}

/// A failure of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayItem {
    /// Its number.
    pub failure: i64,
    /// The original.
    pub run_id: String,
    /// The run that began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_run_id: Option<String>,
    /// Why it was skipped or refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A page of failures of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayItemPage {
    /// The failures.
    pub items: Vec<ReplayItem>,
    /// Asks for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// A proposal that waits in the builder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureProposed {
    /// Opaque id of the workflow file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The step that would stand before the failed one.
    pub step_id: String,
}
