//! GraphQL operations of a connector: the document that is sent, and the types that a selection of fields is checked against.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands in a document for the fields that a step selects.
pub const FIELDS: &str = "{fields}";

/// What a GraphQL operation sends. Parameters are its variables; no value becomes a part of the document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GraphQl {
    /// The document; `{fields}` is replaced by the selected fields.
    pub document: String,
    /// The fields that are selected when a step names none, without outer braces.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fields: String,
    /// The type that the fields belong to, a name under `graphqlTypes`.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub of: String,
}

/// Types whose fields can be selected, with the types of their fields: `title: String!`, `labels: "[Label!]"`. What is a list
/// of values in GraphQL is `String` here.
pub type GraphQlTypes = IndexMap<String, IndexMap<String, String>>;

impl GraphQl {
    /// Whether fields can be selected: an operation that gives a number or a text has none.
    pub fn selects(&self) -> bool {
        self.document.contains(FIELDS)
    }

    /// The document with a selection, or with the usual one.
    pub fn with_fields(&self, own: Option<&str>) -> String {
        // The line break ends a comment in the selection.
        self.document.replace(FIELDS, &format!("{{ {}\n}}", own.unwrap_or(&self.fields)))
    }
}

/// The name in a type, without what says that it is a list or never null.
pub fn named(type_text: &str) -> &str {
    type_text.trim_matches(['[', ']', '!'])
}
