//! Files that only their owner may read.

use crate::durable;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Says what is wrong when others can read a file.
#[cfg(unix)]
pub fn owner_only(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).map_err(|error| error.to_string())?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let place = path.display();
    Err(format!("{place} can be read by others (mode {:o}), so it is not used. Run: chmod 600 {place}", mode & 0o777))
}

/// Says what is wrong when others can read a file.
#[cfg(not(unix))]
pub fn owner_only(_path: &Path) -> Result<(), String> {
    Ok(())
}

/// Makes a new file, for its owner only.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Makes a folder, for its owner only.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    durable::create_folder(path, |path| builder.create(path))
}

/// Replaces a file whole: who reads it sees the old one or the new one, also after a power cut.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    beside(path, bytes, |fresh| fs::rename(fresh, path))
}

/// Makes a file whole, unless there is one: nobody reads half of it, and of two who make it one does. `true` = this one.
pub fn make(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    beside(path, bytes, |fresh| match fs::hard_link(fresh, path) {
        Ok(()) => Ok(true),
        // Whoever comes first has made it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(_) if path.exists() => Ok(false),
        // A file system without links.
        Err(_) => fs::rename(fresh, path).map(|()| true),
    })
}

/// Writes a file beside another one; what `becomes` then makes of their names is on the disk before this returns.
fn beside<T>(path: &Path, bytes: &[u8], becomes: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    let write = || -> io::Result<T> {
        // Left by a process of the same number that was killed.
        match fs::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = create(&fresh)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        let became = becomes(&fresh)?;
        durable::sync_name(path)?;
        Ok(became)
    };
    let done = write();
    // Half a file is of no use to anybody, nor is a second name; gone already when it was renamed.
    let _ = fs::remove_file(&fresh);
    done
}
