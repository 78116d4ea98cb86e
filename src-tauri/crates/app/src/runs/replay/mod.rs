//! Failed runs that begin again with one correction: what it makes of an input, what it would do, and who drives a replay.

pub(crate) mod correction;
pub(crate) mod driver;
pub(crate) mod job;
pub(crate) mod suggestion;
