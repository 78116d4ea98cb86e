//! A folder whose handle everything goes through.

use super::OpenFile;
use super::closed::{ClosedFolder, IsClosed};
use super::glob::matches;
use super::pending::{PendingWrites, TEMPORARY, temporary_name};
use super::processes::{self, IsOfProcess};
use crate::durable;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use signalbox_ports::{FileError, FilePart, WriteMode, Written};
use std::ffi::OsString;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// A file that changes its name while it is opened is opened again so often.
const ATTEMPTS: usize = 16;

/// Writes what goes into a file.
type Content<'a> = &'a mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>;

/// A granted folder.
pub(super) struct SafeDir {
    root: Dir,
    place: PathBuf,
    closed: Arc<ClosedFolder>,
    pending: Arc<PendingWrites>,
}

/// A name in a folder that may be used. Links on the way are followed; the name itself is none.
struct Spot {
    folder: Dir,
    name: OsString,
}

impl SafeDir {
    pub(super) fn open(folder: &Path, closed: Arc<ClosedFolder>, pending: Arc<PendingWrites>) -> Result<Self, Trouble> {
        let root = Dir::open_ambient_dir(folder, ambient_authority())?;
        Ok(Self { root, place: folder.to_owned(), closed, pending })
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.root.metadata(or_dot(path)).is_ok()
    }

    /// The one way to a folder: through links, and never into the data folder.
    fn folder(&self, path: &Path) -> Result<(Dir, PathBuf), Trouble> {
        let real = self.root.canonicalize(or_dot(path))?;
        let folder = self.root.open_dir(or_dot(&real))?;
        let place = self.place.join(&real);
        processes::check(&folder)?;
        self.closed.check_folder(&folder, &place)?;
        Ok((folder, place))
    }

    /// Where a path that exists leads.
    fn spot(&self, path: &Path) -> Result<Spot, Trouble> {
        let real = self.root.canonicalize(or_dot(path))?;
        let Some(name) = real.file_name() else { return Err(Trouble::Words("it is a folder, not a file")) };
        let (folder, _) = self.folder(real.parent().unwrap_or(Path::new("")))?;
        let name = name.to_owned();
        if folder.symlink_metadata(&name)?.is_dir() {
            // It is told that it is closed, where it is.
            self.folder(&real)?;
        }
        Ok(Spot { folder, name })
    }

    /// Opens an ordinary file: the one that has the name, and not one that a link leads to which was made in between.
    fn open_file(&self, path: &Path, options: &OpenOptions) -> Result<File, Trouble> {
        for _ in 0..ATTEMPTS {
            let spot = self.spot(path)?;
            // Asked first: opening a pipe would wait for its other end.
            let named = spot.folder.symlink_metadata(&spot.name)?;
            regular(&named)?;
            self.closed.check_file(&named)?;
            let file = spot.folder.open_with(&spot.name, options)?;
            let opened = file.metadata()?;
            regular(&opened)?;
            self.closed.check_file(&opened)?;
            if spot.folder.symlink_metadata(&spot.name).is_ok_and(|named| is_same(&opened, &named)) {
                return Ok(file);
            }
        }
        Err(Trouble::Words("it changes all the time"))
    }

    /// The real path of an ordinary file, or of one that may be made in a folder that exists.
    pub(super) fn real_file(&self, path: &Path, create: bool) -> Result<PathBuf, Trouble> {
        match self.spot(path) {
            Ok(spot) => {
                let named = spot.folder.symlink_metadata(&spot.name)?;
                regular(&named)?;
                self.closed.check_file(&named)?;
                Ok(self.place.join(self.root.canonicalize(path)?))
            }
            Err(Trouble::Io(error)) if create && error.kind() == ErrorKind::NotFound => {
                let Some(name) = path.file_name() else { return Err(Trouble::Words("it is a folder, not a file")) };
                let (folder, place) = self.folder(path.parent().unwrap_or(Path::new("")))?;
                // A link to nothing would be followed when the file is made.
                if folder.symlink_metadata(name).is_ok() {
                    return Err(Trouble::Link);
                }
                Ok(place.join(name))
            }
            Err(trouble) => Err(trouble),
        }
    }

    pub(super) fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Trouble> {
        let file = self.open_file(path, OpenOptions::new().read(true))?;
        let size = file.metadata()?.len();
        if size > limit {
            return Err(Trouble::TooLarge(size));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        file.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(Trouble::TooLarge(bytes.len() as u64));
        }
        Ok(bytes)
    }

    /// At most so many bytes from a place on.
    pub(super) fn read_part(&self, path: &Path, at: u64, most: usize) -> Result<FilePart, Trouble> {
        let mut file = self.open_file(path, OpenOptions::new().read(true))?;
        let about = file.metadata()?;
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::with_capacity(most.min(usize::try_from(about.len().saturating_sub(at)).unwrap_or(most)));
        file.take(most as u64).read_to_end(&mut bytes)?;
        Ok(FilePart { bytes, size: about.len(), modified_ms: modified_ms(&about) })
    }

