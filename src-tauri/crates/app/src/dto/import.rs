//! Workflow files of other programs.

use crate::dto::{OpenWorkflow, SecretKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_import::Report;
use std::fmt;

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

/// A text that is translated and not kept.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportPreview {
    /// A cURL command, or what a file of another program says.
    pub text: String,
}

/// What a text would become.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportPreviewed {
    /// The workflow that an import would make.
    pub workflow: Value,
    /// What became of what.
    pub report: Report,
    /// The secret that was taken out of a cURL command and that its step names; this machine does not have it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<ImportedSecret>,
}

/// A secret of a command line, for the one who sent the line.
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportedSecret {
    /// Its name, as the step names it.
    pub name: String,
    /// How it is sent.
    pub kind: SecretKind,
    /// The user or the header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The secret itself; empty where the shell would fill it in.
    pub value: String,
    /// The host that the command sent it to; empty where the shell would fill it in.
    pub host: String,
}

impl fmt::Debug for ImportedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportedSecret").field("name", &self.name).field("kind", &self.kind).finish_non_exhaustive()
    }
}
