//! A workflow as the source of a `trigger.poll`: it runs as a run of its own, and the items that the run puts out are the items of the
//! source. Which run was asked is written down before it starts and forgotten in the transaction that takes its items, so a crash
//! neither loses what a run has put out nor runs the source a second time.

use super::error::{Class, TriggerError, TriggerResult};
use super::host::{TriggerHost, TriggeredRun};
use super::poll_source::Poll;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_engine::catalog::Catalog;
use signalbox_engine::validate::{Called, called_by};
use signalbox_engine::{BY_TRIGGER, config};
use signalbox_model::run_origin::{BY_REST, RunOrigin};
use signalbox_model::{Map, NodeFailure, RunStatus, RunSummary, Workflow, time};
use signalbox_store::{RunKey, TriggerRow};
use std::sync::Arc;

/// Whose keys these starts have.
const SCOPE: &str = "trigger.poll";
/// The run has not ended: its items come later.
pub(crate) const NOT_ENDED: &str = "SOURCE_NOT_ENDED";

/// The run of a source whose items were not taken yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    /// The source and key expression that it was asked for.
    of: String,
    /// Names the start: sent again, it gives the same run.
    key: String,
    /// Absent until the run was started.
    run: Option<String>,
}

impl Pending {
    pub(crate) fn new(trigger: &str, poll: &Poll, now_ms: i64) -> Self {
        Self { of: poll.namespace(), key: format!("{trigger} {}", time::format(now_ms)), run: None }
    }

    /// What is kept beside the keys of the trigger; none for another source.
    pub(crate) fn read(text: &str, poll: &Poll) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|pending: &Self| pending.of == poll.namespace())
    }

    pub(crate) fn text(&self) -> String {
        json!(self).to_string()
    }

    pub(crate) fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    pub(crate) fn started(self, run: String) -> Self {
        Self { run: Some(run), ..self }
    }

    fn run_key(&self) -> RunKey {
        RunKey { scope: SCOPE.to_owned(), key: self.key.clone(), request_hash: String::new() }
    }
}

impl Poll {
    /// The params of the workflow that is the source.
    fn source_params(&self, workflow: &Workflow, cursor: Value) -> Result<Map, NodeFailure> {
        let params = self.config["source"].get("params").cloned().unwrap_or_default();
        let made = config::evaluate(&params, None, &Self::scope(workflow, cursor))
            .map_err(|error| error.failure("source/params"))?;
        Ok(made.as_object().cloned().unwrap_or_default())
    }
}

/// The workflow that is the source, with the sub-workflows that it runs.
fn source_of(id: &str, called: &Called, catalog: &Catalog) -> Result<(Workflow, Called), NodeFailure> {
    let missing = || NodeFailure::validation("UNKNOWN_WORKFLOW", format!("The workflow '{id}' is not there"));
    let file = called.files.get(id).ok_or_else(missing)?;
    let mut own = Called { connectors: called.connectors.clone(), ..Called::default() };
    let mut todo = called_by(file, catalog);
    while let Some(next) = todo.pop() {
        if let Some(file) = called.files.get(next).filter(|_| !own.files.contains_key(next)) {
            todo.extend(called_by(file, catalog));
            own.files.insert(next.to_owned(), Arc::clone(file));
        }
    }
    Ok((Workflow::clone(file), own))
}

/// A start that was refused, like any other failure of the source.
fn refusal(error: TriggerError) -> TriggerResult<NodeFailure> {
    if error.class == Class::Unavailable {
        return Err(error);
    }
    Ok(NodeFailure::tool(&error.code, error.message))
}

impl dyn TriggerHost + '_ {
    /// The run of a source: the one that was started before for the same question, or a new one.
    pub(crate) fn start_source(
        &self,
        row: &TriggerRow,
        poll: &Poll,
        (workflow, called): &(Workflow, Called),
        pending: &Pending,
        cursor: Value,
    ) -> TriggerResult<Result<String, NodeFailure>> {
        let key = pending.run_key();
        if let Some(before) = self.started_before(&key)? {
            return Ok(Ok(before));
        }
        let started_by = if row.here { BY_TRIGGER } else { BY_REST };
        let origin = RunOrigin { started_by: Some(started_by.to_owned()), ..RunOrigin::default() };
        self.start_source_run(poll, workflow, called, cursor, origin, Some(key))
    }

    /// Starts a run of the workflow that is the source.
    pub fn start_source_run(
        &self,
        poll: &Poll,
        workflow: &Workflow,
        called: &Called,
        cursor: Value,
        origin: RunOrigin,
        key: Option<RunKey>,
    ) -> TriggerResult<Result<String, NodeFailure>> {
        let id = poll.source_workflow().unwrap_or_default();
        let asked = poll
            .source_params(workflow, cursor)
            .and_then(|params| Ok((params, source_of(id, called, &self.runtime().registry().catalog)?)));
        let (params, (source, own)) = match asked {
            Ok(asked) => asked,
            Err(failure) => return Ok(Err(failure)),
        };
        let run = TriggeredRun { params, origin, key, fired: None };
        match self.start(source, own, run) {
            Ok(started) => Ok(Ok(started.run_id())),
            Err(error) => Ok(Err(refusal(error)?)),
        }
    }

    /// What the run of a source lists, as the answer of an address: `{runId, response}`.
    pub fn source_output(&self, run: &str) -> TriggerResult<Result<Value, NodeFailure>> {
        let summary: RunSummary = match self.summary_now(run) {
            Ok(summary) => summary,
            Err(error) if error.class == Class::Unavailable => return Err(error),
            Err(error) => return Ok(Err(NodeFailure::tool(&error.code, format!("Its run {run}: {}", error.message)))),
        };
        Ok(match (summary.status, summary.error) {
            (RunStatus::Completed, _) => Ok(json!({ "runId": run, "response": summary.output })),
            (RunStatus::Failed, Some(error)) => {
                let code =
                    error.details.as_ref().and_then(|details| details.get("code")?.as_str()).unwrap_or("RUN_FAILED");
                Err(NodeFailure::new(error.error_type, code, format!("Its run {run} failed: {}", error.message)))
            }
            (RunStatus::Failed, None) => Err(NodeFailure::tool("RUN_FAILED", format!("Its run {run} failed"))),
            (RunStatus::Cancelled, _) => {
                Err(NodeFailure::tool("RUN_CANCELLED", format!("Its run {run} was cancelled")))
            }
            _ => {
                let words = format!("Its run {run} has not ended, because it waits for a person for example");
                Err(NodeFailure::tool(NOT_ENDED, words))
            }
        })
    }
}
