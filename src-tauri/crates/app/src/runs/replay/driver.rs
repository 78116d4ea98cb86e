//! Drives replays: begins their runs one after the other, no faster than a person wants. What it does is in the store with
//! each run, so another process goes on where this one has ended.

use super::job::Job;
use crate::app::App;
use crate::audit::facts::fact_at;
use crate::error::{ApiError, ApiResult};
use serde_json::json;
use signalbox_model::{AuditEvent, EventBody, RunStatus};
use signalbox_runtime::Error as RunError;
use signalbox_store::audit::{Actor, Level};
use signalbox_store::{FailureRow, FailureState, ReplayItem, ReplayState, Replayed, StoreError};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Failures that are read at once.
const BATCH: usize = 200;
/// How often a host that stays looks for replays that nobody drives.
const LOOK: Duration = Duration::from_secs(2);
/// What a late timer may catch up with at once.
const LATE: Duration = Duration::from_millis(50);

/// Replays that this process drives.
#[derive(Debug, Default)]
pub(crate) struct Replays {
    live: Mutex<BTreeSet<String>>,
}

impl Replays {
    fn live(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of one failure.
enum Came {
    /// Its run has begun, or it was settled.
    Settled,
    /// The replay does not go on.
    Halted,
    /// Nothing can begin now.
    Trouble(String),
    /// This process ends.
    Closing,
}

impl App {
    /// A host that stays takes up the replays that nobody drives.
    pub(crate) fn replays_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        self.again_and_again(threads, Duration::ZERO, |app| async move {
            // What cannot be read now is looked at again.
            let undriven = app.blocking(|app| Ok(app.store.replays_undriven()?)).await.unwrap_or_default();
            for id in undriven {
                drop(app.drive_replay(&id));
            }
            Some(LOOK)
        });
        self.again_and_again(threads, Duration::ZERO, |app| async move {
            // Failures of before an upgrade, in small parts while nobody waits.
            match app.blocking(|app| Ok(app.store.failures_fill(BATCH)?)).await {
                Ok(false) => None,
                Ok(true) => Some(Duration::from_millis(20)),
                Err(_) => Some(LOOK),
            }
        });
    }

    /// Drives a replay from now on, unless this process does already or another one does.
    pub(crate) fn drive_replay(&self, id: &str) -> ApiResult<()> {
        if !self.replays.live().insert(id.to_owned()) {
            return Ok(());
        }
        let started = self.planning.app().and_then(|app| {
            let own = id.to_owned();
            self.in_background(async move { drive(app, own).await })
        });
        if let Err(error) = started {
            self.replays.live().remove(id);
            return Err(error);
        }
        Ok(())
    }
}

async fn drive(app: Arc<App>, id: String) {
    loop {
        let own = id.clone();
        let claimed = app.blocking(move |app| Ok(app.store.replay_claim(&own)?)).await;
        let mut again = false;
        let mine = matches!(claimed, Ok(true));
        if mine {
            match pass(&app, &id).await {
                Ok(()) => {}
                // Whoever comes next goes on with it.
                Err(error) if matches!(error.code.as_str(), CLOSING | "STORE_CLOSED") => {
                    app.replays.live().remove(&id);
                    return;
                }
                Err(error) => again = !pause(&app, &id, &error.message).await,
            }
            if again {
                // The store cannot be written now: not even that can be said.
                tokio::time::sleep(LOOK).await;
            } else {
                // Another process may resume it.
                let own = id.clone();
                drop(app.blocking(move |app| Ok(app.store.replay_release(&own)?)).await);
            }
        }
        // Whoever resumes it after this look finds it not driven; whoever did before is seen by the look.
        let mut live = app.replays.live();
        again |= mine && app.store.replay(&id).is_ok_and(|row| row.state == ReplayState::Running);
        if !again {
            live.remove(&id);
            return;
        }
    }
}

/// Pauses a replay that cannot go on; false when not even that can be written.
async fn pause(app: &Arc<App>, id: &str, problem: &str) -> bool {
    let (id, problem) = (id.to_owned(), problem.to_owned());
    let paused = app.blocking(move |app| {
        let facts = json!({ "replayId": id, "change": "paused", "problem": problem });
        let record = fact_at(app.now_ms(), AuditEvent::ReplayChanged, Level::Warn, Actor::system(), facts);
        let from: &[ReplayState] = &[ReplayState::Running];
        app.store.replay_change(&id, from, ReplayState::Paused, Some(problem), app.now_ms(), move |_| record)?;
        Ok(())
    });
    paused.await.is_ok()
}

/// Begins what waits, until everything was dealt with or the replay is halted.
async fn pass(app: &Arc<App>, id: &str) -> ApiResult<()> {
    let own = id.to_owned();
    let job = Arc::new(app.blocking(move |app| Job::load(app, &own)).await?);
    let places = Arc::new(Semaphore::new(job.kept.concurrency as usize));
    // Those of before a restart hold their places, too.
    let own = id.to_owned();
    let under_way = app.blocking(move |app| Ok(app.store.replay_under_way(&own)?)).await?;
    let mut tasks: JoinSet<Came> = JoinSet::new();
    for run in under_way {
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            let app = Arc::clone(app);
            tasks.spawn(async move {
                // One that nobody drives does not hold its place.
                let _ = app.runtime.resume(&run).await;
                let _ = app.runtime.wait(&run).await;
                drop(place);
                Came::Settled
            });
        }
    }
    let gap = Duration::from_secs(1) / job.kept.rate.max(1);
    let (mut next, mut after) = (Instant::now(), 0);
    let halted = |came: Result<Came, tokio::task::JoinError>| match came {
        Ok(Came::Settled) => Ok(false),
        Ok(Came::Halted) => Ok(true),
        Ok(Came::Trouble(message)) => Err(trouble(message)),
        Ok(Came::Closing) => Err(ApiError::unavailable(CLOSING, "Signalbox is closing.", "Start it again.")),
        // A fault in one of them is told by its run; nothing of it is known here.
        Err(_) => Err(trouble("A run could not be started because of a fault of the program.".into())),
    };
    loop {
        let own = id.to_owned();
        let batch = app.blocking(move |app| Ok(app.store.replay_items(&own, "waiting", after, BATCH)?)).await?;
        if batch.is_empty() {
            break;
        }
        for item in batch {
            after = item.failure;
            let now = Instant::now();
            next = next.max(now.checked_sub(LATE).unwrap_or(now));
            tokio::time::sleep_until(next).await;
            next += gap;
            // The semaphore is never closed.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return Ok(()) };
            while let Some(came) = tasks.try_join_next() {
                if halted(came)? {
                    return Ok(());
                }
            }
            let (app, job) = (Arc::clone(app), Arc::clone(&job));
            tasks.spawn(async move {
                match one(&app, &job, item).await {
                    Ok(Some(run)) => {
                        // A run that waits for a person holds no place.
                        let _ = app.runtime.wait(&run).await;
                        drop(place);
                        Came::Settled
                    }
                    Ok(None) => Came::Settled,
                    Err(came) => came,
                }
            });
        }
    }
    while let Some(came) = tasks.join_next().await {
        if halted(came)? {
            return Ok(());
        }
    }
    let own = id.to_owned();
    app.blocking(move |app| {
        let (at_ms, replay) = (app.now_ms(), own.clone());
        let ended = move |counts: &signalbox_store::ReplayCounts| {
            let facts = json!({
                "replayId": replay, "started": counts.started, "skipped": counts.skipped, "refused": counts.refused,
            });
            fact_at(at_ms, AuditEvent::ReplayEnded, Level::Info, Actor::system(), facts)
        };
        app.store.replay_change(&own, &[ReplayState::Running], ReplayState::Done, None, at_ms, ended)?;
        Ok(())
    })
    .await
}

