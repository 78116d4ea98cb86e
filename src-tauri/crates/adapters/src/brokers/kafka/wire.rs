//! Fields of Kafka's protocol, as its older versions have them: lengths are whole numbers of 16 or 32 bits.

use super::super::connect::bad_answer;
use signalbox_ports::brokers::BrokerError;

/// A request that is written.
#[derive(Default)]
pub(super) struct Out(Vec<u8>);

impl Out {
    pub(super) fn raw(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
    pub(super) fn i8(mut self, number: i8) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }
    pub(super) fn i16(mut self, number: i16) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }
    pub(super) fn i32(mut self, number: i32) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }
    pub(super) fn i64(mut self, number: i64) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }
    pub(super) fn text(self, text: &str) -> Self {
        let mut longer = self.i16(i16::try_from(text.len()).unwrap_or(i16::MAX));
        longer.0.extend(text.bytes().take(i16::MAX as usize));
        longer
    }
    pub(super) fn none(self) -> Self {
        self.i16(-1)
    }
    pub(super) fn bytes(self, bytes: &[u8]) -> Self {
        let mut longer = self.count(bytes.len());
        longer.0.extend_from_slice(bytes);
        longer
    }
    /// How many parts follow.
    pub(super) fn count(self, count: usize) -> Self {
        self.i32(i32::try_from(count).unwrap_or(i32::MAX))
    }
    pub(super) fn each<T>(self, parts: impl ExactSizeIterator<Item = T>, write: impl Fn(Self, T) -> Self) -> Self {
        let counted = self.count(parts.len());
        parts.fold(counted, write)
    }
    pub(super) fn done(self) -> Vec<u8> {
        self.0
    }
}

/// An answer that is read.
pub(super) struct In<'a>(pub(super) &'a [u8]);

impl<'a> In<'a> {
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], BrokerError> {
        let (part, rest) = self.0.split_at_checked(length).ok_or_else(|| bad_answer("an answer ends too early"))?;
        self.0 = rest;
        Ok(part)
    }
    fn array<const N: usize>(&mut self) -> Result<[u8; N], BrokerError> {
        let mut all = [0; N];
        all.copy_from_slice(self.take(N)?);
        Ok(all)
    }
    pub(super) fn i8(&mut self) -> Result<i8, BrokerError> {
        self.array().map(i8::from_be_bytes)
    }
    pub(super) fn i16(&mut self) -> Result<i16, BrokerError> {
        self.array().map(i16::from_be_bytes)
    }
    pub(super) fn i32(&mut self) -> Result<i32, BrokerError> {
        self.array().map(i32::from_be_bytes)
    }
    pub(super) fn i64(&mut self) -> Result<i64, BrokerError> {
        self.array().map(i64::from_be_bytes)
    }
    /// Text, also one that is not there.
    pub(super) fn text(&mut self) -> Result<String, BrokerError> {
        let length = usize::try_from(self.i16()?).unwrap_or_default();
        let bytes = self.take(length)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| bad_answer("a text is not UTF-8"))
    }
    /// Bytes, also ones that are not there.
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], BrokerError> {
        let length = usize::try_from(self.i32()?).unwrap_or_default();
        self.take(length)
    }
    pub(super) fn each<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, BrokerError>,
    ) -> Result<Vec<T>, BrokerError> {
        // What is not there ends the list with an error; nothing is reserved for what is only announced.
        (0..self.i32()?).map(|_| read(self)).collect()
    }
    /// A number of varying length, in zigzag.
    pub(super) fn varint(&mut self) -> Result<i64, BrokerError> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.array::<1>()?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed());
            }
        }
        Err(bad_answer("a number does not end"))
    }
    /// Bytes behind such a length; nothing where there are none.
    pub(super) fn varbytes(&mut self) -> Result<Option<&'a [u8]>, BrokerError> {
        match self.varint()? {
            length if length < 0 => Ok(None),
            length => self.take(usize::try_from(length).unwrap_or(usize::MAX)).map(Some),
        }
    }
}

pub(super) fn varint(out: &mut Vec<u8>, number: i64) {
    let mut value = ((number << 1) ^ (number >> 63)).cast_unsigned();
    while value >= 0x80 {
        out.extend((value as u8 | 0x80).to_be_bytes());
        value >>= 7;
    }
    out.extend((value as u8).to_be_bytes());
}

pub(super) fn varbytes(out: &mut Vec<u8>, bytes: Option<&[u8]>) {
    varint(out, bytes.map_or(-1, |bytes| i64::try_from(bytes.len()).unwrap_or(i64::MAX)));
    out.extend_from_slice(bytes.unwrap_or_default());
}

/// CRC-32C (Castagnoli).
pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0_u32; 256];
        let mut at = 0;
        while at < 256 {
            let mut value = at as u32;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 1 == 1 { (value >> 1) ^ 0x82f6_3b78 } else { value >> 1 };
                bit += 1;
            }
            table[at] = value;
            at += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |crc, byte| (crc >> 8) ^ TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize])
}

#[cfg(test)]
mod tests;
