//! A look at a mailbox that starts runs: the settings are those of `mail.read`, the messages come oldest first, each with all
//! that its run needs. What is given is free of the secrets that this process knows, as the results of steps are.

use super::failure::failure;
use super::item;
use super::query::query;
use super::server::{IMAP, server};
use crate::binary::{clean, plain_media};
use crate::formats;
use async_trait::async_trait;
use serde_json::{Map, Value};
use signalbox_engine::effect::Call;
use signalbox_model::NodeFailure;
use signalbox_model::hash::sha256_hex;
use signalbox_ports::mail::{MailAddress, MailQuery, MailSink, ReceivedMail};
use signalbox_ports::{MailPlace, MailWatch, MailWatched, World};
use std::time::Duration;

/// Messages of one look.
const MOST: usize = 50;
/// Bytes of one look: what comes after them waits for the next.
const MOST_BYTES: usize = 32 * 1024 * 1024;
/// Longest text that a run is started with, bytes: it is kept in the run's events.
const LONGEST_TEXT: usize = 256 * 1024;

/// How far a mailbox was dealt with, and how long a new message is waited for.
#[derive(Debug, Clone)]
pub struct MailLook {
    /// None the first time.
    pub place: Option<MailPlace>,
    /// The first time, messages that are there already are wanted, too.
    pub existing: bool,
    /// Messages that runs were started for, and that are still to be marked or moved.
    pub dealt_with: Vec<u32>,
    /// For servers that tell of new messages.
    pub patience: Duration,
}

/// A message that may start a run.
#[derive(Debug)]
pub struct NewMail {
    /// Number in the mailbox.
    pub uid: u32,
    /// When the server received it, milliseconds since 1970.
    pub received_ms: Option<i64>,
    /// The same for the same message under another number: made of its Message-ID, else of what else it says.
    pub fingerprint: String,
    /// The fields of an item of `mail.read`; attachments whose bytes are kept have `binary` and `sha256`.
    pub data: Map<String, Value>,
    /// The bytes of its attachments, each with its SHA-256.
    pub binaries: Vec<(String, Vec<u8>)>,
}

/// New messages, and how far the mailbox was looked through.
#[derive(Debug)]
pub struct Mails {
    /// Oldest first.
    pub mails: Vec<NewMail>,
    /// How far.
    pub watched: MailWatched,
}

/// Looks at the mailbox that the settings of the call's first slot name, and waits there for a message.
pub async fn watch_mailbox(call: &Call, world: &World, look: MailLook) -> Result<Mails, NodeFailure> {
    let Some(slot) = call.slots.first() else {
        return Err(NodeFailure::tool("INTERNAL", "The mailbox has no settings"));
    };
    let scrubber = world.secrets.scrubber();
    let clean = |failure: NodeFailure| NodeFailure { message: scrubber.text(&failure.message).into_owned(), ..failure };
    let (query, (server, timeout_ms)) =
        async { Ok((query(slot)?, server(call, slot, world, &IMAP).await?)) }.await.map_err(clean)?;
    let mailbox = query.mailbox.clone();
    let MailLook { place, existing, dealt_with, patience } = look;
    let query = MailQuery { limit: MOST, ..query };
    let mut collector = Collector { world, mailbox, mails: Vec::new(), bytes: 0 };
    let watch = MailWatch { query, place, existing, dealt_with, patience };
    let watched = world.mail.watch(server, watch, &mut collector).await;
    let watched = watched.map_err(|error| clean(failure(error, timeout_ms)))?;
    Ok(Mails { mails: collector.mails, watched })
}

struct Collector<'a> {
    world: &'a World,
    mailbox: String,
    mails: Vec<NewMail>,
    bytes: usize,
}

#[async_trait]
impl MailSink for Collector<'_> {
    async fn take(&mut self, mail: ReceivedMail) -> bool {
        let mail = self.new_mail(mail);
        self.bytes += mail.data.get("text").map_or(0, |text| text.to_string().len());
        self.bytes += mail.data.get("html").map_or(0, |text| text.to_string().len());
        self.bytes += mail.binaries.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        self.mails.push(mail);
        self.bytes < MOST_BYTES
    }
}

impl Collector<'_> {
    fn new_mail(&self, mut mail: ReceivedMail) -> NewMail {
        let (uid, received_ms, fingerprint) = (mail.uid, mail.received_ms, fingerprint(&mail));
        mail.is_cut |= cut(&mut mail.text);
        if let Some(html) = &mut mail.html {
            mail.is_cut |= cut(html);
        }
        let (mut files, mut binaries) = (Vec::new(), Vec::new());
        for (at, mut file) in std::mem::take(&mut mail.files).into_iter().enumerate() {
            let bytes = file.bytes.take();
            let mut told = item::file(&file);
            if let Some(bytes) = bytes.filter(|bytes| bytes.len() <= formats::MAX_BYTES) {
                let bytes = clean(self.world, bytes);
                let sha256 = sha256_hex(&bytes);
                told["binary"] = format!("attachment_{}", at + 1).into();
                told["type"] = plain_media(&file.media).into();
                told["size"] = bytes.len().into();
                told["sha256"] = sha256.as_str().into();
                binaries.push((sha256, bytes));
            }
            files.push(told);
        }
        let mut data = item::data(mail, &self.mailbox, files);
        self.world.secrets.scrubber().map(&mut data);
        NewMail { uid, received_ms, fingerprint, data, binaries }
    }
}

/// Cuts a text that is too long for the events of a run.
fn cut(text: &mut String) -> bool {
    let is_long = text.len() > LONGEST_TEXT;
    if is_long {
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
    }
    is_long
}

fn fingerprint(mail: &ReceivedMail) -> String {
    let from = mail.from.first().map(|from| from.address.as_str());
    let told = match &mail.message_id {
        Some(id) => format!("{:?}", ("id", id)),
        None => format!("{:?}", ("message", mail.date_ms, from, &mail.subject, mail.size)),
    };
    sha256_hex(told.as_bytes())
}

/// What a run that a person starts gets: it looks like a message.
pub fn sample(mailbox: &str, at: &Value) -> Map<String, Value> {
    let address =
        |name: Option<&str>, address: &str| MailAddress { name: name.map(str::to_owned), address: address.to_owned() };
    let mail = ReceivedMail {
        uid: 1,
        uid_validity: 1,
        message_id: Some("sample@example.com".to_owned()),
        from: vec![address(Some("Ada"), "ada@example.com")],
        to: vec![address(None, "shop@example.com")],
        subject: "A sample".to_owned(),
        text: "This is a sample message.".to_owned(),
        size: 300,
        ..ReceivedMail::default()
    };
    let mut data = item::data(mail, mailbox, Vec::new());
    data.insert("date".to_owned(), at.clone());
    data.insert("receivedAt".to_owned(), at.clone());
    data
}
