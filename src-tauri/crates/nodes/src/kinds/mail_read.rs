//! `mail.read`: the newest messages of a mailbox that fit a search, an item each; their attachments as bytes of the item.

use crate::mail::failure::failure;
use crate::mail::server::{Ports, server, unless_cancelled};
use crate::support::{flag, origin, setting, text, text_or, whole, whole_of, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, binary, formats};
use async_trait::async_trait;
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_model::{Binaries, NodeFailure, time};
use signalbox_ports::mail::{MailAddress, MailChange, MailQuery, MailSearch, MailSink, ReceivedMail};
use signalbox_ports::{CallLog, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

const PORTS: Ports = Ports { tls: 993, start_tls: 143, plain: 143 };
const DEFAULT_LIMIT: u64 = 50;
const MOST: u64 = 500;
const DEFAULT_MAX_MESSAGE: u64 = 25 * 1024 * 1024;
const LEAST_MAX_MESSAGE: u64 = 64 * 1024;
/// Longest name or text of a search, characters.
const LONGEST: usize = 1_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let query = query(slot)?;
    let (server, timeout_ms) = server(call, slot, world, &PORTS).await?;
    let mailbox = query.mailbox.clone();
    let mut collector = Collector { call, slot, world, mailbox, items: Vec::new(), text: 0, failed: None };
    let read = unless_cancelled(log, world.mail.read(server, query, &mut collector)).await;
    if let Some(failed) = collector.failed {
        return Err(failed);
    }
    read.map_err(|error| failure(error, timeout_ms))?;
    Ok(CallOutput::items("success", collector.items))
}

fn invalid(field: &str, words: impl Into<String>) -> NodeFailure {
    NodeFailure::validation("INPUT_INVALID", words).detail("field", field)
}

fn query(slot: &CallSlot) -> Result<MailQuery, NodeFailure> {
    let named = |field: &str| -> Result<Option<String>, NodeFailure> {
        if setting(slot, field).is_none() {
            return Ok(None);
        }
        let given = text(slot, field)?.trim();
        if given.chars().any(char::is_control) || given.chars().count() > LONGEST {
            return Err(invalid(field, format!("'{field}' has a line break, or more than {LONGEST} characters")));
        }
        Ok((!given.is_empty()).then(|| given.to_owned()))
    };
    // A form stores an empty field as an empty text.
    let is_empty = |field: &str| setting(slot, field).is_none_or(|value| value.as_str() == Some(""));
    let number = |field: &str| if is_empty(field) { Ok(None) } else { whole(slot, field, 1, u64::from(u32::MAX)) };
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let uids = match setting(slot, "uid") {
        None => Vec::new(),
        Some(Value::Array(list)) if list.len() <= usize::try_from(MOST).unwrap_or(usize::MAX) => list
            .iter()
            .enumerate()
            .map(|(at, one)| whole_of(&format!("uid.{at}"), one, 1, u64::from(u32::MAX)).map(small))
            .collect::<Result<_, _>>()?,
        Some(Value::Array(_)) => return Err(invalid("uid", format!("'uid' has more than {MOST} numbers"))),
        Some(_) => number("uid")?.into_iter().map(small).collect(),
    };
    let search = MailSearch {
        unseen: flag(slot, "unseen", false)?,
        from: named("from")?,
        to: named("to")?,
        subject: named("subject")?,
        text: named("text")?,
        since_ms: since(slot)?,
        uids,
        uid_validity: number("uidValidity")?.map(small),
    };
    if !search.uids.is_empty() && search.uid_validity.is_none() {
        let words = "A number names a message only together with the UIDVALIDITY of its mailbox; fill in 'uidValidity'";
        return Err(invalid("uidValidity", words));
    }
    let target = named("moveTo")?;
    let moved = |seen: bool| match &target {
        Some(mailbox) => Ok(Some(MailChange::Move { mailbox: mailbox.clone(), seen })),
        None => Err(invalid("moveTo", "Messages are to be moved, and 'moveTo' names no mailbox")),
    };
    let change = match text_or(slot, "after", "none")? {
        "none" => None,
        "seen" => Some(MailChange::Seen),
        "flag" => Some(MailChange::Flag),
        "move" => moved(false)?,
        "seen_move" => moved(true)?,
        _ => return Err(wrong_setting("after", "none, seen, flag, move or seen_move", &slot.config["after"])),
    };
    let limit = whole(slot, "limit", 1, MOST)?.unwrap_or(DEFAULT_LIMIT);
    let max_message = whole(slot, "maxMessageBytes", LEAST_MAX_MESSAGE, formats::MAX_BYTES as u64)?;
    Ok(MailQuery {
        mailbox: named("mailbox")?.unwrap_or_else(|| "INBOX".to_owned()),
        search,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        attachments: flag(slot, "attachments", false)?,
        max_message: small(max_message.unwrap_or(DEFAULT_MAX_MESSAGE)),
        change,
    })
}

