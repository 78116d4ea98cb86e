//! The message that the settings of `mail.send` describe.

use super::address;
use crate::file_error::file_failure;
use crate::support::{kind_of, setting, text, text_or, wrong_setting};
use crate::{binary, formats};
use serde_json::Value;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::hash::sha256_hex;
use signalbox_model::{NodeFailure, media};
use signalbox_ports::World;
use signalbox_ports::mail::{MailAddress, MailFile, OutgoingMail};

/// Longest text of a header, characters.
const LONGEST_HEADER: usize = 2_000;
/// Files of a message.
const MOST_FILES: usize = 100;
/// Ids of a thread that are sent.
const MOST_REFERENCES: usize = 100;

fn invalid(field: &str, words: impl Into<String>) -> NodeFailure {
    NodeFailure::validation("INPUT_INVALID", words).detail("field", field)
}

/// The message of a call.
pub(crate) async fn message(call: &Call, slot: &CallSlot, world: &World) -> Result<OutgoingMail, NodeFailure> {
    let from = one(slot, "from")?;
    let mut references = ids(slot, "references")?;
    let in_reply_to = ids(slot, "inReplyTo")?.pop();
    // Without the thread the message that is answered begins it.
    references.extend(in_reply_to.clone().filter(|id| !references.contains(id)));
    let surplus = references.len().saturating_sub(MOST_REFERENCES);
    references.drain(..surplus);
    // A form stores an empty field as an empty text.
    let optional = |field: &str| -> Result<Option<String>, NodeFailure> {
        let given = setting(slot, field).map(|_| text(slot, field)).transpose()?;
        Ok(given.filter(|text| !text.is_empty()).map(str::to_owned))
    };
    let mail = OutgoingMail {
        message_id: message_id(call, slot, &from),
        date_ms: world.clock.now_ms(),
        to: address::list(slot, "to")?,
        cc: address::list(slot, "cc")?,
        bcc: address::list(slot, "bcc")?,
        reply_to: address::list(slot, "replyTo")?,
        subject: header("subject", text_or(slot, "subject", "")?)?,
        text: optional("text")?,
        html: optional("html")?,
        files: files(call, slot, world).await?,
        in_reply_to,
        references,
        from,
    };
    if mail.to.is_empty() && mail.cc.is_empty() && mail.bcc.is_empty() {
        return Err(invalid("to", "The message has no recipient; fill in 'to', 'cc' or 'bcc'"));
    }
    if mail.html.is_none() && mail.files.iter().any(|file| file.content_id.is_some()) {
        let words = "A file with 'cid' is a picture of the HTML text, and there is no 'html'; leave 'cid' out";
        return Err(invalid("attachments", words));
    }
    let size: usize = mail.files.iter().map(|file| file.bytes.len()).sum::<usize>()
        + mail.text.as_ref().map_or(0, String::len)
        + mail.html.as_ref().map_or(0, String::len);
    if size > formats::MAX_BYTES {
        return Err(formats::too_large("The message", size as u64));
    }
    Ok(mail)
}

fn one(slot: &CallSlot, field: &str) -> Result<MailAddress, NodeFailure> {
    let mut all = address::list(slot, field)?;
    match (all.pop(), all.is_empty()) {
        (Some(one), true) => Ok(one),
        (None, _) => Err(invalid(field, format!("'{field}' has no address"))),
        (Some(_), false) => Err(invalid(field, format!("'{field}' takes one address"))),
    }
}

/// The same for a repeated call, so that a mail server, a mailbox or a person can tell.
fn message_id(call: &Call, slot: &CallSlot, from: &MailAddress) -> String {
    let key = format!("{}\n{}", call.idempotency_key, slot.item);
    let digest = sha256_hex(key.as_bytes());
    let domain = from.address.rsplit('@').next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let domain = if !domain.is_empty() && domain.chars().all(plain) { domain } else { "localhost" };
    format!("{}@{domain}", &digest[..32])
}

/// A text without line breaks: one would let it add headers of its own.
fn header(field: &str, given: &str) -> Result<String, NodeFailure> {
    if given.chars().any(|c| c.is_control() && c != '\t') {
        return Err(invalid(field, format!("'{field}' has a line break or another control character")));
    }
    if given.chars().count() > LONGEST_HEADER {
        return Err(invalid(field, format!("'{field}' is longer than {LONGEST_HEADER} characters")));
    }
    Ok(given.replace('\t', " "))
}

