//! The registry as the client of the servers sees it: which servers there are, what was approved of them, and who is signed
//! in there.

use super::approval::{self, Approved, Seen};
use super::{definition_of, see};
use crate::secrets::KnownSecrets;
use async_trait::async_trait;
use serde_json::json;
use signalbox_adapters::mcp::{Inspection, ServerBook, ToolServerDefinition, ToolWords};
use signalbox_adapters::oauth::{Challenge, SignedIn};
use signalbox_ports::Clock;
use signalbox_ports::tools::{ToolFailure, ToolFault};
use signalbox_store::Store;
use std::sync::Arc;

/// The registry.
pub(crate) struct ToolBook {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) secrets: Arc<KnownSecrets>,
}

fn not_approved(name: &str, why: &str) -> ToolFailure {
    let message = format!("The tool server '{name}' {why}. Look at it and approve it in Settings, Tool servers");
    ToolFailure::new(ToolFault::NotApproved, message)
}

pub(super) fn unreadable(error: &signalbox_store::Error) -> ToolFailure {
    ToolFailure::new(ToolFault::NotConfigured, format!("The tool servers of this machine cannot be read: {error}"))
}

impl ToolBook {
    fn look(&self, name: &str) -> Result<ToolServerDefinition, ToolFailure> {
        let row = self.store.tool_server(name).map_err(|error| unreadable(&error))?;
        let row = row.ok_or_else(|| {
            let message = format!("There is no tool server '{name}' on this machine. Add it in Settings, Tool servers");
            ToolFailure::new(ToolFault::NotConfigured, message)
        })?;
        let definition = definition_of(&row);
        match (Approved::of(&row), definition) {
            (_, _) if row.blocked.is_some() => Err(not_approved(name, "is not what was approved")),
            (None, _) | (_, None) => Err(not_approved(name, "was not approved yet")),
            (Some(approved), Some(definition)) if approved.definition == row.definition => Ok(definition),
            _ => Err(not_approved(name, "is started or reached in another way than was approved")),
        }
    }

    /// What was approved, when it is exactly this and nothing blocks the server.
    fn as_approved(
        &self,
        name: &str,
        definition: &ToolServerDefinition,
        found: &Inspection,
    ) -> Result<Option<ToolWords>, ToolFailure> {
        let row = self.store.tool_server(name).map_err(|error| unreadable(&error))?;
        let approved = row.filter(|row| row.blocked.is_none()).as_ref().and_then(Approved::of);
        let hash = approval::hash(&json!(definition), &found.tools);
        Ok(approved.filter(|approved| approved.hash == hash).map(|approved| approved.words))
    }

    fn compare(
        &self,
        name: &str,
        definition: &ToolServerDefinition,
        found: &Inspection,
    ) -> Result<ToolWords, ToolFailure> {
        if let Some(words) = self.as_approved(name, definition, found)? {
            return Ok(words);
        }
        let kept = json!(definition);
        let row = self.store.tool_server(name).map_err(|error| unreadable(&error))?;
        let hash = approval::hash(&kept, &found.tools);
        let is_as_approved = row.as_ref().and_then(Approved::of).is_some_and(|approved| approved.hash == hash);
        let (now, tools) = (self.clock.now_ms(), found.tools.clone());
        let written = self.store.tool_server_change(name, move |row| {
            let mut row = match row {
                Some(row) if row.definition == kept => row,
                Some(_) => return Err("was changed in this moment"),
                None => return Err("was deleted in this moment"),
            };
            let seen = Seen { server: Seen::of(&row).and_then(|seen| seen.server), tools, at_ms: now };
            let record = see(&mut row, seen);
            Ok((row, record))
        });
        match written {
            Ok(Err(why)) => Err(not_approved(name, why)),
            Ok(Ok(_)) if is_as_approved => Err(not_approved(
                name,
                "was changed since it was approved; it is now as it was, and waits for a person",
            )),
            Ok(Ok(_)) => Err(not_approved(name, "has other tools, or describes them otherwise, than was approved")),
            Err(error) => Err(unreadable(&error)),
        }
    }
}

