//! Trying a draft: a run with reads for real and samples for writes. A corrected draft goes on at the step that failed, so that
//! no read before it is repeated (K-46).

use super::PlanProgress;
use crate::app::App;
use crate::caller::Caller;
use crate::commands::run_rerun;
use crate::dto::{RerunDefinition, RunRerun};
use crate::error::{ApiError, ApiResult};
use crate::runs::new_run::NewRun;
use crate::workflows::check;
use serde_json::Value;
use signalbox_model::{EventBody, RunEvent, RunOrigin, RunStatus, Workflow};
use signalbox_planner::{
    Call, Category, Event, Issue, Recorded, Trial, body_error, calls, issue_of_error, issue_of_result,
    missing_references, not_consented, resume_from, trial_document,
};
use signalbox_runtime::StartOutcome;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Longest try.
const LIMIT: Duration = Duration::from_secs(180);
/// Kinds that call a service whose answer may hold an error.
const SERVICES: [&str; 3] = ["a2a.agent", "http.request", "mcp.tool"];
/// Events of one read.
const PAGE: usize = 500;
/// Events of a try that are looked at.
const MOST_EVENTS: usize = 20_000;

/// The run of the last try.
#[derive(Debug, Clone)]
struct Last {
    run_id: String,
    workflow: Workflow,
    failed: BTreeSet<String>,
}

/// The tries of one plan.
pub(super) struct Trials {
    app: Arc<App>,
    caller: Caller,
    allowed: BTreeSet<String>,
    /// What a person agreed to: the calls of the first draft that was tried.
    agreed: Option<Vec<Call>>,
    last: Option<Last>,
    runs: Vec<String>,
    unchecked: BTreeSet<String>,
    waits_at: Option<String>,
    /// The run that may be under way when a person stops the plan.
    open: Mutex<Option<String>>,
}

/// What a run left.
#[derive(Default)]
struct Seen {
    recorded: Recorded,
    issues: Vec<Issue>,
    waits_at: Option<String>,
}

impl Trials {
    pub(super) fn new(app: Arc<App>, caller: Caller, allowed: BTreeSet<String>) -> Self {
        Self {
            app,
            caller,
            allowed,
            agreed: None,
            last: None,
            runs: Vec::new(),
            unchecked: BTreeSet::new(),
            waits_at: None,
            open: Mutex::default(),
        }
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.agreed.clone().unwrap_or_default()
    }

    pub(super) fn runs(&self) -> Vec<String> {
        self.runs.clone()
    }

    pub(super) fn unchecked(&self) -> Vec<String> {
        self.unchecked.iter().cloned().collect()
    }

    pub(super) fn waits_at(&self) -> Option<String> {
        self.waits_at.clone()
    }

    /// Ends a run that is still open: one that a person stopped, or that waits for a person.
    pub(super) async fn cancel(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(run_id) = open else { return };
        let (caller, id) = (self.caller.clone(), run_id.clone());
        // It may have ended meanwhile.
        if self.app.blocking(move |app| app.cancel(&caller, &id)).await.is_ok() {
            drop(self.app.wait_cancelled(run_id).await);
        }
    }

