//! The rate limit of a connector, across all steps and runs of this process.

use signalbox_model::connector::RateLimit;
use signalbox_ports::World;
use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, PoisonError};

/// When the latest requests to each server were sent, milliseconds since 1970.
static SENT: LazyLock<Mutex<HashMap<String, VecDeque<i64>>>> = LazyLock::new(Mutex::default);
/// Most servers that are remembered.
const KEPT: usize = 1_000;

/// When the next request may be sent; its place is taken.
fn next(sent: &mut VecDeque<i64>, limit: RateLimit, now: i64) -> i64 {
    let window = i64::from(limit.per_seconds) * 1_000;
    while sent.front().is_some_and(|at| at + window <= now) {
        sent.pop_front();
    }
    let count = usize::try_from(limit.requests.max(1)).unwrap_or(usize::MAX);
    let due = match sent.len().checked_sub(count).and_then(|at| sent.get(at)) {
        Some(earlier) => (earlier + window).max(now),
        None => now,
    };
    sent.push_back(due);
    due
}

/// Waits until the limit of a server allows a request.
pub(crate) async fn wait(server: &str, limit: RateLimit, world: &World) {
    let now = world.clock.now_ms();
    let due = {
        let mut all = SENT.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEPT && !all.contains_key(server) {
            all.clear();
        }
        next(all.entry(server.to_owned()).or_default(), limit, now)
    };
    if due > now {
        world.clock.sleep_until(due).await;
    }
}

#[cfg(test)]
mod tests {
    use super::next;
    use signalbox_model::connector::RateLimit;
    use std::collections::VecDeque;

    #[test]
    fn requests_beyond_the_limit_wait_for_the_window() {
        let limit = RateLimit { requests: 2, per_seconds: 1 };
        let mut sent = VecDeque::new();
        let dues: Vec<i64> = (0..5).map(|_| next(&mut sent, limit, 100)).collect();
        assert_eq!(dues, [100, 100, 1_100, 1_100, 2_100]);
        assert_eq!(next(&mut sent, limit, 5_000), 5_000);
    }
}
