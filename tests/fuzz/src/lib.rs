//! What the programs of all targets share: how a target is chosen and run, and how inputs are changed. `cargo xtask fuzz` builds
//! and runs the programs.

pub mod harness;
pub mod mutate;