    pub(super) async fn attempt(
        &mut self,
        wanted: Trial,
        progress: &(dyn Fn(PlanProgress<'_>) + Send + Sync),
    ) -> ApiResult<Event> {
        let number = wanted.number;
        match self.attempted(&wanted.document, progress).await {
            Ok(issues) => Ok(Event::Tried { trial: number, issues }),
            // The draft cannot be started here; that is no fault of this program.
            Err(error) => Ok(Event::NotTried { trial: number, message: format!("{} {}", error.message, error.hint) }),
        }
    }

    async fn attempted(
        &mut self,
        document: &Value,
        progress: &(dyn Fn(PlanProgress<'_>) + Send + Sync),
    ) -> ApiResult<Vec<Issue>> {
        let drafted = crate::runs::lifecycle::whole(document)?;
        let now = calls(&drafted, check::catalog(), &self.allowed);
        if let Some(unknown) = self.allowed.iter().find(|step| !drafted.nodes.contains_key(*step)) {
            let message = format!("The draft has no step '{unknown}' that could be allowed to write.");
            return Err(ApiError::bad_request(
                message,
                "Leave --allow-write out, look at the steps of the draft, then allow one.",
            ));
        }
        match &self.agreed {
            None => self.agreed = Some(now.clone()),
            Some(agreed) => {
                if let Some(call) = not_consented(agreed, &now).first() {
                    let message = format!(
                        "The corrected draft would call {} in the step '{}', which was not agreed to; it was not tried.",
                        call.target, call.step
                    );
                    return Err(ApiError::bad_request(message, "Plan again, or look at the draft yourself."));
                }
            }
        }
        progress(PlanProgress::Trying(&now));
        let (trial, samples) = trial_document(document, &drafted, check::catalog(), &self.allowed);
        let workflow = crate::runs::lifecycle::whole(&trial)?;
        let run_id = self.start(trial, &workflow).await?;
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(run_id.clone());
        self.runs.push(run_id.clone());
        let services = drafted.nodes.iter().filter(|(_, node)| SERVICES.contains(&node.kind.as_str()));
        let services = services.map(|(id, _)| id.clone()).collect();
        let status = tokio::time::timeout(LIMIT, self.app.runtime.wait(&run_id)).await;
        let seen = self.seen(run_id.clone(), samples.clone(), services).await?;
        let mut issues = seen.issues;
        match status {
            Err(_) => {
                self.cancel().await;
                let message = format!("The try took longer than {} seconds", LIMIT.as_secs());
                issues.push(Issue::new("", Category::Timeout, "TIMEOUT", &message, false));
            }
            Ok(ended) => {
                if ended? != RunStatus::Paused {
                    self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
                }
            }
        }
        self.waits_at = seen.waits_at;
        issues.extend(missing_references(&drafted, check::catalog(), &seen.recorded));
        // What follows from a sample says nothing about the real service.
        let (unsure, issues): (Vec<Issue>, Vec<Issue>) = issues.into_iter().partition(|issue| {
            let of_data = matches!(
                issue.category,
                Category::MissingPath | Category::MissingReference | Category::Expression | Category::Arguments
            );
            of_data && follows_from(&workflow, &issue.step, &samples)
        });
        self.unchecked = unsure.into_iter().map(|issue| issue.step).collect();
        let failed = issues.iter().map(|issue| issue.step.clone()).collect();
        self.last = Some(Last { run_id, workflow, failed });
        Ok(issues)
    }

    /// A new run, or one that goes on where the last one failed.
    async fn start(&self, trial: Value, workflow: &Workflow) -> ApiResult<String> {
        let caller = self.caller.clone();
        let from = self.last.as_ref().and_then(|last| {
            let from = resume_from(&last.workflow, workflow, &last.failed)?;
            Some((last.run_id.clone(), from))
        });
        self.app
            .blocking(move |app| {
                let Some((run_id, from)) = from else {
                    let origin = RunOrigin { trial: true, ..caller.origin(None) };
                    let new = NewRun { origin, ..NewRun::default() };
                    return Ok(match app.start_document(trial, None, new, None)? {
                        StartOutcome::New(id) | StartOutcome::Queued(id) | StartOutcome::Existing(id) => id,
                    });
                };
                let request = RunRerun {
                    run_id,
                    step_id: from,
                    overrides: serde_json::Map::new(),
                    input: None,
                    until: None,
                    definition: RerunDefinition::Current,
                    document: Some(trial),
                    keep_answers: false,
                    client_run_token: None,
                    breakpoints: Vec::new(),
                    seen: None,
                    pins: None,
                };
                Ok(run_rerun(app, &caller, request)?.run_id)
            })
            .await
    }

    /// `services`: steps whose answers may tell of an error although they succeeded.
    async fn seen(&self, run_id: String, samples: BTreeSet<String>, services: BTreeSet<String>) -> ApiResult<Seen> {
        self.app
            .blocking(move |app| {
                let mut seen = Seen::default();
                seen.recorded.stubs = samples;
                let mut after = 0;
                while after < MOST_EVENTS as u64 {
                    let page = app.store.events(&run_id, after, PAGE)?;
                    let Some(last) = page.last().and_then(|event| event.seq) else { break };
                    page.iter().for_each(|event| seen.take(event, true));
                    after = last;
                }
                let real = |step: &String| services.contains(step) && !seen.recorded.stubs.contains(step);
                let called = seen.recorded.outputs.iter().filter(|((step, _), _)| real(step));
                let told: Vec<Issue> = called
                    .filter_map(|((step, port), value)| {
                        let answer = value.get("response").unwrap_or(value);
                        if port != "success" {
                            return None;
                        }
                        if let Some(issue) = issue_of_result(step, value) {
                            return Some(issue);
                        }
                        let words = body_error(answer)?;
                        Some(Issue::new(step, Category::ErrorInBody, "API_ERROR_IN_BODY", &words, false))
                    })
                    .collect();
                seen.issues.extend(told);
                Ok(seen)
            })
            .await
    }
}

impl Seen {
    /// `own`: of this run, not of the one that it goes on from.
    fn take(&mut self, event: &RunEvent, own: bool) {
        let step = event.step_id.clone().unwrap_or_default();
        let inside = event.path.as_deref().is_some_and(|path| !path.is_empty());
        match &event.body {
            EventBody::WorkflowStart(start) => {
                start.base.iter().flat_map(|base| &base.events).for_each(|event| self.take(event, false));
            }
            EventBody::StepStart(_) => _ = self.recorded.called.insert(step),
            EventBody::StepSkipped(_) => _ = self.recorded.called.insert(step),
            EventBody::StepDone(done) => {
                for (port, items) in done.items.iter().filter(|_| !inside) {
                    if let Some(data) = items.data(0) {
                        self.recorded.outputs.insert((step.clone(), port.clone()), (*data).clone());
                    }
                }
                self.recorded.called.insert(step);
            }
            EventBody::StepError(failed) if own && failed.held.is_none() => {
                self.issues.push(issue_of_error(&step, &failed.error));
                self.recorded.called.insert(step);
            }
            EventBody::HumanTaskCreated(_) => self.waits_at = Some(step),
            _ => {}
        }
    }
}

/// Whether a step comes after one of these.
fn follows_from(workflow: &Workflow, step: &str, others: &BTreeSet<String>) -> bool {
    let (mut open, mut seen) = (vec![step], BTreeSet::from([step]));
    while let Some(next) = open.pop() {
        let parent = workflow.nodes.get(next).and_then(|node| node.parent.as_deref());
        let before = workflow.edges.iter().filter(|edge| edge.to == next).map(|edge| edge.from.node());
        for id in before.chain(parent) {
            if others.contains(id) {
                return true;
            }
            if seen.insert(id) {
                open.push(id);
            }
        }
    }
    false
}
