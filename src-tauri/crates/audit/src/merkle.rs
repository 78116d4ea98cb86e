//! The Merkle tree of RFC 6962 over the entry hashes: roots, inclusion proofs, consistency proofs.
//!
//! A leaf is `SHA256(0x00 || entry hash)`, a node `SHA256(0x01 || left || right)`; the root of no entries is
//! `SHA256("")`.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};

fn leaf(entry: &Digest) -> Digest {
    Digest::of(&[&[0], &entry.0])
}

fn node(left: &Digest, right: &Digest) -> Digest {
    Digest::of(&[&[1], &left.0, &right.0])
}

/// What is needed to go on computing roots: one hash per set bit of `size`, the largest tree first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Frontier {
    size: u64,
    nodes: Vec<Digest>,
}

impl Frontier {
    /// The frontier of no entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One that was kept: look whether it [is well formed](Self::is_well_formed).
    #[must_use]
    pub fn from_parts(size: u64, nodes: Vec<Digest>) -> Self {
        Self { size, nodes }
    }

    /// How many entries went in.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// One hash per set bit of the size, the largest tree first.
    #[must_use]
    pub fn nodes(&self) -> &[Digest] {
        &self.nodes
    }

    /// Whether the number of nodes fits the size, which a stored frontier may not.
    #[must_use]
    pub fn is_well_formed(&self) -> bool {
        u64::from(self.size.count_ones()) == self.nodes.len() as u64
    }

    /// Adds an entry's hash.
    pub fn push(&mut self, entry: &Digest) {
        let mut new = leaf(entry);
        let mut size = self.size;
        while size & 1 == 1 {
            let Some(left) = self.nodes.pop() else { break };
            new = node(&left, &new);
            size >>= 1;
        }
        self.nodes.push(new);
        self.size += 1;
    }

    /// The root over all entries that went in.
    #[must_use]
    pub fn root(&self) -> Digest {
        let mut nodes = self.nodes.iter().rev();
        let Some(last) = nodes.next() else { return Digest::of(&[]) };
        nodes.fold(*last, |right, left| node(left, &right))
    }
}

/// The tree in memory (64 bytes per entry), to make proofs from.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    levels: Vec<Row>,
    /// Entries before this one are known by the frontier only.
    first: u64,
}

/// `nodes[i - from]` = hash of the complete subtree over entries `i * 2^k .. (i + 1) * 2^k` of level `k`.
#[derive(Debug, Clone, Default)]
struct Row {
    from: usize,
    nodes: Vec<Digest>,
}

impl Row {
    fn len(&self) -> usize {
        self.from + self.nodes.len()
    }

    /// Asked only for what is known: left of the first entry that is the frontier.
    fn at(&self, index: usize) -> Digest {
        self.nodes[index - self.from]
    }
}

/// A proof cannot be made: the place is not in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no proof: {place} is not within {size} entries, of which {known} are known")]
pub struct OutOfTree {
    /// The entry or old size asked for.
    pub place: u64,
    /// The size the proof is for.
    pub size: u64,
    /// Entries in the tree.
    pub known: u64,
}

impl FromIterator<Digest> for Tree {
    fn from_iter<I: IntoIterator<Item = Digest>>(entries: I) -> Self {
        let mut tree = Self::default();
        for entry in entries {
            tree.push(&entry);
        }
        tree
    }
}

impl Tree {
    /// A tree whose first entries are gone: what is left of them is their frontier. It proves later entries only.
    #[must_use]
    pub fn after(frontier: &Frontier) -> Self {
        let size = usize::try_from(frontier.size()).unwrap_or(usize::MAX);
        let mut nodes = frontier.nodes().iter().rev();
        let levels = (0..usize::BITS - size.leading_zeros()).map(|level| {
            let complete = size >> level;
            // The last complete subtree of this level is in the frontier when it has no neighbour on its right.
            let last = (complete % 2 == 1).then(|| nodes.next().copied()).flatten();
            Row { from: complete - usize::from(last.is_some()), nodes: last.into_iter().collect() }
        });
        Self { levels: levels.collect(), first: frontier.size() }
    }

    /// Adds an entry's hash.
    pub fn push(&mut self, entry: &Digest) {
        let mut new = leaf(entry);
        let mut level = 0;
        loop {
            if self.levels.len() == level {
                self.levels.push(Row::default());
            }
            let row = &mut self.levels[level];
            row.nodes.push(new);
            let len = row.len();
            if len % 2 == 1 {
                return;
            }
            new = node(&row.at(len - 2), &row.at(len - 1));
            level += 1;
        }
    }

