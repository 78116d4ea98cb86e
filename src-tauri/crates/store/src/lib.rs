//! The store: one SQLite file with runs, their events, snapshots, large values, durable inputs, tasks of people, the audit
//! chain, settings, folder grants and drafts, used by several processes at once. With the feature `postgres` it can be a database of
//! PostgreSQL instead, which several hosts use (ADR 220, 221).
//!
//! A driver writes with [`Store::commit`] or [`Store::submit`]: everything of one [`RunCommit`] is written, or nothing. The
//! owner and the epoch in it are the fence: a process that no longer owns the run writes nothing. The answer comes after the
//! commit, so an effect that starts after it can be recovered. Readers never wait for the writer.
//!
//! Deliberately not here: time, ids, what an event means, and when to write a snapshot. They arrive as data.
#![deny(missing_docs)]

mod access;
mod alarm;
mod answer;
mod binary;
mod chain;
mod chain_truncation;
mod check;
mod commit;
mod connection;
mod delegations;
mod document;
mod error;
pub mod failpoint;
mod failures;
mod filter;
mod handed;
mod health;
mod high_water;
mod instance;
mod letters;
mod limits;
pub mod mask;
mod migration;
mod new_file;
mod open;
mod payload;
mod remembered;
mod retention;
mod schema;
mod sql;
mod store;
mod table;
mod task_change;
mod task_destinations;
mod tasks;
mod tool_servers;
mod triggers;
mod usage;
mod webhooks;
mod workspaces;
mod writer;

pub use alarm::StoreAlarm;
pub use chain::{AuditState, Receipt};
pub use chain_truncation::Cut;
pub use check::{
    CopyFacts, DamagedEvent, RunSize, StoreCheck, StoreRepair, StoreSize, check_copy, known_version, runs_in_copy,
};
pub use commit::{Handed, Limited, NewRun, RunCommit, RunEnd, Waits, Written};
pub use error::{CommitError, Error, Error as StoreError};
pub use handed::HandedQueue;
pub use instance::is_in_use;
pub use limits::Activity;
pub use open::{History, StoreOptions};
pub use payload::{Payload, PayloadPart, PayloadState, Payloads};
pub use retention::{Held, Retained};
pub use signalbox_audit as audit;
pub use sql::Pause;
pub use store::{Answer, Store, Thread};
pub use table::access_token::AccessToken;
pub use table::activation::{Activation, Firing, FiringRow, NewTrigger, SkippedTicks, TriggerRow, WorkflowVersion};
pub use table::audit_entry::{AuditFacets, AuditPage, AuditQuery, AuditRow, actor_name};
pub use table::audit_without::AuditWithout;
pub use table::delegation::Delegation;
pub use table::draft::Draft;
pub use table::failure::{FailureGroup, FailureGroups, FailureQuery, FailureRow, FailureState};
pub use table::failure_notice::{FAILURE_EVERY_MS, FailureNotice};
pub use table::folder_grant::FolderGrant;
pub use table::health::{DurationCount, HealthDay, HealthErrors, HealthTotals, WorkflowTotals};
pub use table::health_alert::{HEALTH_ALERTS, Pending, RaisedAlert};
pub use table::llm_usage::{UsageRow, UsageSums};
pub use table::proof::ProofRow;
pub use table::replay::{NewReplay, ReplayCounts, ReplayItem, ReplayRow, ReplayState, Replayed};
pub use table::run::{HandedRun, Owner, RunPage, RunQuery, RunRow};
pub use table::run_event::EventPage;
pub use table::run_input::RunInput;
pub use table::run_key::{RUN_KEY_MS, RunKey};
pub use table::run_limit::{Admitted, RunLimits};
pub use table::run_node::LastCall;
pub use table::run_path::EventHead;
pub use table::run_snapshot::Snapshot;
pub use table::task::{TaskCounts, TaskPage, TaskQuery, TaskRow, TaskScope, TaskSort, TaskView};
pub use table::task_copy::{TaskCopy, TaskCopyCounts, TaskCopyTried, TaskDestination, TaskRules};
pub use table::task_history::TaskNote;
pub use table::task_stats::{CauseStats, TaskStats, TaskStatsQuery, WorkflowStats};
pub use table::task_vote::TaskVote;
pub use table::tool_server::ToolServerRow;
pub use table::trigger_intake::{BEGUN, FailedRun, SEEN_KEPT_MS, SeenLimits, Taken};
pub use table::user_session::UserSession;
pub use table::webhook::{TaskNews, Webhook, WebhookDelivery, WebhookState, WebhookTried};
pub use table::workspace::{Quota, Started, Workspace};
pub use task_change::{NewTask, TaskChange};
pub use task_destinations::TaskDestinationAdded;
pub use tasks::{AnswerTask, Answered, TaskAct, TaskError, TaskRecord};
pub use triggers::FIRING_KEPT_MS;
pub use webhooks::{WEBHOOK_REST_MS, WebhookAdded};