fn trouble(message: String) -> ApiError {
    ApiError::unavailable("REPLAY_PAUSED", message, "Resume the replay when this is mended.")
}

/// Begins the run of one failure, or says why it does not begin.
async fn one(app: &Arc<App>, job: &Arc<Job>, item: ReplayItem) -> Result<Option<String>, Came> {
    let replayed = Replayed { replay: job.id.clone(), failure: item.failure };
    let (own, id) = (Arc::clone(app), item.failure);
    let looked = app.runtime.worker(move || look(&own, id)).await;
    let looked = looked.map_err(|_| Came::Closing)?;
    let (failure, row) = match looked.map_err(of_store)? {
        Ok(found) => found,
        Err(why) => return settle(app, replayed, "skipped", why).await,
    };
    let (again, of) = job.again(&failure, &row);
    match app.runtime.replay(again, of).await {
        Ok(run) => Ok(Some(run)),
        Err(RunError::Store(StoreError::ReplayHalted { .. })) => Err(Came::Halted),
        Err(RunError::Store(StoreError::ReplayedBefore { run })) => {
            settle(app, replayed, "skipped", format!("It was re-run meanwhile: {run}.")).await
        }
        Err(RunError::Store(StoreError::UnknownRun { .. })) => settle(app, replayed, "skipped", DELETED.into()).await,
        Err(error @ (RunError::EndedMeanwhile { .. } | RunError::Ended { .. } | RunError::StillRuns { .. })) => {
            settle(app, replayed, "skipped", format!("{error}.")).await
        }
        Err(RunError::DoesNotFit { why }) => settle(app, replayed, "refused", why).await,
        Err(
            error @ (RunError::Rerun(_)
            | RunError::Invalid(_)
            | RunError::Definition { .. }
            | RunError::Log { .. }
            | RunError::LimitKey { .. }
            | RunError::CannotWait { .. }
            | RunError::Store(StoreError::Corrupt { .. } | StoreError::Invalid { .. })),
        ) => settle(app, replayed, "refused", format!("{error}.")).await,
        Err(RunError::Closing | RunError::Store(StoreError::Closed)) => Err(Came::Closing),
        Err(error) => Err(Came::Trouble(format!("{error}."))),
    }
}

