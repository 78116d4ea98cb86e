//! Files in memory: every path is granted unless it begins with `/forbidden`.

use async_trait::async_trait;
use signalbox_ports::{FileEntry, FileError, Files, WriteMode, Written};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A map of path to bytes.
#[derive(Debug, Default)]
pub struct MemoryFiles(Mutex<BTreeMap<String, Vec<u8>>>);

impl MemoryFiles {
    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Puts a file there.
    pub fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files().insert(path.to_owned(), bytes.into());
    }
    /// Takes a file away.
    pub fn remove(&self, path: &str) {
        self.files().remove(path);
    }
    /// What a file holds.
    pub fn get(&self, path: &str) -> Option<Vec<u8>> {
        self.files().get(path).cloned()
    }
}

fn granted(path: &str) -> Result<(), FileError> {
    if path.starts_with("/forbidden") {
        return Err(FileError::Refused { message: format!("No granted folder holds {path}.") });
    }
    Ok(())
}

/// `*` and `?` on a file name.
fn matches(glob: &[u8], name: &[u8]) -> bool {
    match (glob.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            matches(rest, name) || name.split_first().is_some_and(|(_, tail)| matches(glob, tail))
        }
        (Some((b'?', rest)), Some((_, tail))) => matches(rest, tail),
        (Some((a, rest)), Some((b, tail))) => a == b && matches(rest, tail),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

#[async_trait]
impl Files for MemoryFiles {
    async fn read(&self, _workflow: &str, path: &str, limit: u64) -> Result<Vec<u8>, FileError> {
        granted(path)?;
        let bytes = self.get(path).ok_or_else(|| FileError::NotFound { path: path.to_owned() })?;
        let size = bytes.len() as u64;
        if size > limit { Err(FileError::TooLarge { size, limit }) } else { Ok(bytes) }
    }

    async fn write(&self, _workflow: &str, path: &str, bytes: &[u8], mode: WriteMode) -> Result<Written, FileError> {
        granted(path)?;
        let mut files = self.files();
        match mode {
            WriteMode::FailIfExists if files.contains_key(path) => {
                return Err(FileError::Exists { path: path.to_owned() });
            }
            WriteMode::Overwrite | WriteMode::FailIfExists => {
                files.insert(path.to_owned(), bytes.to_vec());
            }
            WriteMode::Append => files.entry(path.to_owned()).or_default().extend_from_slice(bytes),
        }
        let size = files.get(path).map_or(0, |all| all.len() as u64);
        Ok(Written { size, place: path.to_owned(), modified_ms: crate::clock::START_MS })
    }

    async fn list(&self, _workflow: &str, path: &str, glob: &str) -> Result<Vec<FileEntry>, FileError> {
        granted(path)?;
        let folder = if path.is_empty() || path.ends_with('/') { path.to_owned() } else { format!("{path}/") };
        let files = self.files();
        Ok(files
            .iter()
            .filter_map(|(file, bytes)| {
                let name = file.strip_prefix(&folder)?;
                (!name.contains('/') && matches(glob.as_bytes(), name.as_bytes())).then(|| FileEntry {
                    path: file.clone(),
                    name: name.to_owned(),
                    size: bytes.len() as u64,
                    modified_ms: crate::clock::START_MS,
                })
            })
            .collect())
    }
}
