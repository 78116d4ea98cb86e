//! Sinks of the audit chain: a file of lines, and the standard output of a program that stays.

use signalbox_ports::AuditSink;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Longest line that is looked for at the end of a file, bytes: an entry has 64 KiB at most, its escapes may be six times that.
const LONGEST: u64 = 1024 * 1024;
/// How a line of an entry begins.
const BEGINNING: &[u8] = b"{\"entry\":";

/// A file with one entry per line. Other programs may rotate it: a file that is not there is made.
#[derive(Debug)]
pub struct JsonlSink {
    file: File,
}

impl JsonlSink {
    /// Opens or creates the file and keeps other writers out until it is dropped; a share without locks is taken as it is.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        drop(file.lock());
        Ok(Self { file })
    }
}

impl AuditSink for JsonlSink {
    fn last(&mut self) -> io::Result<Option<String>> {
        loop {
            let size = self.file.metadata()?.len();
            let from = size.saturating_sub(LONGEST);
            let mut tail = Vec::new();
            self.file.seek(SeekFrom::Start(from))?;
            self.file.read_to_end(&mut tail)?;
            if tail.is_empty() {
                return Ok(None);
            }
            let whole = tail.strip_suffix(b"\n");
            let line = whole.unwrap_or(&tail);
            let begin = line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let line = &line[begin..];
            if !(line.starts_with(BEGINNING) || whole.is_none() && BEGINNING.starts_with(line)) {
                let message = "its last line is no entry of an audit chain; name a file of its own";
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            match whole {
                Some(_) => return Ok(Some(String::from_utf8_lossy(line).into_owned())),
                // A crash cut it off: it was never told as delivered.
                None => self.file.set_len(from + begin as u64)?,
            }
        }
    }

    fn take(&mut self, lines: &str) -> io::Result<()> {
        self.file.write_all(lines.as_bytes())?;
        self.file.sync_data()
    }
}

/// The standard output, for programs that collect it. It cannot say what it has.
#[derive(Debug, Default)]
pub struct StdoutSink;

impl AuditSink for StdoutSink {
    fn last(&mut self) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn take(&mut self, lines: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(lines.as_bytes())?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(n: usize) -> String {
        format!("{{\"entry\":{{\"seq\":{n}}},\"hash\":\"\"}}\n")
    }

    #[test]
    fn what_a_crash_cut_off_goes_and_the_line_before_it_is_the_last() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("log.jsonl");
        let mut sink = JsonlSink::open(&path).expect("opened");
        assert_eq!(sink.last().expect("read"), None);
        sink.take(&(line(0) + &line(1))).expect("taken");
        drop(sink);
        for cut in 1..line(2).len() {
            std::fs::OpenOptions::new()
                .append(true)
                .open(&path)
                .expect("file")
                .write_all(&line(2).as_bytes()[..cut])
                .expect("cut");
            let mut sink = JsonlSink::open(&path).expect("opened");
            assert_eq!(sink.last().expect("read").as_deref(), Some(line(1).trim_end()), "cut at {cut}");
            assert_eq!(std::fs::read_to_string(&path).expect("text"), line(0) + &line(1), "cut at {cut}");
        }
    }

    #[test]
    fn a_file_of_something_else_is_left_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("notes.txt");
        for text in ["my notes\n", "my notes", "\n", "{\"entry\":1}\n{\"checkpoint\":2}\n"] {
            std::fs::write(&path, text).expect("written");
            let problem = JsonlSink::open(&path).expect("opened").last().expect_err("it holds something else");
            assert!(problem.to_string().contains("no entry of an audit chain"), "{problem}");
            assert_eq!(std::fs::read_to_string(&path).expect("text"), text);
        }
    }
}
