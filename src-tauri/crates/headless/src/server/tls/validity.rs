//! From when to when a certificate is valid (RFC 5280, 4.1.2.5). The TLS library checks that of peers only, and not its own.

use signalbox_model::time;

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// Milliseconds since 1970; `None`: it is no certificate.
pub(super) fn of(der: &[u8]) -> Option<(i64, i64)> {
    let mut whole = Reader(der);
    let mut certificate = Reader(whole.value_of(SEQUENCE)?);
    let mut body = Reader(certificate.value_of(SEQUENCE)?);
    let (tag, _) = body.next()?;
    if tag == VERSION {
        // The serial number.
        body.next()?;
    }
    // The signature's algorithm, the issuer.
    body.value_of(SEQUENCE)?;
    body.value_of(SEQUENCE)?;
    let mut validity = Reader(body.value_of(SEQUENCE)?);
    Some((moment(validity.next()?)?, moment(validity.next()?)?))
}

/// Values one after the other (X.690, DER).
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (tag, rest) = self.0.split_first()?;
        let (length, rest) = rest.split_first()?;
        let (length, rest) = if *length < 0x80 {
            (usize::from(*length), rest)
        } else {
            // More than four bytes would be more than any file has.
            let (bytes, rest) = rest.split_at_checked(usize::from(length & 0x7f).min(5))?;
            if bytes.is_empty() || bytes.len() > 4 {
                return None;
            }
            (bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)), rest)
        };
        let (value, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((*tag, value))
    }

    fn value_of(&mut self, wanted: u8) -> Option<&'a [u8]> {
        self.next().and_then(|(tag, value)| (tag == wanted).then_some(value))
    }
}

fn moment((tag, text): (u8, &[u8])) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let text = match tag {
        // Two digits: from 1950 to 2049.
        UTC_TIME if text.as_bytes().first().is_some_and(|digit| *digit >= b'5') => format!("19{text}"),
        UTC_TIME => format!("20{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let part = |from: usize, to: usize| text.get(from..to);
    let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, 14)?);
    time::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}{}", part(14, text.len())?))
}
