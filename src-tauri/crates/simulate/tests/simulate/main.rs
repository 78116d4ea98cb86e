//! Simulated runs: tests, recordings and proofs.

mod exported;
mod own_code;
mod proofs;
mod recordings;
mod state_machines;
mod support;
mod tests_of_workflows;
