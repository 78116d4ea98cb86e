//! Values on their way to the server and back. Those of SQLite are meant: numbers are of 64 bits, bytes and texts. A text of PostgreSQL
//! holds no NUL: it is written in another way, and read back.

use super::super::{Error, FromSql, Result, Row};
use rusqlite::types::{Value, ValueRef};
use std::error::Error as StdError;
use std::pin::pin;
use std::vec::IntoIter;
use tokio_postgres::RowStream;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql as Binary, IsNull, ToSql, Type, to_sql_checked};

/// Stands for a NUL with `0` behind it, and for itself with `1`. No text that means something has it: it is no letter of Unicode.
const NONE: char = '\u{10fffe}';

/// What the server takes a value for.
pub(super) fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::UNKNOWN,
        Value::Integer(_) => Type::INT8,
        Value::Real(_) => Type::FLOAT8,
        Value::Text(_) => Type::TEXT,
        Value::Blob(_) => Type::BYTEA,
    }
}

fn without_nul(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains(['\0', NONE]) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\0' => out.extend([NONE, '0']),
            NONE => out.extend([NONE, '1']),
            other => out.push(other),
        }
    }
    out.into()
}

fn with_nul(text: String) -> String {
    if !text.contains(NONE) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            NONE => out.push(if letters.next() == Some('0') { '\0' } else { NONE }),
            other => out.push(other),
        }
    }
    out
}

/// A value in the form of the wire.
#[derive(Debug)]
pub(super) struct Bound(pub(super) Value);

impl ToSql for Bound {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match (&self.0, kind) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(number), &Type::INT4) => i32::try_from(*number)?.to_sql(kind, out),
            (Value::Integer(number), &Type::INT2) => i16::try_from(*number)?.to_sql(kind, out),
            (Value::Integer(number), &Type::BOOL) => (*number != 0).to_sql(kind, out),
            (Value::Integer(number), &Type::INT8) => number.to_sql(kind, out),
            (Value::Real(number), &Type::FLOAT8) => number.to_sql(kind, out),
            (Value::Text(text), &Type::TEXT | &Type::VARCHAR | &Type::NAME) => without_nul(text).to_sql(kind, out),
            (Value::Blob(bytes), &Type::BYTEA) => bytes.to_sql(kind, out),
            (value, kind) => Err(format!("a value of type {} is given for {kind}", value.data_type()).into()),
        }
    }

    fn accepts(_kind: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

struct Read(Value);

impl<'a> Binary<'a> for Read {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(match *kind {
            Type::INT8 => Value::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(kind, raw)?.into()),
            Type::INT2 => Value::Integer(i16::from_sql(kind, raw)?.into()),
            Type::OID => Value::Integer(u32::from_sql(kind, raw)?.into()),
            Type::BOOL => Value::Integer(bool::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(kind, raw)?),
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::UNKNOWN => {
                Value::Text(with_nul(String::from_sql(kind, raw)?))
            }
            Type::BYTEA => Value::Blob(raw.to_vec()),
            _ => return Err(format!("a column of type {kind} is not read").into()),
        }))
    }

    fn accepts(_kind: &Type) -> bool {
        true
    }
}

pub(super) async fn collected(stream: RowStream) -> Result<Vec<tokio_postgres::Row>, tokio_postgres::Error> {
    use futures_util::TryStreamExt as _;
    let mut stream = pin!(stream);
    let mut rows = Vec::new();
    while let Some(row) = stream.try_next().await? {
        rows.push(row);
    }
    Ok(rows)
}

/// Rows that were read.
pub(crate) struct Cells {
    rows: IntoIter<tokio_postgres::Row>,
    now: Vec<Value>,
}

impl Cells {
    pub(super) fn new(rows: Vec<tokio_postgres::Row>) -> Result<Self> {
        Ok(Self { rows: rows.into_iter(), now: Vec::new() })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        self.now.clear();
        for column in 0..row.len() {
            let read: Option<Read> = row.try_get(column).map_err(|error| super::fault::failed(&error))?;
            self.now.push(read.map_or(Value::Null, |Read(value)| value));
        }
        Ok(Some(Row::Cells(&self.now)))
    }
}

/// A column of a row that was read.
pub(crate) fn cell(row: &[Value], column: usize) -> Result<ValueRef<'_>> {
    row.get(column).map(ValueRef::from).ok_or(Error::InvalidColumnIndex(column))
}

/// Its value, as `rusqlite` reads one.
pub(crate) fn get<T: FromSql>(row: &[Value], column: usize) -> Result<T> {
    use rusqlite::types::FromSqlError;
    let value = cell(row, column)?;
    T::column_result(value).map_err(|error| match error {
        FromSqlError::InvalidType => Error::InvalidColumnType(column, format!("column {column}"), value.data_type()),
        FromSqlError::OutOfRange(number) => Error::IntegralValueOutOfRange(column, number),
        other => Error::FromSqlConversionFailure(column, value.data_type(), Box::new(other)),
    })
}

#[cfg(test)]
mod tests {
    use super::{NONE, with_nul, without_nul};

    #[test]
    fn a_text_with_nul_comes_back() {
        for text in ["", "plain", "a\0b", "\0", &format!("{NONE}0{NONE}\0{NONE}")] {
            let sent = without_nul(text);
            assert!(!sent.contains('\0'));
            assert_eq!(with_nul(sent.into_owned()), text);
        }
    }
}
