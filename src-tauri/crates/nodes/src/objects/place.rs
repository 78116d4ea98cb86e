//! Where objects are: in a store that is asked over HTTP, or on an SFTP server.

use super::exchange::Exchange;
use super::listing::{Listing, Wanted};
use super::requests::{About, Condition};
use super::settings::Store;
use super::sftp::FilePlace;
use super::upload::FileWrite;
use crate::support::text_or;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::{CallLog, World};

pub(crate) enum Place<'a> {
    Store(Exchange<'a>),
    Files(FilePlace<'a>),
}

impl<'a> Place<'a> {
    pub(crate) async fn of(call: &'a Call, slot: &'a CallSlot, world: &'a World) -> Result<Self, NodeFailure> {
        if text_or(slot, "system", "s3")? == "sftp" {
            return FilePlace::of(call, slot, world).await.map(Self::Files);
        }
        Ok(Self::Store(Exchange { store: Store::of(slot)?, call, slot, world }))
    }

    /// Signs in. A store is asked for a list of one object, as there is no other way.
    pub(crate) async fn check(&self) -> Result<(), NodeFailure> {
        match self {
            Self::Store(store) => store.list(&Wanted { prefix: "", recursive: false, limit: 1 }).await.map(drop),
            Self::Files(files) => files.check().await,
        }
    }

    pub(crate) async fn list(&self, wanted: &Wanted<'_>) -> Result<Listing, NodeFailure> {
        match self {
            Self::Store(store) => store.list(wanted).await,
            Self::Files(files) => files.list(wanted).await,
        }
    }

    /// An object with its bytes.
    pub(crate) async fn get(&self, key: &str) -> Result<(About, Vec<u8>), NodeFailure> {
        match self {
            Self::Store(store) => {
                let answer = store.get(key).await?;
                let about = About::of(store.store.system, &answer);
                // The length of a coded body is that of the transfer.
                Ok((About { size: Some(answer.body.len() as u64), ..about }, answer.body))
            }
            Self::Files(files) => files.get(key).await,
        }
    }

    /// Writes an object; says its version, where there is one.
    pub(crate) async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        media: &str,
        condition: &Condition,
    ) -> Result<Option<String>, NodeFailure> {
        match self {
            Self::Store(store) => store.put(key, bytes, media, condition).await,
            Self::Files(files) => files.put(key, bytes, condition).await.map(|()| None),
        }
    }

    /// Saves an object as a file; says what it is, and the size of the file.
    pub(crate) async fn save(&self, key: &str, path: &str, log: &dyn CallLog) -> Result<(About, u64), NodeFailure> {
        match self {
            Self::Store(store) => store.save(key, path, log).await,
            Self::Files(files) => files.save(key, path, log).await,
        }
    }

    /// Writes a file as an object; says its version, where there is one.
    pub(crate) async fn put_file(&self, file: &FileWrite<'_>) -> Result<Option<String>, NodeFailure> {
        match self {
            Self::Store(store) => store.put_file(file).await,
            Self::Files(files) => files.put_file(file).await.map(|()| None),
        }
    }

    /// Moves an object, or copies it.
    pub(crate) async fn transfer(&self, from: &str, to: &str, keep: bool, is_new: bool) -> Result<(), NodeFailure> {
        match self {
            Self::Store(store) if keep => {
                let about = store.source(from).await?;
                store.copy_checked(from, to, is_new, &about).await
            }
            Self::Store(store) => store.rename(from, to, is_new).await,
            Self::Files(files) => files.transfer(from, to, keep, is_new).await,
        }
    }

    /// Removes an object; false when there was none, as far as it is told.
    pub(crate) async fn delete(&self, key: &str) -> Result<bool, NodeFailure> {
        match self {
            Self::Store(store) => store.delete(key, None).await,
            Self::Files(files) => files.delete(key).await,
        }
    }
}
