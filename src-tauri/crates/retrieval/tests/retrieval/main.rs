//! Indexes through their port; one binary.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod index;
mod manage;
mod measure;
mod vectors;