/// A day or a time.
fn since(slot: &CallSlot) -> Result<Option<i64>, NodeFailure> {
    if setting(slot, "since").is_none() {
        return Ok(None);
    }
    let given = text(slot, "since")?.trim();
    if given.is_empty() {
        return Ok(None);
    }
    let ms = time::parse(given).or_else(|| time::parse(&format!("{given}T00:00:00Z")));
    let wrong = || invalid("since", "'since' is no time; write 2026-11-30 or 2026-11-30T08:00:00Z");
    ms.map(Some).ok_or_else(wrong)
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
    async fn item(&self, mail: ReceivedMail) -> Result<OutItem, NodeFailure> {
        let mut binaries = Binaries::default();
        let mut files = Vec::with_capacity(mail.files.len());
        for (at, file) in mail.files.into_iter().enumerate() {
            let mut told = json!({ "name": file.name, "type": file.media, "size": file.size, "inline": file.inline });
            if let Some(id) = file.content_id {
                told["contentId"] = id.into();
            }
            if let Some(bytes) = file.bytes {
                let name = format!("attachment_{}", at + 1);
                let kept = binary::keep(self.call, self.world, bytes, &file.media, "An attachment").await?;
                binaries.insert(name.clone(), kept);
                told["binary"] = name.into();
            }
            files.push(told);
        }
        let has = |flag: &str| mail.flags.iter().any(|one| one.eq_ignore_ascii_case(flag));
        let at = |ms: Option<i64>| ms.map_or(Value::Null, |ms| time::format(ms).into());
        let mut data = Map::new();
        let mut put = |name: &str, value: Value| data.insert(name.to_owned(), value);
        put("uid", mail.uid.into());
        put("uidValidity", mail.uid_validity.into());
        put("mailbox", self.mailbox.as_str().into());
        put("messageId", mail.message_id.clone().map_or(Value::Null, Value::from));
        put("inReplyTo", mail.in_reply_to.first().cloned().map_or(Value::Null, Value::from));
        put("references", mail.references.into());
        put("date", at(mail.date_ms));
        put("receivedAt", at(mail.received_ms));
        put("from", mail.from.first().map_or(Value::Null, address));
        put("to", mail.to.iter().map(address).collect());
        put("cc", mail.cc.iter().map(address).collect());
        put("replyTo", mail.reply_to.iter().map(address).collect());
        put("subject", mail.subject.into());
        put("text", mail.text.into());
        put("textFromHtml", mail.text_from_html.into());
        put("html", mail.html.map_or(Value::Null, Value::from));
        put("cut", mail.is_cut.into());
        put("seen", has("\\Seen").into());
        put("flagged", has("\\Flagged").into());
        put("answered", has("\\Answered").into());
        put("flags", mail.flags.clone().into());
        put("size", mail.size.into());
        put("attachments", files.into());
        if let Some(why) = mail.headers_only {
            put("headersOnly", why.into());
        }
        let binary = (!binaries.is_empty()).then_some(binaries);
        Ok(OutItem { binary, ..OutItem::new(Arc::new(Value::Object(data)), origin(self.slot)) })
    }
}

fn address(one: &MailAddress) -> Value {
    json!({ "name": one.name, "address": one.address })
}
