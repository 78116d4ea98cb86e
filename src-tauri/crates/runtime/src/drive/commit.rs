//! What a driven run writes: one transaction for each batch of steps, tried again while the disk is full.

use super::{APART, Driver, ON_THREAD, RunCreation, STATES, Stop};
use crate::commit_reply;
use crate::error::{Error, Trouble};
use crate::phase::Phase;
use crate::record;
use crate::step_batch;
use signalbox_audit::Record;
use signalbox_engine::{snapshot, summary};
use signalbox_model::RunEvent;
use signalbox_store::failpoint::{Point, pass};
use signalbox_store::{CommitError, NewRun, RunCommit, RunEnd, Snapshot, TaskChange, Thread, Written};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A state whose lists have more bytes of text is not written as a snapshot: it would be in memory three times more, as its
/// text, as a value for the database and as a row of it.
const LISTS: usize = 1024 * 1024;

impl Driver {
    /// One transaction: events, now and then a snapshot, status and summary at the end. Returns after it is written.
    /// `rests`: nothing is left to do before the run is asked, so that it need not be driven.
    pub(super) async fn commit(&mut self, events: Vec<RunEvent>, durable: bool, rests: bool) -> Result<(), Stop> {
        let status = self.state.status();
        let terminal = status.is_terminal();
        let (bytes, calls) = step_batch::weigh(&events);
        self.bytes += bytes;
        self.called += calls;
        if self.creation.is_some() {
            // The first snapshot is not worth it either before the events outweigh what it would hold: the run's input,
            // and the items that began with it.
            self.state_bytes = step_batch::weight(self.state.params());
        }
        let options = &self.core.options;
        let due = (self.called >= options.snapshot_calls || self.bytes >= options.snapshot_bytes)
            && self.bytes >= self.state_bytes.saturating_mul(STATES)
            // Such a state is made from the events again.
            && self.state.lists_weight() <= LISTS;
        let snapshot = (due && !terminal).then(|| Snapshot {
            seq: self.state.last_seq(),
            version: snapshot::VERSION,
            body: snapshot::encode(&self.compiled, &self.state),
        });
        if let Some(snapshot) = &snapshot {
            (self.bytes, self.called, self.state_bytes) = (0, 0, snapshot.body.len());
        }
        let end = terminal.then(|| self.end());
        let tasks = record::tasks(&self.compiled, &events);
        let mut consumed = std::mem::take(&mut self.answers);
        if terminal {
            consumed = std::mem::take(&mut self.consumed_inputs).into_iter().collect();
        } else {
            // An input is consumed once; the last commit takes what is left.
            for id in &consumed {
                self.consumed_inputs.remove(id);
            }
        }
        // Who follows gets the events after the commit; without anybody there is nothing to keep.
        let keep = self.driven.live.has_subscribers() || self.core.is_observed();
        let live: Option<Arc<[RunEvent]>> = keep.then(|| Arc::from(events.as_slice()));
        let mut nobodys = false;
        if let Some(mut creation) = self.creation.take() {
            match self.workspace_of_new_run().await {
                Ok(workspace) => {
                    self.said.workspace.clone_from(&workspace);
                    creation.origin.workspace = workspace;
                }
                Err(error) => return Err(Stop::StartFailed(creation.born, error)),
            }
            let mut audit = record::entries(&self.compiled, &self.said, &events);
            record::name_token(&mut audit, &creation.origin);
            nobodys = self.begin(creation, (events, tasks, audit), snapshot, end, (durable, rests)).await?;
        } else if let Some(owner) = self.owner.clone() {
            let commit = RunCommit {
                snapshot,
                status: (status != self.recorded).then_some(status),
                end,
                consumed_inputs: consumed,
                tasks,
                durable,
                rests,
                ..RunCommit::new(self.driven.run_id.clone(), owner, events)
            };
            nobodys = self.persist(commit).await?;
        }
        self.recorded = status;
        // Who came during the commit may have read the store before it: an empty batch sends it there again. Nobody
        // listens any more: then nobody misses it.
        if let Some(events) = live.as_ref().filter(|events| !events.is_empty()) {
            self.core.tell_observers(events);
        }
        self.driven.live.send(live, bytes);
        if nobodys {
            pass(Point::Decided);
            self.owner = None;
            return Err(Stop::Parked);
        }
        Ok(())
    }

