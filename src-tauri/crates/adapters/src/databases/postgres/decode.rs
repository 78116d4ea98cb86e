//! Values of PostgreSQL in its binary format, as JSON.

use super::super::json::{self, interval, uuid};
use signalbox_ports::databases::Cell;
use std::net::{Ipv4Addr, Ipv6Addr};
use tokio_postgres::types::{Kind, Type};

/// Microseconds from 1970 to 2000, where PostgreSQL begins to count.
const EPOCH_MICROS: i64 = 946_684_800_000_000;
const EPOCH_DAYS: i64 = 10_957;

/// How values of a type are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decoder {
    Bool,
    Int2,
    Int4,
    Int8,
    Oid,
    Float4,
    Float8,
    Numeric,
    Text,
    Date,
    Time,
    TimeTz,
    Timestamp { is_moment: bool },
    Interval,
    Uuid,
    Json,
    Jsonb,
    Bytes,
    Network,
    Mac,
    Bits,
    Void,
    Array(Box<Decoder>),
}

impl Decoder {
    /// `None` for types that are not read.
    pub(super) fn of(data_type: &Type) -> Option<Self> {
        match data_type.kind() {
            Kind::Domain(inner) => return Self::of(inner),
            Kind::Enum(_) => return Some(Self::Text),
            Kind::Array(element) => return Some(Self::Array(Box::new(Self::of(element)?))),
            // What a function without a result gives.
            Kind::Pseudo if *data_type == Type::VOID => return Some(Self::Void),
            Kind::Simple => {}
            _ => return None,
        }
        Some(match *data_type {
            Type::BOOL => Self::Bool,
            Type::INT2 => Self::Int2,
            Type::INT4 => Self::Int4,
            Type::INT8 => Self::Int8,
            Type::OID => Self::Oid,
            Type::FLOAT4 => Self::Float4,
            Type::FLOAT8 => Self::Float8,
            Type::NUMERIC => Self::Numeric,
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::CHAR | Type::XML | Type::UNKNOWN => {
                Self::Text
            }
            Type::DATE => Self::Date,
            Type::TIME => Self::Time,
            Type::TIMETZ => Self::TimeTz,
            Type::TIMESTAMP => Self::Timestamp { is_moment: false },
            Type::TIMESTAMPTZ => Self::Timestamp { is_moment: true },
            Type::INTERVAL => Self::Interval,
            Type::UUID => Self::Uuid,
            Type::JSON => Self::Json,
            Type::JSONB => Self::Jsonb,
            Type::BYTEA => Self::Bytes,
            Type::INET | Type::CIDR => Self::Network,
            Type::MACADDR | Type::MACADDR8 => Self::Mac,
            Type::BIT | Type::VARBIT => Self::Bits,
            _ if data_type.name() == "citext" => Self::Text,
            _ => return None,
        })
    }

    /// A value as the cell of a table, in a buffer where it is made; `None` when its bytes are not those of the type.
    pub(super) fn cell<'a>(&self, buffer: &'a mut Vec<u8>, raw: &'a [u8]) -> Option<Cell<'a>> {
        if *self == Self::Text {
            return std::str::from_utf8(raw).ok().map(Cell::Text);
        }
        buffer.clear();
        self.write(buffer, raw)?;
        let json = std::str::from_utf8(buffer).ok()?;
        Some(match self {
            Self::Bool | Self::Int2 | Self::Int4 | Self::Int8 | Self::Oid => Cell::Plain(json),
            Self::Date
            | Self::Time
            | Self::TimeTz
            | Self::Timestamp { .. }
            | Self::Interval
            | Self::Uuid
            | Self::Network
            | Self::Mac
            | Self::Bits => Cell::Plain(json.get(1..json.len().checked_sub(1)?)?),
            Self::Void => Cell::Null,
            _ => Cell::Json(json),
        })
    }

    /// Writes a value; `None` when its bytes are not those of the type.
    pub(super) fn write(&self, out: &mut Vec<u8>, raw: &[u8]) -> Option<()> {
        let mut raw = Raw(raw);
        match self {
            Self::Bool => json::plain(out, raw.byte()? != 0),
            Self::Int2 => json::plain(out, i16::from_be_bytes(raw.array()?)),
            Self::Int4 => json::plain(out, raw.i32()?),
            Self::Int8 => json::plain(out, raw.i64()?),
            Self::Oid => json::plain(out, u32::from_be_bytes(raw.array()?)),
            Self::Float4 => json::single(out, f32::from_be_bytes(raw.array()?)),
            Self::Float8 => json::double(out, f64::from_be_bytes(raw.array()?)),
            Self::Numeric => json::decimal(out, &numeric(&mut raw)?),
            Self::Text => json::text(out, std::str::from_utf8(raw.0).ok()?),
            Self::Date => {
                let days = raw.i32()?;
                json::in_quotes(out, |out| date(out, days));
            }
            Self::Time => {
                let micros = raw.i64()?;
                json::in_quotes(out, |out| json::time(out, micros, false));
            }
            Self::TimeTz => {
                // Seconds to the west.
                let (micros, west) = (raw.i64()?, raw.i32()?);
                let minutes = u64::from(west.unsigned_abs() / 60);
                json::in_quotes(out, |out| {
                    json::time(out, micros, false);
                    out.push(if west > 0 { b'-' } else { b'+' });
                    json::padded(out, minutes / 60, 2);
                    out.push(b':');
                    json::padded(out, minutes % 60, 2);
                });
            }
            Self::Timestamp { is_moment } => {
                let micros = raw.i64()?;
                out.push(b'"');
                timestamp(out, micros, *is_moment)?;
                out.push(b'"');
            }
            Self::Interval => {
                let (micros, days, months) = (raw.i64()?, raw.i32()?, raw.i32()?);
                json::text(out, &interval(months.into(), days.into(), i128::from(micros) * 1_000));
            }
            Self::Uuid => {
                let bytes = raw.array()?;
                json::in_quotes(out, |out| uuid(out, bytes));
            }
            Self::Json => json::embedded(out, std::str::from_utf8(raw.0).ok()?),
            Self::Jsonb => {
                // The version of the format.
                (raw.byte()? == 1).then_some(())?;
                json::embedded(out, std::str::from_utf8(raw.0).ok()?);
            }
            Self::Bytes => json::bytes(out, raw.0),
            Self::Network => json::text(out, &network(&mut raw)?),
            Self::Mac => {
                let parts: Vec<String> = raw.0.iter().map(|byte| format!("{byte:02x}")).collect();
                json::text(out, &parts.join(":"));
            }
            Self::Bits => {
                let length = usize::try_from(raw.i32()?).ok()?;
                let bit = |at: usize| Some(if raw.0.get(at / 8)? >> (7 - at % 8) & 1 == 1 { '1' } else { '0' });
                json::text(out, &(0..length).map(bit).collect::<Option<String>>()?);
            }
            Self::Void => out.extend_from_slice(b"null"),
            Self::Array(element) => array(element, out, &mut raw)?,
        }
        Some(())
    }
}

