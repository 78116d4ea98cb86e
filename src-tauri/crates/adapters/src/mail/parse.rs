//! What a received message says. It was written by anybody, so it is read away from the threads of the runtime, with a bound
//! for its depth, and whatever it does to the parser ends there.

use mail_parser::decoders::{base64::base64_decode, quoted_printable::quoted_printable_decode};
use mail_parser::{Address, Encoding, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders as _, PartType};
use signalbox_ports::mail::{MailAddress, MailQuery, ReceivedFile, ReceivedMail};

/// Largest text that is handed on, bytes.
const MAX_TEXT: usize = 1024 * 1024;
/// Files that are listed.
const MAX_FILES: usize = 500;
/// Addresses and ids of one header that are handed on.
const MAX_LIST: usize = 1_000;
/// Parts that a message may have. Messages inside messages are freed by recursion, so their number is bounded before.
const MAX_PARTS: usize = 2_000;
const STACK: usize = 16 * 1024 * 1024;

/// What the server says about a message.
pub(super) struct Meta {
    pub(super) uid: u32,
    pub(super) size: u32,
    pub(super) received_ms: Option<i64>,
    pub(super) flags: Vec<String>,
}

/// Reads a message; what cannot be read leaves its fields empty and says so.
pub(super) async fn message(raw: Vec<u8>, meta: Meta, uid_validity: u32, query: &MailQuery) -> ReceivedMail {
    let too_large = meta.size > query.max_message;
    let with_bytes = query.attachments;
    let mut mail = read_apart(raw, too_large, with_bytes).await.unwrap_or_else(|| ReceivedMail {
        headers_only: Some("The message cannot be read".into()),
        ..ReceivedMail::default()
    });
    if too_large {
        let mib = query.max_message / 1024 / 1024;
        mail.headers_only = Some(format!("The message is larger than {mib} MiB"));
    }
    mail.uid = meta.uid;
    mail.uid_validity = uid_validity;
    mail.received_ms = meta.received_ms;
    mail.flags = meta.flags;
    mail.size = u64::from(meta.size);
    mail
}

async fn read_apart(raw: Vec<u8>, headers: bool, with_bytes: bool) -> Option<ReceivedMail> {
    let (done, result) = tokio::sync::oneshot::channel();
    let work = move || {
        // Whoever asked may have given up.
        let _unheard = done.send(read(&raw, headers, with_bytes));
    };
    std::thread::Builder::new().name("signalbox-mail".into()).stack_size(STACK).spawn(work).ok()?;
    result.await.ok()
}

/// Reads the bytes of a message.
pub(super) fn read(raw: &[u8], headers: bool, with_bytes: bool) -> ReceivedMail {
    let deep = !headers && parts(raw) > MAX_PARTS;
    let parser = MessageParser::default();
    let parsed = if headers || deep { parser.parse_headers(raw) } else { parser.parse(raw) };
    let Some(message) = parsed else {
        return ReceivedMail { headers_only: Some("The message has no headers".into()), ..ReceivedMail::default() };
    };
    let mut mail = ReceivedMail {
        message_id: message.message_id().map(str::to_owned),
        in_reply_to: ids(message.in_reply_to()),
        references: ids(message.references()),
        date_ms: message.date().filter(|date| date.is_valid()).map(|date| date.to_timestamp().saturating_mul(1_000)),
        from: addresses(message.from()),
        to: addresses(message.to()),
        cc: addresses(message.cc()),
        reply_to: addresses(message.reply_to()),
        subject: message.subject().unwrap_or_default().to_owned(),
        headers_only: deep.then(|| format!("The message has more than {MAX_PARTS} parts")),
        ..ReceivedMail::default()
    };
    if !headers && !deep {
        texts(&message, &mut mail);
        let files = message.attachments.iter().filter_map(|at| message.part(*at));
        mail.files = files.take(MAX_FILES).map(|part| file(raw, part, with_bytes)).collect();
    }
    mail
}

