//! Reading and writing whole files on this machine: atomic, with clear errors. A failed write leaves the old file.

use crate::error::{ApiError, ApiResult, Class};
use signalbox_adapters::{durable, private};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// What becomes a file when it is whole: it stands beside it under a hidden name of ours, and goes when it is dropped before.
/// It is locked while somebody writes it, so that one without a lock is what a process that died left.
pub(crate) struct Fresh {
    file: File,
    path: PathBuf,
    becomes: PathBuf,
    kept: bool,
}

impl Fresh {
    /// Takes away what died beside the same file before.
    pub(crate) fn beside(path: &Path) -> io::Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("file");
        sweep(path, name);
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let fresh = path.with_file_name(format!(".{name}.{}-{number}.tmp", std::process::id()));
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            as_closed_as_its_folder(&mut options, path);
            let file = match options.open(&fresh) {
                // What a process with our number left, where no locks are.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            // Where no locks are, nothing is taken away either.
            let locked = file.lock().is_ok();
            if !locked || fresh.exists() {
                return Ok(Self { file, path: fresh, becomes: path.to_owned(), kept: false });
            }
            // Another process took it away between its creation and the lock.
        }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// It becomes the file, also for the time after a power loss. When only the last of this fails, the new file stands, and
    /// nobody can say whether it outlives the power.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.becomes)?;
        self.kept = true;
        durable::sync_name(&self.becomes)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if !self.kept {
            // Whatever was written of it is of no use.
            fs::remove_file(&self.path).ok();
        }
    }
}

/// A lock may hold on one machine only (shares): what was written lately stays, for another machine may write it.
const WRITTEN_LATELY: Duration = Duration::from_secs(10 * 60);

/// Takes away files of [`Fresh`] for the same target that nobody writes any more. What cannot be looked at stays.
fn sweep(path: &Path, name: &str) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let begin = format!(".{name}.");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let numbers = file.to_str().and_then(|file| file.strip_prefix(&begin)?.strip_suffix(".tmp")?.split_once('-'));
        if numbers.is_some_and(are_numbers) && is_abandoned(&entry) {
            fs::remove_file(entry.path()).ok();
        }
    }
}

/// Whether a folder's entry is a file of [`Fresh`] whose writer died, whatever it was to become.
pub(crate) fn is_left_over(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let numbers = name.to_str().and_then(|name| {
        let (_, numbers) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
        numbers.split_once('-')
    });
    numbers.is_some_and(are_numbers) && is_abandoned(entry)
}

fn are_numbers((process, number): (&str, &str)) -> bool {
    [process, number].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A file that nobody has locked and that was not written lately.
fn is_abandoned(entry: &fs::DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_file())
        && OpenOptions::new().write(true).open(entry.path()).is_ok_and(|left| left.try_lock().is_ok())
        && entry.metadata().and_then(|meta| meta.modified()).is_ok_and(is_old)
}

fn is_old(modified: SystemTime) -> bool {
    modified.elapsed().is_ok_and(|age| age > WRITTEN_LATELY)
}

/// In a folder that only its owner may enter, such as the data folder, a new file is for its owner only; elsewhere it is as the system
/// makes it.
fn as_closed_as_its_folder(options: &mut OpenOptions, path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| fs::metadata(folder).is_ok_and(|meta| meta.permissions().mode() & 0o077 == 0)) {
            options.mode(0o600);
        }
    }
    #[cfg(not(unix))]
    let _ = (options, path);
}

/// Replaces a file whole, or leaves it as it was.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> ApiResult<()> {
    let result = Fresh::beside(path).and_then(|fresh| {
        let mut file = fresh.file();
        file.write_all(bytes)?;
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        fresh.keep()
    });
    result.map_err(|error| io_error(&error, path, "written"))
}

/// Why the system refused, as it ends a sentence.
pub(crate) fn io_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "the disk is full".into()
        }
        io::ErrorKind::PermissionDenied => "this account may not do that here".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only".into(),
        io::ErrorKind::NotFound => "its folder does not exist".into(),
        io::ErrorKind::IsADirectory => "it is a folder".into(),
        _ => error.to_string(),
    }
}

/// What a person can do about an IO error.
pub(crate) fn io_error(error: &io::Error, path: &Path, what: &str) -> ApiError {
    let place = path.display();
    let message = format!("{place} could not be {what}: {}.", io_words(error));
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            ApiError::unavailable(
                "DISK_FULL",
                format!("{message} The file is as it was before."),
                "Free some space and save again; changes that are not saved stay in the editor.",
            )
        }
        io::ErrorKind::PermissionDenied => ApiError::new(
            Class::Forbidden,
            "READ_ONLY",
            message,
            "Give this account the right to the file and its folder, then try again.",
        ),
        io::ErrorKind::ReadOnlyFilesystem => ApiError::new(
            Class::Forbidden,
            "READ_ONLY",
            message,
            "Choose a place on another disk, or have this one mounted for writing.",
        ),
        io::ErrorKind::NotFound => {
            ApiError::not_found(match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                Some(folder) if !folder.exists() => {
                    format!("The folder {} does not exist. Check the path.", folder.display())
                }
                _ => format!("{place} does not exist. Check the path."),
            })
        }
        io::ErrorKind::IsADirectory => ApiError::unavailable("IO_ERROR", message, "Name a file, not a folder."),
        _ => ApiError::unavailable("IO_ERROR", message, "Check the disk and the path, then try again."),
    }
}

/// Creates a folder of the data folder with its parents, for its owner only.
pub(crate) fn ensure_folder(path: &Path) -> ApiResult<()> {
    private::create_folder(path).map_err(|error| io_error(&error, path, "created"))
}

#[cfg(test)]
mod tests;
