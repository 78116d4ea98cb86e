//! The verifier: reads entries one after the other and names the first one that is bad.

mod walk;

pub use crate::row::Row;
pub use crate::verdict::{Broken, Kind, Trusted};

use crate::chain::Head;
use crate::checkpoint::{Anchor, SignedCheckpoint};
use crate::digest::Digest;
use crate::entry::Entry;
use crate::merkle::Frontier;
use crate::retention::Tombstone;
use crate::sign::{PublicKey, Signature};
use serde::Serialize;
use std::convert::Infallible;
use std::fmt;

/// What the entries are held against.
#[derive(Debug, Clone, Default)]
pub struct Expect {
    /// The chain's name; without it the first checkpoint's, else the first entry's.
    pub log_id: Option<String>,
    /// The checkpoints stored with the log, by `cpSeq`.
    pub checkpoints: Vec<SignedCheckpoint>,
    /// Keys that may sign. With none, signatures are counted and not checked.
    pub keys: Vec<PublicKey>,
    /// Checkpoints that were kept elsewhere.
    pub anchors: Vec<Anchor>,
    /// Where an earlier verification ended. The rows then begin at `start.sealed.checkpoint.size`.
    pub start: Option<Trusted>,
    /// How far the recorder says the chain has come.
    pub head: Option<Head>,
    /// The log may have more entries than `head` says (a mark that is written after each commit lags behind).
    pub head_may_lag: bool,
    /// An unsigned checkpoint or human decision is an error.
    pub require_signed: bool,
    /// The first checkpoint given need not be the log's first (an evidence pack leaves older ones out).
    pub checkpoints_begin_late: bool,
    /// The log begins later: a retention removed what was before. Its record must be found among the entries, signed
    /// when there are keys.
    pub tombstone: Option<Tombstone>,
}

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "result")]
pub enum Verdict {
    /// All entries are what was sealed.
    Intact(Box<Intact>),
    /// The first bad one.
    Broken(Broken),
}

impl Verdict {
    /// Whether nothing bad was found.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        matches!(self, Self::Intact(_))
    }
}

/// What an intact log is protected by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Intact {
    /// The chain.
    pub log_id: String,
    /// Entries in the log.
    pub entries: u64,
    /// Entries read in this verification.
    pub verified: u64,
    /// Entries that a retention removed; a signed record stands for them.
    pub removed: u64,
    /// Entries of a pack that are shown in part: their place and hash are verified, what is shown of them is not.
    #[serde(skip_serializing_if = "is_zero")]
    pub shown_in_part: u64,
    /// Entries that are dated more than five seconds before the one that they follow: the clock was put back.
    pub clock_back: ClockBack,
    /// The chain's head.
    pub head: Head,
    /// RFC 6962 root over all entries.
    pub root_hash: Digest,
    /// Entries sealed by the last checkpoint.
    pub sealed: u64,
    /// Entries after it: whoever can write the file could cut them unnoticed.
    pub unsealed_tail: u64,
    /// The last checkpoint is signed by a key that the caller gave, or that the pack brings.
    pub signed: bool,
    /// Entries sealed by the last checkpoint that a known key signed.
    pub signed_up_to: u64,
    /// Entries sealed by the last anchor that was checked.
    pub anchored_up_to: Option<u64>,
    /// Anchors before the starting point, which only a verification from the beginning checks.
    pub anchors_unchecked: u64,
    /// Human decisions and escalations signed by a known key.
    pub decisions_signed: u64,
    /// Human decisions and escalations without signature.
    pub decisions_unsigned: u64,
    /// Signatures that could not be checked because no key was given.
    pub signatures_unchecked: u64,
    /// Where the next verification may begin.
    #[serde(skip)]
    pub trusted: Option<Trusted>,
    /// The Merkle frontier at the end, for a recorder that goes on from here.
    #[serde(skip)]
    pub frontier: Frontier,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(crate) fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Where time went back between two entries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClockBack {
    /// How often.
    pub count: u64,
    /// The first of them.
    pub first: Vec<u64>,
}

impl fmt::Display for Intact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OK: {} entries, root {}.", self.entries, self.root_hash)?;
        if self.removed > 0 {
            write!(f, " The first {} were removed by a retention; a record in the log stands for them.", self.removed)?;
        }
        if self.shown_in_part > 0 {
            let n = self.shown_in_part;
            write!(f, " {n} are shown in part: their place and hash are verified, what is shown of them is not.")?;
        }
        if let Some(first) = self.clock_back.first.first() {
            write!(f, " The clock was put back {} times, first before entry {first}.", self.clock_back.count)?;
        }
        match (self.sealed, self.unsealed_tail) {
            (0, 0) => {}
            (_, 0) => write!(f, " All are sealed by the last checkpoint.")?,
            (_, tail) => write!(f, " {tail} after the last checkpoint are unsealed: cutting them would not show.")?,
        }
        if self.sealed > 0 {
            f.write_str(match (self.signed, self.signatures_unchecked) {
                // Whether anybody knows the key, only the caller can say.
                (true, _) => " The last checkpoint is signed.",
                (false, 0) => " The last checkpoint is unsigned.",
                (false, _) => " No key was given: signatures were not checked.",
            })?;
        }
        match self.anchored_up_to {
            Some(size) => write!(f, " Tamper-evident up to the last anchored checkpoint: {size} entries."),
            None => f.write_str(" No anchor was given: a rewrite of the whole log would not show."),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Intact(intact) => intact.fmt(f),
            Self::Broken(broken) => broken.fmt(f),
        }
    }
}

