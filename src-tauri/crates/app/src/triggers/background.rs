//! A host that stays fires the triggers of active workflows. Of several processes on one data folder the one that holds the lock does.

use crate::app::App;
use signalbox_runtime::triggers::{LOOK, Scheduler};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

impl App {
    /// A host that stays fires the triggers of active workflows, unless another one does.
    pub fn triggers_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        let scheduler = Arc::new(Mutex::new(Scheduler::default()));
        self.again_and_again(threads, Duration::ZERO, move |app| {
            let scheduler = Arc::clone(&scheduler);
            async move {
                let pass = move |app: &App| {
                    let mut scheduler = scheduler.lock().unwrap_or_else(PoisonError::into_inner);
                    Ok(scheduler.pass(app.trigger_host(), app.world.clock.as_ref())?)
                };
                // What failed is tried again at the next look; a store that cannot be used says so elsewhere.
                Some(app.blocking(pass).await.unwrap_or(LOOK))
            }
        });
    }
}
