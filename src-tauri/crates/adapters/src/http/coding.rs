//! Content codings of answers (RFC 9110, 8.4): undone before anybody reads the body, whether they were asked for or not.

use brotli_decompressor::{BrotliDecoderParameter, Decompressor};
use flate2::{Decompress, FlushDecompress, Status};
use reqwest::header::{CONTENT_ENCODING, HeaderMap, TRANSFER_ENCODING};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// More than any honest server stacks.
const MOST_CODINGS: usize = 4;
/// Largest window of zstd on the web (RFC 9659).
const ZSTD_WINDOW: u64 = 8 * 1024 * 1024;
const GZIP_WINDOW_BITS: u8 = 15;

/// A coding that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// Why a body stays coded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It is larger than the limit without its coding.
    TooLarge,
    /// Plain words.
    Unreadable(String),
}

/// The codings of an answer, in the order in which they were applied; the error is in plain words.
pub(crate) fn of(headers: &HeaderMap) -> Result<Vec<Coding>, String> {
    let mut found = Vec::new();
    for (header, title) in [(CONTENT_ENCODING, "Content-Encoding"), (TRANSFER_ENCODING, "Transfer-Encoding")] {
        for value in headers.get_all(&header) {
            let text = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
            for token in text.split(',').map(str::trim) {
                match token {
                    "" | "identity" => {}
                    // The client has put the chunks together.
                    "chunked" if header == TRANSFER_ENCODING => {}
                    "gzip" | "x-gzip" => found.push(Coding::Gzip),
                    "deflate" => found.push(Coding::Deflate),
                    "br" => found.push(Coding::Brotli),
                    "zstd" => found.push(Coding::Zstd),
                    other => {
                        let coding: String = other.chars().take(40).collect();
                        return Err(format!(
                            "The answer has the header {title}: {coding}, and this coding is not known. Known are gzip, \
                             deflate, br and zstd; ask for one of them with the header Accept-Encoding"
                        ));
                    }
                }
            }
        }
    }
    if found.len() > MOST_CODINGS {
        return Err(format!(
            "The answer has {} codings in its header Content-Encoding; at most {MOST_CODINGS} are undone",
            found.len()
        ));
    }
    Ok(found)
}

/// Undoes the codings. Reading stops at the limit, so that a small body never takes more memory than it allows.
pub(crate) fn undo(body: &[u8], codings: &[Coding], limit: usize) -> Result<Vec<u8>, Trouble> {
    let reader = reader(Box::new(body), codings).map_err(|error| unreadable(codings, &error))?;
    let mut plain = Vec::new();
    reader.take(limit as u64 + 1).read_to_end(&mut plain).map_err(|error| unreadable(codings, &error))?;
    if plain.len() > limit { Err(Trouble::TooLarge) } else { Ok(plain) }
}

/// Undoes the codings while it is read.
pub(crate) fn reader<'a>(mut reader: Box<dyn Read + 'a>, codings: &[Coding]) -> io::Result<Box<dyn Read + 'a>> {
    for coding in codings.iter().rev() {
        reader = decoder(*coding, BufReader::new(reader))?;
    }
    Ok(reader)
}

pub(crate) fn unreadable(codings: &[Coding], error: &io::Error) -> Trouble {
    let names: Vec<&str> = codings.iter().map(|coding| coding.name()).collect();
    let why = match error.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early",
        _ => "its bytes are damaged or of another coding",
    };
    Trouble::Unreadable(format!(
        "The answer cannot be unpacked by its header Content-Encoding: {}: {why}",
        names.join(", ")
    ))
}

