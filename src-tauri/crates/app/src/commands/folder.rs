//! Folder grants: kept on this machine, per workflow or for all.

use crate::Caller;
use crate::app::App;
use crate::dto::{Access, Empty, Folder, FolderBrowse, FolderGrant, FolderListing, FolderRevoke, Host};
use crate::error::{ApiError, ApiResult};
use serde_json::json;
use signalbox_model::AuditEvent;
use signalbox_store::audit::Level;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Folders of one answer.
const LISTED: usize = 1_000;

pub(crate) fn folder_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<Folder>> {
    app.folders()
}

pub(crate) fn folder_browse(app: &App, caller: &Caller, request: FolderBrowse) -> ApiResult<FolderListing> {
    let roots = roots(app, caller)?;
    let Some(folder) = request.folder else {
        let mut folders = Vec::new();
        for root in roots {
            folders.push(unicode(&root)?);
        }
        return Ok(FolderListing { folder: None, parent: None, folders, more: false });
    };
    let folder = inside(app, &roots, &folder)?;
    let parent = folder.parent().filter(|parent| roots.iter().any(|root| parent.starts_with(root)));
    let parent = parent.map(unicode).transpose()?;
    let unread = |error: std::io::Error| {
        let message = format!("The folder {} cannot be read: {error}.", folder.display());
        ApiError::unavailable("IO_ERROR", message, "Choose another folder.")
    };
    let mut folders: Vec<String> = Vec::new();
    let mut more = false;
    for entry in std::fs::read_dir(&folder).map_err(unread)? {
        // What cannot be looked at, and what is no text, is not offered.
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let Some(path) = entry.path().to_str().map(str::to_owned) else { continue };
        if !is_folder || hidden(&name) || app.is_closed(&entry.path()) {
            continue;
        }
        if folders.len() == LISTED {
            more = true;
            break;
        }
        folders.push(path);
    }
    folders.sort_by_key(|path| path.to_lowercase());
    Ok(FolderListing { folder: Some(unicode(&folder)?), parent, folders, more })
}

pub(crate) fn folder_grant(app: &App, caller: &Caller, request: FolderGrant) -> ApiResult<Empty> {
    let folder = match caller.host {
        Host::Desktop => {
            let chosen = app.chosen(&request.folder)?;
            std::fs::canonicalize(&chosen).ok().filter(|path| path.is_dir()).ok_or_else(|| {
                ApiError::bad_request(format!("{} is no folder.", chosen.display()), "Choose a folder that exists.")
            })?
        }
        Host::Http if request.library => {
            let message = "A browser opens folders to steps, not to the library.";
            return Err(ApiError::forbidden(message, "Leave `library` false."));
        }
        Host::Http => {
            let roots = roots(app, caller)?;
            let folder = inside(app, &roots, &request.folder)?;
            // The home folder holds the keys and settings of other programs; nobody named it as a folder of data.
            if app.grant_roots().is_none() && roots.contains(&folder) {
                let message = "The home folder is not granted as a whole from a browser.";
                return Err(ApiError::forbidden(message, "Choose a folder in it."));
            }
            folder
        }
    };
    let folder = unicode(&folder)?;
    let facts = json!({ "folder": folder, "workflowId": request.workflow_id, "access": request.access, "library": request.library });
    let record = app.fact(AuditEvent::FolderGranted, Level::Warn, caller.actor(), caller.signed(facts));
    let grant = signalbox_store::FolderGrant {
        folder,
        workflow_id: request.workflow_id,
        writable: request.access == Access::Rw,
        library: request.library,
    };
    app.store.folder_grant(grant, record)?;
    app.grants_changed()?;
    Ok(Empty {})
}

pub(crate) fn folder_revoke(app: &App, caller: &Caller, request: FolderRevoke) -> ApiResult<Empty> {
    let facts = json!({ "folder": request.folder, "workflowId": request.workflow_id });
    let record = app.fact(AuditEvent::FolderRevoked, Level::Info, caller.actor(), caller.signed(facts));
    if !app.store.folder_revoke(&request.folder, request.workflow_id.as_deref(), record)? {
        return Err(ApiError::not_found(format!("{} is not granted.", request.folder)));
    }
    app.grants_changed()?;
    Ok(Empty {})
}

/// Of which folders a browser may grant folders (ADR 115).
fn roots(app: &App, caller: &Caller) -> ApiResult<Vec<PathBuf>> {
    if let Some(roots) = app.grant_roots() {
        return Ok(roots.to_vec());
    }
    let var = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let home = std::env::var_os(var).and_then(|home| std::fs::canonicalize(home).ok()).filter(|home| home.is_dir());
    match home {
        Some(home) if caller.here => Ok(vec![home]),
        _ => {
            let message = "No folder of this server may be granted from this browser.";
            Err(ApiError::forbidden(
                message,
                "Start the server with `serve --grant-root DIR`, or with --allow-dir DIR.",
            ))
        }
    }
}

/// The real place of a folder below one of the roots; links do not lead out, and neither hidden folders nor the data folder are in it.
fn inside(app: &App, roots: &[PathBuf], folder: &str) -> ApiResult<PathBuf> {
    let hint = "Choose one of the folders that are listed.";
    let shown: String = folder.chars().take(200).collect();
    let refused = || ApiError::forbidden(format!("The folder '{shown}' may not be granted from a browser."), hint);
    let given = Path::new(folder);
    let below =
        |path: &Path| roots.iter().any(|root| path.strip_prefix(root).is_ok_and(|rest| !rest.iter().any(hidden)));
    // The path as written is checked first, so that nobody learns what exists outside the roots.
    if !given.is_absolute() || !below(given) {
        return Err(refused());
    }
    let real = std::fs::canonicalize(given).ok().filter(|path| path.is_dir());
    let real = real.ok_or_else(|| ApiError::bad_request(format!("'{shown}' is no folder."), hint))?;
    if !below(&real) || app.is_closed(&real) {
        return Err(refused());
    }
    Ok(real)
}

fn hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

fn unicode(folder: &Path) -> ApiResult<String> {
    folder.to_str().map(str::to_owned).ok_or_else(|| {
        ApiError::bad_request("The name of the folder is not Unicode.", "Rename the folder, or choose another one.")
    })
}

/// Reads `DIR` of `--grant-root`; the folder must exist.
pub fn grant_root(folder: &Path) -> ApiResult<PathBuf> {
    std::fs::canonicalize(folder).ok().filter(|path| path.is_dir()).ok_or_else(|| {
        let message = format!("--grant-root {}: this is no folder.", folder.display());
        ApiError::bad_request(message, "Name a folder that exists.")
    })
}

/// Reads `DIR`, `DIR:ro` or `DIR:rw` of `--allow-dir`; the folder must exist.
pub fn parse_allow_dir(text: &str) -> ApiResult<Folder> {
    let (path, access) = match text.strip_suffix(":rw") {
        Some(path) => (path, Access::Rw),
        None => (text.strip_suffix(":ro").unwrap_or(text), Access::Ro),
    };
    let bad = |why: String| {
        ApiError::bad_request(format!("--allow-dir {text}: {why}."), "Name a folder that exists, or FOLDER:rw.")
    };
    let folder = std::fs::canonicalize(path).map_err(|error| bad(error.to_string()))?;
    if !folder.is_dir() {
        return Err(bad("this is no folder".into()));
    }
    let folder = folder.to_str().ok_or_else(|| bad("its name is not Unicode".into()))?.to_owned();
    Ok(Folder { folder, workflow_id: None, access, library: false })
}
