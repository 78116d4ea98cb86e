//! The head of a chain, and sealing: giving a record its place.

use crate::canonical::CanonicalError;
use crate::digest::Digest;
use crate::entry::{Entry, Record, VERSION, hash_text};
use crate::record::RecordErrors;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How far a chain has come. Small and copied: a transaction that rolls back puts the old one back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Head {
    /// Entries in the chain; the next entry's `seq`.
    pub size: u64,
    /// Hash of the last entry, 64 zeros when there is none.
    pub head_hash: Digest,
}

impl Head {
    /// The head of a chain without entries.
    pub const EMPTY: Self = Self { size: 0, head_hash: Digest::ZERO };
}

/// One chain: its name and its head. It holds no entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    log_id: Arc<str>,
    head: Head,
}

/// A record that has got its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Sealed {
    /// The entry.
    pub entry: Entry,
    /// Its canonical text: store exactly this.
    pub text: String,
    /// Its hash.
    pub hash: Digest,
}

/// Why a record was not sealed. The chain is as before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Fields that are wrong.
    #[error(transparent)]
    Record(#[from] RecordErrors),
    /// Metadata without canonical form.
    #[error("not recorded: {0}")]
    Canonical(#[from] CanonicalError),
}

impl Chain {
    /// A new chain. `log_id` must be unique (a UUID made by the caller): it keeps the entries of two chains apart.
    #[must_use]
    pub fn new(log_id: impl Into<Arc<str>>) -> Self {
        Self::at(log_id, Head::EMPTY)
    }

    /// A chain that stands at `head`.
    #[must_use]
    pub fn at(log_id: impl Into<Arc<str>>, head: Head) -> Self {
        Self { log_id: log_id.into(), head }
    }

    /// The chain's name.
    #[must_use]
    pub fn log_id(&self) -> &str {
        &self.log_id
    }

    /// How far the chain has come.
    #[must_use]
    pub fn head(&self) -> Head {
        self.head
    }

    /// Puts the chain back to a head it had, after a transaction that was rolled back.
    pub fn rewind(&mut self, head: Head) {
        self.head = head;
    }

    /// Gives the record its place at the end of the chain. On an error the chain stays as it was.
    ///
    /// # Errors
    /// [`SealError`] when a field is wrong or the metadata has no canonical form.
    pub fn seal(&mut self, record: Record) -> Result<Sealed, SealError> {
        record.validate()?;
        let entry = Entry {
            v: VERSION,
            log_id: self.log_id.as_ref().to_owned(),
            seq: self.head.size,
            prev_hash: self.head.head_hash,
            timestamp: record.timestamp,
            run_id: record.run_id,
            node_id: record.node_id,
            event: record.event,
            level: record.level,
            actor: record.actor,
            tags: record.tags,
            metadata: record.metadata,
            context_snapshot_hash: record.context_snapshot_hash,
        };
        let text = entry.canonical()?;
        let hash = hash_text(&text);
        self.head = Head { size: self.head.size + 1, head_hash: hash };
        Ok(Sealed { entry, text, hash })
    }
}
