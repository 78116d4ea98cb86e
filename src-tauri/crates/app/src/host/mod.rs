//! What a process does around the commands: files, repeated background work, housekeeping, metrics.

mod background;
pub(crate) mod clock;
pub(crate) mod files;
pub(crate) mod housekeeping;
pub mod metrics;
