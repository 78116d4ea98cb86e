//! Plain data shared by every crate: workflow files, node descriptors, payloads, errors, run events, snapshots, summaries.
//!
//! Nothing here does IO (but for long lists, of which parts lie in files: `items::pages`), knows the time or draws random numbers. Names are camelCase in JSON except where a source
//! document fixes another spelling (`duration_ms`, `failed_step_id`, `stop_id`).
#![deny(missing_docs)]

pub mod audit_event;
pub mod base;
pub mod blob;
pub mod budget;
pub mod bundle;
pub mod call_progress;
pub mod connector;
pub mod data;
pub mod debug;
pub mod descriptor;
pub mod diagnostic;
pub mod digits;
pub mod durable_input;
pub mod error;
pub mod event;
pub mod failure;
pub mod hash;
pub mod item;
pub mod items;
pub mod key_claim;
pub mod lossless;
pub mod media;
pub mod money;
pub mod oauth;
pub mod path;
pub mod present;
pub mod repeated_members;
pub mod run_origin;
pub mod secret_ref;
pub mod snapshot;
pub mod spans;
pub mod step_fault;
pub mod strict_json;
pub mod summary;
pub mod task;
mod task_end;
pub mod text;
pub mod time;
pub mod tool_rule;
pub mod trace_context;
pub mod value_text;
pub mod wire;
pub mod workflow;

pub use audit_event::AuditEvent;
pub use call_progress::CallProgress;
pub use connector::{Connector, Operation};
pub use data::Data;
pub use descriptor::{Effects, Mode, NodeDescriptor, Replay, Role};
pub use diagnostic::{Code, Diagnostic, Severity};
pub use durable_input::DurableInput;
pub use error::{ErrorPayload, ErrorType, NodeFailure, SuggestedAction};
pub use event::{EventBody, RunEvent};
pub use item::{Binaries, BinaryRef, ExecutionPayload, Item};
pub use items::Items;
pub use key_claim::KeyClaim;
pub use run_origin::RunOrigin;
pub use snapshot::Snapshot;
pub use step_fault::{FaultError, StepFault};
pub use summary::{NodeState, RunStatus, RunSummary, StepSummary};
pub use task::{Level, Origin, TaskAction, TaskKind, TaskReason, TaskState, ToolGrant};
pub use task_end::TaskEnd;
pub use tool_rule::{ToolRule, ToolVerdict};
pub use trace_context::TraceContext;
pub use workflow::{Edge, ErrorHandling, Node, PortRef, RetryPolicy, Workflow};

/// A JSON object with the order of its keys kept.
pub type Map = serde_json::Map<String, serde_json::Value>;
