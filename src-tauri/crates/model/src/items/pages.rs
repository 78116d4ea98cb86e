//! Parts of long lists that lie in a file: they are read one at a time, when somebody looks at them (ADR 157). The file has no name
//! and is gone with the process, so what it holds is never found again by anybody: a run is resumed from the store.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many bytes of the text of one list stay in memory.
pub const IN_MEMORY: usize = 1024 * 1024;
/// A file is written up to about this length; its space is free again when no part in it is needed any more.
const FILE: u64 = 64 * 1024 * 1024;
/// What the names of the files begin with, as long as they have one.
const NAME: &str = "list-";

/// Where the files of this process are made.
struct Pages {
    folder: PathBuf,
    /// The file that is written at the moment, and its length.
    open: Option<(Arc<File>, u64)>,
}

static PAGES: Mutex<Option<Pages>> = Mutex::new(None);
/// Bytes of text from which on a list puts its parts into files.
static FROM: AtomicUsize = AtomicUsize::new(usize::MAX);
static NUMBER: AtomicUsize = AtomicUsize::new(0);

fn pages() -> MutexGuard<'static, Option<Pages>> {
    PAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on lists of this process keep at most about `from` bytes of text in memory, and the rest in files of this folder. Before
/// it is called, and where no file can be written, all of it is in memory.
///
/// # Errors
/// The folder cannot be made, or no file in it.
pub fn keep_in(folder: &Path, from: usize) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // A process that was killed between two system calls leaves an empty file with a name.
    for left in std::fs::read_dir(folder)?.flatten() {
        if left.file_name().to_string_lossy().starts_with(NAME) {
            let _ = std::fs::remove_file(left.path());
        }
    }
    let file = nameless(folder)?;
    *pages() = Some(Pages { folder: folder.to_owned(), open: Some((Arc::new(file), 0)) });
    FROM.store(from, Ordering::Relaxed);
    Ok(())
}

/// Bytes of text of a list that stay in memory.
pub(super) fn from() -> usize {
    FROM.load(Ordering::Relaxed)
}

/// A file that has lost its name: the system frees it with its last handle.
fn nameless(folder: &Path) -> io::Result<File> {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("{NAME}{}-{number}", std::process::id()));
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(windows)]
    {
        // FILE_FLAG_DELETE_ON_CLOSE
        std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, 0x0400_0000);
    }
    let file = options.open(&path)?;
    #[cfg(unix)]
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    Ok(file)
}

/// A range of a file.
pub(super) struct Page {
    file: Arc<File>,
    at: u64,
    length: usize,
}

impl Page {
    /// Writes it; nothing where that is not possible, because the disk is full for example.
    pub(super) fn write(bytes: &[u8]) -> Option<Self> {
        let mut pages = pages();
        let pages = pages.as_mut()?;
        let length = bytes.len() as u64;
        let (file, at) = match pages.open.take().filter(|(_, end)| *end == 0 || end + length <= FILE) {
            Some(open) => open,
            None => (Arc::new(nameless(&pages.folder).ok()?), 0),
        };
        let written = write_at(&file, bytes, at);
        // What was written in part is written over.
        let end = if written.is_ok() { at + length } else { at };
        pages.open = Some((Arc::clone(&file), end));
        written.ok()?;
        Some(Self { file, at, length: bytes.len() })
    }

    pub(super) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.length];
        read_at(&self.file, &mut bytes, self.at)?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[count..];
        at += count as u64;
    }
    Ok(())
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[count..];
        at += count as u64;
    }
    Ok(())
}

/// Parts that were read last are kept for whoever looks at their next item: so many,
const RECENT: usize = 8;
/// or as many as have so many bytes, but at least two, because two lists may be read at the same time.
const RECENT_BYTES: usize = 8 * 1024 * 1024;
const LEAST: usize = 2;

static LOADED: AtomicUsize = AtomicUsize::new(0);
static MOST_LOADED: AtomicUsize = AtomicUsize::new(0);

/// Counts a part as long as it is in memory.
pub(super) struct Loaded(());

impl Loaded {
    pub(super) fn new() -> Self {
        let now = LOADED.fetch_add(1, Ordering::Relaxed) + 1;
        MOST_LOADED.fetch_max(now, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        LOADED.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many parts that lie in files were in memory at the same time at most, in this process.
pub fn most_loaded() -> usize {
    MOST_LOADED.load(Ordering::Relaxed)
}

/// How many pieces lie in files, written since the start of this process.
pub fn written() -> usize {
    WRITTEN.load(Ordering::Relaxed)
}

static WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// A part was put into a file.
pub(super) fn count_written() {
    WRITTEN.fetch_add(1, Ordering::Relaxed);
}

/// Keeps the newest of what was read, each with its bytes.
pub(super) struct Recent<T>(Mutex<VecDeque<(Arc<T>, usize)>>);

impl<T> Recent<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    pub(super) fn keep(&self, read: &Arc<T>, bytes: usize) {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gone = Vec::new();
        while recent.len() >= RECENT
            || recent.len() >= LEAST
                && recent.iter().map(|(_, bytes)| bytes).sum::<usize>().saturating_add(bytes) > RECENT_BYTES
        {
            gone.extend(recent.pop_front());
        }
        recent.push_back((Arc::clone(read), bytes));
        drop(recent);
        drop(gone);
    }
}

#[cfg(test)]
mod tests;
