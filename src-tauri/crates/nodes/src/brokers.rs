//! What steps and triggers of message brokers share: the broker in their settings, messages as data, and what a failed
//! exchange means.

use crate::credential;
use crate::support::{flag, setting, text, text_or, whole, wrong_choice};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction, lossless};
use signalbox_ports::World;
use signalbox_ports::brokers::{Broker, BrokerError, BrokerFault, BrokerKind, MessageWatch, Messages, ReceivedMessage};
use std::time::Duration;

const DEFAULT_TIMEOUT_MS: u64 = 30_000;
const LONGEST_TIMEOUT_MS: u64 = 3_600_000;
/// Messages of one look.
const MOST: usize = 50;
/// Longest content that a run is started with, bytes: it is kept in the run's events.
const LONGEST_BODY: usize = 1024 * 1024;

/// The broker that a step names.
pub(crate) async fn broker(call: &Call, slot: &CallSlot, world: &World) -> Result<Broker, NodeFailure> {
    let kind = match text_or(slot, "system", "mqtt")? {
        "mqtt" => BrokerKind::Mqtt,
        "redis" => BrokerKind::Redis,
        "nats" => BrokerKind::Nats,
        "amqp" => BrokerKind::Amqp,
        "kafka" => BrokerKind::Kafka,
        _ => return Err(wrong_choice("system", "mqtt, redis, nats, amqp or kafka", &slot.config["system"])),
    };
    let tls = flag(slot, "tls", true)?;
    let usual = match (kind, tls) {
        (BrokerKind::Mqtt, true) => 8883,
        (BrokerKind::Mqtt, false) => 1883,
        (BrokerKind::Redis, _) => 6379,
        (BrokerKind::Nats, _) => 4222,
        (BrokerKind::Amqp, true) => 5671,
        (BrokerKind::Amqp, false) => 5672,
        (BrokerKind::Kafka, true) => 9093,
        (BrokerKind::Kafka, false) => 9092,
    };
    let port = whole(slot, "port", 1, u64::from(u16::MAX))?.and_then(|port| u16::try_from(port).ok());
    let optional = |field: &str| setting(slot, field).map(|_| text(slot, field).map(str::to_owned)).transpose();
    Ok(Broker {
        kind,
        host: text(slot, "host")?.trim().to_owned(),
        port: port.unwrap_or(usual),
        tls,
        root_certificate: optional("ca")?.filter(|pem| !pem.trim().is_empty()),
        user: optional("user")?.filter(|user| !user.is_empty()),
        sasl: sasl(slot)?,
        vhost: optional("vhost")?.filter(|vhost| !vhost.is_empty()),
        // After the commit of the step's start, and never part of the config: no event and no expression has the value.
        credential: credential::of_setting(slot, world).await?,
        timeout: Duration::from_millis(whole(slot, "timeoutMs", 1, LONGEST_TIMEOUT_MS)?.unwrap_or(DEFAULT_TIMEOUT_MS)),
        loopback_allowed: call.loopback_allowed,
    })
}

fn sasl(slot: &CallSlot) -> Result<Option<String>, NodeFailure> {
    match text_or(slot, "sasl", "plain")? {
        way @ ("plain" | "scram-sha-256" | "scram-sha-512") => Ok(Some(way.to_owned())),
        _ => Err(wrong_choice("sasl", "plain, scram-sha-256 or scram-sha-512", &slot.config["sasl"])),
    }
}

/// The stream or topic of a step.
pub(crate) fn topic(slot: &CallSlot) -> Result<String, NodeFailure> {
    let topic = text(slot, "topic")?.trim();
    if topic.is_empty() {
        return Err(NodeFailure::validation("INPUT_INVALID", "The setting 'topic' is empty").detail("field", "topic"));
    }
    Ok(topic.to_owned())
}

/// An error of a broker as a failure.
pub(crate) fn failure(error: BrokerError) -> NodeFailure {
    let BrokerError { fault, message, maybe_done } = error;
    let person = SuggestedAction::HumanReview;
    let failure = match fault {
        BrokerFault::AddressRefused => NodeFailure::tool("ADDRESS_REFUSED", message),
        BrokerFault::CredentialRefused => NodeFailure::tool("CREDENTIAL_REFUSED", message).suggest(person),
        BrokerFault::Invalid(field) => NodeFailure::validation("INPUT_INVALID", message).detail("field", field),
        BrokerFault::Connection => NodeFailure::new(ErrorType::NetworkError, "CONNECTION", message).retryable(),
        BrokerFault::Tls => NodeFailure::new(ErrorType::NetworkError, "TLS", message).suggest(person),
        BrokerFault::Auth => NodeFailure::tool("AUTH", message).suggest(person),
        BrokerFault::Forbidden => NodeFailure::tool("FORBIDDEN", message).suggest(person),
        BrokerFault::Timeout => NodeFailure::new(ErrorType::Timeout, "TIMEOUT", message).retryable(),
        BrokerFault::Refused => NodeFailure::tool("MESSAGE_REFUSED", message),
        BrokerFault::TooLarge => NodeFailure::validation("TOO_LARGE", message),
        BrokerFault::BadAnswer => NodeFailure::tool("BAD_ANSWER", message),
    };
    if maybe_done { failure.maybe_happened() } else { failure }
}

