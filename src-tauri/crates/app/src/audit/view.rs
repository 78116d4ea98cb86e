//! Audit entries as people see them.

use crate::app::App;
use crate::audit::describe;
use crate::dto::{AuditActor, AuditApart, AuditApartKind, AuditPayloadState, AuditRelated, AuditRelation, AuditRow};
use crate::error::ApiResult;
use crate::workflows::step_names::Names;
use serde_json::Value;
use signalbox_model::{AuditEvent, Level};
use signalbox_runtime::pinned_files;
use signalbox_store::audit::{Entry, RUN_LEVEL};
use signalbox_store::mask::Masks;
use signalbox_store::{AuditQuery, AuditRow as Stored, Payload, PayloadPart, PayloadState};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError};

/// Names of the steps of so many definitions are kept.
const KEPT: usize = 64;
/// Entries of a run that are looked through for what belongs together.
const RELATED: usize = 1_000;

/// What is known of a run beside its entries.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) workflow_id: String,
    pub(crate) workflow_name: String,
    pub(crate) names: Arc<Names>,
}

impl App {
    /// The workflow of a run and the names of its steps; `None` when the run is not there any more.
    pub(crate) fn about_run(&self, run_id: &str) -> Option<About> {
        let row = self.store.run(run_id).ok()?;
        let kept = self.names.lock().unwrap_or_else(PoisonError::into_inner).get(&row.definition_hash).cloned();
        let names = kept.unwrap_or_else(|| {
            let files = pinned_files(&self.store, &row).ok();
            let names = Arc::new(files.map(|(own, called)| Names::of(&own, &called.files)).unwrap_or_default());
            let mut all = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            if all.len() >= KEPT {
                all.clear();
            }
            all.insert(row.definition_hash.clone(), Arc::clone(&names));
            names
        });
        Some(About { workflow_id: row.workflow_id, workflow_name: row.workflow_name, names })
    }
}

impl About {
    /// The name of the step that an entry is about.
    fn step(&self, entry: &Entry) -> Option<&str> {
        self.names.get(fact(entry, "path"), &entry.node_id)
    }
}

/// Rows of a page; each run is looked up once.
pub(crate) fn rows(app: &App, stored: &[Stored]) -> ApiResult<Vec<AuditRow>> {
    let mut known: HashMap<String, Option<About>> = HashMap::new();
    let texts: Vec<&str> = stored.iter().map(|row| row.text.as_str()).collect();
    let payloads = app.store.audit_payloads_of(&texts)?;
    let seqs = || stored.iter().map(|row| row.seq);
    let sealed = match seqs().min().zip(seqs().max()) {
        Some((from, to)) => app.store.audit_sealed(from, to)?,
        None => Vec::new(),
    };
    let rows = stored.iter().zip(payloads).map(|(row, payload)| {
        let entry = row.entry();
        let run = entry.as_ref().map(|entry| entry.run_id.clone()).unwrap_or_default();
        let about = known.entry(run).or_insert_with_key(|run| app.about_run(run));
        let mut shown = view(row, entry.as_ref(), about.as_ref());
        shown.sealed = sealed.contains(&row.seq);
        shown.payload = payload.map(|payload| state(payload.state));
        shown
    });
    Ok(rows.collect())
}

fn state(state: PayloadState) -> AuditPayloadState {
    match state {
        PayloadState::Kept => AuditPayloadState::Kept,
        PayloadState::Erased => AuditPayloadState::Erased,
        PayloadState::Lost => AuditPayloadState::Lost,
        PayloadState::Changed => AuditPayloadState::Changed,
    }
}

/// What is kept apart, as people see it: masked.
pub(crate) fn apart(payload: Payload) -> AuditApart {
    AuditApart {
        kind: match payload.part {
            PayloadPart::Snapshot => AuditApartKind::Snapshot,
            PayloadPart::Decision => AuditApartKind::Decision,
        },
        state: state(payload.state),
        sealed_hash: payload.sealed,
        found_hash: payload.found,
        told_by: payload.told_by,
        value: payload.data.map(|value| Masks::default().value(&value)),
    }
}

