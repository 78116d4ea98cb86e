//! NATS. Publishing goes to whoever listens, or to a stream of JetStream, which confirms it. Triggers read a stream by a durable
//! consumer: a message is acknowledged by the subject that it came with, over any connection.

mod client;

use super::connect::{Opened, bad_answer, within};
pub(super) use client::checked_greeting;
use client::{Client, Delivered, Line, stream_error};
use serde_json::{Value, json};
use signalbox_model::hash::sha256_hex;
use signalbox_ports::brokers::{BrokerError, BrokerFault, MessageWatch, Messages, OutgoingMessage, ReceivedMessage};
use std::time::Duration;

/// A message that is not acknowledged comes again after this time.
const ACK_WAIT: Duration = Duration::from_secs(30);
/// So long after a message more are waited for.
const PAUSE: Duration = Duration::from_millis(50);
/// Header by which a stream recognises a message that is published again.
const MESSAGE_ID: &str = "Nats-Msg-Id";
const MEDIA: &str = "contentType";

fn invalid(field: &'static str, words: &str) -> BrokerError {
    BrokerError::new(BrokerFault::Invalid(field), words)
}

fn is_subject(text: &str, with_wildcards: bool) -> bool {
    let token = |token: &str| !token.is_empty() && (with_wildcards || !matches!(token, "*" | ">"));
    !text.chars().any(|c| c.is_whitespace() || c.is_control()) && text.split('.').all(token)
}

/// Signs in: the server answers once it has looked at who asks.
pub(super) async fn check(opened: Opened) -> Result<(), BrokerError> {
    Client::begin(opened).await.map(drop)
}

/// Gives the stream and the number that a message has there.
pub(super) async fn publish(
    opened: Opened,
    message: &OutgoingMessage,
    sent: &mut bool,
) -> Result<Option<String>, BrokerError> {
    if !is_subject(&message.topic, false) {
        return Err(invalid(
            "topic",
            "A message is published to one subject: words with dots between them, without *, > and spaces",
        ));
    }
    let media = message.media.iter().map(|media| (MEDIA.to_owned(), media.clone()));
    let mut all: Vec<(String, String)> = media.chain(message.headers.iter().cloned()).collect();
    for (name, value) in &all {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
        if !plain || value.contains(['\r', '\n']) {
            return Err(invalid("headers", "A header has a colon, a space or a line break"));
        }
    }
    if message.stored
        && let Some(key) = &message.key
    {
        all.push((MESSAGE_ID.to_owned(), key.clone()));
    }
    let mut client = Client::begin(opened).await?;
    if !all.is_empty() && !client.greeting.has_headers {
        return Err(invalid("headers", "The broker knows no headers"));
    }
    if message.body.len() > client.greeting.max_payload {
        let words =
            format!("The message is larger than the {} bytes that the broker takes", client.greeting.max_payload);
        return Err(BrokerError::new(BrokerFault::TooLarge, words));
    }
    *sent = true;
    if !message.stored {
        let done = match client.publish(&message.topic, None, &all, &message.body).await {
            Ok(()) => client.flush().await,
            Err(error) => Err(error),
        };
        *sent = !client.refused;
        return done.map(|()| None);
    }
    let answer = client.ask(&message.topic, &message.body, &all).await;
    *sent = !client.refused;
    let answer = answer?;
    if answer.status.as_ref().is_some_and(|(status, _)| *status == 503) {
        *sent = false;
        let words = "No stream of the broker has this subject, so that nothing keeps the message. Create a stream, or switch 'Keep in a stream' off";
        return Err(BrokerError::new(BrokerFault::Refused, words));
    }
    let value: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    if let Some(error) = value.get("error") {
        *sent = false;
        return Err(stream_error(error));
    }
    match (value["stream"].as_str(), value["seq"].as_u64()) {
        (Some(stream), Some(number)) => Ok(Some(format!("{stream}:{number}"))),
        _ => Err(bad_answer("who confirms the message is no stream; another program answers on this subject")),
    }
}

pub(super) async fn watch(opened: Opened, watch: &MessageWatch, timeout: Duration) -> Result<Messages, BrokerError> {
    if !is_subject(&watch.topic, true) {
        return Err(invalid(
            "topic",
            "A subject is words with dots between them; * matches one word, > at the end all that follow",
        ));
    }
    if watch.group.is_empty()
        || watch.group.contains(['.', '*', '>', '/', '\\'])
        || watch.group.contains(char::is_whitespace)
    {
        return Err(invalid("group", "The name of the group has a dot, *, >, a slash or a space"));
    }
    let begin = async {
        let mut client = Client::begin(opened).await?;
        for subject in &watch.settled {
            client.publish(subject, None, &[], b"+ACK").await?;
        }
        if !watch.settled.is_empty() {
            client.flush().await?;
        }
        let (stream, consumer) = consumer(&mut client, watch).await?;
        // What is there is given at once.
        let found = fetch(&mut client, &stream, &consumer, watch.most, None).await?;
        Ok::<_, BrokerError>((client, stream, consumer, found))
    };
    let (mut client, stream, consumer, mut found) = within(timeout, begin).await?;
    if found.is_empty() {
        let wait = watch.patience.max(Duration::from_millis(1));
        let waited = fetch(&mut client, &stream, &consumer, watch.most, Some(wait));
        found = within(wait.saturating_add(timeout), waited).await?;
    }
    Ok(Messages { messages: found, acknowledged: watch.settled.clone() })
}

