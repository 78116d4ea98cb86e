//! Addresses that hear of tasks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an address hears of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TaskNews {
    /// A person is asked.
    #[serde(rename = "task.created")]
    Created,
    /// The time of a task has ended.
    #[serde(rename = "task.overdue")]
    Overdue,
    /// Somebody else is asked.
    #[serde(rename = "task.escalated")]
    Escalated,
    /// It was answered, by a person or by a policy.
    #[serde(rename = "task.answered")]
    Answered,
    /// Nobody needs to answer it any more.
    #[serde(rename = "task.closed")]
    Closed,
    /// An active workflow has failed: at most once an hour for each.
    #[serde(rename = "workflow.failed")]
    WorkflowFailed,
    /// An alert about the health of a workflow is raised, or over.
    #[serde(rename = "workflow.health")]
    WorkflowHealth,
}

impl From<TaskNews> for signalbox_store::TaskNews {
    fn from(news: TaskNews) -> Self {
        match news {
            TaskNews::Created => Self::Created,
            TaskNews::Overdue => Self::Overdue,
            TaskNews::Escalated => Self::Escalated,
            TaskNews::Answered => Self::Answered,
            TaskNews::Closed => Self::Closed,
            TaskNews::WorkflowFailed => Self::WorkflowFailed,
            TaskNews::WorkflowHealth => Self::WorkflowHealth,
        }
    }
}

impl From<signalbox_store::TaskNews> for TaskNews {
    fn from(news: signalbox_store::TaskNews) -> Self {
        use signalbox_store::TaskNews as Kept;
        match news {
            Kept::Created => Self::Created,
            Kept::Overdue => Self::Overdue,
            Kept::Escalated => Self::Escalated,
            Kept::Answered => Self::Answered,
            Kept::Closed => Self::Closed,
            Kept::WorkflowFailed => Self::WorkflowFailed,
            Kept::WorkflowHealth => Self::WorkflowHealth,
        }
    }
}

/// Tells an address of tasks from now on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookAdd {
    /// `https://…`; `http://` too, for the own network.
    pub url: String,
    /// What it hears of; everything when absent.
    #[serde(default)]
    pub events: Option<Vec<TaskNews>>,
    /// The secret that signs: `secret://name`. The host of the address is one that it is for.
    pub secret: String,
    /// The address may be one of this machine: said by a person in the window or at the terminal.
    #[serde(default)]
    pub allow_local: bool,
}

/// Names an address.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookRef {
    /// Its id.
    pub id: String,
}

/// An address that hears of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// Its id.
    pub id: String,
    /// The address without its query.
    pub url: String,
    /// What it hears of.
    pub events: Vec<TaskNews>,
    /// The secret that signs: `secret://name`.
    pub secret: String,
    /// Who made it.
    pub made_by: String,
    /// RFC 3339.
    pub made_at: String,
    /// Messages that are sent, or sent again.
    pub waiting: u64,
    /// Messages that were given up.
    pub failed: u64,
}

/// Asks what was told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookLog {
    /// To this address (id); to all when absent.
    #[serde(default)]
    pub id: Option<String>,
    /// At most so many, 50 when absent, never more than 500.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Where a message stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// It is sent as soon as possible, or again later.
    Waiting,
    /// The address took it.
    Taken,
    /// It was given up.
    Failed,
}

/// One message to an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivery {
    /// Its id, `webhook-id` of each attempt.
    pub id: String,
    /// The address (id).
    pub webhook: String,
    /// What it tells.
    pub event: String,
    /// The task; empty when it tells of a workflow.
    pub task_id: String,
    /// Where it stands.
    pub state: DeliveryState,
    /// RFC 3339.
    pub made_at: String,
    /// How often it was sent.
    pub attempts: u32,
    /// When it was sent last, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried_at: Option<String>,
    /// When it is sent again, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again_at: Option<String>,
    /// What the address answered last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why it was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Has a message sent again.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookAgain {
    /// Its id.
    pub id: String,
}

/// What was sent now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WebhooksSent {
    /// How many messages were tried.
    pub tried: u64,
}
