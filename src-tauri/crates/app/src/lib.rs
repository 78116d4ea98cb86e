//! The command list and its bodies: everything a person can do, for every host. Knows no window and no server.
#![deny(missing_docs)]

pub mod dto;
pub mod error;
pub mod table;

pub use error::{ApiError, ApiResult, Class};