    fn end(&self) -> RunEnd {
        let summary = summary::without_output(&self.compiled, &self.state);
        RunEnd {
            ended_ms: self.state.last_ms(),
            failed_step: summary.failed_step_id.clone(),
            error_code: summary.error.as_ref().map(|error| error.code().to_owned()),
            error_message: summary.error.as_ref().map(|error| error.message.clone()),
            summary: self.summary(),
            error: summary.error.map(Box::new),
        }
    }

    fn summary(&self) -> Option<String> {
        summary::text(&self.compiled, &self.state).ok()
    }

    /// Reads the workspace of the new run. A file is read on this thread: many starts at once would each take a thread that waits for
    /// work, with a connection that is opened for it. A database elsewhere takes longer than that.
    async fn workspace_of_new_run(&mut self) -> Result<Option<String>, Error> {
        let (store, workflow) = (self.core.store.clone(), self.compiled.workflow.id.clone());
        let parent = self.state.parent_run_id().map(str::to_owned);
        let read = move || store.workspace_of_new_run(&workflow, parent.as_deref());
        if self.core.store.is_file() {
            return Ok(read()?);
        }
        Ok(self.core.handle.spawn_blocking(read).await.map_err(|_| Error::Closing)??)
    }

    /// The first commit creates the run; says whether it is nobody's now. A run that could not be recorded was never started:
    /// the caller hears why.
    async fn begin(
        &mut self,
        creation: RunCreation,
        (events, tasks, audit): (Vec<RunEvent>, Vec<TaskChange>, Vec<Record>),
        snapshot: Option<Snapshot>,
        end: Option<RunEnd>,
        (durable, rests): (bool, bool),
    ) -> Result<bool, Stop> {
        let (sender, receiver) = oneshot::channel();
        let new = NewRun {
            run_id: self.driven.run_id.clone(),
            workflow_id: self.compiled.workflow.id.clone(),
            workflow_name: self.compiled.workflow.name.clone(),
            definition_hash: self.compiled.definition_hash.clone(),
            definition: creation.definition,
            parent_run_id: self.state.parent_run_id().map(str::to_owned),
            started_ms: self.state.started_ms(),
            origin: creation.origin,
            status: self.state.status(),
            events,
            snapshot,
            end,
            tasks,
            audit: creation.audit.into_iter().chain(audit).collect(),
            // Whoever sends it again relies on the first one.
            durable: durable || creation.key.is_some() || creation.firing.is_some(),
            rests,
            key: creation.key,
            firing: creation.firing,
            limited: creation.limited,
            replayed: creation.replayed,
            handed: None,
        };
        // The starter may have gone; the run goes on without it.
        self.core.store.submit_run(new, Box::new(move |outcome| drop(sender.send(outcome))));
        match receiver.await {
            Ok(Ok(Written { owner, rests, admitted, .. })) => {
                self.core.begin_admitted(admitted);
                self.owner = Some(owner);
                pass(Point::Born);
                let _ = creation.born.send(Ok(()));
                // Whoever started it may be on this thread.
                tokio::task::yield_now().await;
                Ok(rests)
            }
            Ok(Err(error)) => Err(Stop::StartFailed(creation.born, error.into())),
            Err(_) => Err(Stop::StartFailed(creation.born, Error::Closing)),
        }
    }