/// Verifies rows that cannot fail to be read.
#[must_use]
pub fn verify(rows: impl IntoIterator<Item = Row>, expect: &Expect) -> Verdict {
    match try_verify(rows.into_iter().map(Ok::<Row, Infallible>), expect) {
        Ok(verdict) => verdict,
        Err(never) => match never {},
    }
}

/// Verifies rows in the order in which they are stored. Memory does not grow with their number.
///
/// # Errors
/// The first error of the iterator: rows that cannot be read are neither intact nor broken.
pub fn try_verify<E>(rows: impl IntoIterator<Item = Result<Row, E>>, expect: &Expect) -> Result<Verdict, E> {
    match walk::walk_all(rows.into_iter(), expect) {
        Ok(intact) => Ok(Verdict::Intact(Box::new(intact))),
        Err(walk::Stop::Bad(broken)) => Ok(Verdict::Broken(broken)),
        Err(walk::Stop::Read(error)) => Err(error),
    }
}

pub(crate) use walk::check_fields;

/// Checks the checkpoints for themselves, where the entries are only some of the log. Anchors are compared with the
/// checkpoint of their size.
pub(crate) fn checkpoints_alone(expect: &Expect, anchors: &[Anchor]) -> Result<Intact, Broken> {
    let mut intact = walk::checkpoints_alone(expect)?;
    for anchor in anchors {
        let this = &anchor.checkpoint;
        let Some(own) = expect.checkpoints.iter().find(|own| own.checkpoint.size == this.size) else {
            intact.anchors_unchecked += 1;
            continue;
        };
        if own.checkpoint.log_id != this.log_id || own.checkpoint.root_hash != this.root_hash {
            let expected = format!("the root {} of the anchor of checkpoint {}", this.root_hash, this.cp_seq);
            return Err(
                Broken::new(0, Kind::AnchorMismatch, expected, own.checkpoint.root_hash.to_hex()).by(this.cp_seq)
            );
        }
        intact.anchored_up_to = intact.anchored_up_to.max(Some(this.size));
    }
    Ok(intact)
}

/// What a signature turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signed {
    Known,
    Unchecked,
    Not,
}

/// Checks the signature of an entry's hash.
pub(crate) fn entry_signature(
    entry: &Entry,
    hash: &Digest,
    text: Option<&str>,
    keys: &[PublicKey],
) -> Result<Signed, Broken> {
    let bad = |found: String| {
        Err(Broken::new(entry.seq, Kind::WrongSigner, "a signature of the entry's hash by a known key", found))
    };
    let Some(text) = text else { return Ok(Signed::Not) };
    let Ok(signature) = text.parse::<Signature>() else { return bad("a text that is no signature".to_owned()) };
    if keys.is_empty() {
        return Ok(Signed::Unchecked);
    }
    let mut named = keys.iter().filter(|key| key.key_id() == signature.key_id()).peekable();
    if named.peek().is_none() {
        return bad(format!("a signature by the unknown key {}", signature.key_id()));
    }
    if named.any(|key| key.verify_hash(hash, &signature)) {
        return Ok(Signed::Known);
    }
    bad(format!("a signature that key {} did not make for this entry", signature.key_id()))
}

/// Checks the signature of a checkpoint; `seq` is the first entry that only it protects.
pub(crate) fn checkpoint_signature(sealed: &SignedCheckpoint, keys: &[PublicKey], seq: u64) -> Result<Signed, Broken> {
    let number = sealed.checkpoint.cp_seq;
    let bad = |expected: &str, found: String| {
        Err(Broken::new(seq, Kind::WrongSigner, format!("checkpoint {number} {expected}"), found).by(number))
    };
    let (id, signature) = match (sealed.checkpoint.key_id, sealed.signature) {
        (None, None) => return Ok(Signed::Not),
        (Some(id), Some(signature)) => (id, signature),
        (Some(id), None) => return bad("with its signature", format!("the key {id} named, but no signature")),
        (None, Some(_)) => return bad("with the key it names", "a signature, but no key named".to_owned()),
    };
    if keys.is_empty() {
        return Ok(Signed::Unchecked);
    }
    if !keys.iter().any(|key| key.key_id() == id) {
        return bad("signed by a known key", format!("the unknown key {id}"));
    }
    if id == signature.key_id() && keys.iter().any(|key| sealed.is_signed_by(key)) {
        return Ok(Signed::Known);
    }
    bad("signed by the key it names", format!("a signature that key {id} did not make for it"))
}
