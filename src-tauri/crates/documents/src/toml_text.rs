//! TOML to values and back.

use crate::Error;
use serde_json::{Map, Number, Value};

/// Reads a TOML document. Dates and times are text, as TOML writes them.
pub fn parse(text: &str) -> Result<Value, Error> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text.get(..span.start).unwrap_or(text).matches('\n').count() + 1);
        let words = format!("The text is not TOML: {} (line {line})", error.message());
        Error::new("BAD_TOML", words).detail("line", line)
    })?;
    value(toml::Value::Table(table), &mut Vec::new())
}

fn value(from: toml::Value, path: &mut Vec<String>) -> Result<Value, Error> {
    Ok(match from {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Float(number) => match Number::from_f64(number) {
            Some(number) => Value::Number(number),
            None => {
                let words = format!("'{}' is {number}, which is no number in JSON", path.join("."));
                return Err(Error::new("BAD_TOML", words).detail("path", path.join(".")));
            }
        },
        toml::Value::Array(list) => {
            Value::Array(list.into_iter().map(|one| value(one, path)).collect::<Result<_, _>>()?)
        }
        toml::Value::Table(table) => {
            let mut map = Map::new();
            for (name, one) in table {
                path.push(name.clone());
                map.insert(name, value(one, path)?);
                path.pop();
            }
            Value::Object(map)
        }
    })
}

/// Writes an object as TOML. Null has no place in TOML and is an error, as are numbers above 64 bits.
pub fn format(from: &Value) -> Result<String, Error> {
    let table = match table(from, &mut Vec::new())? {
        toml::Value::Table(table) => table,
        _ => return Err(Error::new("SCHEMA_MISMATCH", "Only an object can become TOML")),
    };
    toml::to_string(&table)
        .map_err(|error| Error::new("SCHEMA_MISMATCH", format!("The value cannot become TOML: {error}")))
}

fn table(from: &Value, path: &mut Vec<String>) -> Result<toml::Value, Error> {
    let wrong = |path: &[String], what: &str| {
        let place = path.join(".");
        Error::new("SCHEMA_MISMATCH", format!("'{place}' cannot become TOML: it is {what}")).detail("path", place)
    };
    Ok(match from {
        Value::Null => return Err(wrong(path, "null. Leave the field out")),
        Value::Bool(flag) => toml::Value::Boolean(*flag),
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => toml::Value::Integer(whole),
            (None, Some(decimal)) if number.as_u64().is_none() => toml::Value::Float(decimal),
            _ => return Err(wrong(path, "a number that TOML cannot hold")),
        },
        Value::Array(list) => toml::Value::Array(list.iter().map(|one| table(one, path)).collect::<Result<_, _>>()?),
        Value::Object(map) => {
            let mut out = toml::Table::new();
            for (name, one) in map {
                path.push(name.clone());
                out.insert(name.clone(), table(one, path)?);
                path.pop();
            }
            toml::Value::Table(out)
        }
    })
}

#[cfg(test)]
mod tests;
