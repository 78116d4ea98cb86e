//! Backups that a host that stays makes by itself.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::BackupSchedule;
use crate::error::{ApiError, ApiResult};
use crate::host::files::io_error;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, time};
use signalbox_store::audit::{Actor, Level};
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where the schedule is kept.
const NAME: &str = "backupSchedule";
const LOOK: Duration = Duration::from_secs(60);
const HOUR_MS: i64 = 3_600_000;
const KEEP: u32 = 7;
/// What stands around the time in the name of an archive.
const BEFORE: &str = "signalbox-backup-";
const AFTER: &str = ".tar.gz";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Kept {
    every_hours: Option<u32>,
    folder: Option<PathBuf>,
    keep: Option<u32>,
    /// When it was set: the first backup is due at once.
    due_ms: i64,
    last_ms: Option<i64>,
    last_file: Option<PathBuf>,
    error: Option<String>,
}

impl Kept {
    fn of(value: Option<Value>) -> Self {
        // What another release wrote counts as not set.
        value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
    }

    fn keep(&self) -> u32 {
        self.keep.unwrap_or(KEEP)
    }

    fn view(&self) -> BackupSchedule {
        BackupSchedule {
            every_hours: self.every_hours,
            folder: self.folder.as_ref().map(|folder| folder.display().to_string()),
            keep: self.keep(),
            next_at: self.every_hours.map(|_| time::format(self.due_ms)),
            last_at: self.last_ms.map(time::format),
            last_file: self.last_file.as_ref().map(|file| file.display().to_string()),
            error: self.error.clone(),
        }
    }
}

impl App {
    /// When backups are made by themselves.
    pub fn backup_schedule(&self) -> ApiResult<BackupSchedule> {
        Ok(Kept::of(self.store.setting_get(NAME)?).view())
    }

    /// Sets it; `folder` stays when it is absent.
    pub fn backup_schedule_set(
        &self,
        caller: &Caller,
        every_hours: Option<u32>,
        folder: Option<PathBuf>,
        keep: Option<u32>,
    ) -> ApiResult<BackupSchedule> {
        let refused = |what: &str, hint: &str| Err(ApiError::bad_request(what, hint));
        if every_hours.is_some() {
            self.store.is_copied_as_a_file()?;
        }
        if every_hours.is_some_and(|hours| !(1..=744).contains(&hours)) {
            return refused("Backups are made every 1 to 744 hours.", "24 is once a day, 168 once a week.");
        }
        if keep.is_some_and(|keep| !(1..=1_000).contains(&keep)) {
            return refused("Between 1 and 1,000 backups are kept.", "Choose a number in between.");
        }
        let before = Kept::of(self.store.setting_get(NAME)?);
        let folder = folder.or(before.folder);
        match &folder {
            None if every_hours.is_some() => {
                return refused(
                    "No folder is chosen for the backups.",
                    "Choose a folder, on another disk if there is one.",
                );
            }
            Some(folder) if every_hours.is_some() => self.is_backup_folder(folder)?,
            _ => {}
        }
        let facts = json!({ "everyHours": every_hours, "folder": folder, "keep": keep, "via": caller.via.as_str() });
        let record = self.fact(AuditEvent::BackupScheduleChanged, Level::Info, caller.actor(), caller.signed(facts));
        let now = self.now_ms();
        let changed = self.store.setting_change_recorded(NAME, record, move |value| {
            let mut kept = Kept::of(value);
            kept.every_hours = every_hours;
            kept.folder = folder;
            kept.keep = keep.or(kept.keep);
            kept.due_ms = now;
            kept.error = None;
            Ok::<_, Infallible>(Some(json!(kept)))
        })?;
        match changed {
            Ok(()) => self.backup_schedule(),
            Err(never) => match never {},
        }
    }

