//! Sources that a connection waits at: a mailbox, a broker. A look is begun beside the scheduler, ends with the first news or
//! after some minutes, and is dealt with at a later pass. What a source hands on starts runs; what is still to be told to it
//! (marked, acknowledged) is written in the transaction that creates the run, and told at the next look.

use super::error::TriggerResult;
use super::host::TriggerHost;
use super::scheduler::Scheduler;
use super::seen::Forgetting;
use signalbox_engine::catalog::Catalog;
use signalbox_model::{NodeFailure, Workflow};
use signalbox_ports::World;
use signalbox_store::{Taken, TriggerRow};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot::{self, error::TryRecvError};

/// Connections of one kind that wait at the same time. Sources beyond them are looked at again and again.
const AT_ONCE: usize = 32;
/// So long a connection waits for news; then the source is looked at with a new one.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// After a failure a source is looked at again after this time, and after twice the time after the next one.
const AGAIN_MS: i64 = 15_000;
/// The longest such time, unless `every` is longer.
const LATEST_MS: i64 = 900_000;
/// After so many failures in a row people get a notification.
const TOLD_AFTER: u32 = 5;
/// When the store cannot write.
const STORE_AGAIN_MS: i64 = 1_000;

/// What a look begins with.
pub(crate) struct LookStart {
    pub(super) world: Arc<World>,
    pub(super) catalog: Catalog,
    pub(super) workflow: Arc<Workflow>,
    /// A person on this machine answers for it.
    pub(super) here: bool,
    pub(super) patience: Duration,
}

/// How a look was dealt with.
pub(crate) struct Dealt {
    /// Why not everything was taken: it stays where it is, and is looked at again.
    pub(super) held: Option<String>,
    /// The source is looked at again at once.
    pub(super) again: bool,
}

/// A look that was begun.
pub(crate) type Look<F> = Pin<Box<dyn Future<Output = Result<F, NodeFailure>> + Send>>;

/// A source that is watched.
pub(crate) trait Source: Clone + PartialEq + Send + Sync + 'static {
    /// What a look gives.
    type Found: Send + 'static;
    /// How often it is looked at where it does not tell of news itself.
    fn every_ms(&self) -> i64;
    /// Looks, and waits for news.
    fn look(watched: &Watching<Self>, host: &dyn TriggerHost, start: LookStart) -> TriggerResult<Look<Self::Found>>;
    /// Starts runs for what was found.
    fn deal(
        scheduler: &mut Scheduler,
        host: &dyn TriggerHost,
        watched: &mut Watching<Self>,
        found: Self::Found,
        now: i64,
    ) -> TriggerResult<Dealt>;
    /// Why it could not be looked at, for a person.
    fn told(failure: &NodeFailure) -> String;
}

/// A look that has not ended. It ends with this.
struct Waiting<F> {
    answer: oneshot::Receiver<Result<F, NodeFailure>>,
    since_ms: i64,
    work: tokio::task::AbortHandle,
}

impl<F> Drop for Waiting<F> {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// A trigger that watches a source.
pub(crate) struct Watching<S: Source> {
    pub(super) row: TriggerRow,
    pub(super) source: S,
    /// What the trigger keeps: its marks, and what was taken.
    pub(super) seen: BTreeMap<String, String>,
    waiting: Option<Waiting<S::Found>>,
    next_ms: i64,
    failures: u32,
    pub(super) forgetting: Forgetting,
}

impl<S: Source> Watching<S> {
    /// `before` is the same trigger in the plan before.
    pub(crate) fn new(host: &dyn TriggerHost, row: TriggerRow, source: S, before: Option<Self>) -> TriggerResult<Self> {
        let seen = host.store().trigger_seen(&row.id)?;
        let forgetting = Forgetting::default();
        let mut watching = Self { row, source, seen, waiting: None, next_ms: i64::MIN, failures: 0, forgetting };
        if let Some(before) = before.filter(|before| before.source == watching.source) {
            watching.waiting = before.waiting;
            watching.next_ms = before.next_ms;
            watching.failures = before.failures;
            watching.forgetting = before.forgetting;
        }
        Ok(watching)
    }

    pub(crate) fn id(&self) -> &str {
        &self.row.id
    }

    /// Writes what is known from now on.
    pub(super) fn takes(&mut self, host: &dyn TriggerHost, taken: Vec<Taken>, now: i64) -> TriggerResult<()> {
        if !taken.is_empty() {
            host.store().trigger_take(&self.row.id, taken.clone(), now)?;
            self.knows(taken);
        }
        Ok(())
    }

