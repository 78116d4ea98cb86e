//! A received message as the data of an item.

use serde_json::{Map, Value, json};
use signalbox_model::time;
use signalbox_ports::mail::{MailAddress, ReceivedFile, ReceivedMail};

/// A file of a message, without its bytes.
pub(crate) fn file(file: &ReceivedFile) -> Value {
    let mut told = json!({ "name": file.name, "type": file.media, "size": file.size, "inline": file.inline });
    if let Some(id) = &file.content_id {
        told["contentId"] = id.as_str().into();
    }
    told
}

/// A message of a mailbox with its files, as [`file`] tells them.
pub(crate) fn data(mail: ReceivedMail, mailbox: &str, files: Vec<Value>) -> Map<String, Value> {
    let has = |flag: &str| mail.flags.iter().any(|one| one.eq_ignore_ascii_case(flag));
    let at = |ms: Option<i64>| ms.map_or(Value::Null, |ms| time::format(ms).into());
    let mut data = Map::new();
    let mut put = |name: &str, value: Value| data.insert(name.to_owned(), value);
    put("uid", mail.uid.into());
    put("uidValidity", mail.uid_validity.into());
    put("mailbox", mailbox.into());
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
    data
}

fn address(one: &MailAddress) -> Value {
    json!({ "name": one.name, "address": one.address })
}
