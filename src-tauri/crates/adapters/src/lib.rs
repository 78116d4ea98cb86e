//! The real outside world behind the traits of `ports`: HTTP with the address rules, files of granted folders, the
//! clock, ids, the secrets of this machine. `demo_service` is the loopback service that samples and tests talk to.
#![deny(missing_docs)]
// An exported program with fewer parts uses a part of what they share.
#![cfg_attr(not(feature = "app"), allow(dead_code))]

pub mod address;
mod aws_signature;
mod azure_signature;
#[cfg(feature = "brokers")]
pub mod brokers;
mod clock;
pub mod code_pages;
#[cfg(feature = "databases")]
pub mod databases;
#[cfg(feature = "app")]
pub mod demo_service;
pub mod documents;
pub mod durable;
pub mod files;
pub mod http;
#[cfg(feature = "app")]
pub mod keyring;
#[cfg(feature = "llm")]
pub mod llm;
#[cfg(feature = "mail")]
pub mod mail;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(feature = "brokers")]
mod murmur2;
pub mod network;
#[cfg(feature = "mcp")]
pub mod oauth;
#[cfg(feature = "app")]
pub mod otlp;
#[cfg(any(feature = "brokers", feature = "databases", feature = "sftp"))]
mod peer;
mod pending_uploads;
#[cfg(feature = "databases")]
mod postgres_tls;
pub mod private;
mod request_credentials;
pub mod samples;
pub mod script;
#[cfg(feature = "sftp")]
pub mod sftp;
pub mod sinks;
#[cfg(any(feature = "brokers", feature = "databases", feature = "mail"))]
mod tls;
#[cfg(feature = "app")]
pub mod token_source;
#[cfg(feature = "app")]
pub mod vault;
mod worker_process;

#[cfg(feature = "brokers")]
pub use brokers::MessageBrokers;
pub use clock::{RealClock, RealIds};
#[cfg(feature = "databases")]
pub use databases::PooledDatabases;
#[cfg(feature = "app")]
pub use demo_service::{DemoService, DemoServiceOnDemand};
pub use documents::DocumentWorkers;
pub use files::{FolderFiles, Grant, OpenFile};
pub use http::WebHttp;
#[cfg(feature = "llm")]
pub use llm::{Abilities, KnownProvider, Models, Price, Providers, Reserved};
#[cfg(feature = "mail")]
pub use mail::MailServers;
#[cfg(feature = "mcp")]
pub use mcp::McpTools;
pub use pending_uploads::PendingUploads;
#[cfg(feature = "sftp")]
pub use sftp::SftpServers;
#[cfg(feature = "app")]
pub use token_source::TokenSource;
#[cfg(feature = "app")]
pub use vault::Vault;
