//! The command list through its surface; one binary.

mod codegen;
mod common;
mod containers;
mod generated;
mod host;
mod operators;
mod people;