/// One row. An entry that cannot be read is shown as such; a verification says what is wrong with it.
fn view(row: &Stored, entry: Option<&Entry>, about: Option<&About>) -> AuditRow {
    let Some(entry) = entry else {
        return AuditRow {
            seq: row.seq,
            timestamp: String::new(),
            level: Level::Critical,
            event: "UNREADABLE".into(),
            actor: AuditActor { kind: "system".into(), id: None, role: None },
            workflow_id: None,
            workflow_name: None,
            run_id: String::new(),
            node_id: String::new(),
            node_title: None,
            summary: "This entry cannot be read: verify the chain".into(),
            signed: row.signature.is_some(),
            hash: row.hash.clone(),
            prev_hash: String::new(),
            sealed: false,
            payload: None,
        };
    };
    let title = about.and_then(|about| about.step(entry));
    AuditRow {
        seq: row.seq,
        timestamp: entry.timestamp.clone(),
        level: Level::parse(entry.level.as_str()).unwrap_or(Level::Critical),
        event: entry.event.clone(),
        actor: AuditActor {
            kind: entry.actor.kind.as_str().to_owned(),
            id: entry.actor.id.clone(),
            role: entry.actor.role.clone(),
        },
        workflow_id: about.map(|about| about.workflow_id.clone()),
        workflow_name: about.map(|about| about.workflow_name.clone()),
        run_id: entry.run_id.clone(),
        node_id: entry.node_id.clone(),
        node_title: title.map(str::to_owned),
        summary: seen(entry, &describe::of_entry(entry, title)),
        signed: row.signature.is_some(),
        hash: row.hash.clone(),
        prev_hash: entry.prev_hash.to_hex(),
        sealed: false,
        payload: None,
    }
}

fn relation(entry: &Entry) -> Option<AuditRelation> {
    use AuditEvent as Event;
    Some(match Event::parse(&entry.event)? {
        Event::NodeError => AuditRelation::Error,
        Event::ErrorHandlerInvoked => AuditRelation::Rule,
        Event::RetryScheduled => AuditRelation::Retry,
        Event::AutoFixAttempt => AuditRelation::Heal,
        Event::HitlCreated | Event::HitlCompleted | Event::Escalated | Event::CorrectionSuggested => {
            AuditRelation::Human
        }
        Event::NodeSuccess | Event::WorkflowCompleted => AuditRelation::Outcome,
        _ => return None,
    })
}

fn fact<'a>(entry: &'a Entry, name: &str) -> Option<&'a str> {
    entry.metadata.as_ref()?.get(name)?.as_str()
}

/// The step whose failure an entry is about: the one that it names, else its own.
fn origin(entry: &Entry) -> &str {
    fact(entry, "originStepId").unwrap_or(&entry.node_id)
}

/// From the error to its outcome: the entries of the same run that are about the failures of the same steps.
pub(crate) fn related(app: &App, entry: &Entry) -> ApiResult<Vec<AuditRelated>> {
    let query = AuditQuery { run: Some(entry.run_id.clone()), limit: RELATED, ..AuditQuery::default() };
    let page = app.store.audit_page(&query)?;
    let all: Vec<(u64, Entry)> = page.rows.iter().rev().filter_map(|row| Some((row.seq, row.entry()?))).collect();
    let task = |other: &Entry| fact(other, "taskId").map(str::to_owned);
    let of_task = task(entry);
    let mut origins: BTreeSet<&str> = [origin(entry)].into();
    // A decision names its task; who asked for it names the failure. A step that only recovers is about those of others.
    let leads = |other: &Entry| match &of_task {
        Some(of_task) => task(other).as_ref() == Some(of_task),
        None => fact(entry, "originStepId").is_none() && other.node_id == entry.node_id && other.node_id != RUN_LEVEL,
    };
    origins.extend(all.iter().filter(|(_, other)| leads(other)).map(|(_, other)| origin(other)));
    let tasks: BTreeSet<String> =
        all.iter().filter(|(_, other)| origins.contains(origin(other))).filter_map(|(_, other)| task(other)).collect();
    let about = app.about_run(&entry.run_id);
    let label = |other: &Entry| describe::of_entry(other, about.as_ref().and_then(|about| about.step(other)));
    let whole = entry.node_id == RUN_LEVEL;
    let errors = all.iter().filter(|(_, other)| other.event == AuditEvent::NodeError.as_str());
    let had_errors: BTreeSet<&str> = errors.map(|(_, other)| other.node_id.as_str()).collect();
    Ok(all
        .iter()
        .filter_map(|(seq, other)| {
            let kind = relation(other)?;
            // A success says something only where there was an error.
            let fits = match AuditEvent::parse(&other.event) {
                Some(AuditEvent::WorkflowCompleted) => true,
                Some(AuditEvent::NodeSuccess) => {
                    let node = other.node_id.as_str();
                    had_errors.contains(node) && (whole || origins.contains(node))
                }
                _ => whole || origins.contains(origin(other)) || task(other).is_some_and(|task| tasks.contains(&task)),
            };
            let accepted = other.metadata.as_ref().and_then(|facts| facts.get("accepted")) == Some(&Value::Bool(true));
            let failed = kind == AuditRelation::Error || (kind == AuditRelation::Heal && !accepted);
            fits.then(|| AuditRelated { seq: *seq, event: other.event.clone(), label: label(other), kind, failed })
        })
        .collect())
}

/// A summary as it may be seen. The name of the actor, with which it begins, is in the entry anyway: it may be an address.
fn seen(entry: &Entry, summary: &str) -> String {
    let who = entry.actor.id.as_deref().map(describe::person).unwrap_or_default();
    match summary.strip_prefix(&who) {
        Some(rest) => format!("{who}{}", Masks::default().text(rest)),
        None => Masks::default().text(summary),
    }
}
