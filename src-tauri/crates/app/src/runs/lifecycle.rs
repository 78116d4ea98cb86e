//! What hosts do with runs besides the command list: start, follow, wait, resume, shut down.

use crate::app::App;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult, Class};
use crate::runs::debugging::watched;
use crate::runs::new_run::NewRun;
use crate::workflows::library::load;
use crate::workflows::{check, faults, pins};
use serde_json::{Value, json};
use signalbox_engine::json::parse;
use signalbox_engine::until::{self, UntilError};
use signalbox_engine::validate::{Called, check_bytes, check_called};
use signalbox_engine::{Compiled, imported_checkpoint, params, summary};
use signalbox_model::run_origin::{BY_REST, RunOrigin};
use signalbox_model::spans::parts;
use signalbox_model::wire::WireEvent;
use signalbox_model::{AuditEvent, Diagnostic, EventBody, RunEvent, RunStatus, RunSummary, Workflow, time};
use signalbox_runtime::{Kept, Origin, Phase, StartOutcome, Subscription, definition, pinned_files, state};
use signalbox_store::audit::{Actor, Level, Record};
use signalbox_store::{Firing, RunKey, RunRow};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A summary for somebody who prints it.
#[derive(Debug)]
pub struct Told {
    /// All but what the run put out.
    pub summary: Value,
    /// All of it: compact JSON.
    pub text: String,
}

impl Told {
    fn new(text: String) -> Self {
        let fields = parts(&text).filter_map(|part| Some((part.read_name()?, part.value)));
        let read = |(name, value): (String, &str)| {
            let value = if name == "output" { None } else { serde_json::from_str(value).ok() };
            value.map(|value| (name, value))
        };
        Self { summary: Value::Object(fields.filter_map(read).collect()), text }
    }

    /// What the run put out: each the text of a value.
    pub fn output(&self) -> impl Iterator<Item = &str> {
        let output = parts(&self.text).find(|part| part.name == Some("\"output\""));
        output.into_iter().flat_map(|output| parts(output.value)).map(|part| part.value)
    }
}

/// Events of one read.
const PAGE: usize = 500;
/// How long a cancel is waited for; calls under way get five seconds.
const CANCEL_WAIT: Duration = Duration::from_secs(8);

/// Most letters of a client's token: it stands in each event of its run.
const TOKEN: usize = 256;

/// A client's own word for the run it starts (T-13).
pub(crate) fn run_token(token: Option<String>) -> ApiResult<Option<String>> {
    match token {
        Some(token) if token.chars().count() > TOKEN => Err(ApiError::bad_request(
            format!("clientRunToken is longer than {TOKEN} characters."),
            "Send a shorter one: it is repeated in each event of the run.",
        )),
        token => Ok(token),
    }
}

impl App {
    /// Starts a run of a file; the library is not touched.
    pub async fn start_file(self: &Arc<Self>, file: PathBuf, new: NewRun) -> ApiResult<StartOutcome> {
        self.blocking(move |app| {
            let loaded = load(&file)?;
            let (document, diagnostics) = check::readable(&loaded.bytes)?;
            let key = new.run_key(&json!({ "id": document["id"] }));
            if let Some(before) = app.started_before(key.as_ref())? {
                return Ok(before);
            }
            check::runnable(&diagnostics)?;
            app.start_document(document, Some(&file), new, key)
        })
        .await
    }

    /// Starts a run of a stored workflow, not by a person on this machine.
    pub async fn start_stored(self: &Arc<Self>, id: String, new: NewRun) -> ApiResult<StartOutcome> {
        self.blocking(move |app| {
            let key = new.run_key(&json!({ "id": id }));
            if let Some(before) = app.started_before(key.as_ref())? {
                return Ok(before);
            }
            let path = app.by_id(&id)?;
            let loaded = load(&path)?;
            let (document, diagnostics) = check::readable(&loaded.bytes)?;
            check::runnable(&diagnostics)?;
            let origin = RunOrigin { started_by: Some(BY_REST.to_owned()), ..new.origin };
            let new = NewRun { origin, ..new };
            app.start_document(document, Some(&path), new, key)
        })
        .await
    }

    /// A checkpoint of another program from a file, as strict JSON.
    pub async fn read_checkpoint(self: &Arc<Self>, file: PathBuf) -> ApiResult<Value> {
        self.blocking(move |_| {
            let loaded = load(&file)?;
            let text = std::str::from_utf8(&loaded.bytes).map_err(|_| {
                ApiError::bad_request(format!("{} is no UTF-8 text.", file.display()), "Give a file with JSON.")
            })?;
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            parse(text).map_err(|error| {
                let message = format!("{} is not JSON: {error}.", file.display());
                ApiError::new(Class::Invalid, "BAD_JSON", message, "Correct the file at this place.")
            })
        })
        .await
    }

