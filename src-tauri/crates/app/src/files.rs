//! Reading and writing whole files on this machine: atomic, with clear errors. A failed write leaves the old file.

use crate::error::{ApiError, ApiResult, Class};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A hidden name beside a file for what becomes it when it is whole; nobody else's.
pub(crate) fn beside(path: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("file");
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{name}.{}-{number}.tmp", std::process::id()))
}

/// Replaces a file: written beside it, synced, renamed, folder synced.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> ApiResult<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let temporary = beside(path);
    let result = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        file.write_all(bytes)?;
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        // Some systems cannot sync a folder; the rename itself is done.
        if let Ok(folder) = File::open(folder) {
            folder.sync_all().ok();
        }
        Ok(())
    })();
    if result.is_err() {
        fs::remove_file(&temporary).ok();
    }
    result.map_err(|error| io_error(&error, path, "written"))
}

/// What a person can do about an IO error.
pub(crate) fn io_error(error: &io::Error, path: &Path, what: &str) -> ApiError {
    let place = path.display();
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            ApiError::unavailable(
                "DISK_FULL",
                format!("{place} could not be {what}: the disk is full. The file is as it was before."),
                "Free some space and save again; changes that are not saved stay in the editor.",
            )
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => ApiError::new(
            Class::Forbidden,
            "READ_ONLY",
            format!("{place} could not be {what}: this account may not do that here."),
            "Give this account the right to the file and its folder, then try again.",
        ),
        io::ErrorKind::NotFound => ApiError::not_found(format!("{place} does not exist. Check the path.")),
        _ => ApiError::unavailable(
            "IO_ERROR",
            format!("{place} could not be {what}: {error}."),
            "Check the disk and the path, then try again.",
        ),
    }
}

/// Creates a folder with its parents.
pub(crate) fn ensure_folder(path: &Path) -> ApiResult<()> {
    fs::create_dir_all(path).map_err(|error| io_error(&error, path, "created"))
}

#[cfg(test)]
mod tests;
