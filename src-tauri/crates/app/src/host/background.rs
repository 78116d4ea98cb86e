//! What a host that keeps running does automatically, again and again, as long as the app is there.

use crate::app::App;
use crate::error::ApiResult;
use signalbox_adapters::code_pages::{CodePages, FIRST_LOOK, NEXT_LOOK};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// For threads on which expressions are compiled and evaluated (TRUST, store rules).
pub(crate) const STACK: usize = 32 * 1024 * 1024;

impl App {
    /// Does `work` on the app's threads, after `first`, and again after the time that it gives; `None` ends it. The app is held
    /// only while the work is done: nothing in the background keeps a closing one open.
    pub(crate) fn again_and_again<W: Future<Output = Option<Duration>> + Send>(
        self: &Arc<Self>,
        threads: &tokio::runtime::Handle,
        first: Duration,
        mut work: impl FnMut(Arc<Self>) -> W + Send + 'static,
    ) {
        let app = Arc::downgrade(self);
        threads.spawn(async move {
            let mut pause = first;
            loop {
                tokio::time::sleep(pause).await;
                let Some(app) = app.upgrade() else { return };
                let Some(next) = work(app).await else { return };
                pause = next;
            }
        });
    }

    /// [`App::again_and_again`] of work that waits for the disk, with the same pause before each time. What fails is told
    /// where it is looked at; the next time tries again.
    pub(crate) fn every(
        self: &Arc<Self>,
        threads: &tokio::runtime::Handle,
        pause: Duration,
        work: fn(&Self) -> ApiResult<()>,
    ) {
        self.again_and_again(threads, pause, move |app| async move {
            drop(app.blocking(work).await);
            Some(pause)
        });
    }

    /// Takes code that nothing uses out of the memory of this process, while no run is driven.
    pub(crate) fn stay_small_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        let mut pages = CodePages::default();
        self.again_and_again(threads, FIRST_LOOK, move |app| {
            if app.runtime.driven().is_empty() {
                pages.look();
            }
            std::future::ready(Some(NEXT_LOOK))
        });
    }
}
