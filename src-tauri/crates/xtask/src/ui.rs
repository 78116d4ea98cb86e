//! What comes from npm: the web UI, its packages and its build, and the packages of the tests, each only when something
//! changed.

use crate::{Failure, shell};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The UI's folder.
pub(crate) fn dir(root: &Path) -> PathBuf {
    root.join("ui")
}

/// The packages of the UI.
pub(crate) fn install(root: &Path) -> Result<(), Failure> {
    packages(&dir(root))
}

/// `npm ci` in a folder when its lock file is not the one that was installed last. A copy of the lock in `node_modules` is
/// the stamp: a cut-off installation leaves none.
pub(crate) fn packages(folder: &Path) -> Result<(), Failure> {
    let lock = fs::read(folder.join("package-lock.json"))
        .map_err(|error| format!("{} cannot be read: {error}", folder.join("package-lock.json").display()))?;
    let stamp = folder.join("node_modules/.signalbox-lock");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    // Install scripts of packages are the usual way of supply chain attacks; none of ours needs one.
    shell::run(folder, "npm", &["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).map_err(|failure| {
        format!(
            "{failure}\nThe packages of {} come from the npm registry: is this machine connected?",
            folder.display()
        )
    })?;
    fs::write(&stamp, lock).map_err(|error| format!("{} cannot be written: {error}", stamp.display()))
}

/// `cargo xtask manual`: the pages below `docs` as a site.
pub(crate) fn manual(root: &Path) -> Result<(), Failure> {
    install(root)?;
    shell::run(&dir(root), "npm", &["run", "--silent", "manual"])
}

/// `npm run build` when a source is newer than the last build. The manual is a part of the UI.
pub(crate) fn build(root: &Path) -> Result<(), Failure> {
    let ui = dir(root);
    let built = fs::metadata(ui.join("dist/index.html")).and_then(|meta| meta.modified()).ok();
    let newest = newest(&ui).into_iter().chain(newest(&root.join("docs"))).max();
    if built.is_some_and(|built| newest.is_some_and(|source| source <= built)) {
        println!("The UI is up to date.");
        return Ok(());
    }
    shell::run(&ui, "npm", &["run", "build"])
}

/// The latest change below a folder, apart from what is made by tools.
fn newest(dir: &Path) -> Option<SystemTime> {
    fs::read_dir(dir)
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if matches!(name.as_ref(), "node_modules" | "dist" | "test-results" | "playwright-report") {
                return None;
            }
            let path = entry.path();
            if path.is_dir() { newest(&path) } else { entry.metadata().and_then(|meta| meta.modified()).ok() }
        })
        .max()
}
