//! `trigger.poll`: a source is asked again and again, and items that were not there before start a run (ADR 99). What was
//! taken, and the cursor, are written in the transaction that creates the run. No request holds up the scheduler.

use super::error::{Class, TriggerError, TriggerResult};
use super::fire::Occurrence;
use super::host::TriggerHost;
use super::poll_run::{NOT_ENDED, Pending};
use super::poll_source::{Listed, Poll, event, larger, told};
use super::scheduler::Scheduler;
use super::seen::Forgetting;
use serde_json::{Value, json};
use signalbox_engine::BY_TRIGGER;
use signalbox_engine::validate::Called;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{NodeFailure, Workflow, time};
use signalbox_store::{Taken, TriggerRow};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::oneshot::{self, error::TryRecvError};

/// Sources that are asked at the same time.
const AT_ONCE: usize = 16;
/// Items and bytes of one run; what is more starts another one.
const MOST_ITEMS: usize = 500;
const MOST_BYTES: usize = 1024 * 1024;
/// After a failure the source is asked again after this time, and after twice the time after the next one.
const AGAIN_MS: i64 = 15_000;
/// The longest such time, unless `every` is longer.
const LATEST_MS: i64 = 900_000;
/// People are told of a source that failed so often in a row.
const TOLD_AFTER: u32 = 5;
/// When the store cannot write.
const STORE_AGAIN_MS: i64 = 1_000;
/// The entries of `trigger_seen` that are no keys: the source that it has begun with, the cursor, the run of a source whose items were not
/// taken yet, and how often the source failed in a row.
const SOURCE: &str = "source";
const CURSOR: &str = "cursor";
const PENDING: &str = "run";
const FAILURES: &str = "failures";
const MARKS: [&str; 4] = [SOURCE, CURSOR, PENDING, FAILURES];

/// What came from a source.
enum Came {
    /// The answer of an address.
    Answer(Value),
    /// A run, which has ended or does not go on now.
    Run(String),
}

type Asked = Result<Came, NodeFailure>;

fn mark(key: &str, value: String) -> Taken {
    Taken { key: key.to_owned(), value, once: false }
}

/// A source that is asked.
pub(crate) struct Polled {
    row: TriggerRow,
    poll: Poll,
    /// What was taken, by key.
    seen: BTreeMap<String, String>,
    /// An answer that has not come yet, and when it was asked for.
    asking: Option<(oneshot::Receiver<Asked>, i64)>,
    next_ms: i64,
    /// Failures in a row.
    failures: u32,
    forgetting: Forgetting,
}

impl Polled {
    /// `before` is the same trigger in the plan before.
    pub(crate) fn new(
        host: &dyn TriggerHost,
        row: TriggerRow,
        poll: Poll,
        before: Option<Self>,
    ) -> TriggerResult<Self> {
        let seen = host.store().trigger_seen(&row.id)?;
        let mut polled =
            Self { row, poll, seen, asking: None, next_ms: i64::MIN, failures: 0, forgetting: Forgetting::default() };
        if let Some(before) = before.filter(|before| before.poll == polled.poll) {
            // An answer that was asked for by another version is the same question.
            polled.asking = before.asking;
            polled.next_ms = before.next_ms;
            polled.failures = before.failures;
            polled.forgetting = before.forgetting;
        } else {
            if polled.has_begun() {
                polled.next_ms = polled.planned(polled.row.cursor_ms);
            }
            polled.knows_failures();
        }
        Ok(polled)
    }

    /// Failures in a row are those of the same version, whichever process counted them.
    fn knows_failures(&mut self) {
        let kept = self.seen.get(FAILURES).and_then(|text| serde_json::from_str::<(String, u32, i64)>(text).ok());
        if let Some((_, failures, next_ms)) = kept.filter(|(version, ..)| *version == self.row.version) {
            self.failures = failures;
            self.next_ms = next_ms;
        }
    }

    fn failure_mark(&self) -> Taken {
        mark(FAILURES, json!((&self.row.version, self.failures, self.next_ms)).to_string())
    }

