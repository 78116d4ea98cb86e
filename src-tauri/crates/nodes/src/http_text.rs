//! The bytes of an answer as text: by the charset that it declares, or not at all.

use crate::http_header::header;
use encoding_rs::{Encoding, UTF_8};
use signalbox_engine::request_body::{media_type, parameter};
use signalbox_ports::HttpResponse;

/// Where a document declares its own charset.
const DECLARED_WITHIN: usize = 1024;

/// Why the bytes are no text, in plain words without a full stop.
pub(crate) struct NotText(pub(crate) String);

/// Decodes by the charset of Content-Type, by the one that the document declares, or as UTF-8; a byte order mark goes before.
/// Bytes that do not fit are an error: what they stood for would be lost.
pub(crate) fn decode(answer: &HttpResponse) -> Result<String, NotText> {
    let content_type = header(answer, "content-type").unwrap_or_default();
    let declared = parameter(content_type, "charset")
        .filter(|label| !label.is_empty())
        .or_else(|| declared_inside(&media_type(content_type), &answer.body));
    let encoding = declared
        .as_deref()
        .map(|label| if is_ascii(label) { Some(UTF_8) } else { Encoding::for_label(label.as_bytes()) });
    let (text, used, damaged) = encoding.flatten().unwrap_or(UTF_8).decode(&answer.body);
    if damaged {
        let label: String = declared.unwrap_or_default().chars().take(40).collect();
        return Err(NotText(match encoding {
            Some(None) => format!("it declares the charset '{label}', which is not known, and it is not UTF-8"),
            Some(Some(_)) if used == UTF_8 => {
                format!("it declares the charset '{label}', and {}", not_utf8(&answer.body))
            }
            Some(Some(_)) => format!("it declares the charset '{label}', and its bytes do not fit it"),
            None => format!("it declares no charset, and {}", not_utf8(&answer.body)),
        }));
    }
    // Every byte means something in these, whatever the bytes are.
    let any_byte = used.is_single_byte();
    match text.bytes().position(|byte| byte == 0 || (any_byte && is_binary(byte))) {
        Some(at) => {
            Err(NotText(format!("it has the control character {:#04x} at byte {}", text.as_bytes()[at], at + 1)))
        }
        None => Ok(text.into_owned()),
    }
}

/// Whether a charset has 7 bits. The web reads it as windows-1252, which gives every further byte a letter, also a wrong one; as
/// UTF-8, of which it is a part, such bytes are read as what they nearly always are, or do not fit.
fn is_ascii(label: &str) -> bool {
    ["ascii", "us-ascii", "ansi_x3.4-1968", "iso646-us", "iso-ir-6"]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(label.trim()))
}

fn not_utf8(bytes: &[u8]) -> String {
    let at = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
    format!("byte {} is not UTF-8", at + 1)
}

/// Bytes that no text has (MIME sniffing, "binary data byte").
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)
}

/// The charset that a page or an XML text names at its beginning.
fn declared_inside(media: &str, bytes: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARED_WITHIN)]).to_ascii_lowercase();
    let after = if media == "text/html" || media == "application/xhtml+xml" {
        let meta = start.find("<meta")?;
        start[meta..].split_once("charset=")?.1
    } else if media == "text/xml" || media == "application/xml" || media.ends_with("+xml") {
        start.strip_prefix("<?xml")?.split_once("?>")?.0.split_once("encoding=")?.1
    } else {
        return None;
    };
    let name: String = after
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "-_:.+".contains(*c))
        .collect();
    // A page that can be read so far cannot be UTF-16, whatever it says.
    (!name.is_empty() && !name.starts_with("utf-16")).then_some(name)
}

/// The beginning of a body for a person, whatever it holds.
pub(crate) fn begins(answer: &HttpResponse) -> String {
    const LONGEST: usize = 200;
    let text = decode(answer).unwrap_or_else(|_| {
        let start = &answer.body[..answer.body.len().min(LONGEST * 4)];
        String::from_utf8_lossy(start).into_owned()
    });
    text.chars().take(LONGEST).map(|c| if c.is_control() && !c.is_whitespace() { '\u{fffd}' } else { c }).collect()
}
