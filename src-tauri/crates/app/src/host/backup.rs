//! A backup of the data folder into one file, while it is in use, and how it is restored (docs/backup.md).

mod archive;
mod pace;
mod restore;
mod schedule;

pub use restore::{Restore, RestoreReport, restore};

use crate::app::App;
use crate::caller::{Caller, os_user};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::{Fresh, io_error};
use archive::{ARTIFACTS, ArchiveWriter, FOLDERS, INDEXES, Manifest, SECRETS, STORE, is_expected};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pace::Pace;
use serde::{Deserialize, Serialize};
use serde_json::json;
use signalbox_adapters::{private, vault};
use signalbox_model::{AuditEvent, time};
use signalbox_ports::Secret;
use signalbox_retrieval::{copy_index, index_files};
use signalbox_store::audit::{Actor, Level};
use signalbox_store::{StoreError, check_copy, runs_in_copy};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Files of the data folder that are kept with the secrets only, beside the folder `secrets`.
const SECRET_FILES: [&str; 2] = ["audit.key", "serve.token"];

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupReport {
    /// The archive.
    pub file: PathBuf,
    /// Its bytes.
    pub size_bytes: u64,
    /// Files in it.
    pub files: u64,
    /// Runs in it.
    pub runs: u64,
    /// Entries of the audit chain in it.
    pub audit_entries: u64,
    /// Whether the secrets are in it.
    pub secrets: bool,
    /// What is not in it although a person may expect it, one sentence each.
    pub left_out: Vec<String>,
    /// Why the backup is not recorded in the audit chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_recorded: Option<String>,
}

/// What is under the passphrase: files of the data folder, base64.
#[derive(Serialize, Deserialize)]
struct SecretFiles {
    files: BTreeMap<String, String>,
}

/// A folder for its owner only that goes when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn create(path: PathBuf) -> ApiResult<Self> {
        let made = match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => private::create_folder(&path),
        };
        made.map_err(|error| io_error(&error, &path, "created"))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is for its owner only.
        fs::remove_dir_all(&self.0).ok();
    }
}

impl App {
    /// Writes a backup to a new file. With a passphrase the secrets, the key of the audit chain and the tokens of the server
    /// are in it, encrypted.
    pub async fn back_up(
        self: &Arc<Self>,
        caller: &Caller,
        out: PathBuf,
        passphrase: Option<String>,
    ) -> ApiResult<BackupReport> {
        let (caller, passphrase) = (caller.clone(), passphrase.map(Secret::new));
        self.blocking(move |app| app.back_up_now(caller.actor(), caller.via.as_str(), &out, passphrase.as_ref())).await
    }

