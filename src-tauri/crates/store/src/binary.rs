//! Bytes that items of a run name (K-37): kept once by content, like large values, for as long as a run needs them.

use crate::error::{Error, Result};
use crate::store::Store;
use crate::table::{blob, run};
use signalbox_model::hash::sha256_hex;

impl Store {
    /// Keeps bytes for a run that has not ended; their SHA-256 names them. In a transaction of its own: a commit that names
    /// them comes after it, so a crash in between leaves bytes that nobody names, and those go with the run.
    pub fn binary_keep(&self, run_id: &str, bytes: Vec<u8>) -> Result<String> {
        let (run, hash) = (run_id.to_owned(), sha256_hex(&bytes));
        // Not synced: the log is written in order, so a commit that is on the disk has what was written before it.
        self.write(false, move |work| {
            if run::require(work.connection, &run)?.ended_ms.is_some() {
                return Err(Error::RunEnded { run });
            }
            blob::put_bytes(work.connection, &run, &hash, &bytes)?;
            Ok(hash)
        })
    }

    /// Bytes of a run, by their SHA-256; `None` when the run needs none of this hash. What does not match its hash is
    /// damaged, and is not given out.
    pub fn binary(&self, run_id: &str, sha256: &str) -> Result<Option<Vec<u8>>> {
        let bytes = self.view(|connection| {
            run::require(connection, run_id)?;
            if blob::is_used(connection, run_id, sha256)? { blob::get(connection, sha256) } else { Ok(None) }
        })?;
        match bytes {
            Some(bytes) if sha256_hex(&bytes) != sha256 => {
                Err(Error::Damaged { reason: format!("the bytes {sha256} do not match their hash") })
            }
            found => Ok(found),
        }
    }
}
