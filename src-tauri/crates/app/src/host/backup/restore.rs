//! Restoring: nothing of the data folder changes before the whole archive was read and found in order.

use super::archive::{self, Manifest, SECRETS, STORE};
use super::{SECRET_FILES, Scratch, SecretFiles, opened};
use crate::app::{App, Options};
use crate::caller::{Caller, os_user};
use crate::dto::{AuditVerdict, Host};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::io_error;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::json;
use signalbox_adapters::{durable, private, vault};
use signalbox_model::{AuditEvent, text};
use signalbox_ports::Secret;
use signalbox_store::audit::Level;
use signalbox_store::{CopyFacts, check_copy, is_in_use, known_version};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

/// What a restore is asked for.
pub struct Restore {
    /// The archive.
    pub file: PathBuf,
    /// The data folder.
    pub data: PathBuf,
    /// A data folder that is not empty is set aside, in a folder inside it.
    pub replace: bool,
    /// Secrets that are in the archive are not restored.
    pub without_secrets: bool,
}

/// What was restored.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreReport {
    /// The data folder.
    pub data: PathBuf,
    /// When the backup was made.
    pub created_at: String,
    /// By which version of the program.
    pub program: String,
    /// Files that were restored.
    pub files: u64,
    /// Runs.
    pub runs: u64,
    /// Runs that had not ended: they continue when a host takes them up.
    pub unfinished_runs: u64,
    /// Entries of the audit chain.
    pub audit_entries: u64,
    /// What the verification of the restored chain found.
    pub audit: AuditVerdict,
    /// The secrets are restored; they are under the passphrase of the backup now.
    pub secrets: bool,
    /// Where the earlier content of the data folder is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<PathBuf>,
}

/// Restores a backup. `passphrase` is asked for once, and only when the archive holds secrets that are wanted.
pub async fn restore(
    asked: Restore,
    caller: &Caller,
    passphrase: impl FnOnce() -> ApiResult<String>,
) -> ApiResult<RestoreReport> {
    let Restore { file, data, replace, without_secrets } = asked;
    let data = std::path::absolute(&data).map_err(|error| io_error(&error, &data, "found"))?;
    let archive = opened(&file)?;
    let mut sealed = Zeroizing::new(Vec::new());
    let manifest = archive::read(&file, &archive, &|| (), &mut |member| {
        if member.path == SECRETS {
            member.content.read_to_end(&mut sealed).map_err(|error| io_error(&error, &file, "read"))?;
        }
        Ok(())
    })?;
    check_version(&manifest)?;
    let old = check_folder(&data, replace)?;
    let secrets = match sealed.is_empty() || without_secrets {
        true => None,
        false => Some(opened_secrets(&Secret::new(passphrase()?), &sealed)?),
    };

    private::create_folder(&data).map_err(|error| io_error(&error, &data, "created"))?;
    let staging = Scratch::create(data.join(format!(".restoring-{}", std::process::id())))?;
    extract(&file, &manifest, &staging.0)?;
    for (name, bytes) in secrets.iter().flatten() {
        put(&staging.0, name, None, &mut bytes.as_slice())?;
    }
    let facts = check_copy(&staging.0.join(STORE), Arc::new(|| ()))?;
    if facts != facts_of(&manifest) {
        let message = "The database in the backup is not the one that its manifest describes.";
        return Err(ApiError::new(
            Class::Invalid,
            "BACKUP_DAMAGED",
            message,
            "Nothing was changed. Use another backup.",
        ));
    }
    let app = App::open(&staging.0, Options { host: Host::Http, allow: Vec::new(), stays: false, reads: false })?;
    let caller = caller.clone();
    let (from, created_at) = (file.clone(), manifest.created_at.clone());
    let looked = app
        .blocking(move |app| {
            let audit = app.verify_audit(true)?;
            let unfinished = app.store.run_counts()?.into_iter().filter(|(status, _)| !is_end(status));
            let unfinished: u64 = unfinished.map(|(_, count)| count).sum();
            // Who was shut out since the backup stays out.
            let ended = app.store.access_clear()?;
            let facts =
                json!({ "file": from, "createdAt": created_at, "accessEnded": ended, "via": caller.via.as_str(), "osUser": os_user() });
            let record = app.fact(AuditEvent::BackupRestored, Level::Warn, caller.actor(), facts);
            app.store.audit_append(record, None, true)?;
            Ok((audit, unfinished))
        })
        .await;
    app.shut_down().await;
    drop(app);
    let (audit, unfinished_runs) = looked?;
    let set_aside = if old.is_empty() { None } else { Some(set_aside(&data, &old, &manifest)?) };
    move_in(&staging.0, &data)?;
    drop(staging);
    Ok(RestoreReport {
        data,
        created_at: manifest.created_at,
        program: manifest.program,
        files: manifest.files.len() as u64,
        runs: manifest.runs,
        unfinished_runs,
        audit_entries: manifest.audit_entries,
        audit,
        secrets: secrets.is_some(),
        set_aside,
    })
}

fn is_end(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "cancelled")
}

fn facts_of(manifest: &Manifest) -> CopyFacts {
    CopyFacts {
        version: manifest.store_version,
        runs: manifest.runs,
        audit_entries: manifest.audit_entries,
        audit_head: manifest.audit_head.clone(),
    }
}

fn check_version(manifest: &Manifest) -> ApiResult<()> {
    if manifest.store_version <= known_version() {
        return Ok(());
    }
    Err(archive::newer(format!(
        "This backup has a store of version {}, written by Signalbox {}; this release knows up to {}.",
        manifest.store_version,
        text::one_line(&manifest.program),
        known_version()
    )))
}

