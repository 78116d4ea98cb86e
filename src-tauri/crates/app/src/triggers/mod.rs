//! Workflows that start automatically: a person activates a version, its triggers start runs (ADR 90). One process per data
//! folder fires; every firing has a key that is written in the transaction that creates its run.

mod activate;
mod background;
pub(crate) mod commands;
mod fire;
mod forms;
mod host;
mod offered;
mod poll_test;
mod preview;
mod view;
mod webhook;

pub use forms::Forms;
pub use offered::{Offer, OfferedTool, ToolResult, tool_refusal, tool_result};
pub use preview::next_of_file;
pub use signalbox_runtime::triggers::ActiveForm;
pub use signalbox_runtime::triggers::webhook::{HookReply, HookRequest};
pub(crate) use signalbox_runtime::triggers::webhook::{Signed, check_signature};
pub use webhook::HookTarget;
pub(crate) use webhook::Hooks;

#[cfg(test)]
mod tests;
