//! The last batches of a run, for who follows it. Most runs are followed by nobody: the room for batches is made for the
//! first who comes.

use signalbox_model::RunEvent;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;

/// Batches that a slow subscriber may lag behind before it reads from the store again.
const BATCHES: usize = 256;

type Sender = broadcast::Sender<Arc<[RunEvent]>>;

/// What is told to subscribers right after its commit.
#[derive(Default)]
pub(crate) struct LiveFeed(Mutex<Option<Sender>>);

impl LiveFeed {
    /// Who looks into the store after this misses no batch: either its commit stands there, or it is sent.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Arc<[RunEvent]>> {
        self.sender().get_or_insert_with(|| broadcast::channel(BATCHES).0).subscribe()
    }

    pub(crate) fn has_subscribers(&self) -> bool {
        self.sender().as_ref().is_some_and(|sender| sender.receiver_count() > 0)
    }

    /// After the commit, so that the lock puts it before or after each [`Self::subscribe`].
    pub(crate) fn send(&self, batch: Option<Arc<[RunEvent]>>) {
        if let Some(sender) = self.sender().as_ref() {
            // The last one may have just gone.
            drop(sender.send(batch.unwrap_or_else(|| Arc::from([]))));
        }
    }

    fn sender(&self) -> MutexGuard<'_, Option<Sender>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