    /// Commits, again and again while the disk is full: the events stay in memory, the effects wait, nothing is lost. Says
    /// whether the run is nobody's now.
    async fn persist(&mut self, mut commit: RunCommit) -> Result<bool, Stop> {
        let has_snapshot = commit.snapshot.is_some();
        let mut unsure = false;
        loop {
            // They follow from the events and the state, and are moved into the store with each try.
            commit.audit = record::entries(&self.compiled, &self.said, &commit.events);
            if let Some(end) = commit.end.as_mut().filter(|end| end.summary.is_none()) {
                end.summary = self.summary();
            }
            let (giver, answer) = commit_reply::pair();
            let (alone, began) = (self.is_alone(), Instant::now());
            let here = alone && began >= self.apart_until;
            let thread = if here { Thread::Here } else { Thread::Writer };
            self.core.store.submit_lent(&mut commit, thread, Box::new(move |outcome| giver.give(outcome)));
            let took = began.elapsed();
            if here && took > ON_THREAD {
                self.apart_until = Instant::now() + took.saturating_mul(APART);
            } else if alone {
                answer.wait(ON_THREAD);
            }
            let trouble = match answer.await {
                Some(Ok(written)) => {
                    self.core.begin_admitted(written.admitted);
                    self.going();
                    return Ok(written.rests);
                }
                // A commit that was answered with an I/O error may have been written after all.
                Some(Err(CommitError::Fenced { .. })) => match self.written(&commit).filter(|_| unsure) {
                    Some(rests) => {
                        self.going();
                        return Ok(rests);
                    }
                    None => return Err(Stop::Fenced),
                },
                Some(Err(CommitError::DiskFull)) => Trouble::DiskFull,
                Some(Err(CommitError::Busy)) => Trouble::Store(CommitError::Busy.to_string()),
                Some(Err(CommitError::Store(signalbox_store::StoreError::Closed))) | None => return Err(Stop::Closing),
                Some(Err(CommitError::Store(signalbox_store::StoreError::TaskDecided { .. }))) => {
                    return Err(Stop::Overtaken);
                }
                Some(Err(CommitError::Store(error @ signalbox_store::StoreError::Invalid { .. }))) => {
                    return Err(Stop::Fault(error.to_string()));
                }
                Some(Err(CommitError::Store(error))) => Trouble::Store(error.to_string()),
            };
            unsure = true;
            if has_snapshot {
                // It was given away; the next commit makes another.
                (self.bytes, self.called) = (self.state_bytes.saturating_mul(STATES), self.core.options.snapshot_calls);
            }
            self.suspend(trouble).await?;
        }
    }

    /// Whether nobody needs this thread while a commit is written: no other run, no call or timer of this one, no
    /// subscriber. Then it may be written here.
    fn is_alone(&mut self) -> bool {
        while self.calls.try_join_next().is_some() {}
        while self.timers.try_join_next().is_some() {}
        self.calls.is_empty() && self.timers.is_empty() && !self.driven.live.has_subscribers() && self.core.drives_one()
    }

    /// Whether a commit stands in the store, and then whether it has made the run nobody's.
    fn written(&self, commit: &RunCommit) -> Option<bool> {
        let last = commit.events.last().and_then(|event| event.seq);
        let row = self.core.store.run(&commit.run_id).ok().filter(|row| last == Some(row.last_seq))?;
        match row.owner {
            Some(owner) => (owner == commit.owner).then_some(false),
            None => (commit.rests && row.epoch == commit.owner.epoch).then_some(true),
        }
    }

    /// Stands still for a while, visibly.
    pub(super) async fn suspend(&mut self, trouble: Trouble) -> Result<(), Stop> {
        self.driven.phase.send_if_modified(|phase| {
            let new = Phase::Suspended(trouble);
            let differs = *phase != new;
            *phase = new;
            differs
        });
        tokio::select! {
            () = tokio::time::sleep(self.core.options.retry_commit) => {}
            _ = self.closing.changed() => {}
        }
        if *self.closing.borrow() { Err(Stop::Closing) } else { Ok(()) }
    }

    /// Ends a suspension.
    pub(super) fn going(&self) {
        self.driven.phase.send_if_modified(|phase| {
            let suspended = matches!(phase, Phase::Suspended(_));
            if suspended {
                *phase = Phase::Driving;
            }
            suspended
        });
    }
}