/// Parts of a message, at most: each has a line that says its type.
fn parts(raw: &[u8]) -> usize {
    const NAME: &[u8] = b"content-type";
    raw.split(|byte| *byte == b'\n')
        .filter(|line| line.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME)))
        .count()
}

fn texts(message: &Message<'_>, mail: &mut ReceivedMail) {
    for at in 0..message.text_body_count() {
        let part = message.text_body.get(at).and_then(|id| message.part(*id));
        let Some(PartType::Text(_) | PartType::Html(_)) = part.map(|part| &part.body) else { continue };
        mail.text_from_html |= part.is_some_and(MessagePart::is_text_html);
        let text = message.body_text(at).unwrap_or_default();
        mail.is_cut |= add(&mut mail.text, &text);
    }
    let mut html = String::new();
    for at in 0..message.html_body_count() {
        let part = message.html_body.get(at).and_then(|id| message.part(*id));
        let Some(PartType::Html(text)) = part.map(|part| &part.body) else { continue };
        mail.is_cut |= add(&mut html, text);
    }
    mail.html = (!html.is_empty()).then_some(html);
}

/// Adds a text with `\n` as line ends; true when it was cut.
fn add(all: &mut String, text: &str) -> bool {
    if !all.is_empty() && !all.ends_with('\n') {
        all.push('\n');
    }
    let room = MAX_TEXT.saturating_sub(all.len());
    let mut end = room.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    all.push_str(&text[..end].replace("\r\n", "\n"));
    end < text.len()
}

fn file(raw: &[u8], part: &MessagePart<'_>, with_bytes: bool) -> ReceivedFile {
    let media = part.content_type().map_or_else(
        || "application/octet-stream".to_owned(),
        |kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or("octet-stream")).to_ascii_lowercase(),
    );
    let name = part.attachment_name().map(str::to_owned).or_else(|| {
        let inner = part.message()?.subject()?;
        Some(format!("{}.eml", inner.chars().take(100).collect::<String>()))
    });
    let content_id = part.content_id().map(str::to_owned);
    let inline = part.content_disposition().map_or(content_id.is_some(), |disposition| disposition.is_inline());
    let bytes = bytes(raw, part);
    ReceivedFile {
        name: name.unwrap_or_default(),
        media,
        size: bytes.len() as u64,
        inline,
        content_id,
        bytes: with_bytes.then_some(bytes),
    }
}

/// The bytes as the sender attached them: the parser would give texts in UTF-8.
fn bytes(raw: &[u8], part: &MessagePart<'_>) -> Vec<u8> {
    let sent = || {
        let end = usize::try_from(part.raw_end_offset()).ok()?;
        raw.get(usize::try_from(part.raw_body_offset()).ok()?..end)
    };
    let decoded = match (&part.body, part.encoding) {
        (PartType::Binary(_) | PartType::InlineBinary(_) | PartType::Multipart(_), _) => None,
        (PartType::Text(_) | PartType::Html(_) | PartType::Message(_), Encoding::None) => sent().map(<[u8]>::to_vec),
        (PartType::Text(_) | PartType::Html(_), Encoding::Base64) => sent().and_then(base64_decode),
        (PartType::Text(_) | PartType::Html(_), Encoding::QuotedPrintable) => sent().and_then(quoted_printable_decode),
        (PartType::Message(_), Encoding::Base64 | Encoding::QuotedPrintable) => None,
    };
    decoded.unwrap_or_else(|| part.contents().to_vec())
}

fn addresses(list: Option<&Address<'_>>) -> Vec<MailAddress> {
    let all = list.into_iter().flat_map(Address::iter).take(MAX_LIST);
    all.filter_map(|one| Some(MailAddress { name: one.name().map(str::to_owned), address: one.address()?.to_owned() }))
        .collect()
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    match value {
        HeaderValue::Text(one) => vec![one.to_string()],
        HeaderValue::TextList(list) => list.iter().take(MAX_LIST).map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}
