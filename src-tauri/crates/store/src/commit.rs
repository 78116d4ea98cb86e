//! The commit of a run: events, snapshot, status, summary and consumed inputs in one transaction, or nothing.

use crate::chain;
use crate::document::Document;
use crate::error::{Error, Result};
use crate::high_water::Mark;
use crate::sql::Connection;
use crate::table::activation::{self, Firing};
use crate::table::failure::{self, FailedWith};
use crate::table::health::{self, StepErrors};
use crate::table::llm_usage::{self, Spent};
use crate::table::replay::{self, Replayed};
use crate::table::run::{Owner, RunRow};
use crate::table::run_event::PreparedEvent;
use crate::table::run_key::{self, RunKey};
use crate::table::run_limit::{self, RunLimits};
use crate::table::run_snapshot::Snapshot;
use crate::table::{
    blob, definition, failure_notice, run, run_deleted, run_event, run_input, run_node, run_snapshot, run_summary,
    trigger_intake, workspace,
};
use crate::task_change::{self, TaskChange};
use crate::writer::Work;
use serde_json::Value;
use signalbox_audit::Record;
use signalbox_model::{DurableInput, ErrorPayload, EventBody, RunEvent, RunOrigin, RunStatus};
use std::collections::HashSet;

/// What one commit of a driven run writes.
#[derive(Debug, Clone)]
pub struct RunCommit {
    /// The run.
    pub run_id: String,
    /// Who writes; a commit of anybody else writes nothing.
    pub owner: Owner,
    /// The next events, without a gap.
    pub events: Vec<RunEvent>,
    /// The state after an event of this commit, now and then.
    pub snapshot: Option<Snapshot>,
    /// The new status, when it changes. With a terminal one the run ends.
    pub status: Option<RunStatus>,
    /// Goes with a terminal status.
    pub end: Option<RunEnd>,
    /// Inputs that these events act on.
    pub consumed_inputs: Vec<i64>,
    /// What these events do to the run's tasks.
    pub tasks: Vec<TaskChange>,
    /// The audit entries of these events, in their order.
    pub audit: Vec<Record>,
    /// On the disk before the answer: intents and outcomes of `write` effects, decisions of people.
    pub durable: bool,
    /// The run has nothing left to do before it is asked: it is nobody's after this commit, unless it was asked already.
    pub rests: bool,
}

/// What a commit came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Who wrote it.
    pub owner: Owner,
    /// The run is nobody's now: what it is asked from here on is for whoever takes it over.
    pub rests: bool,
    /// Runs that waited for a place and may begin now; nobody drives them yet.
    pub admitted: Vec<String>,
    /// Runs that this one replaces: they were asked to end.
    pub replaced: Vec<String>,
}

impl RunCommit {
    /// A commit of events alone.
    pub fn new(run_id: impl Into<String>, owner: Owner, events: Vec<RunEvent>) -> Self {
        Self {
            run_id: run_id.into(),
            owner,
            events,
            snapshot: None,
            status: None,
            end: None,
            consumed_inputs: Vec::new(),
            tasks: Vec::new(),
            audit: Vec::new(),
            durable: false,
            rests: false,
        }
    }
}

/// What an ended run came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunEnd {
    /// Milliseconds since 1970.
    pub ended_ms: i64,
    /// The step that failed the run.
    pub failed_step: Option<String>,
    /// Code of the error.
    pub error_code: Option<String>,
    /// Message of the error.
    pub error_message: Option<String>,
    /// The summary, as it is shown later without a replay: compact JSON. It has what the run put out.
    pub summary: Option<String>,
    /// The error itself, by whose input failures are grouped.
    pub error: Option<Box<ErrorPayload>>,
}

