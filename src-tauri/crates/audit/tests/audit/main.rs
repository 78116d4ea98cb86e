//! The audit chain and its verifier; one binary.

mod common;
mod digest;
mod docs;
mod pack;
mod retention;
mod tamper;
mod vectors;
