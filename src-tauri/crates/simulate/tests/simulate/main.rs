//! Simulated runs: tests, recordings and proofs.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod exported;
mod own_code;
mod proofs;
mod recordings;
mod state_machines;
mod support;
mod tests_of_workflows;
