//! The command line and the server, run as the real program; one binary, so that it is linked once.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod a2a;
mod access;
mod anchors;
mod author;
mod backup;
mod binaries;
mod cli;
mod compare;
#[cfg(unix)]
mod containers;
mod costs;
#[cfg(unix)]
mod crash;
mod databases;
mod debug;
mod demo_service;
mod doctor;
mod documents;
#[cfg(all(unix, debug_assertions))]
mod dying;
mod failures;
#[cfg(all(unix, debug_assertions))]
mod faults;
#[cfg(unix)]
mod files;
mod forms;
#[cfg(target_os = "linux")]
mod full_disk;
mod healing;
mod hooks;
#[cfg(target_os = "linux")]
mod hosts;
mod import;
mod imported_checkpoint;
mod limits;
#[cfg(target_os = "linux")]
mod list_memory;
mod manual;
mod masks;
mod mcp_server;
mod memory;
mod metrics;
mod model_peer;
mod models;
mod openapi;
mod people;
mod plan;
mod planner;
#[cfg(all(target_os = "linux", debug_assertions))]
mod power;
#[cfg(all(target_os = "linux", debug_assertions))]
mod power_disk;
mod provider;
mod reopen;
mod rerun;
mod retention;
mod retrieval;
#[cfg(unix)]
mod run_files;
#[cfg(unix)]
mod scripts;
mod secrets;
mod sent;
mod serve;
#[cfg(target_os = "linux")]
mod service;
mod sign_in;
mod sign_in_people;
mod sink_servers;
mod sinks;
mod start_key;
mod stats;
mod structured_log;
mod support;
mod task_destinations;
mod tool_gate;
mod tool_questions;
mod tools;
mod tools_runs;
#[cfg(all(target_os = "linux", debug_assertions))]
mod traces;
mod trigger_faults;
#[cfg(unix)]
mod trigger_kills;
mod triggers;
mod updates;
mod values;
mod webhooks;
mod workflow_tests;
mod workspaces;
