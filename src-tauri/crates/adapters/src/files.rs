//! Files of granted folders. One type, [`SafeDir`], opens everything: it holds the folder itself, and every path below
//! it is resolved beneath that handle, so neither `..` nor a link can lead out, whenever it is made.

use crate::clock::random;
use crate::durable;
use crate::samples;
use async_trait::async_trait;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use signalbox_ports::{FileEntry, FileError, Files, WriteMode};
use std::io::{ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::UNIX_EPOCH;

/// A folder that a person of this machine has opened for workflows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Absolute path.
    pub folder: PathBuf,
    /// For this workflow only; for all when `None`.
    pub workflow: Option<String>,
    /// Writing too.
    pub write: bool,
}

/// What a path is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// A file to read.
    File,
    /// A file to write.
    Write,
    /// A folder to look into.
    Folder,
}

/// A grant with the folder's real place.
#[derive(Debug, Clone)]
struct Open {
    grant: Grant,
    real: PathBuf,
}

/// The files of the granted folders and the sample files.
#[derive(Debug, Clone, Default)]
pub struct FolderFiles {
    open: Arc<RwLock<Vec<Open>>>,
}

impl FolderFiles {
    /// With these grants.
    pub fn new(grants: Vec<Grant>) -> Self {
        let files = Self::default();
        files.set_grants(grants);
        files
    }

    /// Replaces the grants; runs in progress see them at their next file.
    pub fn set_grants(&self, grants: Vec<Grant>) {
        let open = grants
            .into_iter()
            .map(|grant| {
                let real = std::fs::canonicalize(&grant.folder).unwrap_or_else(|_| grant.folder.clone());
                Open { grant, real }
            })
            .collect();
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = open;
    }

    /// The grants.
    pub fn grants(&self) -> Vec<Grant> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).iter().map(|open| open.grant.clone()).collect()
    }

    /// Finds the folder that holds a path, and the path below it.
    fn find(&self, workflow: &str, path: &str, wanted: Wanted) -> Result<(PathBuf, PathBuf), FileError> {
        let below = check(path)?;
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let mine = open.iter().filter(|open| open.grant.workflow.as_deref().is_none_or(|only| only == workflow));
        let mut inside: Vec<(&Open, PathBuf)> = if below.is_absolute() {
            mine.filter_map(|open| {
                let rest = below.strip_prefix(&open.grant.folder).or_else(|_| below.strip_prefix(&open.real)).ok()?;
                Some((open, rest.to_path_buf()))
            })
            .collect()
        } else {
            mine.map(|open| (open, below.clone())).collect()
        };
        if inside.is_empty() {
            return Err(FileError::Refused { message: no_grant(path, &below, wanted) });
        }
        if wanted == Wanted::Write {
            inside.retain(|(open, _)| open.grant.write);
            if inside.is_empty() {
                return Err(FileError::Refused { message: read_only(path, &below) });
            }
        }
        // The deepest folder is the most particular grant; among several for a relative path, the one that has it.
        inside.sort_by_key(|(open, _)| std::cmp::Reverse(open.real.components().count()));
        if !below.is_absolute() {
            inside.dedup_by(|(a, _), (b, _)| a.real == b.real);
            if inside.len() > 1 {
                let has = |open: &Open, rest: &Path| SafeDir::open(&open.real).is_ok_and(|dir| dir.has(rest));
                let holders: Vec<usize> =
                    (0..inside.len()).filter(|index| has(inside[*index].0, &inside[*index].1)).collect();
                match holders.as_slice() {
                    [one] => return Ok((inside[*one].0.real.clone(), inside[*one].1.clone())),
                    _ => return Err(FileError::Refused { message: several(path) }),
                }
            }
        }
        match inside.into_iter().next() {
            Some((open, rest)) => Ok((open.real.clone(), rest)),
            None => Err(FileError::Refused { message: no_grant(path, &below, wanted) }),
        }
    }
}

