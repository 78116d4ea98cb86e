//! The audit chain of the store, as the Audit step sees it.

use serde_json::{Map, Value};
use signalbox_model::{Level, time};
use signalbox_ports::{AuditLog, AuditNote, NotRecorded};
use signalbox_store::Store;
use signalbox_store::audit::{self, Actor, Record};
use std::sync::{Arc, OnceLock};

/// The sinks of a host, by name.
#[async_trait::async_trait]
pub trait AuditCopies: Send + Sync {
    /// Says which names there are when nobody has this one.
    async fn find(&self, sink: &str) -> Result<(), String>;
    /// Returns when the sink has the entry with this number and all before it.
    async fn copied(&self, sink: &str, seq: u64) -> Result<(), String>;
}

/// Entries of workflows go into the chain of record.
pub struct StoredAuditLog {
    store: Store,
    copies: OnceLock<Arc<dyn AuditCopies>>,
}

impl StoredAuditLog {
    /// A chain without sinks.
    pub fn new(store: Store) -> Self {
        Self { store, copies: OnceLock::new() }
    }

    /// From now on an entry may name a sink. The first ones stay.
    pub fn copy_with(&self, copies: Arc<dyn AuditCopies>) {
        let _ = self.copies.set(copies);
    }
}

#[async_trait::async_trait]
impl AuditLog for StoredAuditLog {
    async fn record(&self, note: AuditNote) -> Result<(), NotRecorded> {
        let sink = match &note.sink {
            None => None,
            Some(name) => {
                let none = || NotRecorded::UnknownSink("there are no copies of the audit chain here".into());
                let copies = self.copies.get().ok_or_else(none)?;
                copies.find(name).await.map_err(NotRecorded::UnknownSink)?;
                Some((copies, name.clone()))
            }
        };
        let level = match note.level {
            Level::Info => audit::Level::Info,
            Level::Warn => audit::Level::Warn,
            Level::Error => audit::Level::Error,
            Level::Critical => audit::Level::Critical,
        };
        // A workflow says what happened, never who did it (TRUST, "Holes").
        let ts = time::format(note.now_ms);
        let mut record = Record::new(ts, note.run_id, note.node_id, note.event, level, Actor::system());
        if !note.tags.is_empty() {
            record.tags = Some(note.tags);
        }
        if !note.metadata.is_empty() {
            let mut metadata = Map::new();
            metadata.insert("user".into(), Value::Object(note.metadata));
            record = record.with_metadata(metadata);
        }
        let store = self.store.clone();
        let written = tokio::task::spawn_blocking(move || store.audit_append(record, Some(note.key), true)).await;
        let receipt = match written {
            Ok(Ok(receipt)) => receipt,
            Ok(Err(error)) => return Err(NotRecorded::Unwritten(error.to_string())),
            Err(_) => return Err(NotRecorded::Unwritten("Signalbox is closing".into())),
        };
        let Some((copies, name)) = sink else { return Ok(()) };
        copies.copied(&name, receipt.seq).await.map_err(NotRecorded::NotCopied)
    }
}
