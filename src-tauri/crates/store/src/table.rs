//! One file per table: its migration, its row, how it is read and how it is written.

pub(crate) mod audit_checkpoint;
pub(crate) mod audit_entry;
pub(crate) mod audit_meta;
pub(crate) mod audit_place;
pub(crate) mod audit_text;
pub(crate) mod blob;
pub(crate) mod definition;
pub(crate) mod delegation;
pub(crate) mod draft;
pub(crate) mod folder_grant;
pub(crate) mod run;
pub(crate) mod run_deleted;
pub(crate) mod run_event;
pub(crate) mod run_input;
pub(crate) mod run_node;
pub(crate) mod run_path;
pub(crate) mod run_snapshot;
pub(crate) mod run_summary;
pub(crate) mod setting;
pub(crate) mod task;
pub(crate) mod task_body;
pub(crate) mod task_history;
pub(crate) mod task_stats;
pub(crate) mod task_token;
pub(crate) mod task_vote;
pub(crate) mod webhook;
