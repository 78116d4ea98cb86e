//! Tests of the detection.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod labelled;
mod personal;