/// The names in the data folder that are in the way; refuses one that is in use, and one that is not empty unless told to
/// replace.
fn check_folder(data: &Path, replace: bool) -> ApiResult<Vec<PathBuf>> {
    if is_in_use(data) {
        let message = format!("Another process of Signalbox uses {}.", data.display());
        let hint = "Close the window and stop the server, then restore again.";
        return Err(ApiError::new(Class::Conflict, "FOLDER_IN_USE", message, hint));
    }
    let entries = match fs::read_dir(data) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.and_then(Iterator::collect::<io::Result<Vec<_>>>),
    };
    let entries = entries.map_err(|error| io_error(&error, data, "read"))?;
    let in_the_way: Vec<PathBuf> = entries
        .into_iter()
        .filter(|entry| {
            // Disks have this folder of their own; what an earlier restore set aside stays where it is.
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name != "lost+found" && !name.starts_with(ASIDE) && !name.starts_with(".restoring-")
        })
        .map(|entry| entry.path())
        .collect();
    if in_the_way.is_empty() || replace {
        return Ok(in_the_way);
    }
    let message = format!("The data folder {} is not empty.", data.display());
    let hint =
        "Restore into another folder with --data, or add --replace: what is there is set aside inside the folder.";
    Err(ApiError::new(Class::Conflict, "FOLDER_NOT_EMPTY", message, hint))
}

const ASIDE: &str = "before-restore-";

fn opened_secrets(passphrase: &Secret, sealed: &[u8]) -> ApiResult<Vec<(String, Zeroizing<Vec<u8>>)>> {
    let plain = vault::open_with_passphrase(passphrase, sealed)?;
    let wrong = |why: String| {
        let message = format!("The encrypted part of the backup cannot be used: {why}.");
        ApiError::new(Class::Invalid, "BACKUP_DAMAGED", message, "Restore without it: --without-secrets.")
    };
    let files: SecretFiles = serde_json::from_slice(&plain).map_err(|error| wrong(error.to_string()))?;
    let mut opened = Vec::new();
    for (name, content) in files.files {
        let inside = name.strip_prefix("secrets/").is_some_and(|file| {
            !file.starts_with('.') && file.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'))
        });
        if !inside && !SECRET_FILES.contains(&name.as_str()) {
            return Err(wrong(format!("{} does not belong there", text::one_line(&name))));
        }
        let bytes = STANDARD.decode(content).map_err(|error| wrong(error.to_string()))?;
        opened.push((name, Zeroizing::new(bytes)));
    }
    Ok(opened)
}

/// Writes the files of the archive, which must be the one that was read before.
fn extract(file: &Path, manifest: &Manifest, to: &Path) -> ApiResult<()> {
    let again = archive::read(file, &opened(file)?, &|| (), &mut |member| {
        if member.path == SECRETS {
            return Ok(());
        }
        put(to, member.path, Some(member.modified), member.content)
    })?;
    if again == *manifest {
        return Ok(());
    }
    let message = format!("{} changed while it was restored.", file.display());
    Err(ApiError::new(Class::Conflict, "BACKUP_CHANGED", message, "Nothing was changed. Restore again."))
}

/// One file, for its owner only, and its folders.
fn put(
    folder: &Path,
    name: &str,
    modified: Option<std::time::SystemTime>,
    content: &mut dyn io::Read,
) -> ApiResult<()> {
    let path = name.split('/').fold(folder.to_owned(), |path, part| path.join(part));
    let mut write = || -> io::Result<()> {
        private::create_folder(path.parent().unwrap_or(folder))?;
        let mut file: File = private::create(&path)?;
        io::copy(content, &mut file)?;
        if let Some(modified) = modified {
            file.set_modified(modified)?;
        }
        file.sync_all()
    };
    write().map_err(|error| io_error(&error, &path, "written"))
}

/// Moves what was there into a folder beside what is restored.
fn set_aside(data: &Path, old: &[PathBuf], manifest: &Manifest) -> ApiResult<PathBuf> {
    let taken = |number: &u32| data.join(format!("{ASIDE}{number}"));
    let aside = (1..).map(|number: u32| taken(&number)).find(|path| !path.exists()).unwrap_or_else(|| data.join(ASIDE));
    private::create_folder(&aside).map_err(|error| io_error(&error, &aside, "created"))?;
    let note = format!("Set aside when the backup of {} was restored.\n", manifest.created_at);
    fs::write(aside.join("README.txt"), note).map_err(|error| io_error(&error, &aside, "written"))?;
    for path in old {
        let to = aside.join(path.file_name().unwrap_or_default());
        fs::rename(path, &to).map_err(|error| io_error(&error, path, "moved"))?;
    }
    Ok(aside)
}

/// Moves the restored files to their place; the database comes last, so that half a restore is no data folder that opens.
fn move_in(staging: &Path, data: &Path) -> ApiResult<()> {
    let entries = fs::read_dir(staging).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut names: Vec<_> = entries
        .map_err(|error| io_error(&error, staging, "read"))?
        .into_iter()
        .map(|entry| entry.file_name())
        .collect();
    names.sort_by_key(|name| name == STORE);
    for name in names {
        fs::rename(staging.join(&name), data.join(&name))
            .map_err(|error| io_error(&error, &data.join(&name), "moved"))?;
    }
    durable::sync_folder(data).map_err(|error| io_error(&error, data, "written"))
}
