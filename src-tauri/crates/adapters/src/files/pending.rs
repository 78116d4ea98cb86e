//! Writes that are under way, noted in the data folder: a process that is killed leaves a temporary file in a folder that somebody
//! granted, and the next start removes exactly that one. No folder is searched for such files.

use crate::clock::random;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// How the names of temporary files begin; 16 hexadecimal digits follow.
pub(super) const TEMPORARY: &str = ".signalbox-write-";

/// Notes of writes. Nothing is noted without a data folder.
#[derive(Debug, Default)]
pub(super) struct PendingWrites {
    folder: Option<PathBuf>,
}

/// A note; it goes with the write. It is locked as long as its process lives.
pub(super) struct Note {
    path: PathBuf,
    _locked: File,
}

impl Drop for Note {
    fn drop(&mut self) {
        // What stays is taken away at the next start.
        fs::remove_file(&self.path).ok();
    }
}

/// A new name for a temporary file.
pub(super) fn temporary_name() -> String {
    format!("{TEMPORARY}{:016x}", random())
}

fn is_temporary(path: &Path) -> bool {
    let digits = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix(TEMPORARY));
    digits.is_some_and(|digits| digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl PendingWrites {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder: Some(folder) }
    }

    /// Notes that a temporary file is about to be made. A note that cannot be kept keeps nobody from writing.
    pub(super) fn note(&self, temporary: &Path) -> Option<Note> {
        let folder = self.folder.as_ref()?;
        let text = temporary.to_str()?;
        let path = folder.join(format!("{:016x}", random()));
        let made = || -> io::Result<File> {
            crate::private::create_folder(folder)?;
            let mut file = crate::private::create(&path)?;
            file.try_lock().map_err(io::Error::from)?;
            file.write_all(text.as_bytes())?;
            Ok(file)
        };
        match made() {
            Ok(file) => Some(Note { path, _locked: file }),
            Err(_) => {
                fs::remove_file(&path).ok();
                None
            }
        }
    }

    /// Removes the temporary files whose process is gone.
    pub(super) fn remove_leftovers(&self) {
        let Some(folder) = &self.folder else { return };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let note = entry.path();
            let Ok(mut file) = OpenOptions::new().read(true).write(true).open(&note) else { continue };
            if file.try_lock().is_err() {
                // Its process writes at this moment.
                continue;
            }
            let mut text = String::new();
            if file.read_to_string(&mut text).is_err() {
                continue;
            }
            let left = Path::new(&text);
            let is_file = || fs::symlink_metadata(left).is_ok_and(|about| about.is_file());
            if left.is_absolute() && is_temporary(left) && is_file() && fs::remove_file(left).is_err() {
                // The disk may be away or read only: the next start tries again.
                continue;
            }
            fs::remove_file(&note).ok();
        }
    }
}
