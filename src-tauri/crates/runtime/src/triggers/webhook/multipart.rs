//! `multipart/form-data` (RFC 7578) of a body that is there as a whole.

/// Parts of one body.
const MOST: usize = 1_000;

/// One part.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    /// Name of the field.
    pub(crate) name: String,
    /// Name of the file, when it is one.
    pub(crate) file: Option<String>,
    /// Its media type, as it is written.
    pub(crate) media: Option<String>,
    pub(crate) data: &'a [u8],
}

/// The parts of a body; the error says what is wrong with it, without a full stop.
pub(crate) fn parts<'a>(body: &'a [u8], boundary: &str) -> Result<Vec<Part<'a>>, String> {
    if boundary.is_empty() || boundary.len() > 70 {
        return Err("the boundary of the multipart body is missing or too long".to_owned());
    }
    let first = format!("--{boundary}");
    let between = format!("\r\n--{boundary}");
    let mut rest = match body.strip_prefix(first.as_bytes()) {
        Some(rest) => rest,
        // There may be words before the first part.
        None => after(body, between.as_bytes()).ok_or("the multipart body does not contain its boundary")?.1,
    };
    let mut parts = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Ok(parts);
        }
        // Spaces may follow a boundary.
        let (padding, part) = after(rest, b"\r\n").ok_or("the multipart body ends within a part")?;
        if padding.iter().any(|byte| !matches!(byte, b' ' | b'\t')) {
            return Err("a boundary of the multipart body is followed by something else".to_owned());
        }
        let (part, next) = after(part, between.as_bytes()).ok_or("the multipart body ends before its last boundary")?;
        if parts.len() >= MOST {
            return Err(format!("the multipart body has more than {MOST} parts"));
        }
        parts.push(read(part)?);
        rest = next;
    }
}

/// What is before and behind the first occurrence.
fn after<'a>(text: &'a [u8], wanted: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let mut from = 0;
    // By the first byte: a body is long, and the boundary stands in it a few times.
    loop {
        let at = from + text.get(from..)?.iter().position(|byte| Some(byte) == wanted.first())?;
        if text.get(at..)?.starts_with(wanted) {
            return Some((text.get(..at)?, text.get(at + wanted.len()..)?));
        }
        from = at + 1;
    }
}

fn read(part: &[u8]) -> Result<Part<'_>, String> {
    // A part without headers begins with the empty line.
    let (head, data) = match part.strip_prefix(b"\r\n") {
        Some(data) => (&[][..], data),
        None => after(part, b"\r\n\r\n").ok_or("a part of the multipart body has no end of its headers")?,
    };
    let head = std::str::from_utf8(head).map_err(|_| "the headers of a part are not UTF-8")?;
    let header = |wanted: &str| {
        let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
        lines.find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim())
    };
    let disposition = header("content-disposition").ok_or("a part of the multipart body has no Content-Disposition")?;
    let name = parameter(disposition, "name").ok_or("a part of the multipart body has no name")?;
    let media = header("content-type").map(str::to_owned);
    let file = extended(disposition).or_else(|| parameter(disposition, "filename"));
    Ok(Part { name, file, media, data })
}

/// A parameter, quoted or not. Browsers write `"` as `%22`, others as `\"`.
fn parameter(header: &str, wanted: &str) -> Option<String> {
    let mut rest = header.split_once(';')?.1;
    loop {
        let (name, value) = rest.trim_start().split_once('=')?;
        let (text, behind) = match value.strip_prefix('"') {
            Some(quoted) => {
                let mut text = String::new();
                let mut letters = quoted.char_indices();
                let end = loop {
                    match letters.next()? {
                        (at, '"') => break at,
                        // Some write folders with single backslashes.
                        (_, '\\') if quoted.get(letters.offset()..)?.starts_with(['"', '\\']) => {
                            text.extend(letters.next().map(|(_, letter)| letter));
                        }
                        (_, letter) => text.push(letter),
                    }
                };
                (text.replace("%22", "\""), quoted.get(end + 1..)?)
            }
            None => {
                let end = value.find(';').unwrap_or(value.len());
                (value[..end].trim().to_owned(), &value[end..])
            }
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(text);
        }
        rest = behind.split_once(';')?.1;
    }
}

/// `filename*=UTF-8''na%C3%AFve.txt`, which some clients send although forms have no use for it.
fn extended(header: &str) -> Option<String> {
    let value = parameter(header, "filename*")?;
    let coded = value.get(7..).filter(|_| value.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("utf-8''")))?;
    super::body::percent_decoded(coded, false)
}
