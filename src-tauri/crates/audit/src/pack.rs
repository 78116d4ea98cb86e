//! The evidence pack: a zip that an auditor verifies without the product, the store or the network.
//!
//! It holds exactly `entries.jsonl`, `checkpoints.jsonl`, `proofs.jsonl`, `key.pub`, `manifest.json` and `README.txt`; packs
//! of before have no manifest.

mod missing;
mod out;
mod read;
mod zip_file;

use crate::checkpoint::SignedCheckpoint;
use crate::findings::Findings;
use crate::line::Line;
use crate::merkle::Inclusion;
use crate::sign::PublicKey;
use crate::verify::{Verdict, is_zero};
use serde::{Deserialize, Serialize};
use std::io::{self, Seek, Write};
use zip::write::SimpleFileOptions;

use out::Out;

pub use missing::MissingEnd;
pub use read::{verify, verify_from};
pub use zip_file::{Limits, NotAPack};

/// The files of a pack, in their order.
pub const FILES: [&str; 6] = ["entries.jsonl", "checkpoints.jsonl", "proofs.jsonl", "key.pub", MANIFEST, "README.txt"];

/// The file that says what the pack shows of its entries.
pub const MANIFEST: &str = "manifest.json";

/// What `key.pub` says when no key signed anything.
const NO_KEY: &str = "# unsigned: this log has no key\n";

/// What is shown of the entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Its name; `full` when every entry is there as it was sealed.
    pub name: String,
    /// What it hides, in words or as pointers.
    pub hides: Vec<String>,
}

impl Default for Profile {
    fn default() -> Self {
        Self { name: "full".to_owned(), hides: Vec::new() }
    }
}

/// `manifest.json`: what the pack shows of its entries. It is not signed; what it counts is compared with the entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// Always 1.
    pub version: u32,
    /// Name of the profile.
    pub profile: String,
    /// What it hides.
    pub hides: Vec<String>,
    /// Entries in the pack.
    pub entries: u64,
    /// Those of them that are shown in part.
    pub shown: u64,
    /// What chose the entries, where that is neither all of the log nor whole runs: then runs may be here in part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Ends of the log that were found missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingEnd>,
}

/// What goes into a pack. Seal a checkpoint first, so that all entries are below its size.
#[derive(Debug)]
pub struct Contents<R, P> {
    /// The entries: all of the log, or those of a run or a query, by `seq`.
    pub rows: R,
    /// Checkpoints by `cpSeq`, without gaps; the last one is what the proofs lead to.
    pub checkpoints: Vec<SignedCheckpoint>,
    /// A proof for each entry to the last checkpoint. None are needed when the entries are all of the log.
    pub proofs: P,
    /// What is shown of the entries.
    pub profile: Profile,
    /// What chose the rows; `None` when they are all of the log, or whole runs.
    pub query: Option<String>,
    /// Ends of the log that are known to be missing, and those that were accepted.
    pub missing: Vec<MissingEnd>,
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
    Zip(zip::result::ZipError),
    /// Without a checkpoint nothing can be proved.
    #[error("an evidence pack needs a checkpoint: seal one before exporting")]
    NoCheckpoint,
}

impl From<zip::result::ZipError> for WriteError {
    fn from(error: zip::result::ZipError) -> Self {
        match error {
            zip::result::ZipError::Io(error) => Self::Io(error),
            other => Self::Zip(other),
        }
    }
}

/// Writes a pack. The same contents give the same bytes.
///
/// # Errors
/// [`WriteError`] when the target cannot be written or there is no checkpoint.
pub fn write<W: Write + Seek>(
    out: W,
    contents: Contents<impl IntoIterator<Item = impl Into<Line>>, impl IntoIterator<Item = Inclusion>>,
) -> Result<W, WriteError> {
    let last = contents.checkpoints.last().ok_or(WriteError::NoCheckpoint)?;
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    let (out, failed) = Out::new(out);
    let mut zip = zip::ZipWriter::new(out);
    zip.start_file(FILES[0], options)?;
    let Profile { name: profile, hides } = contents.profile;
    let (query, missing) = (contents.query, contents.missing);
    let mut manifest = Manifest { version: 1, profile, hides, entries: 0, shown: 0, query, missing };
    for row in contents.rows {
        if failed.is_set() {
            break;
        }
        let line: Line = row.into();
        zip.write_all(line.to_text().as_bytes())?;
        manifest.entries += 1;
        manifest.shown += u64::from(line.shown);
    }
    zip.start_file(FILES[1], options)?;
    for sealed in &contents.checkpoints {
        zip.write_all(sealed.to_line().as_bytes())?;
    }
    zip.start_file(FILES[2], options)?;
    for proof in contents.proofs {
        if failed.is_set() {
            break;
        }
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
    zip.write_all(serde_json::to_string(&manifest).map_err(io::Error::from)?.as_bytes())?;
    zip.write_all(b"\n")?;
    zip.start_file(FILES[5], options)?;
    zip.write_all(readme(&manifest, last, contents.keys.first()).as_bytes())?;
    let out = zip.finish()?;
    failed.told()?;
    Ok(out.into_inner())
}

fn readme(manifest: &Manifest, last: &SignedCheckpoint, key: Option<&PublicKey>) -> String {
    let this = &last.checkpoint;
    let fingerprint = key.map_or_else(|| "none: the log is unsigned".to_owned(), |key| key.fingerprint().to_string());
    include_str!("pack/README.txt")
        .replace("{count}", &manifest.entries.to_string())
        .replace("{profile}", &manifest.profile)
        .replace("{shown}", &manifest.shown.to_string())
        .replace("{cpSeq}", &this.cp_seq.to_string())
        .replace("{size}", &this.size.to_string())
        .replace("{root}", &this.root_hash.to_hex())
        .replace("{head}", &this.head_hash.to_hex())
        .replace("{time}", &this.timestamp)
        .replace("{key}", &fingerprint)
        .replace("{missing}", &missing_in_words(&manifest.missing))
        // At last: it is somebody's text.
        .replace(
            "{query}",
            &manifest.query.as_ref().map_or_else(String::new, |query| format!("  chosen by       {query}\n")),
        )
}

/// A part of the read-me; nothing when no end is missing.
fn missing_in_words(missing: &[MissingEnd]) -> String {
    if missing.is_empty() {
        return String::new();
    }
    let lines: String = missing.iter().map(|end| format!("  {end}\n")).collect();
    format!("\nAn end of this log was found missing; what is here is proved all the same\n{lines}")
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
    /// The profile that the pack says it was made with; `None` in packs of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// What the pack says chose its entries: runs may be in it in part, and that does not break it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Ends of the log that the pack says were found missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingEnd>,
    /// What entries of the pack say about the chain; of those that are shown in part, what is shown.
    #[serde(skip_serializing_if = "Findings::is_empty")]
    pub findings: Findings,
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
