//! The time of this machine.

use signalbox_model::time;
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The day of a moment, UTC.
pub(crate) fn day(ms: i64) -> String {
    time::format(ms).chars().take(10).collect()
}
