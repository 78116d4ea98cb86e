//! What the tables of a database are for the settings of a step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Asks for the tables of the database that a step names.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatabaseTablesGet {
    /// Id of the workflow: a SQLite file lies in a folder that is allowed for it.
    pub workflow_id: String,
    /// Settings of the step; only those of the connection are used.
    pub config: Value,
}

/// Tables of a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseTables {
    /// At most 500.
    pub tables: Vec<DatabaseTable>,
    /// How many there are.
    pub total: u64,
}

/// A table or view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseTable {
    /// Its schema, where the database has schemas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Its name.
    pub name: String,
    /// `table` or `view`.
    pub kind: String,
    /// In their order.
    pub columns: Vec<DatabaseColumn>,
    /// Names of the columns of the primary key.
    #[serde(default)]
    pub primary_key: Vec<String>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseColumn {
    /// Its name.
    pub name: String,
    /// Its type, as the database names it.
    #[serde(rename = "type")]
    pub data_type: String,
}
