//! One message of Arrow: its head, its body, and both as the library reads them. Compressed bodies are unpacked here, up to a limit.

use crate::codec::{Codec, unpack};
use crate::failure::{CONTINUATION, Format, too_large};
use crate::source::Source;
use crate::{MAX_BATCH, MAX_FOOTER};
use arrow_buffer::Buffer;
use arrow_ipc::{Block, CompressionType, Message, MessageHeader, RecordBatch, root_as_message};
use bytes::Bytes;
use signalbox_documents::Error;

/// What is before the data of a compressed buffer that is not compressed.
const AS_IT_IS: [u8; 8] = (-1_i64).to_le_bytes();

pub(crate) fn damaged(why: &str) -> Error {
    Format::ArrowFile.damaged(why)
}

/// The head of a message.
pub(crate) struct Head {
    /// With the length before it.
    bytes: Bytes,
    /// How long that is.
    before: usize,
    pub(crate) kind: MessageHeader,
    /// Rows of a record batch.
    pub(crate) rows: u64,
    body: u64,
    /// Where the body is.
    body_at: u64,
}

impl Head {
    /// The message at a place, with the length of its head where that is known; `None` at the end.
    pub(crate) fn at(source: &Source, at: u64) -> Result<Option<Self>, Error> {
        if at >= source.size() {
            return Ok(None);
        }
        let cut = |error: std::io::Error| damaged(&format!("a message is not whole: {error}"));
        let length = |at| Ok::<_, Error>(source.bytes(at, 4).map_err(cut)?.as_ref().try_into().unwrap_or([0; 4]));
        let first: [u8; 4] = length(at)?;
        // Before 2019 messages began with their length.
        let (before, length) = if first == CONTINUATION { (8, length(at + 4)?) } else { (4, first) };
        let length =
            u64::try_from(i32::from_le_bytes(length)).map_err(|_| damaged("a message has a negative length"))?;
        if length == 0 {
            return Ok(None);
        }
        if length > MAX_FOOTER {
            return Err(too_large(
                format!("The head of a message has {length} bytes, and at most {MAX_FOOTER} are read"),
                MAX_FOOTER,
            ));
        }
        let all = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(before);
        let bytes = source.bytes(at, all).map_err(cut)?;
        let message = message(&bytes, before)?;
        let rows = message.header_as_record_batch().map_or(0, |batch| batch.length());
        let rows = u64::try_from(rows).map_err(|_| damaged("a record batch has less than no rows"))?;
        let body = u64::try_from(message.bodyLength()).map_err(|_| damaged("a message has a negative length"))?;
        let kind = message.header_type();
        Ok(Some(Self { before, kind, rows, body, body_at: at + all as u64, bytes }))
    }

    pub(crate) fn message(&self) -> Result<Message<'_>, Error> {
        message(&self.bytes, self.before)
    }

    /// Where the next message is.
    pub(crate) fn end(&self) -> u64 {
        self.body_at.saturating_add(self.body)
    }

    /// The whole message, not compressed, with the place of its body.
    pub(crate) fn with_body(&self, source: &Source) -> Result<(Block, Buffer), Error> {
        if self.body > MAX_BATCH {
            return Err(batch_too_large());
        }
        let length = usize::try_from(self.body).unwrap_or(usize::MAX);
        let body =
            source.bytes(self.body_at, length).map_err(|error| damaged(&format!("a message is not whole: {error}")))?;
        let message = self.message()?;
        let batch = message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data());
        let mut all = self.bytes.to_vec();
        match batch {
            Some(batch) if batch.compression().is_some() => {
                let made = unpacked(&batch, &body)?;
                let places = batch.buffers().map(|buffers| buffers.bytes()).unwrap_or_default();
                let at = (places.as_ptr() as usize).checked_sub(self.bytes.as_ptr() as usize);
                let there = at.and_then(|at| all.get_mut(at..at + places.len())).filter(|there| *there == places);
                let there = there.ok_or_else(|| damaged("a message has no list of its buffers"))?;
                there.copy_from_slice(&made.places);
                all.extend_from_slice(&made.body);
            }
            Some(batch) => {
                inside(&batch, body.len())?;
                all.extend_from_slice(&body);
            }
            None => all.extend_from_slice(&body),
        }
        let head = i32::try_from(self.bytes.len()).map_err(|_| damaged("a message is too long"))?;
        let body = i64::try_from(all.len() - self.bytes.len()).map_err(|_| damaged("a message is too long"))?;
        Ok((Block::new(0, head, body), Buffer::from_vec(all)))
    }
}

