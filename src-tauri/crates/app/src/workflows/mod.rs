//! Workflow files: the library, checks, imports and the canonical form.

mod by_id;
pub mod canonical;
pub mod check;
pub mod import;
pub(crate) mod inferred_names;
pub(crate) mod library;
pub(crate) mod number_literals;
pub mod samples;
mod subworkflows;
