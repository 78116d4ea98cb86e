//! Simulated runs: tests, recordings and proofs.

mod proofs;
mod recordings;
mod support;
mod tests_of_workflows;
