//! Files of other programs; one binary.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod asl;
mod curl;
mod hostile;
mod meaning;
mod n8n;
mod references;
mod translate;
