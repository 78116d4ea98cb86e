//! What a retention leaves in the place of the entries that it removed: a signed entry of the same chain, from which a
//! verification can begin.

use crate::checkpoint::SignedCheckpoint;
use crate::digest::Digest;
use crate::entry::{Entry, RETENTION};
use crate::merkle::Frontier;
use crate::verdict::{Broken, Kind, Trusted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The facts of an `AUDIT_RETENTION` entry: how far the log was removed, and what is needed to go on from there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tombstone {
    /// Entries `0 .. removed` are gone.
    pub removed: u64,
    /// The checkpoint that sealed exactly them.
    pub cp_seq: u64,
    /// Its root.
    pub root_hash: Digest,
    /// Hash of the last removed entry.
    pub head_hash: Digest,
    /// The Merkle frontier at `removed` entries; it gives `root_hash`.
    pub frontier: Vec<Digest>,
    /// Runs that lost a part of their entries, and how many: their end counts those too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cut_runs: BTreeMap<String, u64>,
    /// Only entries older than this were removed, RFC 3339.
    pub before: String,
}

impl Tombstone {
    /// What an entry says; `None` when it is another entry or says it wrongly.
    #[must_use]
    pub fn of(entry: &Entry) -> Option<Self> {
        if entry.event != RETENTION {
            return None;
        }
        serde_json::from_value(serde_json::Value::Object(entry.metadata.clone()?)).ok()
    }

    /// The frontier, when it gives the root.
    #[must_use]
    pub fn frontier(&self) -> Option<Frontier> {
        let frontier = Frontier::from_parts(self.removed, self.frontier.clone());
        (frontier.is_well_formed() && frontier.root() == self.root_hash).then_some(frontier)
    }

    /// Where a verification begins: at the checkpoint that sealed what was removed.
    pub(crate) fn start(&self, checkpoints: &[SignedCheckpoint]) -> Result<Trusted, Broken> {
        let bad = |found: &str| {
            let expected = format!("a record of a retention that fits checkpoint {}", self.cp_seq);
            Broken::new(0, Kind::Malformed, expected, found).by(self.cp_seq)
        };
        let frontier = self.frontier().ok_or_else(|| bad("a Merkle frontier that does not give its root"))?;
        let own = checkpoints.iter().find(|sealed| sealed.checkpoint.cp_seq == self.cp_seq);
        let sealed = own.ok_or_else(|| bad("no such checkpoint"))?;
        let this = &sealed.checkpoint;
        if (this.size, this.root_hash, this.head_hash) != (self.removed, self.root_hash, self.head_hash) {
            return Err(bad("another size, root or head"));
        }
        Ok(Trusted { sealed: sealed.clone(), frontier })
    }
}