/// The lexical rules: what no path of a workflow may hold on any system.
fn check(path: &str) -> Result<PathBuf, FileError> {
    let refused = |why: &str| {
        let shown: String = path.chars().take(200).map(|c| if c.is_control() { '?' } else { c }).collect();
        Err(FileError::Refused { message: format!("The path '{shown}' is not allowed: {why}") })
    };
    if path.chars().any(char::is_control) {
        return refused("it holds a control character");
    }
    if path.contains('\\') {
        return refused("it holds '\\'; write folders with '/'");
    }
    if path.len() > 4_096 {
        return refused("it is longer than 4,096 bytes");
    }
    if path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic() && !cfg!(windows) {
        return refused("it names a drive");
    }
    let below = PathBuf::from(path);
    for component in below.components() {
        match component {
            Component::ParentDir => return refused("'..' could lead out of the folder"),
            Component::Normal(name) if cfg!(windows) => {
                let name = name.to_string_lossy();
                let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
                let device = matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL")
                    || (stem.len() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT")));
                if device || name.contains(':') || name.ends_with(['.', ' ']) {
                    return refused("the system gives this name another meaning");
                }
            }
            Component::Normal(_) | Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Ok(below)
}

fn folder_of(below: &Path) -> String {
    match below.parent() {
        Some(parent) if below.is_absolute() => parent.display().to_string(),
        _ => "DIR".into(),
    }
}

fn no_grant(path: &str, below: &Path, wanted: Wanted) -> String {
    // A folder is opened itself: the one around it would open more than is wanted.
    let folder = match wanted {
        Wanted::Folder if below.is_absolute() => below.display().to_string(),
        _ => folder_of(below),
    };
    let what = if folder == "DIR" {
        "No folder is open to this workflow".into()
    } else {
        format!("The folder '{folder}' is not open to this workflow")
    };
    format!("{what}, so '{path}' cannot be used. Allow the folder in the app, or start with --allow-dir {folder}")
}

fn read_only(path: &str, below: &Path) -> String {
    let folder = folder_of(below);
    format!(
        "The folder of '{path}' is open for reading only. Allow writing in the app, or start with --allow-dir {folder}:rw"
    )
}

fn several(path: &str) -> String {
    format!("'{path}' could be in several open folders. Write the whole path, beginning with '/'")
}

/// A folder whose handle everything goes through.
struct SafeDir(Dir);

impl SafeDir {
    fn open(folder: &Path) -> std::io::Result<Self> {
        Dir::open_ambient_dir(folder, ambient_authority()).map(Self)
    }

    fn has(&self, path: &Path) -> bool {
        self.0.metadata(or_dot(path)).is_ok()
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Trouble> {
        // Asked first: opening a pipe would wait for its other end.
        let size = self.regular(path)?;
        if size > limit {
            return Err(Trouble::TooLarge(size));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        self.0.open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(Trouble::TooLarge(bytes.len() as u64));
        }
        Ok(bytes)
    }

    fn regular(&self, path: &Path) -> Result<u64, Trouble> {
        let about = self.0.metadata(or_dot(path))?;
        if about.is_dir() {
            return Err(Trouble::Words("it is a folder, not a file"));
        }
        if !about.is_file() {
            return Err(Trouble::Words("it is not an ordinary file"));
        }
        Ok(about.len())
    }

    fn write(&self, path: &Path, bytes: &[u8], mode: WriteMode) -> Result<u64, Trouble> {
        if path.file_name().is_none() {
            return Err(Trouble::Words("it is a folder, not a file"));
        }
        let missing: Vec<&Path> =
            path.ancestors().skip(1).take_while(|folder| !self.0.exists(or_dot(folder))).collect();
        if let Some(parent) = missing.first() {
            self.0.create_dir_all(parent)?;
        }
        match self.regular(path) {
            Err(Trouble::Io(error)) if error.kind() == ErrorKind::NotFound => {}
            other => {
                other?;
            }
        }
        match mode {
            WriteMode::Overwrite => self.replace(path, bytes)?,
            WriteMode::FailIfExists => {
                let mut file = self.0.open_with(path, OpenOptions::new().write(true).create_new(true))?;
                if let Err(error) = file.write_all(bytes).and_then(|()| file.sync_all()) {
                    // Half a file must not look like the whole one; the first failure is the one to tell.
                    let _gone = self.0.remove_file(path);
                    return Err(error.into());
                }
            }
            WriteMode::Append => {
                let mut file = self.0.open_with(path, OpenOptions::new().append(true).create(true))?;
                file.write_all(bytes)?;
                file.sync_all()?;
            }
        }
        // A step that is done is done after a power loss, too.
        for name in std::iter::once(path).chain(missing) {
            self.sync_name(name)?;
        }
        Ok(self.0.metadata(path)?.len())
    }

    /// As `durable::sync_name`, below this folder only.
    fn sync_name(&self, path: &Path) -> Result<(), Trouble> {
        let Some(folder) = path.parent().filter(|_| cfg!(unix)) else { return Ok(()) };
        // Not as a folder: such a handle names it, and cannot be synced.
        let synced = self.0.open(or_dot(folder)).and_then(|folder| folder.sync_all());
        Ok(durable::as_far_as_it_goes(synced)?)
    }

    /// A reader sees the old file or the new one, never a part.
    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), Trouble> {
        let name = format!("{TEMPORARY}{:016x}", random());
        let new = path.with_file_name(name);
        let mut file = self.0.open_with(&new, OpenOptions::new().write(true).create_new(true))?;
        let kept = self.0.metadata(path).map(|about| about.permissions());
        let done = file
            .write_all(bytes)
            .and_then(|()| kept.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
            .and_then(|()| file.sync_all())
            .and_then(|()| self.0.rename(&new, &self.0, path));
        if let Err(error) = done {
            let _gone = self.0.remove_file(&new);
            return Err(error.into());
        }
        Ok(())
    }

    fn list(&self, path: &Path, glob: &str) -> Result<Vec<(String, u64, i64)>, Trouble> {
        let mut found = Vec::new();
        for entry in self.0.read_dir(or_dot(path))? {
            let entry = entry?;
            // A name that is not UTF-8 could not be read by its path later.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let hidden = name.starts_with('.') && !glob.starts_with('.');
            if hidden || name.starts_with(TEMPORARY) || !matches(glob, &name) {
                continue;
            }
            // Through the folder, so that a link to a place outside is left out.
            let Ok(about) = self.0.metadata(path.join(&name)) else { continue };
            if !about.is_file() {
                continue;
            }
            let changed = about.modified().ok().and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
            let changed = changed.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or_default();
            found.push((name, about.len(), changed));
        }
        found.sort();
        Ok(found)
    }
}

const TEMPORARY: &str = ".signalbox-write-";

fn or_dot(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// `*` any characters, `?` one, everything else itself.
fn matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut g, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if g < glob.len() && glob[g] == '*' {
            star = Some((g, n));
            g += 1;
        } else if g < glob.len() && (glob[g] == '?' || glob[g] == name[n]) {
            g += 1;
            n += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            g = at + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

enum Trouble {
    Io(std::io::Error),
    Words(&'static str),
    TooLarge(u64),
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

fn explain(trouble: Trouble, path: &str, limit: u64) -> FileError {
    let io = |why: &str, disk_full| FileError::Io { message: format!("'{path}' cannot be used: {why}"), disk_full };
    match trouble {
        Trouble::Words(why) => io(why, false),
        Trouble::TooLarge(size) => FileError::TooLarge { size, limit },
        Trouble::Io(error) => match error.kind() {
            ErrorKind::NotFound => FileError::NotFound { path: path.to_owned() },
            ErrorKind::AlreadyExists => FileError::Exists { path: path.to_owned() },
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

fn sample(path: &str) -> Option<&str> {
    path.strip_prefix(samples::PREFIX)
}

fn blocked(error: &tokio::task::JoinError) -> FileError {
    FileError::Io { message: format!("The file work was stopped: {error}"), disk_full: false }
}

#[async_trait]
impl Files for FolderFiles {
    async fn read(&self, workflow: &str, path: &str, limit: u64) -> Result<Vec<u8>, FileError> {
        if let Some(name) = sample(path) {
            let file = samples::FILES.iter().find(|(known, _)| *known == name);
            return file.map(|(_, bytes)| bytes.to_vec()).ok_or_else(|| FileError::NotFound { path: path.to_owned() });
        }
        let (this, workflow, path) = (self.clone(), workflow.to_owned(), path.to_owned());
        tokio::task::spawn_blocking(move || {
            let (folder, rest) = this.find(&workflow, &path, Wanted::File)?;
            let dir = SafeDir::open(&folder).map_err(Trouble::from);
            dir.and_then(|dir| dir.read(&rest, limit)).map_err(|trouble| explain(trouble, &path, limit))
        })
        .await
        .map_err(|error| blocked(&error))?
    }

    async fn write(&self, workflow: &str, path: &str, bytes: &[u8], mode: WriteMode) -> Result<u64, FileError> {
        if sample(path).is_some() {
            let message =
                format!("'{path}' is a sample file, and those are read only. Choose a path in an open folder");
            return Err(FileError::Refused { message });
        }
        let (this, workflow, path, bytes) = (self.clone(), workflow.to_owned(), path.to_owned(), bytes.to_vec());
        tokio::task::spawn_blocking(move || {
            let (folder, rest) = this.find(&workflow, &path, Wanted::Write)?;
            let dir = SafeDir::open(&folder).map_err(Trouble::from);
            dir.and_then(|dir| dir.write(&rest, &bytes, mode)).map_err(|trouble| explain(trouble, &path, 0))
        })
        .await
        .map_err(|error| blocked(&error))?
    }

    async fn list(&self, workflow: &str, path: &str, glob: &str) -> Result<Vec<FileEntry>, FileError> {
        if let Some(folder) = sample(path) {
            if !folder.is_empty() {
                return Err(FileError::NotFound { path: path.to_owned() });
            }
            let files = samples::FILES.iter().filter(|(name, _)| matches(glob, name));
            return Ok(files
                .map(|(name, bytes)| FileEntry {
                    path: format!("{}{name}", samples::PREFIX),
                    name: (*name).to_owned(),
                    size: bytes.len() as u64,
                    modified_ms: 0,
                })
                .collect());
        }
        let (this, workflow, path, glob) = (self.clone(), workflow.to_owned(), path.to_owned(), glob.to_owned());
        tokio::task::spawn_blocking(move || {
            let (folder, rest) = this.find(&workflow, &path, Wanted::Folder)?;
            let dir = SafeDir::open(&folder).map_err(Trouble::from);
            let found = dir.and_then(|dir| dir.list(&rest, &glob)).map_err(|trouble| explain(trouble, &path, 0))?;
            let base = path.trim_end_matches('/');
            let entry = |(name, size, modified_ms): (String, u64, i64)| {
                let path = if path == "." { name.clone() } else { format!("{base}/{name}") };
                FileEntry { path, name, size, modified_ms }
            };
            Ok(found.into_iter().map(entry).collect())
        })
        .await
        .map_err(|error| blocked(&error))?
    }
}
