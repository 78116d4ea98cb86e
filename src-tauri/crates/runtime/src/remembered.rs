//! Keys that steps have seen, in the store.

use async_trait::async_trait;
use signalbox_model::KeyClaim;
use signalbox_ports::{RememberError, Remembered};
use signalbox_store::{Store, StoreError};

/// The store, as steps see it that leave out what they have seen before.
pub struct StoredKeys(pub Store);

#[async_trait]
impl Remembered for StoredKeys {
    async fn claim(&self, claim: KeyClaim) -> Result<Vec<bool>, RememberError> {
        let store = self.0.clone();
        // Writing takes its time: on a thread that may wait.
        match tokio::task::spawn_blocking(move || store.remember(&claim)).await {
            Ok(Ok(new)) => Ok(new),
            Ok(Err(error)) => {
                Err(RememberError { message: error.to_string(), disk_full: error == StoreError::DiskFull })
            }
            Err(_) => Err(RememberError { message: "Signalbox is closing".into(), disk_full: false }),
        }
    }
}
