//! "Check my data": reads everything in the data folder, says what is wrong, and repairs what can be repaired.

use crate::app::App;
use crate::dto::{AuditCondition, DataReport, DataState};
use crate::error::{ApiError, ApiResult};
use crate::host::files::{io_error, is_left_over};
use serde_json::Value;
use signalbox_retrieval::{check_index, index_files};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Findings of one kind that are named one by one.
const NAMED: usize = 20;

const FROM_BACKUP: &str = "Only a backup has it: `signalbox restore`. Runs that are not affected can be read.";
const FROM_DUMP: &str = "Only a backup of the database has it: stop all hosts and restore that (`pg_restore`). Runs that are not affected can be read.";

impl App {
    /// What to do about data that is lost.
    fn where_it_is(&self) -> &'static str {
        if self.store.is_file() { FROM_BACKUP } else { FROM_DUMP }
    }

    /// Reads everything and says what is wrong. `repair` mends what can be mended; `compact` writes the database anew without
    /// free space, which nobody else may use meanwhile.
    pub async fn check_data(self: &Arc<Self>, repair: bool, compact: bool) -> ApiResult<DataReport> {
        self.blocking(move |app| app.check_data_now(repair, compact)).await
    }

    /// The same on the thread of a command.
    pub(crate) fn check_data_now(&self, repair: bool, compact: bool) -> ApiResult<DataReport> {
        if compact && !self.store.is_file() {
            // Refused before anything is read.
            self.store.compact()?;
        }
        if compact && self.store.other_processes() > 0 {
            let message = "Another process of Signalbox uses the data folder; the database cannot be written anew.";
            let hint = "Close the window and stop the server, then try again.";
            return Err(ApiError::new(crate::error::Class::Conflict, "FOLDER_IN_USE", message, hint));
        }
        let mut report = DataReport::default();
        self.check_store(repair, &mut report)?;
        self.check_audit(&mut report)?;
        self.check_indexes(&mut report)?;
        self.check_library(&mut report)?;
        self.check_files(repair, &mut report)?;
        check_permissions(self.data_dir(), repair, &mut report)?;
        if compact {
            report.freed_bytes += self.store.compact()?;
        } else if repair {
            report.freed_bytes += self.store.shrink()?;
        }
        let size = self.store.size()?;
        (report.store_bytes, report.free_bytes) = (size.bytes, size.free);
        Ok(report)
    }

    fn check_store(&self, repair: bool, report: &mut DataReport) -> ApiResult<()> {
        let mut found = self.store.check()?;
        let indexes_only = !found.integrity.is_empty() && found.integrity.iter().all(|line| line.contains("index"));
        let repairable = if repair { DataState::Repaired } else { DataState::Repairable };
        if repair {
            let done = self.store.repair(&found)?;
            if done.reindexed {
                let before = std::mem::take(&mut found.integrity);
                // What the wrong indexes hid is read now.
                found = self.store.check()?;
                if found.integrity.is_empty() {
                    let what = before.first().cloned().unwrap_or_default();
                    report.add(
                        "store",
                        DataState::Repaired,
                        format!("The database had wrong indexes: {what}."),
                        "They were built again.",
                    );
                }
            }
        }
        for line in &found.integrity {
            let state = if indexes_only && !repair { DataState::Repairable } else { DataState::Found };
            let hint =
                if state == DataState::Found { self.where_it_is() } else { "A repair builds the indexes again." };
            report.add("store", state, format!("The database is damaged: {line}."), hint);
        }
        for event in &found.damaged_events {
            let message =
                format!("Event {} of run {} is damaged; later events of the run were not read.", event.seq, event.run);
            report.add("store", DataState::Found, message, self.where_it_is());
        }
        for hash in &found.damaged_values {
            report.add(
                "store",
                DataState::Found,
                format!("The value {hash} is not what was stored."),
                self.where_it_is(),
            );
        }
        for hash in &found.missing_values {
            report.add("store", DataState::Found, format!("The value {hash} is missing."), self.where_it_is());
        }
        if found.orphaned_values > 0 {
            let message =
                format!("{} values ({} bytes) belong to no run.", found.orphaned_values, found.orphaned_bytes);
            let hint = if repair { "They were removed." } else { "A repair removes them." };
            report.add("store", repairable, message, hint);
        }
        if found.unfinished_deletions > 0 {
            let message = format!("The deletion of {} runs was interrupted.", found.unfinished_deletions);
            let hint = if repair { "It was finished." } else { "A repair finishes it." };
            report.add("store", repairable, message, hint);
        }
        report.runs = found.runs;
        Ok(())
    }

    fn check_audit(&self, report: &mut DataReport) -> ApiResult<()> {
        let verdict = self.verify_audit(true)?;
        report.audit_entries = verdict.checked;
        if verdict.state == AuditCondition::Broken {
            let why = verdict.broken.map(|broken| broken.message).unwrap_or_default();
            let hint = "Export it and compare it with an anchor or a copy: `signalbox audit verify --help`.";
            report.add("audit", DataState::Found, format!("The audit chain is broken: {why}."), hint);
        }
        for lost in verdict.payloads.iter().flat_map(|payloads| &payloads.lost).take(NAMED) {
            report.add(
                "audit",
                DataState::Found,
                format!("The payload of audit entry {lost} is missing."),
                self.where_it_is(),
            );
        }
        for changed in verdict.payloads.iter().flat_map(|payloads| &payloads.changed).take(NAMED) {
            let message = format!("The payload of audit entry {changed} was changed.");
            report.add("audit", DataState::Found, message, self.where_it_is());
        }
        Ok(())
    }

    fn check_indexes(&self, report: &mut DataReport) -> ApiResult<()> {
        let folder = self.data_dir().join("indexes");
        for file in index_files(&folder).map_err(|error| io_error(&error, &folder, "read"))? {
            report.indexes += 1;
            let wrong = check_index(&file);
            if let Some(line) = wrong.first() {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                let hint = "Delete the file, then run the workflow that indexes the documents again.";
                report.add("indexes", DataState::Found, format!("The index {name} is damaged: {line}."), hint);
            }
        }
        Ok(())
    }

    fn check_library(&self, report: &mut DataReport) -> ApiResult<()> {
        for path in self.library.files(&self.library_folders()?) {
            report.workflows += 1;
            let wrong = match fs::read(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => Some(error.to_string()),
                Ok(bytes) => serde_json::from_slice::<Value>(signalbox_model::text::bytes_without_bom(&bytes))
                    .err()
                    .map(|error| error.to_string()),
            };
            if let Some(why) = wrong {
                let message = format!("The workflow file {} cannot be read: {why}.", path.display());
                report.add("library", DataState::Found, message, "Correct the file, or take it from a backup.");
            }
        }
        Ok(())
    }

    /// Folders of runs that are gone, files that somebody died over, and workflow versions that are not there.
    fn check_files(&self, repair: bool, report: &mut DataReport) -> ApiResult<()> {
        let mut left = Vec::new();
        let artifacts = self.data_dir().join("artifacts");
        for entry in entries(&artifacts)? {
            let id = entry.file_name();
            // Only what is named as a run is; a person may keep something else there.
            let is_run = id.to_str().is_some_and(|id| uuid::Uuid::parse_str(id).is_ok());
            if is_run && self.store.run(&id.to_string_lossy()).is_err_and(|error| error.code() == "UNKNOWN_RUN") {
                left.push(entry.path());
            }
        }
        for folder in ["", "workflows", "exports", "plans"] {
            for entry in entries(&self.data_dir().join(folder))? {
                if is_left_over(&entry) {
                    left.push(entry.path());
                }
            }
        }
        let state = if repair { DataState::Repaired } else { DataState::Repairable };
        for path in left {
            if repair {
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.map_err(|error| io_error(&error, &path, "removed"))?;
            }
            let hint = if repair { "It was removed." } else { "A repair removes it." };
            report.add("files", state, format!("{} is left over; nothing uses it.", path.display()), hint);
        }
        Ok(())
    }
}

