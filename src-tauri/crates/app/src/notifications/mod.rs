//! Messages about tasks to addresses outside, and copies of tasks in other services.

pub(crate) mod destinations;
pub(crate) mod health_alerts;
pub(crate) mod health_numbers;
pub(crate) mod webhooks;