/// Bytes that are still to be read.
struct Raw<'a>(&'a [u8]);

impl<'a> Raw<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }
    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|taken| taken[0])
    }
    fn i16(&mut self) -> Option<i16> {
        self.array().map(i16::from_be_bytes)
    }
    fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_be_bytes)
    }
    fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_be_bytes)
    }
}

/// Groups of four digits with the weight of the first one.
fn numeric(raw: &mut Raw<'_>) -> Option<String> {
    let (count, weight, sign, scale) = (raw.i16()?, raw.i16()?, raw.i16()?, raw.i16()?);
    match sign.cast_unsigned() {
        0x0000 | 0x4000 => {}
        0xC000 => return Some("NaN".into()),
        0xD000 => return Some("Infinity".into()),
        0xF000 => return Some("-Infinity".into()),
        _ => return None,
    }
    let groups = raw.take(usize::try_from(count).ok()?.checked_mul(2)?)?;
    // Where there is none, it is zero.
    let group = |at: i32| {
        let bytes = usize::try_from(at).ok().and_then(|at| groups.get(at * 2..at * 2 + 2));
        bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, |bytes| u64::from(u16::from_be_bytes(bytes)))
    };
    let mut text = Vec::with_capacity(groups.len() * 2 + 8);
    if sign != 0 {
        text.push(b'-');
    }
    if weight < 0 {
        text.push(b'0');
    }
    for at in 0..=i32::from(weight) {
        json::padded(&mut text, group(at), if at == 0 { 1 } else { 4 });
    }
    let scale = usize::try_from(scale).ok()?;
    if scale > 0 {
        text.push(b'.');
        let start = text.len();
        let mut at = i32::from(weight) + 1;
        while text.len() - start < scale {
            json::padded(&mut text, group(at), 4);
            at += 1;
        }
        text.truncate(start + scale);
    }
    String::from_utf8(text).ok()
}

fn date(out: &mut Vec<u8>, days: i32) {
    match days {
        i32::MAX => out.extend_from_slice(b"infinity"),
        i32::MIN => out.extend_from_slice(b"-infinity"),
        days => json::date(out, i64::from(days) + EPOCH_DAYS),
    }
}

fn timestamp(out: &mut Vec<u8>, micros: i64, is_moment: bool) -> Option<()> {
    match micros {
        i64::MAX => out.extend_from_slice(b"infinity"),
        i64::MIN => out.extend_from_slice(b"-infinity"),
        micros => json::timestamp(out, micros.checked_add(EPOCH_MICROS)?, is_moment),
    }
    Some(())
}

fn network(raw: &mut Raw<'_>) -> Option<String> {
    let (_family, bits, is_network, length) = (raw.byte()?, raw.byte()?, raw.byte()? == 1, raw.byte()?);
    let (address, full) = match length {
        4 => (Ipv4Addr::from(raw.array::<4>()?).to_string(), 32),
        16 => (Ipv6Addr::from(raw.array::<16>()?).to_string(), 128),
        _ => return None,
    };
    Some(if is_network || bits != full { format!("{address}/{bits}") } else { address })
}

fn array(element: &Decoder, out: &mut Vec<u8>, raw: &mut Raw<'_>) -> Option<()> {
    let (dimensions, _has_nulls, _element_type) = (raw.i32()?, raw.i32()?, raw.i32()?);
    let mut lengths = Vec::new();
    for _ in 0..dimensions {
        lengths.push(usize::try_from(raw.i32()?).ok()?);
        // The index of the first element.
        raw.i32()?;
    }
    if lengths.is_empty() {
        out.extend_from_slice(b"[]");
        return Some(());
    }
    level(element, &lengths, out, raw)
}

/// The dimensions of an array are lists inside one another.
fn level(element: &Decoder, lengths: &[usize], out: &mut Vec<u8>, raw: &mut Raw<'_>) -> Option<()> {
    let (length, inner) = lengths.split_first()?;
    out.push(b'[');
    for at in 0..*length {
        if at > 0 {
            out.push(b',');
        }
        if inner.is_empty() {
            match usize::try_from(raw.i32()?) {
                Ok(length) => element.write(out, raw.take(length)?)?,
                // A length below zero is null.
                Err(_) => out.extend_from_slice(b"null"),
            }
        } else {
            level(element, inner, out, raw)?;
        }
    }
    out.push(b']');
    Some(())
}

#[cfg(test)]
mod tests;