#[async_trait]
impl ServerBook for BookOnThread {
    async fn server(&self, name: &str) -> Result<ToolServerDefinition, ToolFailure> {
        let (book, name) = (Arc::clone(&self.0), name.to_owned());
        tokio::task::spawn_blocking(move || book.look(&name)).await.unwrap_or_else(|_| Err(closing()))
    }
    async fn approved(
        &self,
        name: &str,
        definition: &ToolServerDefinition,
        seen: Arc<Inspection>,
    ) -> Result<Option<ToolWords>, ToolFailure> {
        let (book, name, definition) = (Arc::clone(&self.0), name.to_owned(), definition.clone());
        let looked = tokio::task::spawn_blocking(move || book.as_approved(&name, &definition, &seen));
        looked.await.unwrap_or_else(|_| Err(closing()))
    }
    async fn admit(
        &self,
        name: &str,
        definition: &ToolServerDefinition,
        seen: Arc<Inspection>,
    ) -> Result<ToolWords, ToolFailure> {
        let (book, name, definition) = (Arc::clone(&self.0), name.to_owned(), definition.clone());
        let looked = tokio::task::spawn_blocking(move || book.compare(&name, &definition, &seen));
        looked.await.unwrap_or_else(|_| Err(closing()))
    }

    async fn signed_in(
        &self,
        name: &str,
        definition: &ToolServerDefinition,
    ) -> Result<Option<Arc<SignedIn>>, ToolFailure> {
        let (book, name, definition) = (Arc::clone(&self.0), name.to_owned(), definition.clone());
        let looked = tokio::task::spawn_blocking(move || book.signed_in(&name, &definition));
        looked.await.unwrap_or_else(|_| Err(closing()))
    }
    async fn signed_in_as(&self, name: &str, definition: &ToolServerDefinition) -> Result<Option<String>, ToolFailure> {
        let (book, name, definition) = (Arc::clone(&self.0), name.to_owned(), definition.clone());
        let looked = tokio::task::spawn_blocking(move || book.signed_in_as(&name, &definition));
        looked.await.unwrap_or_else(|_| Err(closing()))
    }
    async fn renewed(&self, name: &str, signed: SignedIn) -> Result<Arc<SignedIn>, ToolFailure> {
        let (book, name) = (Arc::clone(&self.0), name.to_owned());
        let kept = tokio::task::spawn_blocking(move || book.sign_in_renewed(&name, signed));
        kept.await.unwrap_or_else(|_| Err(closing()))
    }
    async fn renewing(&self, name: &str) -> Result<Box<dyn Send>, ToolFailure> {
        let (book, name) = (Arc::clone(&self.0), name.to_owned());
        let held = tokio::task::spawn_blocking(move || book.renewing(&name));
        Ok(Box::new(held.await.unwrap_or_else(|_| Err(closing()))?))
    }
    async fn wants(&self, name: &str, definition: &ToolServerDefinition, challenge: Challenge) {
        let (book, name, definition) = (Arc::clone(&self.0), name.to_owned(), definition.clone());
        drop(tokio::task::spawn_blocking(move || book.sign_in_wanted(&name, &definition, challenge)).await);
    }
    async fn sign_in_ended(&self, name: &str, signed: &SignedIn, why: &str) {
        let (book, name, id, why) = (Arc::clone(&self.0), name.to_owned(), signed.kept.id.clone(), why.to_owned());
        drop(tokio::task::spawn_blocking(move || book.sign_in_over(&name, &id, &why)).await);
    }
}

fn closing() -> ToolFailure {
    ToolFailure::new(ToolFault::Connect, "Signalbox is closing")
}

/// [`ToolBook`] off the executor: it waits for the disk.
pub(crate) struct BookOnThread(pub(crate) Arc<ToolBook>);