/// A run to be created together with its first events.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Unique id.
    pub run_id: String,
    /// Id of the workflow.
    pub workflow_id: String,
    /// Name of the workflow.
    pub workflow_name: String,
    /// Content hash of the pinned definition.
    pub definition_hash: String,
    /// Its text; may be left out when it was put before.
    pub definition: Option<String>,
    /// The run it is re-run from.
    pub parent_run_id: Option<String>,
    /// Milliseconds since 1970.
    pub started_ms: i64,
    /// Who and what starts it.
    pub origin: RunOrigin,
    /// Status after the first commit.
    pub status: RunStatus,
    /// The first events; may be empty.
    pub events: Vec<RunEvent>,
    /// The state after an event of this commit.
    pub snapshot: Option<Snapshot>,
    /// When the run ends within its first commit.
    pub end: Option<RunEnd>,
    /// What these events do to the run's tasks.
    pub tasks: Vec<TaskChange>,
    /// The audit entries of these events, in their order.
    pub audit: Vec<Record>,
    /// On the disk before the answer.
    pub durable: bool,
    /// It has nothing left to do before it is asked: nobody's after this commit.
    pub rests: bool,
    /// With it the run is created once: a second one with the same key is [`Error::StartedBefore`].
    pub key: Option<RunKey>,
    /// The trigger that starts it: one that has fired with this key before creates nothing.
    pub firing: Option<Firing>,
    /// The limits of its workflow.
    pub limited: Option<Limited>,
    /// The failure that it is to mend: one whose run has begun before creates nothing.
    pub replayed: Option<Replayed>,
    /// What carries it out instead of a host of the history.
    pub handed: Option<Handed>,
}

/// A run that hosts of the history leave to something else, which drives it by [`crate::Store::claim`].
#[derive(Debug, Clone)]
pub struct Handed {
    /// Its name.
    pub to: String,
    /// What a run without events begins with; one that waits for its turn has it already.
    pub start: Option<String>,
}

/// How the limits of its workflow hold a new run.
#[derive(Debug, Clone)]
pub enum Limited {
    /// It starts now, or not at all: without room it is [`Error::LimitReached`].
    Now(RunLimits),
    /// It starts now in any case, and is counted.
    Always(RunLimits),
    /// It has no events yet and its turn comes, maybe at once.
    Waits(RunLimits, Box<Waits>),
}

/// A run that waits for its turn.
#[derive(Debug, Clone)]
pub struct Waits {
    /// What it begins with, for whoever takes it up.
    pub start: String,
    /// So many runs of the workflow may wait; one more is [`Error::QueueFull`].
    pub most: u64,
    /// With it the run replaces older ones of its key; the entry of each that is asked to end.
    pub replaces: Option<Record>,
}

/// A commit whose text and hashes were made on the caller's thread.
pub(crate) struct Prepared {
    run_id: String,
    owner: Owner,
    first: u64,
    pub(crate) events: Vec<PreparedEvent>,
    snapshot: Option<Snapshot>,
    status: Option<RunStatus>,
    end: Option<RunEnd>,
    summary: Option<Document>,
    consumed: Vec<i64>,
    tasks: Vec<task_change::Prepared>,
    audit: Vec<chain::Ready>,
    spent: Vec<Spent>,
    errors: Vec<StepErrors>,
    rests: bool,
    admitted: Vec<String>,
    /// With what it failed.
    failed: Option<FailedWith>,
    /// It was cancelled, and no other run takes its place.
    cancelled: bool,
    /// The row of the run is written with it, and has the status.
    is_new: bool,
}

