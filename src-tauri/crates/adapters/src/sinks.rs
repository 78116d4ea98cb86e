//! Sinks of the audit chain: a file of lines, and the standard output of a program that stays.

use crate::durable;
use signalbox_ports::AuditSink;
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
    fn last(&mut self) -> io::Result<Option<String>> {
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
                let message = "its last line is no entry of an audit chain; name a file of its own";
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

    fn take(&mut self, lines: &str) -> io::Result<()> {
        if let Some(cut) = self.cut.take() {
            self.file.set_len(cut)?;
        }
        self.file.seek(SeekFrom::End(0))?;
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
            let before = line(0) + &line(1) + &line(2)[..cut];
            assert_eq!(std::fs::read_to_string(&path).expect("text"), before, "looking takes nothing away");
            sink.take(&line(2)).expect("taken");
            assert_eq!(std::fs::read_to_string(&path).expect("text"), line(0) + &line(1) + &line(2), "cut at {cut}");
            drop(sink);
            std::fs::write(&path, line(0) + &line(1)).expect("as before");
        }
    }

    #[test]
    fn what_did_not_reach_the_disk_goes_with_what_follows_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("log.jsonl");
        let (lines, none) = ([line(0), line(1), line(2)], |line: String| "\0".repeat(line.len()));
        for (left, last) in [
            (line(0) + &none(line(1)) + &line(2), Some(line(0))),
            (line(0) + &line(1) + &none(line(2)), Some(line(1))),
            (line(0) + &line(1)[..5] + "\0\0\0" + &line(1)[8..] + &line(2), Some(line(0))),
            (none(line(0)) + &line(1), None),
            (none(line(0)), None),
        ] {
            std::fs::write(&path, &left).expect("written");
            let mut sink = JsonlSink::open(&path).expect("opened");
            assert_eq!(sink.last().expect("read").as_deref(), last.as_deref().map(str::trim_end), "{left:?}");
            let from = last.and_then(|last| lines.iter().position(|line| *line == last)).map_or(0, |at| at + 1);
            sink.take(&lines[from..].concat()).expect("taken");
            assert_eq!(std::fs::read_to_string(&path).expect("text"), lines.concat(), "{left:?}");
        }
    }

    #[test]
    fn the_line_before_a_long_hole_is_found_further_back() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("log.jsonl");
        for torn in [&line(1)[..17], &line(1)[..3]] {
            for hole in [LONGEST - 10, LONGEST, 2 * LONGEST + 5] {
                let hole = "\0".repeat(usize::try_from(hole).expect("small"));
                std::fs::write(&path, line(0) + torn + &hole).expect("written");
                let mut sink = JsonlSink::open(&path).expect("opened");
                assert_eq!(sink.last().expect("ours").as_deref(), Some(line(0).trim_end()));
                sink.take(&line(1)).expect("taken");
                assert_eq!(std::fs::read_to_string(&path).expect("text"), line(0) + &line(1));
                drop(sink);
                // Of something else nothing is taken away, however far back its beginning is.
                let other = "my notes\n".repeat(3) + torn.trim_start_matches('{') + &hole;
                std::fs::write(&path, &other).expect("written");
                let mut sink = JsonlSink::open(&path).expect("opened");
                sink.last().expect_err("it holds something else");
                assert!(std::fs::read_to_string(&path).expect("text") == other);
            }
        }
    }

    #[test]
    fn a_file_of_something_else_is_left_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("notes.txt");
        let of_others = [
            "my notes\n",
            "my notes",
            "\n",
            "{\"entry\":1}\n{\"checkpoint\":2}\n",
            "\0\0PNG\n",
            "SQLite format 3\0\u{10}\0",
            "n\0o\0t\0e\0s\0\n\0",
            "\u{7f}ELF\u{2}\0\0\0",
            "a\nb\0\0",
        ];
        for text in of_others {
            std::fs::write(&path, text).expect("written");
            let problem = JsonlSink::open(&path).expect("opened").last().expect_err("it holds something else");
            assert!(problem.to_string().contains("no entry of an audit chain"), "{problem}");
            assert_eq!(std::fs::read_to_string(&path).expect("text"), text);
        }
    }
}
