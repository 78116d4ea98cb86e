//! One partition of the topic: which entries it has, and how more are added to it.

use super::failed;
use crate::sinks::connect::other;
use rskafka::chrono::DateTime;
use rskafka::client::error::{Error, ProtocolError};
use rskafka::client::partition::{Compression, OffsetAt, PartitionClient};
use rskafka::record::Record;
use signalbox_ports::{AuditLine, NotTaken};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of one request; brokers take a million in one batch unless they are told otherwise.
const BYTES: usize = 512 << 10;
/// So far back a partition is read for entries that are there already: more than one batch.
const BACK: i64 = 1_000;
/// Bytes that are fetched at once, and how often.
const FETCHED: i32 = 1 << 20;
const FETCHES: usize = 16;
/// Names of headers.
const LOG: &str = "logId";
const SEQ: &str = "seq";
const HASH: &str = "hash";

pub(super) struct Partition {
    client: PartitionClient,
    /// Hashes of entries that an earlier copy left there, by number.
    stored: HashMap<u64, String>,
}

fn record(line: &AuditLine) -> Record {
    // The time of the copy: by that of the entry, a broker would delete the beginning of a long chain at once.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or_default();
    Record {
        key: Some(line.run_id.clone().into_bytes()),
        value: Some(line.line.trim_end_matches('\n').as_bytes().to_vec()),
        headers: BTreeMap::from([
            (LOG.to_owned(), line.log_id.as_bytes().to_vec()),
            (SEQ.to_owned(), line.seq.to_string().into_bytes()),
            (HASH.to_owned(), line.hash.clone().into_bytes()),
        ]),
        timestamp: DateTime::from_timestamp_millis(now).unwrap_or_default(),
    }
}

/// Number and hash of an entry of the chain `log_id`.
fn entry(record: &Record, log_id: &str) -> Option<(u64, String)> {
    let text = |name: &str| std::str::from_utf8(record.headers.get(name)?).ok();
    (text(LOG)? == log_id).then_some(())?;
    Some((text(SEQ)?.parse().ok()?, text(HASH)?.to_owned()))
}

/// The broker has something against a record, and not against being asked.
fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::ServerError {
            protocol_error: ProtocolError::MessageTooLarge
                | ProtocolError::RecordListTooLarge
                | ProtocolError::InvalidRecord
                | ProtocolError::InvalidTimestamp
                | ProtocolError::CorruptMessage
                | ProtocolError::PolicyViolation,
            ..
        }
    )
}

impl Partition {
    /// Looks what is there of the entries from `first` on, which an earlier copy may have sent.
    pub(super) async fn open(client: PartitionClient, log_id: &str, first: u64) -> io::Result<Self> {
        match stored(&client, log_id, first).await {
            Ok(stored) => Ok(Self { client, stored }),
            // Without the right to read, or what cannot be read: entries may then be there twice.
            Err(Error::ServerError { .. } | Error::InvalidResponse(_) | Error::Request(_)) => {
                Ok(Self { client, stored: HashMap::new() })
            }
            Err(error) => Err(failed(&error)),
        }
    }

    /// Adds the entries at the places `part` of `lines`, in order. The error counts places of `lines`.
    pub(super) async fn send(&self, lines: &[AuditLine], part: &[usize]) -> Result<(), NotTaken> {
        let mut wanted = Vec::new();
        for at in part {
            let Some(line) = lines.get(*at) else { continue };
            match self.stored.get(&line.seq) {
                None => wanted.push((*at, line)),
                Some(hash) if *hash == line.hash => {}
                Some(_) => {
                    let why = other(format!("the topic has another entry with the number {}", line.seq));
                    return Err(NotTaken { taken: *at, why });
                }
            }
        }
        let mut rest = &wanted[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|(_, line)| {
                bytes += line.line.len() + 200;
                bytes <= BYTES
            });
            let (now, later) = rest.split_at(fits.count().clamp(1, rest.len()));
            self.produce(now).await?;
            rest = later;
        }
        Ok(())
    }

    async fn produce(&self, now: &[(usize, &AuditLine)]) -> Result<(), NotTaken> {
        let send = |part: &[(usize, &AuditLine)]| {
            let records = part.iter().map(|(_, line)| record(line)).collect();
            self.client.produce(records, Compression::NoCompression)
        };
        let first = now.first().map_or(0, |(at, _)| *at);
        match send(now).await {
            Ok(_) => Ok(()),
            Err(error) if is_refusal(&error) => {
                // It refuses one of them: those before it go there.
                for one in now {
                    if let Err(error) = send(std::slice::from_ref(one)).await {
                        let why = other(format!("entry {}: {}", one.1.seq, failed(&error)));
                        return Err(NotTaken { taken: one.0, why });
                    }
                }
                Ok(())
            }
            Err(error) => Err(NotTaken { taken: first, why: failed(&error) }),
        }
    }
}

/// Entries at the end of a partition, if there are some from `first` on.
async fn stored(client: &PartitionClient, log_id: &str, first: u64) -> Result<HashMap<u64, String>, Error> {
    let (begin, end) = (client.get_offset(OffsetAt::Earliest).await?, client.get_offset(OffsetAt::Latest).await?);
    let mut found = HashMap::new();
    if end <= begin {
        return Ok(found);
    }
    let last = client.fetch_records(end - 1, 1..FETCHED, 500).await?.0;
    if last.last().and_then(|last| entry(&last.record, log_id)).is_some_and(|(seq, _)| seq < first) {
        return Ok(found);
    }
    let mut at = begin.max(end - BACK);
    for _ in 0..FETCHES {
        let records = client.fetch_records(at, 1..FETCHED, 500).await?.0;
        let Some(last) = records.last() else { break };
        at = last.offset + 1;
        found.extend(records.iter().filter_map(|record| entry(&record.record, log_id)));
        if at >= end {
            break;
        }
    }
    Ok(found)
}
