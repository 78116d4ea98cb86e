//! Embeds `ui/dist` when it exists: `cargo build --bin signalbox` works in a fresh clone without Node.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../../ui/dist");
    // A missing folder could only be watched by running this again in every build; an empty one is watched for free.
    fs::create_dir_all(&root).ok();
    let dist = fs::canonicalize(&root).ok();
    let mut files = Vec::new();
    if let Some(dist) = &dist {
        collect(dist, &mut files);
        files.sort();
    }
    println!("cargo:rerun-if-changed={}", root.display());
    let mut code = String::from(
        "/// Path below `/` and bytes of every file of the web UI.\npub(crate) const FILES: &[(&str, &[u8])] = &[\n",
    );
    for file in &files {
        let name = file.strip_prefix(dist.as_deref().expect("there are files")).expect("inside");
        let name: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        writeln!(code, "    ({:?}, include_bytes!({:?})),", name.join("/"), file.display().to_string())
            .expect("a string");
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo")).join("ui.rs");
    fs::write(out, code).expect("OUT_DIR is writable");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_none_or(|ending| ending != "map") {
            files.push(path);
        }
    }
}
