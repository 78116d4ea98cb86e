//! ZIP and tar archives: listed, unpacked within limits, packed.

use crate::Error;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Most entries of an archive.
pub const MAX_ENTRIES: usize = 10_000;
/// Most bytes of one file of it.
pub const MAX_FILE: u64 = 64 * 1024 * 1024;
/// Most bytes of all files together.
pub const MAX_TOTAL: u64 = 256 * 1024 * 1024;

/// A format of archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// ZIP.
    Zip,
    /// tar.
    Tar,
    /// tar, compressed by gzip.
    TarGz,
    /// One file, compressed by gzip.
    Gzip,
}

impl Format {
    /// As it is told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::TarGz => "tar.gz",
            Self::Gzip => "gzip",
        }
    }
}

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path in the archive, with `/`, relative, without `..`.
    pub path: String,
    /// Bytes when it is unpacked.
    pub size: u64,
    /// Its bytes; `None` = only listed.
    pub bytes: Option<Vec<u8>>,
}

/// What an archive holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Which archive it is.
    pub format: Format,
    /// Its files, in their order.
    pub files: Vec<Entry>,
    /// Links and other entries that are neither files nor folders: they are never followed.
    pub skipped: Vec<String>,
}

/// Lists an archive, and unpacks the files whose path fits a pattern (`*` and `?`) when `unpack`.
pub fn open(bytes: &[u8], pattern: &str, unpack: bool) -> Result<Contents, Error> {
    let mut out = Collector { pattern, unpack, files: Vec::new(), skipped: Vec::new(), entries: 0, total: 0 };
    let format = if bytes.starts_with(b"PK") {
        out.zip(bytes)?;
        Format::Zip
    } else if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        // Room for the headers and the padding of tar.
        let limit = MAX_TOTAL + 1024 * MAX_ENTRIES as u64;
        MultiGzDecoder::new(bytes)
            .take(limit + 1)
            .read_to_end(&mut plain)
            .map_err(|error| damaged(&error.to_string()))?;
        if plain.len() as u64 > limit {
            return Err(too_large_total());
        }
        if is_tar(&plain) {
            out.tar(&plain)?;
            Format::TarGz
        } else {
            out.add("content".to_owned(), plain.len() as u64, |_| Ok(plain))?;
            Format::Gzip
        }
    } else if is_tar(bytes) {
        out.tar(bytes)?;
        Format::Tar
    } else {
        return Err(Error::new("UNKNOWN_FORMAT", "This is no ZIP, tar, tar.gz or gz file"));
    };
    Ok(Contents { format, files: out.files, skipped: out.skipped })
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

struct Collector<'a> {
    pattern: &'a str,
    unpack: bool,
    files: Vec<Entry>,
    skipped: Vec<String>,
    entries: usize,
    total: u64,
}

impl Collector<'_> {
    fn count(&mut self) -> Result<(), Error> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            let words = format!("The archive has more than {MAX_ENTRIES} entries");
            return Err(Error::too_large(words, MAX_ENTRIES as u64));
        }
        Ok(())
    }

    /// Takes a file; what it says of its size is checked before it is unpacked, and what it is, while.
    fn add(&mut self, path: String, size: u64, read: impl FnOnce(u64) -> Result<Vec<u8>, Error>) -> Result<(), Error> {
        if !self.pattern.is_empty() && !fits(self.pattern, &path) {
            return Ok(());
        }
        if !self.unpack {
            self.files.push(Entry { path, size, bytes: None });
            return Ok(());
        }
        check_size(&path, size)?;
        if self.total.saturating_add(size) > MAX_TOTAL {
            return Err(too_large_total());
        }
        let bytes = read(MAX_FILE.min(MAX_TOTAL - self.total))?;
        let size = bytes.len() as u64;
        self.total += size;
        self.files.push(Entry { path, size, bytes: Some(bytes) });
        Ok(())
    }

    fn zip(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error.to_string()))?;
        for index in 0..archive.len() {
            self.count()?;
            let entry = archive.by_index_data(index).map_err(|error| damaged(&error.to_string()))?;
            let name = entry.name().map_err(|error| damaged(&error.to_string()))?.into_owned();
            let (is_folder, is_link, is_encrypted, size) =
                (entry.is_dir(), entry.is_symlink(), entry.encrypted(), entry.size());
            let path = safe_path(&name)?;
            if is_folder {
                continue;
            }
            if is_link {
                self.skipped.push(path);
                continue;
            }
            self.add(path, size, |limit| {
                if is_encrypted {
                    let words = format!("'{name}' is protected by a password. Pack the archive without one");
                    return Err(Error::new("ENCRYPTED", words).detail("path", name.clone()));
                }
                let file = archive.by_index(index).map_err(|error| damaged(&error.to_string()))?;
                read_file(file, &name, limit)
            })?;
        }
        Ok(())
    }

    fn tar(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut archive = tar::Archive::new(bytes);
        for entry in archive.entries().map_err(|error| damaged(&error.to_string()))? {
            self.count()?;
            let entry = entry.map_err(|error| damaged(&error.to_string()))?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let kind = entry.header().entry_type();
            if kind.is_dir() || kind.is_pax_global_extensions() {
                continue;
            }
            let path = safe_path(&name)?;
            if !(kind.is_file() || kind.is_contiguous()) {
                self.skipped.push(path);
                continue;
            }
            let size = entry.size();
            self.add(path, size, |limit| read_file(entry, &name, limit))?;
        }
        Ok(())
    }
}

