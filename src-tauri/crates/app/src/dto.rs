//! What goes into and comes out of the commands. Requests refuse unknown fields. Documents and events travel as raw
//! JSON (nothing of a file may get lost on the way); their schema is the model's.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::event::RunEventWire;
use signalbox_model::{
    Diagnostic, ErrorPayload, Item, Map, NodeDescriptor, RetryPolicy, RunStatus, RunSummary, Workflow,
};

/// A request or an answer without fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Empty {}

/// Who serves the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Host {
    /// The window.
    Desktop,
    /// The server (`signalbox serve`).
    Http,
}

/// What a token may do; each role may do what the smaller ones may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CallerRole {
    /// Looks.
    Viewer,
    /// Starts, cancels and resumes runs of stored workflows.
    Operator,
    /// Also changes workflows and runs what is not stored.
    Builder,
}

/// About the program.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppInfo {
    /// Version of the program.
    pub version: String,
    /// Who serves.
    pub host: Host,
    /// The data folder.
    pub data_dir: String,
    /// `linux`, `macos`, `windows`.
    pub platform: String,
}

/// One sample of the gallery.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sample {
    /// For `workflow_create`.
    pub id: String,
    /// In plain words.
    pub title: String,
    /// One or two sentences.
    pub description: String,
    /// Number of nodes.
    pub steps: usize,
    /// What it shows, a few words each.
    pub traits: Vec<String>,
    /// The workflow.
    #[schemars(with = "Workflow")]
    pub document: Value,
}

/// One file of the library.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowEntry {
    /// Opaque id of the file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Id of the workflow.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The folder.
    pub folder: String,
    /// The file.
    pub path: String,
    /// Content hash.
    pub revision: String,
    /// Number of nodes.
    pub nodes: usize,
    /// RFC 3339.
    pub modified_at: String,
    /// There are changes that were not saved.
    pub has_draft: bool,
    /// Why the file cannot be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The newest run of this workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunRow>,
}

/// An open workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenWorkflow {
    /// Opaque id of the file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The file.
    pub path: String,
    /// Its folder.
    pub folder: String,
    /// Content hash.
    pub revision: String,
    /// What the file says.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// What the validator says about it.
    pub diagnostics: Vec<Diagnostic>,
    /// Changes that were not saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<Draft>,
    /// The file cannot be written; save under another name.
    pub read_only: bool,
}

/// Changes that were not saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    /// As it stood in the editor.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// RFC 3339.
    pub saved_at: String,
}

/// Names a file of the library.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByRef {
    /// Opaque id of the file.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// A file chosen in the system's dialog.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenPath {
    /// What the dialog of the desktop shell handed out for the file.
    pub path: String,
}

/// A new workflow.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowCreate {
    /// Its name.
    #[serde(default)]
    pub name: Option<String>,
    /// Copy of this sample instead of an empty workflow.
    #[serde(default)]
    pub sample_id: Option<String>,
}

/// Writes a file.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowSave {
    /// Opaque id of the file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What to write.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// Revision the changes were made on; empty when the file is gone.
    pub base_revision: String,
    /// Write although the file changed outside.
    #[serde(default)]
    pub overwrite: Option<bool>,
}

/// A file's content hash after a save.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Saved {
    /// Content hash.
    pub revision: String,
}

/// A file's content hash now.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Revision {
    /// Content hash; null = the file is gone.
    pub revision: Option<String>,
}

/// A copy under a new name.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkflowDuplicate {
    /// Opaque id of the file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Name of the copy.
    pub name: String,
}

/// Keeps changes that are not saved yet.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftPut {
    /// Opaque id of the file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// As it stands in the editor.
    #[schemars(with = "Workflow")]
    pub document: Value,
}

/// A workflow to look at.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByDocument {
    /// The workflow.
    #[schemars(with = "Workflow")]
    pub document: Value,
}

/// Starts a run of `document` (what the editor shows, saved or not) or of the file `ref`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunStart {
    /// The workflow itself.
    #[serde(default)]
    #[schemars(with = "Option<Workflow>")]
    pub document: Option<Value>,
    /// Or opaque id of its file.
    #[serde(rename = "ref", default)]
    pub reference: Option<String>,
    /// The run's input.
    pub params: Map,
    /// Comes back on every event.
    #[serde(default)]
    pub client_run_token: Option<String>,
}

/// Names a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunId {
    /// UUID v7.
    pub run_id: String,
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
    /// At most this many, 50 when absent, 500 at most.
    #[serde(default)]
    pub limit: Option<u32>,
    /// `next` of the page before.
    #[serde(default)]
    pub before: Option<String>,
}

/// One run of the history.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
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
    /// The step that failed the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_step_id: Option<String>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
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

/// One run with everything to draw it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunDetails {
    /// The summary; large values are cut.
    #[serde(flatten)]
    #[schemars(with = "RunSummary")]
    pub summary: Value,
    /// Name of the workflow at the start.
    pub workflow_name: String,
    /// The definition that the run pinned.
    #[schemars(with = "Workflow")]
    pub definition: Value,
    /// Newest event.
    pub last_seq: u64,
    /// The run's input.
    pub params: Value,
    /// Some process drives it now.
    pub driven: bool,
    /// Why it stands still although nothing in it has failed (disk full, a fault of the program).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<RunTrouble>,
}

