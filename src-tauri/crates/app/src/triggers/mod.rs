//! Workflows that start automatically: a person activates a version, its triggers start runs (ADR 90). One process per data
//! folder fires; every firing has a key that is written in the transaction that creates its run.

mod activate;
pub(crate) mod commands;
mod failures;
mod file_watch;
mod fire;
mod forms;
mod kind;
mod mail_place;
mod mail_source;
mod mail_watch;
mod offered;
mod poll;
mod poll_run;
mod poll_source;
mod poll_test;
mod preview;
mod scheduler;
mod seen;
mod settle;
mod view;
mod webhook;

pub use forms::{ActiveForm, Forms};
pub use offered::{Offer, OfferedTool, ToolResult, tool_refusal, tool_result};
pub use preview::next_of_file;
pub use webhook::{HookReply, HookRequest, HookTarget};
pub(crate) use webhook::{Hooks, Signed, check_signature};

#[cfg(test)]
mod tests;
