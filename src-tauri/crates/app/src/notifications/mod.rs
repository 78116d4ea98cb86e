//! Messages about tasks to addresses outside.

pub(crate) mod webhooks;