    fn back_up_now(&self, actor: Actor, via: &str, out: &Path, passphrase: Option<&Secret>) -> ApiResult<BackupReport> {
        self.store.is_copied_as_a_file()?;
        let out = std::path::absolute(out).map_err(|error| io_error(&error, out, "found"))?;
        if out.symlink_metadata().is_ok() {
            let message = format!("{} exists already.", out.display());
            return Err(ApiError::new(
                Class::Conflict,
                "FILE_EXISTS",
                message,
                "Name a new file; nothing is replaced.",
            ));
        }
        let secrets = passphrase.map(|passphrase| self.sealed_secrets(passphrase)).transpose()?;
        let facts = json!({ "file": out, "secrets": secrets.is_some(), "via": via, "osUser": os_user() });
        // Before the copy, so that the backup says of itself who made it.
        let record = self.fact(AuditEvent::BackupCreated, Level::Warn, actor, facts);
        let not_recorded = match self.store.audit_append(record, None, true) {
            Ok(_) => None,
            // Whoever cannot save any more needs a backup most.
            Err(error @ (StoreError::DiskFull | StoreError::ReadOnly)) => Some(format!("{error}.")),
            Err(error) => return Err(error.into()),
        };
        let fresh = Fresh::beside(&out).map_err(|error| io_error(&error, &out, "created"))?;
        owner_only(fresh.file()).map_err(|error| io_error(&error, &out, "created"))?;
        // Beside the backup: the disk of the data folder may be the one that is full.
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        let scratch = Scratch::create(out.with_file_name(format!(".{name}.{}.parts", std::process::id())))?;
        let mut left_out = Vec::new();
        let manifest = self.write_archive(fresh.file(), &out, &scratch.0, secrets.as_deref(), &mut left_out)?;
        let pace = Pace::new();
        let pause = || pace.rest();
        let verified = archive::read(&out, &reopened(fresh.file(), &out)?, &pause, &mut |_| Ok(()))?;
        if verified != manifest {
            let message = format!("{} does not read back as it was written.", out.display());
            return Err(ApiError::unavailable(
                "BACKUP_UNREADABLE",
                message,
                "Check the disk, then back up to another one.",
            ));
        }
        let size_bytes = fresh.file().metadata().map_err(|error| io_error(&error, &out, "read"))?.len();
        fresh.keep().map_err(|error| io_error(&error, &out, "written"))?;
        left_out.extend(self.outside_folders()?);
        Ok(BackupReport {
            file: out,
            size_bytes,
            files: manifest.files.len() as u64,
            runs: manifest.runs,
            audit_entries: manifest.audit_entries,
            secrets: secrets.is_some(),
            left_out,
            not_recorded,
        })
    }

    fn write_archive(
        &self,
        to: &File,
        out: &Path,
        scratch: &Path,
        secrets: Option<&[u8]>,
        left_out: &mut Vec<String>,
    ) -> ApiResult<Manifest> {
        let unwritten = |error: io::Error| io_error(&error, out, "written");
        let data = self.data_dir();
        // First, so that every file that the copy names is there when the files are copied.
        let copy = scratch.join(STORE);
        let pace = Arc::new(Pace::new());
        let (copying, checking) = (Arc::clone(&pace), Arc::clone(&pace));
        self.store.back_up(&copy, Arc::new(move || copying.rest()))?;
        let facts = check_copy(&copy, Arc::new(move || checking.rest()))?;
        let artifacts = data.join(ARTIFACTS);
        let with_files = names(&artifacts).map_err(|error| io_error(&error, &artifacts, "read"))?;
        let in_copy = runs_in_copy(&copy, with_files.into_iter().filter(|name| is_run(name)))?;
        // Files of a run that started after the copy was made would be of no use.
        let is_later = |path: &str| {
            let run = path.strip_prefix(ARTIFACTS).and_then(|rest| rest.strip_prefix('/')?.split('/').next());
            run.is_some_and(|run| is_run(run) && !in_copy.contains(run))
        };
        let program = env!("CARGO_PKG_VERSION");
        let pause = || pace.rest();
        let mut archive = ArchiveWriter::begin(to, program, &pause).map_err(unwritten)?;
        archive.add_file(STORE, opened(&copy)?).map_err(unwritten)?;
        // Its place is needed for the next copy.
        fs::remove_file(&copy).ok();
        let folder = data.join(INDEXES);
        for file in index_files(&folder).map_err(|error| io_error(&error, &folder, "read"))? {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let copy = scratch.join(&name);
            if let Err(error) = copy_index(&file, &copy) {
                // Documents can be indexed again; the rest must not wait for that.
                left_out.push(format!("The index {name} cannot be copied: {error}."));
                fs::remove_file(&copy).ok();
                continue;
            }
            archive.add_file(&format!("{INDEXES}/{name}"), opened(&copy)?).map_err(unwritten)?;
            fs::remove_file(&copy).ok();
        }
        for folder in FOLDERS {
            let place = data.join(folder);
            let mut found = Vec::new();
            walk(&place, folder, &mut found, left_out).map_err(|error| io_error(&error, &place, "read"))?;
            for (path, file) in found.into_iter().filter(|(path, _)| !is_later(path)) {
                match File::open(&file) {
                    // It was deleted since the folder was read.
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(io_error(&error, &file, "read")),
                    Ok(open) => archive.add_file(&path, open).map_err(unwritten)?,
                }
            }
        }
        if let Some(secrets) = secrets {
            archive.add_bytes(SECRETS, secrets).map_err(unwritten)?;
        }
        let created_at = time::format(self.now_ms());
        let end = |files| Manifest {
            created_at,
            program: program.to_owned(),
            store_version: facts.version,
            runs: facts.runs,
            audit_entries: facts.audit_entries,
            audit_head: facts.audit_head,
            files,
        };
        archive.end(end).map_err(unwritten)
    }

