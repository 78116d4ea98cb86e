//! The compressed form of a runner: launcher, runner and trailer, as `signalbox-launcher` reads them (ADR 233).

use super::{Out, read, remove, sha256, write};
use crate::{Failure, shell};

const MAGIC: &[u8; 16] = b"SIGNALBOX-PACKED";

pub(super) fn program(out: &Out, launcher: &[u8], runner: &[u8]) -> Result<Vec<u8>, Failure> {
    const NAME: &str = "runner.tmp";
    let path = out.folder.join(NAME);
    write(&path, runner)?;
    // A window of 32 MB: the launcher takes no larger one.
    let level: &[&str] = if out.fast { &["-1"] } else { &["-19", "--long=25"] };
    let frame = format!("{NAME}.zst");
    let done = shell::command("zstd")
        .args(["--quiet", "--force", "--single-thread"])
        .args(level)
        .arg(&path)
        .arg("-o")
        .arg(out.folder.join(&frame))
        .output()
        .map_err(|error| format!("zstd did not start: {error}"))?;
    if !done.status.success() {
        return Err(format!("zstd failed:\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    let sum = sha256(&out.folder, std::slice::from_ref(&frame))?;
    let bytes = read(&out.folder.join(&frame))?;
    remove(&path)?;
    remove(&out.folder.join(&frame))?;
    join(launcher, &bytes, runner.len(), sum.split_whitespace().next().unwrap_or_default())
}

fn join(launcher: &[u8], frame: &[u8], length: usize, sha256: &str) -> Result<Vec<u8>, Failure> {
    let hash: Option<Vec<u8>> =
        (0..32).map(|at| u8::from_str_radix(sha256.get(2 * at..2 * at + 2)?, 16).ok()).collect();
    let hash = hash.ok_or_else(|| format!("sha256sum gave '{sha256}', which is no SHA-256."))?;
    let lengths = [frame.len() as u64, length as u64].map(u64::to_be_bytes).concat();
    Ok([launcher, frame, &lengths, &hash, MAGIC].concat())
}

#[cfg(test)]
mod tests;
