//! Kafka, in the versions of its requests that brokers from 1.0 to 4 know. A trigger reads all partitions of its topic, and keeps
//! what it has done as the offsets of its group (ADR 191).

mod client;
mod records;
mod scram;
mod wire;

use super::MessageBrokers;
use super::connect::{bad_answer, within};
use client::{Client, Cluster, FETCH, LIST_OFFSETS, OFFSET_COMMIT, OFFSET_FETCH, PRODUCE, refusal};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use records::Record;
use signalbox_ports::brokers::{Broker, BrokerError, MessageWatch, Messages, OutgoingMessage, ReceivedMessage};
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use wire::{In, Out};

/// Bytes of one partition, and of one answer.
const PARTITION_BYTES: i32 = 1 << 20;
const ANSWER_BYTES: i32 = 32 << 20;
/// How long a broker holds back an answer without messages.
const WAIT: Duration = Duration::from_secs(10);
/// All copies that are in step have a message before it counts.
const ALL_COPIES: i16 = -1;
const EARLIEST: i64 = -2;
const LATEST: i64 = -1;
/// Brokers of a cluster that a check signs in at.
const CHECKED: usize = 5;
const OUT_OF_RANGE: i16 = 1;
/// Where the media type is, as other programs write it.
const MEDIA: &str = "content-type";

fn topic_words(topic: &str) -> String {
    format!("topic '{}'", topic.chars().take(100).collect::<String>())
}

/// Signs in at the broker that is named, and at some of those that it names: messages go there.
pub(super) async fn check(brokers: &MessageBrokers, broker: &Broker) -> Result<(), BrokerError> {
    let mut cluster = Cluster::of(brokers, broker, None).await?;
    let nodes: Vec<i32> = cluster.nodes().take(CHECKED).collect();
    for node in nodes {
        cluster.node(node).await?;
    }
    Ok(())
}

/// Gives partition and offset.
pub(super) async fn publish(
    brokers: &MessageBrokers,
    broker: &Broker,
    message: &OutgoingMessage,
    sent: &mut bool,
) -> Result<String, BrokerError> {
    let mut cluster = Cluster::open(brokers, broker, &message.topic).await?;
    let numbers: Vec<i32> = cluster.leaders.keys().copied().collect();
    // Without a key any partition will do: the one that the call's own key leads to.
    let spread = message.order_key.as_deref().or(message.key.as_deref()).unwrap_or_default();
    let at = crate::murmur2::partition_of(spread.as_bytes(), numbers.len());
    let number = numbers.get(at).copied().unwrap_or_default();
    let leader = cluster.leaders.get(&number).copied().unwrap_or(-1);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let headers = message.headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes()));
    let media = message.media.iter().map(|media| (MEDIA.to_owned(), media.clone().into_bytes()));
    let record = Record {
        offset: 0,
        at: i64::try_from(now.as_millis()).unwrap_or_default(),
        key: message.order_key.as_ref().map(|key| key.clone().into_bytes()),
        value: Some(message.body.clone()),
        headers: media.chain(headers).collect(),
    };
    let batch = records::batch(&record);
    let limit = i32::try_from(broker.timeout.as_millis()).unwrap_or(i32::MAX);
    let request = Out::default().none().i16(ALL_COPIES).i32(limit).count(1).text(&message.topic).count(1).i32(number);
    let client = cluster.node(leader).await?;
    *sent = true;
    let answer = client.send(PRODUCE, request.bytes(&batch)).await?;
    let mut answer = In(&answer);
    let mut found = answer.each(|topic| {
        topic.text()?;
        topic.each(|part| {
            let found = (part.i32()?, part.i16()?, part.i64()?);
            part.i64()?;
            Ok(found)
        })
    })?;
    let (number, code, offset) =
        found.pop().and_then(|mut parts| parts.pop()).ok_or_else(|| bad_answer("it confirms nothing"))?;
    if code != 0 {
        // Only these two leave open whether it stays.
        *sent = matches!(code, 7 | 20);
        return Err(refusal(code, &topic_words(&message.topic)));
    }
    Ok(format!("{number}:{offset}"))
}

/// The places of partitions, for one request about them.
fn about(topic: &str, parts: &[(i32, i64)], write: impl Fn(Out, i32, i64) -> Out) -> Out {
    let parts = parts.iter().copied();
    Out::default().count(1).text(topic).each(parts, |out, (number, offset)| write(out, number, offset))
}

