//! AMQP 0-9-1, as RabbitMQ speaks it. An acknowledgement belongs to a connection, so that the connection of a trigger stays open
//! between its looks. What was not acknowledged when it ends comes again, marked: there it is known by its content.

mod session;
mod wire;

use super::connect::{Opened, bad_answer, within};
use session::Session;
use signalbox_model::hash::sha256_parts;
use signalbox_ports::brokers::{BrokerError, BrokerFault, MessageWatch, Messages, OutgoingMessage, ReceivedMessage};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use wire::{Content, Event, In, Out};

/// So long after a message more are waited for.
const PAUSE: Duration = Duration::from_millis(50);
/// What a queue has when a connection begins is waited for so long.
const FIRST: Duration = Duration::from_secs(1);
/// A connection that nobody looks at is closed after this time, so that its messages go to others.
const IDLE: Duration = Duration::from_secs(60);
/// Counts connections and looks.
static TURN: AtomicU64 = AtomicU64::new(1);
/// Longest name of the protocol, bytes.
const NAME: usize = 255;

/// Connections of triggers between their looks.
#[derive(Clone, Default)]
pub(super) struct Consumers(Arc<Mutex<HashMap<String, (u64, Consumer)>>>);

/// A connection that consumes a queue.
struct Consumer {
    session: Session,
    /// Tells this connection from those before it.
    name: String,
    /// Nothing was waited for yet.
    is_new: bool,
    /// Given, and not acknowledged.
    given: Vec<(u64, ReceivedMessage)>,
}

impl Consumers {
    fn take(&self, name: &str) -> Option<Consumer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(name).map(|(_, consumer)| consumer)
    }

    /// Keeps a connection for the next look, for a while.
    fn keep(&self, name: &str, consumer: Consumer) {
        let turn = TURN.fetch_add(1, Ordering::Relaxed);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), (turn, consumer));
        let (all, name) = (self.clone(), name.to_owned());
        tokio::spawn(async move {
            tokio::time::sleep(IDLE).await;
            let mut all = all.0.lock().unwrap_or_else(PoisonError::into_inner);
            if all.get(&name).is_some_and(|(kept, _)| *kept == turn) {
                all.remove(&name);
            }
        });
    }
}

fn invalid(field: &'static str, words: &str) -> BrokerError {
    BrokerError::new(BrokerFault::Invalid(field), words)
}

/// Signs in and opens the virtual host, and leaves.
pub(super) async fn check(opened: Opened, vhost: &str) -> Result<(), BrokerError> {
    Session::open(opened, vhost).await?.leave().await;
    Ok(())
}

/// The broker has the message in a queue when this ends.
pub(super) async fn publish(
    opened: Opened,
    vhost: &str,
    message: &OutgoingMessage,
    sent: &mut bool,
) -> Result<(), BrokerError> {
    let exchange = message.exchange.as_deref().unwrap_or_default();
    if message.topic.len() > NAME || exchange.len() > NAME {
        return Err(invalid(
            "topic",
            "The name of the queue, the routing key or the exchange is longer than 255 bytes",
        ));
    }
    if message.headers.iter().any(|(name, _)| name.len() > NAME) {
        return Err(invalid("headers", "The name of a header is longer than 255 bytes"));
    }
    let mut session = Session::open(opened, vhost).await?;
    session.ask(1, (85, 10), Out::default().byte(0), (85, 11)).await?;
    *sent = true;
    let done = confirmed(&mut session, exchange, message).await;
    *sent = !(session.refused || done.as_ref().is_err_and(|error| error.fault == BrokerFault::Refused));
    if done.is_ok() {
        session.leave().await;
    }
    done
}

async fn confirmed(session: &mut Session, exchange: &str, message: &OutgoingMessage) -> Result<(), BrokerError> {
    // Mandatory: what reaches no queue is given back.
    let arguments = Out::default().two(0).short(exchange).short(&message.topic).byte(1);
    session.wire.method(1, (60, 40), arguments).await?;
    let head = Content::head(message.media.as_deref(), &message.headers, message.key.as_deref(), message.body.len());
    session.wire.content(&head, &message.body).await?;
    let mut returned = false;
    loop {
        let event = session.event().await?;
        match event.name {
            (60, 50) => returned = true,
            (60, 80) if returned => {
                let words = "No queue gets the message: none is bound to this exchange and routing key. Make one, or correct the name";
                return Err(BrokerError::new(BrokerFault::Refused, words));
            }
            (60, 80) => return Ok(()),
            (60, 120) => {
                return Err(BrokerError::new(BrokerFault::Refused, "The broker could not keep the message"));
            }
            _ => return Err(bad_answer("a method has no meaning here")),
        }
    }
}

