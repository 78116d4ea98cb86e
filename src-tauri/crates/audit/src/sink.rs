//! Sinks of the stand-alone form (TS-050): a file of lines, and a ring in memory. Both seal as the store does, so the
//! same records give the same head everywhere.

use crate::chain::{Chain, Head, SealError, Sealed};
use crate::digest::Digest;
use crate::entry::{Entry, NotAnEntry, Record, is_signed};
use crate::line::{SHOWN, from_line, to_line};
use crate::pack::Limits;
use crate::sign::{Signature, Signer};
use crate::verify::Row;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// Why a sink did not take a record. An effect that must be audited does not happen then.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The record was refused.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The file could not be read or written.
    #[error("the audit file: {0}; nothing was recorded, free space or fix the permissions and try again")]
    Io(#[from] io::Error),
    /// The file is no audit file of this log.
    #[error("the audit file, line {line}: {problem}; verify it before anything is added")]
    Foreign {
        /// Line number, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// A line shows an entry in part, as exports with a profile do.
    #[error("the audit file, line {line}, shows an entry in part: its link cannot be checked")]
    Shown {
        /// Line number, from 1.
        line: u64,
    },
    /// An earlier write failed half way and could not be undone.
    #[error("the audit file has a half-written line that could not be removed; open it again")]
    Torn,
}

fn sign(sealed: &Sealed, signer: Option<&Signer>) -> Option<Signature> {
    signer.filter(|_| is_signed(&sealed.entry.event)).map(|signer| signer.sign_hash(&sealed.hash))
}

/// The last entries in memory. It keeps the chain going, but what it dropped cannot be verified any more.
#[derive(Debug)]
pub struct RecentEntries {
    chain: Chain,
    capacity: usize,
    rows: VecDeque<Row>,
}

impl RecentEntries {
    /// A ring of at most `capacity` entries (at least one).
    #[must_use]
    pub fn new(log_id: impl Into<Arc<str>>, capacity: usize) -> Self {
        Self { chain: Chain::new(log_id), capacity: capacity.max(1), rows: VecDeque::new() }
    }

    /// Seals a record; the oldest entry goes when the ring is full.
    ///
    /// # Errors
    /// [`SinkError::Seal`] when the record is refused.
    pub fn record(&mut self, record: Record, signer: Option<&Signer>) -> Result<Sealed, SinkError> {
        let sealed = self.chain.seal(record)?;
        if self.rows.len() == self.capacity {
            self.rows.pop_front();
        }
        let signature = sign(&sealed, signer).map(|signature| signature.to_string());
        let (text, hash) = (sealed.text.clone(), sealed.hash.to_hex());
        self.rows.push_back(Row { seq: sealed.entry.seq, text, hash, signature });
        Ok(sealed)
    }

    /// The chain's head.
    #[must_use]
    pub fn head(&self) -> Head {
        self.chain.head()
    }

    /// The entries that are kept, the oldest first.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }

    /// How many entries are gone.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.head().size - self.rows.len() as u64
    }

    /// What is kept, in words.
    #[must_use]
    pub fn describe(&self) -> String {
        match self.dropped() {
            0 => format!("all {} entries, in memory only", self.rows.len()),
            gone => format!(
                "the last {} of {} entries, in memory only; {gone} older ones are gone and cannot be verified",
                self.rows.len(),
                self.head().size
            ),
        }
    }
}

/// A file with one entry per line. One process writes it.
#[derive(Debug)]
pub struct Jsonl {
    chain: Chain,
    file: File,
    /// Length up to the end of the last whole line.
    length: u64,
    torn: bool,
    removed: Option<String>,
}

