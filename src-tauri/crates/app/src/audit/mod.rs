//! The audit chain: signing, verifying, searching, exporting, and its copies outside.

mod anchor;
pub(crate) mod describe;
mod destinations;
pub(crate) mod export;
mod export_profile;
pub(crate) mod facts;
pub(crate) mod missing_end;
pub(crate) mod query;
mod retention;
pub(crate) mod signing;
pub(crate) mod signing_key;
pub(crate) mod sinks;
mod text_index;
pub(crate) mod verification;
pub(crate) mod view;
