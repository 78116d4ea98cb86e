//! Tasks of the inbox in a service: which operations create, change and close an entry there, and which of its values are
//! decisions (docs/task-destinations.md). Expressions see `item.task`, `item.settings`, `item.text`, `item.remote`,
//! `item.answer` and `item.body`.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The `tasks` section of a connector file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskMapping {
    /// What a task becomes, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What a person says once for each destination.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub settings: IndexMap<String, TaskSetting>,
    /// Texts, as templates; a destination may have its own. Evaluated before the calls, which read them as `item.text.NAME`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub templates: IndexMap<String, String>,
    /// Looks for the entry of a task whose creation was interrupted; only reads. Without it, an interrupted creation is repeated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub find: Vec<TaskCall>,
    /// So long after an interrupted creation its entry may not be found yet, seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub find_after_seconds: u32,
    /// Creates the entry; keeps at least `id`.
    pub create: Vec<TaskCall>,
    /// Changes the entry when the task changes; without it, nothing is sent until the task ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub update: Vec<TaskCall>,
    /// Closes the entry, however the task ended.
    pub close: Vec<TaskCall>,
    /// Says whether the destination can be used; only reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test: Vec<TaskCall>,
    /// Which webhooks of the service are decisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<TaskDecisions>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Something that a person says for a destination.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskSetting {
    /// Shown to people, sentence case.
    pub title: String,
    /// What it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its value when a destination gives none; without it, a destination must.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// One call of an operation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskCall {
    /// The operation of this connector.
    pub operation: String,
    /// Its parameters, with templates.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Expression: the call is left out when it is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Expression over `item.answer`, for each element of a list: the first for which it is true is the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select: Option<String>,
    /// What it means that no element is selected: an error with this text. Without it, nothing is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Expressions over `item.answer`: what later calls read as `item.remote.NAME`. Of `create` and `find` they are stored:
    /// `id` names the entry, `link` is its address for people.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub keep: IndexMap<String, String>,
}

/// Which webhooks of a service are decisions of people.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskDecisions {
    /// What a person sets up in the service.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// How the service shows who it is: `auth` of a webhook step without its secret.
    pub auth: Map<String, Value>,
    /// Expression over `item.body`: other webhooks are not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Expression over `item.body`: the `id` that `create` kept.
    pub id: String,
    /// Expression over `item.body`: the value that may be a decision.
    pub value: String,
    /// Expression over `item.body`: the person's name, as the service reports it.
    pub person: String,
    /// Which values mean which answer of the task; a destination may have its own.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub values: IndexMap<String, String>,
}

impl TaskMapping {
    /// Its calls, with the names of their lists.
    pub fn lists(&self) -> [(&'static str, &[TaskCall]); 5] {
        [
            ("find", &self.find),
            ("create", &self.create),
            ("update", &self.update),
            ("close", &self.close),
            ("test", &self.test),
        ]
    }
}