    /// What keeps the secrets that a file names from being sent, and which of its tools and skills cannot be used; nothing when it cannot be read.
    pub async fn machine_warnings(self: &Arc<Self>, file: PathBuf) -> ApiResult<Vec<Diagnostic>> {
        self.blocking(move |app| {
            let workflow = load(&file).ok().and_then(|loaded| check_bytes(&loaded.bytes, check::catalog()).workflow);
            let found = |workflow| {
                let machine =
                    [app.secret_findings(&workflow), app.tool_findings(&workflow), app.skill_findings(&workflow)];
                [machine.concat(), app.grant_findings(&workflow)].concat()
            };
            Ok(workflow.map(found).unwrap_or_default())
        })
        .await
    }

    /// The folders that a file's steps use and nobody allowed on this machine; nothing when it cannot be read.
    pub fn folder_warnings(&self, file: &Path) -> Vec<Diagnostic> {
        let workflow = load(file).ok().and_then(|loaded| check_bytes(&loaded.bytes, check::catalog()).workflow);
        workflow.map(|workflow| self.grant_findings(&workflow)).unwrap_or_default()
    }

    /// Starts a run of a document; `file` is where it stands. On a thread that may wait.
    pub(crate) fn start_document(
        &self,
        document: Value,
        file: Option<&Path>,
        new: NewRun,
        key: Option<RunKey>,
    ) -> ApiResult<StartOutcome> {
        let mut workflow = whole(&document)?;
        let called = self.called(&workflow, file)?;
        if new.pinned {
            let file = file.ok_or_else(|| {
                ApiError::bad_request("A run with pinned outputs needs the workflow's file.", "Send `ref`, too.")
            })?;
            pins::put_into(&mut workflow, &pins::load(file)?)?;
        }
        let mut new = new;
        let scrubber = self.secrets.vault.scrubber();
        let results = new.faults.values_mut().filter_map(|fault| fault.output.as_mut());
        results.flat_map(|output| output.values_mut()).flatten().for_each(|data| {
            scrubber.value(data);
        });
        faults::put_into(&mut workflow, &new.faults)?;
        self.start_workflow(workflow, called, new, key, None, None)
    }

    /// Starts a run with the definition and the input of another one. On a thread that may wait.
    pub(crate) fn start_again(&self, run_id: &str, new: NewRun) -> ApiResult<StartOutcome> {
        let row = self.store.run(run_id)?;
        let Some(RunEvent { body: EventBody::WorkflowStart(start), .. }) = self.store.event(run_id, 1)? else {
            return Err(damaged(run_id, "its beginning is missing"));
        };
        let (mut workflow, called) = pinned_files(&self.store, &row)?;
        let pinned = pins::take_from(&mut workflow);
        // A fault was for that run only.
        faults::take_from(&mut workflow);
        // A release may know better what cannot run.
        let mut workflow = whole(&json!(workflow))?;
        for (id, ports) in pinned {
            workflow.nodes.entry(id).and_modify(|node| node.pinned = Some(ports));
        }
        let params = start.params.as_object().cloned().unwrap_or_default();
        // What a re-run or a checkpoint began with is not what somebody gave.
        let context = start.context.filter(|_| start.base.is_none()).unwrap_or_default();
        // Nobody here has typed what a program sent: it reaches no further because a person sends it again.
        let started_by = start.started_by.or(new.origin.started_by);
        let origin = RunOrigin { started_by, ..new.origin };
        let new = NewRun { params, context, origin, ..new };
        self.start_workflow(workflow, called, new, None, self.lease_again(run_id), None)
    }