fn read_file(file: impl Read, name: &str, limit: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| damaged(&format!("'{name}': {error}")))?;
    // It says less of itself than it is.
    if bytes.len() as u64 > limit {
        return Err(Error::too_large(format!("'{name}' is larger than it says, and than the limit"), limit)
            .detail("path", name));
    }
    Ok(bytes)
}

fn check_size(path: &str, size: u64) -> Result<(), Error> {
    if size <= MAX_FILE {
        return Ok(());
    }
    let words = format!("'{path}' has {size} bytes, more than the limit of {} MiB for one file", MAX_FILE >> 20);
    Err(Error::too_large(words, MAX_FILE).detail("path", path).detail("size", size))
}

fn too_large_total() -> Error {
    let words =
        format!("The files would have more than {} MiB together. Unpack fewer files, by a pattern", MAX_TOTAL >> 20);
    Error::too_large(words, MAX_TOTAL)
}

fn damaged(why: &str) -> Error {
    let why: String = why.chars().take(200).collect();
    Error::new("BAD_ARCHIVE", format!("The archive cannot be read: {why}"))
}

/// A path in an archive that stays inside of the folder it is unpacked to.
fn safe_path(name: &str) -> Result<String, Error> {
    let plain = name.replace('\\', "/");
    let mut parts = Vec::new();
    for part in plain.split('/') {
        match part {
            "" | "." => {}
            other => parts.push(other),
        }
    }
    let has_drive = plain.as_bytes().get(1) == Some(&b':');
    let leaves = parts.contains(&"..") || plain.starts_with('/') || has_drive;
    if leaves || parts.is_empty() || plain.chars().any(char::is_control) {
        let shown: String = name.chars().take(100).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let words = format!(
            "The archive has an entry '{shown}', which leads out of the folder it belongs to. Nothing was unpacked"
        );
        return Err(Error::new("UNSAFE_PATH", words).detail("path", shown));
    }
    Ok(parts.join("/"))
}

/// `*` matches any characters, `?` one; a pattern without `/` is for the name, else for the whole path.
fn fits(pattern: &str, path: &str) -> bool {
    let subject = if pattern.contains('/') { path } else { path.rsplit('/').next().unwrap_or(path) };
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.to_lowercase().chars().collect(), subject.to_lowercase().chars().collect());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(sign) if *sign == '?' || *sign == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|sign| *sign == '*')
}

/// Packs files under their paths. The same files give the same bytes: no times are kept.
pub fn pack(format: Format, files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, Error> {
    let mut known = std::collections::HashSet::new();
    let mut paths = Vec::with_capacity(files.len());
    for (path, _) in files {
        let path = safe_path(path)?;
        if !known.insert(path.to_lowercase()) {
            let words = format!("Two files would have the path '{path}' in the archive. Give each another name");
            return Err(Error::new("INPUT_INVALID", words).detail("path", path));
        }
        paths.push(path);
    }
    let failed =
        |error: &dyn std::fmt::Display| Error::new("BAD_ARCHIVE", format!("The archive cannot be made: {error}"));
    let files = paths.iter().zip(files.iter().map(|(_, bytes)| bytes.as_slice()));
    match format {
        Format::Zip => {
            let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
            for (path, bytes) in files {
                zip.start_file(path, options).map_err(|error| failed(&error))?;
                zip.write_all(bytes).map_err(|error| failed(&error))?;
            }
            Ok(zip.finish().map_err(|error| failed(&error))?.into_inner())
        }
        Format::Tar => packed_tar(files, Vec::new()).map_err(|error| failed(&error)),
        Format::TarGz => {
            let gz = packed_tar(files, GzEncoder::new(Vec::new(), Compression::default()))
                .map_err(|error| failed(&error))?;
            gz.finish().map_err(|error| failed(&error))
        }
        Format::Gzip => Err(Error::new("INPUT_INVALID", "gzip holds one file without a name; choose tar.gz")),
    }
}

fn packed_tar<'a, W: Write>(files: impl Iterator<Item = (&'a String, &'a [u8])>, out: W) -> std::io::Result<W> {
    let mut tar = tar::Builder::new(out);
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        tar.append_data(&mut header, path, bytes)?;
    }
    tar.into_inner()
}

#[cfg(test)]
mod tests;
