//! Indexes of documents on this machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Names an index.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexRef {
    /// Its name.
    pub name: String,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IndexEntry {
    /// Its name.
    pub name: String,
    /// Documents.
    pub documents: u64,
    /// Passages.
    pub chunks: u64,
    /// Passages with a vector.
    pub vectors: u64,
    /// The model of the vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How many numbers a vector has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<u64>,
    /// Bytes of its files.
    pub bytes: u64,
    /// When it was changed last, RFC 3339.
    pub changed_at: String,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Asks what is in an index.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexShow {
    /// Its name.
    pub name: String,
    /// Documents behind this id.
    #[serde(default)]
    pub after: Option<String>,
    /// At most so many, 50 when absent, never more than 500.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// What is in an index.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct IndexDetails {
    /// The index.
    pub index: IndexEntry,
    /// Its documents by their ids.
    pub documents: Vec<IndexedDocument>,
    /// Asks for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A document of an index.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct IndexedDocument {
    /// Its id.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its metadata.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schemars(with = "Map<String, Value>")]
    pub metadata: Map<String, Value>,
    /// Its passages.
    pub chunks: u64,
}

/// Looks for passages, as the step *Find passages* does.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IndexSearch {
    /// The index.
    pub name: String,
    /// The question.
    pub query: String,
    /// Most passages, 1 to 100; 5 when absent.
    #[serde(default)]
    pub top: Option<u32>,
    /// Fields of the metadata with the value, or one of the values, that they must have.
    #[serde(default)]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub filter: Option<Map<String, Value>>,
    /// The embedding model of the index: passages are found by their meaning, too. The question is sent to its provider.
    #[serde(default)]
    pub embedding_model: Option<String>,
    /// Its provider; the default one when absent.
    #[serde(default)]
    pub embedding_provider: Option<String>,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct IndexPassage {
    /// Its text.
    pub text: String,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// Its place, from 1.
    pub rank: u64,
    /// Where it is: document, title, heading, page, first and last character.
    pub source: Value,
    /// Of the document.
    pub metadata: Value,
}
