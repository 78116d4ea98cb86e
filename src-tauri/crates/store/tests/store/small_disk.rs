//! A small file system of its own, where a root user can mount one; other tests than the store's include this file, too.
#![allow(dead_code, reason = "each test uses its part")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Mounted until it is dropped.
pub(crate) struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `size` as the kernel reads it: "900k". `None` where this account may not mount.
    pub(crate) fn new(size: &str) -> Option<Self> {
        let disk = Self(tempfile::tempdir().expect("folder"));
        if disk.mount(&format!("size={size}")) {
            return Some(disk);
        }
        eprintln!("skipped: only root may mount a small file system");
        None
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn mount(&self, options: &str) -> bool {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(self.path()).stderr(Stdio::null());
        mount.status().is_ok_and(|status| status.success())
    }

    /// Leaves no room for a single byte; [`Self::free`] gives it back.
    pub(crate) fn fill(&self) {
        let filler = std::fs::OpenOptions::new().append(true).create(true).open(self.path().join("filler"));
        let mut file = filler.expect("a file");
        while file.write_all(&[7; 4096]).is_ok() {}
    }

    pub(crate) fn free(&self) {
        std::fs::remove_file(self.path().join("filler")).expect("removed");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(self.path()).status().expect("umount");
    }
}
