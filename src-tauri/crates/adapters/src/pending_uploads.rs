//! Uploads in parts that are under way, noted in the data folder. A note is locked as long as its call lives, so that one that a
//! killed process left is found by the next call that writes to the same store.

use crate::clock::random;
use signalbox_ports::uploads::{NotedUpload, Uploads};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Notes of uploads.
#[derive(Debug)]
pub struct PendingUploads {
    folder: PathBuf,
}

struct Noted {
    url: String,
    id: String,
    /// The note, and its lock.
    kept: Option<(PathBuf, File)>,
}

impl NotedUpload for Noted {
    fn url(&self) -> &str {
        &self.url
    }
    fn id(&self) -> &str {
        &self.id
    }
    fn ended(self: Box<Self>) {
        if let Some((path, _locked)) = &self.kept {
            // One that stays is looked at again, and the store says that there is no such upload.
            fs::remove_file(path).ok();
        }
    }
}

impl PendingUploads {
    /// In a data folder.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join("pending-uploads") }
    }

    fn note(&self, url: &str, id: &str) -> io::Result<(PathBuf, File)> {
        crate::private::create_folder(&self.folder)?;
        let path = self.folder.join(format!("{:016x}", random()));
        let mut file = crate::private::create(&path)?;
        file.try_lock().map_err(io::Error::from)?;
        file.write_all(format!("{url}\n{id}").as_bytes())?;
        file.sync_all()?;
        Ok((path, file))
    }
}

impl Uploads for PendingUploads {
    fn begun(&self, url: &str, id: &str) -> Box<dyn NotedUpload> {
        Box::new(Noted { url: url.to_owned(), id: id.to_owned(), kept: self.note(url, id).ok() })
    }

    fn left(&self, below: &str, most: usize) -> Vec<Box<dyn NotedUpload>> {
        let mut found: Vec<Box<dyn NotedUpload>> = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if found.len() == most {
                break;
            }
            let path = entry.path();
            let Ok(mut file) = OpenOptions::new().read(true).write(true).open(&path) else { continue };
            let mut text = String::new();
            // A call is at work on one that is locked.
            if file.try_lock().is_err() || file.read_to_string(&mut text).is_err() {
                continue;
            }
            match text.split_once('\n') {
                Some((url, id)) if url.starts_with(below) && !id.is_empty() => {
                    found.push(Box::new(Noted { url: url.to_owned(), id: id.to_owned(), kept: Some((path, file)) }));
                }
                Some(_) => {}
                // The process ended while it wrote the note: nothing was uploaded yet.
                None => {
                    fs::remove_file(&path).ok();
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
