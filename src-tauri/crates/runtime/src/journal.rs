//! Runs whose inputs something else keeps: a durable engine with a journal (ADR 228).
//!
//! The journal holds the inputs of a run in their order, and everything else follows from them: the state, the events, which
//! calls and timers there are. Whoever has the journal can go on anywhere; what it has of a run's events is compared with what
//! the store has of them, and only what is missing is written. An input is in the journal before its events are in the
//! store, and a call begins after the events that decided it: a call that ended is never made again, and one that was cut
//! off is told to the engine, which decides as after every crash.

use crate::drive::Stop;
use crate::drive::journaled::JournalDriver;
use crate::error::{Error, Trouble};
use crate::journal_entry::{Beginning, First, JournalEntry, JournalInput, NextEntry};
use crate::run_host::RunHost;
use crate::runtime::Runtime;
use crate::shared::Core;
use signalbox_model::{DurableInput, RunStatus};
use std::sync::Arc;

/// A run that is driven by a journal. Dropping it stops its calls and gives the run back.
pub struct JournaledRun {
    driver: JournalDriver,
    first: Option<First>,
}

impl Runtime {
    /// Hands runs over that begin from now on: this process writes them down, and `host` carries them out, here or
    /// elsewhere. A run that begins in the middle or that somebody debugs from its beginning on is driven here.
    pub fn hand_runs_to(&self, host: Arc<dyn RunHost>) {
        // A host says so once.
        drop(self.core().run_host.set(host));
    }

    /// Why runs cannot be handed over now; `None` while they can, or when this process hands none over.
    pub fn hand_over_trouble(&self) -> Option<String> {
        self.core().run_host.get().and_then(|host| host.trouble())
    }

    /// What the journal of a run begins with; `None` when it has ended.
    pub async fn journal_beginning(&self, run_id: &str) -> Result<Option<Beginning>, Error> {
        let (core, run) = (Arc::clone(self.core()), run_id.to_owned());
        self.worker(move || core.beginning(&run)).await?
    }

    /// Takes a run that was handed over, whoever had it, to go on with it by its journal.
    pub async fn journaled(&self, run_id: &str, beginning: Beginning) -> Result<JournaledRun, Error> {
        let (core, run) = (Arc::clone(self.core()), run_id.to_owned());
        let (seq, now) = (beginning.seq, beginning.now);
        let driver = self.worker(move || JournalDriver::claim(&core, &run, seq, now)).await??;
        Ok(JournaledRun { driver, first: Some(beginning.first) })
    }
}

impl JournaledRun {
    /// What follows from where the journal begins.
    pub async fn begin(&mut self) -> Result<NextEntry, Error> {
        let Some(first) = self.first.take() else { return self.advance(JournalEntry::default()).await };
        let next = self.driver.begin(first).await;
        self.told(next)
    }

    /// What follows from the next entry of the journal.
    pub async fn advance(&mut self, entry: JournalEntry) -> Result<NextEntry, Error> {
        let next = self.driver.advance(entry).await;
        self.told(next)
    }

    /// Carries out what is to be done, and gives what happens next; an entry without inputs after a while in which nothing
    /// has happened.
    pub async fn carry_out(&mut self) -> Result<JournalEntry, Error> {
        let entry = self.driver.carry_out().await;
        self.told(entry)
    }

    /// What was asked of the run and is not in the journal.
    pub fn asked(&self) -> JournalEntry {
        self.driver.asked()
    }

    /// The timers that are due then.
    pub fn due(&self, due_ms: i64) -> JournalEntry {
        self.driver.due(due_ms)
    }

    fn told<T>(&self, outcome: Result<T, Stop>) -> Result<T, Error> {
        let run = || self.driver.run_id().to_owned();
        outcome.map_err(|stop| match stop {
            Stop::Fault(reason) => Error::Stopped { run: run(), trouble: Trouble::Fault(reason) },
            Stop::Closing => Error::Closing,
            // The others are no ends of a run that a journal drives.
            _ => Error::DrivenElsewhere { run: run() },
        })
    }
}

impl Core {
    fn beginning(&self, run_id: &str) -> Result<Option<Beginning>, Error> {
        let row = self.store.run(run_id)?;
        if row.ended_ms.is_some() {
            return Ok(None);
        }
        if row.status == RunStatus::Queued {
            return Err(Error::Queued { run: run_id.to_owned() });
        }
        let now = self.world.clock.now_ms();
        let cancels: Vec<(i64, DurableInput)> = self
            .store
            .pending_inputs(run_id)?
            .into_iter()
            .filter_map(|input| Some((input.id, input.body?)))
            .filter(|(_, body)| matches!(body, DurableInput::Cancel { .. }))
            .collect();
        let first = if row.last_seq == 0 {
            let start = self.store.run_start(run_id)?.ok_or_else(|| Error::Log {
                run: run_id.to_owned(),
                seq: 1,
                reason: "its beginning is missing".to_owned(),
            })?;
            First::Start { start, seed: self.ids.seed(), cancelled: cancels.into_iter().map(|(id, _)| id).collect() }
        } else {
            let asked = cancels.into_iter().map(|(id, body)| JournalInput::Asked { id, body, now });
            First::Resume { asked: JournalEntry(asked.chain([JournalInput::Resumed { now }]).collect()) }
        };
        Ok(Some(Beginning { seq: row.last_seq, now, first }))
    }
}