    /// The run of the source whose items were not taken yet.
    fn pending(&self) -> Option<Pending> {
        Pending::read(self.seen.get(PENDING)?, &self.poll)
    }

    /// Forgets the run of the source; nothing to do when there is none.
    fn without_pending(&self) -> Option<Taken> {
        self.seen.get(PENDING).filter(|text| !text.is_empty()).map(|_| mark(PENDING, String::new()))
    }

    pub(crate) fn id(&self) -> &str {
        &self.row.id
    }

    /// It has asked this source before. The first time, everything is new.
    fn has_begun(&self) -> bool {
        self.seen.get(SOURCE) == Some(&self.poll.namespace())
    }

    fn planned(&self, after_ms: i64) -> i64 {
        self.poll.schedule().next_after(after_ms).unwrap_or(i64::MAX)
    }

    fn cursor(&self) -> Value {
        let kept = self.seen.get(CURSOR).filter(|_| self.has_begun());
        kept.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    fn is_due(&self, now: i64) -> bool {
        // A clock that was put back must not silence it.
        now >= self.next_ms || self.next_ms.saturating_sub(now) > self.poll.every_ms.max(LATEST_MS)
    }

    /// What is kept beside the keys: the source, and the cursor.
    fn marks(&self, listed: &Listed) -> Vec<Taken> {
        let mut marks = Vec::from_iter(self.without_pending());
        if !self.has_begun() {
            marks.push(mark(SOURCE, self.poll.namespace()));
        }
        if let Some(cursor) = &listed.cursor {
            let before = self.cursor();
            let cursor = larger(before.clone(), cursor.clone());
            if cursor != before {
                marks.push(mark(CURSOR, cursor.to_string()));
            }
        } else if !self.has_begun() && self.seen.contains_key(CURSOR) {
            marks.push(mark(CURSOR, Value::Null.to_string()));
        }
        marks
    }

    fn takes(&mut self, host: &dyn TriggerHost, taken: Vec<Taken>, now: i64) -> TriggerResult<()> {
        if taken.is_empty() {
            return Ok(());
        }
        host.store().trigger_take(&self.row.id, taken.clone(), now)?;
        self.knows(taken);
        Ok(())
    }

    fn knows(&mut self, taken: Vec<Taken>) {
        self.seen.extend(taken.into_iter().map(|one| (one.key, one.value)));
    }

    fn asks(&mut self, host: &dyn TriggerHost, scheduler: &mut Scheduler, now: i64) -> TriggerResult<()> {
        let version = scheduler.version(host, &self.row.version)?;
        if self.poll.source_workflow().is_some() {
            return self.asks_workflow(host, &version, now);
        }
        let (workflow, _) = version;
        let (poll, world, workflow, catalog) = (
            self.poll.clone(),
            Arc::clone(host.world()),
            Arc::new(workflow),
            host.runtime().registry().catalog.clone(),
        );
        let (cursor, here) = (self.cursor(), self.row.here);
        let (send, answer) = oneshot::channel();
        host.in_background(async move {
            // Nobody waits any more when the trigger is gone.
            send.send(poll.ask(&world, &catalog, &workflow, cursor, here).await.map(Came::Answer)).ok();
        })?;
        self.asking = Some((answer, now));
        Ok(())
    }

    /// Starts a run of the source, or waits for the one whose items were not taken yet.
    fn asks_workflow(&mut self, host: &dyn TriggerHost, version: &(Workflow, Called), now: i64) -> TriggerResult<()> {
        let pending = match self.pending() {
            Some(pending) => pending,
            None => {
                let pending = Pending::new(&self.row.id, &self.poll, now);
                self.takes(host, vec![mark(PENDING, pending.text())], now)?;
                pending
            }
        };
        let started = match pending.run() {
            Some(run) => Ok(run.to_owned()),
            None => host.start_source(&self.row, &self.poll, version, &pending, self.cursor())?,
        };
        let (send, answer) = oneshot::channel();
        match started {
            Ok(run) => {
                if pending.run().is_none() {
                    self.takes(host, vec![mark(PENDING, pending.started(run.clone()).text())], now)?;
                }
                let runtime = host.runtime().clone();
                host.in_background(async move {
                    // How it stands is read afterwards, also when it cannot be waited for.
                    drop(runtime.wait(&run).await);
                    send.send(Ok(Came::Run(run))).ok();
                })?;
            }
            Err(failure) => drop(send.send(Err(failure))),
        }
        self.asking = Some((answer, now));
        Ok(())
    }
}

/// Items of one run, and what they take.
#[derive(Default)]
struct Batch {
    items: Vec<Value>,
    taken: Vec<Taken>,
}

fn batches(new: Vec<(String, Value)>) -> Vec<Batch> {
    let (mut all, mut batch, mut bytes) = (Vec::new(), Batch::default(), 0);
    for (key, item) in new {
        let size = item.to_string().len();
        if !batch.items.is_empty() && (batch.items.len() >= MOST_ITEMS || bytes + size > MOST_BYTES) {
            all.push(std::mem::take(&mut batch));
            bytes = 0;
        }
        bytes += size;
        batch.items.push(item);
        batch.taken.push(Taken { key, value: String::new(), once: true });
    }
    if !batch.items.is_empty() {
        all.push(batch);
    }
    all
}

impl Scheduler {
    /// Asks the sources whose time has come, and deals with what they answered.
    pub(crate) fn ask_sources(&mut self, host: &dyn TriggerHost, now: i64) -> TriggerResult<()> {
        let mut sources = std::mem::take(&mut self.sources);
        let mut failed = None;
        let mut under_way = sources.iter().filter(|polled| polled.asking.is_some()).count();
        for polled in &mut sources {
            let answer = match &mut polled.asking {
                Some((answer, asked_ms)) => match answer.try_recv() {
                    Ok(answer) => Some((answer, *asked_ms)),
                    Err(TryRecvError::Empty) => continue,
                    Err(TryRecvError::Closed) => {
                        Some((Err(NodeFailure::tool("INTERNAL", "No answer came")), *asked_ms))
                    }
                },
                None => None,
            };
            let done = match answer {
                Some((answer, asked_ms)) => {
                    polled.asking = None;
                    under_way -= 1;
                    self.answered(host, polled, answer, asked_ms, now)
                }
                None if polled.is_due(now) && under_way < AT_ONCE => {
                    under_way += 1;
                    polled.asks(host, self, now)
                }
                None => continue,
            };
            if let Err(error) = done {
                polled.next_ms = now + STORE_AGAIN_MS;
                failed = Some(error);
            }
        }
        self.sources = sources;
        failed.map_or(Ok(()), Err)
    }

