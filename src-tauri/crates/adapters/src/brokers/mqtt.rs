//! MQTT 5. A session that the broker keeps holds what was not acknowledged, and gives it again, marked, to the next connection
//! of the same name: there it is acknowledged once its run is durable.

use super::connect::{Connection, Login, Opened, bad_answer, lost, within};
use signalbox_model::hash::sha256_parts;
use signalbox_ports::brokers::{BrokerError, BrokerFault, MessageWatch, Messages, OutgoingMessage, ReceivedMessage};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;

/// Largest packet that is read.
const MOST_BYTES: u32 = 16 * 1024 * 1024;
/// How long the broker keeps a session while nobody is connected, in seconds: 30 days.
const SESSION_SECONDS: u32 = 30 * 86_400;
/// So long after the last message more are waited for.
const PAUSE: Duration = Duration::from_millis(50);
/// A ping is sent after half of it.
const KEEP_ALIVE: u16 = 60;
const TEXT: usize = u16::MAX as usize;

const CONNECT: u8 = 0x10;
const CONNACK: u8 = 0x20;
const PUBLISH: u8 = 0x30;
const PUBACK: u8 = 0x40;
const SUBSCRIBE: u8 = 0x82;
const SUBACK: u8 = 0x90;
const PINGREQ: u8 = 0xC0;
const PINGRESP: u8 = 0xD0;
const DISCONNECT: u8 = 0xE0;

/// A packet while it is written: what stands behind its length.
#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn byte(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }
    fn two(mut self, value: u16) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }
    fn four(mut self, value: u32) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }
    fn bytes(mut self, value: &[u8]) -> Self {
        // What is longer was refused before.
        let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
        self.0.extend(length.to_be_bytes());
        self.0.extend(&value[..usize::from(length)]);
        self
    }
    fn raw(mut self, value: &[u8]) -> Self {
        self.0.extend_from_slice(value);
        self
    }
    /// Properties, with their length.
    fn properties(self, properties: Self) -> Self {
        let length = length(properties.0.len());
        self.raw(&length).raw(&properties.0)
    }
}

/// A length of up to four bytes.
fn length(mut value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let low = u8::try_from(value % 128).unwrap_or_default();
        value /= 128;
        if value == 0 {
            out.push(low);
            return out;
        }
        out.push(low | 0x80);
    }
}

/// The media type of a message, and its properties of users.
type Properties = (Option<String>, Vec<(String, Vec<u8>)>);

/// A packet while it is read.
struct In<'a>(&'a [u8]);

impl<'a> In<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], BrokerError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(|| bad_answer("a packet is too short"))?;
        self.0 = rest;
        Ok(taken)
    }
    fn byte(&mut self) -> Result<u8, BrokerError> {
        Ok(self.take(1)?[0])
    }
    fn two(&mut self) -> Result<u16, BrokerError> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }
    fn bytes(&mut self) -> Result<&'a [u8], BrokerError> {
        let length = self.two()?;
        self.take(usize::from(length))
    }
    fn text(&mut self) -> Result<String, BrokerError> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| bad_answer("a text is no UTF-8"))
    }
    fn length(&mut self) -> Result<usize, BrokerError> {
        let mut value = 0;
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(bad_answer("a length is too long"))
    }

    /// Properties: the media type, and those of users.
    fn properties(&mut self) -> Result<Properties, BrokerError> {
        let length = self.length()?;
        let mut all = In(self.take(length)?);
        let (mut media, mut user) = (None, Vec::new());
        while !all.0.is_empty() {
            match all.byte()? {
                0x03 => media = Some(all.text()?),
                0x26 => user.push((all.text()?, all.bytes()?.to_vec())),
                0x01 | 0x17 | 0x19 | 0x24 | 0x25 | 0x28 | 0x29 | 0x2A => drop(all.byte()?),
                0x13 | 0x21 | 0x22 | 0x23 => drop(all.two()?),
                0x02 | 0x11 | 0x18 | 0x27 => drop(all.take(4)?),
                0x08 | 0x09 | 0x12 | 0x15 | 0x16 | 0x1A | 0x1C | 0x1F => drop(all.bytes()?),
                0x0B => drop(all.length()?),
                _ => return Err(bad_answer("a property is unknown")),
            }
        }
        Ok((media, user))
    }
}

/// What a reason code says; `None`: it is done.
fn refusal(code: u8) -> Option<BrokerError> {
    let (fault, words) = match code {
        0..0x80 => return None,
        0x84 => (BrokerFault::Refused, "The broker does not speak MQTT 5"),
        0x85 => (BrokerFault::Refused, "The broker does not accept the name of the session"),
        0x86 | 0x8C => (BrokerFault::Auth, "The broker does not accept the user and the password"),
        0x87 => (BrokerFault::Forbidden, "The user may not do this"),
        0x88 | 0x89 | 0x8B => (BrokerFault::Connection, "The broker cannot answer now"),
        0x8E => (BrokerFault::Refused, "Another program uses the same session. Give the trigger another group"),
        0x8F | 0x90 => (BrokerFault::Invalid("topic"), "The broker does not accept the topic"),
        0x95 => (BrokerFault::Refused, "The message is larger than the broker takes"),
        0x97 => (BrokerFault::Refused, "The quota of the broker is used up"),
        0x9A => (BrokerFault::Invalid("retain"), "The broker keeps no retained messages"),
        0x9B => (BrokerFault::Refused, "The broker confirms no messages (QoS 1)"),
        _ => (BrokerFault::Refused, "The broker refuses it"),
    };
    Some(BrokerError::new(fault, format!("{words} (reason 0x{code:02X})")))
}

