//! The runner as the real program, with workflows that the real `signalbox` exports.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod callback;
#[cfg(target_os = "linux")]
mod compressed;
mod download;
mod export;
mod kill;
mod outside;
mod people;
mod same_events;
mod support;
mod triggers;
