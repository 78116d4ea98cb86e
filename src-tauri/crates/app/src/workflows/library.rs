//! The library: `*.signalbox.json` in granted folders and in `workflows/` of the data folder. A file is named to the
//! outside by an opaque id; its revision is the hash of its bytes.

use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::{io_error, write_atomic};
use crate::workflows::canonical;
use serde_json::Value;
use signalbox_adapters::{durable, private};
use signalbox_engine::validate::valid_workflow_id;
use signalbox_model::{hash::sha256_hex, text::bytes_without_bom};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

/// Largest workflow file.
pub(crate) const FILE_LIMIT: u64 = signalbox_import::FILE_LIMIT as u64;
/// Ending of every workflow file.
pub(crate) const ENDING: &str = ".signalbox.json";
const MOST_FILES: usize = 5_000;
const DEPTH: usize = 4;

/// Bytes of a file as found.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// Content hash.
    pub(crate) revision: String,
    /// Milliseconds since 1970.
    pub(crate) modified_ms: i64,
}

/// What a save or a deletion does to a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileChange<'a> {
    /// What the file held; `None`: there was none.
    pub(crate) before: Option<&'a Loaded>,
    /// Hash of what it holds now; `None`: it is deleted.
    pub(crate) after: Option<&'a str>,
}

