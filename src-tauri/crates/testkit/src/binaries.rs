//! Bytes of runs in memory.

use async_trait::async_trait;
use signalbox_model::hash::sha256_hex;
use signalbox_ports::{Binaries, BinaryError};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// (run, SHA-256) → bytes.
#[derive(Debug, Default)]
pub struct MemoryBinaries(Mutex<HashMap<(String, String), Vec<u8>>>);

#[async_trait]
impl Binaries for MemoryBinaries {
    async fn keep(&self, run: &str, bytes: Vec<u8>) -> Result<String, BinaryError> {
        let hash = sha256_hex(&bytes);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert((run.to_owned(), hash.clone()), bytes);
        Ok(hash)
    }
    async fn read(&self, run: &str, sha256: &str) -> Result<Option<Vec<u8>>, BinaryError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.get(&(run.to_owned(), sha256.to_owned())).cloned())
    }
}
