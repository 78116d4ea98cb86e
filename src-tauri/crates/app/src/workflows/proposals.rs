//! What a planner or an agent proposes for a workflow, and the conversation about it. Both stand in the data folder, beside the
//! workflow and not in its file, and can be deleted.

use crate::app::App;
use crate::dto::{PlanMessage, PlanWorking};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::{io_error, write_atomic};
use crate::workflows::canonical;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_adapters::private;
use signalbox_model::hash::sha256_hex;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tokio::sync::Notify;

/// Messages that are kept of a conversation.
const MESSAGES: usize = 100;
/// Plans at once, of all people together.
const AT_ONCE: usize = 4;

/// What is kept of one workflow.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Kept {
    pub(crate) messages: Vec<PlanMessage>,
    pub(crate) proposal: Option<Proposal>,
}

/// A workflow that waits for a person.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Proposal {
    /// The workflow that it changes.
    pub(crate) base: Value,
    pub(crate) document: Value,
    pub(crate) by: String,
    pub(crate) at: String,
}

/// Content hash of a document, as it would be saved.
pub(crate) fn revision_of(document: &Value) -> String {
    sha256_hex(canonical::print(document).as_bytes())
}

fn expressions_of(principal: &str) -> String {
    format!("expression\n{principal}\n")
}

/// Somebody else was faster.
pub(crate) fn stale(now: &str) -> ApiError {
    let message = "The draft has been changed since it was read.";
    ApiError::new(Class::Conflict, "CONFLICT", message, "Read it again, then repeat the change.")
        .with(serde_json::json!({ "revision": now }))
}

#[derive(Debug)]
struct Live {
    stop: Arc<Notify>,
    working: PlanWorking,
}

/// Plans that are under way, and who writes the files.
#[derive(Debug, Default)]
pub(crate) struct Planning {
    app: OnceLock<Weak<App>>,
    open: Mutex<BTreeMap<String, Live>>,
    files: Mutex<()>,
    expressions: AtomicU64,
}

/// One plan, until it is dropped.
pub(crate) struct Under {
    app: Arc<App>,
    reference: String,
    pub(crate) stop: Arc<Notify>,
}

impl Drop for Under {
    fn drop(&mut self) {
        self.app.planning.open().remove(&self.reference);
    }
}

impl Planning {
    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Live>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it belongs to; said once, when the app is there.
    pub(crate) fn belongs_to(&self, app: &Arc<App>) {
        drop(self.app.set(Arc::downgrade(app)));
    }

    pub(crate) fn app(&self) -> ApiResult<Arc<App>> {
        self.app
            .get()
            .and_then(Weak::upgrade)
            .ok_or_else(|| ApiError::unavailable("CLOSING", "Signalbox is closing.", "Start it again."))
    }

    /// Begins a request for an expression. A person has one at a time: a new one ends the one before it.
    pub(crate) fn begin_expression(&self, principal: &str) -> ApiResult<Under> {
        self.stop_expressions(principal);
        // No file has a name like this.
        let number = self.expressions.fetch_add(1, Ordering::Relaxed);
        self.begin(&format!("{}{number}", expressions_of(principal)))
    }

    /// Ends the requests of a person for an expression.
    pub(crate) fn stop_expressions(&self, principal: &str) {
        let prefix = expressions_of(principal);
        let open = self.open();
        open.iter().filter(|(name, _)| name.starts_with(&prefix)).for_each(|(_, live)| live.stop.notify_one());
    }

    /// Begins the one plan of a workflow.
    pub(crate) fn begin(&self, reference: &str) -> ApiResult<Under> {
        let app = self.app()?;
        let mut open = self.open();
        if open.contains_key(reference) {
            let message = "The planner is at work on this workflow already.";
            return Err(ApiError::new(Class::Conflict, "CONFLICT", message, "Wait for it, or cancel it."));
        }
        if open.len() >= AT_ONCE {
            let message = format!("{AT_ONCE} plans are under way.");
            return Err(ApiError::unavailable("BUSY", message, "Try again when one of them has ended."));
        }
        let stop = Arc::new(Notify::new());
        open.insert(reference.to_owned(), Live { stop: Arc::clone(&stop), working: PlanWorking::default() });
        drop(open);
        Ok(Under { app, reference: reference.to_owned(), stop })
    }

    pub(crate) fn stop(&self, reference: &str) {
        if let Some(live) = self.open().get(reference) {
            live.stop.notify_one();
        }
    }

    pub(crate) fn working(&self, reference: &str) -> Option<PlanWorking> {
        self.open().get(reference).map(|live| live.working.clone())
    }

    pub(crate) fn tell(&self, reference: &str, change: impl FnOnce(&mut PlanWorking)) {
        if let Some(live) = self.open().get_mut(reference) {
            change(&mut live.working);
        }
    }
}

impl App {
    fn proposal_file(&self, reference: &str) -> PathBuf {
        let name = sha256_hex(reference.as_bytes());
        self.data_dir().join("plans").join(format!("{}.json", name.chars().take(40).collect::<String>()))
    }

    /// What is kept of a workflow; a file that cannot be read any more is as good as none.
    pub(crate) fn kept_plan(&self, reference: &str) -> ApiResult<Kept> {
        let path = self.proposal_file(reference);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Kept::default()),
            Err(error) => Err(io_error(&error, &path, "read")),
        }
    }

    /// Changes what is kept, as one step; nothing when the change is refused.
    pub(crate) fn keep_plan<T>(&self, reference: &str, change: impl FnOnce(&mut Kept) -> ApiResult<T>) -> ApiResult<T> {
        let _turn = self.planning.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = self.kept_plan(reference)?;
        let done = change(&mut kept)?;
        let excess = kept.messages.len().saturating_sub(MESSAGES);
        kept.messages.drain(..excess);
        let path = self.proposal_file(reference);
        if let Some(folder) = path.parent() {
            private::create_folder(folder).map_err(|error| io_error(&error, folder, "created"))?;
        }
        let bytes = serde_json::to_vec(&kept).map_err(|error| crate::response::not_json(&error))?;
        write_atomic(&path, &bytes)?;
        Ok(done)
    }

    /// Deletes the conversation and the proposal.
    pub(crate) fn forget_plan(&self, reference: &str) -> ApiResult<()> {
        let _turn = self.planning.files.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.proposal_file(reference);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(io_error(&error, &path, "deleted")),
            _ => Ok(()),
        }
    }
}
