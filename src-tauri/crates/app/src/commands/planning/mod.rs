//! Drafts of workflows by a model (ADR 103): carries out what the pure loop of `signalbox_planner` asks for.

mod ask;
mod author;
mod explain;
mod expression;
mod session;
mod trial;

pub use author::{AuthorTool, author_tools};
pub(crate) use expression::{expression_ask, expression_cancel};
pub(crate) use session::{plan_cancel, plan_explain, plan_forget, plan_get, plan_settle, plan_start, plan_try};

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{CallerRole, ModelKind};
use crate::error::{ApiError, ApiResult, Class};
use crate::workflows::{canonical, check};
use serde::Serialize;
use serde_json::{Value, json};
use signalbox_engine::Catalog;
use signalbox_engine::validate::check_bytes;
use signalbox_model::AuditEvent;
use signalbox_model::hash::sha256_hex;
use signalbox_planner::{
    Attempt, Call, Checker, Draft, Effect, Event, Finding, IntentChange, Outcome, Plan, Question, Usage,
    from_diagnostics, plan, tokens,
};
use signalbox_store::audit::Level;
use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use trial::Trials;

/// Longest request, characters.
const MAX_REQUEST: usize = 20_000;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct PlanRequest {
    /// What the workflow should do, in words.
    pub text: String,
    /// A person agrees that the draft is tried: its reads are run for real.
    pub tries: bool,
    /// Steps that write and that a person allows to be run for real.
    pub allowed: BTreeSet<String>,
    /// A provider that is not registered: its API and address. The default model of the machine when absent.
    pub provider: Option<(ModelKind, String)>,
    /// The model; that of the provider when absent.
    pub model: Option<String>,
    /// Somebody watches the draft being written.
    pub watched: bool,
}

/// What happens while a plan is made.
#[derive(Debug, Clone, Copy)]
pub enum PlanProgress<'a> {
    /// The model is asked; the question has at most so many tokens.
    Asking(&'a Question, usize),
    /// The draft is tried with these calls.
    Trying(&'a [Call]),
    /// The draft as far as the model has written it.
    Writing(&'a Draft),
    /// Where the plan stands after an event.
    Stands(&'a Plan),
}

/// A plan that is over.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanReport {
    /// How it ended.
    pub outcome: Outcome,
    /// Why, in plain words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The last valid draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<Value>,
    /// The tries.
    pub attempts: Vec<Attempt>,
    /// What is wrong with the last answer, when there is no valid draft.
    pub findings: Vec<Finding>,
    /// What the corrections changed of what was asked for.
    pub intent_changes: Vec<IntentChange>,
    /// What a try calls, and how.
    pub calls: Vec<Call>,
    /// Steps that could not be checked because they follow from a sample.
    pub unchecked: Vec<String>,
    /// The step at which the last try waited for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_at: Option<String>,
    /// The runs of the tries.
    pub runs: Vec<String>,
    /// What it cost.
    pub usage: Usage,
}

/// What a plan is about, for the audit chain.
#[derive(Debug, Clone, Copy, Default)]
struct PlanPlace<'a> {
    /// Hash of the definition before.
    before: Option<&'a str>,
    /// The new file.
    file: Option<&'a Path>,
}

/// The validator of the engine.
struct Validator;

impl Checker for Validator {
    fn catalog(&self) -> &Catalog {
        check::catalog()
    }

    fn check(&self, document: &Value) -> Vec<Finding> {
        let checked = check_bytes(document.to_string().as_bytes(), check::catalog());
        from_diagnostics(document, &checked.diagnostics, check::catalog())
    }
}

/// A request without the space around it; refused when it is empty or too long.
fn fitting_text(text: &str) -> ApiResult<&str> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > MAX_REQUEST {
        let message = format!("A request has 1 to {MAX_REQUEST} characters.");
        return Err(ApiError::bad_request(message, "Say in a few sentences what the workflow should do."));
    }
    Ok(text)
}

