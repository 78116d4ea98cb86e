//! Embeds `ui/dist` when it exists: `cargo build --bin signalbox` works in a fresh clone without Node. What gets smaller is
//! compressed, as browsers take it: the texts of the UI are four of its five megabytes.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|text| text == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        // As the runners are (ADR 193).
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    let root = Path::new(&given("CARGO_MANIFEST_DIR")?).join("../../../ui/dist");
    // A missing folder could only be watched by running this again in every build; an empty one is watched for free.
    fs::create_dir_all(&root).ok();
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    if let Ok(dist) = fs::canonicalize(&root) {
        collect(&dist, "", &mut files);
    }
    files.sort();
    let out = given("OUT_DIR")?;
    let mut rows = String::new();
    for (index, (name, file)) in files.iter().enumerate() {
        let bytes = fs::read(file)?;
        let packed = gzip(&bytes)?;
        let is_packed = packed.len() < bytes.len() / 10 * 9;
        let embedded = if is_packed { Path::new(&out).join(format!("{index}.gz")) } else { file.clone() };
        if is_packed {
            fs::write(&embedded, packed)?;
        }
        rows.push_str(&format!("    ({name:?}, {is_packed}, include_bytes!({:?})),\n", embedded.display().to_string()));
    }
    let code = format!(
        "/// Path below `/`, whether it is packed with gzip, and bytes of every file of the web UI.\n\
         pub(crate) const FILES: &[(&str, bool, &[u8])] = &[\n{rows}];\n"
    );
    fs::write(Path::new(&out).join("ui.rs"), code)
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    packer.finish()
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
