//! The run state machine: a plain function of (compiled workflow, state, input). No async, no clock, no random
//! numbers, no IO (a `clippy.toml` beside this crate and a test keep it so).
//!
//! [`step()`] decides events and applies them with [`fold()`]; replay is [`fold()`] repeated. What the outside must do
//! comes back as [`effect::Effect`]s, carried out only after the commit.
#![deny(missing_docs)]

mod address;
pub mod agent;
pub mod audit_rules;
pub(crate) mod calendar;
pub mod catalog;
pub mod checkpoint;
pub mod compare;
pub mod compiled;
pub mod config;
pub mod connector;
mod context;
pub mod coverage;
pub mod date_pattern;
pub mod debug;
mod decision;
mod declared_variables;
mod edit_distance;
pub mod effect;
mod error_codes;
pub mod exported_checkpoint;
pub mod expr;
mod fold;
pub mod form;
mod graph_order;
pub mod guard;
pub mod imported_checkpoint;
pub mod input;
pub mod json;
pub mod kept_input;
mod limit;
pub mod lineage;
mod numbers;
pub mod params;
pub mod patch;
mod paths;
mod payload;
mod prepare;
pub mod question;
mod reachable;
mod recovery;
pub mod repair;
pub mod request_body;
pub mod retry;
mod route;
mod value_size;
/// Rules of error handling, for editors and dry runs.
pub mod rules {
    pub use crate::decision::{DEFAULT_RULES, Decider, Facts, Outcome, RuleVerdict, Wired, dry_run};
    pub use crate::error_codes::INTERRUPTED;
    pub use crate::route::tells_cut_off;
    pub use crate::validate::rules::{RuleFinding, check};
}
pub mod rerun;
pub mod run_limits;
pub mod schedule;
pub mod schema;
pub mod schemas;
pub mod scope;
mod script_numbers;
pub mod snapshot;
mod state;
mod step;
pub mod summary;
pub mod taint;
pub mod template;
pub mod tool_rules;
pub mod trigger;
pub mod until;
pub mod validate;
pub mod webhook;

pub use catalog::Catalog;
pub use compiled::Compiled;
pub use effect::Effect;
pub use fold::{FoldError, fold};
pub use input::Input;
pub use state::{BY_SCHEDULE, BY_TRIGGER, RunState};
pub use step::{GRACE_MS, MANY_TASKS, StepError, StepOutput, step};