impl Prepared {
    /// Snapshot, summary and audit entries are taken out of the commit: the first two may be large, and there are entries in each one.
    pub(crate) fn new(commit: &mut RunCommit) -> Result<Self> {
        let (snapshot, audit) = (commit.snapshot.take(), std::mem::take(&mut commit.audit));
        let summary = commit.end.as_mut().and_then(|end| end.summary.take());
        let RunCommit {
            run_id,
            owner,
            events,
            snapshot: _,
            status,
            end,
            consumed_inputs,
            tasks,
            audit: _,
            durable: _,
            rests,
        } = &*commit;
        let (run_id, status, rests) = (run_id.clone(), *status, *rests);
        let summary = summary.map(Document::of_text).transpose()?;
        let source = end.as_ref();
        let mut end = source.map(|end| RunEnd {
            ended_ms: end.ended_ms,
            failed_step: end.failed_step.clone(),
            error_code: end.error_code.clone(),
            error_message: end.error_message.clone(),
            // It is large where much was put out, and is in `summary` now.
            summary: None,
            error: None,
        });
        let failed = (status == Some(RunStatus::Failed)).then(|| failed_with(source));
        let cancelled = events.iter().any(
            |event| matches!(&event.body, EventBody::WorkflowCancelled(cancelled) if cancelled.superseded_by.is_none()),
        );
        let invalid = |reason: String| Error::Invalid { reason };
        let (mut prepared, mut known) = (Vec::with_capacity(events.len()), HashSet::new());
        for event in events {
            if event.run_id != run_id {
                return Err(invalid(format!("an event of run {} is in the commit of run {run_id}", event.run_id)));
            }
            let mut event = PreparedEvent::new(event)?;
            // What one step puts out goes into the next one: its text is kept once.
            event.document.forget_known(&mut known);
            prepared.push(event);
        }
        let first = prepared.first().map_or(0, |event| event.seq);
        if prepared.iter().zip(first..).any(|(event, seq)| event.seq != seq) || (first == 0 && !prepared.is_empty()) {
            return Err(Error::Fenced { run: run_id });
        }
        let terminal = status.is_some_and(RunStatus::is_terminal);
        if end.is_some() && !terminal {
            return Err(invalid("a run ends only with a terminal status".into()));
        }
        if terminal && end.is_none() {
            let ended_ms = prepared.last().map(|event| event.ts);
            end = Some(RunEnd { ended_ms: ended_ms.unwrap_or_default(), ..RunEnd::default() });
        }
        Ok(Self {
            run_id,
            owner: owner.clone(),
            first,
            events: prepared,
            snapshot,
            status,
            end,
            summary,
            consumed: consumed_inputs.clone(),
            tasks: tasks.iter().map(task_change::Prepared::new).collect::<Result<_>>()?,
            audit: audit.into_iter().map(chain::Ready::new).collect(),
            spent: events.iter().filter_map(Spent::of).collect(),
            errors: StepErrors::of(events),
            rests,
            admitted: Vec::new(),
            failed,
            cancelled,
            is_new: false,
        })
    }

    pub(crate) fn rows(&self) -> usize {
        1 + self.events.len() + self.tasks.len() + self.audit.len()
    }

    /// Once its run is its owner's, nothing that it finds refuses it.
    pub(crate) fn is_sure(&self) -> bool {
        let last = self.events.last().map_or(0, |event| event.seq);
        self.consumed.is_empty()
            && self.tasks.iter().all(task_change::Prepared::is_sure)
            && self.snapshot.as_ref().is_none_or(|snapshot| snapshot.seq <= last)
    }

    pub(crate) fn apply(mut self, work: &mut Work<'_>) -> Result<Written> {
        let connection = work.connection;
        let last = match self.events.last() {
            Some(event) => {
                run::advance(connection, &self.run_id, &self.owner, self.first - 1, event.seq)?;
                event.seq
            }
            None => {
                let row = run::require(connection, &self.run_id)?;
                if row.owner.as_ref() != Some(&self.owner) || row.ended_ms.is_some() {
                    return Err(Error::Fenced { run: self.run_id });
                }
                row.last_seq
            }
        };
        if self.first == 1 {
            // It waited for its turn until now.
            let begun_ms = self.events.first().map(|event| event.ts).unwrap_or_default();
            run::set_started(connection, &self.run_id, begun_ms)?;
            run_limit::begun(connection, &self.run_id)?;
        }
        self.write(work, last)?;
        work.mark = self.mark();
        // Asked in this transaction: what is asked after it finds a run that nobody drives.
        let rests = self.rests && !run_input::is_pending(connection, &self.run_id)?;
        if rests {
            run::set_owner(connection, &self.run_id, None, self.owner.epoch)?;
        }
        Ok(Written { owner: self.owner, rests, admitted: self.admitted, replaced: Vec::new() })
    }

    fn mark(&self) -> Option<Mark> {
        self.events.last().map(|event| Mark { run: self.run_id.clone(), seq: event.seq, hash: event.hash_hex() })
    }

