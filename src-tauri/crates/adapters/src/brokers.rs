//! Message brokers. The protocols are small and spoken here, over sockets that are opened here: so addresses are checked as for
//! HTTP steps, certificates are ours to check, and a broker that does not stop to answer is bounded.

mod connect;
mod mqtt;
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
}

#[async_trait]
impl Brokers for MessageBrokers {
    async fn publish(&self, broker: Broker, message: OutgoingMessage) -> Result<Option<String>, BrokerError> {
        // From here on the broker may have taken it.
        let mut sent = false;
        let done = {
            let work = async {
                let (stream, login) = connect::open(self, &broker).await?;
                match broker.kind {
                    BrokerKind::Redis => redis::publish(stream, &login, &message, &mut sent).await.map(Some),
                    BrokerKind::Mqtt => mqtt::publish(stream, &login, &message, &mut sent).await.map(|()| None),
                }
            };
            tokio::time::timeout(broker.timeout, Box::pin(work)).await
        };
        let late = |_| {
            let words = format!("{}:{} did not answer within {} s", broker.host, broker.port, broker.timeout.as_secs());
            Err(BrokerError::new(BrokerFault::Timeout, words))
        };
        done.unwrap_or_else(late).map_err(|error| {
            use BrokerFault::{BadAnswer, Connection, Timeout, TooLarge};
            let lost = matches!(error.fault, Timeout | Connection | BadAnswer | TooLarge);
            BrokerError { maybe_done: sent && lost, ..error }
        })
    }

    async fn watch(&self, broker: Broker, watch: MessageWatch) -> Result<Messages, BrokerError> {
        let (stream, login) = tokio::time::timeout(broker.timeout, connect::open(self, &broker))
            .await
            .unwrap_or_else(|_| Err(BrokerError::new(BrokerFault::Timeout, "No connection was made in time")))?;
        match broker.kind {
            BrokerKind::Redis => Box::pin(redis::watch(stream, &login, &watch, broker.timeout)).await,
            BrokerKind::Mqtt => Box::pin(mqtt::watch(stream, &login, &watch, broker.timeout)).await,
        }
    }
}
