//! Bytes of items in the store of their runs.

use async_trait::async_trait;
use signalbox_ports::{Binaries, BinaryError};
use signalbox_store::{Store, StoreError};

/// The store, as steps see it that make or take bytes.
pub struct StoredBinaries(pub Store);

impl StoredBinaries {
    /// Hashing and writing take their time: on a thread that may wait.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, BinaryError> {
        let store = self.0.clone();
        match tokio::task::spawn_blocking(move || work(&store)).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => Err(BinaryError { message: error.to_string(), disk_full: error == StoreError::DiskFull }),
            Err(_) => Err(BinaryError { message: "Signalbox is closing".into(), disk_full: false }),
        }
    }
}

#[async_trait]
impl Binaries for StoredBinaries {
    async fn keep(&self, run: &str, bytes: Vec<u8>) -> Result<String, BinaryError> {
        let run = run.to_owned();
        self.with(move |store| store.binary_keep(&run, bytes)).await
    }
    async fn read(&self, run: &str, sha256: &str) -> Result<Option<Vec<u8>>, BinaryError> {
        let (run, sha256) = (run.to_owned(), sha256.to_owned());
        self.with(move |store| store.binary(&run, &sha256)).await
    }
}
