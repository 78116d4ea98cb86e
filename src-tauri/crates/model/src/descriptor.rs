//! The description of a node kind: complete in itself, written as YAML in `node-catalog/`.

use crate::workflow::RetryPolicy;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a node takes its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One slot per item.
    Each,
    /// One slot for all items.
    All,
}

/// What a call does outside the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Effects {
    /// Pure: runs inside the burst that decides it.
    None,
    /// Looks at the outside world.
    Read,
    /// Changes the outside world.
    Write,
}

/// What happens to a call that a crash interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Replay {
    /// Sent again with the same idempotency key.
    Safe,
    /// A person decides.
    Ask,
}

/// What the engine itself does for a kind besides calling it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// An ordinary step.
    #[default]
    Step,
    /// An entry that also says when runs start.
    Trigger,
    /// Ends the run.
    Stop,
    /// Waits for `config.ms` or until `config.until`; the engine owns the timer.
    Wait,
    /// Asks a person yes or no.
    Approval,
    /// Asks a person for values.
    Form,
    /// Waits to be resumed from outside.
    Pause,
    /// Works on failed calls; never joins.
    Recovery,
    /// A container whose body runs once per element of a list, or while a condition holds.
    Loop,
    /// A container whose branches run side by side.
    Parallel,
    /// A container whose body is another file.
    Subworkflow,
    /// Ends the loop around it.
    Break,
}

impl Role {
    /// Other nodes stand in it; the engine runs them instead of calling code.
    pub fn is_container(self) -> bool {
        match self {
            Self::Loop | Self::Parallel | Self::Subworkflow => true,
            Self::Step
            | Self::Trigger
            | Self::Stop
            | Self::Wait
            | Self::Approval
            | Self::Form
            | Self::Pause
            | Self::Recovery
            | Self::Break => false,
        }
    }
}

/// A value, or a table of values over one config field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ByConfig<T> {
    /// The same for every call.
    Same(T),
    /// By the value of one field of the resolved config.
    Table {
        /// Name of the config field.
        field: String,
        /// Field value → result.
        values: IndexMap<String, T>,
        /// For values that are not listed.
        otherwise: T,
        /// Other config fields → result where one of them is set, before the table.
        #[serde(skip_serializing_if = "Option::is_none")]
        given: Option<IndexMap<String, T>>,
    },
    /// By whether a list of tools names one that reaches out.
    Tools {
        /// Name of the config field.
        tools: String,
        /// With such a tool.
        with: T,
        /// Without one: no tools, names that are only taken away, or what is only read (`learn_…`).
        without: T,
    },
}

impl<T: Copy + PartialEq> ByConfig<T> {
    /// Whether some config makes it this.
    pub fn may_be(&self, value: T) -> bool {
        match self {
            Self::Same(only) => *only == value,
            Self::Table { values, otherwise, given, .. } => {
                let given = given.iter().flat_map(IndexMap::values);
                *otherwise == value || values.values().chain(given).any(|one| *one == value)
            }
            Self::Tools { with, without, .. } => *with == value || *without == value,
        }
    }

    /// The value for a resolved config.
    pub fn of(&self, config: &Value) -> T {
        match self {
            Self::Same(value) => *value,
            Self::Table { field, values, otherwise, given } => {
                let set = |name: &str| config.get(name).is_some_and(|value| !value.is_null());
                if let Some((_, value)) = given.iter().flatten().find(|(name, _)| set(name)) {
                    return *value;
                }
                config.get(field).and_then(Value::as_str).and_then(|v| values.get(v).copied()).unwrap_or(*otherwise)
            }
            Self::Tools { tools, with, without } => {
                let reaches = match config.get(tools) {
                    None | Some(Value::Null) => false,
                    Some(Value::Array(names)) => names.iter().any(|name| name.as_str().is_none_or(reaches_out)),
                    // Not known before it is evaluated.
                    Some(_) => true,
                };
                if reaches { *with } else { *without }
            }
        }
    }
}

/// What the names of skills begin with.
pub const LEARN: &str = "learn_";

/// A name in a list of tools that gives a tool outside: neither taken away nor a skill. A server may be called like a skill;
/// what stands behind a slash is always a server's.
fn reaches_out(name: &str) -> bool {
    let bare = name.trim_start_matches('+');
    !name.starts_with('-') && (bare.contains('/') || !bare.starts_with(LEARN))
}

