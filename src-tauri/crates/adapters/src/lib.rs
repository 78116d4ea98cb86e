//! The real outside world behind the traits of `ports`: HTTP with the address rules, files of granted folders, the
//! clock, ids, the secrets of this machine. `demo_service` is the loopback service that samples and tests talk to.
#![deny(missing_docs)]

pub mod address;
mod aws_signature;
mod clock;
pub mod databases;
pub mod demo_service;
pub mod documents;
pub mod durable;
pub mod files;
pub mod http;
pub mod keyring;
pub mod llm;
pub mod mail;
pub mod mcp;
pub mod oauth;
pub mod otlp;
mod postgres_tls;
pub mod private;
mod request_credentials;
pub mod samples;
pub mod script;
pub mod sinks;
mod tls;
pub mod token_source;
pub mod vault;
mod worker_process;

pub use clock::{RealClock, RealIds};
pub use databases::PooledDatabases;
pub use demo_service::{DemoService, DemoServiceOnDemand};
pub use documents::DocumentWorkers;
pub use files::{FolderFiles, Grant, OpenFile};
pub use http::WebHttp;
pub use llm::{Abilities, KnownProvider, Models, Price, Providers, Reserved};
pub use mail::MailServers;
pub use mcp::McpTools;
pub use token_source::TokenSource;
pub use vault::Vault;
