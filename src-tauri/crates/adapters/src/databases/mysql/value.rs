//! Values of MySQL and MariaDB.

use super::super::json;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mysql_async::consts::{ColumnFlags, ColumnType};
use mysql_async::{Column, Value};
use serde_json::Value as Json;
use signalbox_ports::databases::{DatabaseError, DatabaseFault, SqlValue};

/// The character set that means bytes.
const BINARY: u16 = 63;

fn wrong(words: String) -> DatabaseError {
    DatabaseError::new(DatabaseFault::InvalidValue, words)
}

/// A value for a column of this type; the type is empty where it is not known.
pub(super) fn of(value: &SqlValue, data_type: &str) -> Result<Value, DatabaseError> {
    let value = match value {
        SqlValue::Bytes(bytes) => return Ok(Value::Bytes(bytes.clone())),
        SqlValue::Json(value) => value,
    };
    let is_bytes = matches!(data_type, "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob");
    Ok(match value {
        Json::Null => Value::NULL,
        other if data_type == "json" => Value::Bytes(other.to_string().into_bytes()),
        Json::Bool(flag) => Value::Int(i64::from(*flag)),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Value::Int(whole),
            (None, Some(whole)) => Value::UInt(whole),
            (None, None) => Value::Double(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) if is_bytes => Value::Bytes(STANDARD.decode(text.trim()).map_err(|_| {
            wrong(format!("A text for a column of the type {data_type} is base64, and this one is not"))
        })?),
        Json::String(text) if matches!(data_type, "datetime" | "timestamp") => {
            Value::Bytes(moment(text).unwrap_or_else(|| text.clone()).into_bytes())
        }
        Json::String(text) => Value::Bytes(text.clone().into_bytes()),
        other => Value::Bytes(other.to_string().into_bytes()),
    })
}

/// `2024-02-29T13:45:00Z` in the way that every version of the servers reads, in UTC.
fn moment(text: &str) -> Option<String> {
    let at: jiff::Timestamp = text.parse().ok()?;
    let civil = at.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    let (date, time) = (civil.date(), civil.time());
    let micros = time.subsec_nanosecond() / 1_000;
    Some(format!("{date} {:02}:{:02}:{:02}.{micros:06}", time.hour(), time.minute(), time.second()))
}

/// Writes a value of a result as JSON.
pub(super) fn write(out: &mut Vec<u8>, value: &Value, column: &Column) -> Result<(), DatabaseError> {
    match value {
        Value::NULL => out.extend_from_slice(b"null"),
        Value::Int(whole) => json::plain(out, whole),
        Value::UInt(whole) => json::plain(out, whole),
        Value::Float(number) => json::single(out, *number),
        Value::Double(number) => json::double(out, *number),
        Value::Date(year, month, day, hour, minute, second, micros) => json::in_quotes(out, |out| {
            json::padded(out, u64::from(*year), 4);
            for part in [month, day] {
                out.push(b'-');
                json::padded(out, u64::from(*part), 2);
            }
            let data_type = column.column_type();
            if matches!(data_type, ColumnType::MYSQL_TYPE_DATE | ColumnType::MYSQL_TYPE_NEWDATE) {
                return;
            }
            out.push(b'T');
            let seconds = i64::from(*hour) * 3_600 + i64::from(*minute) * 60 + i64::from(*second);
            json::time(out, seconds * 1_000_000 + i64::from(*micros), true);
            // The session is in UTC, and a TIMESTAMP is a moment; a DATETIME is none.
            if data_type == ColumnType::MYSQL_TYPE_TIMESTAMP {
                out.push(b'Z');
            }
        }),
        Value::Time(is_negative, days, hours, minutes, seconds, micros) => {
            let hours = u64::from(*days) * 24 + u64::from(*hours);
            let seconds = hours * 3_600 + u64::from(*minutes) * 60 + u64::from(*seconds);
            let micros = i64::try_from(seconds).unwrap_or(i64::MAX / 1_000_000) * 1_000_000 + i64::from(*micros);
            json::in_quotes(out, |out| {
                if *is_negative {
                    out.push(b'-');
                }
                json::time(out, micros, false);
            });
        }
        Value::Bytes(bytes) => return of_bytes(out, bytes, column),
    }
    Ok(())
}

fn of_bytes(out: &mut Vec<u8>, bytes: &[u8], column: &Column) -> Result<(), DatabaseError> {
    let data_type = column.column_type();
    if data_type == ColumnType::MYSQL_TYPE_BIT {
        let number = bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        json::plain(out, number);
        return Ok(());
    }
    // Dates are texts of the binary character set, too.
    let is_number = matches!(data_type, ColumnType::MYSQL_TYPE_DECIMAL | ColumnType::MYSQL_TYPE_NEWDECIMAL);
    let is_json = data_type == ColumnType::MYSQL_TYPE_JSON;
    let holds_bytes =
        column.character_set() == BINARY && column.flags().contains(ColumnFlags::BINARY_FLAG) && !is_number && !is_json;
    if holds_bytes || data_type == ColumnType::MYSQL_TYPE_GEOMETRY {
        json::bytes(out, bytes);
        return Ok(());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| {
        let name = column.name_str();
        let words = format!(
            "A value of the column '{name}' is no text in UTF-8. Write CAST({name} AS BINARY) to get its bytes"
        );
        DatabaseError::new(DatabaseFault::UnsupportedType, words)
    })?;
    if is_number {
        json::decimal(out, text);
    } else if is_json {
        json::embedded(out, text);
    } else {
        json::text(out, text);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
