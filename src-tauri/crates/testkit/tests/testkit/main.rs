//! Scenarios, histories and the rules of the house; one binary.

mod agents;
mod binaries;
mod clock;
mod glossary;
mod histories;
mod house;
mod scenarios;
mod speech;
mod tool_gate;
