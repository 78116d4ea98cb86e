//! What stands apart from the audit chain under its hash: the chain stays valid when it goes (UX E1). Two kinds: a context
//! snapshot of a record from outside, and what a person decided about a task. A verification says whether it was erased,
//! which is recorded, is lost, or is not what was sealed.

use crate::chain::{Receipt, SNAPSHOTS, append_one};
use crate::error::Result;
use crate::sql::Connection;
use crate::store::Store;
use crate::table::audit_entry::{self, AuditQuery};
use crate::table::{blob, task_body};
use serde_json::Value;
use signalbox_audit::{Digest, Record};
use signalbox_model::AuditEvent;
use std::collections::BTreeMap;

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

/// How it stands with one payload; the worst comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PayloadState {
    /// It is there and is the one that was sealed.
    Kept,
    /// It was erased; that is recorded.
    Erased,
    /// It is gone without a record.
    Lost,
    /// It is not the one that was sealed.
    Changed,
}

/// What is kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadPart {
    /// The context snapshot that came with a record.
    Snapshot,
    /// What a person decided: the correction and its patch, in the task.
    Decision,
}

/// One payload of an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    /// Which.
    pub part: PayloadPart,
    /// Its hash, as the entry says.
    pub sealed: String,
    /// The hash of what is there.
    pub found: Option<String>,
    /// How it stands.
    pub state: PayloadState,
    /// The entry that tells of the erasure.
    pub told_by: Option<u64>,
    /// A snapshot that is there, as it is stored.
    pub data: Option<Value>,
}

/// Erased payloads: hash → entry that says so.
type Erased = BTreeMap<String, u64>;

fn erased(connection: &Connection) -> Result<Erased> {
    let mut erased = Erased::new();
    let query =
        audit_entry::AuditQuery { event: Some(AuditEvent::PayloadErased.as_str().into()), ..Default::default() };
    audit_entry::matching(connection, &query, |row| {
        let entry: Value = serde_json::from_str(&row.text).unwrap_or_default();
        if let Some(hash) = entry["metadata"]["payloadHash"].as_str() {
            erased.insert(hash.to_owned(), row.seq);
        }
        true
    })?;
    Ok(erased)
}

fn snapshot(connection: &Connection, entry: &Value, erased: &Erased) -> Result<Option<Payload>> {
    let Some(sealed) = entry["contextSnapshotHash"].as_str() else { return Ok(None) };
    let data = blob::get(connection, sealed)?;
    let found = data.as_ref().map(|data| Digest::of(&[data]).to_hex());
    let told_by = erased.get(sealed).copied();
    let state = match &found {
        Some(found) if found == sealed => PayloadState::Kept,
        Some(_) => PayloadState::Changed,
        None if told_by.is_some() => PayloadState::Erased,
        None => PayloadState::Lost,
    };
    let data = data.and_then(|data| serde_json::from_slice(&data).ok());
    Ok(Some(Payload { part: PayloadPart::Snapshot, sealed: sealed.to_owned(), found, state, told_by, data }))
}

