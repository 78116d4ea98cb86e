//! Loops, parallel branches and sub-workflows as a person looks at them.

#[path = "../common/mod.rs"]
use crate::common;
mod iterations;
mod subworkflows;
