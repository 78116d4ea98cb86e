//! Says that tasks have changed, by whatever process: who shows them asks again at once, not at the next look.

use crate::app::App;
use std::sync::Arc;
use tokio::sync::watch;

/// Follows the tasks of the store, without what was done to them: a reader asks for that with its own rights and masks.
pub struct TaskChanges {
    app: Arc<App>,
    changed: watch::Receiver<u64>,
    told: Option<i64>,
}

impl App {
    /// Begins with how things stand now, so that a reader knows at once whether it missed anything.
    pub fn task_changes(self: &Arc<Self>) -> TaskChanges {
        TaskChanges { app: Arc::clone(self), changed: self.runtime.changes(), told: None }
    }
}

impl TaskChanges {
    /// The number of the last thing that happened to any task, when it is another one; `None` when the program ends. It
    /// may be asked again after it was given up: what is told is what differs from what was told before.
    pub async fn next(&mut self) -> Option<i64> {
        loop {
            self.changed.borrow_and_update();
            // A store that cannot be read now is read after its next change.
            let last = self.app.blocking(|app| Ok(app.store.last_task_change()?)).await.ok();
            if last.is_some() && self.told != last {
                self.told = last;
                return last;
            }
            self.changed.changed().await.ok()?;
        }
    }
}
