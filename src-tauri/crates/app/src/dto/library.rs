//! Files of the library.

use crate::dto::RunRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::{Diagnostic, Workflow};

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
    /// The day of the last run that ended, `YYYY-MM-DD`, when the runs of this workflow were deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran_before: Option<String>,
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
    /// Why the file cannot be read any more: then the document is the draft. In plain words, with the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// The file cannot be written; save under another name.
    pub read_only: bool,
}

/// A workflow by its id, as programs get it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StoredWorkflow {
    /// Its id.
    pub id: String,
    /// Content hash.
    pub revision: String,
    /// What the file says.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// What the validator says about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// A workflow was stored.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WorkflowStored {
    /// Its id.
    pub id: String,
    /// Content hash.
    pub revision: String,
    /// What the validator says about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Names a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WorkflowId {
    /// As in its file.
    pub id: String,
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
    /// Copy of this sample or template instead of an empty workflow.
    #[serde(default)]
    pub sample_id: Option<String>,
    /// The zone of who creates it, like `Europe/Berlin`: schedules and business hours of the sample mean its clock.
    #[serde(default)]
    pub timezone: Option<String>,
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

/// A workflow to look at, and where it stands.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidateDocument {
    /// The workflow.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// Opaque id of its file: sub-workflows are looked for beside it, then in the library.
    #[serde(rename = "ref", default)]
    pub reference: Option<String>,
}