/// Keeps the record of a change. Without one the file is put back as it was.
pub(crate) type Record<'a> = &'a dyn Fn(FileChange<'_>) -> ApiResult<()>;

/// Files a person owns.
#[derive(Debug)]
pub(crate) struct Library {
    home: PathBuf,
    known: Mutex<HashMap<String, PathBuf>>,
    /// One save at a time: between looking at the revision and the rename nobody else of this process writes.
    writing: Mutex<()>,
}

impl Library {
    /// The library of a data folder.
    pub(crate) fn open(data: &Path) -> ApiResult<Self> {
        let library = Self { home: data.join("workflows"), known: Mutex::default(), writing: Mutex::default() };
        private::create_folder(&library.home).map_err(|error| io_error(&error, &library.home, "created"))?;
        Ok(library)
    }

    /// Where new workflows are put.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Gives a file its id and remembers it.
    pub(crate) fn reference(&self, path: &Path) -> String {
        let id = sha256_hex(path.as_os_str().as_encoded_bytes())[..24].to_owned();
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), path.to_owned());
        id
    }

    /// The file of an id. `folders` is searched when the id was not met yet in this process.
    pub(crate) fn path_of(&self, reference: &str, folders: &[PathBuf]) -> ApiResult<PathBuf> {
        let known = |this: &Self| this.known.lock().unwrap_or_else(PoisonError::into_inner).get(reference).cloned();
        if let Some(path) = known(self) {
            return Ok(path);
        }
        self.files(folders);
        known(self).ok_or_else(unknown)
    }

    /// Whether a file stands in one of the folders: an id may be older than the end of a grant.
    pub(crate) fn holds(&self, path: &Path, folders: &[PathBuf]) -> bool {
        std::iter::once(&self.home).chain(folders).any(|folder| path.starts_with(folder))
    }

    /// All workflow files of the library, by path.
    pub(crate) fn files(&self, folders: &[PathBuf]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for folder in std::iter::once(&self.home).chain(folders) {
            walk(folder, DEPTH, &mut found);
        }
        found.sort();
        found.dedup();
        for path in &found {
            self.reference(path);
        }
        found
    }

    /// The file that a workflow has by its id.
    pub(crate) fn usual(&self, id: &str) -> PathBuf {
        self.home.join(format!("{id}{ENDING}"))
    }

    /// The file of a workflow: in the data folder by its usual name, else the first that holds the id there, else the first
    /// in another folder.
    pub(crate) fn by_id(&self, id: &str, folders: &[PathBuf]) -> Option<PathBuf> {
        let usual = self.usual(id);
        if valid_workflow_id(id) && holds(&usual, id) {
            return Some(usual);
        }
        let mut found = self.files(folders);
        found.sort_by_key(|path| !path.starts_with(&self.home));
        found.into_iter().find(|path| id_of(path).as_deref() == Some(id))
    }

    /// A free file name for a workflow of this name.
    pub(crate) fn free_path(&self, name: &str) -> PathBuf {
        let slug = slug(name);
        (1..)
            .map(|n| if n == 1 { format!("{slug}{ENDING}") } else { format!("{slug}-{n}{ENDING}") })
            .map(|file| self.home.join(file))
            .find(|path| !path.exists())
            .unwrap_or_else(|| self.home.join(format!("{slug}{ENDING}")))
    }

    /// Writes a document, unless the file changed since `base` and `overwrite` is not set. A file whose content would
    /// not change keeps its bytes, and nothing is recorded.
    pub(crate) fn save(
        &self,
        path: &Path,
        document: &Value,
        base: Option<&str>,
        overwrite: bool,
        record: Record<'_>,
    ) -> ApiResult<String> {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        // To open a pipe waits for who writes into it.
        if path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
            let message = format!("{} is a pipe or a device, not a file.", path.display());
            return Err(ApiError::bad_request(message, "Take it away, or choose another name."));
        }
        let current = match load(path) {
            Ok(loaded) => Some(loaded),
            Err(error) if error.class == Class::NotFound => None,
            // A file that became too large or unreadable was changed outside as well.
            Err(error) if overwrite || base.is_none() => {
                if error.code == "IO_ERROR" {
                    return Err(error);
                }
                None
            }
            Err(error) => return Err(error),
        };
        let revision = current.as_ref().map(|loaded| loaded.revision.as_str());
        if let Some(base) = base
            && !overwrite
            && revision.unwrap_or_default() != base
        {
            let (what, next) = match revision {
                Some(_) => (
                    "The file changed outside since it was opened.",
                    "Open the file again, or save over it on purpose.",
                ),
                None => (
                    "The file was moved or deleted outside.",
                    "Save over it on purpose to write it again, or save a copy.",
                ),
            };
            return Err(conflict(what, next, path, revision));
        }
        if let Some(loaded) = &current
            && serde_json::from_slice::<Value>(bytes_without_bom(&loaded.bytes))
                .is_ok_and(|old| canonical::same(&old, document))
        {
            return Ok(loaded.revision.clone());
        }
        let text = canonical::print(document);
        if text.len() as u64 > FILE_LIMIT {
            return Err(too_large(text.len() as u64));
        }
        write_atomic(path, text.as_bytes())?;
        let after = sha256_hex(text.as_bytes());
        let change = FileChange { before: current.as_ref(), after: Some(&after) };
        record(change).map_err(|why| put_back(path, current.as_ref(), why))?;
        Ok(after)
    }

    /// Deletes a file; with a base only while that is what it holds.
    pub(crate) fn delete(&self, path: &Path, base: Option<&str>, record: Record<'_>) -> ApiResult<()> {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match load(path) {
            Ok(found) => Some(found),
            // What cannot be read as a workflow can be deleted all the same.
            Err(error) if base.is_none() && error.class != Class::NotFound => None,
            Err(error) => return Err(error),
        };
        if let (Some(base), Some(found)) = (base, &found)
            && found.revision != base
        {
            let (what, next) = ("The file changed since that revision.", "Get it again, then decide.");
            return Err(conflict(what, next, path, Some(&found.revision)));
        }
        let deleted = fs::remove_file(path).and_then(|()| durable::sync_name(path));
        deleted.map_err(|error| io_error(&error, path, "deleted"))?;
        record(FileChange { before: found.as_ref(), after: None })
            .map_err(|why| if found.is_some() { put_back(path, found.as_ref(), why) } else { why })
    }
}

/// The file as it was, because the change could not be recorded.
fn put_back(path: &Path, before: Option<&Loaded>, why: ApiError) -> ApiError {
    let put = match before {
        Some(before) => write_atomic(path, &before.bytes),
        None => fs::remove_file(path).map_err(|error| io_error(&error, path, "removed again")),
    };
    match put {
        Ok(()) => why,
        Err(error) => {
            ApiError { message: format!("{} The file keeps the change: {}", why.message, error.message), ..why }
        }
    }
}

