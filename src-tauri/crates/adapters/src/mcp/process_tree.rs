//! Which process trees are there, so that whoever closes can wait until none is left. A connection may be ended by its
//! watcher, by a refused start or by a call that is given up: none of them is known to who closes.

use std::sync::Arc;
use tokio::sync::watch;

/// The process trees of the tool servers.
#[derive(Clone)]
pub(super) struct Trees(Arc<watch::Sender<usize>>);

/// One of them, from its start until it was told to end.
pub(super) struct Tree(Trees);

impl Trees {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }

    /// One more is there as long as what this gives lives.
    pub(super) fn grow(&self) -> Tree {
        self.0.send_modify(|count| *count += 1);
        Tree(self.clone())
    }

    /// Until none is there.
    pub(super) async fn gone(&self) {
        // It holds a sender itself, so that there always is one.
        drop(self.0.subscribe().wait_for(|count| *count == 0).await);
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}