fn entries(folder: &Path) -> ApiResult<Vec<fs::DirEntry>> {
    let read = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.and_then(Iterator::collect::<io::Result<Vec<_>>>),
    };
    read.map_err(|error| io_error(&error, folder, "read"))
}

/// Files and folders below the data folder that others than its owner may read, at most 1,000; links are not followed.
pub fn readable_by_others(data: &Path) -> io::Result<Vec<PathBuf>> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no such permissions to find"))]
    let mut open = Vec::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        const MOST: usize = 1_000;
        let mut todo = vec![data.to_owned()];
        while let Some(path) = todo.pop() {
            let meta = match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                meta => meta?,
            };
            if meta.is_symlink() {
                continue;
            }
            if meta.permissions().mode() & 0o077 != 0 {
                open.push(path.clone());
                if open.len() == MOST {
                    break;
                }
            }
            if meta.is_dir() {
                todo.extend(fs::read_dir(&path)?.flatten().map(|entry| entry.path()));
            }
        }
    }
    let _ = data;
    Ok(open)
}

/// Makes a file or folder readable to its owner only.
fn close_to_others(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::symlink_metadata(path)?.permissions().mode() & 0o700;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    let _ = path;
    Ok(())
}

fn check_permissions(data: &Path, repair: bool, report: &mut DataReport) -> ApiResult<()> {
    let open = readable_by_others(data).map_err(|error| io_error(&error, data, "read"))?;
    for path in &open {
        if repair {
            close_to_others(path).map_err(|error| io_error(&error, path, "changed"))?;
        }
    }
    if let Some(first) = open.first() {
        let more = if open.len() > 1 { format!(" and {} more", open.len() - 1) } else { String::new() };
        let path = first.display();
        // Who cannot enter the folder reads nothing in it, until somebody opens it or moves a file out.
        let message = if first == data {
            format!("Other accounts of this machine may read {path}{more}.")
        } else {
            format!("Only the closed folder keeps other accounts from {path}{more}: the permissions are open.")
        };
        let (state, hint) = match repair {
            true => (DataState::Repaired, "Only its owner may read it now."),
            false => (DataState::Repairable, "A repair closes it to others."),
        };
        report.add("permissions", state, message, hint);
    }
    Ok(())
}
