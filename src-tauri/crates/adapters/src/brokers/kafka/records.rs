//! Batches of records (version 2, since Kafka 0.11), with their codings undone within bounds.

use super::super::connect::bad_answer;
use super::wire::{In, Out, crc32c, varbytes, varint};
use flate2::read::GzDecoder;
use signalbox_ports::brokers::{BrokerError, BrokerFault};
use std::io::Read;

/// Bytes of a batch whose coding is undone.
const LARGEST: u64 = 64 * 1024 * 1024;
/// Bytes in front of what the length of a batch counts.
const BEFORE: usize = 12;
const CONTROL: i16 = 1 << 5;
const TRANSACTIONAL: i16 = 1 << 4;

/// One record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) offset: i64,
    /// Milliseconds since 1970.
    pub(super) at: i64,
    pub(super) key: Option<Vec<u8>>,
    pub(super) value: Option<Vec<u8>>,
    pub(super) headers: Vec<(String, Vec<u8>)>,
}

/// A batch of one record, as a producer without a transaction writes it.
pub(super) fn batch(record: &Record) -> Vec<u8> {
    let mut inside = vec![0];
    varint(&mut inside, 0);
    varint(&mut inside, 0);
    varbytes(&mut inside, record.key.as_deref());
    varbytes(&mut inside, record.value.as_deref());
    varint(&mut inside, i64::try_from(record.headers.len()).unwrap_or_default());
    for (name, value) in &record.headers {
        varbytes(&mut inside, Some(name.as_bytes()));
        varbytes(&mut inside, Some(value));
    }
    let mut records = Vec::new();
    varbytes(&mut records, Some(&inside));
    let body = Out::default().i16(0).i32(0).i64(record.at).i64(record.at).i64(-1).i16(-1).i32(-1).count(1);
    let body = [body.done(), records].concat();
    let head = Out::default().i64(0).count(body.len() + 9).i32(-1).i8(2).i32(crc32c(&body).cast_signed());
    [head.done(), body].concat()
}

/// What a partition gave.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) records: Vec<Record>,
    /// Behind the last batch, also where it held nothing to see.
    pub(super) next: i64,
}

/// Records from `from` on, at most `most`. What an aborted transaction wrote, and the marks of transactions, are left out;
/// `aborted` has the producers of such and where they began.
pub(super) fn read(bytes: &[u8], from: i64, most: usize, aborted: &[(i64, i64)]) -> Result<Found, BrokerError> {
    let mut all = In(bytes);
    let mut found = Found { records: Vec::new(), next: from };
    // Producers whose transaction is under way in these batches and will be aborted.
    let mut open: Vec<i64> = Vec::new();
    while all.0.len() >= BEFORE && found.records.len() < most {
        let mut head = In(all.0);
        let base = head.i64()?;
        let length = usize::try_from(head.i32()?).map_err(|_| bad_answer("a batch has no length"))?;
        // The last batch is cut where the answer is full.
        let Some(batch) = all.0.get(BEFORE..BEFORE.saturating_add(length)) else { break };
        all.take(BEFORE + length)?;
        let mut batch = In(batch);
        batch.i32()?;
        if batch.i8()? != 2 {
            return Err(bad_answer("its messages have a format from before Kafka 0.11"));
        }
        let crc = batch.i32()?.cast_unsigned();
        if crc != crc32c(batch.0) {
            return Err(bad_answer("a batch of messages is damaged"));
        }
        let attributes = batch.i16()?;
        let last = batch.i32()?;
        let at = batch.i64()?;
        batch.take(8)?;
        let producer = batch.i64()?;
        batch.take(6)?;
        let count = batch.i32()?;
        let end = base.saturating_add(i64::from(last)).saturating_add(1);
        if attributes & TRANSACTIONAL != 0 {
            open.extend(aborted.iter().filter(|(who, first)| *who == producer && *first == base).map(|(who, _)| *who));
            if attributes & CONTROL != 0 {
                open.retain(|who| *who != producer);
            }
        }
        let hidden = attributes & CONTROL != 0 || (attributes & TRANSACTIONAL != 0 && open.contains(&producer));
        if !hidden {
            let plain = decoded(attributes & 7, batch.0)?;
            let mut records = In(&plain);
            for _ in 0..count {
                let record = record(&mut records, base, at)?;
                if record.offset >= from && found.records.len() < most {
                    found.records.push(record);
                }
            }
        }
        found.next = found.next.max(end);
    }
    Ok(found)
}

fn record(records: &mut In<'_>, base: i64, at: i64) -> Result<Record, BrokerError> {
    let mut inside = In(records.varbytes()?.ok_or_else(|| bad_answer("a record is empty"))?);
    inside.i8()?;
    let (later, behind) = (inside.varint()?, inside.varint()?);
    let key = inside.varbytes()?.map(<[u8]>::to_vec);
    let value = inside.varbytes()?.map(<[u8]>::to_vec);
    let mut headers = Vec::new();
    for _ in 0..inside.varint()? {
        let name = String::from_utf8_lossy(inside.varbytes()?.unwrap_or_default()).into_owned();
        headers.push((name, inside.varbytes()?.unwrap_or_default().to_vec()));
    }
    Ok(Record { offset: base.saturating_add(behind), at: at.saturating_add(later), key, value, headers })
}

fn decoded(coding: i16, bytes: &[u8]) -> Result<Vec<u8>, BrokerError> {
    let all = |reader: &mut dyn Read| {
        let mut plain = Vec::new();
        let read = reader.take(LARGEST + 1).read_to_end(&mut plain);
        read.map_err(|_| bad_answer("a batch of messages cannot be decompressed"))?;
        if plain.len() as u64 > LARGEST {
            let words = "A batch of messages is larger than 64 MiB when it is decompressed";
            return Err(BrokerError::new(BrokerFault::TooLarge, words));
        }
        Ok(plain)
    };
    let unknown = |name: &str| {
        let words = format!("The messages are compressed with {name}, which is not read. gzip, zstd and none are");
        Err(BrokerError::new(BrokerFault::Refused, words))
    };
    match coding {
        0 => Ok(bytes.to_vec()),
        1 => all(&mut GzDecoder::new(bytes)),
        2 => unknown("Snappy"),
        3 => unknown("LZ4"),
        4 => {
            let wrong = |_| bad_answer("a batch of messages cannot be decompressed");
            all(&mut ruzstd::decoding::StreamingDecoder::new(bytes).map_err(wrong)?)
        }
        _ => unknown("something new"),
    }
}

#[cfg(test)]
mod tests;
