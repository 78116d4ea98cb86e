//! The command list and its bodies: everything a person can do, for every host. Knows no window and no server.
#![deny(missing_docs)]

mod app;
mod audit;
mod caller;
pub mod command_list;
mod commands;
pub mod dto;
pub mod error;
pub mod export;
mod host;
mod models;
mod notifications;
mod response;
mod router;
mod runs;
mod secrets;
mod tasks;
mod tool_servers;
mod triggers;
mod workflows;

pub use app::{App, Options, default_data_dir};
pub use audit::verification::verify_file_alone;
pub use caller::{Caller, WorkspaceRoles, os_user, workspace_name, workspace_role};
pub use commands::{
    AuthorTool, FileContent, PlanProgress, PlanReport, PlanRequest, SaveTest, author_tools, grant_root, parse_allow_dir,
};
pub use dto::Via;
pub use dto::fitting;
pub use dto::{DataFinding, DataReport, DataState, PrunedRun};
pub use error::{ApiError, ApiResult, Class};
pub use host::access::{AccessEnd, GivenWorkspace, NamedPerson, SignedInPerson};
pub use host::backup::{BackupReport, Restore, RestoreReport, restore};
pub use host::check_data::readable_by_others;
pub use host::metrics;
pub use host::server_access::{KeptSession, KeptToken, TOKEN_PREFIX};
pub use router::{Asked, is_about_the_whole_server};
pub use runs::followers::{Follower, Followers};
pub use runs::lifecycle::{EventStream, Told};
pub use runs::new_run::NewRun;
pub use runs::prune::{PruneReport, PruneRules};
pub use runs::start_key::StartKey;
pub use runs::structured_log::RunLogLevel;
pub use secrets::SIGN_IN_CALLBACK;
pub use signalbox_adapters::script;
pub use signalbox_model::wire::{WireEvent, list_text};
pub use signalbox_planner as planner;
pub use signalbox_runtime::StartOutcome;
pub use signalbox_store::History;
pub use tasks::change_feed::TaskChanges;
pub use triggers::{
    ActiveForm, Forms, HookReply, HookRequest, HookTarget, Offer, OfferedTool, ToolResult, next_of_file, tool_refusal,
    tool_result,
};
pub use workflows::{canonical, check, connectors, import, samples, saved_tests, templates};
