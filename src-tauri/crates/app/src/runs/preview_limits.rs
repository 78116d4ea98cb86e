//! Who tries expressions at the moment, and what one try may cost. A preview is for anybody who may look, and comes with
//! every key stroke: it must not take from the server what runs need.

use signalbox_engine::expr::Allowance;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Previews of one person at once.
const AT_ONCE: usize = 2;
/// How long a further one waits for its turn: a little longer than one of those before it may take.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long the expressions of one preview may take.
const TIME: Duration = Duration::from_millis(250);
/// What their values may take. As much again is kept for the answer that is made of them, so that a preview stays below
/// 64 MiB as a whole.
const MEMORY: u64 = 32 * 1024 * 1024;

/// What the expressions of a preview may cost, from now.
pub(crate) fn allowance() -> Arc<Allowance> {
    let end = Instant::now() + TIME;
    Arc::new(Allowance::new(MEMORY, move || Instant::now() >= end))
}

/// Previews that are worked out, by person.
#[derive(Debug, Default)]
pub(crate) struct Previews {
    running: Mutex<HashMap<String, usize>>,
    ended: Condvar,
}

/// One preview of a person; the next may begin when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    previews: &'a Previews,
    who: String,
}

impl Previews {
    /// A turn for a person, as soon as fewer than two of theirs are worked out; `None` when none is free in time.
    pub(crate) fn turn(&self, who: &str) -> Option<Turn<'_>> {
        self.turn_within(who, PATIENCE)
    }

    fn turn_within(&self, who: &str, patience: Duration) -> Option<Turn<'_>> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |running: &mut HashMap<String, usize>| running.get(who).is_some_and(|count| *count >= AT_ONCE);
        let (mut running, _) =
            self.ended.wait_timeout_while(running, patience, full).unwrap_or_else(PoisonError::into_inner);
        if full(&mut running) {
            return None;
        }
        *running.entry(who.to_owned()).or_default() += 1;
        Some(Turn { previews: self, who: who.to_owned() })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut running = self.previews.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = running.get_mut(&self.who) {
            *count -= 1;
            if *count == 0 {
                running.remove(&self.who);
            }
        }
        drop(running);
        self.previews.ended.notify_all();
    }
}

#[cfg(test)]
mod tests;
