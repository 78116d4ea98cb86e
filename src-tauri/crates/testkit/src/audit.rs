//! The audit chain in memory, which may be told to refuse.

use signalbox_ports::{AuditLog, AuditNote, NotRecorded};
use std::sync::{Mutex, PoisonError};

/// Keeps what was recorded.
#[derive(Debug, Default)]
pub struct MemoryAudit {
    notes: Mutex<Vec<AuditNote>>,
    refuses: Mutex<Option<String>>,
}

impl MemoryAudit {
    /// Refuses every entry from now on.
    pub fn refuse(&self, why: &str) {
        *self.refuses.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.to_owned());
    }
    /// What was recorded, in order.
    pub fn notes(&self) -> Vec<AuditNote> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait::async_trait]
impl AuditLog for MemoryAudit {
    async fn record(&self, note: AuditNote) -> Result<(), NotRecorded> {
        if let Some(why) = self.refuses.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(NotRecorded::Unwritten(why));
        }
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.iter().any(|known| known.key == note.key) {
            notes.push(note);
        }
        Ok(())
    }
}
