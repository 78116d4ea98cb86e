//! Reading and writing whole files on this machine: atomic, with clear errors. A failed write leaves the old file.

use crate::error::{ApiError, ApiResult, Class};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Replaces a file: written beside it, synced, renamed, folder synced.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> ApiResult<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("file");
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!(".{name}.{}-{number}.tmp", std::process::id()));
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
mod tests {
    use super::{io_error, write_atomic};
    use std::io::{Error, ErrorKind};
    use std::path::Path;

    #[test]
    fn every_failure_says_what_to_do() {
        for (kind, code) in [
            (ErrorKind::StorageFull, "DISK_FULL"),
            (ErrorKind::PermissionDenied, "READ_ONLY"),
            (ErrorKind::ReadOnlyFilesystem, "READ_ONLY"),
            (ErrorKind::NotFound, "NOT_FOUND"),
            (ErrorKind::Other, "IO_ERROR"),
        ] {
            let error = io_error(&Error::from(kind), Path::new("/a/b"), "written");
            assert_eq!(error.code, code);
            assert!(!error.hint.is_empty() && (code == "NOT_FOUND" || error.message.contains("/a/b")));
        }
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a");
        write_atomic(&path, b"old").expect("written");
        // A folder in the place of the file cannot be replaced by a rename.
        let taken = dir.path().join("taken");
        std::fs::create_dir_all(taken.join("full")).expect("a folder");
        assert!(write_atomic(&taken, b"new").is_err());
        assert_eq!(std::fs::read(&path).expect("there"), b"old");
        assert_eq!(std::fs::read_dir(dir.path()).expect("there").count(), 2, "no temporary file is left");
    }
}
