//! The data folder, which holds the secrets, the key of the audit chain and the history of all runs. It is closed to steps: granting
//! a folder above it, as the home folder is, must not hand those out.
//!
//! A folder is recognised by its real path and, on Unix, by its identity (device and inode), which neither a link nor another
//! spelling nor a mount changes. What is asked is the handle that is then used, and not a name that can change its meaning in between.

use cap_std::fs::{Dir, Metadata};
use std::path::{Path, PathBuf};

/// Where in a folder of the system a file is.
#[cfg(unix)]
type Identity = (u64, u64);

/// Folders above one another; more are a mistake of the file system.
#[cfg(unix)]
const DEEPEST: usize = 4_096;

/// The folder that is closed to steps, when there is one.
#[derive(Debug, Default)]
pub(super) struct ClosedFolder {
    real: Option<PathBuf>,
    /// As it was when the program began: it stays closed when it is moved.
    #[cfg(unix)]
    identity: Option<Identity>,
}

/// The path or the file is closed.
#[derive(Debug)]
pub(super) struct IsClosed;

impl ClosedFolder {
    pub(super) fn new(folder: &Path) -> Self {
        let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        Self {
            #[cfg(unix)]
            identity: unix::of_path(&real),
            real: Some(real),
        }
    }

    /// Whether a path is the folder or in it. What does not exist yet is where the part that exists leads.
    pub(super) fn holds_path(&self, path: &Path) -> bool {
        let Some(closed) = &self.real else { return false };
        for there in path.ancestors() {
            if let Ok(real) = std::fs::canonicalize(there) {
                if real.starts_with(closed) {
                    return true;
                }
                #[cfg(unix)]
                return real.ancestors().filter_map(unix::of_path).any(|identity| Some(identity) == self.identity);
                #[cfg(not(unix))]
                return false;
            }
        }
        path.starts_with(closed)
    }

    /// Refuses a folder that is the closed one or in it. `place` is its path.
    pub(super) fn check_folder(&self, folder: &Dir, place: &Path) -> Result<(), IsClosed> {
        let Some(closed) = &self.real else { return Ok(()) };
        if std::fs::canonicalize(place).is_ok_and(|real| real.starts_with(closed)) {
            return Err(IsClosed);
        }
        #[cfg(unix)]
        unix::check_chain(folder, self.identity, closed)?;
        #[cfg(not(unix))]
        let _ = folder;
        Ok(())
    }

    /// For the files of one list.
    pub(super) fn files(&self) -> ClosedFiles<'_> {
        ClosedFiles {
            #[cfg(unix)]
            closed: self.real.as_deref(),
            #[cfg(unix)]
            seen: unix::Seen::default(),
            #[cfg(not(unix))]
            _folder: self,
        }
    }

    /// Refuses a file that is in the closed folder under another name.
    pub(super) fn check_file(&self, about: &Metadata) -> Result<(), IsClosed> {
        #[cfg(unix)]
        if let Some(closed) = &self.real {
            return unix::check_file(about, closed);
        }
        #[cfg(not(unix))]
        let _ = about;
        Ok(())
    }
}

/// Tells many files of one list from those of the closed folder, which is read at most twice for all of them.
pub(super) struct ClosedFiles<'a> {
    #[cfg(unix)]
    closed: Option<&'a Path>,
    #[cfg(unix)]
    seen: unix::Seen,
    #[cfg(not(unix))]
    _folder: &'a ClosedFolder,
}

impl ClosedFiles<'_> {
    /// Whether a file is in the closed folder under another name.
    pub(super) fn hold(&self, about: &Metadata) -> bool {
        #[cfg(unix)]
        return self.closed.is_some_and(|closed| self.seen.holds(about, closed));
        #[cfg(not(unix))]
        {
            let _ = about;
            false
        }
    }
}

#[cfg(unix)]
mod unix {
    use super::{DEEPEST, Dir, Identity, IsClosed, Metadata, Path};
    use cap_std::ambient_authority;
    use cap_std::fs::MetadataExt;
    use std::cell::OnceCell;
    use std::collections::HashSet;
    use std::os::unix::fs::MetadataExt as _;

    pub(super) fn of_path(path: &Path) -> Option<Identity> {
        std::fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
    }

    fn of(about: &Metadata) -> Identity {
        (MetadataExt::dev(about), MetadataExt::ino(about))
    }

    /// Walks from the handle up to the root. The folders right inside the closed one are looked for, too: mounted somewhere else, one
    /// has other folders above it.
    pub(super) fn check_chain(folder: &Dir, began: Option<Identity>, closed: &Path) -> Result<(), IsClosed> {
        let mut refused: Vec<Identity> = began.into_iter().chain(of_path(closed)).collect();
        let inside = std::fs::read_dir(closed).into_iter().flatten().flatten();
        let folders = inside.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        refused.extend(folders.filter_map(|entry| of_path(&entry.path())));
        let mut above: Option<Dir> = None;
        let mut last = None;
        for _ in 0..DEEPEST {
            let current = above.as_ref().unwrap_or(folder);
            // A handle that cannot be looked at cannot be told from the closed one.
            let identity = of(&current.dir_metadata().map_err(|_| IsClosed)?);
            if refused.contains(&identity) {
                return Err(IsClosed);
            }
            if last == Some(identity) {
                return Ok(());
            }
            last = Some(identity);
            match current.open_parent_dir(ambient_authority()) {
                Ok(parent) => above = Some(parent),
                // A folder that this account may not open is above: the path was asked before.
                Err(_) => return Ok(()),
            }
        }
        Err(IsClosed)
    }

    /// Holds one folder for each run: looked into only for a file with several names.
    const ARTIFACTS: &str = "artifacts";

    /// How deep the closed folder is looked into for a file. One with several names may have one of them anywhere in it. One that
    /// is mounted alone has no second name: those that hold the secrets, the keys and the store are always looked at.
    fn depth(about: &Metadata) -> usize {
        if about.nlink() > 1 { DEEPEST } else { 1 }
    }

    pub(super) fn check_file(about: &Metadata, closed: &Path) -> Result<(), IsClosed> {
        let wanted = of(about);
        if any(closed, depth(about), &mut |identity| identity == wanted) { Err(IsClosed) } else { Ok(()) }
    }

    /// What [`check_file`] looks for, read once for many files.
    #[derive(Default)]
    pub(super) struct Seen {
        near: OnceCell<HashSet<Identity>>,
        all: OnceCell<HashSet<Identity>>,
    }

    impl Seen {
        pub(super) fn holds(&self, about: &Metadata, closed: &Path) -> bool {
            let depth = depth(about);
            let kept = if depth == 1 { &self.near } else { &self.all };
            let identities = kept.get_or_init(|| {
                let mut found = HashSet::new();
                any(closed, depth, &mut |identity| {
                    found.insert(identity);
                    false
                });
                found
            });
            identities.contains(&of(about))
        }
    }

    /// Whether something in a folder is wanted.
    fn any(folder: &Path, depth: usize, is_wanted: &mut dyn FnMut(Identity) -> bool) -> bool {
        std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
            let Ok(about) = entry.metadata() else { return false };
            let is_deeper = about.is_dir() && depth > 0 && (depth > 1 || entry.file_name() != ARTIFACTS);
            is_wanted((about.dev(), about.ino())) || (is_deeper && any(&entry.path(), depth - 1, is_wanted))
        })
    }
}
