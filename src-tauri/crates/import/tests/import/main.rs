//! Files of other programs; one binary.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod asl;
mod curl;
mod graphql;
mod hostile;
// The reader of JavaScript with its tests: the library keeps it to itself.
#[path = "../../src/js/mod.rs"]
mod js;
mod meaning;
mod n8n;
mod openapi;
mod references;
mod translate;