    fn write(&mut self, work: &mut Work<'_>, last: u64) -> Result<()> {
        let connection = work.connection;
        let run = &self.run_id;
        if !self.events.is_empty() {
            let number = run::number(connection, run)?;
            for event in &self.events {
                run_event::insert(connection, run, number, event)?;
            }
        }
        if let Some(snapshot) = &mut self.snapshot {
            if snapshot.seq > last {
                return Err(Error::Invalid {
                    reason: format!("a snapshot of event {} before that event", snapshot.seq),
                });
            }
            run_snapshot::insert(connection, run, snapshot)?;
        }
        llm_usage::add(connection, run, &self.spent)?;
        health::add_errors(connection, run, &self.errors)?;
        if !self.events.is_empty() {
            run_node::catch_up(connection, run, self.first - 1, last)?;
        }
        if let Some(status) = self.status.filter(|_| !self.is_new) {
            run::set_status(connection, run, status)?;
        }
        if let Some(end) = &self.end {
            run::set_end(
                connection,
                run,
                end.ended_ms,
                end.failed_step.as_deref(),
                end.error_code.as_deref(),
                end.error_message.as_deref(),
            )?;
            self.admitted = run_limit::ended(connection, run, end.ended_ms)?;
            let has_failed = self.status == Some(RunStatus::Failed);
            health::ended(connection, run, has_failed)?;
            if has_failed {
                failure_notice::failed(connection, run, end.ended_ms)?;
                trigger_intake::failed(connection, run, end.ended_ms)?;
                if let Some(with) = &self.failed {
                    failure::run_failed(connection, run, with, end.ended_ms)?;
                }
            }
            if self.cancelled {
                failure::rerun_cancelled(connection, run)?;
            }
        }
        if let Some(summary) = &self.summary {
            run_summary::insert(connection, run, summary)?;
        }
        for id in &self.consumed {
            run_input::consume(connection, run, *id)?;
        }
        for change in &self.tasks {
            change.apply(connection, run)?;
        }
        chain::append_ready(work, std::mem::take(&mut self.audit))
    }
}

fn failed_with(end: Option<&RunEnd>) -> FailedWith {
    FailedWith {
        step: end.and_then(|end| end.failed_step.clone()),
        code: end.and_then(|end| end.error_code.clone()),
        message: end.and_then(|end| end.error_message.clone()),
        error: end.and_then(|end| end.error.clone()),
    }
}

/// Bytes that came with what started the run: a re-run from its trigger hands them on again.
fn of_trigger(params: &Value) -> impl Iterator<Item = &str> {
    let files = params.pointer("/_trigger/payload/files").and_then(Value::as_array);
    files.into_iter().flatten().filter_map(|file| file["sha256"].as_str())
}

/// A new run with its first commit.
pub(crate) struct PreparedRun {
    row: RunRow,
    definition: Option<String>,
    /// Bytes that items of the run's base name, and those that came with its trigger: the original may go before this run does.
    shared: Vec<String>,
    key: Option<RunKey>,
    firing: Option<Firing>,
    limited: Option<Limited>,
    replayed: Option<Replayed>,
    /// The access token that starts it, whose quota it counts for.
    token: Option<String>,
    /// What a run begins with that something else carries out.
    start: Option<String>,
    /// It repeats a part of its original to its end, not only up to a step.
    whole: bool,
    pub(crate) first: Prepared,
}

