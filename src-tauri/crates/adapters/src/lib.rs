//! The real outside world behind the traits of `ports`: HTTP with the address rules, files of granted folders, the
//! clock, ids, the secrets of this machine. `practice` is the loopback service that samples and tests talk to.
#![deny(missing_docs)]

pub mod address;
mod clock;
pub mod durable;
pub mod files;
pub mod http;
pub mod llm;
pub mod mcp;
pub mod oauth;
pub mod practice;
pub mod private;
pub mod ring;
pub mod samples;
pub mod script;
mod sending;
pub mod sinks;
pub mod vault;

pub use clock::{RealClock, RealIds};
pub use files::{FolderFiles, Grant};
pub use http::WebHttp;
pub use llm::{Abilities, KnownProvider, Models, Price, Providers, Reserved};
pub use mcp::McpTools;
pub use practice::{Practice, PracticeOnDemand};
pub use vault::Vault;
