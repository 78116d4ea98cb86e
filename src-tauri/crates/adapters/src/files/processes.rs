//! The files by which Linux shows running programs (`/proc/1234/environ`, `mem`, `fd`). They hold the environment and the memory of
//! this program, and with them what unlocks the secrets, so they are closed to steps whatever folder is granted.

use cap_std::fs::Dir;

/// A file of a running program.
#[derive(Debug)]
pub(super) struct IsOfProcess;

/// Refuses a folder inside `/proc`. What lies right in it, as `/proc/loadavg` does, is of the system.
#[cfg(target_os = "linux")]
pub(super) fn check(folder: &Dir) -> Result<(), IsOfProcess> {
    use cap_std::fs::MetadataExt as _;
    use std::os::unix::fs::MetadataExt as _;
    // A system without it has nothing to close; `self` tells it from an ordinary folder of that name.
    let (Ok(root), Ok(own)) = (std::fs::metadata("/proc"), std::fs::metadata("/proc/self")) else { return Ok(()) };
    let about = folder.dir_metadata().map_err(|_| IsOfProcess)?;
    let is_inside = about.dev() == own.dev() && (about.dev(), about.ino()) != (root.dev(), root.ino());
    if is_inside { Err(IsOfProcess) } else { Ok(()) }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn check(_folder: &Dir) -> Result<(), IsOfProcess> {
    Ok(())
}
