//! What stands apart from the audit chain under its hash: the chain stays valid when it goes (UX E1). A verification says
//! whether it was erased, which is recorded, or is lost.

use crate::chain::{Receipt, SNAPSHOTS, append_one};
use crate::error::Result;
use crate::store::Store;
use crate::table::{audit_entry, blob};
use signalbox_audit::{Digest, Record};
use signalbox_model::AuditEvent;
use std::collections::BTreeSet;

/// How it stands with the payloads of all entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payloads {
    /// Entries whose payload is there and is the one that was sealed.
    pub kept: u64,
    /// Entries whose payload was erased; that is recorded.
    pub erased: Vec<u64>,
    /// Entries whose payload is gone without a record.
    pub lost: Vec<u64>,
    /// Entries whose payload is not the one that was sealed.
    pub changed: Vec<u64>,
}

impl Store {
    /// Looks at every payload that an entry names.
    pub fn audit_payloads(&self) -> Result<Payloads> {
        self.view(|connection| {
            let mut erased = BTreeSet::new();
            let query =
                audit_entry::AuditQuery { event: Some(AuditEvent::PayloadErased.as_str().into()), ..Default::default() };
            audit_entry::matching(connection, &query, |row| {
                let entry: serde_json::Value = serde_json::from_str(&row.text).unwrap_or_default();
                erased.extend(entry["metadata"]["payloadHash"].as_str().map(str::to_owned));
                true
            })?;
            let mut found = Payloads::default();
            let mut statement = connection.prepare_cached(
                "SELECT seq, entry, hash, signature FROM audit_entry WHERE entry LIKE '%\"contextSnapshotHash\":\"%' ORDER BY seq",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let row = audit_entry::read_chain(row)?;
                let entry: serde_json::Value = serde_json::from_str(&row.text).unwrap_or_default();
                let Some(hash) = entry["contextSnapshotHash"].as_str() else { continue };
                match blob::get(connection, hash)? {
                    Some(data) if Digest::of(&[&data]).to_hex() == hash => found.kept += 1,
                    Some(_) => found.changed.push(row.seq),
                    None if erased.contains(hash) => found.erased.push(row.seq),
                    None => found.lost.push(row.seq),
                }
            }
            Ok(found)
        })
    }

    /// Erases the payload of this hash for every entry that names it, and records that; `None` when there is none.
    pub fn audit_erase(&self, hash: &str, record: Record) -> Result<Option<Receipt>> {
        let hash = hash.to_owned();
        self.write(true, move |work| {
            if !blob::free_one(work.connection, SNAPSHOTS, &hash)? {
                return Ok(None);
            }
            append_one(work, record, None).map(Some)
        })
    }
}
