//! Bytes of a text file become text: by its byte order mark, by looking at it, or by a name.

use crate::Error;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// So many bytes are looked at to tell UTF-16 without a mark.
const LOOKED_AT: usize = 4_096;

/// A text and the encoding it was in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// Without a byte order mark.
    pub text: String,
    /// `utf-8`, `utf-16le`, `windows-1252` and so on.
    pub encoding: String,
    /// The file begins with a byte order mark.
    pub has_bom: bool,
}

/// Decodes with an encoding by its name (`auto` = found out). What is not valid in it is an error, never a replacement character.
///
/// `auto` takes the byte order mark; without one UTF-16 when every other byte is mostly zero; else UTF-8 when it is valid; else
/// Windows-1252, unless there are control characters, which no text has.
pub fn decode(bytes: &[u8], name: &str) -> Result<Decoded, Error> {
    let mark = Encoding::for_bom(bytes);
    let (encoding, skip) = match (name, mark) {
        ("auto", Some((encoding, length))) => (encoding, length),
        ("auto", None) => (found(bytes)?, 0),
        (name, mark) => {
            let unknown = || {
                Error::new("INPUT_INVALID", format!("The encoding '{name}' is not known")).detail("field", "encoding")
            };
            let encoding = Encoding::for_label(name.as_bytes()).ok_or_else(unknown)?;
            (encoding, mark.filter(|(of, _)| *of == encoding).map_or(0, |(_, length)| length))
        }
    };
    let body = bytes.get(skip..).unwrap_or_default();
    let text = encoding.decode_without_bom_handling_and_without_replacement(body).ok_or_else(|| {
        let at = if encoding == UTF_8 {
            std::str::from_utf8(body).err().map_or(0, |error| error.valid_up_to() + skip) + 1
        } else {
            0
        };
        let place = if at > 0 { format!(" (byte {at})") } else { String::new() };
        let words = format!("The file is not valid {}{place}. Choose another encoding", encoding.name());
        Error::new("NOT_TEXT", words).detail("encoding", encoding.name().to_ascii_lowercase())
    })?;
    Ok(Decoded { text: text.into_owned(), encoding: encoding.name().to_ascii_lowercase(), has_bom: skip > 0 })
}

fn found(bytes: &[u8]) -> Result<&'static Encoding, Error> {
    let head = bytes.get(..bytes.len().min(LOOKED_AT)).unwrap_or_default();
    let zeros = |odd: usize| head.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let many = head.len() / 4;
    // Latin letters in UTF-16 have a zero byte each. Other scripts need the mark or the setting.
    if head.len() >= 4 && odd > many.max(even * 4) {
        return Ok(UTF_16LE);
    }
    if head.len() >= 4 && even > many.max(odd * 4) {
        return Ok(UTF_16BE);
    }
    if std::str::from_utf8(bytes).is_ok() {
        return Ok(UTF_8);
    }
    let control =
        |byte: &u8| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f | 0x81 | 0x8d | 0x8f | 0x90 | 0x9d);
    match bytes.iter().position(control) {
        None => Ok(WINDOWS_1252),
        Some(at) => {
            let words = format!(
                "The encoding of the file cannot be found out (byte {}): it is not UTF-8, UTF-16 or Windows-1252. Set the encoding, if this is text",
                at + 1
            );
            Err(Error::new("NOT_TEXT", words).detail("byte", at + 1))
        }
    }
}

#[cfg(test)]
mod tests;
