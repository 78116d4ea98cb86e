//! A tar that is the same whenever it is written of the same files: sorted, with fixed owners, one time, and modes by what a
//! file is. Plain ustar; names above its limits are refused.

use std::collections::{BTreeMap, BTreeSet};

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file with its permissions.
    File {
        /// What it holds.
        bytes: Vec<u8>,
        /// Its permissions.
        mode: u32,
    },
    /// A symbolic link to this.
    Link(String),
    /// An empty folder with its permissions and the number of its owner.
    Folder {
        /// Its permissions.
        mode: u32,
        /// The number of its owner, and of the owner's group.
        owner: u32,
    },
}

/// Files by path, without a slash at the beginning. The order of the map is the order in the archive.
#[derive(Debug, Clone, Default)]
pub struct Tree(pub BTreeMap<String, Entry>);

impl Tree {
    /// Adds a file that everybody may read.
    pub fn file(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), Entry::File { bytes: bytes.into(), mode: 0o644 });
    }

    /// Adds a file that everybody may run.
    pub fn program(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), Entry::File { bytes: bytes.into(), mode: 0o755 });
    }

    /// Adds a symbolic link.
    pub fn link(&mut self, path: impl Into<String>, to: impl Into<String>) {
        self.0.insert(path.into(), Entry::Link(to.into()));
    }

    /// Adds an empty folder.
    pub fn folder(&mut self, path: impl Into<String>, mode: u32, owner: u32) {
        self.0.insert(path.into(), Entry::Folder { mode, owner });
    }

    /// Bytes of all files.
    pub fn size(&self) -> u64 {
        let size = |entry: &Entry| if let Entry::File { bytes, .. } = entry { bytes.len() as u64 } else { 0 };
        self.0.values().map(size).sum()
    }

    /// All folders on the way to something, parents first, that are not entries themselves.
    pub fn parents(&self) -> BTreeSet<String> {
        let mut folders = BTreeSet::new();
        for path in self.0.keys() {
            for (at, _) in path.match_indices('/') {
                folders.insert(path[..at].to_owned());
            }
        }
        folders.retain(|folder| !self.0.contains_key(folder));
        folders
    }

    /// The archive; `below` stands before every path, `time` is the time of everything, in seconds since 1970.
    ///
    /// # Errors
    /// A name or a link that does not fit the format, in words.
    pub fn archive(&self, below: &str, time: u64) -> Result<Vec<u8>, String> {
        let folders = self.parents().into_iter().map(|path| (path, None));
        let mut all: BTreeMap<String, Option<&Entry>> = folders.collect();
        all.extend(self.0.iter().map(|(path, entry)| (path.clone(), Some(entry))));
        let mut out = Vec::new();
        if !below.is_empty() {
            out.extend(header(below, '5', 0o755, 0, 0, time, "")?);
        }
        for (path, entry) in all {
            let name = if below.is_empty() { path.clone() } else { format!("{below}/{path}") };
            match entry {
                None => out.extend(header(&name, '5', 0o755, 0, 0, time, "")?),
                Some(Entry::Folder { mode, owner }) => out.extend(header(&name, '5', *mode, *owner, 0, time, "")?),
                Some(Entry::Link(to)) => out.extend(header(&name, '2', 0o777, 0, 0, time, to)?),
                Some(Entry::File { bytes, mode }) => {
                    out.extend(header(&name, '0', *mode, 0, bytes.len() as u64, time, "")?);
                    out.extend(bytes);
                    out.resize(out.len().next_multiple_of(512), 0);
                }
            }
        }
        // The end of an archive, and the block size of tar.
        out.resize((out.len() + 1024).next_multiple_of(10_240), 0);
        Ok(out)
    }
}

fn header(
    name: &str,
    kind: char,
    mode: u32,
    owner: u32,
    size: u64,
    time: u64,
    link: &str,
) -> Result<[u8; 512], String> {
    let mut block = [0_u8; 512];
    let (prefix, short) = split(name).ok_or_else(|| format!("The name {name} is too long for a tar."))?;
    let mut put = |at: usize, text: &str, room: usize| -> Result<(), String> {
        if text.len() > room {
            return Err(format!("{text} is too long for a tar ({room} bytes)."));
        }
        block[at..at + text.len()].copy_from_slice(text.as_bytes());
        Ok(())
    };
    put(0, short, 100)?;
    put(100, &format!("{mode:07o}"), 7)?;
    put(108, &format!("{owner:07o}"), 7)?;
    put(116, &format!("{owner:07o}"), 7)?;
    put(124, &format!("{size:011o}"), 11)?;
    put(136, &format!("{time:011o}"), 11)?;
    put(148, "        ", 8)?;
    put(156, &kind.to_string(), 1)?;
    put(157, link, 100)?;
    put(257, "ustar\u{0}00", 8)?;
    if owner == 0 {
        put(265, "root", 32)?;
        put(297, "root", 32)?;
    }
    put(345, prefix, 155)?;
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\u{0} ").as_bytes());
    Ok(block)
}

/// Prefix and name, as ustar divides a long path.
fn split(name: &str) -> Option<(&str, &str)> {
    if name.len() <= 100 {
        return Some(("", name));
    }
    let fits = |at: &usize| *at <= 155 && name.len() - at - 1 <= 100;
    let at = name.match_indices('/').map(|(at, _)| at).find(fits)?;
    Some((&name[..at], &name[at + 1..]))
}

#[cfg(test)]
mod tests;
