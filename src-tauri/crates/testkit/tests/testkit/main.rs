//! Scenarios, histories, and the rules for architecture and names; one binary.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod agents;
mod architecture;
mod binaries;
mod clock;
mod dependencies;
mod glossary;
mod hints;
mod histories;
mod libraries;
mod modules;
mod scenarios;
mod speech;
mod states;
mod tool_gate;
mod tool_questions;