/// One node kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeDescriptor {
    /// The kind's name, for example `http.request`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Version of the kind, from 1.
    pub version: u32,
    /// Shown to people, sentence case.
    pub title: String,
    /// One or two plain sentences.
    pub description: String,
    /// Other words people search for.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Words of the jobs that people do with it, in English and Simplified Chinese. The search knows them; they are not shown.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Tile colour and group: `start`, `data`, `logic`, `ai`, `error`, `person`, `system`.
    pub category: String,
    /// What it is good for, in words that programs look for: `sink`, `compliance`, `tamper_proof`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    /// Name of a lucide icon.
    pub icon: String,
    /// What the engine does for it.
    #[serde(default)]
    pub role: Role,
    /// Default mode first, then the others allowed.
    pub modes: Vec<Mode>,
    /// A switch of the config that, when it is on, makes the default mode `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_when: Option<String>,
    /// What a call does outside.
    pub effects: ByConfig<Effects>,
    /// After an interruption.
    #[serde(default = "replay_safe")]
    pub replay: ByConfig<Replay>,
    /// Has an input bar (triggers have none).
    #[serde(default = "yes")]
    pub input: bool,
    /// Schema of one item's data (mode `each`), or of all items' data (mode `all`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// Fixed ports in order, the error port last when there is one.
    pub ports: Vec<Port>,
    /// Ports that the config declares: one per element of an array field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamic_ports: Option<DynamicPorts>,
    /// JSON Schema of `config` with `x-ui` hints.
    pub config: Value,
    /// Errors it may produce.
    #[serde(default)]
    pub errors: Vec<DeclaredError>,
    /// Default numbers for retries; they take effect only where a policy or a rule retries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_policy: Option<RetryPolicy>,
    /// Default time limit of one call in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// One line under the title on the card: a template over config fields, `{name}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Kinds that hand the same items on keep `Item.error`.
    #[serde(default)]
    pub keeps_error: bool,
    /// Examples that run as tests.
    #[serde(default)]
    pub examples: Vec<Example>,
}

fn replay_safe() -> ByConfig<Replay> {
    ByConfig::Same(Replay::Safe)
}

fn yes() -> bool {
    true
}

/// One output port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Port {
    /// Port id, for example `success`.
    pub id: String,
    /// Shown inside the card when there is more than one success port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Schema of the item data that leaves here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

/// Ports read from an array field of the config.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DynamicPorts {
    /// Array field of the config.
    pub from: String,
    /// Field of each element that holds the port id; absent where the elements are the ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// With fewer elements there are no such ports.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub least: usize,
    /// The fixed port that they take the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<String>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// An error a kind may produce.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeclaredError {
    /// ErrorPayload type.
    #[serde(rename = "type")]
    pub error_type: crate::ErrorType,
    /// `details.code`.
    pub code: String,
    /// When it happens, in plain words.
    pub when: String,
    /// Whether a retry may help.
    pub retryable: bool,
}

/// A call that runs as a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Example {
    /// What it shows.
    pub title: String,
    /// The config.
    #[serde(default)]
    pub config: Value,
    /// Data of the input items.
    #[serde(default)]
    pub input: Vec<Value>,
    /// Port → data of the items that leave there; absent when `error` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<IndexMap<String, Vec<Value>>>,
    /// Expected `details.code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl NodeDescriptor {
    /// All port ids for a config: fixed ones, with those of `dynamic_ports` put before the fixed ports.
    pub fn port_ids(&self, config: Option<&Value>) -> Vec<String> {
        let mut ids = Vec::new();
        if let Some(dynamic) = &self.dynamic_ports {
            let list = config.and_then(|c| c.get(&dynamic.from)).and_then(Value::as_array);
            for element in list.filter(|list| list.len() >= dynamic.least).into_iter().flatten() {
                let id = dynamic.id.as_ref().map_or(Some(element), |field| element.get(field));
                if let Some(id) = id.and_then(Value::as_str)
                    && !ids.iter().any(|known| known == id)
                {
                    ids.push(id.to_owned());
                }
            }
        }
        let replaced = self.dynamic_ports.as_ref().and_then(|dynamic| dynamic.instead_of.as_deref());
        let replaced = replaced.filter(|_| !ids.is_empty());
        for port in &self.ports {
            if !ids.contains(&port.id) && replaced != Some(port.id.as_str()) {
                ids.push(port.id.clone());
            }
        }
        ids
    }

    /// The default mode with this config.
    pub fn default_mode(&self, config: &Value) -> Mode {
        let on = |field: &String| config.get(field) == Some(&Value::Bool(true));
        if self.all_when.as_ref().is_some_and(on) {
            return Mode::All;
        }
        self.modes.first().copied().unwrap_or(Mode::Each)
    }

    /// The mode of a step: its own, or the default one.
    pub fn mode_of(&self, node: &crate::Node) -> Mode {
        node.mode.unwrap_or_else(|| self.default_mode(node.config.as_ref().unwrap_or(&Value::Null)))
    }
}

#[cfg(test)]
mod tests {
    use super::reaches_out;

    /// G-08: skills are read only, but a server may be called like one.
    #[test]
    fn a_tool_of_a_server_is_no_skill() {
        for name in ["files/read", "+files/read", "learn_bank/pay", "+learn_bank/pay"] {
            assert!(reaches_out(name), "{name}");
        }
        for name in ["learn_triage", "+learn_triage", "-files/read", "-learn_bank/pay"] {
            assert!(!reaches_out(name), "{name}");
        }
    }
}
