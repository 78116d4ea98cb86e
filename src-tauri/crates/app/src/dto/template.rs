//! Ready workflows by job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::Workflow;

/// What a template does not work without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TemplateNeedKind {
    /// The address of a service.
    Address,
    /// A folder that is granted.
    Folder,
    /// A secret of this machine.
    Secret,
    /// A default model.
    Model,
    /// An API that is imported as a connector.
    Connector,
}

/// Something that has to be filled in or set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateNeed {
    /// What it is.
    pub kind: TemplateNeedKind,
    /// In plain words, with the step.
    pub text: String,
}

/// A ready workflow for a job.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    /// For `sampleId` of `workflow_create`.
    pub id: String,
    /// In plain words.
    pub title: String,
    /// One sentence.
    pub description: String,
    /// `reports`, `sales`, `finance`, `support`, `operations`, `people`, `data` or `monitoring`.
    pub category: String,
    /// Words of the job that it is found by, in English and Chinese.
    pub words: Vec<String>,
    /// What has to be filled in or set up.
    pub needs: Vec<TemplateNeed>,
    /// Number of nodes.
    pub steps: usize,
    /// The workflow.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// The workflow with sample data: it calls nothing and asks nobody. For `run_start`.
    #[schemars(with = "Workflow")]
    pub sample: Value,
}