    /// `kept` is what the host keeps for the run when the params name no service that it starts; `fired` is what is written
    /// with it when a trigger starts it.
    pub(crate) fn start_workflow(
        &self,
        mut workflow: Workflow,
        called: Called,
        new: NewRun,
        key: Option<RunKey>,
        kept: Option<Kept>,
        fired: Option<(Firing, Record)>,
    ) -> ApiResult<StartOutcome> {
        if fired.is_some() {
            // What a trigger starts calls every step, whatever its definition says.
            pins::take_from(&mut workflow);
            faults::take_from(&mut workflow);
        }
        check::runnable(&self.all_model_findings(&workflow, &called))?;
        check::runnable(&check_called(&workflow, check::catalog(), &called))?;
        self.calls_stay_inside(&workflow, &called)?;
        // Another process may have changed the grants.
        self.grants_changed()?;
        let trial = new.origin.trial || new.is_trial() || workflow.nodes.values().any(|node| node.pinned.is_some());
        let recorded = self.faulted(&new);
        let origin = RunOrigin { client_run_token: run_token(new.origin.client_run_token)?, trial, ..new.origin };
        let mut given = new.params;
        let mut checkpoint = new.checkpoint.as_ref().map(imported_checkpoint::read).transpose()?;
        match &mut checkpoint {
            Some(known) => {
                known.params.extend(given);
                let variables = new.context.iter().map(|(name, value)| (format!("${name}"), value.clone()));
                known.override_with(variables.chain(new.overrides).collect())?;
                given = known.params.clone();
            }
            None if !new.overrides.is_empty() => {
                return Err(ApiError::bad_request(
                    "Overrides change a checkpoint, but none was sent.",
                    "Send `checkpoint`, too, or `params`.",
                ));
            }
            None => {}
        }
        let mut lease = None;
        for name in params::practice(&workflow) {
            if given.get(name).is_none_or(|value| value.is_null() || *value == json!("")) {
                let service = match &lease {
                    Some(service) => Arc::clone(service),
                    None => self.wait_for(self.demo_service.lease())?.map_err(|error| {
                        let message = format!("The demo service cannot be started: {error}.");
                        ApiError::unavailable(
                            "NO_PRACTICE",
                            message,
                            "Try again, or name another service in the params.",
                        )
                    })?,
                };
                given.insert(name.to_owned(), json!(service.base_url()));
                lease = Some(service);
            }
        }
        let kept = lease.map(|lease| Box::new(lease) as Kept).or(kept);
        let given = params::complete(&workflow, &Value::Object(given));
        fits(&workflow, &given)?;
        let runtime = self.runtime.clone();
        let pinned = self.wait_for(async move { runtime.pin_with(workflow, called).await })??;
        let begins = checkpoint.map(|known| known.begin(&pinned.compiled, given.clone())).transpose()?;
        if let Some(step) = &new.until {
            let from = begins.as_ref().map(|begins| begins.from.as_str());
            until::check(&pinned.compiled, step, from).map_err(not_an_end)?;
        }
        let debug = watched(&pinned.compiled, new.breakpoints, new.paused, origin.person.as_deref())?;
        let runtime = self.runtime.clone();
        Ok(self.wait_for(async move {
            let run = signalbox_runtime::NewRun {
                pinned,
                params: given,
                context: new.context,
                origin,
                debug,
                until: new.until,
                kept,
            };
            runtime.start_with(run, Origin { begins, key, fired, recorded }).await
        })??)
    }

    /// The entry about the faults of a run.
    fn faulted(&self, new: &NewRun) -> Vec<Record> {
        if new.faults.is_empty() {
            return Vec::new();
        }
        let actor = new.origin.person.as_deref().map_or_else(Actor::system, Actor::operator);
        let facts = json!({ "steps": faults::told(&new.faults).join(", ") });
        vec![self.fact(AuditEvent::RunFaulted, Level::Warn, actor, facts)]
    }

    /// The summary of a run as it stands.
    pub async fn summary(self: &Arc<Self>, run_id: String) -> ApiResult<Value> {
        // The summary of an ended run is read in its wire form: its output may be large, and is not built twice.
        self.blocking(move |app| match app.store.summary::<Value>(&run_id)? {
            Some(kept) => Ok(kept),
            None => Ok(json!(app.summary_now(&run_id)?)),
        })
        .await
    }

    /// [`App::summary`] as a caller may see it.
    pub async fn summary_as(self: &Arc<Self>, caller: &Caller, run_id: String) -> ApiResult<Value> {
        let caller = caller.clone();
        self.blocking(move |app| app.summary_for(&caller, &run_id)).await
    }

