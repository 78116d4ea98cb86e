//! What a power loss leaves of a folder: the disk as it must be after the syncs that `power.c` wrote down, and of the changes
//! since then none, or some by a number: whole or torn at a sector, in any order, each file and each folder for itself. Names
//! are changes of their folder: a file that is synced in a folder that is not may be there without a name.

use crate::dying::between;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Which of the changes that were not synced are on the disk.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Loss {
    /// None of them.
    All,
    /// Some, the same ones for the same number.
    Some(u64),
}

/// Stands between programs and the C library.
pub(crate) struct Power {
    library: PathBuf,
    _folder: TempDir,
}

impl Power {
    pub(crate) fn new() -> Self {
        let (folder, library) = between("power.c");
        Self { library, _folder: folder }
    }

    /// From now on: what is in the folder is on the disk.
    pub(crate) fn watch(&self, folder: &Path) -> Watch<'_> {
        let journal = tempfile::tempdir().expect("a temporary folder");
        let root = folder.canonicalize().expect("a folder");
        let mut disk = Disk { root: root.clone(), ..Disk::default() };
        disk.read(&root);
        disk.kept = disk.live.clone();
        Watch { power: self, disk, journal }
    }
}

/// A folder that is watched.
pub(crate) struct Watch<'a> {
    power: &'a Power,
    disk: Disk,
    journal: TempDir,
}

impl Watch<'_> {
    /// A program that is started so is watched.
    pub(crate) fn over<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("LD_PRELOAD", &self.power.library);
        command.env("POWER_BELOW", &self.disk.root).env("POWER_LOG", self.log())
    }

    fn log(&self) -> PathBuf {
        self.journal.path().join("log")
    }

    /// The programs are dead. What the disk holds, and what it may hold.
    pub(crate) fn end(mut self) -> Disk {
        let log = fs::read(self.log()).unwrap_or_default();
        let mut left = &log[..];
        // One that is not whole: the program died while another thread told of a change that it had still to make.
        while let Some(record) = Record::read(&mut left) {
            self.disk.take(record);
        }
        self.disk
    }
}

struct Record<'a> {
    kind: u8,
    path: PathBuf,
    number: u64,
    bytes: &'a [u8],
}

impl<'a> Record<'a> {
    fn read(left: &mut &'a [u8]) -> Option<Self> {
        let kind = *left.split_off_first()?;
        let mut take = |count: u64| left.split_off(..usize::try_from(count).ok()?);
        let number = |bytes: Option<&[u8]>| Some(u64::from_ne_bytes(bytes?.try_into().ok()?));
        let length = number(take(8))?;
        let path = text(take(length)?);
        let (place, count) = (number(take(8))?, number(take(8))?);
        Some(Self { kind, path, number: place, bytes: take(count)? })
    }
}

fn text(bytes: &[u8]) -> PathBuf {
    std::str::from_utf8(bytes).expect("a path").into()
}

#[derive(Debug, Clone, Copy)]
enum Node {
    Folder,
    File(usize),
}

#[derive(Debug, Default)]
struct Content {
    kept: Vec<u8>,
    /// Since it was synced.
    since: Vec<Write>,
}

#[derive(Debug)]
enum Write {
    At(usize, Vec<u8>),
    Size(usize),
}

/// A change of names that is on the disk when the folder of its last path is synced.
#[derive(Debug)]
enum Name {
    Made(PathBuf, Node),
    Gone(PathBuf),
    Moved(PathBuf, PathBuf, Node),
}

impl Name {
    fn folder(&self) -> Option<&Path> {
        let (Self::Made(path, _) | Self::Gone(path) | Self::Moved(_, path, _)) = self;
        path.parent()
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, Node>) {
        match self {
            Self::Made(path, node) => drop(names.insert(path.clone(), *node)),
            Self::Gone(path) => drop(names.remove(path)),
            Self::Moved(from, to, node) => {
                names.remove(from);
                names.insert(to.clone(), *node);
            }
        }
    }
}

/// The disk, and what is on its way to it.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    root: PathBuf,
    files: Vec<Content>,
    /// As the programs see it.
    live: BTreeMap<PathBuf, Node>,
    /// As it is on the disk.
    kept: BTreeMap<PathBuf, Node>,
    names: Vec<Name>,
    /// Folders that were synced last of all that happened in them.
    synced: BTreeSet<PathBuf>,
}

impl Disk {
    /// Whether a folder was synced after the last change that was seen below it.
    pub(crate) fn has_synced(&self, folder: &Path) -> bool {
        self.synced.contains(folder)
    }

