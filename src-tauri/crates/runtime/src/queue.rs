//! Runs that wait for their turn (ADR 93). A start that its workflow leaves no room for is a row without events; the end of
//! another run, or the time of the rate, admits it in the store, and whoever stays takes it up like a run that was cut off.

use crate::durable_input;
use crate::error::Error;
use crate::load::Pinned;
use crate::run_host::RunHost;
use crate::runtime::{NewRun, Origin, Runtime, StartOutcome};
use crate::shared::Core;
use serde_json::{Value, json};
use signalbox_audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_engine::Compiled;
use signalbox_engine::input::Input;
use signalbox_engine::run_limits::{MOST_WAITING, OnLimit, RunLimits};
use signalbox_model::{AuditEvent, Map, RunStatus, time};
use signalbox_store::failpoint::{Point, pass};
use signalbox_store::{
    Handed, HandedRun, Limited, NewRun as NewRow, RunLimits as Places, RunRow, StoreError, Waits, Written,
};
use std::sync::Arc;
use std::time::Duration;

/// How often runs that wait for the rate of their workflow are looked for, at least.
const LOOK: Duration = Duration::from_secs(1);
/// How soon such a look is repeated, at most.
const PAUSE: Duration = Duration::from_millis(10);

/// The limits of a workflow, and its places for a start with these params.
fn limits(compiled: &Compiled, params: &Value) -> Result<Option<(RunLimits, Places)>, Error> {
    let Some(limits) = RunLimits::of(&compiled.workflow) else { return Ok(None) };
    let key = limits.key_of(params).map_err(|reason| Error::LimitKey { reason })?;
    let places = Places { key, max: limits.max, rate: limits.rate };
    Ok(Some((limits, places)))
}

/// A run that repeats a part of another one does not wait, and is counted: a person mends something.
pub(crate) fn counted(compiled: &Compiled, params: &Value) -> Option<Limited> {
    let limits = RunLimits::of(&compiled.workflow)?;
    let key = limits.key_of(params).unwrap_or_default();
    Some(Limited::Always(Places { key, max: limits.max, rate: limits.rate }))
}

impl Runtime {
    /// Starts a run when the limits of its workflow leave room for it; what happens otherwise is for the workflow to say.
    pub(crate) async fn start_limited(&self, new: NewRun, origin: Origin) -> Result<StartOutcome, Error> {
        let core = Arc::clone(self.core());
        let Some((limits, places)) = limits(&new.pinned.compiled, &new.params)? else {
            return self.start_now(new, origin, None).await.map(StartOutcome::New);
        };
        let workflow = new.pinned.compiled.workflow.id.clone();
        if let Some(key) = &origin.key
            && let Some(run) = self.started_with(key).await?
        {
            return Ok(StartOutcome::Existing(run));
        }
        let (store, id, asked, now) = (core.store.clone(), workflow.clone(), places.clone(), core.world.clock.now_ms());
        let has_room = self.worker(move || store.run_has_room(&id, &asked, now)).await??;
        // Somebody looks into it, or it begins in the middle: that is not kept in a queue.
        let cannot_wait = match () {
            () if origin.begins.is_some() => Some("begins at a checkpoint"),
            () if new.debug.is_some() => Some("is debugged from its beginning"),
            () => None,
        };
        if limits.on_limit == OnLimit::Skip || cannot_wait.is_some() {
            return match self.start_now(new, origin, Some(Limited::Now(places))).await {
                Err(Error::Store(StoreError::LimitReached { .. })) if cannot_wait.is_some() => {
                    Err(Error::CannotWait { workflow, why: cannot_wait.unwrap_or_default() })
                }
                other => other.map(StartOutcome::New),
            };
        }
        if has_room {
            let again = Origin {
                begins: None,
                key: origin.key.clone(),
                fired: origin.fired.clone(),
                recorded: origin.recorded.clone(),
            };
            let same = NewRun {
                pinned: new.pinned.clone(),
                params: new.params.clone(),
                context: new.context.clone(),
                origin: new.origin.clone(),
                debug: None,
                until: new.until.clone(),
                kept: new.kept,
            };
            match self.start_now(same, again, Some(Limited::Now(places.clone()))).await {
                // Another start was faster.
                Err(Error::Store(StoreError::LimitReached { .. })) => {}
                other => return other.map(StartOutcome::New),
            }
            return self.enqueue(NewRun { kept: None, ..new }, origin, limits.on_limit, places).await;
        }
        self.enqueue(new, origin, limits.on_limit, places).await
    }

