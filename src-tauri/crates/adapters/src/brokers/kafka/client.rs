//! Connections to the brokers of a cluster. The cluster names them, so each is checked like the one that a person named.

use super::super::MessageBrokers;
use super::super::connect::{self, Connection, Login, bad_answer, lost};
use super::scram;
use super::wire::{In, Out};
use crate::peer::is_this_machine;
use signalbox_ports::brokers::{Broker, BrokerError, BrokerFault};
use signalbox_ports::host::canonical;
use std::collections::BTreeMap;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Bytes of one answer.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Brokers and partitions that are taken from a cluster.
const MOST: usize = 10_000;

/// A request: its number, and the version that is spoken; all brokers from 1.0 to 4 know these.
#[derive(Clone, Copy)]
pub(super) struct Api(i16, i16);

pub(super) const PRODUCE: Api = Api(0, 3);
pub(super) const FETCH: Api = Api(1, 4);
pub(super) const LIST_OFFSETS: Api = Api(2, 1);
const METADATA: Api = Api(3, 4);
pub(super) const OFFSET_COMMIT: Api = Api(8, 2);
pub(super) const OFFSET_FETCH: Api = Api(9, 1);
const FIND_COORDINATOR: Api = Api(10, 0);
const SASL_HANDSHAKE: Api = Api(17, 1);
const SASL_AUTHENTICATE: Api = Api(36, 0);

/// What an error of a broker means. `what` names the topic or the group.
pub(super) fn refusal(code: i16, what: &str) -> BrokerError {
    let (fault, words) = match code {
        3 => {
            let words = format!("The cluster has no {what}, or the user may not see it. Create it first");
            (BrokerFault::Invalid("topic"), words)
        }
        10 | 18 => (BrokerFault::TooLarge, format!("The message is larger than {what} takes")),
        17 => (BrokerFault::Invalid("topic"), format!("The name of {what} is not one of Kafka")),
        5 | 6 | 8 | 9 | 13 | 14 | 15 | 16 | 74 | 75 => {
            (BrokerFault::Connection, format!("The cluster is moving {what} between its brokers (error {code})"))
        }
        19 => (BrokerFault::Connection, format!("Too few brokers have a copy of {what} now")),
        // The leader has it, the copies may not.
        7 | 20 => (BrokerFault::Timeout, format!("The copies of {what} did not confirm in time (error {code})")),
        22 | 25 => {
            let words = format!("Other consumers are members of {what} now. Give this trigger a group for itself");
            (BrokerFault::Invalid("group"), words)
        }
        24 => (BrokerFault::Invalid("group"), format!("The name of {what} is not one of Kafka")),
        29..=31 => (BrokerFault::Forbidden, format!("The user may not use {what}")),
        33 => (BrokerFault::Refused, "The broker does not know this way to sign in".to_owned()),
        35 => (BrokerFault::Refused, "The broker is older than Kafka 1.0".to_owned()),
        58 => return scram::unaccepted(),
        _ => (BrokerFault::Refused, format!("The broker refuses {what} (error {code} of Kafka)")),
    };
    BrokerError::new(fault, words)
}

/// One connection.
pub(super) struct Client {
    stream: Connection,
    next: i32,
}

impl Client {
    pub(super) async fn send(&mut self, api: Api, body: Out) -> Result<Vec<u8>, BrokerError> {
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        let request = [Out::default().i16(api.0).i16(api.1).i32(id).text("signalbox").done(), body.done()].concat();
        let request = Out::default().bytes(&request).done();
        self.stream.write_all(&request).await.map_err(|error| lost(&error))?;
        self.stream.flush().await.map_err(|error| lost(&error))?;
        let length = self.stream.read_i32().await.map_err(|error| lost(&error))?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if !(4..=MOST_BYTES).contains(&length) {
            return Err(bad_answer("an answer is longer than 64 MiB; check host and port"));
        }
        if self.stream.read_i32().await.map_err(|error| lost(&error))? != id {
            return Err(bad_answer("an answer belongs to no request; check host and port"));
        }
        let mut answer = vec![0; length - 4];
        self.stream.read_exact(&mut answer).await.map_err(|error| lost(&error))?;
        Ok(answer)
    }