impl Jsonl {
    /// Opens or creates the file and goes on where it ends. Every line is read and its link checked: a file that was
    /// changed gets no further entries. A last line without its end is what a crash left of a write that was never
    /// reported as done: it is removed, see [`Self::removed`].
    ///
    /// # Errors
    /// [`SinkError`] when the file cannot be opened or is no audit file of this log.
    pub fn open(path: &Path, log_id: impl Into<Arc<str>>) -> Result<Self, SinkError> {
        let log_id = log_id.into();
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut reader = BufReader::new(&file);
        let (mut head, mut length, mut removed) = (Head::EMPTY, 0, None);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = reader.read_until(b'\n', &mut bytes)?;
            if read == 0 {
                break;
            }
            if bytes.last() != Some(&b'\n') {
                removed = Some(String::from_utf8_lossy(&bytes).into_owned());
                break;
            }
            let foreign = |problem: String| SinkError::Foreign { line: head.size + 1, problem };
            let text = std::str::from_utf8(&bytes).map_err(|error| foreign(error.to_string()))?;
            let row = from_line(text).map_err(|error| foreign(error.to_string()))?;
            let entry = Entry::from_canonical(&row.text).map_err(|error| foreign(error.to_string()))?;
            let hash = crate::entry::hash_text(&row.text);
            if entry.log_id != *log_id {
                return Err(foreign(format!("an entry of log {:?}, not of {log_id:?}", entry.log_id)));
            }
            if row.hash.parse::<Digest>() != Ok(hash) || entry.seq != head.size || entry.prev_hash != head.head_hash {
                return Err(foreign("the entry does not follow the one before it".to_owned()));
            }
            head = Head { size: head.size + 1, head_hash: hash };
            length += read as u64;
        }
        if removed.is_some() {
            file.set_len(length)?;
        }
        if length == 0 {
            // It may have been made just now.
            path.parent().map_or(Ok(()), sync_folder)?;
        }
        Ok(Self { chain: Chain::at(log_id, head), file, length, torn: false, removed })
    }

    /// What was removed from the end on opening: a line that a crash cut off.
    #[must_use]
    pub fn removed(&self) -> Option<&str> {
        self.removed.as_deref()
    }

    /// Seals a record and appends its line. On an error the file and the chain are as before.
    ///
    /// # Errors
    /// [`SinkError`] when the record is refused or the line cannot be written.
    pub fn record(&mut self, record: Record, signer: Option<&Signer>) -> Result<Sealed, SinkError> {
        if self.torn {
            return Err(SinkError::Torn);
        }
        let before = self.chain.head();
        let sealed = self.chain.seal(record)?;
        let line = to_line(&sealed.text, &sealed.hash, sign(&sealed, signer).as_ref());
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            self.chain.rewind(before);
            self.torn = self.file.set_len(self.length).is_err();
            return Err(error.into());
        }
        self.length += line.len() as u64;
        Ok(sealed)
    }

    /// Makes all lines durable: after this a power cut loses none of them.
    ///
    /// # Errors
    /// When the system cannot; what was written since the last success may be lost.
    pub fn sync(&self) -> Result<(), SinkError> {
        Ok(self.file.sync_data()?)
    }

    /// The chain's head.
    #[must_use]
    pub fn head(&self) -> Head {
        self.chain.head()
    }

    /// Reads the file from the beginning, for the verifier.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn rows(&self) -> Result<impl Iterator<Item = Result<Row, SinkError>> + use<>, SinkError> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(0))?;
        Ok(read_rows(BufReader::new(file)))
    }
}

/// Waits until the names in a folder are on the disk: a file that is synced may else be there without a name after a power
/// loss. Where folders cannot be synced, names are as safe as they get.
///
/// # Errors
/// The disk cannot.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// The rows of a file of lines. A line that is no entry is an error with its number. One that is longer than a line of a pack
/// may be ([`Limits`]) is not read to its end, and nothing after it.
pub fn read_rows(reader: impl BufRead) -> impl Iterator<Item = Result<Row, SinkError>> {
    let most = Limits::default().line;
    let (mut reader, mut number) = (Some(reader), 0);
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        number += 1;
        let read = reader.as_mut()?.by_ref().take(most + 1).read_until(b'\n', &mut line);
        let foreign = |problem: String| Some(Err(SinkError::Foreign { line: number, problem }));
        match read {
            Ok(0) => None,
            Ok(_) if line.len() as u64 > most => {
                reader = None;
                foreign(format!("it is longer than {} MiB", most >> 20))
            }
            Ok(_) => {
                let text = line.strip_suffix(b"\n").unwrap_or(&line);
                let text = text.strip_suffix(b"\r").unwrap_or(text);
                if text.starts_with(SHOWN.as_bytes()) {
                    return Some(Err(SinkError::Shown { line: number }));
                }
                let row = match std::str::from_utf8(text) {
                    Ok(text) => from_line(text).map_err(|error: NotAnEntry| error.to_string()),
                    Err(_) => Err("it is no UTF-8".to_owned()),
                };
                row.map_or_else(foreign, |row| Some(Ok(row)))
            }
            Err(error) => Some(Err(error.into())),
        }
    })
}
