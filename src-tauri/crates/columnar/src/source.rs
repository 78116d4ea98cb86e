//! The bytes of a file, asked for in pieces. Small ones are read together with what is behind them.

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use signalbox_documents::Error;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that are asked for at once.
const PIECE: usize = 4 * 1024 * 1024;
/// Bytes that are read where fewer are wanted.
const WINDOW: usize = 64 * 1024;
/// So many of them are kept: one for each of some columns that are read side by side.
const WINDOWS: usize = 64;

/// A file that is read in pieces.
pub trait FileRanges: Send {
    /// Its bytes.
    fn size(&self) -> u64;
    /// Exactly so many bytes from a place on, which are all inside the file.
    fn read(&mut self, at: u64, length: usize) -> io::Result<Vec<u8>>;
}

struct Shared {
    file: Box<dyn FileRanges>,
    windows: VecDeque<(u64, Bytes)>,
    /// What is wrong with the content, where a library would only hand on its words.
    failure: Option<Error>,
}

/// A file whose parts many readers ask for.
#[derive(Clone)]
pub(crate) struct Source {
    shared: Arc<Mutex<Shared>>,
    size: u64,
}

impl Source {
    pub(crate) fn new(file: Box<dyn FileRanges>) -> Self {
        let size = file.size();
        Self { shared: Arc::new(Mutex::new(Shared { file, windows: VecDeque::new(), failure: None })), size }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the first thing that is wrong.
    pub(crate) fn fail(&self, error: Error) {
        self.lock().failure.get_or_insert(error);
    }

    pub(crate) fn take_failure(&self) -> Option<Error> {
        self.lock().failure.take()
    }

    /// Exactly these bytes.
    pub(crate) fn bytes(&self, at: u64, length: usize) -> io::Result<Bytes> {
        let end = at.checked_add(length as u64).filter(|end| *end <= self.size);
        if end.is_none() {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!(
                    "it refers to bytes {at} to {} and has only {}: it is cut off, or damaged",
                    at.saturating_add(length as u64),
                    self.size
                ),
            ));
        }
        if length == 0 {
            return Ok(Bytes::new());
        }
        let mut shared = self.lock();
        if let Some(window) = shared.windows.iter().find_map(|(start, bytes)| within(*start, bytes, at, length)) {
            return Ok(window);
        }
        if length > WINDOW / 2 {
            return shared.read(at, length);
        }
        let window = usize::try_from(self.size - at).unwrap_or(WINDOW).min(WINDOW);
        let bytes = shared.read(at, window)?;
        if shared.windows.len() >= WINDOWS {
            shared.windows.pop_front();
        }
        shared.windows.push_back((at, bytes.clone()));
        Ok(bytes.slice(..length))
    }
}

impl Shared {
    fn read(&mut self, at: u64, length: usize) -> io::Result<Bytes> {
        if length <= PIECE {
            return self.file.read(at, length).map(Bytes::from);
        }
        let mut all = Vec::with_capacity(length);
        while all.len() < length {
            let piece = self.file.read(at + all.len() as u64, PIECE.min(length - all.len()))?;
            if piece.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            all.extend_from_slice(&piece);
        }
        Ok(Bytes::from(all))
    }
}

fn within(start: u64, bytes: &Bytes, at: u64, length: usize) -> Option<Bytes> {
    let from = usize::try_from(at.checked_sub(start)?).ok()?;
    let end = from.checked_add(length)?;
    (end <= bytes.len()).then(|| bytes.slice(from..end))
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Source {
    type T = SourceRead;

    fn get_read(&self, start: u64) -> ParquetResult<SourceRead> {
        Ok(SourceRead { source: self.clone(), at: start, ready: Bytes::new() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        self.bytes(start, length).map_err(ParquetError::from)
    }
}

/// Reads on from a place.
pub(crate) struct SourceRead {
    source: Source,
    at: u64,
    ready: Bytes,
}

impl Read for SourceRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ready.is_empty() {
            let rest = usize::try_from(self.source.size.saturating_sub(self.at)).unwrap_or(usize::MAX);
            // The head of a page is short, and its window may be there.
            self.ready = self.source.bytes(self.at, rest.min(256))?;
            self.at += self.ready.len() as u64;
        }
        let length = buffer.len().min(self.ready.len());
        buffer[..length].copy_from_slice(&self.ready.split_to(length));
        Ok(length)
    }
}
