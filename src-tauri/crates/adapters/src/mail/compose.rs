//! A message as it is sent: headers, texts, inline pictures, files (RFC 5322, MIME).

use super::connect::{invalid, short};
use lettre::message::header::ContentType;
use lettre::message::{Attachment, Mailbox, Message, MultiPart, SinglePart};
use lettre::{Address, address::Envelope};
use signalbox_ports::mail::{MailAddress, MailError, MailFile, OutgoingMail};
use std::time::{Duration, SystemTime};
use url::Host;

/// A message and whom it goes to.
pub(super) struct Composed {
    pub(super) from: Address,
    /// Each once.
    pub(super) recipients: Vec<Address>,
    pub(super) bytes: Vec<u8>,
}

impl Composed {
    /// An address has letters before its @ that only servers with SMTPUTF8 take.
    pub(super) fn needs_utf8(&self) -> bool {
        std::iter::once(&self.from).chain(&self.recipients).any(|address| !AsRef::<str>::as_ref(address).is_ascii())
    }
}

enum Body {
    Single(SinglePart),
    Multi(MultiPart),
}

pub(super) fn message(mail: &OutgoingMail) -> Result<Composed, MailError> {
    let from = mailbox("from", None, &mail.from)?;
    let mut builder = Message::builder()
        .message_id(Some(format!("<{}>", mail.message_id)))
        .date(SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(mail.date_ms).unwrap_or_default()))
        .from(from.clone())
        .subject(mail.subject.as_str());
    let mut recipients: Vec<Address> = Vec::new();
    for (field, list) in [("to", &mail.to), ("cc", &mail.cc), ("bcc", &mail.bcc)] {
        for (at, one) in list.iter().enumerate() {
            let mailbox = mailbox(field, Some(at), one)?;
            if !recipients.contains(&mailbox.email) {
                recipients.push(mailbox.email.clone());
            }
            builder = match field {
                "to" => builder.to(mailbox),
                "cc" => builder.cc(mailbox),
                // Nobody sees these.
                _ => builder,
            };
        }
    }
    for (at, one) in mail.reply_to.iter().enumerate() {
        builder = builder.reply_to(mailbox("replyTo", Some(at), one)?);
    }
    if let Some(id) = &mail.in_reply_to {
        builder = builder.in_reply_to(format!("<{id}>"));
    }
    if !mail.references.is_empty() {
        let ids: Vec<String> = mail.references.iter().map(|id| format!("<{id}>")).collect();
        builder = builder.references(ids.join(" "));
    }
    let envelope = Envelope::new(Some(from.email.clone()), recipients.clone())
        .map_err(|_| invalid("to", "The message has no recipient; fill in 'to', 'cc' or 'bcc'"))?;
    let message = match body(mail) {
        Body::Single(part) => builder.envelope(envelope).singlepart(part),
        Body::Multi(part) => builder.envelope(envelope).multipart(part),
    };
    let message = message.map_err(|error| invalid("to", format!("The message cannot be made: {error}")))?;
    Ok(Composed { from: from.email, recipients, bytes: message.formatted() })
}

fn mailbox(field: &str, at: Option<usize>, given: &MailAddress) -> Result<Mailbox, MailError> {
    let wrong = |why: &str| {
        let place = at.map_or_else(|| format!("'{field}'"), |at| format!("'{field}', entry {},", at + 1));
        let field = at.map_or_else(|| field.to_owned(), |at| format!("{field}.{at}"));
        invalid(&field, format!("The address '{}' of {place} cannot be used: {why}", short(&given.address)))
    };
    let text = given.address.trim();
    // A line break in an address would be a command of its own, and the library does not write a name that has one.
    let controls = |text: &str| text.chars().any(char::is_control);
    if controls(text) || text.contains([' ', '<', '>']) || given.name.as_deref().is_some_and(controls) {
        return Err(wrong("it has a character that addresses may not have"));
    }
    let (user, domain) = text.rsplit_once('@').ok_or_else(|| wrong("it has no @"))?;
    // Domains of other scripts travel in their ASCII form; what stands before the @ has none.
    let domain = match Host::parse(domain) {
        Ok(Host::Domain(ascii)) => ascii,
        _ if domain.starts_with('[') => domain.to_owned(),
        _ => return Err(wrong("the part after the @ is no domain")),
    };
    let address = Address::new(user, domain).map_err(|_| wrong("it is not of the form name@example.org"))?;
    let name = given.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    Ok(Mailbox::new(name.map(str::to_owned), address))
}

fn body(mail: &OutgoingMail) -> Body {
    let (inline, attached): (Vec<&MailFile>, Vec<&MailFile>) =
        mail.files.iter().partition(|file| file.content_id.is_some());
    let html = mail.html.as_ref().map(|html| {
        let html = SinglePart::html(html.clone());
        if inline.is_empty() {
            return Body::Single(html);
        }
        Body::Multi(inline.iter().fold(MultiPart::related().singlepart(html), |all, file| all.singlepart(part(file))))
    });
    let texts = match (mail.text.as_ref().map(|text| SinglePart::plain(text.clone())), html) {
        (Some(text), None) => Body::Single(text),
        (None, Some(html)) => html,
        (None, None) => Body::Single(SinglePart::plain(String::new())),
        // The last one is the one to prefer (RFC 2046, 5.1.4).
        (Some(text), Some(Body::Single(html))) => {
            Body::Multi(MultiPart::alternative().singlepart(text).singlepart(html))
        }
        (Some(text), Some(Body::Multi(html))) => Body::Multi(MultiPart::alternative().singlepart(text).multipart(html)),
    };
    if attached.is_empty() {
        return texts;
    }
    let mixed = match texts {
        Body::Single(part) => MultiPart::mixed().singlepart(part),
        Body::Multi(part) => MultiPart::mixed().multipart(part),
    };
    Body::Multi(attached.iter().fold(mixed, |all, file| all.singlepart(part(file))))
}

fn part(file: &MailFile) -> SinglePart {
    let media = ContentType::parse(&file.media).or_else(|_| ContentType::parse("application/octet-stream"));
    let media = media.unwrap_or(ContentType::TEXT_PLAIN);
    let kind = match &file.content_id {
        Some(id) => Attachment::new_inline_with_name(id.clone(), file.name.clone()),
        None => Attachment::new(file.name.clone()),
    };
    kind.body(file.bytes.clone(), media)
}
