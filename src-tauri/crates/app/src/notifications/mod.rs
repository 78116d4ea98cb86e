//! Messages about tasks to addresses outside.

pub(crate) mod health_alerts;
pub(crate) mod webhooks;
