//! Loops, parallel branches and sub-workflows as a person looks at them.

mod iterations;
mod subworkflows;