    /// [`App::summary_as`] as JSON text. What an ended run put out is not made into values where nothing in it is masked.
    pub async fn summary_text_as(self: &Arc<Self>, caller: &Caller, run_id: String) -> ApiResult<String> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let kept = if app.masks(&caller, &run_id) { None } else { app.store.summary_text(&run_id)? };
            kept.map_or_else(|| Ok(app.summary_for(&caller, &run_id)?.to_string()), Ok)
        })
        .await
    }

    /// [`App::summary`] on a thread that may wait.
    pub(crate) fn summary_now(&self, run_id: &str) -> ApiResult<RunSummary> {
        if let Some(summary) = self.store.summary(run_id)? {
            return Ok(summary);
        }
        let row = self.store.run(run_id)?;
        let compiled = self.compiled_of(&row)?;
        let state = state(&self.store, &compiled, &row)?;
        let mut told = summary::of(&compiled, &state);
        if row.status == RunStatus::Queued {
            // Its log does not say so: it has none.
            told.status = row.status;
            told.started_at = time::format(row.started_ms);
        }
        Ok(told)
    }

    /// The definition of a run, to look at it.
    pub(crate) fn compiled_of(&self, row: &RunRow) -> ApiResult<Compiled> {
        Ok(definition(&self.store, self.runtime.registry(), row)?)
    }

    /// What a run began with.
    pub(crate) fn start_for(&self, caller: &Caller, run_id: &str) -> ApiResult<Value> {
        let start: Vec<RunEvent> = self.store.event(run_id, 1)?.into_iter().collect();
        let start = self.events_for(caller, run_id, &start)?.pop().unwrap_or_default();
        Ok(start["payload"].clone())
    }

    /// Waits until a run has ended or waits for a person, and gives its summary.
    pub async fn wait(self: &Arc<Self>, run_id: String) -> ApiResult<Value> {
        self.runtime.wait(&run_id).await?;
        self.summary(run_id).await
    }

    /// [`App::wait`] with what the run put out as text: there may be much of it.
    pub async fn wait_told(self: &Arc<Self>, run_id: String) -> ApiResult<Told> {
        self.runtime.wait(&run_id).await?;
        self.blocking(move |app| {
            let text = match app.store.summary_text(&run_id)? {
                Some(text) => text,
                None => json!(app.summary_now(&run_id)?).to_string(),
            };
            Ok(Told::new(text))
        })
        .await
    }

    /// The summary soon after a cancel: ended, or still running in a process that has not noticed yet.
    pub async fn wait_cancelled(self: &Arc<Self>, run_id: String) -> ApiResult<Value> {
        if let Ok(ended) = tokio::time::timeout(CANCEL_WAIT, self.runtime.wait(&run_id)).await {
            ended?;
        }
        self.summary(run_id).await
    }

    /// Why a run of this process stands still although nothing in it has failed.
    pub fn trouble(&self, run_id: &str) -> Option<(String, String)> {
        match self.runtime.phase(run_id)? {
            Phase::Suspended(trouble) | Phase::Left(Some(trouble)) => {
                Some((trouble.code().to_owned(), trouble.to_string()))
            }
            Phase::Driving | Phase::Ended(_) | Phase::Left(None) => None,
        }
    }

    /// The events of a run after `after`: replayed, then live, each once.
    pub async fn subscribe(self: &Arc<Self>, caller: &Caller, run_id: String, after: u64) -> ApiResult<EventStream> {
        let events = self.runtime.subscribe(&run_id, after).await?;
        Ok(EventStream { events, read: None, hidden: None, app: Arc::clone(self), caller: caller.clone(), run_id })
    }

    /// A page of whole events.
    pub async fn events_whole(self: &Arc<Self>, run_id: String, after: u64) -> ApiResult<Vec<Value>> {
        self.blocking(move |app| {
            let events = app.store.events(&run_id, after, PAGE)?;
            let trace = app.trace_of(&run_id);
            let shown = events.iter().filter_map(|event| {
                let mut shown = serde_json::to_value(event.shown()).ok()?;
                if let Some(trace) = &trace {
                    shown["traceId"] = trace.as_str().into();
                }
                Some(shown)
            });
            Ok(shown.collect())
        })
        .await
    }

    /// Continues one run that no process drives.
    pub async fn resume(self: &Arc<Self>, run_id: String) -> ApiResult<()> {
        self.blocking(move |app| app.resume_one(&run_id)).await
    }

    /// [`App::resume`] on a thread that may wait.
    pub(crate) fn resume_one(&self, run_id: &str) -> ApiResult<()> {
        self.wait_for(self.runtime.resume(run_id))??;
        Ok(())
    }

    /// An answer for a run was stored: a process that stays goes on with it now. True when it does; the answer is kept
    /// in any case, and whoever drives the run next finds it.
    pub(crate) fn go_on(&self, run_id: &str) -> bool {
        self.stays && self.wait_for(self.runtime.wake(run_id)).is_ok_and(|woken| woken.is_ok())
    }

    /// Continues every run that no process drives. Gives their ids, and what keeps others from going on.
    pub async fn resume_all(&self) -> ApiResult<(Vec<String>, Vec<ApiError>)> {
        let (mut resumed, mut problems) = (Vec::new(), Vec::new());
        for (run_id, outcome) in self.runtime.resume_all().await? {
            match outcome.map_err(ApiError::from) {
                Ok(_) => resumed.push(run_id),
                // Somebody else was faster.
                Err(error) if matches!(error.code.as_str(), "DRIVEN_ELSEWHERE" | "RUN_ENDED" | "RUN_QUEUED") => {}
                Err(mut error) => {
                    if !error.message.contains(&run_id) {
                        error.message = format!("Run {run_id} was not taken up: {}", error.message);
                    }
                    problems.push(error);
                }
            }
        }
        Ok((resumed, problems))
    }

    /// Asks a run to end. On a thread that may wait.
    pub(crate) fn cancel(&self, caller: &Caller, run_id: &str) -> ApiResult<()> {
        let mut record = self.fact(AuditEvent::RunCancelled, Level::Warn, caller.actor(), caller.signed(json!({})));
        run_id.clone_into(&mut record.run_id);
        Ok(self.wait_for(self.runtime.cancel_by(run_id, record))??)
    }

    /// Gives every run back; they go on at the next start or in another process.
    pub async fn shut_down(self: &Arc<Self>) {
        self.runtime.shutdown().await;
        self.tools.shut_down().await;
        let app = Arc::clone(self);
        // It waits for the disk. A panic of it was told already.
        let _ = tokio::task::spawn_blocking(move || {
            app.run_log.flush();
            app.telemetry.flush();
            app.store.close()
        })
        .await;
    }
}