impl PreparedRun {
    pub(crate) fn new(new: NewRun, instance: &str) -> Result<Self> {
        let owner = Owner { instance: instance.into(), epoch: 1 };
        let row = RunRow {
            run_id: new.run_id.clone(),
            workflow_id: new.workflow_id,
            workflow_name: new.workflow_name,
            definition_hash: new.definition_hash,
            status: new.status,
            owner: (!new.rests).then(|| owner.clone()),
            epoch: 1,
            parent_run_id: new.parent_run_id,
            started_ms: new.started_ms,
            ended_ms: None,
            last_seq: new.events.len() as u64,
            failed_step: None,
            error_code: None,
            error_message: None,
            client_run_token: new.origin.client_run_token,
            started_by: new.origin.started_by,
            person: new.origin.person,
            trace: new.origin.trace,
            trial: new.origin.trial,
            workspace: new.origin.workspace,
            handed_to: new.handed.as_ref().map(|handed| handed.to.clone()),
            open_tasks: 0,
        };
        let shared = match new.events.first().map(|event| &event.body) {
            Some(EventBody::WorkflowStart(start)) => {
                let of_base = start.base.iter().flat_map(|base| base.binaries());
                of_base.chain(of_trigger(&start.params)).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        let whole = !matches!(new.events.first().map(|event| &event.body),
            Some(EventBody::WorkflowStart(start)) if start.until.is_some());
        let mut first = RunCommit {
            snapshot: new.snapshot,
            status: Some(new.status),
            end: new.end,
            tasks: new.tasks,
            audit: new.audit,
            durable: new.durable,
            ..RunCommit::new(new.run_id, owner, new.events)
        };
        let first = Prepared { is_new: true, ..Prepared::new(&mut first)? };
        if first.events.first().is_some_and(|event| event.seq != 1) {
            return Err(Error::Invalid { reason: "the first event of a run has seq 1".into() });
        }
        Ok(Self {
            row,
            definition: new.definition,
            shared,
            key: new.key,
            firing: new.firing,
            limited: new.limited,
            replayed: new.replayed,
            token: new.origin.token,
            start: new.handed.and_then(|handed| handed.start),
            whole,
            first,
        })
    }

    /// Whether its key or its firing has a run already: who started it is told of that one, whatever the limits are.
    fn is_known(&self, connection: &Connection) -> Result<bool> {
        match (&self.key, &self.firing) {
            (Some(key), _) => Ok(run_key::get(connection, key, self.row.started_ms)?.is_some()),
            (None, Some(firing)) => activation::is_fired(connection, firing),
            (None, None) => Ok(false),
        }
    }

    pub(crate) fn apply(mut self, work: &mut Work<'_>) -> Result<Written> {
        let connection = work.connection;
        let run_id = &self.row.run_id;
        if run::exists(connection, run_id)? || run_deleted::exists(connection, run_id)? {
            return Err(Error::RunExists { run: run_id.clone() });
        }
        let (workflow, now_ms) = (&self.row.workflow_id, self.row.started_ms);
        if let Some(limited) = &self.limited
            && !self.is_known(connection)?
        {
            match limited {
                Limited::Always(_) => {}
                Limited::Now(limits) => run_limit::require_room(connection, workflow, limits, now_ms)?,
                Limited::Waits(_, waits) => run_limit::require_queue(connection, workflow, waits.most)?,
            }
        }
        if (self.row.workspace.is_some() || self.token.is_some()) && !self.is_known(connection)? {
            // A replay was allowed as a whole by whoever may do that; it is counted.
            let always = self.replayed.is_some();
            let by = workspace::Starter {
                workspace: self.row.workspace.as_deref(),
                token: self.token.as_deref(),
                person: self.row.person.as_deref(),
            };
            workspace::start(connection, by, always, now_ms)?;
        }
        if let Some(key) = &self.key {
            if let Some(run) = run_key::get(connection, key, self.row.started_ms)? {
                return Err(Error::StartedBefore { run });
            }
            run_key::put(connection, key, run_id, self.row.started_ms)?;
        }
        if let Some(firing) = &self.firing {
            activation::fire(connection, firing, run_id)?;
        }
        if let Some(replayed) = &self.replayed {
            replay::begin(connection, replayed, run_id)?;
        }
        if let Some(Limited::Now(limits) | Limited::Always(limits)) = &self.limited {
            run_limit::enter(connection, run_id, workflow, limits, now_ms)?;
        }
        if let Some(start) = &self.start {
            run_limit::keep_start(connection, run_id, workflow, start)?;
        }
        if let Some(text) = &self.definition {
            definition::put(connection, &self.row.definition_hash, text)?;
        }
        run::insert(connection, &self.row)?;
        if let Some(parent) = &self.row.parent_run_id {
            blob::share(connection, parent, run_id, &self.shared)?;
            if self.whole {
                failure::rerun(connection, parent, run_id)?;
            }
        }
        for (hash, bytes) in self.firing.iter().flat_map(|firing| &firing.binaries) {
            blob::put_bytes(connection, run_id, hash, bytes)?;
        }
        self.first.write(work, self.row.last_seq)?;
        work.mark = self.first.mark();
        let (mut admitted, mut replaced) = (std::mem::take(&mut self.first.admitted), Vec::new());
        // After the row, whose status changes when the turn of the run comes at once.
        if let Some(Limited::Waits(limits, waits)) = &self.limited {
            admitted = run_limit::wait(connection, run_id, workflow, limits, &waits.start, now_ms)?;
            if let Some(record) = &waits.replaces {
                replaced = run_limit::replace(connection, workflow, limits)?;
                for run in &replaced {
                    run_input::insert(connection, run, &DurableInput::Cancel { superseded_by: None })?;
                    chain::append(work, vec![Record { run_id: run.clone(), ..record.clone() }])?;
                }
            }
        }
        Ok(Written { owner: self.first.owner, rests: self.row.owner.is_none(), admitted, replaced })
    }
}
