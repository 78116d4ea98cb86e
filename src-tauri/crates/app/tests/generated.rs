//! Schemas and TypeScript in the tree are what the Rust types say. `SIGNALBOX_GEN=1` (or `cargo xtask gen`) writes
//! them; without it a stale file fails once and says so.

mod codegen;

use std::fs;
use std::path::{Path, PathBuf};

fn tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn compare(path: &Path, fresh: &str) -> Result<(), String> {
    if fs::read_to_string(path).unwrap_or_default() == fresh {
        return Ok(());
    }
    if std::env::var_os("SIGNALBOX_GEN").is_some() {
        fs::create_dir_all(path.parent().expect("in a folder")).expect("folder");
        fs::write(path, fresh).expect("write");
        return Ok(());
    }
    Err(format!("{} is stale: run `cargo xtask gen` and commit it", path.display()))
}

#[test]
fn gen_schemas_are_fresh() {
    let stale: Vec<_> = codegen::schemas()
        .iter()
        .filter_map(|(name, text)| compare(&tree().join(format!("schemas/{name}.schema.json")), text).err())
        .collect();
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn gen_typescript_is_fresh() {
    if let Err(stale) = compare(&tree().join("ui/src/api/bindings.gen.ts"), &codegen::typescript()) {
        panic!("{stale}");
    }
}