/// Why a run stands still.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunTrouble {
    /// `DISK_FULL`, `STORE_FAILED`, `INTERNAL`.
    pub code: String,
    /// In words.
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
}

/// Events as they travel.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Events(#[schemars(with = "Vec<RunEventWire>")] pub Vec<Value>);

/// A value that was cut on the wire.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueRef {
    /// `ref` of the cut value.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// Data of a node in its last run.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunStepData {
    /// Id of the workflow.
    pub workflow_id: String,
    /// The node.
    pub node_id: String,
    /// This run instead of the last one in which the node was called.
    #[serde(default)]
    pub run_id: Option<String>,
}

/// What went into a node and what came out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepData {
    /// The run.
    pub run_id: String,
    /// When the run began, RFC 3339.
    pub started_at: String,
    /// Items as they went in; large values are cut.
    #[schemars(with = "Vec<StepInput>")]
    pub input: Value,
    /// Port → items; large values are cut.
    #[schemars(with = "IndexMap<String, Vec<Item>>")]
    pub output: Value,
    /// The last error.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ErrorPayload>")]
    pub error: Option<Value>,
    /// Evaluated config of the last call.
    pub config: Value,
}

/// One item as it went into a call.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepInput {
    /// Index in the activation's input.
    pub item: usize,
    /// Its data.
    pub data: Value,
}

/// How an expression is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExpressionKind {
    /// A condition or expression field: CEL.
    Cel,
    /// A value: `=` makes CEL, `{{ }}` makes text.
    Value,
}

/// An expression to try on the last run's data.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpressionPreview {
    /// The workflow as the editor shows it.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// The node the expression belongs to.
    pub node_id: String,
    /// The expression.
    pub text: String,
    /// How it is written.
    pub kind: ExpressionKind,
    /// This run instead of the last one.
    #[serde(default)]
    pub run_id: Option<String>,
    /// Index of the item to look at, 0 when absent.
    #[serde(default)]
    pub item: Option<usize>,
}

/// What an expression gives.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Preview {
    /// A value.
    Value {
        /// The result; large values are cut.
        value: Value,
        /// How many items went in.
        item_count: usize,
        /// Which one this is.
        item: usize,
        /// The run whose data was used.
        run_id: String,
        /// That run in words.
        run_label: String,
    },
    /// The node has not run yet.
    NoData,
    /// It does not compile or does not work on this data.
    Error {
        /// What is wrong.
        message: String,
        /// Character, from 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<usize>,
    },
}

/// Names an expression of a node may use.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpressionNames {
    /// The workflow as the editor shows it.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// The node.
    pub node_id: String,
    /// This run instead of the last one.
    #[serde(default)]
    pub run_id: Option<String>,
}

/// One completion.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExpressionName {
    /// What is inserted.
    pub label: String,
    /// Its type as far as known.
    #[serde(rename = "type")]
    pub value_type: String,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Its value in the last run; large values are cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Value>,
}

/// A retry policy to draw.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryTimeline {
    /// The policy.
    pub policy: RetryPolicy,
}

/// One attempt of a drawn retry policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineStep {
    /// From 1.
    pub attempt: u32,
    /// Wait before it, without jitter.
    pub delay_ms: u64,
}

/// Colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Size or state of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PaneState {
    /// Open or not.
    Open(bool),
    /// Pixels.
    Size(f64),
}

/// What the person set on this machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppSettings {
    /// Colours.
    pub theme: Theme,
    /// Pane → size or state.
    pub layout: IndexMap<String, PaneState>,
    /// Action → keys.
    pub keymap: IndexMap<String, Vec<String>>,
    /// Saved queries of the audit viewer: name → text.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub queries: IndexMap<String, String>,
}

/// New settings.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsSet {
    /// All of them.
    pub settings: AppSettings,
}

/// What a folder grant allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Read only.
    Ro,
    /// Read and write.
    Rw,
}

/// A granted folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Folder {
    /// Absolute path.
    pub folder: String,
    /// Only for this workflow; for all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<String>,
    /// What steps may do in it.
    pub access: Access,
    /// Its workflows are listed in the library.
    pub library: bool,
}

/// Grants a folder.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FolderGrant {
    /// What the dialog of the desktop shell handed out for the folder.
    pub folder: String,
    /// Only for this workflow; for all when absent.
    #[serde(default)]
    pub workflow_id: Option<String>,
    /// What steps may do in it.
    pub access: Access,
    /// List its workflows in the library.
    pub library: bool,
}

/// Takes a grant back.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FolderRevoke {
    /// Absolute path as listed.
    pub folder: String,
    /// The workflow it was granted for.
    #[serde(default)]
    pub workflow_id: Option<String>,
}

/// Node kinds.
pub type Kinds = Vec<NodeDescriptor>;
