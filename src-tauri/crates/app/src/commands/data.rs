//! Room that the data takes, old runs, and the check of the data folder.

use crate::Caller;
use crate::app::App;
use crate::dto::{DataCheck, DataReport, DataSize, Empty, RunsPrune, RunsPruned};
use crate::error::ApiResult;
use crate::runs::prune::PruneRules;
use std::fs;
use std::path::Path;

/// Runs of a preview that are named.
const NAMED: usize = 20;

pub(crate) fn data_size(app: &App, _: &Caller, _: Empty) -> ApiResult<DataSize> {
    let size = app.store.size()?;
    // What was written last is in the log beside the database until the database takes it in.
    let log = ["signalbox.db-wal", "signalbox.db-shm"].map(|name| app.data_dir().join(name));
    let log: u64 = log.iter().map(|file| fs::metadata(file).map_or(0, |meta| meta.len())).sum();
    let store_bytes = size.bytes + log;
    let other_bytes = bytes_below(app.data_dir()).saturating_sub(store_bytes);
    let folder = app.data_dir().display().to_string();
    Ok(DataSize { folder, store_bytes, free_bytes: size.free, other_bytes })
}

/// Bytes of the files below a folder. What goes meanwhile or cannot be read counts nothing; links are not followed.
fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
            Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |meta| meta.len()),
            _ => 0,
        })
        .sum()
}

pub(crate) fn run_prune_preview(app: &App, caller: &Caller, request: RunsPrune) -> ApiResult<RunsPruned> {
    prune(app, caller, request, false)
}

pub(crate) fn run_prune(app: &App, caller: &Caller, request: RunsPrune) -> ApiResult<RunsPruned> {
    prune(app, caller, request, true)
}

fn prune(app: &App, caller: &Caller, request: RunsPrune, delete: bool) -> ApiResult<RunsPruned> {
    let rules = PruneRules {
        older_than_days: request.older_than_days,
        keep: request.keep,
        most_bytes: request.most_megabytes.map(|size| u64::from(size) * 1_000_000),
        workflow: request.workflow,
    };
    let report = app.prune(caller, &rules, delete)?;
    Ok(RunsPruned {
        deleted: report.deleted,
        ended: report.ended,
        count: report.runs.len() as u64,
        bytes: report.bytes,
        freed_bytes: report.freed_bytes,
        oldest: report.runs.into_iter().take(NAMED).collect(),
    })
}

pub(crate) fn data_check(app: &App, _: &Caller, request: DataCheck) -> ApiResult<DataReport> {
    app.check_data_now(request.repair, false)
}

#[cfg(test)]
mod tests;
