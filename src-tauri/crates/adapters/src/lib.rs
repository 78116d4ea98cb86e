//! The real outside world behind the traits of `ports`: HTTP with the address rules, files of granted folders, the
//! clock, ids, the secrets of this machine. `demo_service` is the loopback service that samples and tests talk to.
#![deny(missing_docs)]

pub mod address;
mod clock;
pub mod demo_service;
pub mod durable;
pub mod files;
pub mod http;
pub mod keyring;
pub mod llm;
pub mod mail;
pub mod mcp;
pub mod oauth;
pub mod otlp;
pub mod private;
mod request_credentials;
pub mod samples;
pub mod script;
pub mod sinks;
pub mod vault;

pub use clock::{RealClock, RealIds};
pub use demo_service::{DemoService, DemoServiceOnDemand};
pub use files::{FolderFiles, Grant, OpenFile};
pub use http::WebHttp;
pub use llm::{Abilities, KnownProvider, Models, Price, Providers, Reserved};
pub use mail::MailServers;
pub use mcp::McpTools;
pub use vault::Vault;
