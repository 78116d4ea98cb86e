//! Values for PostgreSQL, in its text format: it reads them by the type that the statement has in that place, so that nothing is
//! rounded on the way.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::BytesMut;
use serde_json::Value;
use signalbox_ports::databases::{DatabaseError, DatabaseFault, SqlValue};
use std::error::Error;
use std::fmt::Write as _;
use tokio_postgres::types::{Format, IsNull, Kind, ToSql, Type, to_sql_checked};

/// A value as text; null where there is none.
#[derive(Debug)]
pub(super) struct Param(Option<String>);

impl ToSql for Param {
    fn to_sql(&self, _type: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        Ok(match &self.0 {
            Some(text) => {
                out.extend_from_slice(text.as_bytes());
                IsNull::No
            }
            None => IsNull::Yes,
        })
    }
    fn accepts(_type: &Type) -> bool {
        true
    }
    fn encode_format(&self, _type: &Type) -> Format {
        Format::Text
    }
    to_sql_checked!();
}

/// Types of which lists are sent as lists: those of PostgreSQL itself that are no lists already.
const LISTED: [Type; 26] = [
    Type::BOOL,
    Type::INT2,
    Type::INT4,
    Type::INT8,
    Type::OID,
    Type::FLOAT4,
    Type::FLOAT8,
    Type::NUMERIC,
    Type::TEXT,
    Type::VARCHAR,
    Type::BPCHAR,
    Type::DATE,
    Type::TIME,
    Type::TIMETZ,
    Type::TIMESTAMP,
    Type::TIMESTAMPTZ,
    Type::INTERVAL,
    Type::UUID,
    Type::JSON,
    Type::JSONB,
    Type::BYTEA,
    Type::INET,
    Type::CIDR,
    Type::MACADDR,
    Type::BIT,
    Type::VARBIT,
];

/// The name of a type of which a list of values can be one parameter.
pub(super) fn listed(data_type: &Type) -> Option<&str> {
    LISTED.contains(data_type).then(|| data_type.name())
}

/// The values of one column, as the text of a list.
pub(super) struct List<'a> {
    text: String,
    element: &'a Type,
}

impl<'a> List<'a> {
    pub(super) fn new(element: &'a Type) -> Self {
        Self { text: String::from("{"), element }
    }

    pub(super) fn push(&mut self, value: &SqlValue) -> Result<(), DatabaseError> {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        match value {
            SqlValue::Json(Value::Null) => self.text.push_str("NULL"),
            // Digits need no quotes.
            SqlValue::Json(Value::Number(number)) if number.is_i64() => {
                let _written = write!(self.text, "{number}");
            }
            value => quoted(&mut self.text, &written(value, self.element)?),
        }
        Ok(())
    }

    pub(super) fn end(mut self) -> Param {
        self.text.push('}');
        Param(Some(self.text))
    }
}

/// An element of a list in its quotes.
fn quoted(out: &mut String, element: &str) {
    out.push('"');
    for part in element.split_inclusive(['\\', '"']) {
        match part.strip_suffix(['\\', '"']) {
            Some(before) => {
                out.push_str(before);
                out.push('\\');
                out.push_str(&part[before.len()..]);
            }
            None => out.push_str(part),
        }
    }
    out.push('"');
}

impl Param {
    /// A value for a place of this type.
    pub(super) fn of(value: &SqlValue, data_type: &Type) -> Result<Self, DatabaseError> {
        match value {
            SqlValue::Json(Value::Null) => Ok(Self(None)),
            value => written(value, data_type).map(|text| Self(Some(text))),
        }
    }
}

fn wrong(words: String) -> DatabaseError {
    DatabaseError::new(DatabaseFault::InvalidValue, words)
}

fn written(value: &SqlValue, data_type: &Type) -> Result<String, DatabaseError> {
    let data_type = match data_type.kind() {
        Kind::Domain(inner) => inner,
        _ => data_type,
    };
    let value = match value {
        SqlValue::Bytes(bytes) if *data_type == Type::BYTEA => return Ok(hex(bytes)),
        SqlValue::Bytes(_) => {
            return Err(wrong(format!("Bytes go into a column of the type bytea, not {}", data_type.name())));
        }
        SqlValue::Json(value) => value,
    };
    if [Type::JSON, Type::JSONB].contains(data_type) {
        return Ok(value.to_string());
    }
    Ok(match (data_type.kind(), value) {
        (Kind::Array(element), Value::Array(list)) => array(list, element)?,
        (_, Value::String(text)) if *data_type == Type::BYTEA => {
            let bytes = STANDARD.decode(text.trim()).map_err(|_| {
                wrong("A text for a column of the type bytea is base64, and this one is not".to_owned())
            })?;
            hex(&bytes)
        }
        (_, Value::String(text)) => text.clone(),
        (_, Value::Number(number)) => {
            let text = number.to_string();
            // 3.0 is a whole number, too.
            text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
        }
        (_, other) => other.to_string(),
    })
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 + bytes.len() * 2);
    text.push_str("\\x");
    for byte in bytes {
        let _written = write!(text, "{byte:02x}");
    }
    text
}

/// `{"a",NULL,{…}}`: each element has quotes.
fn array(list: &[Value], element: &Type) -> Result<String, DatabaseError> {
    let mut text = String::from("{");
    for (at, value) in list.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        match value {
            Value::Null => text.push_str("NULL"),
            Value::Array(inner) if ![Type::JSON, Type::JSONB].contains(element) => {
                text.push_str(&array(inner, element)?)
            }
            value => {
                quoted(&mut text, &written(&SqlValue::Json(value.clone()), element)?);
            }
        }
    }
    text.push('}');
    Ok(text)
}

#[cfg(test)]
mod tests;
