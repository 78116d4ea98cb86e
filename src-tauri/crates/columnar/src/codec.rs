//! Compressed bytes, unpacked up to a limit, whatever they say of their size. In Rust only, with the libraries that the program has for
//! archives and answers.

use crate::failure::too_large;
use parquet::basic::Compression;
use ruzstd::decoding::StreamingDecoder;
use signalbox_documents::Error;
use std::io::Read;

/// How bytes are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codec {
    Snappy,
    Gzip,
    Brotli,
    Zstd,
    /// A block without a frame.
    Lz4Block,
    /// Blocks with sizes before them, as Hadoop writes; some old writers wrote a frame or a block under this name.
    Lz4Hadoop,
    Lz4Frame,
}

impl Codec {
    /// That of a column of Parquet; `None` when it is not compressed.
    pub(crate) fn of(compression: Compression) -> Result<Option<Self>, &'static str> {
        Ok(Some(match compression {
            Compression::UNCOMPRESSED => return Ok(None),
            Compression::SNAPPY => Self::Snappy,
            Compression::GZIP(_) => Self::Gzip,
            Compression::BROTLI(_) => Self::Brotli,
            Compression::ZSTD(_) => Self::Zstd,
            Compression::LZ4 => Self::Lz4Hadoop,
            Compression::LZ4_RAW => Self::Lz4Block,
            Compression::LZO => return Err("LZO"),
        }))
    }
}

/// Why bytes are not unpacked.
pub(crate) enum Unpacking {
    /// They would be more than the limit.
    TooLarge,
    /// Plain words.
    Damaged(String),
}

impl Unpacking {
    fn damaged(error: impl ToString) -> Self {
        Self::Damaged(error.to_string())
    }

    /// As an error; `damaged` makes one of plain words.
    pub(crate) fn error(self, limit: u64, part: &str, damaged: impl FnOnce(&str) -> Error) -> Error {
        match self {
            Self::TooLarge => too_large(
                format!(
                    "{part} has more than {} MiB when it is unpacked. Write the file with smaller ones",
                    limit >> 20
                ),
                limit,
            ),
            Self::Damaged(why) => damaged(&format!("compressed data is damaged ({why})")),
        }
    }
}

/// Unpacks bytes.
pub(crate) fn unpack(codec: Codec, packed: &[u8], limit: u64) -> Result<Vec<u8>, Unpacking> {
    if packed.is_empty() {
        return Ok(Vec::new());
    }
    match codec {
        Codec::Snappy => {
            let length = snap::raw::decompress_len(packed).map_err(Unpacking::damaged)?;
            below(length, limit)?;
            snap::raw::Decoder::new().decompress_vec(packed).map_err(Unpacking::damaged)
        }
        Codec::Gzip => all(flate2::read::MultiGzDecoder::new(packed), limit),
        Codec::Brotli => all(brotli_decompressor::Decompressor::new(packed, 4096), limit),
        Codec::Zstd => {
            let (mut rest, mut out) = (packed, Vec::new());
            // Frames one after the other; each decoder ends with its frame.
            while !rest.is_empty() {
                let decoder = StreamingDecoder::new(&mut rest).map_err(Unpacking::damaged)?;
                let room = limit.saturating_sub(out.len() as u64);
                out.extend(all(decoder, room)?);
            }
            Ok(out)
        }
        Codec::Lz4Frame => all(lz4_flex::frame::FrameDecoder::new(packed), limit),
        Codec::Lz4Block => lz4_block(packed, limit),
        Codec::Lz4Hadoop => match lz4_hadoop(packed, limit) {
            Err(Unpacking::Damaged(_)) => {
                all(lz4_flex::frame::FrameDecoder::new(packed), limit).or_else(|error| match error {
                    Unpacking::Damaged(_) => lz4_block(packed, limit),
                    Unpacking::TooLarge => Err(error),
                })
            }
            done => done,
        },
    }
}

fn below(length: usize, limit: u64) -> Result<(), Unpacking> {
    if length as u64 > limit { Err(Unpacking::TooLarge) } else { Ok(()) }
}

fn all(reader: impl Read, limit: u64) -> Result<Vec<u8>, Unpacking> {
    let mut out = Vec::new();
    reader.take(limit.saturating_add(1)).read_to_end(&mut out).map_err(Unpacking::damaged)?;
    below(out.len(), limit)?;
    Ok(out)
}

fn lz4_block(packed: &[u8], limit: u64) -> Result<Vec<u8>, Unpacking> {
    let length = lz4_length(packed).ok_or_else(|| Unpacking::damaged("an LZ4 block ends too early"))?;
    below(length, limit)?;
    lz4_flex::block::decompress(packed, length).map_err(Unpacking::damaged)
}

/// How long a block is when it is unpacked: its sequences say so, one after the other.
fn lz4_length(packed: &[u8]) -> Option<usize> {
    let (mut at, mut total) = (0_usize, 0_usize);
    let more = |at: &mut usize, mut length: usize| {
        if length == 15 {
            loop {
                let byte = *packed.get(*at)?;
                *at += 1;
                length = length.checked_add(usize::from(byte))?;
                if byte != 255 {
                    break;
                }
            }
        }
        Some(length)
    };
    while at < packed.len() {
        let token = *packed.get(at)?;
        at += 1;
        let literals = more(&mut at, usize::from(token >> 4))?;
        at = at.checked_add(literals)?;
        total = total.checked_add(literals)?;
        if at == packed.len() {
            return Some(total);
        }
        // Two bytes say how far back the match is.
        at = at.checked_add(2)?;
        total = total.checked_add(more(&mut at, usize::from(token & 15))?.checked_add(4)?)?;
    }
    None
}

fn lz4_hadoop(packed: &[u8], limit: u64) -> Result<Vec<u8>, Unpacking> {
    let early = || Unpacking::damaged("an LZ4 frame of Hadoop ends too early");
    let (mut rest, mut out) = (packed, Vec::new());
    while !rest.is_empty() {
        let (head, behind) = rest.split_at_checked(8).ok_or_else(early)?;
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_be_bytes) as usize;
        let (unpacked, length) = (number(&head[..4]), number(&head[4..]));
        let (block, behind) = behind.split_at_checked(length).ok_or_else(early)?;
        // Both say the same of an honest block; the sequences are what bounds the memory.
        if lz4_length(block) != Some(unpacked) {
            return Err(early());
        }
        below(out.len() + unpacked, limit)?;
        out.extend(lz4_flex::block::decompress(block, unpacked).map_err(Unpacking::damaged)?);
        rest = behind;
    }
    Ok(out)
}