/// A run cannot end after the step that was asked for.
fn not_an_end(error: UntilError) -> ApiError {
    ApiError::new(Class::Invalid, error.code(), format!("{error}."), error.hint())
}

/// The log of a run cannot be followed.
pub(crate) fn damaged(run_id: &str, why: &str) -> ApiError {
    ApiError::unavailable(
        "LOG_DAMAGED",
        format!("Run {run_id} cannot be shown: {why}."),
        "Restore the data folder from a backup.",
    )
}

/// A workflow that can run.
pub(crate) fn whole(document: &Value) -> ApiResult<Workflow> {
    let checked = check_bytes(document.to_string().as_bytes(), check::catalog());
    check::runnable(&checked.diagnostics)?;
    checked.workflow.ok_or_else(|| ApiError::bad_request("The document is no workflow.", "Send a workflow."))
}

fn fits(workflow: &Workflow, given: &Value) -> ApiResult<()> {
    let problems = params::check(workflow, given);
    let Some(first) = problems.first() else { return Ok(()) };
    Err(ApiError::new(Class::Invalid, "BAD_PARAM", first.message.clone(), first.hint.clone())
        .with(json!({ "diagnostics": problems })))
}

/// Events as somebody may see them, when a thread has made them so.
type Hidden = Pin<Box<dyn Future<Output = ApiResult<Vec<WireEvent>>> + Send>>;

/// Events as they travel: replayed, then live; large values are cut.
pub struct EventStream {
    events: Subscription,
    /// Read and not handed out yet: whoever waits for the next ones may give up in between, and ask again.
    read: Option<Arc<Vec<RunEvent>>>,
    /// What is told of them while a thread hides in it what is to be hidden: at a run's first look that takes long.
    hidden: Option<Hidden>,
    app: Arc<App>,
    caller: Caller,
    run_id: String,
}

impl EventStream {
    /// The next events; `None` after the terminal one, or when the store can no longer be read.
    pub async fn next(&mut self) -> Option<Vec<WireEvent>> {
        let events = match &self.read {
            Some(events) => Arc::clone(events),
            None => Arc::clone(self.read.insert(Arc::new(self.events.next().await?.ok()?))),
        };
        // Asked each time: a reveal ends while the stream goes on.
        let told = if self.hidden.is_some() || self.app.masks(&self.caller, &self.run_id) {
            let (app, run_id) = (Arc::clone(&self.app), self.run_id.clone());
            let hidden = self.hidden.get_or_insert_with(|| {
                Box::pin(async move { app.blocking(move |app| app.wire_events(true, &run_id, &events)).await })
            });
            let told = hidden.await;
            self.hidden = None;
            told.ok()?
        } else {
            self.app.wire_events(false, &self.run_id, &events).ok()?
        };
        self.read = None;
        Some(told)
    }

    /// [`Self::next`] gives what is stored already, then `None`.
    pub fn end_with_what_is_stored(&mut self) {
        self.events.end_with_what_is_stored();
    }

    /// The next events without what happened in them, for who only counts them: their text is not made.
    pub async fn next_heads(&mut self) -> Option<Vec<WireEvent>> {
        let events = match self.read.take() {
            Some(events) => events,
            None => Arc::new(self.events.next().await?.ok()?),
        };
        Some(events.iter().map(WireEvent::head).collect())
    }
}
