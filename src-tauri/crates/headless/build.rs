//! Embeds `ui/dist` when it exists: `cargo build --bin signalbox` works in a fresh clone without Node.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(&given("CARGO_MANIFEST_DIR")?).join("../../../ui/dist");
    // A missing folder could only be watched by running this again in every build; an empty one is watched for free.
    fs::create_dir_all(&root).ok();
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    if let Ok(dist) = fs::canonicalize(&root) {
        collect(&dist, "", &mut files);
    }
    files.sort();
    let rows: String = files
        .iter()
        .map(|(name, file)| format!("    ({name:?}, include_bytes!({:?})),\n", file.display().to_string()))
        .collect();
    let code = format!(
        "/// Path below `/` and bytes of every file of the web UI.\npub(crate) const FILES: &[(&str, &[u8])] = &[\n{rows}];\n"
    );
    fs::write(Path::new(&given("OUT_DIR")?).join("ui.rs"), code)
}

/// What cargo tells a build script.
fn given(name: &str) -> io::Result<OsString> {
    env::var_os(name).ok_or_else(|| io::Error::other(format!("{name} is not set: this runs under cargo only")))
}

/// Every file below a folder: its name below `/`, and where it is.
fn collect(folder: &Path, above: &str, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files);
        } else if path.extension().is_none_or(|ending| ending != "map") {
            files.push((name, path));
        }
    }
}
