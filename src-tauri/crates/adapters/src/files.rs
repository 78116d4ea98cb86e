//! Files of granted folders. One type, [`SafeDir`], opens everything: it holds the folder itself, and every path below
//! it is resolved beneath that handle, so neither `..` nor a link can lead out, whenever it is made. The data folder is closed to
//! it, whatever folder is granted ([`ClosedFolder`]).

mod closed;
mod glob;
mod pending;
mod processes;
mod safe_dir;

use crate::samples;
use async_trait::async_trait;
use closed::ClosedFolder;
use futures_util::future::{Either, select};
use glob::matches;
use pending::PendingWrites;
use safe_dir::{SafeDir, Trouble, explain};
use signalbox_ports::{FileEntry, FileError, FilePart, Files, PartSource, PieceStream, WriteMode, Written};
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

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

/// A file that is open for reading.
#[derive(Debug)]
pub struct OpenFile {
    /// At its beginning.
    pub file: std::fs::File,
    /// Bytes.
    pub size: u64,
    /// Time of its last change, in milliseconds since 1970.
    pub modified_ms: i64,
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

/// Pieces that wait for the disk.
const AHEAD: usize = 4;

/// What goes to the thread that writes.
enum Piece {
    Bytes(Vec<u8>),
    /// It is whole.
    End,
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
    closed: Arc<ClosedFolder>,
    pending: Arc<PendingWrites>,
}

impl FolderFiles {
    /// With these grants.
    pub fn new(grants: Vec<Grant>) -> Self {
        let files = Self::default();
        files.set_grants(grants);
        files
    }

    /// For a program with a data folder: no step reads, writes or lists in it, and writes that are under way are noted in it, so that
    /// [`Self::remove_leftovers`] finds what a killed process left.
    pub fn with_data_folder(data: &Path) -> Self {
        Self {
            open: Arc::default(),
            closed: Arc::new(ClosedFolder::new(data)),
            pending: Arc::new(PendingWrites::new(data.join("pending-writes"))),
        }
    }

    /// Removes the temporary files of processes that were killed while they wrote. Nothing else is touched.
    pub fn remove_leftovers(&self) {
        self.pending.remove_leftovers();
    }

    /// Whether a path is the data folder or inside it, by its real place. For paths that are handed to other programs.
    pub fn is_closed(&self, path: &Path) -> bool {
        self.closed.holds_path(path)
    }

    /// Opens a file by the real path that [`Written::place`] told, if a folder open to the workflow still holds it and neither the name
    /// nor a folder above it has become a link.
    pub fn open_written(&self, workflow: &str, place: &str) -> Result<OpenFile, FileError> {
        let path = Path::new(place);
        let (folder, below) = {
            let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
            let mine = open.iter().filter(|open| open.grant.workflow.as_deref().is_none_or(|only| only == workflow));
            let holds =
                mine.filter_map(|open| Some((open.real.clone(), path.strip_prefix(&open.real).ok()?.to_path_buf())));
            let deepest = holds.max_by_key(|(real, _)| real.components().count());
            deepest.ok_or_else(|| FileError::Refused { message: no_grant(place, path, Wanted::File) })?
        };
        if below.components().any(|part| !matches!(part, Component::Normal(_))) {
            return Err(FileError::Refused {
                message: format!("The path '{place}' is not allowed: it is no real path"),
            });
        }
        let dir = self.dir(&folder);
        dir.and_then(|dir| dir.open_real(&below)).map_err(|trouble| explain(trouble, place, 0))
    }

    /// Writes a file with what `content` gives.
    async fn write_with(
        &self,
        workflow: &str,
        path: &str,
        mut content: impl FnMut(&mut dyn Write) -> std::io::Result<()> + Send + 'static,
        mode: WriteMode,
    ) -> Result<Written, FileError> {
        if sample(path).is_some() {
            let message =
                format!("'{path}' is a sample file, and those are read only. Choose a path in an open folder");
            return Err(FileError::Refused { message });
        }
        let (this, workflow, path) = (self.clone(), workflow.to_owned(), path.to_owned());
        tokio::task::spawn_blocking(move || {
            let (folder, rest) = this.find(&workflow, &path, Wanted::Write)?;
            let dir = this.dir(&folder);
            dir.and_then(|dir| dir.write(&rest, &mut content, mode)).map_err(|trouble| explain(trouble, &path, 0))
        })
        .await
        .map_err(|error| blocked(&error))?
    }