fn message(bytes: &[u8], before: usize) -> Result<Message<'_>, Error> {
    let bytes = bytes.get(before..).unwrap_or_default();
    root_as_message(bytes).map_err(|error| damaged(&format!("a message cannot be understood: {error}")))
}

fn batch_too_large() -> Error {
    let words = format!("A record batch has more than {} MiB. Write the file with fewer rows in each", MAX_BATCH >> 20);
    too_large(words, MAX_BATCH)
}

/// Each buffer is inside the body.
fn inside(batch: &RecordBatch<'_>, length: usize) -> Result<(), Error> {
    for buffer in batch.buffers().into_iter().flatten() {
        place(buffer.offset(), buffer.length(), length)?;
    }
    Ok(())
}

fn place(offset: i64, length: i64, all: usize) -> Result<std::ops::Range<usize>, Error> {
    let range = || {
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        (end <= all).then_some(start..end)
    };
    range().ok_or_else(|| {
        damaged(&format!("a buffer of {length} bytes at {offset} is outside of its message, which has {all}"))
    })
}

/// A body without compression: each buffer says that it is as it is.
struct Unpacked {
    /// Offset and length of each buffer, as a message has them.
    places: Vec<u8>,
    body: Vec<u8>,
}

fn unpacked(batch: &RecordBatch<'_>, body: &[u8]) -> Result<Unpacked, Error> {
    let kind = batch.compression().map(|compression| compression.codec());
    let codec = match kind {
        Some(CompressionType::ZSTD) => Codec::Zstd,
        Some(CompressionType::LZ4_FRAME) => Codec::Lz4Frame,
        other => {
            let words = format!(
                "The file is compressed in a way that is not known ({other:?}). Write it with LZ4 or Zstandard"
            );
            return Err(Error::new("UNSUPPORTED_COMPRESSION", words));
        }
    };
    let mut made = Unpacked { places: Vec::new(), body: Vec::new() };
    for buffer in batch.buffers().into_iter().flatten() {
        let packed = &body[place(buffer.offset(), buffer.length(), body.len())?];
        let start = made.body.len();
        if !packed.is_empty() {
            let (length, data) =
                packed.split_first_chunk::<8>().ok_or_else(|| damaged("a compressed buffer has no length"))?;
            made.body.extend_from_slice(&AS_IT_IS);
            if *length == AS_IT_IS {
                made.body.extend_from_slice(data);
            } else {
                let wanted = u64::try_from(i64::from_le_bytes(*length))
                    .map_err(|_| damaged("a compressed buffer has a negative length"))?;
                let room = MAX_BATCH.saturating_sub(made.body.len() as u64);
                if wanted > room {
                    return Err(batch_too_large());
                }
                // A buffer of no bytes may be anything that is compressed.
                let data = if wanted == 0 {
                    Vec::new()
                } else {
                    unpack(codec, data, wanted).map_err(|error| error.error(wanted, "A buffer", damaged))?
                };
                if data.len() as u64 != wanted {
                    return Err(damaged(&format!("a buffer has {} bytes and says that it has {wanted}", data.len())));
                }
                made.body.extend_from_slice(&data);
            }
        }
        made.places.extend_from_slice(&(start as u64).to_le_bytes());
        made.places.extend_from_slice(&((made.body.len() - start) as u64).to_le_bytes());
        made.body.resize(made.body.len().next_multiple_of(8), 0);
        if made.body.len() as u64 > MAX_BATCH {
            return Err(batch_too_large());
        }
    }
    Ok(made)
}
