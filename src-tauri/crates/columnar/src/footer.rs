//! Where the footer of a Parquet file is, and whether it says that columns are encrypted.

use crate::MAX_FOOTER;
use crate::failure::{Format, encrypted, too_large};
use crate::source::Source;
use bytes::Bytes;
use signalbox_documents::Error;

/// The field of the encryption in the footer.
const ENCRYPTION: i16 = 8;
/// Structures inside one another.
const MOST_DEPTH: usize = 64;

/// The footer, which is not encrypted.
pub(crate) fn read(source: &Source) -> Result<Bytes, Error> {
    let cut = |why: &str| Format::Parquet.damaged(why);
    let size = source.size();
    if size < 12 {
        return Err(cut("it is cut off after its first bytes"));
    }
    let tail = source.bytes(size - 8, 8).map_err(|error| cut(&error.to_string()))?;
    match &tail[4..] {
        b"PAR1" => {}
        b"PARE" => return Err(encrypted()),
        _ => return Err(cut("its end is missing: it was cut off, or is still being written")),
    }
    let length = u64::from(tail[..4].try_into().map_or(0, u32::from_le_bytes));
    if length > MAX_FOOTER {
        return Err(too_large(
            format!("The footer of the Parquet file has {length} bytes, and at most {MAX_FOOTER} are read"),
            MAX_FOOTER,
        ));
    }
    let at = (size - 8).checked_sub(length).filter(|at| *at >= 4);
    let at = at.ok_or_else(|| cut("its footer would be longer than the file: it was cut off, or is damaged"))?;
    let footer = source.bytes(at, usize::try_from(length).unwrap_or(0)).map_err(|error| cut(&error.to_string()))?;
    if has_field(&footer, ENCRYPTION) == Some(true) {
        return Err(encrypted());
    }
    Ok(footer)
}

/// Whether a structure of the compact form of Thrift has a field; `None` when it is none.
fn has_field(bytes: &[u8], wanted: i16) -> Option<bool> {
    let mut reader = Thrift { bytes };
    let mut id = 0;
    loop {
        let Some(kind) = reader.field(&mut id)? else { return Some(false) };
        if id == wanted {
            return Some(true);
        }
        reader.skip(kind, 0)?;
    }
}

struct Thrift<'a> {
    bytes: &'a [u8],
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn over(&mut self, length: u64) -> Option<()> {
        self.bytes = self.bytes.get(usize::try_from(length).ok()?..)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    /// The kind of the next field and its number; no kind at the end.
    fn field(&mut self, id: &mut i16) -> Option<Option<u8>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        *id = match head >> 4 {
            0 => {
                let zigzag = self.number()?;
                i16::try_from((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed()).ok()?
            }
            more => id.checked_add(i16::from(more))?,
        };
        Some(Some(head & 15))
    }

    /// `kind` as fields have it, where 1 and 2 are true and false.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MOST_DEPTH {
            return None;
        }
        match kind {
            1 | 2 => Some(()),
            3 => self.over(1),
            4..=6 => self.number().map(drop),
            7 => self.over(8),
            8 => {
                let length = self.number()?;
                self.over(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let length = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
                (0..length).try_for_each(|_| self.element(head & 15, depth))
            }
            11 => {
                let length = self.number()?;
                if length == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                (0..length).try_for_each(|_| {
                    self.element(kinds >> 4, depth)?;
                    self.element(kinds & 15, depth)
                })
            }
            12 => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, depth + 1)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// In lists, true and false are a byte.
    fn element(&mut self, kind: u8, depth: usize) -> Option<()> {
        if matches!(kind, 1 | 2) { self.over(1) } else { self.skip(kind, depth + 1) }
    }
}