    fn dir(&self, folder: &Path) -> Result<SafeDir, Trouble> {
        SafeDir::open(folder, Arc::clone(&self.closed), Arc::clone(&self.pending))
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

    /// Whether a step of a workflow may read or list at a path, or write there; the reason when it may not. Only the grants are
    /// looked at: nothing needs to be there yet.
    pub fn may(&self, workflow: &str, path: &str, write: bool) -> Result<(), String> {
        match self.find(workflow, path, if write { Wanted::Write } else { Wanted::File }) {
            Err(FileError::Refused { message }) => Err(message),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The real path of a file for a library that opens files by their names, if a folder open to the workflow holds it. One that
    /// does not exist yet is allowed where it may be made.
    pub(crate) fn database_file(
        &self,
        workflow: &str,
        path: &str,
        write: bool,
        create: bool,
    ) -> Result<PathBuf, FileError> {
        let (folder, rest) = self.find(workflow, path, if write { Wanted::Write } else { Wanted::File })?;
        self.dir(&folder).and_then(|dir| dir.real_file(&rest, create)).map_err(|trouble| explain(trouble, path, 0))
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
                let has = |open: &Open, rest: &Path| self.dir(&open.real).is_ok_and(|dir| dir.has(rest));
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
    format!("'{path}' could be in several granted folders. Write the absolute path, beginning with '/'")
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
            let dir = this.dir(&folder);
            dir.and_then(|dir| dir.read(&rest, limit)).map_err(|trouble| explain(trouble, &path, limit))
        })
        .await
        .map_err(|error| blocked(&error))?
    }

    async fn write(&self, workflow: &str, path: &str, bytes: &[u8], mode: WriteMode) -> Result<Written, FileError> {
        let bytes = bytes.to_vec();
        self.write_with(workflow, path, move |file| file.write_all(&bytes), mode).await
    }

    async fn read_part(&self, workflow: &str, path: &str, at: u64, most: usize) -> Result<FilePart, FileError> {
        if sample(path).is_some() {
            let all = self.read(workflow, path, u64::MAX).await?;
            let start = usize::try_from(at).unwrap_or(usize::MAX).min(all.len());
            let end = start.saturating_add(most).min(all.len());
            return Ok(FilePart { bytes: all[start..end].to_vec(), size: all.len() as u64, modified_ms: 0 });
        }
        let (this, workflow, path) = (self.clone(), workflow.to_owned(), path.to_owned());
        tokio::task::spawn_blocking(move || {
            let (folder, rest) = this.find(&workflow, &path, Wanted::File)?;
            let dir = this.dir(&folder);
            dir.and_then(|dir| dir.read_part(&rest, at, most)).map_err(|trouble| explain(trouble, &path, 0))
        })
        .await
        .map_err(|error| blocked(&error))?
    }

    async fn write_parts(
        &self,
        workflow: &str,
        path: &str,
        mut parts: PartSource,
        mode: WriteMode,
    ) -> Result<Written, FileError> {
        let content = move |file: &mut dyn Write| {
            while let Some(part) = parts() {
                file.write_all(&part.map_err(std::io::Error::other)?)?;
            }
            Ok(())
        };
        self.write_with(workflow, path, content, mode).await
    }

    async fn write_stream(
        &self,
        workflow: &str,
        path: &str,
        pieces: &mut dyn PieceStream,
        mode: WriteMode,
    ) -> Result<Written, FileError> {
        let (give, mut pieces_come) = tokio::sync::mpsc::channel(AHEAD);
        let content = move |file: &mut dyn Write| {
            loop {
                match pieces_come.blocking_recv() {
                    Some(Piece::Bytes(bytes)) => file.write_all(&bytes)?,
                    Some(Piece::End) => return Ok(()),
                    // Nobody gives any more: an error came, or the call was dropped.
                    None => return Err(std::io::Error::other("it did not arrive as a whole")),
                }
            }
        };
        let feed = async move {
            while let Some(piece) = pieces.next().await {
                let Ok(bytes) = piece else { return };
                // The write has failed and says why.
                if give.send(Piece::Bytes(bytes)).await.is_err() {
                    return;
                }
            }
            let _gone = give.send(Piece::End).await;
        };
        // A write that fails ends what gives, too.
        let write = self.write_with(workflow, path, content, mode);
        let (write, feed) = (std::pin::pin!(write), std::pin::pin!(feed));
        match select(write, feed).await {
            Either::Left((written, _)) => written,
            Either::Right(((), write)) => write.await,
        }
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
            let dir = this.dir(&folder);
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
