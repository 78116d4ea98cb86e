//! The high-water mark: what the last commit was, in a small file beside the database.
//!
//! A damaged or missing WAL rolls committed work back silently, and SQLite cannot know. The file is written after the
//! commit and not synced, in two slots in turn, each with its checksum. It may therefore be behind the store, which says
//! nothing; only a store that is behind the file is an alarm.

use crate::instance::private;
use serde::{Deserialize, Serialize};
use signalbox_audit::{Digest, Head};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;

const SLOT: usize = 512;

/// One committed event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) run: String,
    pub(crate) seq: u64,
    pub(crate) hash: String,
}

/// What a slot says: the last event and the head of the audit chain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Slot {
    pub(crate) mark: Option<Mark>,
    pub(crate) head: Option<Head>,
}

/// `[counter, run, seq, hash, head?]`; the run is empty when there is none.
#[derive(Serialize, Deserialize)]
struct Line(u64, String, u64, String, #[serde(default)] Option<Head>);

pub(crate) struct MarkFile {
    file: File,
    next: usize,
    counter: u64,
    last: Slot,
}

fn slots(bytes: &[u8]) -> Vec<(u64, usize, Slot)> {
    let mut slots: Vec<(u64, usize, Slot)> = Vec::new();
    for (index, slot) in bytes.chunks(SLOT).take(2).enumerate() {
        if let Some((counter, mark)) = read_slot(slot) {
            slots.push((counter, index, mark));
        }
    }
    slots.sort_by_key(|(counter, ..)| *counter);
    slots
}

/// The head of the audit chain after the last commit that is known.
pub(crate) fn head(path: &Path) -> Option<Head> {
    let bytes = std::fs::read(path).ok()?;
    newest_head(slots(&bytes).iter().map(|(_, _, slot)| slot))
}

/// Two processes write the same slots: the longer chain is the newer one.
pub(crate) fn newest_head<'a>(slots: impl Iterator<Item = &'a Slot>) -> Option<Head> {
    slots.filter_map(|slot| slot.head).max_by_key(|head| head.size)
}

impl MarkFile {
    pub(crate) fn open(path: &Path) -> std::io::Result<(Self, Vec<Slot>)> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        let mut file = options.open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let slots = slots(&bytes);
        let (counter, next) = slots.last().map_or((0, 0), |(counter, index, _)| (*counter, 1 - index));
        let last = slots.last().map(|(_, _, slot)| slot.clone()).unwrap_or_default();
        Ok((Self { file, next, counter, last }, slots.into_iter().map(|(_, _, slot)| slot).collect()))
    }

    /// The end of the audit chain that was written last, here or before.
    pub(crate) fn head(&self) -> Option<Head> {
        self.last.head
    }

    /// What a commit appended. Failing is no failure of the commit: the mark only lags behind.
    pub(crate) fn write(&mut self, mark: Option<Mark>, head: Option<Head>) {
        if mark.is_none() && head.is_none() {
            return;
        }
        self.last = Slot { mark: mark.or(self.last.mark.take()), head: head.or(self.last.head.take()) };
        self.counter += 1;
        let (run, seq, hash) = self.last.mark.as_ref().map_or(("", 0, ""), |mark| (&mark.run, mark.seq, &mark.hash));
        // Written after every commit: no tree is made for it.
        let text = match &self.last.head {
            Some(head) => serde_json::to_string(&(self.counter, run, seq, hash, head)),
            None => serde_json::to_string(&(self.counter, run, seq, hash)),
        };
        let Ok(text) = text else { return };
        let line = format!("{} {text}", Digest::of(&[text.as_bytes()]).to_hex());
        let mut slot = [b' '; SLOT];
        slot[SLOT - 1] = b'\n';
        let Some(place) = slot[..SLOT - 1].get_mut(..line.len()) else { return };
        place.copy_from_slice(line.as_bytes());
        if write_at(&mut self.file, &slot, (self.next * SLOT) as u64).is_ok() {
            self.next = 1 - self.next;
        }
    }
}

/// One call of the system where there is one for it: this is done after every commit.
#[cfg(unix)]
fn write_at(file: &mut File, bytes: &[u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(not(unix))]
fn write_at(file: &mut File, bytes: &[u8], at: u64) -> std::io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes))
}

fn read_slot(bytes: &[u8]) -> Option<(u64, Slot)> {
    let (checksum, text) = std::str::from_utf8(bytes).ok()?.trim_end().split_once(' ')?;
    if Digest::of(&[text.as_bytes()]).to_hex() != checksum {
        return None;
    }
    let Line(counter, run, seq, hash, head) = serde_json::from_str(text).ok()?;
    let mark = (!run.is_empty()).then_some(Mark { run, seq, hash });
    Some((counter, Slot { mark, head }))
}

#[cfg(test)]
mod tests;
