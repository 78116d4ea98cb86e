//! The sources of Signalbox: a folder, or what `cargo xtask package` packs beside the programs. A packed file is read in memory and
//! unpacked nowhere.

use crate::error::ApiResult;
use crate::host::files::io_error;
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Most bytes of packed sources: ten times what they are.
const MOST: u64 = 80 << 20;

pub(super) enum Checkout {
    Folder(PathBuf),
    /// By place.
    Packed(PathBuf, BTreeMap<String, Vec<u8>>),
}

impl Checkout {
    pub(super) fn open(path: &Path) -> ApiResult<Self> {
        if !path.is_file() {
            return Ok(Self::Folder(path.to_owned()));
        }
        let files = unpacked(path).map_err(|error| io_error(&error, path, "read"))?;
        Ok(Self::Packed(path.to_owned(), files))
    }

    pub(super) fn read(&self, place: &str) -> ApiResult<Vec<u8>> {
        match self {
            Self::Folder(folder) => {
                let path = folder.join(place);
                fs::read(&path).map_err(|error| io_error(&error, &path, "read"))
            }
            Self::Packed(path, files) => files.get(place).cloned().ok_or_else(|| {
                let missing = io::Error::other(format!("it lacks {place}"));
                io_error(&missing, path, "read")
            }),
        }
    }

    pub(super) fn text(&self, place: &str) -> ApiResult<String> {
        Ok(String::from_utf8_lossy(&self.read(place)?).into_owned())
    }

    /// Whether a file is there.
    pub(super) fn has(&self, place: &str) -> bool {
        match self {
            Self::Folder(folder) => folder.join(place).is_file(),
            Self::Packed(_, files) => files.contains_key(place),
        }
    }

    /// The places of all files below a folder, in order; none when it is not there.
    pub(super) fn below(&self, folder: &str) -> Vec<String> {
        let mut places = Vec::new();
        match self {
            Self::Folder(root) => collect(&root.join(folder), folder, &mut places),
            Self::Packed(_, files) => {
                let start = format!("{folder}/");
                places.extend(files.keys().filter(|place| place.starts_with(&start)).cloned());
            }
        }
        places.sort();
        places
    }
}

fn collect(folder: &Path, place: &str, places: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, place) = (entry.path(), format!("{place}/{}", entry.file_name().to_string_lossy()));
        if path.is_dir() {
            collect(&path, &place, places);
        } else {
            places.push(place);
        }
    }
}

fn unpacked(path: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(path)?).take(MOST));
    let mut files = BTreeMap::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.header().entry_type().is_file() {
            let place = entry.path()?.to_string_lossy().into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            files.insert(place, bytes);
        }
    }
    Ok(files)
}
