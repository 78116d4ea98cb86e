//! The audit chain of the store, as the Audit step sees it.

use serde_json::{Map, Value};
use signalbox_model::{Level, time};
use signalbox_ports::{AuditLog, AuditNote};
use signalbox_store::Store;
use signalbox_store::audit::{self, Actor, Record};

/// Entries of workflows go into the chain of record.
pub struct StoredAuditLog(pub Store);

#[async_trait::async_trait]
impl AuditLog for StoredAuditLog {
    async fn record(&self, note: AuditNote) -> Result<(), String> {
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
        let store = self.0.clone();
        let written = tokio::task::spawn_blocking(move || store.audit_append(record, Some(note.key), true)).await;
        match written {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("Signalbox is closing".into()),
        }
    }
}
