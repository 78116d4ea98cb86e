//! What a host that stays throws away besides old audit entries: exports that were handed out long ago, definitions that
//! no run is pinned to any more, keys of starts that no longer hold, and counts of days that are over.

use crate::app::App;
use crate::error::ApiResult;
use crate::host::files::io_error;
use signalbox_runtime::PINNED_FILES;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// So many days a large export stays in the data folder.
pub(crate) const EXPORT_DAYS: u32 = 30;
const DAY: Duration = Duration::from_secs(86_400);
/// A replay that has ended is kept this long: it is what suggestions are made of.
const REPLAY_MS: i64 = 90 * 86_400_000;
/// A definition is written this long before its run, at most.
const START_MS: i64 = 600_000;

impl App {
    /// Where exports are that are too large for an answer.
    pub(crate) fn exports(&self) -> PathBuf {
        self.data_dir().join("exports")
    }

    /// Throws away what is due now.
    pub(crate) fn tidy(&self) -> ApiResult<()> {
        let now = self.now_ms();
        let exports = self.tidy_exports(SystemTime::now());
        self.store.definitions_sweep(PINNED_FILES, now, now - START_MS)?;
        self.store.run_keys_sweep(now)?;
        self.store.starts_sweep(now)?;
        self.store.health_sweep(now)?;
        self.store.trigger_firings_sweep(now)?;
        while self.store.replays_sweep(now - REPLAY_MS)? {}
        self.store.shrink()?;
        exports
    }

    /// Only files of our own names go: a person may keep others there. A part is what an export that was killed left.
    fn tidy_exports(&self, now: SystemTime) -> ApiResult<()> {
        let folder = self.exports();
        let files = match fs::read_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            read => read.map_err(|error| io_error(&error, &folder, "read"))?,
        };
        for file in files.flatten() {
            let name = file.file_name();
            let name = name.to_string_lossy();
            let days = if name.starts_with("signalbox-audit") {
                EXPORT_DAYS
            } else if name.ends_with(".part") {
                1
            } else {
                continue;
            };
            let written = file.metadata().ok().filter(fs::Metadata::is_file).and_then(|found| found.modified().ok());
            if written.and_then(|at| now.duration_since(at).ok()).is_some_and(|age| age > DAY * days) {
                // One that cannot be removed now is looked at again in an hour.
                let _ = fs::remove_file(file.path());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