fn decoder<'a>(coding: Coding, reader: BufReader<Box<dyn Read + 'a>>) -> io::Result<Box<dyn Read + 'a>> {
    Ok(match coding {
        Coding::Gzip => Box::new(Inflate::new(reader, Decompress::new_gzip(GZIP_WINDOW_BITS), true)),
        Coding::Deflate => {
            // The standard means zlib; some servers send the bare stream, and browsers take both.
            let mut reader = reader;
            let mut start = Vec::with_capacity(2);
            reader.by_ref().take(2).read_to_end(&mut start)?;
            let zlib =
                matches!(start[..], [cmf, flags] if cmf & 0x0f == 8 && u16::from_be_bytes([cmf, flags]) % 31 == 0);
            Box::new(Inflate::new(Cursor::new(start).chain(reader), Decompress::new(zlib), false))
        }
        Coding::Brotli => {
            let mut brotli = Decompressor::new(reader, 4096);
            // Not of the web (RFC 7932), and a window of up to 1 GiB.
            brotli.set_parameter(BrotliDecoderParameter::BROTLI_DECODER_PARAM_LARGE_WINDOW, 0);
            Box::new(brotli)
        }
        Coding::Zstd => {
            let mut decoder = FrameDecoder::new();
            decoder.set_max_window_size(ZSTD_WINDOW);
            Box::new(Zstd { input: reader, decoder, frames: 0, open: false })
        }
    })
}

fn ends_early() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early")
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "damaged")
}

/// Deflate in one of its wrappers. Unlike the readers of the library it tells a stream that ends too early.
struct Inflate<R> {
    input: R,
    state: Decompress,
    /// Several gzip members may follow each other.
    members: bool,
    done: bool,
}

impl<R: BufRead> Inflate<R> {
    fn new(input: R, state: Decompress, members: bool) -> Self {
        Self { input, state, members, done: false }
    }
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !self.done && !out.is_empty() {
            let chunk = self.input.fill_buf()?;
            let at_end = chunk.is_empty();
            let (read, written) = (self.state.total_in(), self.state.total_out());
            let status = self.state.decompress(chunk, out, FlushDecompress::None).map_err(|_| damaged())?;
            let read = usize::try_from(self.state.total_in() - read).unwrap_or_default();
            let written = usize::try_from(self.state.total_out() - written).unwrap_or_default();
            self.input.consume(read);
            if status == Status::StreamEnd {
                let next = self.input.fill_buf()?;
                // Anything else behind the end is padding, which browsers pass over, too.
                if self.members && next.first() == Some(&0x1f) && next.get(1).is_none_or(|byte| *byte == 0x8b) {
                    self.state = Decompress::new_gzip(GZIP_WINDOW_BITS);
                } else {
                    self.done = true;
                }
            } else if written == 0 && read == 0 {
                return Err(if at_end { ends_early() } else { damaged() });
            }
            if written > 0 {
                return Ok(written);
            }
        }
        Ok(0)
    }
}

/// Frames of zstd, one after another.
struct Zstd<R> {
    input: R,
    decoder: FrameDecoder,
    frames: usize,
    open: bool,
}

impl<R: BufRead> Zstd<R> {
    /// Opens the next frame; false at the end.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.input.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.input) {
                Ok(()) => {
                    (self.frames, self.open) = (self.frames + 1, true);
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.input.by_ref().take(length), &mut io::sink())? < length {
                        return Err(ends_early());
                    }
                }
                // Padding behind the last frame.
                Err(FrameDecoderError::ReadFrameHeaderError(
                    ReadFrameHeaderError::BadMagicNumber(_) | ReadFrameHeaderError::MagicNumberReadError(_),
                )) if self.frames > 0 => {
                    return Ok(false);
                }
                Err(_) if self.input.fill_buf()?.is_empty() => return Err(ends_early()),
                Err(_) => return Err(damaged()),
            }
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !out.is_empty() {
            if !self.open && !self.next_frame()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let block = self.decoder.decode_blocks(&mut self.input, BlockDecodingStrategy::UptoBlocks(1));
                if block.is_err() {
                    return Err(if self.input.fill_buf()?.is_empty() { ends_early() } else { damaged() });
                }
            }
            let written = self.decoder.read(out)?;
            if self.decoder.is_finished() && self.decoder.can_collect() == 0 {
                self.open = false;
                let sum = self.decoder.get_checksum_from_data();
                if sum.is_some() && sum != self.decoder.get_calculated_checksum() {
                    return Err(damaged());
                }
            }
            if written > 0 {
                return Ok(written);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests;