    /// The folder that a file is written into, made with the folders above it. The names that are new are on the disk.
    fn made_folder(&self, path: &Path) -> Result<(Dir, PathBuf), Trouble> {
        let there = path.ancestors().find(|folder| self.root.symlink_metadata(or_dot(folder)).is_ok());
        let there = there.unwrap_or(Path::new(""));
        let (mut folder, mut place) = self.folder(there)?;
        for name in path.strip_prefix(there).unwrap_or(path) {
            match folder.create_dir(name) {
                Ok(()) => sync(&folder)?,
                // Another step has made it; if it is a file, it cannot be opened as a folder.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
            folder = folder.open_dir(name)?;
            place.push(name);
            processes::check(&folder)?;
            self.closed.check_folder(&folder, &place)?;
        }
        Ok((folder, place))
    }

    pub(super) fn write(&self, path: &Path, content: Content<'_>, mode: WriteMode) -> Result<Written, Trouble> {
        let Some(name) = path.file_name() else { return Err(Trouble::Words("it is a folder, not a file")) };
        let (folder, place) = self.made_folder(path.parent().unwrap_or(Path::new("")))?;
        let is_there = match folder.symlink_metadata(name) {
            Ok(about) if about.is_symlink() => match self.spot(path) {
                Ok(spot) => {
                    regular(&spot.folder.symlink_metadata(&spot.name)?)?;
                    true
                }
                // A link to nothing.
                Err(Trouble::Io(error)) if error.kind() == ErrorKind::NotFound => false,
                Err(trouble) => return Err(trouble),
            },
            Ok(about) => {
                if about.is_dir() {
                    self.folder(path)?;
                }
                regular(&about)?;
                true
            }
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(error.into()),
        };
        match mode {
            WriteMode::Overwrite => self.replace(&folder, &place, name.as_ref(), content)?,
            WriteMode::FailIfExists => {
                let opened = folder.open_with(name, OpenOptions::new().write(true).create_new(true));
                let mut file = opened.map_err(|error| match error.kind() {
                    ErrorKind::AlreadyExists => Trouble::Exists,
                    _ => Trouble::Io(error),
                })?;
                if let Err(error) = content(&mut file).and_then(|()| file.sync_all()) {
                    // Half a file must not look like the whole one; the first failure is the one to tell.
                    let _gone = folder.remove_file(name);
                    return Err(error.into());
                }
            }
            WriteMode::Append => {
                let made = if is_there {
                    None
                } else {
                    match folder.open_with(name, OpenOptions::new().append(true).create_new(true)) {
                        Ok(file) => Some(file),
                        // Another step has made it, or it is a link to nothing.
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => None,
                        Err(error) => return Err(error.into()),
                    }
                };
                let mut file = match made {
                    Some(file) => file,
                    None => self.open_file(path, OpenOptions::new().append(true))?,
                };
                let before = file.metadata()?.len();
                if let Err(error) = content(&mut file).and_then(|()| file.sync_all()) {
                    // A half of it must not stay behind what was there; the first failure is the one to tell.
                    let _as_before = file.set_len(before);
                    return Err(error.into());
                }
            }
        }
        // A step that is done is done after a power loss, too.
        sync(&folder)?;
        let named = folder.symlink_metadata(name)?;
        // Only appending follows a link, and it stays below the granted folder.
        let (about, place) = if named.is_symlink() {
            (self.root.metadata(path)?, self.place.join(self.root.canonicalize(path)?))
        } else {
            (named, place.join(name))
        };
        Ok(Written { size: about.len(), place: place.display().to_string(), modified_ms: modified_ms(&about) })
    }

    /// Opens the ordinary file that has this path without any link.
    pub(super) fn open_real(&self, path: &Path) -> Result<OpenFile, Trouble> {
        let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else {
            return Err(Trouble::Words("it is a folder, not a file"));
        };
        let (folder, place) = self.folder(parent)?;
        let is_link = place != self.place.join(parent) || folder.symlink_metadata(name)?.is_symlink();
        if is_link {
            return Err(Trouble::Link);
        }
        let file = self.open_file(path, OpenOptions::new().read(true))?;
        let about = file.metadata()?;
        // A link that was put there in between leads to another file.
        if !folder.symlink_metadata(name).is_ok_and(|named| is_same(&about, &named)) {
            return Err(Trouble::Link);
        }
        Ok(OpenFile { size: about.len(), modified_ms: modified_ms(&about), file: file.into_std() })
    }

    /// A reader sees the old file or the new one, never a part.
    fn replace(&self, folder: &Dir, place: &Path, name: &Path, content: Content<'_>) -> Result<(), Trouble> {
        let new = temporary_name();
        let _noted = self.pending.note(&place.join(&new));
        let mut file = folder.open_with(&new, OpenOptions::new().write(true).create_new(true))?;
        let kept = folder.symlink_metadata(name).ok().filter(Metadata::is_file).map(|about| about.permissions());
        let done = content(&mut file)
            .and_then(|()| kept.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
            .and_then(|()| file.sync_all())
            .and_then(|()| folder.rename(&new, folder, name));
        if let Err(error) = done {
            let _gone = folder.remove_file(&new);
            return Err(error.into());
        }
        Ok(())
    }

    pub(super) fn list(&self, path: &Path, glob: &str) -> Result<Vec<(String, u64, i64)>, Trouble> {
        let (folder, _) = self.folder(path)?;
        let closed = self.closed.files();
        let mut found = Vec::new();
        for entry in folder.entries()? {
            let entry = entry?;
            // A name that is not UTF-8 could not be read by its path later.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let hidden = name.starts_with('.') && !glob.starts_with('.');
            if hidden || name.starts_with(TEMPORARY) || !matches(glob, &name) {
                continue;
            }
            let Ok(mut about) = folder.symlink_metadata(&name) else { continue };
            if about.is_symlink() {
                // A link to a place outside or in the data folder is left out.
                let Ok(spot) = self.spot(&path.join(&name)) else { continue };
                let Ok(leads_to) = spot.folder.symlink_metadata(&spot.name) else { continue };
                about = leads_to;
            }
            if !about.is_file() || closed.hold(&about) {
                continue;
            }
            found.push((name, about.len(), modified_ms(&about)));
        }
        found.sort();
        Ok(found)
    }
}

/// Waits until the names in a folder are on the disk, as `durable::sync_folder` does.
fn sync(folder: &Dir) -> Result<(), Trouble> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    // Not as a folder: such a handle names it, and cannot be synced.
    let synced = folder.open(".").and_then(|folder| folder.sync_all());
    Ok(durable::as_far_as_it_goes(synced)?)
}

/// Milliseconds since 1970; 0 where the system does not say.
fn modified_ms(about: &Metadata) -> i64 {
    let changed = about.modified().ok().and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
    changed.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or_default()
}

fn regular(about: &Metadata) -> Result<(), Trouble> {
    if about.is_dir() {
        return Err(Trouble::Words("it is a folder, not a file"));
    }
    if !about.is_file() {
        return Err(Trouble::Words("it is not an ordinary file"));
    }
    Ok(())
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use cap_std::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_one: &Metadata, other: &Metadata) -> bool {
    other.is_file()
}

fn or_dot(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

pub(super) enum Trouble {
    Io(std::io::Error),
    Words(&'static str),
    TooLarge(u64),
    /// The file exists and must not.
    Exists,
    /// It is in the data folder.
    Closed,
    /// It shows a running program.
    Process,
    /// It has become a link.
    Link,
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<IsOfProcess> for Trouble {
    fn from(_: IsOfProcess) -> Self {
        Self::Process
    }
}

impl From<IsClosed> for Trouble {
    fn from(_: IsClosed) -> Self {
        Self::Closed
    }
}

pub(super) fn explain(trouble: Trouble, path: &str, limit: u64) -> FileError {
    let io = |why: &str, disk_full| FileError::Io { message: format!("'{path}' cannot be used: {why}"), disk_full };
    match trouble {
        Trouble::Words(why) => io(why, false),
        Trouble::TooLarge(size) => FileError::TooLarge { size, limit },
        Trouble::Link => FileError::Refused { message: format!("'{path}' is a link now, and leads to another file") },
        Trouble::Exists => FileError::Exists { path: path.to_owned() },
        Trouble::Closed => FileError::Refused {
            message: format!(
                "'{path}' is in the data folder of Signalbox, which is closed to steps whatever folder is allowed: it holds the \
                 secrets, the audit key and the history of all runs. Keep the file in another folder"
            ),
        },
        Trouble::Process => FileError::Refused {
            message: format!(
                "'{path}' shows a running program, which is closed to steps whatever folder is allowed: such files hold the environment \
                 and the memory of programs, and with them secrets. Keep what a step needs in a file of its own"
            ),
        },
        Trouble::Io(error) => match error.kind() {
            ErrorKind::NotFound => FileError::NotFound { path: path.to_owned() },
            // No system call said this: the path led out of the folder.
            ErrorKind::PermissionDenied if error.raw_os_error().is_none() => FileError::Refused {
                message: format!(
                    "'{path}' leads out of its folder through a link. Allow the folder it leads to, if you trust it"
                ),
            },
            ErrorKind::PermissionDenied => io("the system does not permit it", false),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => io("the disk is full", true),
            ErrorKind::ReadOnlyFilesystem => io("the disk is read only", false),
            ErrorKind::NotADirectory => io("a part of the path is a file, not a folder", false),
            _ => io(&error.to_string(), false),
        },
    }
}
