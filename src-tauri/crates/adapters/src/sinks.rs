//! Sinks of the audit chain: files, the standard output, databases, object stores, search engines, loggers and topics.

#[cfg(feature = "app")]
mod connect;
#[cfg(feature = "app")]
mod elastic;
mod file;
#[cfg(feature = "app")]
mod kafka;
#[cfg(feature = "app")]
mod postgres;
#[cfg(feature = "app")]
mod remote;
#[cfg(feature = "app")]
mod s3;
#[cfg(feature = "app")]
mod syslog;

pub use file::{JsonlSink, StdoutSink};
#[cfg(feature = "app")]
pub use remote::{Kind, Place, Remote};

#[cfg(test)]
#[cfg(feature = "app")]
mod tests;
