//! Where entries of the audit chain go beside the store that they are written in (K-22): the chain of record stays here,
//! a sink gets copies, in order.

use std::io;
use std::sync::Arc;

/// One entry on its way to a sink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// The chain that it belongs to.
    pub log_id: Arc<str>,
    /// Its number in the chain. Chain and number name an entry everywhere.
    pub seq: u64,
    /// Hash of the entry, hexadecimal.
    pub hash: String,
    /// The run that it is about, or the store.
    pub run_id: String,
    /// The step that it is about, or the run.
    pub node_id: String,
    /// What happened.
    pub event: String,
    /// `INFO`, `WARN`, `ERROR` or `CRITICAL`.
    pub level: String,
    /// When, RFC 3339.
    pub timestamp: String,
    /// The line of an export, with its line end: entry, hash and signature. Verifiers read it.
    pub line: String,
}

/// Why a sink stopped in a batch.
#[derive(Debug)]
pub struct NotTaken {
    /// So many from the beginning of the batch are safe there.
    pub taken: usize,
    /// Why the next one is not.
    pub why: io::Error,
}

impl From<io::Error> for NotTaken {
    fn from(why: io::Error) -> Self {
        Self { taken: 0, why }
    }
}

/// Takes entries of the audit chain.
pub trait AuditSink: Send {
    /// The last line that it holds, without its line end, when it can tell. Delivery goes on behind it, so that nothing is
    /// there twice. `None`: it is empty, or cannot tell (a stream). `upto`: entries before this number were delivered.
    ///
    /// # Errors
    /// It cannot be read, or holds something else; the message says which and what to do.
    fn last(&mut self, upto: u64) -> io::Result<Option<String>>;

    /// Whether the last look found bytes that were never written, which the next lines take the place of. A power loss leaves
    /// such behind what was told as taken: before it they are somebody else's, or damage.
    fn has_holes(&self) -> bool {
        false
    }

    /// Adds entries in their order, and returns when they are safe there. After an error some of them may be there: they come
    /// again, whoever reads knows an entry by its log and its number.
    ///
    /// # Errors
    /// It does not take them all.
    fn take(&mut self, lines: &[AuditLine]) -> Result<(), NotTaken>;
}
