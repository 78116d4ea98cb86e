//! A clock that stands still until a test moves it.

use async_trait::async_trait;
use signalbox_ports::Clock;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// 2026-11-21T22:00:00Z.
pub const START_MS: i64 = 1_795_298_400_000;

#[derive(Debug)]
struct State {
    now: i64,
    next_id: u64,
    /// (due, id) → who waits.
    sleepers: BTreeMap<(i64, u64), Option<Waker>>,
}

/// Manual time. Nothing in it blocks.
#[derive(Debug)]
pub struct ManualClock(Mutex<State>);

impl Default for ManualClock {
    fn default() -> Self {
        Self(Mutex::new(State { now: START_MS, next_id: 0, sleepers: BTreeMap::new() }))
    }
}

impl ManualClock {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves time on and wakes who is due.
    pub fn advance(&self, ms: i64) {
        let now = self.state().now;
        self.set(now + ms);
    }

    /// Sets the time, also back.
    pub fn set(&self, now: i64) {
        let mut state = self.state();
        state.now = now;
        let due: Vec<Waker> =
            state.sleepers.range_mut(..=(now, u64::MAX)).filter_map(|(_, waker)| waker.take()).collect();
        drop(state);
        due.into_iter().for_each(Waker::wake);
    }

    /// When the next sleeper is due.
    pub fn next_due(&self) -> Option<i64> {
        self.state().sleepers.keys().next().map(|(due, _)| *due)
    }

    /// Number of sleepers, for tests that wait until a timer stands.
    pub fn sleepers(&self) -> usize {
        self.state().sleepers.len()
    }
}

/// Takes its row out again when the sleep is dropped.
struct Row<'a> {
    clock: &'a ManualClock,
    key: (i64, u64),
}

impl Drop for Row<'_> {
    fn drop(&mut self) {
        self.clock.state().sleepers.remove(&self.key);
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.state().now
    }

    async fn sleep_until(&self, due_ms: i64) {
        let key = {
            let mut state = self.state();
            state.next_id += 1;
            let key = (due_ms, state.next_id);
            state.sleepers.insert(key, None);
            key
        };
        let row = Row { clock: self, key };
        poll_fn(|context| {
            let mut state = self.state();
            if state.now >= due_ms {
                return Poll::Ready(());
            }
            state.sleepers.insert(row.key, Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }
}
