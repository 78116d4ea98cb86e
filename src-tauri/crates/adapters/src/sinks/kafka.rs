//! A topic of Kafka: one record for each entry, with the run as its key, so that the entries of a run keep their order. A
//! record counts when all replicas in sync have it.
//!
//! The client connects to whatever brokers the cluster names. It reaches all of them through [`proxy`], which applies the
//! address rules to each.

mod partition;
mod proxy;

use super::connect::{Waiter, other, tls};
use super::remote::Place;
use crate::murmur2::partition_of;
use partition::Partition;
use proxy::{Proxy, Rule};
use rskafka::BackoffConfig;
use rskafka::client::error::Error;
use rskafka::client::partition::UnknownTopicHandling;
use rskafka::client::{Client, ClientBuilder, Credentials, SaslConfig};
use signalbox_ports::{AuditLine, AuditSink, Credential, CredentialKind, NotTaken};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// Largest answer of a broker, bytes.
const MOST: usize = 16 << 20;
/// Largest number of partitions that one batch is spread over at once.
const MOST_PARTITIONS: usize = 10_000;

pub(super) struct Kafka {
    client: Client,
    topic: String,
    /// Numbers of the partitions, ascending.
    numbers: Vec<i32>,
    /// Those that were written to.
    opened: BTreeMap<i32, Partition>,
    proxy: Proxy,
    waiter: Waiter,
    log_id: String,
}

/// How the client signs in.
fn sasl(place: &Place) -> io::Result<Option<SaslConfig>> {
    let Some(credential) = place.allowed_credential()? else { return Ok(None) };
    let Credential { kind: CredentialKind::Basic { user }, value, name, .. } = credential else {
        return Err(other(format!("the secret '{}' has no user. Kafka needs one of kind basic", credential.name)));
    };
    let credentials = Credentials::new(user.clone(), value.expose().to_owned());
    match place.option("sasl").as_deref() {
        None | Some("plain") => Ok(Some(SaslConfig::Plain(credentials))),
        Some("scram-sha-256") => Ok(Some(SaslConfig::ScramSha256(credentials))),
        Some("scram-sha-512") => Ok(Some(SaslConfig::ScramSha512(credentials))),
        Some(unknown) => Err(other(format!("'{unknown}' is no way to sign in with the secret '{name}'"))),
    }
}

impl Kafka {
    pub(super) fn open(place: &Place, threads: Handle) -> io::Result<Self> {
        let topic = place.path().concat();
        let sasl = sasl(place)?;
        let tls = place.encrypted().then(|| tls(place)).transpose()?;
        let waiter = Waiter::new(place, threads);
        let (proxy, client, numbers) = waiter.wait(async {
            let proxy = Proxy::start(Rule::of(place)).await?;
            let mut builder = ClientBuilder::new(vec![format!("{}:{}", place.host(), place.port())])
                .client_id("signalbox")
                .socks5_proxy(proxy.address().to_string())
                .max_message_size(MOST)
                // What fails is told at once and tried again with the next copy, which first looks what arrived.
                .backoff_config(BackoffConfig { deadline: Some(Duration::ZERO), ..BackoffConfig::default() });
            if let Some(tls) = tls {
                builder = builder.tls_config(Arc::new(tls));
            }
            if let Some(sasl) = sasl {
                builder = builder.sasl_config(sasl);
            }
            let client = builder.build().await.map_err(|error| proxy.explain(failed(&error)))?;
            let topics = client.list_topics().await.map_err(|error| proxy.explain(failed(&error)))?;
            let found = topics.into_iter().find(|known| known.name == topic);
            let numbers: Vec<i32> = found.map(|known| known.partitions.into_iter().collect()).unwrap_or_default();
            if numbers.is_empty() {
                return Err(other(format!(
                    "the cluster has no topic '{topic}', or its user may not see it. Create the topic first"
                )));
            }
            if numbers.len() > MOST_PARTITIONS {
                return Err(other(format!("the topic has more than {MOST_PARTITIONS} partitions")));
            }
            Ok((proxy, client, numbers))
        })?;
        let log_id = place.log_id.clone();
        Ok(Self { client, topic, numbers, opened: BTreeMap::new(), proxy, waiter, log_id })
    }

    /// Connects to the leader of a partition, and looks what it has of these entries.
    async fn open_partition(&mut self, number: i32, first: u64) -> io::Result<()> {
        if self.opened.contains_key(&number) {
            return Ok(());
        }
        let topic = self.topic.clone();
        let client = self.client.partition_client(topic, number, UnknownTopicHandling::Error);
        let client = client.await.map_err(|error| self.proxy.explain(failed(&error)))?;
        let opened = Partition::open(client, &self.log_id, first).await;
        self.opened.insert(number, opened.map_err(|why| self.proxy.explain(why))?);
        Ok(())
    }

    async fn add(&mut self, lines: &[AuditLine]) -> Result<(), NotTaken> {
        let mut parts: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
        for (at, line) in lines.iter().enumerate() {
            let number = self.numbers.get(partition_of(line.run_id.as_bytes(), self.numbers.len()));
            parts.entry(number.copied().unwrap_or_default()).or_default().push(at);
        }
        for (number, part) in &parts {
            let first = part.first().and_then(|at| lines.get(*at)).map_or(0, |line| line.seq);
            self.open_partition(*number, first).await?;
        }
        let sends = parts.iter().filter_map(|(number, part)| Some(self.opened.get(number)?.send(lines, part)));
        let done = futures_util::future::join_all(sends).await;
        // Later entries of other partitions may be there: they come again, and are known by their number.
        match done.into_iter().filter_map(Result::err).min_by_key(|not| not.taken) {
            None => Ok(()),
            Some(NotTaken { taken, why }) => Err(NotTaken { taken, why: self.proxy.explain(why) }),
        }
    }
}

/// What the client says, without what it says about its own attempts.
fn failed(error: &Error) -> io::Error {
    if let Error::ServerError { protocol_error, error_message, .. } = error {
        let text = error_message.as_deref().map_or_else(String::new, |text| format!(": {text}"));
        return other(format!("the broker answered {protocol_error:?}{text}"));
    }
    let text = error.to_string();
    other(text.rsplit("Source: ").next().unwrap_or(&text).to_owned())
}

impl AuditSink for Kafka {
    /// Entries are spread over partitions: no single one is the last. Each partition is asked before it is written to.
    fn last(&mut self, _upto: u64) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn take(&mut self, lines: &[AuditLine]) -> Result<(), NotTaken> {
        let waiter = self.waiter.clone();
        let mut stopped = None;
        let done = waiter.wait(async {
            self.add(lines).await.map_err(|not| {
                stopped = Some(not.taken);
                not.why
            })
        });
        done.map_err(|why| NotTaken { taken: stopped.unwrap_or(0), why })
    }
}

#[cfg(test)]
mod tests;