    /// Writes a run that waits. What the host keeps for it is let go: whoever takes it up gets its own.
    async fn enqueue(
        &self,
        new: NewRun,
        origin: Origin,
        on_limit: OnLimit,
        places: Places,
    ) -> Result<StartOutcome, Error> {
        let core = self.core();
        let run_id = core.ids.run_id();
        let now = core.world.clock.now_ms();
        let start = begins_with(&new);
        let replaces = (on_limit == OnLimit::CancelOldest).then(|| {
            let told = Map::from_iter([
                ("reason".to_owned(), "newer_start".into()),
                ("newRunId".to_owned(), run_id.as_str().into()),
            ]);
            Record::new(time::format(now), "", RUN_LEVEL, AuditEvent::RunCancelled, Level::Warn, Actor::system())
                .with_metadata(told)
        });
        let waits = Limited::Waits(places, Box::new(Waits { start, most: MOST_WAITING, replaces }));
        let to = self.takes_over(&new, &origin).map(|host| Handed { to: host.name().to_owned(), start: None });
        let written = self.write_down(run_id.clone(), new, origin, (RunStatus::Queued, Some(waits), to)).await?;
        pass(Point::Queued);
        for run in written.replaced {
            let core = Arc::clone(core);
            // Its wish to end is kept: whoever drives it finds it, also when this fails.
            drop(self.worker(move || core.wake(&run)).await?);
        }
        let begins_now = written.admitted.contains(&run_id);
        look_after(core, &run_id);
        core.begin_admitted(written.admitted);
        Ok(if begins_now { StartOutcome::New(run_id) } else { StartOutcome::Queued(run_id) })
    }

    /// What carries a new run out instead of this process. Who looks into a run from its beginning on, or begins in the
    /// middle of one, is with this process.
    pub(crate) fn takes_over(&self, new: &NewRun, origin: &Origin) -> Option<&Arc<dyn RunHost>> {
        self.core().run_host.get().filter(|_| origin.begins.is_none() && new.debug.is_none())
    }

    /// Writes a run down that something else carries out, and says that it is there.
    pub(crate) async fn hand_over(
        &self,
        new: NewRun,
        origin: Origin,
        limited: Option<Limited>,
        host: Arc<dyn RunHost>,
    ) -> Result<String, Error> {
        let run_id = self.core().ids.run_id();
        let handed = Handed { to: host.name().to_owned(), start: Some(begins_with(&new)) };
        self.write_down(run_id.clone(), new, origin, (RunStatus::Running, limited, Some(handed))).await?;
        pass(Point::Queued);
        let run = HandedRun { run_id: run_id.clone(), epoch: 1, is_driven: false, is_asked: false };
        host.begin(run);
        Ok(run_id)
    }