struct Client {
    stream: Connection,
}

impl Client {
    async fn send(&mut self, kind: u8, packet: Out) -> Result<(), BrokerError> {
        let mut bytes = vec![kind];
        bytes.extend(length(packet.0.len()));
        bytes.extend(packet.0);
        self.stream.write_all(&bytes).await.map_err(|error| lost(&error))?;
        self.stream.flush().await.map_err(|error| lost(&error))
    }

    /// The next packet; one in which the broker says goodbye is an error.
    async fn receive(&mut self) -> Result<(u8, Vec<u8>), BrokerError> {
        let io = |error: std::io::Error| lost(&error);
        let kind = self.stream.read_u8().await.map_err(io)?;
        if kind & 0xF0 != PUBLISH && ![CONNACK, PUBACK, SUBACK, PINGRESP, DISCONNECT].contains(&kind) {
            return Err(bad_answer("it speaks no MQTT; check host and port"));
        }
        let mut size = 0_u32;
        for shift in [0, 7, 14, 21] {
            let byte = self.stream.read_u8().await.map_err(io)?;
            size |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
            if shift == 21 {
                return Err(bad_answer("it speaks no MQTT; check host and port"));
            }
        }
        if size > MOST_BYTES {
            return Err(BrokerError::new(BrokerFault::TooLarge, "A message is larger than 16 MiB"));
        }
        let mut packet = vec![0; usize::try_from(size).unwrap_or_default()];
        self.stream.read_exact(&mut packet).await.map_err(io)?;
        if kind == DISCONNECT {
            let code = packet.first().copied().unwrap_or_default();
            let ended = || BrokerError::new(BrokerFault::Connection, "The broker ended the connection");
            return Err(refusal(code).unwrap_or_else(ended));
        }
        Ok((kind, packet))
    }

    /// Opens a session; says whether the broker had it already.
    async fn sign_in(&mut self, login: &Login, session: Option<(&str, u16)>) -> Result<bool, BrokerError> {
        let mut flags = if session.is_some() { 0 } else { 0x02 };
        flags |= if login.user.is_some() { 0x80 } else { 0 } | if login.password.is_some() { 0x40 } else { 0 };
        let mut properties = Out::default().byte(0x27).four(MOST_BYTES);
        if let Some((_, most)) = session {
            properties = properties.byte(0x11).four(SESSION_SECONDS).byte(0x21).two(most);
        }
        let name = session.map(|(name, _)| name).unwrap_or_default();
        let mut packet = Out::default().bytes(b"MQTT").byte(5).byte(flags).two(KEEP_ALIVE).properties(properties);
        packet = packet.bytes(name.as_bytes());
        if let Some(user) = &login.user {
            packet = packet.bytes(user.as_bytes());
        }
        if let Some(password) = &login.password {
            packet = packet.bytes(password.as_bytes());
        }
        self.send(CONNECT, packet).await?;
        let (kind, packet) = self.receive().await?;
        if kind != CONNACK {
            return Err(bad_answer("it speaks no MQTT; check host and port"));
        }
        let mut packet = In(&packet);
        let (flags, code) = (packet.byte()?, packet.byte()?);
        match refusal(code) {
            // Brokers of MQTT 3 answer in their own way.
            _ if code == 1 && flags == 0 && packet.0.is_empty() => {
                Err(BrokerError::new(BrokerFault::Refused, "The broker does not speak MQTT 5"))
            }
            // Brokers say of a wrong password that the user may not connect.
            Some(error) if error.fault == BrokerFault::Forbidden => {
                let words = format!("The broker does not accept the user and the password (reason 0x{code:02X})");
                Err(BrokerError::new(BrokerFault::Auth, words))
            }
            Some(error) => Err(error),
            None => Ok(flags & 1 == 1),
        }
    }

    /// The broker keeps the session, and sends no last will.
    async fn leave(&mut self) {
        // Who does not hear it finds the connection closed.
        drop(self.send(DISCONNECT, Out::default().byte(0)).await);
    }
}

fn invalid(field: &'static str, words: &str) -> BrokerError {
    BrokerError::new(BrokerFault::Invalid(field), words)
}

/// Signs in with a session that nobody keeps, and leaves.
pub(super) async fn check(opened: Opened) -> Result<(), BrokerError> {
    let mut client = Client { stream: opened.stream };
    client.sign_in(&opened.login, None).await?;
    client.leave().await;
    Ok(())
}

