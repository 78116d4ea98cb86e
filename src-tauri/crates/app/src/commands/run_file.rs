//! Files that a run wrote. Only what an event of the run names is given out, by the real path that the event recorded: no request
//! carries a path.

use super::file_content::FileContent;
use super::run_binary::{save, unmasked};
use crate::Caller;
use crate::app::App;
use crate::dto::{RunFile, RunFileState, RunFiles, RunId};
use crate::error::{ApiError, ApiResult, Class};
use signalbox_adapters::OpenFile;
use signalbox_model::RunEvent;
use signalbox_model::event::{EventBody, FileDone, Telemetry};
use signalbox_ports::FileError;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// More are not listed.
const LISTED: usize = 1_000;
/// The type of the events that name files.
const WRITTEN: &str = "file_done";

pub(crate) fn run_files(app: &App, caller: &Caller, request: RunId) -> ApiResult<RunFiles> {
    let run = request.run_id;
    app.store.run(&run)?;
    unmasked(app, caller, &run)?;
    let events = app.store.newest_events_of_type(&run, WRITTEN, LISTED + 1)?;
    let more = events.len() > LISTED;
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    for event in events.into_iter().take(LISTED) {
        let Some((seq, done)) = written(&event) else { continue };
        if !seen.insert(key(done)) {
            continue;
        }
        let (state, reason) = match open(app, &run, done) {
            Ok(file) if is_same(&file, done) => (RunFileState::Same, None),
            Ok(_) => (RunFileState::Changed, None),
            Err(FileError::NotFound { .. }) => (RunFileState::Gone, None),
            Err(FileError::Refused { message } | FileError::Io { message, .. }) => {
                (RunFileState::Refused, Some(message))
            }
            Err(FileError::Exists { .. } | FileError::TooLarge { .. }) => (RunFileState::Refused, None),
        };
        files.push(RunFile {
            seq,
            name: name(&done.path),
            place: done.granted.as_ref().map(|granted| granted.place.clone()),
            path: done.path.clone(),
            size: done.size_bytes,
            step_id: event.step_id.clone(),
            written_at: event.ts.clone(),
            state,
            reason,
        });
    }
    Ok(RunFiles { files, more })
}

fn written(event: &RunEvent) -> Option<(u64, &FileDone)> {
    match &event.body {
        EventBody::Telemetry(Telemetry::FileDone(done)) => event.seq.map(|seq| (seq, done)),
        _ => None,
    }
}

/// Two events with the same key are about the same file.
fn key(done: &FileDone) -> (bool, String) {
    match &done.granted {
        Some(granted) => (true, granted.place.clone()),
        None => (false, done.path.clone()),
    }
}

fn name(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty());
    name.unwrap_or("file").to_owned()
}

fn open(app: &App, run: &str, done: &FileDone) -> Result<OpenFile, FileError> {
    match &done.granted {
        Some(granted) => app.open_written(&granted.workflow_id, &granted.place),
        None => open_artifact(&app.runtime.artifact(run, &done.path), &done.path),
    }
}

/// An artifact stands in the data folder, where no step writes.
fn open_artifact(place: &Path, path: &str) -> Result<OpenFile, FileError> {
    let told = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => FileError::NotFound { path: path.to_owned() },
        _ => FileError::Io { message: format!("'{path}' cannot be used: {error}"), disk_full: false },
    };
    if !std::fs::symlink_metadata(place).map_err(told)?.is_file() {
        let message = format!("'{path}' is not an ordinary file any more");
        return Err(FileError::Refused { message });
    }
    let file = File::open(place).map_err(told)?;
    let size = file.metadata().map_err(told)?.len();
    Ok(OpenFile { file, size, modified_ms: 0 })
}

fn is_same(file: &OpenFile, done: &FileDone) -> bool {
    let untouched = done.granted.as_ref().is_none_or(|granted| granted.modified_ms == file.modified_ms);
    file.size == done.size_bytes && untouched
}

fn content(app: &App, caller: &Caller, run: &str, seq: u64, accept_changed: bool) -> ApiResult<FileContent> {
    app.store.run(run)?;
    unmasked(app, caller, run)?;
    let unknown =
        || ApiError::not_found("No event of this run with this number names a file; run_files lists its files.");
    let event = app.store.event(run, seq)?.ok_or_else(unknown)?;
    let (_, done) = written(&event).ok_or_else(unknown)?;
    let file = open(app, run, done).map_err(|error| refused(error, done))?;
    // The same second and the same size do not say that it is the same content, but a later event of the run does.
    let newer = app.store.newest_events_of_type(run, WRITTEN, LISTED)?;
    let again = newer.iter().filter_map(written).any(|(other, again)| other > seq && key(again) == key(done));
    if !accept_changed && (again || !is_same(&file, done)) {
        let why = if again { "the run wrote it again later" } else { "it was changed after the run wrote it" };
        return Err(ApiError::new(
            Class::Conflict,
            "FILE_CHANGED",
            format!("The file {} is not what event {seq} is about: {why}.", done.path),
            "Download it as it is now, or start the run again.",
        )
        .with(serde_json::json!({ "size": file.size, "writtenSize": done.size_bytes })));
    }
    Ok(FileContent::new(name(&done.path), file.size, Box::new(file.file)))
}

fn refused(error: FileError, done: &FileDone) -> ApiError {
    match error {
        FileError::NotFound { .. } => ApiError::new(
            Class::NotFound,
            "FILE_GONE",
            format!("The file {} was deleted or moved after the run wrote it.", done.path),
            "Start the run again to write it anew.",
        ),
        FileError::Refused { message } => ApiError::new(
            Class::Forbidden,
            "PATH_REFUSED",
            format!("{message}."),
            "A file that a run wrote is given out only from a folder that is open to its workflow.",
        ),
        FileError::Io { message, .. } => ApiError::unavailable(
            "IO",
            format!("{message}."),
            "Give this account the right to read the file, then try again.",
        ),
        FileError::Exists { .. } | FileError::TooLarge { .. } => {
            ApiError::unavailable("IO", format!("The file {} cannot be read.", done.path), "Try again.")
        }
    }
}

impl App {
    /// A file that a run wrote, for who sees the run without masks. One that was changed since is refused, unless it is accepted.
    pub async fn run_file(
        self: &Arc<Self>,
        caller: &Caller,
        run_id: String,
        seq: u64,
        accept_changed: bool,
    ) -> ApiResult<FileContent> {
        let caller = caller.clone();
        self.blocking(move |app| content(app, &caller, &run_id, seq, accept_changed)).await
    }

    /// [`Self::run_file`] into another file; how many bytes. A file that is there stays, unless it may be replaced.
    pub async fn run_file_to(
        self: &Arc<Self>,
        caller: &Caller,
        (run_id, seq): (String, u64),
        accept_changed: bool,
        out: PathBuf,
        replace: bool,
    ) -> ApiResult<u64> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let mut content = content(app, &caller, &run_id, seq, accept_changed)?;
            save(&out, replace, &mut content)
        })
        .await
    }
}
