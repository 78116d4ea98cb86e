//! Node kinds through their surface; one binary.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod a2a;
mod brokers;
mod common;
mod connector_credentials;
mod connectors;
mod databases;
mod documents;
mod error_details;
mod examples;
mod faults;
mod http;
mod http_pages;
mod kinds;
mod lists;
mod mail;
mod needed;
mod object_files;
mod objects;
mod objects_google;
mod pictures;
mod retrieval;
mod rows;
mod table;