pub(super) async fn publish(opened: Opened, message: &OutgoingMessage, sent: &mut bool) -> Result<(), BrokerError> {
    if message.topic.len() > TEXT || message.topic.contains(['+', '#', '\0']) {
        return Err(invalid("topic", "A message is published to one topic, without + and #"));
    }
    let mut client = Client { stream: opened.stream };
    client.sign_in(&opened.login, None).await?;
    let mut properties = Out::default();
    if let Some(media) = &message.media {
        properties = properties.byte(0x03).bytes(media.as_bytes());
    }
    for (name, value) in &message.headers {
        if name.len() > TEXT || value.len() > TEXT {
            return Err(invalid("headers", "A header is longer than 64 KiB"));
        }
        properties = properties.byte(0x26).bytes(name.as_bytes()).bytes(value.as_bytes());
    }
    let packet = Out::default().bytes(message.topic.as_bytes()).two(1).properties(properties).raw(&message.body);
    *sent = true;
    client.send(PUBLISH | 0x02 | u8::from(message.retain), packet).await?;
    loop {
        let (kind, packet) = client.receive().await?;
        if kind == PUBACK {
            let code = packet.get(2).copied().unwrap_or_default();
            client.leave().await;
            return refusal(code).map_or(Ok(()), Err);
        }
    }
}

/// A message that is not acknowledged: its number in the session and its content, as numbers are given again.
fn id(number: u16, topic: &str, body: &[u8]) -> String {
    let hash = sha256_parts(&[topic.as_bytes(), body]);
    format!("{number}:{}", hash.get(..16).unwrap_or_default())
}

fn message(kind: u8, packet: &[u8]) -> Result<(u16, ReceivedMessage), BrokerError> {
    let mut packet = In(packet);
    let topic = packet.text()?;
    let number = if kind & 0x06 == 0 { 0 } else { packet.two()? };
    let (media, mut headers) = packet.properties()?;
    headers.extend(media.map(|media| ("contentType".to_owned(), media.into_bytes())));
    let body = packet.0.to_vec();
    let id = id(number, &topic, &body);
    Ok((number, ReceivedMessage { id, key: None, topic, body: Some(body), headers, redelivered: kind & 0x08 != 0 }))
}

pub(super) async fn watch(opened: Opened, watch: &MessageWatch, timeout: Duration) -> Result<Messages, BrokerError> {
    if watch.topic.len() > TEXT {
        return Err(invalid("topic", "The topic is longer than 64 KiB"));
    }
    let late = |_| BrokerError::new(BrokerFault::Timeout, "The broker did not answer in time");
    let mut client = Client { stream: opened.stream };
    let most = u16::try_from(watch.most.max(watch.settled.len()).max(1)).unwrap_or(u16::MAX);
    let session = format!("{}-{}", watch.group, watch.consumer);
    within(timeout, client.sign_in(&opened.login, Some((&session, most)))).await?;
    // Retained messages come with a new subscription only, and only where those that are there already are wanted.
    let retained = if watch.existing { 0x10 } else { 0x20 };
    let filter = Out::default().two(1).properties(Out::default()).bytes(watch.topic.as_bytes()).byte(0x01 | retained);
    client.send(SUBSCRIBE, filter).await?;
    let (mut found, mut all) = (Messages::default(), false);
    let (mut subscribed, begun) = (false, Instant::now());
    let (mut until, mut ping) = (begun + timeout, begun + Duration::from_secs(u64::from(KEEP_ALIVE / 2)));
    while found.messages.len() < watch.most {
        let packet = match tokio::time::timeout_at(until.min(ping), client.receive()).await {
            Ok(packet) => packet?,
            Err(_) if Instant::now() < until => {
                ping = Instant::now() + Duration::from_secs(u64::from(KEEP_ALIVE / 2));
                client.send(PINGREQ, Out::default()).await?;
                continue;
            }
            Err(_) if subscribed => {
                all = true;
                break;
            }
            Err(waited) => return Err(late(waited)),
        };
        match packet {
            (SUBACK, packet) => {
                let code = packet.last().copied().unwrap_or(0x80);
                if let Some(error) = refusal(code) {
                    return Err(error);
                }
                if code == 0 {
                    return Err(BrokerError::new(BrokerFault::Refused, "The broker confirms no messages (QoS 1)"));
                }
                subscribed = true;
                // What was not acknowledged comes before anything new.
                let waits = found.messages.is_empty() && watch.settled.is_empty();
                until = if waits { begun + watch.patience.max(PAUSE) } else { Instant::now() + PAUSE };
            }
            (kind, packet) if kind & 0xF0 == PUBLISH => {
                let (number, message) = message(kind, &packet)?;
                if message.redelivered && watch.settled.contains(&message.id) {
                    client.send(PUBACK, Out::default().two(number)).await?;
                    found.acknowledged.push(message.id);
                } else {
                    found.messages.push(message);
                }
                if subscribed {
                    until = Instant::now() + PAUSE;
                }
            }
            (PINGRESP, _) => {}
            _ => return Err(bad_answer("a packet has no meaning here")),
        }
    }
    client.leave().await;
    if all {
        // Those that did not come again are acknowledged: the broker does not have them any more.
        found.acknowledged.clone_from(&watch.settled);
    }
    Ok(found)
}
