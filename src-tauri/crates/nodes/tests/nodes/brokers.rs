//! Messages to and from a broker that a test plays.

use async_trait::async_trait;
use signalbox_ports::Brokers;
use signalbox_ports::brokers::{Broker, BrokerError, MessageWatch, Messages, OutgoingMessage};

/// Takes every message.
pub(crate) struct FakeBrokers;

#[async_trait]
impl Brokers for FakeBrokers {
    async fn publish(&self, _broker: Broker, _message: OutgoingMessage) -> Result<Option<String>, BrokerError> {
        Ok(Some("1700000000000-0".to_owned()))
    }
    async fn watch(&self, _broker: Broker, _watch: MessageWatch) -> Result<Messages, BrokerError> {
        Ok(Messages::default())
    }
}
