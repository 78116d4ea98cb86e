//! The real outside world against peers on loopback; one binary.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod authorization_server;
mod brokers;
mod common;
#[cfg(unix)]
mod database_servers;
#[cfg(unix)]
mod databases_mariadb;
#[cfg(unix)]
mod databases_postgres;
mod databases_saved;
#[cfg(unix)]
mod databases_sqlite;
#[cfg(unix)]
mod files;
mod http;
mod http_exchange;
mod http_save;
mod http_shapes;
mod kinds;
mod llm;
mod llm_pictures;
mod llm_servers;
#[cfg(unix)]
mod mail;
#[cfg(unix)]
mod mail_hostile;
#[cfg(unix)]
mod mail_servers;
mod mcp;
mod mcp_questions;
mod oauth_secrets;
#[cfg(unix)]
mod object_cancel;
mod openid;
#[cfg(unix)]
mod proxy;
#[cfg(unix)]
mod sent_body;
mod service_account;
mod sftp;
mod streams;
mod vault;
