//! What a person on this machine says of a tool, where they say something: else it is guessed by the credential of its server, its
//! place, and its hints (ADR 64).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_ports::tools::ToolInfo;
use std::collections::BTreeMap;

/// A person's own word on a tool. What is absent is guessed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolWord {
    /// What it answers may be private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bears_secrets: Option<bool>,
    /// What it is given may leave this machine, or reach others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_egress: Option<bool>,
    /// What it answers may be written by others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_untrusted: Option<bool>,
}

/// Words by name of the tool.
pub type ToolWords = BTreeMap<String, ToolWord>;

impl ToolWord {
    /// Nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What of it makes the rules about this tool stricter, whatever becomes of the tool.
    #[must_use]
    pub fn strict(&self) -> Self {
        let yes = |said: Option<bool>| said.filter(|said| *said);
        Self {
            bears_secrets: yes(self.bears_secrets),
            is_egress: yes(self.is_egress),
            is_untrusted: yes(self.is_untrusted),
        }
    }

    /// The tool as it stands with this word.
    #[must_use]
    pub fn over(&self, guessed: ToolInfo) -> ToolInfo {
        ToolInfo {
            bears_secrets: self.bears_secrets.unwrap_or(guessed.bears_secrets),
            is_egress: self.is_egress.unwrap_or(guessed.is_egress),
            is_untrusted: self.is_untrusted.unwrap_or(guessed.is_untrusted),
            ..guessed
        }
    }
}
