//! Workflow files: the library, checks, imports and the canonical form.

mod by_id;
pub mod canonical;
pub mod check;
pub mod connectors;
pub(crate) mod document;
pub(crate) mod faults;
pub(crate) mod grants;
pub mod import;
pub(crate) mod inferred_names;
mod introspection;
pub(crate) mod library;
pub(crate) mod node_scope;
pub(crate) mod number_literals;
pub(crate) mod pins;
pub(crate) mod proofs;
pub(crate) mod proposals;
mod recorded;
pub mod samples;
pub mod saved_tests;
pub(crate) mod step_names;
pub(crate) mod step_sandbox;
pub(crate) mod subworkflows;
pub mod templates;
