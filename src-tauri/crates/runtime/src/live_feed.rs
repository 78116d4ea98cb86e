//! The last batches of a run, for who follows it. Most runs are followed by nobody: the room for batches is made for the
//! first who comes.

use signalbox_model::RunEvent;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;

/// Batches that a slow subscriber may lag behind before it reads from the store again,
const BATCHES: usize = 256;
/// and about how many bytes of them.
const BYTES: usize = 4 * 1024 * 1024;

type Sender = broadcast::Sender<Arc<Batch>>;

/// Events that were committed together, kept until every subscriber has taken them.
pub(crate) struct Batch {
    events: Arc<[RunEvent]>,
    bytes: usize,
    kept: Arc<AtomicUsize>,
}

impl Deref for Batch {
    type Target = [RunEvent];

    fn deref(&self) -> &[RunEvent] {
        &self.events
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.kept.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// What is told to subscribers right after its commit.
#[derive(Default)]
pub(crate) struct LiveFeed {
    sender: Mutex<Option<Sender>>,
    /// Bytes of the batches that somebody has not taken yet.
    kept: Arc<AtomicUsize>,
}

impl LiveFeed {
    /// Who looks into the store after this misses no batch: either its commit stands there, or it is sent.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Arc<Batch>> {
        self.sender().get_or_insert_with(|| broadcast::channel(BATCHES).0).subscribe()
    }

    pub(crate) fn has_subscribers(&self) -> bool {
        self.sender().as_ref().is_some_and(|sender| sender.receiver_count() > 0)
    }

    /// After the commit, so that the lock puts it before or after each [`Self::subscribe`]. An empty batch sends subscribers to
    /// the store, and so does one of many `bytes` for which there is no room beside others.
    pub(crate) fn send(&self, batch: Option<Arc<[RunEvent]>>, bytes: usize) {
        if let Some(sender) = self.sender().as_ref() {
            // A large batch that waits alone shares its lists with the run; read from the store again they would be copies.
            let kept = self.kept.load(Ordering::Relaxed);
            let fits = kept == 0 || kept.saturating_add(bytes) <= BYTES;
            let (events, bytes) = batch.filter(|_| fits).map_or_else(|| (Arc::from([]), 0), |events| (events, bytes));
            self.kept.fetch_add(bytes, Ordering::Relaxed);
            // The last one may have just gone.
            drop(sender.send(Arc::new(Batch { events, bytes, kept: Arc::clone(&self.kept) })));
        }
    }

    fn sender(&self) -> MutexGuard<'_, Option<Sender>> {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