    /// Creates a run without events.
    async fn write_down(
        &self,
        run_id: String,
        new: NewRun,
        origin: Origin,
        (status, limited, handed): (RunStatus, Option<Limited>, Option<Handed>),
    ) -> Result<Written, Error> {
        let core = Arc::clone(self.core());
        core.open()?;
        let now = core.world.clock.now_ms();
        let Pinned { compiled, definition, files } = new.pinned;
        let (firing, record) = origin.fired.unzip();
        let audit = record.into_iter().chain(origin.recorded);
        let row = NewRow {
            run_id: run_id.clone(),
            workflow_id: compiled.workflow.id.clone(),
            workflow_name: compiled.workflow.name.clone(),
            definition_hash: compiled.definition_hash.clone(),
            definition: Some(definition),
            parent_run_id: None,
            started_ms: now,
            origin: new.origin,
            status,
            events: Vec::new(),
            snapshot: None,
            end: None,
            tasks: Vec::new(),
            audit: audit.map(|record| Record { run_id: run_id.clone(), ..record }).collect(),
            // Whoever is told that it waits relies on it.
            durable: true,
            rests: true,
            key: origin.key,
            firing,
            replayed: None,
            limited,
            handed,
        };
        let store = core.store.clone();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        self.worker(move || {
            files.iter().try_for_each(|(hash, text)| store.definition_put(hash, text))?;
            let mut row = row;
            row.origin.workspace = store.workspace_of_new_run(&row.workflow_id, None)?;
            // Who asked for it may have gone; the run waits without it.
            store.submit_run(row, Box::new(move |outcome| drop(sender.send(outcome))));
            Ok::<_, StoreError>(())
        })
        .await??;
        Ok(receiver.await.map_err(|_| Error::Closing)??)
    }
}

/// What a run without events begins with, for whoever takes it up.
fn begins_with(new: &NewRun) -> String {
    let begins = json!({
        "params": new.params, "context": new.context, "startedBy": new.origin.started_by, "until": new.until,
    });
    begins.to_string()
}

impl Core {
    /// What a run without events begins with.
    pub(crate) fn first_of_queued(&self, row: &RunRow) -> Result<Input, Error> {
        let damaged = |reason: String| Error::Log { run: row.run_id.clone(), seq: 1, reason };
        let begins = self.store.run_start(&row.run_id)?;
        let begins = begins.ok_or_else(|| damaged("its beginning is missing".to_owned()))?;
        Ok(durable_input::first(begins, self.ids.seed(), self.world.clock.now_ms()))
    }

    /// Takes up runs whose turn has come. Only a process that stays does: another one ends with its own run.
    pub(crate) fn begin_admitted(self: &Arc<Self>, runs: Vec<String>) {
        if runs.is_empty() || !self.options.adopt {
            return;
        }
        pass(Point::Admitted);
        let core = Arc::clone(self);
        // What does not go on is found again by `adopt`.
        self.handle.spawn(async move { drop(core.resume_many(runs).await) });
    }
}

/// Begins what waits for the rate of its workflow, as long as the process stays.
pub(crate) async fn keep(core: Arc<Core>) {
    let mut closing = core.closing.subscribe();
    while !*closing.borrow_and_update() {
        let own = Arc::clone(&core);
        let now = core.world.clock.now_ms();
        // A store that cannot be written now is tried again at the next look.
        let admitted = core.handle.spawn_blocking(move || own.store.runs_admit(now)).await;
        let admitted = admitted.ok().and_then(Result::ok).unwrap_or_default();
        core.begin_admitted(admitted.runs);
        let pause = admitted.next_ms.map(|next| Duration::from_millis(u64::try_from(next - now).unwrap_or_default()));
        tokio::select! {
            () = tokio::time::sleep(pause.unwrap_or(LOOK).clamp(PAUSE, LOOK)) => {}
            _ = closing.changed() => {}
        }
    }
}

/// A process that does not stay looks after a run that waits, as long as it lives.
pub(crate) fn look_after(core: &Arc<Core>, run_id: &str) {
    if !core.options.adopt {
        core.handle.spawn(follow(Arc::clone(core), run_id.to_owned()));
    }
}

async fn follow(core: Arc<Core>, run_id: String) {
    while !*core.closing.borrow() {
        let (own, run) = (Arc::clone(&core), run_id.clone());
        let looked = core.handle.spawn_blocking(move || {
            own.store.runs_admit(own.world.clock.now_ms())?;
            let row = own.store.run(&run)?;
            if row.status != RunStatus::Queued {
                // Somebody who stays may have been faster.
                drop(own.resume(&run));
                return Ok(false);
            }
            Ok::<_, StoreError>(true)
        });
        if matches!(looked.await, Ok(Ok(false))) {
            return;
        }
        tokio::time::sleep(core.options.poll.max(Duration::from_millis(1))).await;
    }
}
