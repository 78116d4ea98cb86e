//! Bytes that items of a run name (K-37): handed out whole or not at all, because nothing can be masked in them.

use crate::Caller;
use crate::app::App;
use crate::dto::{CallerRole, RunBinary, RunBinaryGet};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::{io_error, write_atomic};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use signalbox_adapters::durable;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) fn run_binary(app: &App, caller: &Caller, request: RunBinaryGet) -> ApiResult<RunBinary> {
    let bytes = bytes(app, caller, &request.run_id, &request.sha256)?;
    Ok(RunBinary { bytes_base64: STANDARD.encode(bytes) })
}

fn bytes(app: &App, caller: &Caller, run_id: &str, sha256: &str) -> ApiResult<Vec<u8>> {
    app.store.run(run_id)?;
    if app.masks(caller, run_id) {
        let hint = if caller.role >= CallerRole::Operator {
            "Say first why you need to see the run without masks, then ask again."
        } else {
            "Ask somebody who may see the run without masks."
        };
        return Err(ApiError::forbidden("You see this run with masks, and nothing can be masked in bytes.", hint));
    }
    let unknown =
        || ApiError::not_found("The run keeps no bytes of this hash; `sha256` of an item's reference names them.");
    app.store.binary(run_id, sha256)?.ok_or_else(unknown)
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
            if replace {
                write_atomic(&file, &bytes)?
            } else {
                write_new(&file, &bytes)?
            }
            Ok(bytes.len() as u64)
        })
        .await
    }
}

fn write_new(file: &Path, bytes: &[u8]) -> ApiResult<()> {
    let mut out = std::fs::File::create_new(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => ApiError::new(
            Class::Conflict,
            "FILE_EXISTS",
            format!("{} exists already.", file.display()),
            "Choose another name, or use --force to replace it.",
        ),
        _ => io_error(&error, file, "written"),
    })?;
    let written = out.write_all(bytes).and_then(|()| out.sync_all()).and_then(|()| durable::sync_name(file));
    if written.is_err() {
        // Half of it is of no use.
        let _ = std::fs::remove_file(file);
    }
    written.map_err(|error| io_error(&error, file, "written"))
}
