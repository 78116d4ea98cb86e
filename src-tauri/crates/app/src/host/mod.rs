//! What a process does around the commands: files, the clock, what it sends to addresses that a person named, repeated
//! background work, housekeeping, metrics, traces.

pub(crate) mod access;
pub(crate) mod background;
pub(crate) mod backup;
pub(crate) mod check_data;
pub(crate) mod clock;
pub(crate) mod credential_lint;
pub(crate) mod files;
pub(crate) mod housekeeping;
pub mod metrics;
pub(crate) mod network;
pub(crate) mod outgoing;
pub(crate) mod server_access;
pub(crate) mod sign_in;
pub(crate) mod single_call;
mod stored;
pub(crate) mod tracing;
pub(crate) mod updates;
pub(crate) mod workspaces;
