//! The libraries that a program is made of, with their licences: a list of materials. The smaller runners are linked from the same build and
//! leave some of them out, so that the list may name more than the file holds, and never less.

use std::collections::BTreeMap;

/// `name|version|licence` in each line, written by `cargo xtask gen`.
const LIST: &str = include_str!("libraries.gen.txt");

pub(crate) struct Library {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// As SPDX says.
    pub(crate) licence: &'static str,
}

pub(crate) fn all() -> impl Iterator<Item = Library> {
    LIST.lines().filter_map(|line| {
        let (name, rest) = line.split_once('|')?;
        let (version, licence) = rest.split_once('|')?;
        Some(Library { name, version, licence })
    })
}

/// How many libraries are under each licence, the most frequent one first.
pub(crate) fn by_licence() -> Vec<(&'static str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for library in all() {
        *counts.entry(library.licence).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
