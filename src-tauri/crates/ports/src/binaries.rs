//! Bytes that items name (K-37): they are kept beside the run's data, and only a reference travels.

use async_trait::async_trait;

/// Why bytes cannot be kept or read now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryError {
    /// Plain words.
    pub message: String,
    /// The disk is full.
    pub disk_full: bool,
}

/// Bytes of runs, named by their content.
#[async_trait]
pub trait Binaries: Send + Sync {
    /// Keeps bytes for a run, before anything names them; their SHA-256 in hex.
    async fn keep(&self, run: &str, bytes: Vec<u8>) -> Result<String, BinaryError>;
    /// Bytes that this run keeps; `None` when it has none of this hash, whatever other runs have.
    async fn read(&self, run: &str, sha256: &str) -> Result<Option<Vec<u8>>, BinaryError>;
}

/// Where no bytes can be kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBinaries;

#[async_trait]
impl Binaries for NoBinaries {
    async fn keep(&self, _run: &str, _bytes: Vec<u8>) -> Result<String, BinaryError> {
        Err(BinaryError { message: "Bytes cannot be kept here".into(), disk_full: false })
    }
    async fn read(&self, _run: &str, _sha256: &str) -> Result<Option<Vec<u8>>, BinaryError> {
        Ok(None)
    }
}
