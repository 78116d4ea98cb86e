//! Workflows that start automatically: a person activates a version, its triggers start runs (ADR 90). One process per data
//! folder fires; every firing has a key that is written in the transaction that creates its run.

mod activate;
pub(crate) mod commands;
mod fire;
mod kind;
mod offered;
mod preview;
mod scheduler;
mod view;

pub use offered::{OfferedTool, ToolResult, tool_refusal, tool_result};
pub use preview::next_of_file;

#[cfg(test)]
mod tests;