    async fn sign_in(&mut self, login: &Login, way: &str) -> Result<(), BrokerError> {
        let Some(password) = &login.password else { return Ok(()) };
        let user = login.user.as_deref().ok_or_else(|| {
            let words = "Kafka needs a user. Choose a credential of the type 'User and password', or enter the user";
            BrokerError::new(BrokerFault::Invalid("user"), words)
        })?;
        let asked = self.send(SASL_HANDSHAKE, Out::default().text(&way.to_ascii_uppercase())).await;
        let answer = asked.map_err(|error| match error.fault {
            BrokerFault::Connection => {
                let words = "The broker ended the connection when somebody signed in. Check whether this port is one for users \
                             (SASL), and its encryption";
                BrokerError::new(BrokerFault::Connection, words)
            }
            _ => error,
        })?;
        let mut answer = In(&answer);
        let code = answer.i16()?;
        if code != 0 {
            let known = answer.each(In::text).unwrap_or_default().join(", ");
            let words = format!("The broker knows no {way}; it accepts: {known}. Choose another way in 'Sign in by'");
            return Err(BrokerError::new(BrokerFault::Invalid("sasl"), words));
        }
        let variant = match way {
            "scram-sha-256" => scram::SHA_256,
            "scram-sha-512" => scram::SHA_512,
            _ => {
                let text = zeroize::Zeroizing::new(format!("\0{user}\0{}", password.as_str()));
                return self.authenticate(text.as_bytes()).await.map(|_| ());
            }
        };
        let mut random = [0; 18];
        getrandom::fill(&mut random).map_err(|_| bad_answer("there are no random numbers"))?;
        let nonce: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let first = scram::First::new(user, &nonce);
        let answer = self.authenticate(first.message().as_bytes()).await?;
        let (last, wanted) = first.last(variant, password, &answer)?;
        let proof = self.authenticate(last.as_bytes()).await?;
        scram::proved(&proof, &wanted)
    }

    async fn authenticate(&mut self, bytes: &[u8]) -> Result<String, BrokerError> {
        let answer = self.send(SASL_AUTHENTICATE, Out::default().bytes(bytes)).await?;
        let mut answer = In(&answer);
        let code = answer.i16()?;
        answer.text()?;
        if code != 0 {
            return Err(scram::unaccepted());
        }
        String::from_utf8(answer.bytes()?.to_vec()).map_err(|_| bad_answer("it does not sign in as SASL says"))
    }
}

/// A cluster with what it says about one topic.
pub(super) struct Cluster<'a> {
    brokers: &'a MessageBrokers,
    first: &'a Broker,
    nodes: BTreeMap<i32, (String, u16)>,
    open: BTreeMap<i32, Client>,
    /// Partition → the broker that leads it.
    pub(super) leaders: BTreeMap<i32, i32>,
}

async fn connect(brokers: &MessageBrokers, broker: &Broker) -> Result<Client, BrokerError> {
    let opened = connect::open(brokers, broker).await?;
    let mut client = Client { stream: opened.stream, next: 0 };
    client.sign_in(&opened.login, broker.sasl.as_deref().unwrap_or("plain")).await?;
    Ok(client)
}

impl<'a> Cluster<'a> {
    pub(super) async fn open(brokers: &'a MessageBrokers, first: &'a Broker, topic: &str) -> Result<Self, BrokerError> {
        Self::of(brokers, first, Some(topic)).await
    }

