//! A folder in memory for what the tests write. The store syncs each commit to the disk, as it must; a third of what its tests take is
//! the file system's work, and most of their time is waiting for it.

use crate::shell;
use std::fs;
use std::path::{Path, PathBuf};

/// Where Linux keeps files in memory.
const MEMORY: &str = "/dev/shm";
const NAME: &str = "signalbox-tests-";
/// What the tests may need at the same time, several times over: exported programs are large in a debug build.
const ROOM: u64 = 6 << 30;

/// The folder; it is removed with all that is in it.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// `None` where the person has chosen a folder, and where memory has no room or runs no programs: then tests write where they always did.
    pub(crate) fn in_memory() -> Option<Self> {
        let chosen = std::env::var_os("TMPDIR").is_some();
        if chosen || free_memory(&fs::read_to_string("/proc/meminfo").ok()?)? < ROOM || room(MEMORY)? < ROOM {
            return None;
        }
        remove_left(Path::new(MEMORY));
        let made = Self(Path::new(MEMORY).join(format!("{NAME}{}", std::process::id())));
        fs::create_dir(&made.0).ok()?;
        made.runs_programs().then_some(made)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap_or(MEMORY)
    }

    /// Containers often forbid it there.
    #[cfg(unix)]
    fn runs_programs(&self) -> bool {
        use std::os::unix::fs::PermissionsExt;
        let program = self.0.join("program");
        fs::write(&program, "#!/bin/sh\nexit 0\n").is_ok()
            && fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).is_ok()
            && shell::output(&program.to_string_lossy(), &[]).is_some()
    }

    #[cfg(not(unix))]
    fn runs_programs(&self) -> bool {
        false
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Folders of runs that were killed.
fn remove_left(memory: &Path) {
    for entry in fs::read_dir(memory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(NAME)).and_then(|id| id.parse::<u32>().ok());
        if process.is_some_and(|id| !Path::new("/proc").join(id.to_string()).exists()) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

/// Bytes that programs can still get.
fn free_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Bytes that a file system has left.
fn room(folder: &str) -> Option<u64> {
    let text = shell::output("df", &["-k", "--output=avail", folder])?;
    Some(text.lines().last()?.trim().parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests;
