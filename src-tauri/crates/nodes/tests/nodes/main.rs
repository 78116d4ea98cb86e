//! Node kinds through their surface; one binary.

mod common;
mod examples;
mod http;
mod kinds;
mod lists;
mod pictures;
mod rows;
mod table;
