//! Rules over the tools that models call (ADR 51): `settings.toolRules` of a workflow, `toolRules` of a step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a rule says of a call. The greater one is the stricter one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolVerdict {
    /// It is made.
    Allow,
    /// A person is asked before.
    Ask,
    /// It is not made, and the model is told why.
    Deny,
}

impl ToolVerdict {
    /// As in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// One rule; the first of a list whose `when` is true says what happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolRule {
    /// Stands in the task, in the log and in the audit chain.
    pub name: String,
    /// CEL over `tool`, `server`, `args` and `hints`, and what the settings of the step see.
    pub when: String,
    /// What happens.
    pub action: ToolVerdict,
    /// Why, for the person or the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Most bytes of the arguments as JSON; more is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_arguments: Option<u64>,
    /// Most bytes of the answer that the model gets to read; a longer one is withheld.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_result: Option<u64>,
}
