//! How often Restate is told that a run has something to do. The store is looked at every second, and what is told is kept by
//! Restate: to repeat it is only needed when Restate has lost it.

use signalbox_runtime::HandedRun;
use std::collections::BTreeMap;

/// The first pause between two times that the same is told; each further one is twice as long …
const FIRST_MS: i64 = 1_000;
/// … up to this.
const LAST_MS: i64 = 30_000;

/// What was told about a run.
struct Told {
    epoch: u64,
    is_asked: bool,
    next_ms: i64,
    pause_ms: i64,
}

/// Remembers what was told.
#[derive(Default)]
pub struct Pace(BTreeMap<String, Told>);

impl Pace {
    /// Of all runs that are handed over and have something to do, those about which something is to be told now.
    pub fn due(&mut self, runs: Vec<HandedRun>, now_ms: i64) -> Vec<HandedRun> {
        let mut before = std::mem::take(&mut self.0);
        let mut due = Vec::new();
        // A run that is carried out and was asked nothing goes on by itself. What is not among them has nothing to do.
        for run in runs.into_iter().filter(|run| run.is_asked || !run.is_driven) {
            let same =
                before.remove(&run.run_id).filter(|told| (told.epoch, told.is_asked) == (run.epoch, run.is_asked));
            let told = match same {
                Some(told) if told.next_ms > now_ms => told,
                Some(told) => {
                    let pause_ms = (told.pause_ms * 2).min(LAST_MS);
                    due.push(run.clone());
                    Told { next_ms: now_ms + pause_ms, pause_ms, ..told }
                }
                None => {
                    due.push(run.clone());
                    let (epoch, is_asked) = (run.epoch, run.is_asked);
                    Told { epoch, is_asked, next_ms: now_ms + FIRST_MS, pause_ms: FIRST_MS }
                }
            };
            self.0.insert(run.run_id, told);
        }
        due
    }
}

#[cfg(test)]
mod tests;
