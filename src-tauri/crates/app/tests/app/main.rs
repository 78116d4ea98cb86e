//! The command list through its surface; one binary.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod administration;
mod audit_chain;
mod codegen;
mod common;
mod connectors;
mod containers;
mod credential_tests;
mod database_tables;
mod destinations;
mod expression_examples;
mod faults;
mod followers;
mod generated;
mod health;
mod host;
mod indexes;
mod operators;
mod people;
mod pins;
mod proofs;
mod saved_tests;
mod shipped_tests;
mod templates;
mod worker_queue;
