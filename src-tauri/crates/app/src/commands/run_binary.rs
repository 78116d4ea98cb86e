//! Bytes that items of a run name (K-37): handed out whole or not at all, because nothing can be masked in them.

use crate::Caller;
use crate::app::App;
use crate::dto::{CallerRole, RunBinary, RunBinaryGet};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::{Fresh, io_error};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use signalbox_adapters::durable;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) fn run_binary(app: &App, caller: &Caller, request: RunBinaryGet) -> ApiResult<RunBinary> {
    let bytes = bytes(app, caller, &request.run_id, &request.sha256)?;
    Ok(RunBinary { bytes_base64: STANDARD.encode(bytes) })
}

fn bytes(app: &App, caller: &Caller, run_id: &str, sha256: &str) -> ApiResult<Vec<u8>> {
    app.store.run(run_id)?;
    unmasked(app, caller, run_id)?;
    let unknown =
        || ApiError::not_found("The run keeps no bytes of this hash; `sha256` of an item's reference names them.");
    app.store.binary(run_id, sha256)?.ok_or_else(unknown)
}

/// Nothing can be masked in bytes: who sees the run with masks is not given them.
pub(super) fn unmasked(app: &App, caller: &Caller, run_id: &str) -> ApiResult<()> {
    if !app.masks(caller, run_id) {
        return Ok(());
    }
    let hint = if caller.role >= CallerRole::Operator {
        "Say first why you need to see the run without masks, then ask again."
    } else {
        "Ask somebody who may see the run without masks."
    };
    Err(ApiError::forbidden("You see this run with masks, and nothing can be masked in bytes.", hint))
}

impl App {
    /// Bytes that an item of a run names, for who sees the run without masks.
    pub async fn binary(self: &Arc<Self>, caller: &Caller, run_id: String, sha256: String) -> ApiResult<Vec<u8>> {
        let caller = caller.clone();
        self.blocking(move |app| bytes(app, &caller, &run_id, &sha256)).await
    }

    /// [`Self::binary`] into a file; says how many bytes. A file that is there stays, unless it may be replaced.
    pub async fn binary_to(
        self: &Arc<Self>,
        caller: &Caller,
        run_id: String,
        sha256: String,
        file: PathBuf,
        replace: bool,
    ) -> ApiResult<u64> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let bytes = bytes(app, &caller, &run_id, &sha256)?;
            save(&file, replace, &mut bytes.as_slice())
        })
        .await
    }
}

/// Writes what is read into a file, whole or not at all; how many bytes. A file that is there stays, unless it may be replaced.
pub(super) fn save(file: &Path, replace: bool, from: &mut impl Read) -> ApiResult<u64> {
    if replace {
        let copied = Fresh::beside(file).and_then(|fresh| {
            let mut out = fresh.file();
            let size = std::io::copy(from, &mut out)?;
            if let Ok(old) = std::fs::metadata(file) {
                out.set_permissions(old.permissions())?;
            }
            fresh.keep()?;
            Ok(size)
        });
        return copied.map_err(|error| io_error(&error, file, "written"));
    }
    let mut out = std::fs::File::create_new(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => ApiError::new(
            Class::Conflict,
            "FILE_EXISTS",
            format!("{} exists already.", file.display()),
            "Choose another name, or use --force to replace it.",
        ),
        _ => io_error(&error, file, "written"),
    })?;
    let written = std::io::copy(from, &mut out).and_then(|size| {
        out.sync_all()?;
        durable::sync_name(file)?;
        Ok(size)
    });
    if written.is_err() {
        // Half of it is of no use.
        let _ = std::fs::remove_file(file);
    }
    written.map_err(|error| io_error(&error, file, "written"))
}
