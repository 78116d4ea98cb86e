//! The high-water mark: what the last commit was, in a small file beside the database.
//!
//! A damaged or missing WAL rolls committed work back silently, and SQLite cannot know. The file is written after the
//! commit and not synced, in two slots in turn, each with its checksum. It may therefore be behind the store, which says
//! nothing; only a store that is behind the file is an alarm.

use serde_json::{Value, json};
use signalbox_model::hash::sha256_hex;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

const SLOT: usize = 512;

/// One committed event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) run: String,
    pub(crate) seq: u64,
    pub(crate) hash: String,
}

/// What the file says and the store does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreAlarm {
    /// Committed events are gone: the steps after `found` may have been executed and may be executed a second time.
    Behind {
        /// The run.
        run: String,
        /// Last event that was committed, by the high-water file.
        expected: u64,
        /// Last event that the store has; 0 when it does not know the run.
        found: u64,
    },
    /// The event is there, with another content than the one committed.
    Differs {
        /// The run.
        run: String,
        /// The event.
        seq: u64,
    },
    /// SQLite's own check failed; the store is open for reading only.
    Damaged {
        /// What the check said.
        reason: String,
    },
}

pub(crate) struct MarkFile {
    file: File,
    next: usize,
    counter: u64,
}

impl MarkFile {
    pub(crate) fn open(path: &Path) -> std::io::Result<(Self, Vec<Mark>)> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut slots: Vec<(u64, usize, Mark)> = Vec::new();
        for (index, slot) in bytes.chunks(SLOT).take(2).enumerate() {
            if let Some((counter, mark)) = read_slot(slot) {
                slots.push((counter, index, mark));
            }
        }
        slots.sort_by_key(|(counter, ..)| *counter);
        let (counter, next) = slots.last().map_or((0, 0), |(counter, index, _)| (*counter, 1 - index));
        Ok((Self { file, next, counter }, slots.into_iter().map(|(_, _, mark)| mark).collect()))
    }

    /// Failing is no failure of the commit: the mark only lags behind.
    pub(crate) fn write(&mut self, mark: &Mark) {
        self.counter += 1;
        let text = json!([self.counter, mark.run, mark.seq, mark.hash]).to_string();
        let mut line = format!("{} {text}", sha256_hex(text.as_bytes()));
        if line.len() >= SLOT {
            return;
        }
        line.extend(std::iter::repeat_n(' ', SLOT - 1 - line.len()));
        line.push('\n');
        let at = (self.next * SLOT) as u64;
        if self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.write_all(line.as_bytes())).is_ok() {
            self.next = 1 - self.next;
        }
    }
}

fn read_slot(bytes: &[u8]) -> Option<(u64, Mark)> {
    let (checksum, text) = std::str::from_utf8(bytes).ok()?.trim_end().split_once(' ')?;
    if sha256_hex(text.as_bytes()) != checksum {
        return None;
    }
    let (counter, run, seq, hash): (u64, String, u64, String) =
        serde_json::from_str::<Value>(text).and_then(serde_json::from_value).ok()?;
    Some((counter, Mark { run, seq, hash }))
}

#[cfg(test)]
mod tests {
    use super::{Mark, MarkFile};

    #[test]
    fn a_torn_slot_leaves_the_one_before() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("signalbox.mark");
        let mark = |seq| Mark { run: "r".into(), seq, hash: "h".repeat(64) };
        let (mut file, none) = MarkFile::open(&path).expect("opens");
        assert_eq!(none, []);
        for seq in 1..=3 {
            file.write(&mark(seq));
        }
        assert_eq!(MarkFile::open(&path).expect("opens").1, [mark(2), mark(3)]);
        let mut bytes = std::fs::read(&path).expect("reads");
        bytes[100] ^= 1;
        std::fs::write(&path, &bytes).expect("writes");
        let (mut file, left) = MarkFile::open(&path).expect("opens");
        assert_eq!(left, [mark(2)]);
        file.write(&mark(4));
        assert_eq!(MarkFile::open(&path).expect("opens").1, [mark(2), mark(4)]);
    }
}
