//! The real outside world behind the traits of `ports`: HTTP with the address rules, files of granted folders, the
//! clock, ids. `practice` is the loopback service that samples and tests talk to.
#![deny(missing_docs)]

pub mod address;
mod clock;
pub mod files;
pub mod http;
pub mod practice;
pub mod samples;

pub use clock::{RealClock, RealIds};
pub use files::{FolderFiles, Grant};
pub use http::WebHttp;
pub use practice::{Practice, PracticeOnDemand};
