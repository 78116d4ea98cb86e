//! Workflow files of other programs.

use crate::dto::OpenWorkflow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_import::Report;

/// A file of another program that becomes a workflow of the library. One of `text` and `path` is given.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowImport {
    /// What the file says.
    #[serde(default)]
    pub text: Option<String>,
    /// What the dialog of the desktop shell handed out for the file.
    #[serde(default)]
    pub path: Option<String>,
    /// Name of the workflow when its file has none.
    #[serde(default)]
    pub name: Option<String>,
    /// Tool server of this machine that its tool steps call.
    #[serde(default)]
    pub tool_server: Option<String>,
}

/// A workflow that was imported.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowImported {
    /// As it stands in the library now.
    pub workflow: OpenWorkflow,
    /// What became of what.
    pub report: Report,
}
