//! Node kinds through their surface; one binary.

mod cancelled;
mod common;
mod examples;
mod kinds;
mod pictures;
mod table;
