//! The run state machine: a plain function of (compiled workflow, state, input). No async, no clock, no random
//! numbers, no IO (a `clippy.toml` beside this crate and a test keep it so).
#![deny(missing_docs)]

pub mod effect;
pub mod input;
pub mod scope;
pub mod expr;
pub mod schema;
pub mod template;
