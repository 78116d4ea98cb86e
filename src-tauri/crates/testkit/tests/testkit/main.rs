//! Scenarios, histories and the rules of the house; one binary.

mod agents;
mod architecture;
mod binaries;
mod clock;
mod histories;
mod modules;
mod scenarios;
mod speech;
mod tool_gate;