/// `open` is called where no connection is left from the look before.
pub(super) async fn watch(
    consumers: &Consumers,
    open: impl Future<Output = Result<Opened, BrokerError>>,
    vhost: &str,
    watch: &MessageWatch,
    timeout: Duration,
) -> Result<Messages, BrokerError> {
    if watch.topic.len() > NAME {
        return Err(invalid("topic", "The name of the queue is longer than 255 bytes"));
    }
    let mut consumer = match consumers.take(&watch.consumer) {
        Some(consumer) => consumer,
        None => within(timeout, async { Consumer::open(open.await?, vhost, watch).await }).await?,
    };
    let found = consumer.look(watch, timeout).await?;
    consumers.keep(&watch.consumer, consumer);
    Ok(found)
}

impl Consumer {
    async fn open(opened: Opened, vhost: &str, watch: &MessageWatch) -> Result<Self, BrokerError> {
        let mut session = Session::open(opened, vhost).await?;
        let most = u16::try_from(watch.most.max(1)).unwrap_or(u16::MAX);
        session.ask(1, (60, 10), Out::default().four(0).two(most).byte(0), (60, 11)).await?;
        let arguments = Out::default().two(0).short(&watch.topic).short("signalbox").byte(0).table(&[]);
        session.ask(1, (60, 20), arguments, (60, 21)).await?;
        let name = format!("{:016x}", TURN.fetch_add(1, Ordering::Relaxed) ^ started());
        Ok(Self { session, name, is_new: true, given: Vec::new() })
    }

    async fn acknowledge(&mut self, tag: u64) -> Result<(), BrokerError> {
        self.session.wire.method(1, (60, 80), Out::default().eight(tag).byte(0)).await
    }

    async fn look(&mut self, watch: &MessageWatch, timeout: Duration) -> Result<Messages, BrokerError> {
        let mut found = Messages::default();
        let mut settled = watch.settled.clone();
        for (tag, message) in std::mem::take(&mut self.given) {
            if let Some(at) = settled.iter().position(|id| *id == message.id) {
                within(timeout, self.acknowledge(tag)).await?;
                found.acknowledged.push(settled.swap_remove(at));
            } else {
                self.given.push((tag, message));
            }
        }
        // What started nothing is given again before anything new.
        if !self.given.is_empty() {
            let again =
                |(_, message): &(u64, ReceivedMessage)| ReceivedMessage { redelivered: true, ..message.clone() };
            found.messages = self.given.iter().map(again).collect();
            return Ok(found);
        }
        // What ended connections gave comes first, and soon.
        let least = if self.is_new || !settled.is_empty() { FIRST } else { PAUSE };
        let mut until = Instant::now() + watch.patience.max(least);
        self.is_new = false;
        while found.messages.len() < watch.most {
            let event = match tokio::time::timeout_at(until, self.session.event()).await {
                Ok(event) => event?,
                Err(_) => {
                    // Nothing came that could be one of them: others have them, or they are gone.
                    found.acknowledged.append(&mut settled);
                    break;
                }
            };
            let (tag, message) = match event.name {
                (60, 60) => self.received(event)?,
                (60, 30) => return Err(invalid("topic", "The queue was deleted")),
                _ => return Err(bad_answer("a method has no meaning here")),
            };
            until = Instant::now() + PAUSE;
            let content = content_of(&message.id);
            let known = settled.iter().position(|id| content_of(id) == content).filter(|_| message.redelivered);
            match known {
                Some(at) => {
                    within(timeout, self.acknowledge(tag)).await?;
                    found.acknowledged.push(settled.swap_remove(at));
                }
                None => {
                    self.given.push((tag, message.clone()));
                    found.messages.push(message);
                }
            }
        }
        Ok(found)
    }

    fn received(&self, event: Event) -> Result<(u64, ReceivedMessage), BrokerError> {
        let mut all = In(&event.arguments);
        all.short()?;
        let (tag, redelivered, _exchange, topic) = (all.eight()?, all.byte()? & 1 == 1, all.short()?, all.short()?);
        let Content { media, mut headers, id, body } = event.content.unwrap_or_default();
        headers.extend(media.map(|media| ("contentType".to_owned(), media.into_bytes())));
        let hash = sha256_parts(&[topic.as_bytes(), id.as_deref().unwrap_or_default().as_bytes(), &body]);
        headers.extend(id.map(|id| ("messageId".to_owned(), id.into_bytes())));
        let id = format!("{}:{}:{tag}", hash.get(..32).unwrap_or_default(), self.name);
        Ok((tag, ReceivedMessage { id, key: None, topic, body: Some(body), headers, redelivered }))
    }
}

/// The part of an id that is the same when a message comes again.
fn content_of(id: &str) -> &str {
    id.split(':').next().unwrap_or_default()
}

/// Another number for each process.
fn started() -> u64 {
    getrandom::u64().unwrap_or_default()
}

#[cfg(test)]
mod tests;
