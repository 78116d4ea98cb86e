//! The command list and its bodies: everything a person can do, for every host. Knows no window and no server.
#![deny(missing_docs)]

mod anchor;
mod app;
mod attachments;
mod audit_index;
mod audit_log;
mod audit_query;
mod audit_view;
mod bodies;
mod called;
pub mod canonical;
mod changes;
pub mod check;
pub mod dto;
pub mod error;
mod evidence;
mod export;
mod files;
mod key;
mod library;
mod likely;
mod masked;
mod outgoing;
mod outside;
mod paths;
mod people;
mod place;
mod profile;
mod retention;
mod router;
mod runs;
pub mod samples;
mod secrets;
mod signing;
mod stored;
mod story;
pub mod table;
mod view;
mod viewed;
mod webhooks;

pub use app::{App, NewRun, Options, default_data_dir};
pub use bodies::parse_allow_dir;
pub use changes::TaskChanges;
pub use error::{ApiError, ApiResult, Class};
pub use outside::EventStream;
pub use router::{Caller, Via, os_user};