/// Message-IDs: a text with one or several, or a list.
fn ids(slot: &CallSlot, field: &str) -> Result<Vec<String>, NodeFailure> {
    let texts: Vec<&str> = match setting(slot, field) {
        None => return Ok(Vec::new()),
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(list)) => list
            .iter()
            .map(|one| one.as_str().ok_or_else(|| wrong_setting(field, "a Message-ID or a list of them", one)))
            .collect::<Result<_, _>>()?,
        Some(other) => return Err(wrong_setting(field, "a Message-ID or a list of them", other)),
    };
    let mut ids = Vec::new();
    for text in texts.iter().flat_map(|text| text.split_whitespace()) {
        let id = text.trim_start_matches('<').trim_end_matches('>');
        let fits = id.chars().all(|c| c.is_ascii_graphic() && !"<>()".contains(c));
        if id.is_empty() || !fits || id.len() > 900 {
            let short: String = text.chars().take(100).collect();
            return Err(invalid(field, format!("'{short}' is no Message-ID; it looks like <1234@example.org>")));
        }
        ids.push(id.to_owned());
    }
    Ok(ids)
}

/// What goes along: bytes of the item, files, and texts.
async fn files(call: &Call, slot: &CallSlot, world: &World) -> Result<Vec<MailFile>, NodeFailure> {
    let entries = match setting(slot, "attachments") {
        None => return Ok(Vec::new()),
        Some(Value::Array(entries)) => entries.iter().collect(),
        Some(one) => vec![one],
    };
    if entries.len() > MOST_FILES {
        return Err(invalid("attachments", format!("A message takes {MOST_FILES} attachments")));
    }
    let mut files = Vec::with_capacity(entries.len());
    let mut size = 0;
    for (at, entry) in entries.into_iter().enumerate() {
        let field = format!("attachments.{at}");
        let file = file(call, slot, world, entry, &field).await?;
        size += file.bytes.len();
        if size > formats::MAX_BYTES {
            return Err(formats::too_large("The attachments", size as u64));
        }
        files.push(file);
    }
    Ok(files)
}

const SHAPE: &str = "the name of bytes of the item, or an object: {binary: NAME}, {path: FILE} or {value: …}, with an optional \
                     filename, type and cid";

async fn file(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    entry: &Value,
    field: &str,
) -> Result<MailFile, NodeFailure> {
    let shape = || wrong_setting(field, SHAPE, entry);
    let empty = serde_json::Map::new();
    let (fields, named) = match entry {
        Value::String(name) => (&empty, Some(name.as_str())),
        Value::Object(fields) => (fields, None),
        _ => return Err(shape()),
    };
    if let Some(unknown) =
        fields.keys().find(|key| !["binary", "path", "value", "filename", "type", "cid"].contains(&&***key))
    {
        let words = format!("'{unknown}' is no part of an attachment; it is {SHAPE}");
        return Err(invalid(field, words));
    }
    let part = |key: &str| match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => header(&format!("{field}.{key}"), text).map(Some),
        Some(other) => Err(wrong_setting(&format!("{field}.{key}"), "text", other)),
    };
    let (filename, media_type, content_id) = (part("filename")?, part("type")?, part("cid")?);
    let value = fields.get("value").filter(|value| !value.is_null());
    let (bytes, usual_name, usual_media) = match (named.map(str::to_owned).or(part("binary")?), part("path")?, value) {
        (Some(name), None, None) => {
            let (reference, bytes) = binary::read_named(call, slot, world, &name, field).await?;
            let ending = media::ending_of(&reference.mime).unwrap_or("bin");
            (bytes, format!("{name}.{ending}"), reference.mime)
        }
        (None, Some(path), None) => {
            let limit = formats::MAX_BYTES as u64;
            let read = world.files.read(&call.workflow_id, &path, limit).await;
            let bytes = read.map_err(|error| file_failure(error, &path).detail("field", field))?;
            let name = path.rsplit(['/', '\\', ':']).next().unwrap_or_default().to_owned();
            (bytes, name, media::of_path(&path).to_owned())
        }
        (None, None, Some(value)) => match value {
            Value::String(text) => (text.clone().into_bytes(), "text.txt".to_owned(), "text/plain".to_owned()),
            other => (other.to_string().into_bytes(), "data.json".to_owned(), "application/json".to_owned()),
        },
        (None, None, None) | (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            let words = format!("The attachment {} is {}, and must be {SHAPE}", field, kind_of(entry));
            return Err(invalid(field, words));
        }
    };
    let name = filename.filter(|name| !name.trim().is_empty()).unwrap_or(usual_name);
    // A name says more than bytes about which nobody said anything.
    let guessed = if usual_media == media::UNKNOWN { media::of_path(&name).to_owned() } else { usual_media };
    if let Some(id) = content_id
        .as_deref()
        .filter(|id| id.is_empty() || !id.chars().all(|c| c.is_ascii_graphic() && !"<>".contains(c)))
    {
        let words =
            format!("'{id}' is no name for a picture; use letters, digits and '-', as in <img src=\"cid:logo\">");
        return Err(invalid(&format!("{field}.cid"), words));
    }
    Ok(MailFile { name, media: binary::plain_media(&media_type.unwrap_or(guessed)), content_id, bytes })
}
