//! Proofs of error handling in the builder: they go on in the background, say how far they are, can be cancelled, and the last one
//! of each workflow is kept. Nothing outside is called.

use crate::app::App;
use crate::dto::{LastProof, ProofProgress, ProofView};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::background::STACK;
use crate::workflows::check::{self, catalog};
use crate::workflows::saved_tests;
use crate::workflows::step_sandbox::StepSandbox;
use serde_json::Value;
use signalbox_engine::Compiled;
use signalbox_engine::validate::{Called, check_bytes, check_called};
use signalbox_model::hash::sha256_parts;
use signalbox_model::{Workflow, time};
use signalbox_simulate::compatibility::definition_hash;
use signalbox_simulate::prove::{Progress, ProofReport, prove_watched};
use signalbox_simulate::{Kinds, TestFile};
use signalbox_store::ProofRow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Proofs at once, of all people together: each takes a processor.
const AT_ONCE: usize = 2;
/// Largest report that is kept, bytes.
const MOST_REPORT: usize = 8 * 1024 * 1024;

#[derive(Debug, Clone, Default)]
struct Job {
    progress: ProofProgress,
    is_cancelled: bool,
}

/// Proofs that are under way, and why the last one of a file came to nothing.
#[derive(Debug, Default)]
pub(crate) struct Proofs {
    open: Mutex<BTreeMap<String, Job>>,
    failed: Mutex<BTreeMap<String, ApiError>>,
}

impl Proofs {
    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Job>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self) -> MutexGuard<'_, BTreeMap<String, ApiError>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the one proof of a file.
    fn begin(&self, reference: &str) -> ApiResult<()> {
        let mut open = self.open();
        if open.contains_key(reference) {
            let message = "This workflow is being proved already.";
            return Err(ApiError::new(Class::Conflict, "CONFLICT", message, "Wait for it, or cancel it."));
        }
        if open.len() >= AT_ONCE {
            let message = format!("{AT_ONCE} workflows are being proved.");
            return Err(ApiError::unavailable("BUSY", message, "Try again when one of them has ended."));
        }
        open.insert(reference.to_owned(), Job::default());
        drop(open);
        self.failed().remove(reference);
        Ok(())
    }

    /// Asks a proof to end; it does before its next run.
    pub(crate) fn cancel(&self, reference: &str) {
        if let Some(job) = self.open().get_mut(reference) {
            job.is_cancelled = true;
        }
    }

    /// Notes how far it is; whether it goes on.
    fn tell(&self, reference: &str, at: Progress) -> bool {
        let mut open = self.open();
        let Some(job) = open.get_mut(reference) else { return false };
        job.progress = ProofProgress { done: at.done, total: at.total };
        !job.is_cancelled
    }
}

/// A proof that is under way, until it is dropped.
struct Under {
    proofs: Arc<Proofs>,
    reference: String,
}

impl Drop for Under {
    fn drop(&mut self) {
        self.proofs.open().remove(&self.reference);
    }
}

impl Under {
    /// Proves and keeps the report; a cancelled proof leaves the last one as it is.
    fn prove(&self, app: &Weak<App>, proving: &Proving, most_pairs: usize) -> ApiResult<()> {
        let mut go_on = |at: Progress| app.strong_count() > 0 && self.proofs.tell(&self.reference, at);
        let sandbox = StepSandbox::default();
        let kinds = Kinds::with_code(catalog(), &sandbox);
        let Some(report) = prove_watched(&proving.compiled, kinds, &proving.tests, most_pairs, &mut go_on) else {
            return Ok(());
        };
        let text = serde_json::to_string(&report).map_err(|error| crate::response::not_json(&error))?;
        if text.len() > MOST_REPORT {
            let message =
                format!("The report has {} MiB; at most {} MiB are kept.", text.len() >> 20, MOST_REPORT >> 20);
            let hint = "Prove the file at the terminal: `signalbox prove FILE --json`.";
            return Err(ApiError::new(Class::TooLarge, "TOO_LARGE", message, hint));
        }
        let Some(app) = app.upgrade() else { return Ok(()) };
        let row = ProofRow {
            workflow: report.workflow,
            definition: proving.key.clone(),
            at_ms: app.now_ms(),
            score: report.score,
            report: text,
        };
        Ok(app.store.proof_put(row)?)
    }
}

