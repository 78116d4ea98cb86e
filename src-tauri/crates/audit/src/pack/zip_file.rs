//! Reading the zip. It came from outside: five known names, once each, within limits.

use super::FILES;
use std::io::{Cursor, Read};

/// What a pack may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one unpacked file.
    pub file: u64,
    /// Unpacked bytes per packed byte.
    pub ratio: u64,
    /// Lines of one file.
    pub lines: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file: 1 << 30, ratio: 200, lines: 2_000_000 }
    }
}

/// Why a file is no pack.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an evidence pack: {0}")]
pub struct NotAPack(pub String);

/// Small files compress well: the ratio counts above this.
const RATIO_FREE: u64 = 1 << 20;

/// The texts of the five files.
pub(super) fn read(bytes: &[u8], limits: Limits) -> Result<[String; 5], NotAPack> {
    let listed = directory(bytes)?;
    for name in &listed {
        if !FILES.contains(&name.as_str()) {
            return Err(NotAPack(format!("it holds {name:?}; the files of a pack are {}", FILES.join(", "))));
        }
    }
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| NotAPack(error.to_string()))?;
    let mut texts: [String; 5] = Default::default();
    for (name, text) in FILES.iter().zip(&mut texts) {
        match listed.iter().filter(|listed| listed == name).count() {
            1 => {}
            0 => return Err(NotAPack(format!("{name} is missing"))),
            _ => return Err(NotAPack(format!("{name} is there twice"))),
        }
        let file = zip.by_name(name).map_err(|error| NotAPack(format!("{name}: {error}")))?;
        let packed = file.compressed_size();
        let most = limits.file.min(packed.saturating_mul(limits.ratio).max(RATIO_FREE));
        let mut content = Vec::new();
        // The sizes in the zip are claims: what counts is what comes out.
        file.take(most + 1).read_to_end(&mut content).map_err(|error| NotAPack(format!("{name}: {error}")))?;
        if content.len() as u64 > most {
            return Err(NotAPack(format!("{name} unpacks to more than {most} bytes from {packed}")));
        }
        *text = String::from_utf8(content).map_err(|_| NotAPack(format!("{name} is no UTF-8 text")))?;
        if text.bytes().filter(|byte| *byte == b'\n').count() as u64 > limits.lines {
            return Err(NotAPack(format!("{name} has more than {} lines", limits.lines)));
        }
    }
    Ok(texts)
}

/// The names in the central directory, each as often as it is there: a zip reader keeps one of two equal names, and
/// another reader the other.
fn directory(bytes: &[u8]) -> Result<Vec<String>, NotAPack> {
    let odd = |what: &str| NotAPack(format!("its zip directory {what}"));
    let at = bytes.len().checked_sub(22).ok_or_else(|| odd("is missing"))?;
    let end = &bytes[at..];
    if !end.starts_with(b"PK\x05\x06") {
        return Err(odd("does not stand at the end of the file"));
    }
    let short = |at: usize| u16::from_le_bytes([end[at], end[at + 1]]);
    let long = |at: usize| u32::from_le_bytes([end[at], end[at + 1], end[at + 2], end[at + 3]]) as usize;
    let (count, size, start) = (short(10), long(12), long(16));
    if count != 5 || short(8) != 5 || start.checked_add(size) != Some(at) {
        return Err(odd("does not list exactly five files"));
    }
    let mut rest = &bytes[start..at];
    let mut names = Vec::new();
    while !rest.is_empty() {
        let header =
            rest.get(..46).filter(|header| header.starts_with(b"PK\x01\x02")).ok_or_else(|| odd("is damaged"))?;
        let field = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let (name, extra, comment) = (field(28), field(30), field(32));
        let local = u32::from_le_bytes([header[42], header[43], header[44], header[45]]) as usize;
        let text = rest.get(46..46 + name).ok_or_else(|| odd("is damaged"))?;
        // The file's own header must agree, or two readers see two names.
        let own =
            bytes.get(local..).filter(|own| own.starts_with(b"PK\x03\x04")).and_then(|own| own.get(30..30 + name));
        let own_length = bytes
            .get(local.saturating_add(26)..local.saturating_add(28))
            .map(|l| usize::from(l[0]) | usize::from(l[1]) << 8);
        if own != Some(text) || own_length != Some(name) {
            return Err(odd("gives a file another name than its own header"));
        }
        names.push(String::from_utf8_lossy(text).into_owned());
        rest = rest.get(46 + name + extra + comment..).ok_or_else(|| odd("is damaged"))?;
    }
    if names.len() != 5 {
        return Err(odd("does not list exactly five files"));
    }
    Ok(names)
}
