//! Message brokers as steps and triggers use them. A message is taken in two steps: it is read, and once what it started is
//! durable it is acknowledged by its id, over whatever connection is open then. What is not acknowledged comes again.

use crate::secret::Credential;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// What a broker speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokerKind {
    /// MQTT 5.
    Mqtt,
    /// Streams of Redis or Valkey.
    Redis,
    /// NATS, with JetStream where messages are kept.
    Nats,
    /// AMQP 0-9-1, as RabbitMQ speaks it.
    Amqp,
    /// Kafka.
    Kafka,
}

/// Where a broker is, and who asks.
#[derive(Clone)]
pub struct Broker {
    /// What it speaks.
    pub kind: BrokerKind,
    /// Name or address, without a port.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The connection is encrypted and the certificate of the broker is verified.
    pub tls: bool,
    /// The authority that signed the certificate (PEM), instead of those that the machine trusts.
    pub root_certificate: Option<String>,
    /// Who asks; the user of the credential where it is empty.
    pub user: Option<String>,
    /// The password, for hosts that it allows only.
    pub credential: Option<Arc<Credential>>,
    /// The part of the broker that is used, where it has parts.
    pub vhost: Option<String>,
    /// How the user signs in, where the broker has the choice: `plain`, `scram-sha-256`, `scram-sha-512`.
    pub sasl: Option<String>,
    /// Time limit of an exchange.
    pub timeout: Duration,
    /// Loopback addresses are allowed for this call (TRUST, SSRF).
    pub loopback_allowed: bool,
}

/// A message that is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// The stream, or the topic.
    pub topic: String,
    /// Who passes it on to queues by its topic; none: the queue of that name gets it.
    pub exchange: Option<String>,
    /// Its content.
    pub body: Vec<u8>,
    /// Media type of the content, where it is known.
    pub media: Option<String>,
    /// Name → value, in order.
    pub headers: Vec<(String, String)>,
    /// The oldest messages of a stream go when it has more than about so many.
    pub keep: Option<u64>,
    /// New subscribers of a topic get it, too.
    pub retain: bool,
    /// A stream keeps it and confirms it, where the broker has the choice.
    pub stored: bool,
    /// Messages of one key keep their order, where the broker spreads them.
    pub order_key: Option<String>,
    /// The same for a repetition of it, where the broker recognises one.
    pub key: Option<String>,
}

/// A message that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMessage {
    /// Names it towards the broker until it is acknowledged.
    pub id: String,
    /// Names this message and no other, for ever; `None` where the broker gives its ids again.
    pub key: Option<String>,
    /// The stream, or the topic.
    pub topic: String,
    /// Its content; `None` where it has no field of this name.
    pub body: Option<Vec<u8>>,
    /// Name → value, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The broker has given it before.
    pub redelivered: bool,
}

/// A look for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageWatch {
    /// The stream, or a filter of topics.
    pub topic: String,
    /// The consumer group, or the name of the session: messages of it are given once.
    pub group: String,
    /// Who reads in the group: the same after a restart, another one on another machine.
    pub consumer: String,
    /// The first time, messages that are there already are wanted, too.
    pub existing: bool,
    /// Messages that are to be acknowledged first, by their ids.
    pub settled: Vec<String>,
    /// At most so many are given.
    pub most: usize,
    /// How long a message is waited for.
    pub patience: Duration,
}

/// What a look gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Messages {
    /// In their order.
    pub messages: Vec<ReceivedMessage>,
    /// Those of `settled` that the broker does not know any more, or has acknowledged; the others are to be named again.
    pub acknowledged: Vec<String>,
}

/// Why a broker did not do what was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrokerFault {
    /// The address is not allowed (nothing was sent).
    AddressRefused,
    /// The credential may not go there (it was not sent).
    CredentialRefused,
    /// A setting cannot be used: its name.
    Invalid(&'static str),
    /// The broker was not reached, or ended the connection.
    Connection,
    /// No encrypted connection.
    Tls,
    /// The broker does not accept user and password.
    Auth,
    /// The user may not do this.
    Forbidden,
    /// No answer in time.
    Timeout,
    /// The broker refuses it and says why.
    Refused,
    /// A message is larger than is taken.
    TooLarge,
    /// It answers otherwise than the protocol says.
    BadAnswer,
}

/// A failed exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerError {
    /// What failed.
    pub fault: BrokerFault,
    /// Plain words without a full stop.
    pub message: String,
    /// The broker may have taken the message.
    pub maybe_done: bool,
}

impl BrokerError {
    /// Before anything was done.
    pub fn new(fault: BrokerFault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into(), maybe_done: false }
    }
}

/// Message brokers, with the address rules of TRUST.
#[async_trait]
pub trait Brokers: Send + Sync {
    /// Publishes a message; the broker has it when this ends. Gives the id that the broker gave it, if it gives one.
    async fn publish(&self, broker: Broker, message: OutgoingMessage) -> Result<Option<String>, BrokerError>;
    /// Acknowledges messages, then reads those that are not acknowledged, and waits for one where there is none.
    async fn watch(&self, broker: Broker, watch: MessageWatch) -> Result<Messages, BrokerError>;
    /// Connects and signs in, and does nothing else.
    async fn check(&self, broker: Broker) -> Result<(), BrokerError> {
        let _nobody = broker;
        Err(none())
    }
}

/// Where there are no brokers.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBrokers;

fn none() -> BrokerError {
    BrokerError::new(BrokerFault::Connection, "Message brokers cannot be reached here")
}

#[async_trait]
impl Brokers for NoBrokers {
    async fn publish(&self, _broker: Broker, _message: OutgoingMessage) -> Result<Option<String>, BrokerError> {
        Err(none())
    }
    async fn watch(&self, _broker: Broker, _watch: MessageWatch) -> Result<Messages, BrokerError> {
        Err(none())
    }
}
