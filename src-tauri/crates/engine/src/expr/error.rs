//! What went wrong, in words a person can act on.

use crate::edit_distance::distance;
use serde_json::{Value, json};
use signalbox_model::{NodeFailure, diagnostic::pointer_token};

/// The kind of an expression error; `as_str` is `details.code` of the ErrorPayload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The text is no expression.
    Syntax,
    /// Too long, too deep, too many steps or too much memory.
    Limit,
    /// A name or field does not exist.
    MissingField,
    /// The result cannot be said in JSON.
    SchemaMismatch,
    /// An item was made of several items of the step that `paired` names.
    PairedSeveral,
    /// An item does not come from the step that `paired` names.
    PairedNone,
    /// Types that do not go together, division by zero and the like.
    Eval,
}

impl Code {
    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "CEL_SYNTAX",
            Self::Limit => "CEL_LIMIT",
            Self::MissingField => "MISSING_FIELD",
            Self::SchemaMismatch => "SCHEMA_MISMATCH",
            Self::PairedSeveral => "PAIRED_AMBIGUOUS",
            Self::PairedNone => "PAIRED_MISSING",
            Self::Eval => "EVAL",
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What only some readers of an error need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct More {
    /// The expression without its leading `=`.
    pub expression: String,
    /// JSON pointer of the string inside the value that was evaluated; empty for a plain expression.
    pub pointer: String,
    /// The path whose keys `available` lists.
    pub available_at: String,
    /// Names at the top, at most 20.
    pub top_level: Vec<String>,
    /// Types of the deepest existing parent, without values, at most 2,000 characters.
    pub structure: String,
    /// The name that was looked for.
    pub word: String,
}

/// An error of compiling or evaluating an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExprError {
    /// Which kind.
    pub code: Code,
    /// Plain words: what, where, what next.
    pub message: String,
    /// Characters from the start of the expression (without the leading `=`), or of the whole text for a hole in a
    /// template.
    pub position: Option<usize>,
    /// Keys that exist where a field was missing, at most 20.
    pub available: Vec<String>,
    /// At most three names that look like the missing one.
    pub suggestions: Vec<String>,
    /// The rest.
    pub more: Box<More>,
}

impl ExprError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            position: None,
            available: Vec::new(),
            suggestions: Vec::new(),
            more: Box::default(),
        }
    }

    pub(crate) fn at(mut self, position: usize) -> Self {
        self.position = Some(position);
        self
    }

    pub(crate) fn under(mut self, pointer: &str) -> Self {
        if !pointer.is_empty() {
            self.message.push_str(&format!(" (in `{}`)", quote(pointer)));
        }
        pointer.clone_into(&mut self.more.pointer);
        self
    }

    /// The value that failed stands in a larger one, under this name.
    pub(crate) fn inside(mut self, name: &str) -> Self {
        self.more.pointer = format!("/{}{}", pointer_token(name), self.more.pointer);
        self
    }

    /// What an expression that cannot be evaluated means for its step (`MISSING_FIELD`, `SCHEMA_MISMATCH`, …); `field` is
    /// the setting that holds it.
    pub fn failure(&self, field: &str) -> NodeFailure {
        let mut failure = NodeFailure::validation(self.code.as_str(), self.message.clone()).detail("field", field);
        if let Value::Object(details) = self.details() {
            failure.details.extend(details.into_iter().filter(|(name, _)| name != "code"));
        }
        failure
    }

    /// The members for an ErrorPayload's `details` (K-08, K-51).
    pub fn details(&self) -> Value {
        let mut out = json!({ "code": self.code.as_str(), "expression": self.more.expression });
        let Some(map) = out.as_object_mut() else { return out };
        if let Some(position) = self.position {
            map.insert("position".into(), json!(position));
        }
        if !self.more.pointer.is_empty() {
            map.insert("pointer".into(), json!(self.more.pointer));
        }
        if self.code == Code::MissingField {
            map.insert("available".into(), json!(self.available));
            map.insert("availableAt".into(), json!(self.more.available_at));
            map.insert("topLevel".into(), json!(self.more.top_level));
            map.insert("suggestions".into(), json!(self.suggestions));
            map.insert("structure".into(), json!(self.more.structure));
        }
        out
    }
}

impl std::fmt::Display for ExprError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ExprError {}

impl From<Box<ExprError>> for ExprError {
    fn from(error: Box<ExprError>) -> Self {
        *error
    }
}

/// The text of an expression as it is quoted in a message: one line, not too long.
pub(crate) fn quote(text: &str) -> String {
    let mut out: String = text.chars().take(120).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(120).is_some() {
        out.push('…');
    }
    out
}

/// At most three of `names` that look like `wanted`, nearest first.
pub(crate) fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let low = wanted.to_lowercase();
    let length = low.chars().count();
    let mut found: Vec<(usize, &str)> = names
        .take(500)
        .filter(|name| !name.is_empty() && name.len() <= 200)
        .filter_map(|name| {
            let other = name.to_lowercase();
            let far = if other == low {
                0
            } else if length >= 3
                && (other.starts_with(&low) || (other.chars().count() >= 3 && low.starts_with(&other)))
            {
                1
            } else {
                distance(&low, &other)
            };
            (far <= 1 + length / 3 && far < length.max(2)).then_some((far, name))
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    found.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}
