//! Connectors and their operations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::oauth::ConnectorSignIn;

/// A connector of this machine.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectorEntry {
    /// Its name in steps.
    pub name: String,
    /// The name of the service.
    pub title: String,
    /// What the service is.
    pub description: String,
    /// Other words people search for.
    pub keywords: Vec<String>,
    /// It is a file of this machine and does not come with the program.
    pub own: bool,
    /// Why its file cannot be used; then it has no operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Where the API is documented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
    /// What secret the service needs; absent when it needs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// The secret that new steps begin with, as `secret://name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usual_credential: Option<String>,
    /// How people sign in to the service (OAuth 2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<ConnectorSignIn>,
    /// Variables of the service's address.
    pub variables: Vec<ConnectorVariable>,
    /// Its operations, in the order of the file.
    pub operations: Vec<ConnectorOperationEntry>,
}

/// A variable of a service's address.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectorVariable {
    /// Its name.
    pub name: String,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its value when a step gives none; without it, a step must.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The values that it may have; empty for any.
    pub values: Vec<String>,
}

/// An operation, as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectorOperationEntry {
    /// Its name in steps.
    pub name: String,
    /// What it does, in a few words.
    pub title: String,
    /// Group within the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Still offered, but to be avoided.
    pub deprecated: bool,
}

/// Which operation.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectorOperationGet {
    /// The connector.
    pub connector: String,
    /// The operation.
    pub operation: String,
}

/// An operation with its schemas.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectorOperation {
    /// What it does, in a few words.
    pub title: String,
    /// What it does.
    pub description: String,
    /// It changes something.
    pub writes: bool,
    /// JSON Schema of its parameters, without references.
    pub params: Value,
    /// JSON Schema of what it passes on, without references; null when it is not known.
    pub output: Value,
    /// The fields that a GraphQL operation selects when a step names none; absent where there is nothing to select.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<String>,
}

/// A file to add.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectorAdd {
    /// Text of an OpenAPI document, a GraphQL introspection or a connector file, as JSON or YAML. Empty: the GraphQL service at
    /// `address` is asked about itself.
    #[serde(default)]
    pub text: String,
    /// Address of a GraphQL endpoint.
    #[serde(default)]
    pub address: Option<String>,
    /// The secret that new steps begin with, as `secret://name`; a GraphQL endpoint is asked with it.
    #[serde(default)]
    pub credential: Option<String>,
    /// Name of the connector; default: the name in the file, or the title of the document.
    #[serde(default)]
    pub name: Option<String>,
    /// Replace an own connector of this name.
    #[serde(default)]
    pub replace: bool,
}

/// A connector that was added.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectorAdded {
    /// Its name in steps.
    pub name: String,
    /// The name of the service.
    pub title: String,
    /// Its file.
    pub file: String,
    /// Number of operations.
    pub operations: u64,
    /// Operations of the document that were left out.
    pub left_out: u64,
    /// What the document has and the connector does not, or has in another way.
    pub findings: Vec<ConnectorFinding>,
    /// Findings that are not in the list.
    pub more_findings: u64,
}

/// What a document has and a connector does not.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectorFinding {
    /// Where: a JSON Pointer into the document.
    pub path: String,
    /// What, in a sentence.
    pub message: String,
}

/// Which connector.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectorName {
    /// Its name.
    pub name: String,
}
