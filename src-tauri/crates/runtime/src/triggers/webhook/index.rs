//! Which address leads to which webhook, and how many deliveries are under way at once.

use crate::triggers::error::TriggerResult;
use crate::triggers::host::pinned_version;
use crate::triggers::kind::Settings;
use signalbox_engine::validate::Called;
use signalbox_engine::webhook::{Auth, KIND, Webhook};
use signalbox_model::Workflow;
use signalbox_store::{Store, TriggerRow};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::Semaphore;

/// Deliveries under way, those that wait for their runs among them.
const MOST_DELIVERIES: usize = 1_024;
/// Bytes of their bodies.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Deliveries that are being stored: fewer than commands may run at once, so that people are answered during a flood.
const AT_ONCE: usize = 24;

/// A webhook of an active workflow.
#[derive(Debug)]
pub struct ActiveHook {
    /// The trigger.
    pub row: TriggerRow,
    /// Its settings.
    pub hook: Webhook,
    version: OnceLock<(Workflow, Called)>,
}

impl ActiveHook {
    /// The workflow as it was activated.
    pub(super) fn version(&self, store: &Store) -> TriggerResult<(Workflow, Called)> {
        if let Some(known) = self.version.get() {
            return Ok(known.clone());
        }
        let read = pinned_version(store, &self.row.version)?;
        Ok(self.version.get_or_init(|| read).clone())
    }

    /// Largest body, in bytes.
    pub fn max_bytes(&self) -> usize {
        usize::try_from(self.hook.max_bytes).unwrap_or(usize::MAX)
    }

    /// It asks for a user name and a password.
    pub fn is_basic(&self) -> bool {
        matches!(self.hook.auth, Auth::Basic { .. })
    }
}

/// Webhooks by their paths.
type Index = HashMap<String, Arc<ActiveHook>>;

/// The webhooks of active workflows.
///
/// # Errors
/// The store cannot be read.
pub fn active_hooks(store: &Store) -> TriggerResult<Index> {
    let mut index = Index::new();
    for row in store.triggers_of_kind(KIND)? {
        // What cannot be read was refused when it was activated.
        let Ok(Settings::Webhook(hook)) = Settings::read(&row) else { continue };
        let path = hook.path.clone();
        let active = ActiveHook { row, hook: *hook, version: OnceLock::new() };
        index.entry(path).or_insert_with(|| Arc::new(active));
    }
    Ok(index)
}

/// All webhooks of this process.
#[derive(Debug)]
pub struct HookIndex {
    /// What the store said when the index was made, and the index.
    index: Mutex<(i64, Arc<Index>)>,
    deliveries: AtomicUsize,
    bytes: AtomicUsize,
    /// Turns of deliveries that are being stored.
    pub starts: Semaphore,
}

impl Default for HookIndex {
    fn default() -> Self {
        Self {
            index: Mutex::new((-1, Arc::default())),
            deliveries: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            starts: Semaphore::new(AT_ONCE),
        }
    }
}

impl HookIndex {
    /// The webhook of a path, as it was known at the last look.
    pub fn known(&self, path: &str) -> Option<Arc<ActiveHook>> {
        let known = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        known.1.get(path).cloned()
    }

    /// Looks into the store, on a thread that may wait.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn refresh(&self, store: &Store) -> TriggerResult<()> {
        // Before the triggers are read: what changes meanwhile is read again.
        let change = store.trigger_change()?;
        let mut known = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != change {
            *known = (change, Arc::new(active_hooks(store)?));
        }
        Ok(())
    }

    /// A place for one more delivery; none when too many are under way.
    pub fn slot(self: &Arc<Self>) -> Option<DeliveryGuard> {
        let guard = DeliveryGuard { hooks: Arc::clone(self), bytes: 0 };
        let before = self.deliveries.fetch_add(1, Ordering::Relaxed);
        (before < MOST_DELIVERIES).then_some(guard)
    }
}

/// A place for a delivery, and the memory that it takes; both are given back when it is dropped.
#[derive(Debug)]
pub struct DeliveryGuard {
    hooks: Arc<HookIndex>,
    bytes: usize,
}

impl DeliveryGuard {
    /// More of the body came. False when there is no room for it now.
    #[must_use]
    pub fn grow(&mut self, bytes: usize) -> bool {
        let before = self.hooks.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        before + bytes <= MOST_BYTES
    }
}

impl Drop for DeliveryGuard {
    fn drop(&mut self) {
        self.hooks.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        self.hooks.deliveries.fetch_sub(1, Ordering::Relaxed);
    }
}
