//! Writes the descriptors of `node-catalog/` as one JSON text. Every start of a program reads the catalog, and JSON is read
//! many times faster than YAML.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let catalog = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../../node-catalog");
    println!("cargo::rerun-if-changed={}", catalog.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&catalog)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    // The table of the code of the kinds is sorted by name as well.
    files.sort_by_key(|path| path.file_stem().map(std::ffi::OsStr::to_owned));
    let mut descriptors: Vec<serde_json::Value> = Vec::new();
    for path in files {
        println!("cargo::rerun-if-changed={}", path.display());
        let text = std::fs::read_to_string(&path)?;
        descriptors.push(serde_saphyr::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    let out = Path::new(&std::env::var("OUT_DIR")?).join("catalog.json");
    std::fs::write(out, serde_json::to_string(&descriptors)?)?;
    Ok(())
}
