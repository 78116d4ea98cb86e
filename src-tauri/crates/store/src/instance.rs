//! Who is alive: each process holds the OS lock on `instances/<uuid>.lock`; the kernel frees it when the process dies. With a history
//! that several hosts share it is a lock in the database, which the server frees when the connection of the host ends.
//!
//! There is no time limit and no stealing: a stopped process keeps its runs, a dead one loses them at once.

use crate::error::{Error, Result};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// This process, as others see that it lives.
pub(crate) struct Instance {
    pub(crate) id: String,
    place: Place,
}

enum Place {
    Folder(Lock),
    /// The lock is that of the connection that writes; these look at the others.
    #[cfg(feature = "postgres")]
    Server(Seen),
}

/// Who was seen at the server.
#[cfg(feature = "postgres")]
struct Seen {
    readers: crate::connection::Readers,
    /// Since when others have not been seen.
    missing: std::sync::Mutex<std::collections::HashMap<String, std::time::Instant>>,
}

/// So long nothing is taken from a host whose connection has ended: when the server was started again, all hosts come back.
#[cfg(feature = "postgres")]
const MISSING: std::time::Duration = std::time::Duration::from_secs(3);

/// This process's lock, held until it is dropped.
struct Lock {
    id: String,
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
                Ok(()) => {
                    let lock = Lock { id: id.clone(), folder: folder.to_owned(), _lock: file };
                    return Ok(Self { id, place: Place::Folder(lock) });
                }
                // Another process cleaned the file up between its creation and the lock.
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(unusable(folder, &e)),
            }
        }
    }

    /// The instance that has registered at the server.
    #[cfg(feature = "postgres")]
    pub(crate) fn at_server(id: String, server: crate::connection::Database) -> Self {
        let seen = Seen { readers: crate::connection::Readers::new(server), missing: std::sync::Mutex::default() };
        Self { id, place: Place::Server(seen) }
    }

    /// Whether the process of `id` lives. Checkers take the lock shared, so that two of them do not see each other.
    pub(crate) fn is_alive(&self, id: &str) -> bool {
        id == self.id
            || match &self.place {
                Place::Folder(lock) => is_locked(&lock.folder.join(format!("{id}.lock"))),
                #[cfg(feature = "postgres")]
                Place::Server(seen) => seen.is_alive(id),
            }
    }

    /// How many other processes hold their lock.
    pub(crate) fn others(&self) -> usize {
        match &self.place {
            Place::Folder(lock) => living(&lock.folder).filter(|id| *id != self.id).count(),
            #[cfg(feature = "postgres")]
            Place::Server(seen) => {
                let others =
                    |all: Vec<(String, bool)>| all.iter().filter(|(id, there)| *there && *id != self.id).count();
                seen.instances().map_or(0, others)
            }
        }
    }

    /// Removes the files of dead processes and says whether one of them died without closing the store.
    pub(crate) fn clean_up(&self) -> bool {
        match &self.place {
            Place::Folder(lock) => lock.clean_up(),
            #[cfg(feature = "postgres")]
            Place::Server(_) => false,
        }
    }
}

#[cfg(feature = "postgres")]
impl Seen {
    /// Who has not been closed, and whether each is there; `None` when the server cannot be asked.
    fn instances(&self) -> Option<Vec<(String, bool)>> {
        use crate::sql::Connection;
        use crate::sql::postgres::server::Server;
        let found = self.readers.read(|connection| match connection {
            Connection::Server(server) => Server::instances(server),
            Connection::File(_) => Ok(Vec::new()),
        });
        found.ok()
    }

    fn is_alive(&self, id: &str) -> bool {
        let instances = self.instances();
        let mut missing = self.missing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(instances) = instances else {
            // Where nobody can say, nothing is taken from anybody.
            missing.clear();
            return true;
        };
        missing.retain(|known, _| instances.iter().any(|(one, is_there)| one == known && !is_there));
        match instances.iter().find(|(one, _)| one == id) {
            // It has ended in order.
            None => false,
            Some((_, true)) => true,
            Some(_) => missing.entry(id.to_owned()).or_insert_with(std::time::Instant::now).elapsed() < MISSING,
        }
    }
}

#[cfg(feature = "postgres")]
impl Drop for Instance {
    fn drop(&mut self) {
        use crate::sql::Connection;
        use crate::sql::postgres::server::Server;
        if let Place::Server(seen) = &self.place {
            // A row that stays is that of a dead one to every reader.
            let _ = seen.readers.read(|connection| match connection {
                Connection::Server(server) => Server::leave(server, &self.id),
                Connection::File(_) => Ok(()),
            });
        }
    }
}

impl Lock {
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

impl Drop for Lock {
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
