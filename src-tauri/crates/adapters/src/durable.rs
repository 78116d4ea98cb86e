//! Files that are still there after a power loss: what is in a file is on the disk when the file is synced, its name when the
//! folder is. Whoever tells that something is kept has synced both.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Waits until the names in a folder are on the disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        // The system keeps names by itself, and opens no folder as a file.
        return Ok(());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    as_far_as_it_goes(File::open(folder).and_then(|folder| folder.sync_all()))
}

/// [`sync_folder`] of the one in which a file stands.
pub fn sync_name(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes a folder with its parents by `create`, and waits until the names of all that were missing are on the disk.
pub fn create_folder(path: &Path, create: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
    create(path)?;
    missing.into_iter().try_for_each(sync_name)
}

/// Some file systems cannot sync a folder, and one that may only be written into cannot be opened: the names there are as safe
/// as they get.
pub(crate) fn as_far_as_it_goes(synced: io::Result<()>) -> io::Result<()> {
    match synced {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}
