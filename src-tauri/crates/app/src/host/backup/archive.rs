//! The file of a backup: a gzipped tar. Its first member says what it is and in which format, its last one, the manifest,
//! lists every other member with its size and SHA-256. One that was cut off or edited is refused (docs/backup.md).

use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::io_error;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use signalbox_retrieval::is_index_file;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Counts changes after which older releases cannot restore.
const FORMAT: u32 = 1;
const HEADER: &str = "signalbox-backup.json";
const MANIFEST: &str = "manifest.json";
/// The database.
pub(super) const STORE: &str = "signalbox.db";
/// Secrets, keys and tokens under a passphrase.
pub(super) const SECRETS: &str = "secrets.age";
/// Folders of which every file is kept.
pub(super) const FOLDERS: [&str; 3] = ["workflows", ARTIFACTS, "plans"];
/// The one with a folder for each run that has files.
pub(super) const ARTIFACTS: &str = "artifacts";
/// The folder of indexes.
pub(super) const INDEXES: &str = "indexes";
/// Nobody has so many secrets; a member that is larger is not ours.
const MOST_SECRETS: u64 = 64 << 20;
/// Largest manifest: a million files.
const MOST_MANIFEST: u64 = 256 << 20;
const MOST_HEADER: u64 = 64 << 10;

/// The first member.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    signalbox_backup: u32,
    program: String,
}

/// What the backup is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    /// RFC 3339.
    pub(super) created_at: String,
    /// Version of the program that wrote it.
    pub(super) program: String,
    /// Version of the tables.
    pub(super) store_version: i64,
    pub(super) runs: u64,
    pub(super) audit_entries: u64,
    pub(super) audit_head: Option<String>,
    pub(super) files: Vec<Member>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Member {
    /// Below the data folder, with `/`.
    pub(super) path: String,
    pub(super) size: u64,
    pub(super) sha256: String,
}

/// Writes an archive, member by member. `pause` is called again and again.
pub(super) struct ArchiveWriter<'a> {
    tar: tar::Builder<GzEncoder<BufWriter<&'a File>>>,
    files: Vec<Member>,
    pause: &'a dyn Fn(),
}

impl<'a> ArchiveWriter<'a> {
    pub(super) fn begin(to: &'a File, program: &str, pause: &'a dyn Fn()) -> io::Result<Self> {
        // Most of it is JSON, which the fastest level makes small already.
        let gz = GzEncoder::new(BufWriter::with_capacity(1 << 20, to), Compression::fast());
        let mut this = Self { tar: tar::Builder::new(gz), files: Vec::new(), pause };
        let header = Header { signalbox_backup: FORMAT, program: program.to_owned() };
        this.put(HEADER, &serde_json::to_vec(&header)?, UNIX_EPOCH)?;
        Ok(this)
    }

    /// Adds a file as it is now.
    pub(super) fn add_file(&mut self, path: &str, mut file: File) -> io::Result<()> {
        let meta = file.metadata()?;
        let modified = meta.modified().unwrap_or(UNIX_EPOCH);
        self.add(path, &mut file, meta.len(), modified)
    }

    /// Adds bytes.
    pub(super) fn add_bytes(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.add(path, &mut &*bytes, bytes.len() as u64, UNIX_EPOCH)
    }

    fn add(&mut self, path: &str, from: &mut dyn Read, size: u64, modified: SystemTime) -> io::Result<()> {
        let mut hashing = Hashing { from: from.take(size), hash: Sha256::new(), read: 0, pause: self.pause };
        self.tar.append_data(&mut header(size, modified), path, &mut hashing)?;
        if hashing.read != size {
            return Err(io::Error::other(format!("{path} became shorter while it was read")));
        }
        let sha256 = hex(hashing.hash);
        self.files.push(Member { path: path.to_owned(), size, sha256 });
        Ok(())
    }

    fn put(&mut self, path: &str, bytes: &[u8], modified: SystemTime) -> io::Result<()> {
        self.tar.append_data(&mut header(bytes.len() as u64, modified), path, bytes)
    }

    /// Writes the manifest. `fill` gets the members.
    pub(super) fn end(mut self, fill: impl FnOnce(Vec<Member>) -> Manifest) -> io::Result<Manifest> {
        let manifest = fill(std::mem::take(&mut self.files));
        self.put(MANIFEST, &serde_json::to_vec(&manifest)?, UNIX_EPOCH)?;
        self.tar.into_inner()?.finish()?.flush()?;
        Ok(manifest)
    }
}

fn header(size: u64, modified: SystemTime) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    header.set_mode(0o600);
    header.set_mtime(modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs());
    header
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hashes what passes.
struct Hashing<'a, R> {
    from: R,
    hash: Sha256,
    read: u64,
    pause: &'a dyn Fn(),
}

impl<R: Read> Read for Hashing<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        self.hash.update(into.get(..count).unwrap_or_default());
        self.read += count as u64;
        (self.pause)();
        Ok(count)
    }
}

/// A member as it is read.
pub(super) struct Reading<'a> {
    pub(super) path: &'a str,
    pub(super) modified: SystemTime,
    pub(super) content: &'a mut dyn Read,
}

fn no_backup(why: &str) -> ApiError {
    let message = format!("This is no backup of Signalbox: {why}.");
    ApiError::new(Class::Invalid, "NOT_A_BACKUP", message, "Name a file that `signalbox backup` wrote.")
}

fn damaged(why: &str) -> ApiError {
    let message = format!("The backup is damaged, cut off or was edited: {why}.");
    ApiError::new(Class::Invalid, "BACKUP_DAMAGED", message, "Nothing was changed. Use another backup.")
}