/// A workflow of the editor or of its file, ready to be proved.
pub(crate) struct Proving {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) tests: Vec<TestFile>,
    /// What the proof is one of: its definition and those that it calls.
    key: String,
    /// It, and the workflows that it calls.
    pub(crate) workflows: Vec<Arc<Workflow>>,
}

/// What a proof is one of: the hash of the definition, and with those of the workflows that it calls where it calls some.
fn key_of(workflow: &Workflow, called: &Called) -> String {
    let own = definition_hash(workflow);
    if called.files.is_empty() {
        return own;
    }
    let files: Vec<String> = called.files.values().map(|file| definition_hash(file)).collect();
    let parts: Vec<&[u8]> = std::iter::once(&own).chain(&files).map(String::as_bytes).collect();
    sha256_parts(&parts)
}

impl App {
    /// What the editor shows (`document`), or the file, compiled; with the tests that recorded runs without a fault.
    pub(crate) fn proving(&self, path: &Path, document: Option<Value>) -> ApiResult<Proving> {
        let bytes = match document {
            Some(document) => document.to_string().into_bytes(),
            None => crate::workflows::library::load(path)?.bytes,
        };
        let checked = check_bytes(&bytes, catalog());
        check::runnable(&checked.diagnostics)?;
        let Some(workflow) = checked.workflow else { return Err(check::refused(&checked.diagnostics)) };
        let called = self.called(&workflow, Some(path))?;
        check::runnable(&check_called(&workflow, catalog(), &called))?;
        let files: Vec<Arc<Workflow>> = called.files.values().map(Arc::clone).collect();
        let key = key_of(&workflow, &called);
        let compiled = saved_tests::compile(workflow, &called)?;
        let workflows = std::iter::once(Arc::clone(&compiled.workflow)).chain(files).collect();
        Ok(Proving { compiled, tests: saved_tests::healthy_tests(path), key, workflows })
    }

    /// Begins a proof; it goes on when this returns.
    pub(crate) fn prove_in_background(
        self: &Arc<Self>,
        reference: &str,
        proving: Proving,
        most_pairs: usize,
    ) -> ApiResult<()> {
        self.proofs.begin(reference)?;
        let under = Under { proofs: Arc::clone(&self.proofs), reference: reference.to_owned() };
        // It keeps no closing program open.
        let app = Arc::downgrade(self);
        let thread = std::thread::Builder::new().name("proof".into()).stack_size(STACK);
        let begun = thread.spawn(move || {
            if let Err(error) = under.prove(&app, &proving, most_pairs) {
                under.proofs.failed().insert(under.reference.clone(), error);
            }
        });
        begun.map(drop).map_err(|error| ApiError::no_thread(&error))
    }

    /// The last proof of a workflow; none, too, when this program cannot read it any more.
    pub(crate) fn last_proof(&self, workflow: &str) -> ApiResult<Option<(ProofRow, ProofReport)>> {
        let Some(row) = self.store.proof(workflow)? else { return Ok(None) };
        Ok(serde_json::from_str(&row.report).ok().map(|report| (row, report)))
    }

    /// How the proof of a file stands.
    pub(crate) fn proof_view(&self, reference: &str, workflow: &str) -> ApiResult<ProofView> {
        // First: one that ends meanwhile is then in neither, and the next look finds it.
        let running = self.proofs.open().get(reference).map(|job| job.progress);
        let problem = self.proofs.failed().get(reference).cloned();
        let last = self.last_proof(workflow)?;
        let last = last.map(|(row, report)| LastProof { at: time::format(row.at_ms), report });
        Ok(ProofView { running, problem: problem.map(|error| format!("{} {}", error.message, error.hint)), last })
    }

    /// The last proof of a workflow, and its report when it is one of exactly this definition and of those that it calls now. Asked
    /// after each edit: the report of another one is not read.
    pub(crate) fn proof_of(&self, workflow: &Workflow) -> ApiResult<Option<(ProofRow, Option<ProofReport>)>> {
        let Some(row) = self.store.proof(&workflow.id)? else { return Ok(None) };
        let is_current = row.definition == key_of(workflow, &self.called(workflow, None)?);
        let report = is_current.then(|| serde_json::from_str(&row.report).ok()).flatten();
        Ok(Some((row, report)))
    }
}
