//! Where entries of the audit chain go beside the store that they are written in (K-22): the chain of record stays here,
//! a sink gets copies, in order.

use std::io;

/// Takes lines of the audit chain, one entry each, as an export writes them.
pub trait AuditSink: Send {
    /// The last line that it holds, without its line end, when it can tell. Delivery goes on behind it, so that nothing is
    /// there twice. `None`: it is empty, or cannot tell (a stream).
    ///
    /// # Errors
    /// It cannot be read, or holds something else; the message says which and what to do.
    fn last(&mut self) -> io::Result<Option<String>>;

    /// Whether the last look found bytes that were never written, which the next lines take the place of. A power loss leaves
    /// such behind what was told as taken: before it they are somebody else's, or damage.
    fn has_holes(&self) -> bool {
        false
    }

    /// Adds lines, each with its line end, and returns when they are safe there. After an error some of them may be there:
    /// they come again, whoever reads knows an entry by its log and its number.
    ///
    /// # Errors
    /// It does not take them.
    fn take(&mut self, lines: &str) -> io::Result<()>;
}
