//! What goes into and comes out of the commands. Requests refuse unknown fields. Documents and events travel as raw
//! JSON (nothing of a file may get lost on the way); their schema is the model's.

mod anchor;
mod audit;
mod common;
mod compare;
mod data;
mod debug;
mod errors;
mod import;
mod inbox;
mod library;
mod model;
mod people;
mod reopen;
mod rerun;
mod retention;
mod runs;
mod secrets;
mod sent;
mod sink;
mod stats;
mod system;
mod tools;
mod usage;
mod way;
mod webhook;

pub use anchor::*;
pub use audit::*;
pub use common::*;
pub use compare::*;
pub use data::*;
pub use debug::*;
pub use errors::*;
pub use import::*;
pub use inbox::*;
pub use library::*;
pub use model::*;
pub use people::*;
pub use reopen::*;
pub use rerun::*;
pub use retention::*;
pub use runs::*;
pub use secrets::*;
pub use sent::*;
pub use sink::*;
pub use stats::*;
pub use system::*;
pub use tools::*;
pub use usage::*;
pub use way::*;
pub use webhook::*;

pub use crate::triggers::dto::*;
