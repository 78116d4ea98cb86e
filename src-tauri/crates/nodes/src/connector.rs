//! Calls of operations of connectors: what a step's parameters become in a request, and what the response means.

pub(crate) mod address;
pub(crate) mod errors;
pub mod file;
pub(crate) mod pace;
pub(crate) mod pages;
pub(crate) mod request;
mod styles;
pub(crate) mod token;