/// Answers of such a request.
fn answered<T>(
    answer: &mut In<'_>,
    mut read: impl FnMut(&mut In<'_>) -> Result<T, BrokerError>,
) -> Result<Vec<T>, BrokerError> {
    let topics = answer.each(|topic| {
        topic.text()?;
        topic.each(&mut read)
    })?;
    Ok(topics.into_iter().flatten().collect())
}

/// The first or the last offset of each of these partitions.
async fn ends(
    cluster: &mut Cluster<'_>,
    topic: &str,
    numbers: &[i32],
    at: i64,
) -> Result<Vec<(i32, i64)>, BrokerError> {
    let mut found = Vec::new();
    for (leader, parts) in by_leader(cluster, numbers.iter().map(|number| (*number, at))) {
        let request = [Out::default().i32(-1).done(), about(topic, &parts, |out, n, at| out.i32(n).i64(at)).done()];
        let answer = cluster.node(leader).await?.send(LIST_OFFSETS, Out::raw(request.concat())).await?;
        for (number, code, offset) in answered(&mut In(&answer), |part| {
            let (number, code, _time) = (part.i32()?, part.i16()?, part.i64()?);
            Ok((number, code, part.i64()?))
        })? {
            if code != 0 {
                return Err(refusal(code, &topic_words(topic)));
            }
            found.push((number, offset));
        }
    }
    Ok(found)
}

fn by_leader(cluster: &Cluster<'_>, parts: impl Iterator<Item = (i32, i64)>) -> BTreeMap<i32, Vec<(i32, i64)>> {
    let mut found: BTreeMap<i32, Vec<(i32, i64)>> = BTreeMap::new();
    for (number, offset) in parts {
        if let Some(leader) = cluster.leaders.get(&number) {
            found.entry(*leader).or_default().push((number, offset));
        }
    }
    found
}

/// Where a look begins: behind what is done, for each partition.
async fn positions(cluster: &mut Cluster<'_>, watch: &MessageWatch) -> Result<BTreeMap<i32, i64>, BrokerError> {
    let group = format!("group '{}'", watch.group);
    let node = cluster.coordinator(&watch.group).await?;
    let numbers: Vec<i32> = cluster.leaders.keys().copied().collect();
    let parts: Vec<(i32, i64)> = numbers.iter().map(|number| (*number, 0)).collect();
    let request =
        [Out::default().text(&watch.group).done(), about(&watch.topic, &parts, |out, n, _| out.i32(n)).done()];
    let answer = cluster.node(node).await?.send(OFFSET_FETCH, Out::raw(request.concat())).await?;
    let mut found = BTreeMap::new();
    for (number, offset, code) in answered(&mut In(&answer), |part| {
        let (number, offset, _note) = (part.i32()?, part.i64()?, part.text()?);
        Ok((number, offset, part.i16()?))
    })? {
        if code != 0 && code != 3 {
            return Err(refusal(code, &group));
        }
        if offset >= 0 {
            found.insert(number, offset);
        }
    }
    for id in &watch.settled {
        if let Some((number, offset)) = place(id) {
            let done = found.entry(number).or_insert(0);
            *done = (*done).max(offset.saturating_add(1));
        }
    }
    // A partition that was added later begins with its first message.
    let missing: Vec<i32> = numbers.iter().copied().filter(|number| !found.contains_key(number)).collect();
    let from = if watch.existing || !found.is_empty() { EARLIEST } else { LATEST };
    found.extend(ends(cluster, &watch.topic, &missing, from).await?);
    found.retain(|number, _| numbers.contains(number));
    commit(cluster, watch, node, &found).await?;
    Ok(found)
}

/// Tells the group how far it is, with each look: a cluster forgets what is not told for some days.
async fn commit(
    cluster: &mut Cluster<'_>,
    watch: &MessageWatch,
    node: i32,
    positions: &BTreeMap<i32, i64>,
) -> Result<(), BrokerError> {
    let parts: Vec<(i32, i64)> = positions.iter().map(|(number, offset)| (*number, *offset)).collect();
    let head = Out::default().text(&watch.group).i32(-1).text("").i64(-1).done();
    let rest = about(&watch.topic, &parts, |out, number, offset| out.i32(number).i64(offset).none()).done();
    let answer = cluster.node(node).await?.send(OFFSET_COMMIT, Out::raw([head, rest].concat())).await?;
    let codes = answered(&mut In(&answer), |part| {
        part.i32()?;
        part.i16()
    })?;
    match codes.into_iter().find(|code| *code != 0) {
        Some(code) => Err(refusal(code, &format!("group '{}'", watch.group))),
        None => Ok(()),
    }
}

/// Partition and offset of an id.
fn place(id: &str) -> Option<(i32, i64)> {
    let (number, offset) = id.split_once(':')?;
    Some((number.parse().ok()?, offset.parse().ok()?))
}

/// What a broker gave of a partition.
struct Part {
    number: i32,
    code: i16,
    found: records::Found,
}

/// Asks one broker for the messages of its partitions.
async fn fetch(
    client: &mut Client,
    topic: &str,
    parts: &[(i32, i64)],
    wait: Duration,
    most: usize,
) -> Result<Vec<Part>, BrokerError> {
    let wait = i32::try_from(wait.as_millis()).unwrap_or(i32::MAX);
    // Only what no transaction can take back.
    let head = Out::default().i32(-1).i32(wait).i32(1).i32(ANSWER_BYTES).i8(1).done();
    let rest = about(topic, parts, |out, number, offset| out.i32(number).i64(offset).i32(PARTITION_BYTES)).done();
    let answer = client.send(FETCH, Out::raw([head, rest].concat())).await?;
    let mut answer = In(&answer);
    answer.i32()?;
    let starts: BTreeMap<i32, i64> = parts.iter().copied().collect();
    answered(&mut answer, |part| {
        let (number, code, _end, _stable) = (part.i32()?, part.i16()?, part.i64()?, part.i64()?);
        let aborted = part.each(|one| Ok((one.i64()?, one.i64()?)))?;
        let bytes = part.bytes()?;
        let from = starts.get(&number).copied().unwrap_or_default();
        let found = if code == 0 { records::read(bytes, from, most, &aborted)? } else { records::Found::default() };
        Ok(Part { number, code, found })
    })
}

/// One round: what each broker has, or what the first that has something gives.
async fn round(
    cluster: &mut Cluster<'_>,
    watch: &MessageWatch,
    positions: &mut BTreeMap<i32, i64>,
    wait: Duration,
) -> Result<BTreeMap<i32, VecDeque<Record>>, BrokerError> {
    let asked = by_leader(cluster, positions.iter().map(|(number, offset)| (*number, *offset)));
    let mut clients = Vec::new();
    for (leader, parts) in asked {
        cluster.node(leader).await?;
        clients.extend(cluster.take(leader).map(|client| (leader, client, parts)));
    }
    let mut asking: FuturesUnordered<_> = clients
        .into_iter()
        .map(|(leader, mut client, parts)| async move {
            let found = fetch(&mut client, &watch.topic, &parts, wait, watch.most).await;
            (leader, client, found)
        })
        .collect();
    let (mut found, mut lost) = (BTreeMap::new(), Vec::new());
    while let Some((leader, client, parts)) = asking.next().await {
        cluster.put(leader, client);
        for part in parts? {
            match part.code {
                0 => {
                    positions.insert(part.number, part.found.next);
                    if !part.found.records.is_empty() {
                        found.insert(part.number, VecDeque::from(part.found.records));
                    }
                }
                // The topic has dropped what the group was at.
                OUT_OF_RANGE => lost.push(part.number),
                code => return Err(refusal(code, &topic_words(&watch.topic))),
            }
        }
        if !found.is_empty() && !wait.is_zero() {
            // The others wait in vain; their connections end with the look.
            break;
        }
    }
    drop(asking);
    positions.extend(ends(cluster, &watch.topic, &lost, EARLIEST).await?);
    Ok(found)
}

pub(super) async fn watch(
    brokers: &MessageBrokers,
    broker: &Broker,
    watch: &MessageWatch,
) -> Result<Messages, BrokerError> {
    let begin = async {
        let mut cluster = Cluster::open(brokers, broker, &watch.topic).await?;
        let positions = positions(&mut cluster, watch).await?;
        Ok((cluster, positions))
    };
    let (mut cluster, mut positions) = within(broker.timeout, begin).await?;
    let begun = Instant::now();
    let mut wait = Duration::ZERO;
    loop {
        let left = watch.patience.saturating_sub(begun.elapsed());
        let asking = round(&mut cluster, watch, &mut positions, wait.min(left));
        let found = within(broker.timeout.saturating_add(WAIT), asking).await?;
        if !found.is_empty() || left.is_zero() {
            let messages = in_turn(found, watch);
            return Ok(Messages { messages, acknowledged: watch.settled.clone() });
        }
        wait = WAIT;
    }
}

/// Messages of all partitions in turn, so that a busy one does not keep the others waiting.
fn in_turn(mut found: BTreeMap<i32, VecDeque<Record>>, watch: &MessageWatch) -> Vec<ReceivedMessage> {
    let mut messages = Vec::new();
    while messages.len() < watch.most && !found.is_empty() {
        for (number, records) in &mut found {
            let Some(record) = records.pop_front().filter(|_| messages.len() < watch.most) else { continue };
            let Record { offset, at, key, value, mut headers } = record;
            if let Some(key) = key {
                headers.insert(0, ("key".to_owned(), key));
            }
            messages.push(ReceivedMessage {
                id: format!("{number}:{offset}"),
                // A topic that was made anew counts from the beginning again, at another time.
                key: Some(format!("{number}:{offset}@{at}")),
                topic: watch.topic.clone(),
                body: value,
                headers,
                redelivered: false,
            });
        }
        found.retain(|_, records| !records.is_empty());
    }
    messages
}
