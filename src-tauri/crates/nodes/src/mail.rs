//! What the mail steps share: the server in their settings, addresses, and what a failed exchange means.

pub(crate) mod address;
pub(crate) mod failure;
pub(crate) mod item;
pub(crate) mod message;
pub(crate) mod query;
pub(crate) mod server;
pub(crate) mod watch;
