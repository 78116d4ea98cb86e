//! Index files as a whole: which there are, copies for backups, and whether they are sound.

use crate::index::{failed, open};
use signalbox_ports::retrieval::RetrievalError;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The files of all indexes in a folder, by name. A folder that is not there has none.
pub fn index_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    // The real folder: SQLite refuses links anywhere in the path of the file.
    let folder = match folder.canonicalize() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        folder => folder?,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let entry = entry?;
        let is_index = is_index_file(&entry.file_name().to_string_lossy());
        if is_index && entry.file_type()?.is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a file of this name is an index.
pub fn is_index_file(name: &str) -> bool {
    name.starts_with("index-") && name.ends_with(".sqlite")
}

/// Copies an index into a new file, consistently, while it is in use. The error is in plain words.
pub fn copy_index(file: &Path, target: &Path) -> Result<(), String> {
    let target = target.to_str().ok_or("the path is not Unicode")?;
    let connection = open(file, true, false).map_err(words)?;
    connection.execute("VACUUM INTO ?", [target]).map_err(failed).map_err(words)?;
    Ok(())
}

/// What SQLite finds wrong in an index, in its words; none when it is sound, or when nothing was indexed yet.
pub fn check_index(file: &Path) -> Vec<String> {
    let look = || {
        let connection = open(file, false, false)?;
        let mut statement = connection.prepare("PRAGMA integrity_check(20)").map_err(failed)?;
        let lines = statement.query_map([], |row| row.get::<_, String>(0)).map_err(failed)?;
        lines.collect::<rusqlite::Result<Vec<String>>>().map_err(failed)
    };
    match look() {
        Ok(lines) => lines.into_iter().filter(|line| line != "ok").collect(),
        Err(RetrievalError::Missing) => Vec::new(),
        Err(error) => vec![words(error)],
    }
}

fn words(error: RetrievalError) -> String {
    match error {
        RetrievalError::Missing => "nothing was indexed yet".into(),
        RetrievalError::Busy => "another program holds it for too long".into(),
        RetrievalError::DiskFull => "the disk is full".into(),
        RetrievalError::Full { limit } => format!("it has more than {limit} passages"),
        RetrievalError::Damaged { message }
        | RetrievalError::Embedding { message }
        | RetrievalError::Invalid { message, .. }
        | RetrievalError::Io { message } => message.trim_end_matches('.').to_owned(),
    }
}