impl App {
    /// Has a model draft a workflow; nothing is saved. `stopped` ends it early, with the last valid draft.
    pub async fn plan_workflow(
        self: &Arc<Self>,
        caller: &Caller,
        request: PlanRequest,
        progress: &(dyn Fn(PlanProgress<'_>) + Send + Sync),
        stopped: impl Future<Output = ()> + Send,
    ) -> ApiResult<PlanReport> {
        caller.require(CallerRole::Builder)?;
        let text = fitting_text(&request.text)?;
        if request.provider.is_none() {
            self.has_model()?;
        }
        let plan = Plan::new(text, request.tries);
        let report = Box::pin(self.drive_plan(caller, &request, plan, progress, stopped)).await?;
        self.record_plan(caller, AuditEvent::PlanProposed, &report, PlanPlace::default()).await?;
        Ok(report)
    }

    /// Carries out what the loop asks for until the plan is over.
    async fn drive_plan(
        self: &Arc<Self>,
        caller: &Caller,
        request: &PlanRequest,
        mut state: Plan,
        progress: &(dyn Fn(PlanProgress<'_>) + Send + Sync),
        stopped: impl Future<Output = ()> + Send,
    ) -> ApiResult<PlanReport> {
        let mut trials = Trials::new(Arc::clone(self), caller.clone(), request.allowed.clone());
        let mut events = VecDeque::from([Event::Started]);
        let mut stopped = pin!(stopped);
        while let Some(event) = events.pop_front() {
            let before = state;
            let (next, effects) = self.blocking(move |_| Ok(plan(before, &event, &Validator))).await?;
            state = next;
            progress(PlanProgress::Stands(&state));
            for effect in effects {
                let event = match effect {
                    Effect::Finish(_) => continue,
                    Effect::Ask(question) => {
                        progress(PlanProgress::Asking(&question, tokens(&question.system) + tokens(&question.text)));
                        tokio::select! {
                            biased;
                            () = &mut stopped => Event::Cancelled,
                            answered = self.ask_planner(request, &question, state.draft.as_ref(), progress) => answered?,
                        }
                    }
                    Effect::Try(wanted) => {
                        tokio::select! {
                            biased;
                            () = &mut stopped => Event::Cancelled,
                            tried = trials.attempt(wanted, progress) => tried?,
                        }
                    }
                };
                if event == Event::Cancelled {
                    trials.cancel().await;
                }
                events.push_back(event);
            }
        }
        trials.cancel().await;
        Ok(PlanReport {
            outcome: state.outcome.unwrap_or(Outcome::Invalid),
            workflow: state.document(check::catalog()),
            calls: trials.calls(),
            unchecked: trials.unchecked(),
            waits_at: trials.waits_at(),
            runs: trials.runs(),
            reason: state.reason,
            attempts: state.attempts,
            findings: state.findings,
            intent_changes: state.intent,
            usage: state.usage,
        })
    }

    /// Saves the draft of a plan as a new file: an existing one is never replaced.
    pub async fn save_plan(self: &Arc<Self>, caller: &Caller, report: &PlanReport, file: &Path) -> ApiResult<()> {
        let Some(document) = &report.workflow else {
            return Err(ApiError::bad_request("The plan has no valid draft.", "Nothing was saved."));
        };
        let (text, path) = (canonical::print(document), file.to_owned());
        self.blocking(move |_| {
            use std::io::Write;
            let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
            let written = made.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
            written.map_err(|error| {
                let message = format!("{} was not written: {error}.", path.display());
                ApiError::new(Class::Conflict, "IO_ERROR", message, "Name a new file with --out.")
            })
        })
        .await?;
        let place = PlanPlace { file: Some(file), ..PlanPlace::default() };
        self.record_plan(caller, AuditEvent::PlanAccepted, report, place).await
    }

    /// Who had what planned, and what came of it: hashes of the request and the definition, not their texts.
    async fn record_plan(
        self: &Arc<Self>,
        caller: &Caller,
        event: AuditEvent,
        report: &PlanReport,
        place: PlanPlace<'_>,
    ) -> ApiResult<()> {
        let hash = report.workflow.as_ref().map(|document| sha256_hex(canonical::print(document).as_bytes()));
        let facts = json!({
            "workflowId": report.workflow.as_ref().map(|document| &document["id"]),
            "name": report.workflow.as_ref().map(|document| &document["name"]),
            // A plan that makes a new workflow has no definition before it.
            "before": place.before,
            "after": hash,
            "outcome": report.outcome,
            "corrections": report.attempts.iter().filter(|attempt| !attempt.changes.is_empty()).count(),
            "runs": report.runs,
            "tokens": report.usage.input_tokens + report.usage.output_tokens,
            "file": place.file.and_then(Path::file_name).map(|name| name.to_string_lossy()),
        });
        let record = self.fact(event, Level::Info, caller.actor(), caller.signed(facts));
        self.blocking(move |app| {
            app.store.audit_append(record, None, true)?;
            Ok(())
        })
        .await
    }

    fn has_model(&self) -> ApiResult<()> {
        if self.models_now()?.default.is_some() {
            return Ok(());
        }
        Err(ApiError::new(
            // Nothing changes by itself, so no client should try again.
            Class::Conflict,
            "NO_MODEL",
            "There is no default model on this machine, and a plan needs one.",
            "Find model servers with `signalbox models discover`, add one with `signalbox models set NAME --kind KIND --url URL`, \
             and choose it with `signalbox models default NAME MODEL`. Or name one with --provider KIND=URL --model NAME.",
        ))
    }
}
