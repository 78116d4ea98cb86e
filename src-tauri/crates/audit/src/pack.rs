//! The evidence pack: a zip that an auditor verifies without the product, the store or the network.
//!
//! It holds exactly `entries.jsonl`, `checkpoints.jsonl`, `proofs.jsonl`, `key.pub` and `README.txt`.

mod read;
mod zip_file;

use crate::checkpoint::SignedCheckpoint;
use crate::merkle::Inclusion;
use crate::sign::PublicKey;
use crate::verify::{Row, Verdict};
use serde::Serialize;
use std::io::{self, Seek, Write};
use zip::write::SimpleFileOptions;

pub use read::{verify, verify_from};
pub use zip_file::{Limits, NotAPack};

/// The files of a pack, in their order.
pub const FILES: [&str; 5] = ["entries.jsonl", "checkpoints.jsonl", "proofs.jsonl", "key.pub", "README.txt"];

/// What `key.pub` says when no key signed anything.
const NO_KEY: &str = "# unsigned: this log has no key\n";

/// What goes into a pack. Seal a checkpoint first, so that all entries are below its size.
#[derive(Debug)]
pub struct Contents<R, P> {
    /// The entries: all of the log, or those of a run or a query, by `seq`.
    pub rows: R,
    /// Checkpoints by `cpSeq`, without gaps; the last one is what the proofs lead to.
    pub checkpoints: Vec<SignedCheckpoint>,
    /// A proof for each entry to the last checkpoint. None are needed when the entries are all of the log.
    pub proofs: P,
    /// The log's key first, then earlier keys that signed something in the pack. Empty when there is none.
    pub keys: Vec<PublicKey>,
}

/// Why no pack was written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The target could not be written.
    #[error("the evidence pack: {0}")]
    Io(#[from] io::Error),
    /// The zip could not be written.
    #[error("the evidence pack: {0}")]
    Zip(#[from] zip::result::ZipError),
    /// Without a checkpoint nothing can be proved.
    #[error("an evidence pack needs a checkpoint: seal one before exporting")]
    NoCheckpoint,
}

/// Writes a pack. The same contents give the same bytes.
///
/// # Errors
/// [`WriteError`] when the target cannot be written or there is no checkpoint.
pub fn write<W: Write + Seek>(
    out: W,
    contents: Contents<impl IntoIterator<Item = Row>, impl IntoIterator<Item = Inclusion>>,
) -> Result<W, WriteError> {
    let last = contents.checkpoints.last().ok_or(WriteError::NoCheckpoint)?;
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    let mut zip = zip::ZipWriter::new(out);
    zip.start_file(FILES[0], options)?;
    let mut count = 0_u64;
    for row in contents.rows {
        zip.write_all(crate::line::of_row(&row).as_bytes())?;
        count += 1;
    }
    zip.start_file(FILES[1], options)?;
    for sealed in &contents.checkpoints {
        zip.write_all(sealed.to_line().as_bytes())?;
    }
    zip.start_file(FILES[2], options)?;
    for proof in contents.proofs {
        zip.write_all(serde_json::to_string(&proof).map_err(io::Error::from)?.as_bytes())?;
        zip.write_all(b"\n")?;
    }
    zip.start_file(FILES[3], options)?;
    if contents.keys.is_empty() {
        zip.write_all(NO_KEY.as_bytes())?;
    }
    for key in &contents.keys {
        zip.write_all(format!("# fingerprint (SHA-256): {}\n{}", key.fingerprint(), key.to_pem()).as_bytes())?;
    }
    zip.start_file(FILES[4], options)?;
    zip.write_all(readme(count, last, contents.keys.first()).as_bytes())?;
    Ok(zip.finish()?)
}

fn readme(count: u64, last: &SignedCheckpoint, key: Option<&PublicKey>) -> String {
    let this = &last.checkpoint;
    let fingerprint = key.map_or_else(|| "none: the log is unsigned".to_owned(), |key| key.fingerprint().to_string());
    include_str!("pack/README.txt")
        .replace("{count}", &count.to_string())
        .replace("{cpSeq}", &this.cp_seq.to_string())
        .replace("{size}", &this.size.to_string())
        .replace("{root}", &this.root_hash.to_hex())
        .replace("{head}", &this.head_hash.to_hex())
        .replace("{time}", &this.timestamp)
        .replace("{key}", &fingerprint)
}

/// What a pack turned out to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PackResult {
    /// Intact, or the first bad entry.
    pub verdict: Verdict,
    /// SHA-256 of the log's public key; `None` when the pack is unsigned.
    pub fingerprint: Option<String>,
    /// Every key that signed something in the pack is one that the caller expected or knew. A pack that only carries
    /// its own key proves nothing about who signed.
    pub pinned: bool,
    /// The runs in the pack.
    pub runs: Vec<RunCheck>,
}

impl PackResult {
    /// Whether nothing bad was found. Look at `pinned` too.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.verdict.is_intact()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Whether a run's entries are all there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunCheck {
    /// The run.
    pub run_id: String,
    /// Its entries in the pack.
    pub entries: u64,
    /// Its entries that a retention removed, as the record of it in the pack says.
    #[serde(skip_serializing_if = "is_zero")]
    pub removed: u64,
    /// Its entries up to and with `WORKFLOW_COMPLETED`, as that entry says; `None` when it does not.
    pub entry_count: Option<u64>,
    /// Whether none is left out but those; `None` when the pack does not say (the run has not ended, or its end is not there).
    pub complete: Option<bool>,
}
