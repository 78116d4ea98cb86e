//! What a verification may find wrong, and where the next one may begin.

use crate::checkpoint::SignedCheckpoint;
use crate::merkle::Frontier;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A verified checkpoint with what is needed to go on from it. It checks itself: the frontier gives the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Trusted {
    /// The checkpoint, with its signature.
    pub sealed: SignedCheckpoint,
    /// The Merkle frontier at its size.
    pub frontier: Frontier,
}

/// What is wrong with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    /// Its content is not what was sealed.
    Modified,
    /// It is not there.
    Missing,
    /// It stands at another place.
    Reordered,
    /// It is there twice.
    Duplicated,
    /// It was never part of this log.
    Inserted,
    /// The log ends before what a checkpoint (or the recorder's head) says.
    Truncated,
    /// A signature is not by a known key, or is missing where one was announced.
    WrongSigner,
    /// The log is not the one that an anchor was taken of.
    AnchorMismatch,
    /// It cannot be read as what it should be.
    Malformed,
}

impl Kind {
    /// The name in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Modified => "MODIFIED",
            Self::Missing => "MISSING",
            Self::Reordered => "REORDERED",
            Self::Duplicated => "DUPLICATED",
            Self::Inserted => "INSERTED",
            Self::Truncated => "TRUNCATED",
            Self::WrongSigner => "WRONG_SIGNER",
            Self::AnchorMismatch => "ANCHOR_MISMATCH",
            Self::Malformed => "MALFORMED",
        }
    }
}

/// The first bad entry. Everything before `first_bad_seq` was checked and is good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Broken {
    /// The first entry that cannot be trusted.
    pub first_bad_seq: u64,
    /// What is wrong with it.
    pub kind: Kind,
    /// The checkpoint that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<u64>,
    /// What should be there, in words.
    pub expected: String,
    /// What is there, in words.
    pub found: String,
}

impl Broken {
    pub(crate) fn new(seq: u64, kind: Kind, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { first_bad_seq: seq, kind, checkpoint: None, expected: expected.into(), found: found.into() }
    }

    pub(crate) fn by(mut self, checkpoint: u64) -> Self {
        self.checkpoint = Some(checkpoint);
        self
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "BROKEN at seq {} ({}): expected {}; found {}.",
            self.first_bad_seq,
            self.kind.as_str(),
            self.expected,
            self.found
        )
    }
}