/// The stream that has the subject, and the durable consumer of the group, which is made where it is not there.
async fn consumer(client: &mut Client, watch: &MessageWatch) -> Result<(String, String), BrokerError> {
    let names = client.stream_api("STREAM.NAMES", &json!({ "subject": watch.topic })).await?;
    let Some(stream) = names["streams"].as_array().and_then(|all| all.first()).and_then(Value::as_str) else {
        return Err(invalid(
            "topic",
            "No stream of the broker has this subject. Create one: without a stream, messages are lost while nobody listens",
        ));
    };
    // A consumer has one subject, so that each subject of a group has its own.
    let name = format!("{}-{}", watch.group, sha256_hex(watch.topic.as_bytes()).get(..8).unwrap_or_default());
    let info = client.ask(&format!("$JS.API.CONSUMER.INFO.{stream}.{name}"), b"", &[]).await?;
    let known: Value = serde_json::from_slice(&info.body).unwrap_or_default();
    if known.get("error").is_none() && known["name"] == name.as_str() {
        return Ok((stream.to_owned(), name));
    }
    let config = json!({ "stream_name": stream, "config": {
        "durable_name": name, "ack_policy": "explicit", "ack_wait": u64::try_from(ACK_WAIT.as_nanos()).unwrap_or(u64::MAX),
        "deliver_policy": if watch.existing { "all" } else { "new" }, "filter_subject": watch.topic,
        "max_ack_pending": watch.most.max(1), "replay_policy": "instant",
    } });
    client.stream_api(&format!("CONSUMER.DURABLE.CREATE.{stream}.{name}"), &config).await?;
    Ok((stream.to_owned(), name))
}

/// Messages of a consumer: those that there are, or the next ones within a time.
async fn fetch(
    client: &mut Client,
    stream: &str,
    consumer: &str,
    most: usize,
    wait: Option<Duration>,
) -> Result<Vec<ReceivedMessage>, BrokerError> {
    let (inbox, number) = client.subscribe().await?;
    let ask = match wait {
        None => json!({ "batch": most, "no_wait": true }),
        // One is waited for: what comes with it is given by the next look.
        Some(wait) => json!({ "batch": 1, "expires": u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX) }),
    };
    let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}");
    client.publish(&subject, Some(&inbox), &[], ask.to_string().as_bytes()).await?;
    let most = if wait.is_some() { 1 } else { most };
    let mut found = Vec::new();
    while found.len() < most {
        // Servers do not always say that there are no more. A line that is cut off here was the last that is read.
        let line = match found.is_empty() {
            true => client.next_line().await?,
            false => match tokio::time::timeout(PAUSE, client.next_line()).await {
                Ok(line) => line?,
                Err(_) => return Ok(found),
            },
        };
        let Line::Message(message) = line else { continue };
        match &message.status {
            // No messages, none in this time, or not so many.
            Some((404 | 408, _)) => break,
            Some((100, _)) => {}
            Some((409, words)) if words.contains("MaxAckPending") => break,
            Some((503, _)) => {
                return Err(BrokerError::new(
                    BrokerFault::Connection,
                    "The consumer of the stream is gone; it is made again",
                ));
            }
            Some((status, words)) => {
                let words: String = words.chars().take(300).collect();
                return Err(BrokerError::new(
                    BrokerFault::Refused,
                    format!("The stream refuses it: {words} ({status})"),
                ));
            }
            None => found.push(received(message)?),
        }
    }
    client.write(format!("UNSUB {number}\r\n").as_bytes()).await?;
    Ok(found)
}

/// A message of a stream. It is acknowledged by the subject that it names, in which stream, numbers and time stand:
/// `$JS.ACK.STREAM.CONSUMER.DELIVERIES.NUMBER.OF_CONSUMER.TIME.PENDING`, with a domain and an account before STREAM where there are some.
fn received(message: Delivered) -> Result<ReceivedMessage, BrokerError> {
    let wrong = || bad_answer("a message is of no stream");
    let reply = message.reply.ok_or_else(wrong)?;
    let parts: Vec<&str> = reply.strip_prefix("$JS.ACK.").ok_or_else(wrong)?.split('.').collect();
    // Newer servers put two words before the stream, and one behind it all.
    let from = if parts.len() >= 9 { 2 } else { 0 };
    let part = |index: usize| parts.get(from + index).copied().ok_or_else(wrong);
    let (stream, deliveries, number, time) = (part(0)?, part(2)?, part(3)?, part(5)?);
    Ok(ReceivedMessage {
        key: Some(format!("{stream}:{number}:{time}")),
        redelivered: deliveries != "1",
        topic: message.subject,
        body: Some(message.body),
        headers: message.headers.into_iter().map(|(name, value)| (name, value.into_bytes())).collect(),
        id: reply,
    })
}

#[cfg(test)]
mod tests;
