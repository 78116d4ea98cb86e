//! `health`: whether the program serves. A process that serves holds a lock that dies with it; no port is needed for the question.

use crate::failure::Failure;
use crate::output::{FAILED, OK, Output};
use serde_json::json;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

const NAME: &str = "serve.lock";

fn open(data: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).open(data.join(NAME))
}

/// Held as long as the program serves. Of several programs on one folder the first has it.
pub(crate) struct Serving(Option<File>);

impl Serving {
    pub(crate) fn begin(data: &Path) -> Self {
        // Whoever cannot be seen by `health` still serves.
        Self(open(data).ok().filter(|file| file.try_lock().is_ok()))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            drop(file.unlock());
        }
    }
}

pub(crate) fn health(data: &Path, output: &Output) -> Result<u8, Failure> {
    let serves = data.join(NAME).is_file()
        && match open(data).map(|file| file.try_lock()) {
            Ok(Err(TryLockError::WouldBlock)) => true,
            Ok(Ok(()) | Err(TryLockError::Error(_))) | Err(_) => false,
        };
    if output.json {
        output.value(&json!({ "serves": serves }));
    } else {
        output.line(if serves { "The program serves." } else { "Nobody serves from this data folder." });
    }
    Ok(if serves { OK } else { FAILED })
}
