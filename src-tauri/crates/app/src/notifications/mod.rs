//! Messages about tasks to addresses outside.

pub(crate) mod health_alerts;
pub(crate) mod health_numbers;
pub(crate) mod webhooks;