    fn answered(
        &mut self,
        host: &dyn TriggerHost,
        polled: &mut Polled,
        asked: Asked,
        asked_ms: i64,
        now: i64,
    ) -> TriggerResult<()> {
        let answer = match asked {
            Ok(Came::Answer(answer)) => Ok(answer),
            Ok(Came::Run(run)) => host.source_output(&run)?,
            Err(failure) => Err(failure),
        };
        let problem = match answer.and_then(|answer| polled.poll.listed(answer)) {
            Ok(listed) => {
                let problem = self.take_new(host, polled, listed, now)?;
                if std::mem::take(&mut polled.failures) > 0 {
                    polled.takes(host, vec![polled.failure_mark()], now)?;
                }
                host.store().trigger_move(&polled.row.id, asked_ms)?;
                polled.row.cursor_ms = asked_ms;
                polled.next_ms = polled.planned(asked_ms.max(now));
                problem
            }
            // Nothing is wrong: its items are taken when it has ended.
            Err(failure) if failure.code == NOT_ENDED => {
                polled.next_ms = now.saturating_add(AGAIN_MS);
                Some(told(&failure))
            }
            Err(failure) => {
                polled.failures = polled.failures.saturating_add(1);
                if polled.failures >= TOLD_AFTER {
                    host.store().trigger_failure_told(&polled.row, &failure.code, now)?;
                }
                let asked = failure.retry_after_ms.and_then(|ms| i64::try_from(ms).ok()).unwrap_or_default();
                polled.next_ms = now.saturating_add(pause(polled.failures, polled.poll.every_ms).max(asked));
                let forgotten = polled.without_pending();
                polled.takes(host, forgotten.into_iter().chain([polled.failure_mark()]).collect(), now)?;
                Some(told(&failure))
            }
        };
        if polled.row.problem != problem {
            host.store().trigger_problem(&polled.row.id, problem.clone())?;
            polled.row.problem = problem;
        }
        Ok(())
    }

