//! Sinks of the audit chain: files, the standard output, databases, object stores, search engines, loggers and topics.

mod connect;
mod elastic;
mod file;
mod kafka;
mod postgres;
mod remote;
mod s3;
mod syslog;

pub use file::{JsonlSink, StdoutSink};
pub use remote::{Kind, Place, Remote};

#[cfg(test)]
mod tests;