/// Reads a whole archive and hands each member on; refuses whatever is not exactly what was written. What `visit` does not read
/// of a member is read all the same. `pause` is called again and again.
pub(super) fn read(
    path: &Path,
    file: &File,
    pause: &dyn Fn(),
    visit: &mut dyn FnMut(Reading<'_>) -> ApiResult<()>,
) -> ApiResult<Manifest> {
    let gz = GzDecoder::new(BufReader::with_capacity(1 << 20, file));
    let mut archive = tar::Archive::new(gz);
    let mut manifest: Option<Manifest> = None;
    let (mut found, mut names, mut is_first) = (Vec::new(), HashSet::new(), true);
    let broken = |error: io::Error| match error.raw_os_error() {
        Some(_) => io_error(&error, path, "read"),
        None => damaged(&error.to_string()),
    };
    for entry in archive.entries().map_err(|error| io_error(&error, path, "read"))? {
        // What is no gzip or no tar at all fails with the first one.
        let mut entry = match entry {
            Err(error) if is_first && error.raw_os_error().is_none() => return Err(no_backup(&error.to_string())),
            entry => entry.map_err(broken)?,
        };
        let name = String::from_utf8(entry.path_bytes().into_owned()).map_err(|_| damaged("a name is no text"))?;
        if std::mem::take(&mut is_first) {
            check_header(&name, &mut entry)?;
            continue;
        }
        if manifest.is_some() {
            return Err(damaged("something follows the manifest"));
        }
        if entry.header().entry_type() != tar::EntryType::Regular {
            return Err(damaged(&format!("{name} is no file")));
        }
        let size = entry.size();
        if name == MANIFEST {
            let mut text = Vec::new();
            entry.by_ref().take(MOST_MANIFEST).read_to_end(&mut text).map_err(broken)?;
            let read = serde_json::from_slice(&text);
            manifest = Some(read.map_err(|error| damaged(&format!("its manifest cannot be read: {error}")))?);
            continue;
        }
        if !is_expected(&name) || name == SECRETS && size > MOST_SECRETS {
            return Err(damaged(&format!("{name} does not belong into a backup")));
        }
        if !names.insert(name.clone()) {
            return Err(damaged(&format!("{name} is there twice")));
        }
        let modified = UNIX_EPOCH + Duration::from_secs(entry.header().mtime().unwrap_or_default());
        let mut hashing = Hashing { from: &mut entry, hash: Sha256::new(), read: 0, pause };
        visit(Reading { path: &name, modified, content: &mut hashing })?;
        io::copy(&mut hashing, &mut io::sink()).map_err(broken)?;
        if hashing.read != size {
            return Err(damaged(&format!("{name} is cut off")));
        }
        found.push(Member { path: name, size, sha256: hex(hashing.hash) });
    }
    if is_first {
        return Err(no_backup("it is empty"));
    }
    let manifest = manifest.ok_or_else(|| damaged("its manifest is missing"))?;
    // The checksum of the compressed stream comes last, and nothing after it.
    let mut gz = archive.into_inner();
    let mut rest = Vec::new();
    gz.by_ref().take(1 << 20).read_to_end(&mut rest).map_err(broken)?;
    let mut behind = [0_u8; 1];
    if rest.iter().any(|byte| *byte != 0) || gz.into_inner().read(&mut behind).map_err(broken)? > 0 {
        return Err(damaged("something follows its end"));
    }
    for (is, said) in found.iter().zip(&manifest.files) {
        if is != said {
            return Err(damaged(&format!("{} is not what the manifest says", is.path)));
        }
    }
    if found.len() != manifest.files.len() {
        return Err(damaged("it has other files than its manifest lists"));
    }
    if !found.iter().any(|member| member.path == STORE) {
        return Err(damaged("it has no database"));
    }
    Ok(manifest)
}

fn check_header(name: &str, entry: &mut impl Read) -> ApiResult<()> {
    if name != HEADER {
        return Err(no_backup(&format!("it begins with {name}, not with {HEADER}")));
    }
    let mut text = Vec::new();
    let read = entry.take(MOST_HEADER).read_to_end(&mut text);
    read.map_err(|error| damaged(&error.to_string()))?;
    let header: Header =
        serde_json::from_slice(&text).map_err(|_| no_backup(&format!("{HEADER} says something else")))?;
    if header.signalbox_backup > FORMAT {
        let message = format!(
            "This backup has format {}, written by Signalbox {}; this release reads up to {FORMAT}.",
            header.signalbox_backup,
            signalbox_model::text::one_line(&header.program)
        );
        return Err(newer(message));
    }
    Ok(())
}

/// The refusal of a backup of a newer release.
pub(super) fn newer(message: String) -> ApiError {
    ApiError::new(Class::Invalid, "BACKUP_TOO_NEW", message, "Update Signalbox, then restore it.")
}

/// The names that a backup has: nothing leads out of the data folder, and nothing is where this release has no data.
pub(super) fn is_expected(name: &str) -> bool {
    if name == STORE || name == SECRETS {
        return true;
    }
    // A colon and a backslash mean something in paths of Windows.
    let is_special = |part: &str| part.contains('\0') || cfg!(windows) && part.contains(['\\', ':']);
    let is_plain = name.split('/').all(|part| !matches!(part, "" | "." | "..") && !is_special(part));
    let Some((folder, rest)) = name.split_once('/') else { return false };
    is_plain && (FOLDERS.contains(&folder) || folder == INDEXES && !rest.contains('/') && is_index_file(rest))
}

#[cfg(test)]
mod tests;
