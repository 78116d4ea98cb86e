//! Who is alive: each process holds the OS lock on `instances/<uuid>.lock`; the kernel frees it when the process dies.
//!
//! There is no time limit and no stealing: a stopped process keeps its runs, a dead one loses them at once.

use crate::error::{Error, Result};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// This process's lock, held until it is dropped.
pub(crate) struct Instance {
    pub(crate) id: String,
    folder: PathBuf,
    _lock: File,
}

impl Instance {
    /// Takes the lock on a temporary name and then renames it, so that nobody can see the file unlocked.
    pub(crate) fn register(folder: &Path, new_id: &mut dyn FnMut() -> Result<String>) -> Result<Self> {
        create_private_folder(folder).map_err(|e| unusable(folder, &e))?;
        loop {
            let id = new_id()?;
            let fresh = folder.join(format!("{id}.new"));
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            private(&mut options);
            let file = options.open(&fresh).map_err(|e| unusable(folder, &e))?;
            file.lock().map_err(|e| unusable(folder, &e))?;
            match fs::rename(&fresh, folder.join(format!("{id}.lock"))) {
                Ok(()) => return Ok(Self { id, folder: folder.to_owned(), _lock: file }),
                // Another process cleaned the file up between its creation and the lock.
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(unusable(folder, &e)),
            }
        }
    }

    /// Whether the process of `id` lives. Checkers take the lock shared, so that two of them do not see each other.
    pub(crate) fn is_alive(&self, id: &str) -> bool {
        id == self.id || is_locked(&self.folder.join(format!("{id}.lock")))
    }

    /// How many other processes hold their lock.
    pub(crate) fn others(&self) -> usize {
        living(&self.folder).filter(|id| *id != self.id).count()
    }

    /// Removes the files of dead processes and says whether one of them died without closing the store.
    pub(crate) fn clean_up(&self) -> bool {
        let mut unclean = false;
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let own = name.strip_suffix(".lock") == Some(self.id.as_str());
            if !own && (name.ends_with(".lock") || name.ends_with(".new")) && !is_locked(&path) {
                unclean |= name.ends_with(".lock");
                // Somebody else may have removed it just now.
                let _ = fs::remove_file(&path);
            }
        }
        unclean
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // A file that stays is a dead one to every reader; only `clean_up` has more to do.
        let _ = fs::remove_file(self.folder.join(format!("{}.lock", self.id)));
    }
}

/// A file that is made by these options is for its owner only.
pub(crate) fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}

/// Makes a folder, and its parents, for their owner only.
pub(crate) fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Ids of the processes that hold their lock.
fn living(folder: &Path) -> impl Iterator<Item = String> {
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let id = name.strip_suffix(".lock")?;
        is_locked(&entry.path()).then(|| id.to_owned())
    })
}

/// Whether some process has the store of this folder open.
pub fn is_in_use(folder: &Path) -> bool {
    living(&folder.join("instances")).next().is_some()
}

fn is_locked(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Held while a store is created or upgraded: SQLite's switch to WAL does not wait for other processes.
pub(crate) fn setup_lock(folder: &Path) -> Result<File> {
    let path = folder.join("setup.guard");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    private(&mut options);
    let file = options.open(&path).map_err(|e| unusable(folder, &e))?;
    file.lock().map_err(|e| unusable(folder, &e))?;
    Ok(file)
}

pub(crate) fn unusable(folder: &Path, error: &std::io::Error) -> Error {
    if error.kind() == std::io::ErrorKind::StorageFull {
        return Error::DiskFull;
    }
    Error::Folder { folder: folder.display().to_string(), reason: error.to_string() }
}
