//! Services that tasks are copied to, and where each task stands there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sends tasks to a service from now on: by a connector, or by mail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskDestinationAdd {
    /// What people call it, such as "Jira".
    pub name: String,
    /// A connector whose file has the section `tasks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector: Option<String>,
    /// Or a mail server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<TaskMail>,
    /// `secret://NAME`: who Signalbox is there. It must allow the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// Another address of the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Variables of the connector's address.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// Settings of the connector's section `tasks`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Texts instead of those of the connector, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub templates: BTreeMap<String, String>,
    /// Only tasks of these workflows (ids); of all when it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workflows: Vec<String>,
    /// Only tasks of these people and groups (`user:…`, `group:…`); of all when it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assignees: Vec<String>,
    /// Only tasks of at least this priority, 0 to 100.
    #[serde(default)]
    pub min_priority: u8,
    /// Decisions that are taken from there; none when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<TaskDecisionRules>,
    /// The address of this program for people, such as `https://signalbox.example`: links lead to its inbox. Links of the
    /// desktop application when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
    /// A person on this machine allows an address of this machine.
    #[serde(default, skip_serializing)]
    pub allow_local: bool,
}

/// A mail server and the people who get messages about tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskMail {
    /// Name or address of the SMTP server, without a port.
    pub host: String,
    /// `tls`, `starttls` or `none`; `tls` when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<String>,
    /// The usual one of `security` when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Who signs in; the user that is kept with the secret when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Language of the messages, `en` or `zh`; English when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Certificate authorities (PEM) instead of those of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// One address.
    pub from: String,
    /// Addresses.
    pub to: Vec<String>,
}

/// Which values of the service are decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskDecisionRules {
    /// `secret://NAME`: signs the webhooks of the service, or is sent with them.
    pub secret: String,
    /// Value of the service to answer (`approve`, `reject`, `retry`, `skip`, `abort`); those of the connector when it is empty.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
}

/// Names a destination.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskDestinationRef {
    /// Its id.
    pub id: String,
}

/// A service that tasks are copied to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskDestination {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Name of the service.
    pub service: String,
    /// The address of the service, or the recipients of mail.
    pub place: String,
    /// Its settings, as they were given.
    pub config: TaskDestinationAdd,
    /// The path of this program that takes decisions from there (`POST`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions_path: Option<String>,
    /// Values of the service that are decisions, and what they mean.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub decisions: BTreeMap<String, String>,
    /// Who made it.
    pub made_by: String,
    /// RFC 3339.
    pub made_at: String,
    /// Tasks that are sent, or sent again.
    pub waiting: u64,
    /// Tasks that were given up.
    pub failed: u64,
    /// Open tasks that stand there.
    pub open: u64,
    /// How often the address of decisions was only looked at; that decides nothing.
    pub opened: u64,
    /// It cannot be used: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What a destination can be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskDestinationKind {
    /// Name of the connector.
    pub connector: String,
    /// Name of the service.
    pub title: String,
    /// What a task becomes there.
    pub description: String,
    /// Variables of its address.
    pub variables: Vec<TaskDestinationField>,
    /// Its settings.
    pub settings: Vec<TaskDestinationField>,
    /// Its texts.
    pub templates: BTreeMap<String, String>,
    /// The service can be addressed without a credential.
    pub anonymous: bool,
    /// What a person sets up in the service to decide there; absent where nothing comes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<String>,
    /// Values that are decisions when a destination names none.
    pub values: BTreeMap<String, String>,
}

/// A variable or a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskDestinationField {
    /// Its name.
    pub name: String,
    /// Shown to people.
    pub title: String,
    /// What it is.
    pub description: String,
    /// Its value when none is given; without it, one must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// Whether a destination can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskDestinationTest {
    /// It can.
    pub ok: bool,
    /// Why it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Asks where tasks stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskCopyLog {
    /// At this destination (id); at all when absent.
    #[serde(default)]
    pub id: Option<String>,
    /// At most so many, 50 when absent, never more than 500.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Names a task at a destination.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskCopyRef {
    /// Its id.
    pub id: String,
}

/// How it stands with a task at a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskCopyState {
    /// It is sent as soon as possible, or again later.
    Waiting,
    /// It stands there as it is here.
    Current,
    /// It was given up.
    Failed,
    /// The task ended; it is closed there, or was never created.
    Closed,
}

/// A task at a destination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskCopy {
    /// Its id.
    pub id: String,
    /// The destination (id).
    pub destination: String,
    /// What people call the destination.
    pub name: String,
    /// The task.
    pub task_id: String,
    /// The task's title.
    pub title: String,
    /// How it stands.
    pub state: TaskCopyState,
    /// Its name at the service, such as `ABC-12`; absent before it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Its address at the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Why it does not stand there as it is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How often that was tried.
    pub attempts: u32,
    /// When it was tried last, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried_at: Option<String>,
    /// When it is tried again, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again_at: Option<String>,
    /// Why a decision from there was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How often the link in it was opened, by people or by programs that look at links.
    pub opened: u64,
}

/// What was sent now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskCopiesSent {
    /// How many tasks were tried.
    pub tried: u64,
}
