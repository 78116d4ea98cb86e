//! Folder grants: kept on this machine, per workflow or for all.

use crate::Caller;
use crate::app::App;
use crate::dto::{Access, Empty, Folder, FolderGrant, FolderRevoke};
use crate::error::{ApiError, ApiResult};

pub(crate) fn folder_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<Folder>> {
    app.folders()
}

pub(crate) fn folder_grant(app: &App, _: &Caller, request: FolderGrant) -> ApiResult<Empty> {
    let chosen = app.chosen(&request.folder)?;
    let folder = std::fs::canonicalize(&chosen).ok().filter(|path| path.is_dir()).ok_or_else(|| {
        ApiError::bad_request(format!("{} is no folder.", chosen.display()), "Choose a folder that exists.")
    })?;
    let folder = folder.to_str().map(str::to_owned).ok_or_else(|| {
        ApiError::bad_request("The name of the folder is not Unicode.", "Rename the folder, or choose another one.")
    })?;
    app.store.folder_grant(signalbox_store::FolderGrant {
        folder,
        workflow_id: request.workflow_id,
        writable: request.access == Access::Rw,
        library: request.library,
    })?;
    app.grants_changed()?;
    Ok(Empty {})
}

pub(crate) fn folder_revoke(app: &App, _: &Caller, request: FolderRevoke) -> ApiResult<Empty> {
    if !app.store.folder_revoke(&request.folder, request.workflow_id.as_deref())? {
        return Err(ApiError::not_found(format!("{} is not granted.", request.folder)));
    }
    app.grants_changed()?;
    Ok(Empty {})
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
