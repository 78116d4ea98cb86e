//! `mail.read`: the newest messages of a mailbox that fit a search, an item each; their attachments as bytes of the item.

use crate::cancellation::until_cancelled;
use crate::mail::failure::failure;
use crate::mail::item;
use crate::mail::query::query;
use crate::mail::server::{IMAP, server};
use crate::support::origin;
use crate::{EffectFuture, Kind, Outcome, binary, formats};
use async_trait::async_trait;
use serde_json::Value;
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_model::{Binaries, NodeFailure};
use signalbox_ports::mail::{MailSink, ReceivedMail};
use signalbox_ports::{CallLog, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let query = query(slot)?;
    let (server, timeout_ms) = server(call, slot, world, &IMAP).await?;
    let mailbox = query.mailbox.clone();
    let mut collector = Collector { call, slot, world, mailbox, items: Vec::new(), text: 0, failed: None };
    let read = until_cancelled(log, world.mail.read(server, query, &mut collector)).await;
    if let Some(failed) = collector.failed {
        return Err(failed);
    }
    read.map_err(|error| failure(error, timeout_ms))?;
    Ok(CallOutput::items("success", collector.items))
}

/// Makes an item of each message and keeps its attachments, one message at a time.
struct Collector<'a> {
    call: &'a Call,
    slot: &'a CallSlot,
    world: &'a World,
    mailbox: String,
    items: Vec<OutItem>,
    /// Bytes of texts so far.
    text: usize,
    failed: Option<NodeFailure>,
}

#[async_trait]
impl MailSink for Collector<'_> {
    async fn take(&mut self, mail: ReceivedMail) -> bool {
        self.text += mail.text.len() + mail.html.as_ref().map_or(0, String::len);
        if self.text > formats::MAX_BYTES {
            let words = "The texts of the messages are larger than 64 MiB together. Read fewer at once ('limit')";
            self.failed = Some(NodeFailure::validation("TOO_LARGE", words).detail("field", "limit"));
            return false;
        }
        match self.item(mail).await {
            Ok(item) => self.items.push(item),
            Err(failed) => self.failed = Some(failed),
        }
        self.failed.is_none()
    }
}

impl Collector<'_> {
    async fn item(&self, mut mail: ReceivedMail) -> Result<OutItem, NodeFailure> {
        let mut binaries = Binaries::default();
        let mut files = Vec::with_capacity(mail.files.len());
        for (at, mut file) in std::mem::take(&mut mail.files).into_iter().enumerate() {
            let bytes = file.bytes.take();
            let mut told = item::file(&file);
            if let Some(bytes) = bytes {
                let name = format!("attachment_{}", at + 1);
                let kept = binary::keep(self.call, self.world, bytes, &file.media, "An attachment").await?;
                binaries.insert(name.clone(), kept);
                told["binary"] = name.into();
            }
            files.push(told);
        }
        let data = item::data(mail, &self.mailbox, files);
        let binary = (!binaries.is_empty()).then_some(binaries);
        Ok(OutItem { binary, ..OutItem::new(Arc::new(Value::Object(data)), origin(self.slot)) })
    }
}
