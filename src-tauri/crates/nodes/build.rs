//! Writes the descriptors of `node-catalog/` as JSON, each packed by itself, for a run reads a few, and the files of `connectors/`
//! as one JSON text: JSON is read many times faster than YAML.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::error::Error;
use std::io::Write as _;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../..");
    let out = std::env::var("OUT_DIR")?;
    let mut rows = String::new();
    // The table of the code of the kinds is sorted by name as well.
    for descriptor in files(&root.join("node-catalog"))? {
        let name = descriptor["type"].as_str().ok_or("a descriptor without a type")?;
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
        packer.write_all(descriptor.to_string().as_bytes())?;
        let packed = Path::new(&out).join(format!("{name}.deflate"));
        std::fs::write(&packed, packer.finish()?)?;
        rows.push_str(&format!("    ({name:?}, include_bytes!({:?})),\n", packed.display().to_string()));
    }
    let code = format!(
        "/// The kinds of `node-catalog/` by name, each with its descriptor as JSON, packed.\n\
         const CATALOG: &[(&str, &[u8])] = &[\n{rows}];\n"
    );
    std::fs::write(Path::new(&out).join("catalog.rs"), code)?;
    let connectors = serde_json::Value::Array(files(&root.join("connectors"))?);
    std::fs::write(Path::new(&out).join("connectors.json"), connectors.to_string())?;
    Ok(())
}

/// What the YAML files of a folder hold, sorted by their names.
fn files(folder: &Path) -> Result<Vec<serde_json::Value>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            paths.push(path);
        }
    }
    paths.sort_by_key(|path| path.file_stem().map(std::ffi::OsStr::to_owned));
    let mut all = Vec::new();
    for path in paths {
        println!("cargo::rerun-if-changed={}", path.display());
        let text = std::fs::read_to_string(&path)?;
        all.push(serde_saphyr::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    Ok(all)
}
