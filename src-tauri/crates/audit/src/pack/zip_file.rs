//! Reading the zip. It came from outside: known names, once each, within limits. Nothing is read whole but the zip's
//! own directory: the size of a pack does not matter.

use super::{FILES, MANIFEST};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use zip::ZipArchive;

/// What a pack may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one unpacked file.
    pub file: u64,
    /// Unpacked bytes per packed byte.
    pub ratio: u64,
    /// Lines of one file.
    pub lines: u64,
    /// Bytes of one line.
    pub line: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file: 8 << 30, ratio: 200, lines: 10_000_000, line: 16 << 20 }
    }
}

/// Why a file is no pack that can be verified.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPack {
    /// It is something else.
    #[error("not an evidence pack: {0}")]
    Other(String),
    /// It was one, and bytes of it are not what they were.
    #[error("damaged: {0}")]
    Damaged(String),
}

/// Small files compress well: the ratio counts above this.
const RATIO_FREE: u64 = 1 << 20;
/// The names of a pack and what a zip says about them take no more.
const DIRECTORY: u64 = 64 << 10;
/// How far from the end of a file the end of a zip may begin: 22 bytes and the longest comment.
const FARTHEST: u64 = 22 + 0xffff;

/// An open pack whose directory is in order.
pub(super) struct Pack<R: Read + Seek> {
    zip: ZipArchive<R>,
    limits: Limits,
    /// Packs of before have none.
    pub(super) has_manifest: bool,
}

impl<R: Read + Seek> Pack<R> {
    pub(super) fn open(mut file: R, limits: Limits) -> Result<Self, NotAPack> {
        let listed = directory(&mut file)?;
        for name in &listed {
            if !FILES.contains(&name.as_str()) {
                return Err(NotAPack::Other(format!(
                    "it holds {name:?}; the files of a pack are {}",
                    FILES.join(", ")
                )));
            }
        }
        for name in FILES {
            match listed.iter().filter(|listed| *listed == name).count() {
                1 => {}
                0 if name == MANIFEST => {}
                0 => return Err(NotAPack::Other(format!("{name} is missing"))),
                _ => return Err(NotAPack::Other(format!("{name} is there twice"))),
            }
        }
        let has_manifest = listed.iter().any(|name| name == MANIFEST);
        Ok(Self {
            zip: ZipArchive::new(file).map_err(|error| NotAPack::Other(error.to_string()))?,
            limits,
            has_manifest,
        })
    }

    /// The lines of a file, each with its end as it stands there.
    pub(super) fn lines(&mut self, name: &'static str) -> Result<Lines<impl BufRead + use<'_, R>>, NotAPack> {
        let limits = self.limits;
        let file = self.zip.by_name(name).map_err(|error| NotAPack::Other(format!("{name}: {error}")))?;
        let packed = file.compressed_size();
        let most = limits.file.min(packed.saturating_mul(limits.ratio).max(RATIO_FREE));
        // The sizes in the zip are claims: what counts is what comes out.
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(Lines { reader, name, packed, most, read: 0, count: 0, limits })
    }
}

/// See [`Pack::lines`].
pub(super) struct Lines<B> {
    reader: B,
    name: &'static str,
    packed: u64,
    most: u64,
    read: u64,
    count: u64,
    limits: Limits,
}

impl<B: BufRead> Lines<B> {
    fn next_line(&mut self) -> Result<Option<String>, NotAPack> {
        let name = self.name;
        let mut bytes = Vec::new();
        let most = self.limits.line.min(self.most - self.read);
        let read = (&mut self.reader).take(most + 1).read_until(b'\n', &mut bytes);
        let read = read.map_err(|error| NotAPack::Damaged(format!("{name}: {error}")))? as u64;
        if read == 0 {
            return Ok(None);
        }
        self.read += read;
        if self.read > self.most {
            return Err(NotAPack::Other(format!(
                "{name} unpacks to more than {} bytes from {}",
                self.most, self.packed
            )));
        }
        if read > self.limits.line {
            return Err(NotAPack::Other(format!("{name} has a line of more than {} bytes", self.limits.line)));
        }
        self.count += u64::from(bytes.last() == Some(&b'\n'));
        if self.count > self.limits.lines {
            return Err(NotAPack::Other(format!("{name} has more than {} lines", self.limits.lines)));
        }
        String::from_utf8(bytes).map(Some).map_err(|_| NotAPack::Other(format!("{name} is no UTF-8 text")))
    }
}

impl<B: BufRead> Iterator for Lines<B> {
    type Item = Result<String, NotAPack>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_line().transpose()
    }
}