    fn read(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let node = if path.is_dir() {
                self.read(&path);
                Node::Folder
            } else {
                self.file(fs::read(&path).expect("a file"))
            };
            self.live.insert(path, node);
        }
    }

    fn file(&mut self, kept: Vec<u8>) -> Node {
        self.files.push(Content { kept, since: Vec::new() });
        Node::File(self.files.len() - 1)
    }

    fn name(&mut self, name: Name) {
        name.apply(&mut self.live);
        self.names.push(name);
    }

    fn take(&mut self, record: Record<'_>) {
        let Record { kind, path, number, bytes } = record;
        let place = usize::try_from(number).expect("a place");
        let live = self.live.get(&path).copied();
        if kind != b'D'
            && kind != b'S'
            && let Some(folder) = path.parent()
        {
            self.synced.remove(folder);
        }
        match (kind, live) {
            (b'C', _) => {
                let node = self.file(Vec::new());
                self.name(Name::Made(path, node));
            }
            (b'M', _) => self.name(Name::Made(path, Node::Folder)),
            (b'U', Some(_)) => self.name(Name::Gone(path)),
            (b'R', Some(node)) => self.name(Name::Moved(path, text(bytes), node)),
            (b'L', Some(node)) => self.name(Name::Made(text(bytes), node)),
            (b'D', _) => {
                self.synced.insert(path.clone());
                let (now, later) =
                    std::mem::take(&mut self.names).into_iter().partition(|name| name.folder() == Some(&path));
                self.names = later;
                let now: Vec<Name> = now;
                now.iter().for_each(|name| name.apply(&mut self.kept));
            }
            (b'W', Some(Node::File(file))) => self.files[file].since.push(Write::At(place, bytes.to_vec())),
            (b'T', Some(Node::File(file))) => self.files[file].since.push(Write::Size(place)),
            (b'S', Some(Node::File(file))) => {
                let Content { kept, since } = &mut self.files[file];
                since.drain(..).for_each(|write| write.apply(kept, usize::MAX, &mut || true));
            }
            // Of a file that has no name any more.
            _ => {}
        }
    }

    /// How many changes are not on the disk for certain.
    pub(crate) fn on_its_way(&self) -> usize {
        self.names.len() + self.files.iter().map(|file| file.since.len()).sum::<usize>()
    }

    /// Puts the folder as the power loss leaves it.
    pub(crate) fn leave(&self, loss: Loss) {
        let mut chance = match loss {
            Loss::All => None,
            Loss::Some(number) => Some(Chance(number)),
        };
        let mut names = self.kept.clone();
        if let Some(chance) = &mut chance {
            let folders: BTreeSet<_> = self.names.iter().map(Name::folder).collect();
            for folder in folders {
                let mut some = Survivors::of(chance);
                let changes = self.names.iter().filter(|name| name.folder() == folder);
                changes.filter(|_| some.is_there(chance)).for_each(|name| name.apply(&mut names));
            }
        }
        for entry in fs::read_dir(&self.root).expect("the folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("taken away");
        }
        for (path, node) in &names {
            // Else its folder is lost, and it with it.
            if path.parent().is_some_and(Path::is_dir) {
                match node {
                    Node::Folder => fs::DirBuilder::new().mode(0o700).create(path).expect("a folder"),
                    Node::File(file) => write(path, &self.files[*file].left(chance.as_mut())),
                }
            }
        }
    }
}

fn write(path: &Path, bytes: &[u8]) {
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    made.and_then(|mut file| file.write_all(bytes)).expect("written");
}

impl Content {
    fn left(&self, chance: Option<&mut Chance>) -> Vec<u8> {
        let mut bytes = self.kept.clone();
        let Some(chance) = chance else { return bytes };
        let mut some = Survivors::of(chance);
        for write in &self.since {
            if some.is_there(chance) {
                let torn = chance.below(4) == 0;
                let sector = if !torn {
                    usize::MAX
                } else if chance.below(2) == 0 {
                    512
                } else {
                    4096
                };
                write.apply(&mut bytes, sector, &mut || !torn || chance.below(2) == 0);
            }
        }
        bytes
    }
}

impl Write {
    /// `reaches` says of each sector that it goes to whether it gets there.
    fn apply(&self, content: &mut Vec<u8>, sector: usize, reaches: &mut dyn FnMut() -> bool) {
        match self {
            Self::Size(size) => content.resize(*size, 0),
            Self::At(place, bytes) => {
                let mut left = &bytes[..];
                while !left.is_empty() {
                    let at = place + bytes.len() - left.len();
                    let here;
                    (here, left) = left.split_at(left.len().min(sector - at % sector));
                    if reaches() {
                        content.resize(content.len().max(at + here.len()), 0);
                        content[at..at + here.len()].copy_from_slice(here);
                    }
                }
            }
        }
    }
}

/// The same numbers for the same beginning (SplitMix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// Which changes of one file or folder are there: all, none, the first ones, or any.
enum Survivors {
    All,
    None,
    First,
    Any,
}

impl Survivors {
    fn of(chance: &mut Chance) -> Self {
        match chance.below(5) {
            0 => Self::All,
            1 => Self::None,
            2 => Self::First,
            _ => Self::Any,
        }
    }

    fn is_there(&mut self, chance: &mut Chance) -> bool {
        if matches!(self, Self::First) && chance.below(6) == 0 {
            *self = Self::None;
        }
        match self {
            Self::All | Self::First => true,
            Self::None => false,
            Self::Any => chance.below(2) == 0,
        }
    }
}
