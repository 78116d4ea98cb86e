//! The runtime against a real store, a real clock and a scripted outside.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod crash;
mod cut_off;
mod follow;
mod journal;
mod limits;
mod lists;
mod memory;
mod model;
mod panics;
mod people;
mod rows;
mod run;
mod said;
mod start_key;
mod support;