    /// A backup in the data folder would go with it, and hold the one before.
    fn is_backup_folder(&self, folder: &Path) -> ApiResult<()> {
        let real = fs::canonicalize(folder).map_err(|error| {
            let message = format!("{} cannot be opened: {error}.", folder.display());
            ApiError::bad_request(message, "Choose a folder that is there, or make it available again.")
        })?;
        if !real.is_dir() {
            let message = format!("{} is not a folder.", folder.display());
            return Err(ApiError::bad_request(message, "Choose a folder."));
        }
        let data = fs::canonicalize(self.data_dir()).map_err(|error| io_error(&error, self.data_dir(), "opened"))?;
        if real.starts_with(data) {
            let message = "Backups cannot be kept in the data folder.";
            return Err(ApiError::bad_request(message, "Choose another folder, on another disk if there is one."));
        }
        Ok(())
    }

    /// A host that stays looks every minute whether one is due.
    pub(crate) fn back_up_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        self.every(threads, LOOK, Self::back_up_if_due);
    }

    /// What fails is kept for the settings, and tried again in an hour.
    pub(crate) fn back_up_if_due(&self) -> ApiResult<()> {
        if !self.store.is_file() {
            return Ok(());
        }
        let now = self.now_ms();
        let Some(kept) = self.claim_backup(now)? else { return Ok(()) };
        let (Some(hours), Some(folder)) = (kept.every_hours, kept.folder.clone()) else { return Ok(()) };
        let stamp = time::format(now).replace([':', '.'], "-");
        let out = folder.join(format!("{BEFORE}{stamp}{AFTER}"));
        let done =
            self.is_backup_folder(&folder).and_then(|()| self.back_up_now(Actor::system(), "schedule", &out, None));
        if done.is_ok() {
            remove_old(&folder, kept.keep());
        }
        let changed = self.store.setting_change(NAME, move |value| {
            let mut kept = Kept::of(value);
            match done {
                Ok(report) => {
                    kept.last_ms = Some(now);
                    kept.last_file = Some(report.file);
                    kept.due_ms = now.saturating_add(i64::from(hours) * HOUR_MS);
                    kept.error = None;
                }
                Err(error) => kept.error = Some(error.message),
            }
            Ok::<_, Infallible>(Some(json!(kept)))
        })?;
        match changed {
            Ok(()) => Ok(()),
            Err(never) => match never {},
        }
    }

    /// The schedule when a backup is due; then it is due again in an hour, so that no other process makes the same one.
    fn claim_backup(&self, now: i64) -> ApiResult<Option<Kept>> {
        let is_due = move |kept: &Kept| kept.every_hours.is_some() && kept.folder.is_some() && kept.due_ms <= now;
        if !is_due(&Kept::of(self.store.setting_get(NAME)?)) {
            return Ok(None);
        }
        let claimed = Arc::new(std::sync::Mutex::new(None));
        let claim = Arc::clone(&claimed);
        let changed = self.store.setting_change(NAME, move |value| {
            let mut kept = Kept::of(value.clone());
            if !is_due(&kept) {
                return Ok::<_, Infallible>(value);
            }
            kept.due_ms = now.saturating_add(HOUR_MS);
            let next = json!(kept);
            *claim.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(kept);
            Ok(Some(next))
        })?;
        match changed {
            Ok(()) => Ok(claimed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()),
            Err(never) => match never {},
        }
    }
}

/// Only archives that a schedule wrote go, the oldest first: their names sort by time.
fn remove_old(folder: &Path, keep: u32) {
    let Ok(files) = fs::read_dir(folder) else { return };
    let mut names: Vec<_> = files
        .flatten()
        .filter(|file| file.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|file| {
            let name = file.file_name();
            let name = name.to_string_lossy();
            name.starts_with(BEFORE) && name.ends_with(AFTER)
        })
        .map(|file| file.path())
        .collect();
    names.sort_unstable();
    let old = names.len().saturating_sub(keep as usize);
    for file in names.drain(..old) {
        // One that cannot be removed now is looked at again after the next backup.
        fs::remove_file(file).ok();
    }
}

#[cfg(test)]
mod tests;
