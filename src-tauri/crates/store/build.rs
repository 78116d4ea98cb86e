//! Makes the file of a new store, so that no program needs to: SQLite would read 120 statements, and write each page twice.
//!
//! What is written to `OUT_DIR`: `new_store.pages`, the stretches of the file that are not zero, each behind its place and its length (32 bits,
//! little-endian); `new_store.rs`, the length of the file and the place of the name of the audit chain in it.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

const SCRIPT: &str = "src/schema/new_store.sql";
/// What is random in the script, and what stands for it in the file: as long, and found once.
const RANDOM: &str = "lower(hex(randomblob(16)))";
const LOG_ID: &str = "log-id-of-a-store-that-nobody-has";
/// So many zeros end a stretch.
const GAP: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={SCRIPT}");
    println!("cargo::rerun-if-changed=build.rs");
    let script = fs::read_to_string(SCRIPT)?;
    let log_id = &LOG_ID[..32];
    if script.matches(RANDOM).count() != 1 {
        return Err(format!("{SCRIPT} must have {RANDOM} once").into());
    }
    let mut store = rusqlite::Connection::open_in_memory()?;
    // Before the first page is written: a new file then gives free pages back (`Store::shrink`).
    store.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; BEGIN")?;
    store.execute_batch(&script.replace(RANDOM, &format!("'{log_id}'")))?;
    store.execute_batch("COMMIT")?;
    let file = store.serialize("main")?;
    let place = file.windows(log_id.len()).position(|part| part == log_id.as_bytes());
    let place = place.ok_or("the name of the audit chain is not in the file")?;

    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("new_store.pages"), stretches(&file)?)?;
    let names = format!("const LENGTH: usize = {};\nconst LOG_ID_AT: usize = {place};\n", file.len());
    fs::write(Path::new(&out).join("new_store.rs"), names)?;
    Ok(())
}

fn stretches(file: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut packed = Vec::new();
    let mut at = 0;
    while let Some(start) = file[at..].iter().position(|byte| *byte != 0).map(|next| at + next) {
        let zeros = file[start..].windows(GAP).position(|part| part.iter().all(|byte| *byte == 0));
        let end = zeros.map_or(file.len(), |length| start + length);
        packed.extend(u32::try_from(start)?.to_le_bytes());
        packed.extend(u32::try_from(end - start)?.to_le_bytes());
        packed.extend(&file[start..end]);
        at = end;
    }
    Ok(packed)
}