    /// The cluster with its brokers, and with the leaders of a topic where one is named.
    pub(super) async fn of(
        brokers: &'a MessageBrokers,
        first: &'a Broker,
        topic: Option<&str>,
    ) -> Result<Self, BrokerError> {
        let mut client = connect(brokers, first).await?;
        let ask = Out::default().each(topic.into_iter(), Out::text).i8(0);
        let answer = client.send(METADATA, ask).await?;
        let mut answer = In(&answer);
        answer.i32()?;
        let port = |port: i32| u16::try_from(port).map_err(|_| bad_answer("a broker has no port"));
        let nodes = answer.each(|one| {
            let node = (one.i32()?, (one.text()?, port(one.i32()?)?));
            one.text()?;
            Ok(node)
        })?;
        answer.text()?;
        answer.i32()?;
        let topics = answer.each(|one| {
            let (code, _name, _internal) = (one.i16()?, one.text()?, one.i8()?);
            let partitions = one.each(|part| {
                let found = (part.i16()?, part.i32()?, part.i32()?);
                part.each(In::i32)?;
                part.each(In::i32)?;
                Ok(found)
            })?;
            Ok((code, partitions))
        })?;
        let what = format!("topic '{}'", topic.unwrap_or_default().chars().take(100).collect::<String>());
        let (code, partitions) = topics.into_iter().next().unwrap_or((3, Vec::new()));
        if topic.is_some() && (code != 0 || partitions.is_empty()) {
            return Err(refusal(if code == 0 { 3 } else { code }, &what));
        }
        if nodes.len() > MOST || partitions.len() > MOST {
            return Err(bad_answer("it names more than 10,000 brokers or partitions"));
        }
        // A partition without a leader has an error; the others go on.
        let leaders = partitions.iter().filter(|(_, _, leader)| *leader >= 0);
        let leaders: BTreeMap<i32, i32> = leaders.map(|(_, number, leader)| (*number, *leader)).collect();
        if topic.is_some() && leaders.is_empty() {
            return Err(refusal(5, &what));
        }
        let mut cluster = Self { brokers, first, nodes: nodes.into_iter().collect(), open: BTreeMap::new(), leaders };
        // The broker that answered is one of them, if it is named as it was reached.
        let same = |(host, port): &(String, u16)| *host == first.host && *port == first.port;
        let node = cluster.nodes.iter().find(|(_, place)| same(place)).map(|(node, _)| *node);
        cluster.open.insert(node.unwrap_or(-1), client);
        Ok(cluster)
    }

    /// The brokers that the cluster names.
    pub(super) fn nodes(&self) -> impl Iterator<Item = i32> {
        self.nodes.keys().copied()
    }

    /// A connection to one of the brokers.
    pub(super) async fn node(&mut self, node: i32) -> Result<&mut Client, BrokerError> {
        if !self.open.contains_key(&node) {
            let client = self.another(node).await?;
            self.open.insert(node, client);
        }
        self.open.get_mut(&node).ok_or_else(|| bad_answer("a broker is missing"))
    }

    async fn another(&mut self, node: i32) -> Result<Client, BrokerError> {
        let (host, port) = self.nodes.get(&node).ok_or_else(|| bad_answer("a partition has an unknown leader"))?;
        // This machine is reached only where a person named it.
        let loopback_allowed = self.first.loopback_allowed && is_this_machine(&canonical(&self.first.host));
        let broker = Broker { host: host.clone(), port: *port, loopback_allowed, ..self.first.clone() };
        connect(self.brokers, &broker).await.map_err(|error| {
            let words = format!("The cluster names the broker {host}:{port}: {}", error.message);
            BrokerError { message: words, ..error }
        })
    }

    /// A connection for this question alone.
    pub(super) fn take(&mut self, node: i32) -> Option<Client> {
        self.open.remove(&node)
    }

    pub(super) fn put(&mut self, node: i32, client: Client) {
        self.open.insert(node, client);
    }

    /// The broker that keeps the offsets of a group.
    pub(super) async fn coordinator(&mut self, group: &str) -> Result<i32, BrokerError> {
        let what = format!("group '{group}'");
        let node = self.open.keys().next().copied().unwrap_or(-1);
        let answer = self.node(node).await?.send(FIND_COORDINATOR, Out::default().text(group)).await?;
        let mut answer = In(&answer);
        let (code, node, host, port) = (answer.i16()?, answer.i32()?, answer.text()?, answer.i32()?);
        if code != 0 {
            return Err(refusal(code, &what));
        }
        let port = u16::try_from(port).map_err(|_| bad_answer("a broker has no port"))?;
        self.nodes.entry(node).or_insert((host, port));
        Ok(node)
    }
}