/// The entry says the hashes of the patch and of the corrected input; the task holds both.
fn decision(connection: &Connection, entry: &Value) -> Result<Option<Payload>> {
    let facts = &entry["metadata"];
    if entry["event"] != AuditEvent::HitlCompleted.as_str() {
        return Ok(None);
    }
    let sealed: Vec<(&str, &str)> = [("patchHash", "patch"), ("inputHash", "correctedInput")]
        .into_iter()
        .filter_map(|(hash, field)| Some((facts[hash].as_str()?, field)))
        .collect();
    let (Some((first, _)), Some(task)) = (sealed.first(), facts["taskId"].as_str()) else { return Ok(None) };
    // A body that cannot be read is no other case than one that was changed: what was sealed is not there.
    let body = task_body::get(connection, task, task_body::DECISION);
    let (found, state) = match &body {
        Ok(None) => (None, PayloadState::Lost),
        Err(_) => (None, PayloadState::Changed),
        Ok(Some(body)) => {
            let hash = |field: &str| {
                body.get(field).map(|value| signalbox_model::hash::sha256_hex(value.to_string().as_bytes()))
            };
            let differs = sealed.iter().find(|(sealed, field)| hash(field).as_deref() != Some(*sealed));
            match differs {
                None => (Some((*first).to_owned()), PayloadState::Kept),
                Some((_, field)) => (hash(field), PayloadState::Changed),
            }
        }
    };
    let mut payload =
        Payload { part: PayloadPart::Decision, sealed: (*first).to_owned(), found, state, told_by: None, data: None };
    if payload.state == PayloadState::Lost {
        // A run is deleted with its tasks, and that is recorded.
        let run = entry["runId"].as_str().unwrap_or_default().to_owned();
        let told = AuditQuery {
            run: Some(run),
            event: Some(AuditEvent::RunDeleted.as_str().into()),
            limit: 1,
            ..AuditQuery::default()
        };
        payload.told_by = audit_entry::page(connection, &told)?.rows.first().map(|row| row.seq);
        if payload.told_by.is_some() {
            payload.state = PayloadState::Erased;
        }
    }
    Ok(Some(payload))
}

fn of_entry(connection: &Connection, entry: &Value, erased: &Erased) -> Result<Option<Payload>> {
    Ok(match snapshot(connection, entry, erased)? {
        Some(snapshot) => Some(snapshot),
        None => decision(connection, entry)?,
    })
}

impl Store {
    /// Looks at every payload that an entry names.
    pub fn audit_payloads(&self) -> Result<Payloads> {
        self.view(|connection| {
            let erased = erased(connection)?;
            let mut found = Payloads::default();
            let mut statement = connection.prepare_cached(
                "SELECT seq, entry, hash, signature FROM audit_entry WHERE entry LIKE '%\"contextSnapshotHash\":\"%' \
                 OR entry LIKE '%\"inputHash\":\"%' OR entry LIKE '%\"patchHash\":\"%' ORDER BY seq",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let row = audit_entry::read_chain(&row)?;
                let entry: Value = serde_json::from_str(&row.text).unwrap_or_default();
                match of_entry(connection, &entry, &erased)?.map(|payload| payload.state) {
                    None => {}
                    Some(PayloadState::Kept) => found.kept += 1,
                    Some(PayloadState::Erased) => found.erased.push(row.seq),
                    Some(PayloadState::Lost) => found.lost.push(row.seq),
                    Some(PayloadState::Changed) => found.changed.push(row.seq),
                }
            }
            Ok(found)
        })
    }

    /// How it stands with what these entries keep apart, in their order; `None` for those that keep nothing.
    pub fn audit_payloads_of(&self, texts: &[&str]) -> Result<Vec<Option<Payload>>> {
        self.view(|connection| {
            let mut known = None;
            let mut found = Vec::with_capacity(texts.len());
            for text in texts {
                let may = ["\"contextSnapshotHash\":", "\"inputHash\":", "\"patchHash\":"]
                    .iter()
                    .any(|name| text.contains(name));
                if !may {
                    found.push(None);
                    continue;
                }
                let erased = match &mut known {
                    Some(known) => known,
                    None => known.insert(erased(connection)?),
                };
                let entry: Value = serde_json::from_str(text).unwrap_or_default();
                found.push(of_entry(connection, &entry, erased)?);
            }
            Ok(found)
        })
    }

    /// Erases the payload of this hash for every entry that names it, and records that; `None` when there is none. Its bytes
    /// are overwritten in the database and leave the log of writes, unless somebody reads an older state just then.
    pub fn audit_erase(&self, hash: &str, record: Record) -> Result<Option<Receipt>> {
        let hash = hash.to_owned();
        let erased = self.write(true, move |work| {
            if !blob::free_one(work.connection, SNAPSHOTS, &hash)? {
                return Ok(None);
            }
            append_one(work, record, None).map(Some)
        })?;
        if erased.is_some() {
            // It is erased and recorded; a log that is in use is emptied when the store is closed.
            let _ = self.inner.readers.empty_log();
        }
        Ok(erased)
    }
}
