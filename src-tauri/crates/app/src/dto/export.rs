//! Workflows as programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_model::bundle::{AuditKeeping, HumanReview, Module, Needs};

/// What is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportTarget {
    /// One executable file.
    #[default]
    Bundle,
    /// A container image as a tar file.
    Container,
    /// A Cargo project that builds the program.
    Source,
}

/// What a person chooses for an export.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportChoices {
    /// What is written; `bundle` when absent.
    #[serde(default)]
    pub target: ExportTarget,
    /// Where the program keeps its audit chain; `sqlite` when absent.
    #[serde(default)]
    pub audit: AuditKeeping,
    /// How the program asks people; `none` when absent.
    #[serde(default)]
    pub human: HumanReview,
    /// The address that tasks are sent to, with `human` = `callback`.
    #[serde(default)]
    pub callback: Option<String>,
    /// With `target` = `bundle`, on Linux: a smaller file, which is decompressed into memory at each start.
    #[serde(default)]
    pub compress: bool,
}

/// Checks an export; nothing is written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowExportCheck {
    /// The workflow file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What a person chose.
    pub choices: ExportChoices,
}

/// Writes an export into a folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowExport {
    /// The workflow file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What a person chose.
    pub choices: ExportChoices,
    /// Handle of the folder that a person chose; a folder with the name of the program is made in it.
    pub folder: String,
}

/// A file of a program, by its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportedPart {
    /// Id of the workflow, or name of the connector.
    pub id: String,
    /// SHA-256 of the text, lowercase hex.
    pub sha256: String,
}

/// What a program is made of and what it will need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportCheckList {
    /// Name of the program.
    pub name: String,
    /// Title of the workflow.
    pub title: String,
    /// System and processor that it runs on, `linux-x86_64`.
    pub platform: String,
    /// Where its audit chain is kept.
    pub audit: AuditKeeping,
    /// How it asks people; `none` when it never asks.
    pub human: HumanReview,
    /// The address that tasks are sent to.
    pub callback: Option<String>,
    /// Parts, and the kinds of steps that need them.
    pub modules: Vec<Module>,
    /// What the machine must have.
    pub needs: Needs,
    /// The workflow, then those that its steps call.
    pub workflows: Vec<ExportedPart>,
    /// Connectors.
    pub connectors: Vec<ExportedPart>,
    /// Bytes of the program; absent when it cannot be exported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
}

/// Why a workflow cannot be exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportProblem {
    /// The code of the error.
    pub code: String,
    /// The workflow, when it is not the one that is exported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub workflow: String,
    /// Where in the file; empty when it is about no place.
    #[serde(default)]
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// What is wrong, for who shows it in another language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ExportReason>,
    /// What it names: a field, a variable, a tool server, the number of a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Why exported programs cannot do what a workflow asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportReason {
    /// The step asks a person, and nobody can be asked.
    People,
    /// The step waits for failures of other workflows.
    Failures,
    /// The step speaks to a message broker.
    Brokers,
    /// The step needs another part that programs do not have.
    Module,
    /// A rule of an error handler asks a person; `name` is its number.
    RulePeople,
    /// A safety check asks a model.
    CheckModel,
    /// A safety check asks a person.
    CheckPeople,
    /// The tool rules may ask a person.
    ToolPeople,
    /// The address holds a credential.
    SecretAddress,
    /// A header or a query field holds a credential; `name` says which.
    SecretField,
    /// A setting holds a credential.
    SecretSetting,
    /// A variable holds a credential; `name` says which.
    SecretVariable,
    /// A tool server is not approved; `name` says which.
    ToolServer,
    /// The runner is not there; `name` is its path.
    Runner,
    /// The sources are not there; `name` is their folder.
    Sources,
    /// Images are made on Linux only.
    System,
}

/// What an export would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowExportChecked {
    /// Absent when the workflow has errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_list: Option<ExportCheckList>,
    /// Why it cannot be exported; empty when it can.
    pub problems: Vec<ExportProblem>,
    /// How the program is started, as a person types it in the folder of the file; absent with problems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Name of the file that is downloaded; absent with problems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
}

/// An export that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowExported {
    /// The file, or the folder of the project.
    pub path: String,
    /// Bytes.
    pub size_bytes: u64,
    /// SHA-256, lowercase hex.
    pub sha256: String,
    /// How it is started, as a person types it.
    pub start: String,
}