/// An id that leads to no file of the library.
pub(crate) fn unknown() -> ApiError {
    ApiError::not_found("No file of the library has this id. Reload the list of workflows.")
}

fn conflict(what: &str, next: &str, path: &Path, revision: Option<&str>) -> ApiError {
    let details = serde_json::json!({ "revision": revision, "path": path });
    ApiError::new(Class::Conflict, "CONFLICT", what, next).with(details)
}

/// It is a file, no link, and holds the workflow of an id.
pub(crate) fn holds(path: &Path, id: &str) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_file()) && id_of(path).as_deref() == Some(id)
}

/// The workflow id that a file holds.
pub(crate) fn id_of(path: &Path) -> Option<String> {
    let file: Value = serde_json::from_slice(bytes_without_bom(&load(path).ok()?.bytes)).ok()?;
    file["id"].as_str().map(str::to_owned)
}

/// Reads a workflow file within the size limit.
pub(crate) fn load(path: &Path) -> ApiResult<Loaded> {
    let fail = |error: std::io::Error| io_error(&error, path, "read");
    let file = fs::File::open(path).map_err(fail)?;
    let meta = file.metadata().map_err(fail)?;
    if meta.is_dir() {
        let message = format!("{} is a folder.", path.display());
        return Err(ApiError::bad_request(message, "Name a workflow file (*.signalbox.json)."));
    }
    if meta.len() > FILE_LIMIT {
        return Err(too_large(meta.len()));
    }
    let mut bytes = Vec::new();
    // A pipe has no length; the limit holds for it as well.
    file.take(FILE_LIMIT + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err(too_large(bytes.len() as u64));
    }
    let modified_ms = modified(&meta).unwrap_or(0);
    let revision = sha256_hex(&bytes);
    Ok(Loaded { bytes, revision, modified_ms })
}

/// When a file was changed, also one that cannot be read; milliseconds since 1970.
pub(crate) fn modified_ms(path: &Path) -> Option<i64> {
    modified(&path.metadata().ok()?)
}

fn modified(meta: &fs::Metadata) -> Option<i64> {
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

/// Whether the file or its folder refuses writing: a save writes beside the file. Asked of the system by doing it, because
/// permission bits know neither owners nor lists nor mounts. A full disk is not this.
pub(crate) fn read_only(path: &Path) -> bool {
    if fs::OpenOptions::new().write(true).open(path).is_err() {
        return true;
    }
    let probe = path.with_file_name(format!(".signalbox-{}.tmp", uuid::Uuid::now_v7()));
    match fs::OpenOptions::new().write(true).create_new(true).open(&probe) {
        Ok(_) => {
            fs::remove_file(&probe).ok();
            false
        }
        Err(error) => matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem),
    }
}

pub(crate) fn too_large(size: u64) -> ApiError {
    ApiError::new(
        Class::TooLarge,
        "TOO_LARGE",
        format!("The workflow file has {} MiB; the limit is 16 MiB.", size.div_ceil(1024 * 1024)),
        "Keep data out of the workflow: read it with a file step, or split the workflow.",
    )
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Links are not followed: a library folder ends at its border.
        let Ok(kind) = entry.file_type() else { continue };
        if name.starts_with('.') || found.len() >= MOST_FILES {
            continue;
        }
        if kind.is_dir() && depth > 0 && name != "node_modules" && name != "target" {
            walk(&entry.path(), depth - 1, found);
        } else if kind.is_file() && name.ends_with(ENDING) {
            found.push(entry.path());
        }
    }
}

/// Letters, digits and single hyphens, at most 60 characters; a workflow id as well as a file name.
pub(crate) fn slug(name: &str) -> String {
    let mut out = String::new();
    for c in name.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.len() >= 60 {
            break;
        }
    }
    let out = out.trim_end_matches('-').to_owned();
    // Names that Windows keeps for devices.
    let reserved = matches!(out.as_str(), "con" | "prn" | "aux" | "nul")
        || (out.len() == 4 && (out.starts_with("com") || out.starts_with("lpt")));
    if out.is_empty() || reserved { format!("workflow{}{out}", if out.is_empty() { "" } else { "-" }) } else { out }
}

#[cfg(test)]
mod tests;
