//! The audit chain and its verifier; one binary.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
mod digest;
mod docs;
mod pack;
mod retention;
mod tamper;
mod vectors;
