//! Scenarios, histories, and the rules for architecture and names; one binary.

mod agents;
mod architecture;
mod binaries;
mod clock;
mod dependencies;
mod glossary;
mod histories;
mod modules;
mod scenarios;
mod speech;
mod states;
mod tool_gate;
mod tool_questions;