/// Bytes as data: JSON where they are an object or a list of it, else text, else base64. The second says when it is base64.
fn value(bytes: &[u8]) -> (Value, bool) {
    let Ok(text) = std::str::from_utf8(bytes) else { return (STANDARD.encode(bytes).into(), true) };
    if text.trim_start().starts_with(['{', '['])
        && lossless::loss(text).is_none()
        && let Ok(value) = serde_json::from_str(text)
    {
        return (value, false);
    }
    (text.into(), false)
}

/// What a message starts a run with.
fn data(message: &ReceivedMessage) -> Map<String, Value> {
    let long = message.body.as_ref().is_some_and(|body| body.len() > LONGEST_BODY);
    let body = message.body.as_deref().map(|body| value(&body[..body.len().min(LONGEST_BODY)]));
    let (body, base64) = body.unwrap_or_default();
    let headers = message.headers.iter().map(|(name, bytes)| (name.clone(), value(bytes).0));
    let told = json!({
        "topic": message.topic, "id": message.key, "body": body, "base64": base64, "cut": long,
        "headers": headers.collect::<Map<_, _>>(), "redelivered": message.redelivered,
    });
    told.as_object().cloned().unwrap_or_default()
}

/// A look for messages, as a trigger wants it.
#[derive(Debug, Clone)]
pub struct MessageLook {
    /// Who reads in the group.
    pub consumer: String,
    /// Messages whose runs have started, and that are still to be acknowledged.
    pub settled: Vec<String>,
    /// How long a message is waited for.
    pub patience: Duration,
}

/// A message that may start a run.
#[derive(Debug)]
pub struct NewMessage {
    /// Names it towards the broker until it is acknowledged.
    pub id: String,
    /// Names it for ever, where the broker has such a name.
    pub key: Option<String>,
    /// What the run is started with.
    pub data: Map<String, Value>,
}

/// Acknowledges messages and looks for new ones, as the settings of the call's first slot say. What is given is free of the
/// secrets that this process knows. The second part names those that are acknowledged.
pub async fn watch_messages(
    call: &Call,
    world: &World,
    look: MessageLook,
) -> Result<(Vec<NewMessage>, Vec<String>), NodeFailure> {
    let Some(slot) = call.slots.first() else {
        return Err(NodeFailure::tool("INTERNAL", "The broker has no settings"));
    };
    let scrubber = world.secrets.scrubber();
    let clean = |failure: NodeFailure| NodeFailure { message: scrubber.text(&failure.message).into_owned(), ..failure };
    let settings = async {
        let group = text_or(slot, "group", "signalbox")?.trim().to_owned();
        let existing = text_or(slot, "existing", "skip")? == "process";
        Ok::<_, NodeFailure>((broker(call, slot, world).await?, topic(slot)?, group, existing))
    };
    let (broker, topic, group, existing) = settings.await.map_err(clean)?;
    let MessageLook { consumer, settled, patience } = look;
    let watch = MessageWatch { topic, group, consumer, existing, settled, most: MOST, patience };
    let found = world.brokers.watch(broker, watch).await.map_err(|error| clean(failure(error)))?;
    let Messages { messages, acknowledged } = found;
    let new = |message: ReceivedMessage| {
        let mut data = data(&message);
        scrubber.map(&mut data);
        NewMessage { id: message.id, key: message.key, data }
    };
    Ok((messages.into_iter().map(new).collect(), acknowledged))
}

/// What a run that a person starts gets: it looks like a message.
pub fn message_sample(topic: &str) -> Map<String, Value> {
    data(&ReceivedMessage {
        id: String::new(),
        key: Some("1-0".to_owned()),
        topic: topic.to_owned(),
        body: Some(br#"{"sample": true}"#.to_vec()),
        headers: Vec::new(),
        redelivered: false,
    })
}