    /// Starts runs with what is new. Says why it cannot: then everything that is not taken stays new.
    fn take_new(
        &mut self,
        host: &dyn TriggerHost,
        polled: &mut Polled,
        listed: Listed,
        now: i64,
    ) -> TriggerResult<Option<String>> {
        let marks = polled.marks(&listed);
        let mut there: BTreeSet<String> = listed.items.iter().map(|(key, _)| key.clone()).collect();
        there.extend(MARKS.map(str::to_owned));
        let is_first = !polled.has_begun();
        let mut new = listed.items;
        new.retain(|(key, _)| !polled.seen.contains_key(key));
        if is_first && !polled.poll.takes_existing {
            let known = new.into_iter().map(|(key, _)| Taken { key, value: String::new(), once: false });
            polled.takes(host, known.chain(marks).collect(), now)?;
            return Ok(None);
        }
        let mut batches = batches(new);
        match batches.last_mut() {
            // They are true once the last item was taken.
            Some(last) => last.taken.extend(marks),
            None => polled.takes(host, marks, now)?,
        }
        for batch in batches {
            if let Some(problem) = self.start(host, polled, batch, now)? {
                return Ok(Some(problem));
            }
        }
        if polled.forgetting.is_due(now) {
            polled.forgetting.forget(host, &polled.row.id, there, &mut polled.seen, now)?;
        }
        Ok(None)
    }

    fn start(
        &mut self,
        host: &dyn TriggerHost,
        polled: &mut Polled,
        batch: Batch,
        now: i64,
    ) -> TriggerResult<Option<String>> {
        let Batch { items, taken } = batch;
        let keys: Vec<&str> = taken.iter().map(|one| one.key.as_str()).collect();
        let occurrence = Occurrence {
            // The keys decide whether the items were taken before.
            key: format!("{} {}", time::format(now), sha256_hex(keys.join(" ").as_bytes())),
            at_ms: now,
            is_tick: false,
            event: event(&polled.row.id, items, now, false),
            started_by: BY_TRIGGER,
            trace: None,
        };
        let started = self
            .version(host, &polled.row.version)
            .and_then(|version| host.fire_taking(&polled.row, version, occurrence, taken.clone(), now));
        match started {
            Ok(_) => {
                polled.knows(taken);
                Ok(None)
            }
            Err(error) if error.code == "FIRED_BEFORE" => {
                // Another process took some of them.
                polled.seen = host.store().trigger_seen(&polled.row.id)?;
                Err(error)
            }
            Err(error) if error.code == "TRIGGER_CHANGED" || error.class == Class::Unavailable => Err(error),
            Err(TriggerError { message, .. }) => Ok(Some(message)),
        }
    }

    /// Waits until every source that was asked has answered.
    pub fn hear_sources(&mut self, host: &dyn TriggerHost) {
        for polled in &mut self.sources {
            let Some((answer, asked_ms)) = polled.asking.take() else { continue };
            let (send, heard) = oneshot::channel();
            if let Ok(Ok(answer)) = host.wait_for(answer) {
                drop(send.send(answer));
            }
            polled.asking = Some((heard, asked_ms));
        }
    }
}

/// After so many failures in a row.
fn pause(failures: u32, every_ms: i64) -> i64 {
    let doubled = AGAIN_MS.saturating_mul(1_i64.checked_shl(failures.saturating_sub(1).min(32)).unwrap_or(i64::MAX));
    doubled.min(LATEST_MS.max(every_ms))
}