    pub(super) fn knows(&mut self, taken: Vec<Taken>) {
        self.seen.extend(taken.into_iter().map(|one| (one.key, one.value)));
    }

    fn is_due(&self, now: i64) -> bool {
        // A clock that was put back must not silence it.
        now >= self.next_ms || self.next_ms.saturating_sub(now) > self.source.every_ms().max(LATEST_MS)
    }

    fn look(
        &mut self,
        host: &dyn TriggerHost,
        scheduler: &mut Scheduler,
        patience: Duration,
        now: i64,
    ) -> TriggerResult<()> {
        let (workflow, _) = scheduler.version(host, &self.row.version)?;
        let start = LookStart {
            world: Arc::clone(host.world()),
            catalog: host.runtime().registry().catalog.clone(),
            workflow: Arc::new(workflow),
            here: self.row.here,
            patience,
        };
        let look = S::look(self, host, start)?;
        let (send, answer) = oneshot::channel();
        let work = host.in_background(async move {
            // Nobody waits any more when the trigger is gone.
            send.send(look.await).ok();
        })?;
        self.waiting = Some(Waiting { answer, since_ms: now, work });
        Ok(())
    }

    fn looked(
        &mut self,
        scheduler: &mut Scheduler,
        host: &dyn TriggerHost,
        looked: Result<S::Found, NodeFailure>,
        since_ms: i64,
        now: i64,
    ) -> TriggerResult<()> {
        let problem = match looked {
            Ok(found) => {
                self.failures = 0;
                let Dealt { held, again } = S::deal(scheduler, host, self, found, now)?;
                self.next_ms = match &held {
                    Some(_) => now.saturating_add(AGAIN_MS),
                    None if again => now,
                    None => since_ms.max(now).saturating_add(self.source.every_ms()),
                };
                held
            }
            Err(failure) => {
                self.failures = self.failures.saturating_add(1);
                if self.failures >= TOLD_AFTER {
                    host.store().trigger_failure_told(&self.row, &failure.code, now)?;
                }
                self.next_ms = now.saturating_add(pause(self.failures, self.source.every_ms()));
                Some(S::told(&failure))
            }
        };
        if self.row.problem != problem {
            host.store().trigger_problem(&self.row.id, problem.clone())?;
            self.row.problem = problem;
        }
        Ok(())
    }

    /// Waits until the look has ended.
    pub(super) fn hear(&mut self, host: &dyn TriggerHost) {
        let Some(waiting) = &mut self.waiting else { return };
        let (send, heard) = oneshot::channel();
        // A test that waits for news that nobody sends fails at once.
        let answer = async { tokio::time::timeout(Duration::from_secs(60), &mut waiting.answer).await };
        if let Ok(Ok(Ok(looked))) = host.wait_for(answer) {
            drop(send.send(looked));
        }
        waiting.answer = heard;
    }
}

impl Scheduler {
    /// Deals with what the looks at sources gave, and begins those that are due.
    pub(super) fn watch<S: Source>(
        &mut self,
        host: &dyn TriggerHost,
        all: &mut [Watching<S>],
        now: i64,
    ) -> TriggerResult<()> {
        let mut failed = None;
        let mut under_way = all.iter().filter(|one| one.waiting.is_some()).count();
        for one in all {
            let looked = match &mut one.waiting {
                Some(waiting) => match waiting.answer.try_recv() {
                    Ok(looked) => Some((looked, waiting.since_ms)),
                    Err(TryRecvError::Empty) => continue,
                    Err(TryRecvError::Closed) => {
                        Some((Err(NodeFailure::tool("INTERNAL", "No answer came")), waiting.since_ms))
                    }
                },
                None => None,
            };
            let done = match looked {
                Some((looked, since_ms)) => {
                    one.waiting = None;
                    under_way -= 1;
                    one.looked(self, host, looked, since_ms, now)
                }
                None if one.is_due(now) => {
                    let patience = if under_way < AT_ONCE { PATIENCE } else { Duration::ZERO };
                    under_way += 1;
                    one.look(host, self, patience, now)
                }
                None => continue,
            };
            if let Err(error) = done {
                one.next_ms = now + STORE_AGAIN_MS;
                failed = Some(error);
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

/// After so many failures in a row.
fn pause(failures: u32, every_ms: i64) -> i64 {
    let doubled = AGAIN_MS.saturating_mul(1_i64.checked_shl(failures.saturating_sub(1).min(32)).unwrap_or(i64::MAX));
    doubled.min(LATEST_MS.max(every_ms))
}
