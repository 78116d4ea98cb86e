//! Takes the texts of audit entries in for searches. A host that stays does it in small parts while nobody waits; a search
//! finds everything without, only slower.

use crate::app::App;
use std::sync::Arc;
use std::time::Duration;

/// How often it looks for new entries: what came since is read through until then.
const LOOK: Duration = Duration::from_secs(15);
/// Between two parts, so that a first look at a long chain never keeps the writer busy.
const BREATH: Duration = Duration::from_millis(20);

impl App {
    pub(crate) fn index_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        self.again_and_again(threads, Duration::ZERO, |app| async move {
            // A store that cannot be written now is told about elsewhere; the next look tries again.
            let more = app.blocking(|app| Ok(app.store.audit_index()?)).await.unwrap_or(false);
            Some(if more { BREATH } else { LOOK })
        });
    }
}