/// The names in the central directory, each as often as it is there: a zip reader keeps one of two equal names, and
/// another reader the other.
fn directory(file: &mut (impl Read + Seek)) -> Result<Vec<String>, NotAPack> {
    let odd = |what: &str| NotAPack::Other(format!("its zip directory {what}"));
    let failed = |error: io::Error| NotAPack::Other(error.to_string());
    let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
    if length == 0 {
        return Err(NotAPack::Damaged("it is empty".to_owned()));
    }
    let reach = length.min(FARTHEST);
    let tail = part(file, length - reach, reach).map_err(failed)?;
    let end = tail.windows(4).rposition(|four| four == b"PK\x05\x06").map(|at| &tail[at..]);
    // What begins as a zip and has not the whole end of one was cut off.
    if part(file, 0, 4.min(length)).map_err(failed)? == b"PK\x03\x04" {
        if end.is_none_or(|end| end.len() < 22) {
            return Err(NotAPack::Damaged("its end is missing: it was cut off".to_owned()));
        }
    } else if end.is_none() {
        return Err(NotAPack::Other("it is no zip file".to_owned()));
    }
    let at = length.checked_sub(22).ok_or_else(|| odd("is missing"))?;
    let end = part(file, at, 22).map_err(failed)?;
    if !end.starts_with(b"PK\x05\x06") {
        return Err(odd("does not stand at the end of the file"));
    }
    let short = |at: usize| u16::from_le_bytes([end[at], end[at + 1]]);
    let long = |at: usize| u64::from(u32::from_le_bytes([end[at], end[at + 1], end[at + 2], end[at + 3]]));
    let (count, size, start) = (short(10), long(12), long(16));
    let most = FILES.len();
    if !(most - 1..=most).contains(&usize::from(count))
        || short(8) != count
        || start.checked_add(size) != Some(at)
        || size > DIRECTORY
    {
        return Err(odd("does not list the files of a pack"));
    }
    let whole = part(file, start, size).map_err(failed)?;
    let mut rest = whole.as_slice();
    let mut names = Vec::new();
    while !rest.is_empty() {
        let header =
            rest.get(..46).filter(|header| header.starts_with(b"PK\x01\x02")).ok_or_else(|| odd("is damaged"))?;
        let field = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let (name, extra, comment) = (field(28), field(30), field(32));
        let local = u64::from(u32::from_le_bytes([header[42], header[43], header[44], header[45]]));
        let text = rest.get(46..46 + name).ok_or_else(|| odd("is damaged"))?;
        // The file's own header must agree, or two readers see two names.
        let own = part(file, local, 30 + name as u64).unwrap_or_default();
        let own_length = own.get(26..28).map(|l| usize::from(l[0]) | usize::from(l[1]) << 8);
        if !own.starts_with(b"PK\x03\x04") || own.get(30..) != Some(text) || own_length != Some(name) {
            return Err(odd("gives a file another name than its own header"));
        }
        names.push(String::from_utf8_lossy(text).into_owned());
        rest = rest.get(46 + name + extra + comment..).ok_or_else(|| odd("is damaged"))?;
    }
    if names.len() != usize::from(count) {
        return Err(odd("does not list the files of a pack"));
    }
    Ok(names)
}

fn part(file: &mut (impl Read + Seek), at: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
