//! Checkpoints: what seals the entries so far. A copy of one kept elsewhere is an anchor.

use crate::canonical::{push_integer, push_string};
use crate::chain::Head;
use crate::digest::{Digest, push_hex};
use crate::entry::NotAnEntry;
use crate::merkle::Frontier;
use crate::sign::{KeyId, PublicKey, Signature, Signer};
use serde::{Deserialize, Serialize};

/// The domain prefix of a checkpoint's hash and signature.
pub const CHECKPOINT_PREFIX: &[u8] = b"signalbox.checkpoint.v1\n";

/// The state of a log at one size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Checkpoint {
    /// The chain.
    pub log_id: String,
    /// Number of the checkpoint: from 0, +1.
    pub cp_seq: u64,
    /// Entries that it seals: `0 .. size`.
    pub size: u64,
    /// RFC 6962 root over their hashes.
    pub root_hash: Digest,
    /// Hash of the last of them, 64 zeros when there is none.
    pub head_hash: Digest,
    /// Hash of the checkpoint before, 64 zeros for the first.
    pub prev_cp_hash: Digest,
    /// RFC 3339.
    pub timestamp: String,
    /// The key it is signed with; left out when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<KeyId>,
}

/// A checkpoint with its signature. Without a key it is unsigned: it finds a cut tail, but says nothing about who.
///
/// One line of `checkpoints.jsonl`, and of an anchor file, is this value: `{"checkpoint":{…},"signature":"…"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedCheckpoint {
    /// What is signed.
    pub checkpoint: Checkpoint,
    /// The signature; left out when there was no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// An anchor is a checkpoint that was kept elsewhere, in the same form.
pub type Anchor = SignedCheckpoint;

impl Checkpoint {
    /// The bytes that are hashed and signed, without the domain prefix.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut out = String::with_capacity(420);
        out.push_str("{\"cpSeq\":");
        push_integer(&mut out, self.cp_seq);
        out.push_str(",\"headHash\":\"");
        push_hex(&mut out, &self.head_hash.0);
        if let Some(id) = &self.key_id {
            out.push_str("\",\"keyId\":\"");
            out.push_str(&id.to_string());
        }
        out.push_str("\",\"logId\":");
        push_string(&mut out, &self.log_id);
        out.push_str(",\"prevCpHash\":\"");
        push_hex(&mut out, &self.prev_cp_hash.0);
        out.push_str("\",\"rootHash\":\"");
        push_hex(&mut out, &self.root_hash.0);
        out.push_str("\",\"size\":");
        push_integer(&mut out, self.size);
        out.push_str(",\"timestamp\":");
        push_string(&mut out, &self.timestamp);
        out.push('}');
        out
    }

    /// The hash that the next checkpoint carries as `prevCpHash`.
    #[must_use]
    pub fn hash(&self) -> Digest {
        Digest::of(&[CHECKPOINT_PREFIX, self.canonical().as_bytes()])
    }

    fn message(&self) -> Vec<u8> {
        [CHECKPOINT_PREFIX, self.canonical().as_bytes()].concat()
    }
}

impl SignedCheckpoint {
    /// Seals the chain as it stands. `previous` is the log's last checkpoint; without `signer` it is unsigned.
    ///
    /// # Errors
    /// [`NotSealed`] when head, frontier and previous checkpoint do not belong together.
    pub fn seal(
        log_id: &str,
        head: Head,
        frontier: &Frontier,
        previous: Option<&Self>,
        timestamp: impl Into<String>,
        signer: Option<&Signer>,
    ) -> Result<Self, NotSealed> {
        if frontier.size() != head.size || !frontier.is_well_formed() {
            return Err(NotSealed::Frontier { frontier: frontier.size(), head: head.size });
        }
        if let Some(previous) = previous
            && (previous.checkpoint.log_id != log_id || previous.checkpoint.size > head.size)
        {
            return Err(NotSealed::Previous { cp_seq: previous.checkpoint.cp_seq });
        }
        let checkpoint = Checkpoint {
            log_id: log_id.to_owned(),
            cp_seq: previous.map_or(0, |previous| previous.checkpoint.cp_seq + 1),
            size: head.size,
            root_hash: frontier.root(),
            head_hash: head.head_hash,
            prev_cp_hash: previous.map_or(Digest::ZERO, |previous| previous.checkpoint.hash()),
            timestamp: timestamp.into(),
            key_id: signer.map(|signer| signer.public_key().key_id()),
        };
        if !crate::timestamp::is_rfc3339(&checkpoint.timestamp) {
            return Err(NotSealed::Timestamp(checkpoint.timestamp));
        }
        let signature = signer.map(|signer| signer.sign(&checkpoint.message()));
        Ok(Self { checkpoint, signature })
    }

    /// Whether `key` signed it.
    #[must_use]
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        self.checkpoint.key_id == Some(key.key_id())
            && self.signature.is_some_and(|s| s.key_id() == key.key_id() && key.verify(&self.checkpoint.message(), &s))
    }

    /// The line of a checkpoint or anchor file, with its line end.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = String::from("{\"checkpoint\":");
        crate::line::push_safe(&mut line, &self.checkpoint.canonical());
        if let Some(signature) = &self.signature {
            line.push_str(",\"signature\":\"");
            line.push_str(&signature.to_string());
            line.push('"');
        }
        line.push_str("}\n");
        line
    }

    /// Reads one line; every other spelling than the one of [`Self::to_line`] is refused.
    ///
    /// # Errors
    /// Why it is no checkpoint.
    pub fn from_line(line: &str) -> Result<Self, NotAnEntry> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let this: Self = serde_json::from_str(line).map_err(|error| NotAnEntry::Form(error.to_string()))?;
        if this.to_line().strip_suffix('\n') == Some(line) { Ok(this) } else { Err(NotAnEntry::Spelling) }
    }
}

/// Why no checkpoint could be made. It means that the recorder's own state is damaged: stop and verify.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSealed {
    /// The frontier belongs to another size.
    #[error("the Merkle frontier is at {frontier} entries, the chain at {head}: rebuild the frontier from the entries")]
    Frontier {
        /// Size of the frontier.
        frontier: u64,
        /// Size of the chain.
        head: u64,
    },
    /// The checkpoint before is of another log, or later than the chain.
    #[error("checkpoint {cp_seq} is of another log or seals more entries than there are: verify the log")]
    Previous {
        /// Its number.
        cp_seq: u64,
    },
    /// The time is no RFC 3339 time.
    #[error("{0:?} is no RFC 3339 time")]
    Timestamp(String),
}