    /// The files with secrets, under a passphrase. The secrets themselves get a new key, which only the passphrase opens: the
    /// key store of this machine is not needed to restore them.
    fn sealed_secrets(&self, passphrase: &Secret) -> ApiResult<Vec<u8>> {
        let mut files = BTreeMap::new();
        for (name, bytes) in self.secrets.vault.copy_under(passphrase)?.unwrap_or_default() {
            files.insert(format!("secrets/{name}"), STANDARD.encode(bytes));
        }
        for name in SECRET_FILES {
            let path = self.data_dir().join(name);
            match fs::read_to_string(&path).map(Zeroizing::new) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(io_error(&error, &path, "read")),
                // Only says that the key is in the key store of this machine.
                Ok(text) if name == "audit.key" && text.lines().any(|line| line.starts_with("system ")) => {}
                Ok(text) => drop(files.insert(name.to_owned(), STANDARD.encode(text.as_bytes()))),
            }
        }
        let plain = serde_json::to_vec(&SecretFiles { files }).map(Zeroizing::new);
        let plain =
            plain.map_err(|error| ApiError::unavailable("INTERNAL", format!("{error}."), "Report this fault."))?;
        Ok(vault::seal_with_passphrase(passphrase, &plain)?)
    }

    /// Folders of people outside the data folder: they have their own backups.
    fn outside_folders(&self) -> ApiResult<Vec<String>> {
        let grants = self.store.folders()?;
        let library = grants.iter().filter(|grant| grant.library);
        Ok(library.map(|grant| format!("Workflow files in {} are outside the data folder.", grant.folder)).collect())
    }
}

fn opened(path: &Path) -> ApiResult<File> {
    File::open(path).map_err(|error| io_error(&error, path, "read"))
}

/// The same file, from its beginning.
fn reopened(file: &File, path: &Path) -> ApiResult<File> {
    use std::io::Seek;
    let again = file.try_clone().and_then(|mut again| again.rewind().map(|()| again));
    again.map_err(|error| io_error(&error, path, "read"))
}

#[cfg(unix)]
fn owner_only(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn owner_only(_file: &File) -> io::Result<()> {
    Ok(())
}

/// All files of a folder, by name. Links and names that are no text are left out, which is said; so are half-written files.
fn is_run(name: &str) -> bool {
    uuid::Uuid::parse_str(name).is_ok()
}

/// Names of what is in a folder; none when it is not there.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect(),
    }
}

fn walk(folder: &Path, name: &str, found: &mut Vec<(String, PathBuf)>, left_out: &mut Vec<String>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (kind, path) = (entry.file_type()?, entry.path());
        let part = entry.file_name();
        let inside = part.to_str().map(|part| format!("{name}/{part}")).filter(|inside| is_expected(inside));
        match inside {
            Some(inside) if kind.is_dir() => walk(&path, &inside, found, left_out)?,
            Some(inside) if kind.is_file() => {
                let is_half = part.to_str().is_some_and(|part| part.starts_with('.') && part.ends_with(".tmp"));
                if !is_half {
                    found.push((inside, path));
                }
            }
            _ => left_out.push(format!("{} is no file that a backup can hold.", path.display())),
        }
    }
    Ok(())
}
