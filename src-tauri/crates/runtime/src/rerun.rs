//! Re-run from a step: a new run whose base is what stands of another one (SEMANTICS 9, K-34).

use crate::error::Error;
use crate::load::Pinned;
use crate::queue;
use crate::runtime::{Runtime, Start};
use crate::shared::Core;
use serde_json::{Map, Value};
use signalbox_audit::{Actor, Level, Record};
use signalbox_engine::Compiled;
use signalbox_engine::input::Input;
use signalbox_engine::rerun::{Original, Overrides, Plan, Reopen, Send, plan, plan_reopened, plan_sent};
use signalbox_model::debug::DebugStart;
use signalbox_model::{AuditEvent, DurableInput, EventBody, RunEvent, RunOrigin, RunStatus, time};
use signalbox_store::{Replayed, RunRow};
use std::sync::Arc;

/// Events that are read at once.
const PAGE: usize = 500;

/// Which definition a re-run has.
#[derive(Debug, Clone)]
pub enum Definition {
    /// That of the original.
    Original,
    /// Another one.
    Other(Pinned),
}

/// A person decides before anything is called; the definition is that of the original.
#[derive(Debug, Clone)]
pub enum Person {
    /// An ended task is asked again.
    Reopen(Reopen),
    /// The original failed; a person is asked about the call that failed it.
    Send(Send),
}

/// A re-run to start.
#[derive(Debug, Clone)]
pub struct Again {
    /// The original.
    pub run_id: String,
    /// The step, with its path. Where a person decides first the log of the original says which one it is.
    pub from: String,
    /// A person decides first.
    pub person: Option<Person>,
    /// The step that it ends after.
    pub until: Option<String>,
    /// With which definition.
    pub definition: Definition,
    /// What is changed.
    pub overrides: Overrides,
    /// Who and what starts it. What started the original counts before it.
    pub origin: RunOrigin,
    /// Somebody looks into it from the beginning on.
    pub debug: Option<DebugStart>,
    /// Who starts it.
    pub actor: Actor,
    /// What the audit entry tells besides.
    pub told: Map<String, Value>,
}

/// A failed run that begins again as part of a replay.
pub struct ReplayOf {
    /// The failure.
    pub item: Replayed,
    /// The items that the step gets, made from the recorded ones; the recorded ones themselves when it gives none.
    pub correct: Correct,
}

/// What a correction makes of a plan, or why it does not fit.
pub type Correct = Box<dyn FnOnce(&Plan) -> Result<Option<Vec<Value>>, String> + std::marker::Send>;

/// What a re-run would be, without what is changed.
struct Asked {
    run_id: String,
    from: String,
    until: Option<String>,
    person: Option<Person>,
    definition: Definition,
}

impl Asked {
    fn of(again: &Again) -> Self {
        Self {
            run_id: again.run_id.clone(),
            from: again.from.clone(),
            until: again.until.clone(),
            person: again.person.clone(),
            definition: again.definition.clone(),
        }
    }
}

/// What was looked at.
struct Looked {
    row: RunRow,
    target: Arc<Compiled>,
    plan: Plan,
}

impl Runtime {
    /// What a re-run from a step would be, and where it ends after another one.
    pub async fn rerun_plan(
        &self,
        run_id: &str,
        from: &str,
        until: Option<String>,
        definition: Definition,
    ) -> Result<Plan, Error> {
        let (run_id, from) = (run_id.to_owned(), from.to_owned());
        let (core, asked) = (Arc::clone(self.core()), Asked { run_id, from, until, person: None, definition });
        Ok(self.worker(move || core.look(&asked)).await??.plan)
    }

    /// Starts a re-run and returns its id. An original that waits for a person is cancelled first, and its tasks are
    /// superseded: what it waited for is asked in the new run.
    pub async fn rerun(&self, again: Again) -> Result<String, Error> {
        self.rerun_of(again, None).await
    }

    /// [`Self::rerun`] with the correction of a replay: the failure is settled in the transaction that creates the run.
    pub async fn replay(&self, again: Again, of: ReplayOf) -> Result<String, Error> {
        self.rerun_of(again, Some(of)).await
    }

