//! Sinks of the audit chain: a file of lines, and the standard output of a program that stays.

use crate::durable;
use signalbox_ports::{AuditLine, AuditSink, NotTaken};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Longest line that is looked for at the end of a file, bytes: an entry has 64 KiB at most, its escapes may be six times that.
const LONGEST: u64 = 1024 * 1024;
/// How a line of an entry begins.
const BEGINNING: &[u8] = b"{\"entry\":";

/// What a power loss leaves where a file had grown and its bytes were still on their way; no line has one.
const UNWRITTEN: u8 = 0;

/// Whether what stands before a hole, and the hole itself, can be ours: the part of a line is one of an entry. A file that
/// begins with a hole is nothing else, or ends with an entry.
fn is_ours(line: &[u8], tail: &[u8], is_begin: bool) -> bool {
    if !line.is_empty() || !is_begin {
        return line.starts_with(BEGINNING) || BEGINNING.starts_with(line);
    }
    let whole = tail.strip_suffix(b"\n").unwrap_or(tail);
    let begin = whole.iter().rposition(|byte| [b'\n', UNWRITTEN].contains(byte)).map_or(0, |at| at + 1);
    whole[begin..].starts_with(BEGINNING) || tail.iter().all(|byte| *byte == UNWRITTEN)
}

fn text(lines: &[AuditLine]) -> String {
    lines.iter().map(|line| line.line.as_str()).collect()
}

/// A file with one entry per line. Other programs may rotate it: a file that is not there is made.
#[derive(Debug)]
pub struct JsonlSink {
    file: File,
    /// Where a line begins of which a crash left a part.
    cut: Option<u64>,
    /// It is a hole that the last look stopped at.
    holes: bool,
}

impl JsonlSink {
    /// Opens or creates the file and keeps other writers out until it is dropped; a share without locks is taken as it is.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        // Not for appending: that may not shorten a file everywhere.
        let file = OpenOptions::new().create(true).read(true).write(true).truncate(false).open(path)?;
        drop(file.lock());
        if file.metadata()?.len() == 0 {
            // It may have been made just now: what it takes is to be found after a power loss.
            durable::sync_name(path)?;
        }
        Ok(Self { file, cut: None, holes: false })
    }
}

impl AuditSink for JsonlSink {
    fn last(&mut self, _upto: u64) -> io::Result<Option<String>> {
        let mut end = self.file.metadata()?.len();
        (self.cut, self.holes) = (None, false);
        loop {
            let from = end.saturating_sub(LONGEST);
            let mut tail = vec![0; usize::try_from(end - from).unwrap_or_default()];
            self.file.seek(SeekFrom::Start(from))?;
            self.file.read_exact(&mut tail)?;
            if tail.is_empty() {
                return Ok(None);
            }
            if let Some(hole) = tail.iter().position(|byte| *byte == UNWRITTEN) {
                let begin = tail[..hole].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                // Where its line begins is further back.
                let is_part = begin == 0 && from > 0 && hole > 0;
                if is_part || is_ours(&tail[begin..hole], &tail, from == 0 && begin == 0) {
                    end = from + begin as u64;
                    (self.cut, self.holes) = (Some(end), true);
                    continue;
                }
            }
            let whole = tail.strip_suffix(b"\n");
            let line = whole.unwrap_or(&tail);
            let begin = line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let line = &line[begin..];
            if !(line.starts_with(BEGINNING) || whole.is_none() && BEGINNING.starts_with(line)) {
                self.cut = None;
                let message = "its last line is not an entry of an audit chain; choose another file";
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            if whole.is_some() {
                return Ok(Some(String::from_utf8_lossy(line).into_owned()));
            }
            // Nothing is taken away before it is known that the file is ours.
            end = from + begin as u64;
            self.cut = Some(end);
        }
    }

    fn has_holes(&self) -> bool {
        self.holes
    }

    fn take(&mut self, lines: &[AuditLine]) -> Result<(), NotTaken> {
        if let Some(cut) = self.cut.take() {
            self.file.set_len(cut)?;
        }
        self.file.seek(SeekFrom::End(0))?;
        self.file.write_all(text(lines).as_bytes())?;
        Ok(self.file.sync_data()?)
    }
}

/// The standard output, for programs that collect it. It cannot say what it has.
#[derive(Debug, Default)]
pub struct StdoutSink;

impl AuditSink for StdoutSink {
    fn last(&mut self, _upto: u64) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn take(&mut self, lines: &[AuditLine]) -> Result<(), NotTaken> {
        let mut out = io::stdout().lock();
        out.write_all(text(lines).as_bytes())?;
        Ok(out.flush()?)
    }
}

#[cfg(test)]
mod tests;