/// Code of an error that only says that this process ends.
const CLOSING: &str = "CLOSING";
const DELETED: &str = "Its run was deleted meanwhile.";

fn of_store(error: StoreError) -> Came {
    match error {
        StoreError::Closed => Came::Closing,
        error => Came::Trouble(format!("{error}.")),
    }
}

type Looked = Result<(FailureRow, signalbox_store::RunRow), String>;

/// A failure that is still to be mended, or who was faster.
fn look(app: &App, id: i64) -> Result<Looked, StoreError> {
    let Some(failure) = app.store.failure(id)? else { return Ok(Err(DELETED.into())) };
    let row = match app.store.run(&failure.run_id) {
        Err(StoreError::UnknownRun { .. }) => return Ok(Err(DELETED.into())),
        row => row?,
    };
    match failure.state {
        FailureState::Open => Ok(Ok((failure, row))),
        FailureState::Rerun => {
            let by = failure.by_run.unwrap_or_default();
            Ok(Err(format!("It was re-run meanwhile: {by}.")))
        }
        FailureState::Answered if gave_way(app, &row)? => Ok(Ok((failure, row))),
        FailureState::Answered => Ok(Err("Its task was answered meanwhile.".into())),
    }
}

/// A run that was cancelled for a re-run which a crash kept from beginning.
fn gave_way(app: &App, row: &signalbox_store::RunRow) -> Result<bool, StoreError> {
    if row.status != RunStatus::Cancelled {
        return Ok(false);
    }
    let by = match app.store.event(&row.run_id, row.last_seq)?.map(|event| event.body) {
        Some(EventBody::WorkflowCancelled(cancelled)) => cancelled.superseded_by,
        _ => None,
    };
    let Some(by) = by else { return Ok(false) };
    match app.store.run(&by) {
        Ok(_) => Ok(false),
        Err(StoreError::UnknownRun { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

async fn settle(app: &Arc<App>, replayed: Replayed, state: &'static str, why: String) -> Result<Option<String>, Came> {
    let store = app.store.clone();
    let settled = app.runtime.worker(move || store.replay_settle(replayed, state, why)).await;
    match settled {
        Ok(Ok(())) => Ok(None),
        Ok(Err(error)) => Err(of_store(error)),
        // Only a runtime that closes takes no work.
        Err(_) => Err(Came::Closing),
    }
}