    async fn rerun_of(&self, mut again: Again, of: Option<ReplayOf>) -> Result<String, Error> {
        let core = self.core();
        core.open()?;
        let new_id = core.ids.run_id();
        // Everything that can be refused is refused before anything changes.
        let (item, correct) = of.map(|of| (of.item, of.correct)).unzip();
        let asked = Asked::of(&again);
        let own = Arc::clone(core);
        let (looked, given, mut kept) = self
            .worker(move || {
                let looked = own.look(&asked)?;
                let given = match correct {
                    Some(correct) => correct(&looked.plan).map_err(|why| Error::DoesNotFit { why })?,
                    None => None,
                };
                let kept = looked.row.ended_ms.and_then(|_| own.options.beside.of(&looked.row.run_id));
                Ok::<_, Error>((looked, given, kept))
            })
            .await??;
        if item.is_some() {
            again.overrides.input = given;
        }
        let (row, target) = (looked.row, looked.target);
        // What the original was given by a program stays that: a re-run reaches no further.
        let started_by = row.started_by.clone().or_else(|| again.origin.started_by.clone());
        let from = looked.plan.from.clone();
        let mut made = looked.plan.with(&target, again.overrides.clone())?;
        if row.ended_ms.is_none() {
            let input = DurableInput::Cancel { superseded_by: Some(new_id.clone()) };
            match self.cancel_with(&row.run_id, input, None).await {
                // Told below, with what has replaced it.
                Ok(()) | Err(Error::Ended { .. }) => {}
                Err(error) => return Err(error),
            }
            self.wait(&row.run_id).await?;
            let (asked, own, by) = (Asked::of(&again), Arc::clone(core), new_id.clone());
            let (looked, beside) = self
                .worker(move || {
                    own.replaced_by(&asked.run_id, &by)?;
                    let looked = own.look(&asked)?;
                    let beside = own.options.beside.of(&asked.run_id);
                    Ok::<_, Error>((looked, beside))
                })
                .await??;
            made = looked.plan.with(&target, again.overrides.clone())?;
            kept = beside;
        }
        let now = core.world.clock.now_ms();
        let mut told = again.told;
        told.insert("newRunId".into(), new_id.as_str().into());
        told.insert("from".into(), from.as_str().into());
        let event = match again.person {
            Some(Person::Reopen(_)) => AuditEvent::TaskReopened,
            Some(Person::Send(_)) => AuditEvent::RunSentToInbox,
            None => AuditEvent::RunRerun,
        };
        let record =
            Record::new(time::format(now), row.run_id.as_str(), from.as_str(), event, Level::Info, again.actor);
        let limited = queue::counted(&target, &made.params);
        let first = Input::Rerun {
            rerun: Box::new(made),
            seed: core.ids.seed(),
            started_by: started_by.clone(),
            debug: again.debug,
            now,
        };
        let (definition, files) = match again.definition {
            Definition::Original => (None, Vec::new()),
            Definition::Other(pinned) => (Some(pinned.definition), pinned.files),
        };
        let start = Start {
            run_id: new_id,
            compiled: target,
            definition,
            files,
            origin: RunOrigin { started_by, ..again.origin },
            audit: vec![record.with_metadata(told)],
            kept,
            key: None,
            firing: None,
            limited,
            replayed: item,
        };
        self.begin(start, first).await
    }
}

impl Core {
    /// Folds the original: on a thread that may wait.
    fn look(&self, asked: &Asked) -> Result<Looked, Error> {
        let row = self.store.run(&asked.run_id)?;
        if row.ended_ms.is_none() && row.status != RunStatus::Paused {
            return Err(Error::StillRuns { run: asked.run_id.clone() });
        }
        let original = self.definition(&row)?;
        let target = match &asked.definition {
            Definition::Original => Arc::clone(&original),
            Definition::Other(pinned) => Arc::clone(&pinned.compiled),
        };
        let events = self.all_events(&asked.run_id)?;
        let whole = Original { compiled: &original, events: &events };
        let plan = match &asked.person {
            Some(Person::Reopen(task)) => plan_reopened(whole, task)?,
            Some(Person::Send(wanted)) => plan_sent(whole, wanted)?,
            None => plan(whole, &target, &asked.from)?,
        };
        let plan = match &asked.until {
            Some(until) => plan.ending(&target, until)?,
            None => plan,
        };
        Ok(Looked { row, target, plan })
    }

    /// Refuses a re-run when something else than it has ended its original: an answer, a person, another re-run.
    fn replaced_by(&self, run_id: &str, new_id: &str) -> Result<(), Error> {
        let row = self.store.run(run_id)?;
        if row.ended_ms.is_none() {
            return Err(Error::StillRuns { run: run_id.to_owned() });
        }
        let by = match self.store.event(run_id, row.last_seq)?.map(|event| event.body) {
            Some(EventBody::WorkflowCancelled(cancelled)) => cancelled.superseded_by,
            Some(_) | None => None,
        };
        if by.as_deref() == Some(new_id) {
            return Ok(());
        }
        Err(Error::EndedMeanwhile { run: run_id.to_owned(), status: row.status, by })
    }

    fn all_events(&self, run_id: &str) -> Result<Vec<RunEvent>, Error> {
        let mut all: Vec<RunEvent> = Vec::new();
        loop {
            let after = all.last().and_then(|event| event.seq).unwrap_or_default();
            let page = self.store.events(run_id, after, PAGE)?;
            let last = page.len() < PAGE;
            all.extend(page);
            if last {
                return Ok(all);
            }
        }
    }
}