    /// Entries in the tree.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.levels.first().map_or(0, Row::len) as u64
    }

    fn known(&self, place: u64, size: u64) -> Result<(usize, usize), OutOfTree> {
        let bad = OutOfTree { place, size, known: self.size() };
        if size > self.size() || size < self.first || (place < self.first && place > 0) {
            return Err(bad);
        }
        Ok((usize::try_from(place).map_err(|_| bad)?, usize::try_from(size).map_err(|_| bad)?))
    }

    /// The root over the first `size` entries.
    ///
    /// # Errors
    /// [`OutOfTree`] when the tree has fewer.
    pub fn root(&self, size: u64) -> Result<Digest, OutOfTree> {
        let (_, size) = self.known(0, size)?;
        Ok(if size == 0 { Digest::of(&[]) } else { self.subtree(0, size) })
    }

    fn subtree(&self, from: usize, to: usize) -> Digest {
        let len = to - from;
        if len.is_power_of_two() {
            let level = len.trailing_zeros() as usize;
            return self.levels[level].at(from >> level);
        }
        let middle = from + split(len);
        node(&self.subtree(from, middle), &self.subtree(middle, to))
    }

    /// The proof that entry `seq` is among the first `size`.
    ///
    /// # Errors
    /// [`OutOfTree`] when `seq` is not below `size` or the tree has fewer entries.
    pub fn inclusion(&self, seq: u64, size: u64) -> Result<Inclusion, OutOfTree> {
        let (index, length) = self.known(seq, size)?;
        if index >= length || seq < self.first {
            return Err(OutOfTree { place: seq, size, known: self.size() });
        }
        let mut path = Vec::new();
        let (mut from, mut to) = (0, length);
        while to - from > 1 {
            let middle = from + split(to - from);
            if index < middle {
                path.push(self.subtree(middle, to));
                to = middle;
            } else {
                path.push(self.subtree(from, middle));
                from = middle;
            }
        }
        path.reverse();
        Ok(Inclusion { seq, size, path })
    }

    /// The proof that the first `old` entries are a beginning of the first `size`.
    ///
    /// # Errors
    /// [`OutOfTree`] when `old` is above `size` or the tree has fewer entries.
    pub fn consistency(&self, old: u64, size: u64) -> Result<Consistency, OutOfTree> {
        let (m, n) = self.known(old, size)?;
        if m > n || old < self.first {
            return Err(OutOfTree { place: old, size, known: self.size() });
        }
        let mut path = Vec::new();
        if m > 0 && m < n {
            let (mut from, mut to, mut whole) = (0, n, true);
            while m != to {
                let middle = from + split(to - from);
                if m <= middle {
                    path.push(self.subtree(middle, to));
                    to = middle;
                } else {
                    path.push(self.subtree(from, middle));
                    from = middle;
                    whole = false;
                }
            }
            if !whole {
                path.push(self.subtree(from, to));
            }
            path.reverse();
        }
        Ok(Consistency { old, size, path })
    }
}

/// The largest power of two below `len` (`len` > 1).
fn split(len: usize) -> usize {
    let top = usize::BITS - 1 - (len - 1).leading_zeros();
    1 << top
}

/// A place on the way from a leaf to the root: a node of its level and the level's last one (RFC 9162, 2.1.3.2: fn, sn).
struct Place {
    at: u64,
    last: u64,
}

impl Place {
    fn is_root(&self) -> bool {
        self.last == 0
    }

    /// Whether the next neighbour stands on the left.
    fn is_right(&self) -> bool {
        self.at & 1 == 1 || self.at == self.last
    }

    fn up(&mut self) {
        self.at >>= 1;
        self.last >>= 1;
    }

    /// To the node that it makes with its neighbour. At the right edge a left node has none: it goes up as it is before.
    fn rise(&mut self) {
        if self.is_right() {
            while self.at & 1 == 0 && self.at != 0 {
                self.up();
            }
        }
        self.up();
    }
}

/// The proof that an entry is among the first `size`: the neighbours from the leaf to the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Inclusion {
    /// The entry.
    pub seq: u64,
    /// Entries under the root.
    pub size: u64,
    /// Neighbours, the lowest first.
    pub path: Vec<Digest>,
}

impl Inclusion {
    /// Whether the entry with this hash stands at `seq` under `root` (RFC 9162, 2.1.3.2).
    #[must_use]
    pub fn proves(&self, entry: &Digest, root: &Digest) -> bool {
        if self.seq >= self.size {
            return false;
        }
        let mut place = Place { at: self.seq, last: self.size - 1 };
        let mut hash = leaf(entry);
        for neighbour in &self.path {
            if place.is_root() {
                return false;
            }
            hash = if place.is_right() { node(neighbour, &hash) } else { node(&hash, neighbour) };
            place.rise();
        }
        place.is_root() && hash == *root
    }
}

/// The proof that a log of `old` entries is the beginning of one of `size`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Consistency {
    /// Entries of the older log.
    pub old: u64,
    /// Entries of the newer log.
    pub size: u64,
    /// Subtrees, in the order of RFC 6962.
    pub path: Vec<Digest>,
}

impl Consistency {
    /// Whether the log under `old_root` is the beginning of the log under `root` (RFC 9162, 2.1.4.2).
    #[must_use]
    pub fn proves(&self, old_root: &Digest, root: &Digest) -> bool {
        if self.old > self.size {
            return false;
        }
        if self.old == self.size {
            return self.path.is_empty() && old_root == root;
        }
        if self.old == 0 {
            return self.path.is_empty() && *old_root == Digest::of(&[]);
        }
        let mut path = self.path.iter();
        let first = if self.old.is_power_of_two() { Some(old_root) } else { path.next() };
        let Some(first) = first else { return false };
        let mut place = Place { at: self.old - 1, last: self.size - 1 };
        while place.at & 1 == 1 {
            place.up();
        }
        let (mut old_hash, mut hash) = (*first, *first);
        for neighbour in path {
            if place.is_root() {
                return false;
            }
            if place.is_right() {
                old_hash = node(neighbour, &old_hash);
                hash = node(neighbour, &hash);
            } else {
                hash = node(&hash, neighbour);
            }
            place.rise();
        }
        place.is_root() && old_hash == *old_root && hash == *root
    }
}
