//! Values of PostgreSQL in its binary format, as JSON.

use super::super::json;
use std::fmt::Write as _;
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
            Self::Date => json::text(out, &date(raw.i32()?)),
            Self::Time => json::text(out, &json::time_text(raw.i64()?, false)),
            Self::TimeTz => {
                let time = json::time_text(raw.i64()?, false);
                // Seconds to the west.
                let west = raw.i32()?;
                let (sign, minutes) = (if west > 0 { '-' } else { '+' }, west.unsigned_abs() / 60);
                json::text(out, &format!("{time}{sign}{:02}:{:02}", minutes / 60, minutes % 60));
            }
            Self::Timestamp { is_moment } => json::text(out, &timestamp(raw.i64()?, *is_moment)?),
            Self::Interval => json::text(out, &interval(raw.i64()?, raw.i32()?, raw.i32()?)),
            Self::Uuid => json::text(out, &uuid(raw.array()?)),
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
    let groups = (0..count).map(|_| raw.i16()).collect::<Option<Vec<_>>>()?;
    let group = |at: i32| usize::try_from(at).ok().and_then(|at| groups.get(at).copied()).unwrap_or(0);
    let mut text = String::new();
    if sign != 0 {
        text.push('-');
    }
    if weight < 0 {
        text.push('0');
    }
    for at in 0..=i32::from(weight) {
        let _written = if at == 0 { write!(text, "{}", group(at)) } else { write!(text, "{:04}", group(at)) };
    }
    let scale = usize::try_from(scale).ok()?;
    if scale > 0 {
        text.push('.');
        let start = text.len();
        let mut at = i32::from(weight) + 1;
        while text.len() - start < scale {
            let _written = write!(text, "{:04}", group(at));
            at += 1;
        }
        text.truncate(start + scale);
    }
    Some(text)
}

fn date(days: i32) -> String {
    match days {
        i32::MAX => "infinity".into(),
        i32::MIN => "-infinity".into(),
        days => json::date_text(i64::from(days) + EPOCH_DAYS),
    }
}

fn timestamp(micros: i64, is_moment: bool) -> Option<String> {
    Some(match micros {
        i64::MAX => "infinity".into(),
        i64::MIN => "-infinity".into(),
        micros => json::timestamp_text(micros.checked_add(EPOCH_MICROS)?, is_moment),
    })
}

/// A duration of ISO 8601, as PostgreSQL itself writes and reads it: each part has its own sign.
fn interval(micros: i64, days: i32, months: i32) -> String {
    let mut text = String::from("P");
    let mut part = |number: i64, unit: char| {
        if number != 0 {
            let _written = write!(text, "{number}{unit}");
        }
    };
    part(i64::from(months / 12), 'Y');
    part(i64::from(months % 12), 'M');
    part(i64::from(days), 'D');
    if micros != 0 {
        text.push('T');
        let mut part = |number: i64, unit: char| {
            if number != 0 {
                let _written = write!(text, "{number}{unit}");
            }
        };
        part(micros / 3_600_000_000, 'H');
        part(micros / 60_000_000 % 60, 'M');
        let rest = micros % 60_000_000;
        if rest != 0 {
            let sign = if rest < 0 { "-" } else { "" };
            let (seconds, fraction) = (rest.unsigned_abs() / 1_000_000, rest.unsigned_abs() % 1_000_000);
            let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:06}") };
            let _written = write!(text, "{sign}{seconds}{}S", fraction.trim_end_matches('0'));
        }
    }
    if text == "P" { "PT0S".into() } else { text }
}

fn uuid(bytes: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _written = write!(text, "{byte:02x}");
    }
    text
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
