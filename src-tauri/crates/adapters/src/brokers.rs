//! Message brokers. The protocols are small and spoken here, over sockets that are opened here: so addresses are checked as for
//! HTTP steps, certificates are ours to check, and a broker that does not stop to answer is bounded.

mod amqp;
mod connect;
mod kafka;
mod mqtt;
mod nats;
mod redis;

use crate::network::PerNetwork;
use async_trait::async_trait;
use rustls::ClientConfig;
use signalbox_ports::Brokers;
use signalbox_ports::brokers::{Broker, BrokerError, BrokerFault, BrokerKind, MessageWatch, Messages, OutgoingMessage};
use std::sync::Arc;

/// The brokers of the world.
#[derive(Default)]
pub struct MessageBrokers {
    /// TLS that trusts what the system and the settings trust.
    tls: PerNetwork<Arc<ClientConfig>>,
    /// Connections of triggers to brokers that acknowledge by connection.
    consumers: amqp::Consumers,
}

/// The part of a broker that is used where nobody says otherwise.
fn vhost(broker: &Broker) -> &str {
    broker.vhost.as_deref().unwrap_or("/")
}

fn late(broker: &Broker) -> BrokerError {
    let words = format!(
        "{}:{} did not answer within {} s. Check host, port and encryption",
        broker.host,
        broker.port,
        broker.timeout.as_secs()
    );
    BrokerError::new(BrokerFault::Timeout, words)
}

#[async_trait]
impl Brokers for MessageBrokers {
    async fn publish(&self, broker: Broker, message: OutgoingMessage) -> Result<Option<String>, BrokerError> {
        // From here on the broker may have taken it.
        let mut sent = false;
        let done = {
            let work = async {
                if broker.kind == BrokerKind::Kafka {
                    return kafka::publish(self, &broker, &message, &mut sent).await.map(Some);
                }
                let opened = connect::open(self, &broker).await?;
                match broker.kind {
                    BrokerKind::Redis => redis::publish(opened, &message, &mut sent).await.map(Some),
                    BrokerKind::Mqtt => mqtt::publish(opened, &message, &mut sent).await.map(|()| None),
                    BrokerKind::Nats | BrokerKind::Kafka => nats::publish(opened, &message, &mut sent).await,
                    BrokerKind::Amqp => amqp::publish(opened, vhost(&broker), &message, &mut sent).await.map(|()| None),
                }
            };
            tokio::time::timeout(broker.timeout, Box::pin(work)).await
        };
        done.unwrap_or_else(|_| Err(late(&broker))).map_err(|error| {
            use BrokerFault::{BadAnswer, Connection, Timeout, TooLarge};
            let lost = matches!(error.fault, Timeout | Connection | BadAnswer | TooLarge);
            BrokerError { maybe_done: sent && lost, ..error }
        })
    }

    async fn watch(&self, broker: Broker, watch: MessageWatch) -> Result<Messages, BrokerError> {
        if broker.kind == BrokerKind::Kafka {
            return Box::pin(kafka::watch(self, &broker, &watch)).await;
        }
        let open = connect::within(broker.timeout, connect::open(self, &broker));
        if broker.kind == BrokerKind::Amqp {
            let look = amqp::watch(&self.consumers, open, vhost(&broker), &watch, broker.timeout);
            return Box::pin(look).await;
        }
        let opened = open.await?;
        match broker.kind {
            BrokerKind::Redis => Box::pin(redis::watch(opened, &watch, broker.timeout)).await,
            BrokerKind::Mqtt => Box::pin(mqtt::watch(opened, &watch, broker.timeout)).await,
            BrokerKind::Nats | BrokerKind::Amqp | BrokerKind::Kafka => {
                Box::pin(nats::watch(opened, &watch, broker.timeout)).await
            }
        }
    }

    async fn check(&self, broker: Broker) -> Result<(), BrokerError> {
        let work = async {
            if broker.kind == BrokerKind::Kafka {
                return kafka::check(self, &broker).await;
            }
            let opened = connect::open(self, &broker).await?;
            match broker.kind {
                BrokerKind::Redis => redis::check(opened).await,
                BrokerKind::Mqtt => mqtt::check(opened).await,
                BrokerKind::Nats | BrokerKind::Kafka => nats::check(opened).await,
                BrokerKind::Amqp => amqp::check(opened, vhost(&broker)).await,
            }
        };
        let done = tokio::time::timeout(broker.timeout, Box::pin(work)).await;
        done.unwrap_or_else(|_| Err(late(&broker)))
    }
}
