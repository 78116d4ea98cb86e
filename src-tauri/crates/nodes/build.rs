//! Writes the descriptors of `node-catalog/`, and the files of `connectors/`, as one JSON text each. Every start of a program reads the catalog, and JSON is read
//! many times faster than YAML.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../..");
    let out = std::env::var("OUT_DIR")?;
    // The table of the code of the kinds is sorted by name as well.
    write(&root.join("node-catalog"), &Path::new(&out).join("catalog.json"))?;
    write(&root.join("connectors"), &Path::new(&out).join("connectors.json"))
}

/// The YAML files of a folder, sorted by name, as a list.
fn write(folder: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    files.sort_by_key(|path| path.file_stem().map(std::ffi::OsStr::to_owned));
    let mut all: Vec<serde_json::Value> = Vec::new();
    for path in files {
        println!("cargo::rerun-if-changed={}", path.display());
        let text = std::fs::read_to_string(&path)?;
        all.push(serde_saphyr::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    std::fs::write(to, serde_json::to_string(&all)?)?;
    Ok(())
}
