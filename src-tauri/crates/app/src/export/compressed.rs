//! Programs in a third of the size: a launcher with the compressed runner, as packages carry it, in the place of the runner (ADR 233).

use super::installed_with;
use crate::dto::ExportReason;
use crate::error::{ApiError, ApiResult, Class};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What follows the name of a runner in the name of its compressed form.
const SUFFIX: &str = "-compressed";

/// Refuses systems that cannot execute a program from memory.
pub(super) fn check_system() -> ApiResult<()> {
    if cfg!(target_os = "linux") {
        return Ok(());
    }
    let message = "Compressed programs are made on Linux only: no other system executes a program from memory.";
    Err(ApiError::bad_request(message, "Export without --compress."))
}

/// The compressed form of a runner; the error says how to get one.
pub(super) fn runner_for(program: &Path, name: &str) -> ApiResult<PathBuf> {
    let name = format!("{name}{SUFFIX}");
    installed_with(program, &name).ok_or_else(|| {
        let missing = program.with_file_name(&name);
        let message = format!("The compressed runner is missing: {} does not exist.", missing.display());
        let hint = "Install the package signalbox-runners, or export without --compress. Without packages: `cargo xtask package` \
                    makes it.";
        ApiError::new(Class::NotFound, "RUNNER_MISSING", message, hint)
            .with(json!({ "reason": ExportReason::Runner, "name": missing.display().to_string() }))
    })
}

#[cfg(test)]
mod tests;
