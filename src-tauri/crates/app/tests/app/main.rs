//! The command list through its surface; one binary.

mod audit_chain;
mod codegen;
mod common;
mod connectors;
mod containers;
mod followers;
mod generated;
mod host;
mod operators;
mod people;
mod pins;
mod saved_tests;
mod templates;
