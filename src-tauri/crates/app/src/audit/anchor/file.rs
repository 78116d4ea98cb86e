//! A file of checkpoints outside: one line each, the newest last.

use crate::dto::AuditAnchorLine;
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::io_error;
use signalbox_adapters::durable;
use signalbox_store::audit::{Anchor, SignedCheckpoint};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Largest anchor file that is read.
const LARGEST: u64 = 64 * 1024 * 1024;
/// What a power loss leaves where a file had grown and its bytes were still on their way; no line has one.
const UNWRITTEN: u8 = 0;
/// So many damaged lines are named.
const NAMED: usize = 5;
/// So many are listed: a file of something else may have millions.
const LISTED: usize = 100;

/// What an anchor file holds.
pub(crate) struct Kept {
    pub(crate) anchors: Vec<Anchor>,
    /// Lines of which a crash left a part: the last one, when it has no end and is no checkpoint, and those with places that
    /// never reached the disk. The first ones.
    torn: Vec<usize>,
    /// Other lines that are no checkpoints, and why; the first ones. No crash makes them.
    damaged: Vec<(usize, String)>,
    /// How many they are.
    damages: usize,
}

impl Kept {
    /// The lines that do not count, the first hundred of those that are damaged.
    pub(crate) fn passed_over(&self, path: &Path) -> Vec<AuditAnchorLine> {
        let file = path.display().to_string();
        let tell = |line: &usize, why: String| AuditAnchorLine { file: file.clone(), line: *line, why };
        let damaged = self.damaged.iter().map(|(line, why)| tell(line, format!("no checkpoint ({why})")));
        let torn = self.torn.iter().map(|line| tell(line, "it was cut off while it was written".into()));
        damaged.chain(torn).collect()
    }

    /// What is wrong with lines that no crash made.
    pub(crate) fn damage(&self, path: &Path) -> Option<ApiError> {
        let (first, why) = self.damaged.first()?;
        let more: Vec<String> = self.damaged.iter().skip(1).take(NAMED - 1).map(|(line, _)| line.to_string()).collect();
        let more = match (more.is_empty(), self.damages > NAMED) {
            (true, _) => String::new(),
            (false, false) => format!(" Lines {} neither.", more.join(", ")),
            (false, true) => format!(" Lines {} and {} more neither.", more.join(", "), self.damages - NAMED),
        };
        let message = format!("{}, line {first}: no checkpoint ({why}).{more}", path.display());
        let hint = "Name a file that `signalbox audit anchor` wrote. If it is one, somebody or a bad disk changed it: keep a \
                    copy, and compare with another place before you remove the line.";
        Some(ApiError::new(Class::Invalid, "NOT_AN_ANCHOR", message, hint))
    }
}

/// Reads a file of checkpoints, damaged lines included.
pub(crate) fn read(path: &Path) -> ApiResult<Kept> {
    let size = std::fs::metadata(path).map_err(|error| io_error(&error, path, "read"))?.len();
    if size > LARGEST {
        let message = format!("{} is larger than {LARGEST} bytes.", path.display());
        return Err(ApiError::bad_request(message, "Name a file that holds checkpoints only."));
    }
    let bytes = std::fs::read(path).map_err(|error| io_error(&error, path, "read"))?;
    let mut kept = Kept { anchors: Vec::new(), torn: Vec::new(), damaged: Vec::new(), damages: 0 };
    for (line, number) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
        let text = std::str::from_utf8(line).map_err(|error| error.to_string());
        match text.and_then(|text| match text.trim() {
            "" => Ok(None),
            _ => SignedCheckpoint::from_line(text).map(Some).map_err(|why| why.to_string()),
        }) {
            Ok(found) => kept.anchors.extend(found),
            Err(_) if !line.ends_with(b"\n") || line.contains(&UNWRITTEN) => {
                if kept.torn.len() < LISTED {
                    kept.torn.push(number);
                }
            }
            Err(why) => {
                kept.damages += 1;
                if kept.damaged.len() < LISTED {
                    kept.damaged.push((number, why));
                }
            }
        }
    }
    Ok(kept)
}

/// [`read`] of a file that somebody names for a verification: it must hold checkpoints, and nothing that no crash explains.
pub(crate) fn read_named(path: &Path) -> ApiResult<Kept> {
    let kept = read(path)?;
    if let Some(damage) = kept.damage(path) {
        return Err(damage);
    }
    if kept.anchors.is_empty() {
        let message = format!("{} holds no checkpoint.", path.display());
        let hint = "Name a file that `signalbox audit anchor` wrote.";
        return Err(ApiError::new(Class::Invalid, "NOT_AN_ANCHOR", message, hint));
    }
    Ok(kept)
}

/// Where the last line of so many bytes begins, and the line.
fn last_line(file: &mut File, size: u64) -> std::io::Result<(u64, Vec<u8>)> {
    // No checkpoint is nearly as long.
    let from = size.saturating_sub(64 * 1024);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(size - from).read_to_end(&mut tail)?;
    let whole = tail.strip_suffix(b"\n").unwrap_or(&tail);
    let begin = whole.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    Ok((from + begin as u64, tail.split_off(begin)))
}

/// Adds a checkpoint and waits for the disk; one that stands there last is not written again. What a crash left of a line is
/// replaced.
pub(crate) fn add(path: &Path, line: &str) -> ApiResult<()> {
    let failed = |error: std::io::Error| io_error(&error, path, "written");
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(failed)?;
    // Another process of this installation may be writing. Some shares have no locks: then nothing is cut there.
    let alone = file.lock().is_ok();
    let size = file.metadata().map_err(failed)?.len();
    let (begin, last) = last_line(&mut file, size).map_err(failed)?;
    if last == line.as_bytes() {
        // By a process that may have ended before it had waited.
        return kept(&file, path).map_err(failed);
    }
    let mut start = "";
    if !last.is_empty() && !last.ends_with(b"\n") {
        let whole = std::str::from_utf8(&last).is_ok_and(|text| SignedCheckpoint::from_line(text).is_ok());
        // Only what begins a line of ours is cut: this may be a file of something else.
        let ours = last.starts_with(b"{\"checkpoint\":")
            || b"{\"checkpoint\":".starts_with(&last)
            || last.iter().all(|byte| *byte == UNWRITTEN) && is_behind_one(&mut file, begin).map_err(failed)?;
        if whole || !alone || !ours || file.set_len(begin).is_err() {
            start = "\n";
        }
    }
    file.write_all(format!("{start}{line}").as_bytes()).map_err(failed)?;
    kept(&file, path).map_err(failed)
}

/// Whether the line that ends here is a checkpoint, or nothing stands before.
fn is_behind_one(file: &mut File, end: u64) -> std::io::Result<bool> {
    if end == 0 {
        return Ok(true);
    }
    let (_, before) = last_line(file, end)?;
    let text = before.strip_suffix(b"\n").and_then(|text| std::str::from_utf8(text).ok());
    Ok(text.is_some_and(|text| SignedCheckpoint::from_line(text).is_ok()))
}

/// Waits for the disk. The file may have been made just now.
fn kept(file: &File, path: &Path) -> std::io::Result<()> {
    file.sync_all()?;
    durable::sync_name(path)
}
