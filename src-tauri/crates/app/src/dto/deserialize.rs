//! JSON from outside as the type that it is meant to be; what does not fit is told with its place.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A JSON object as a `T`; else why it is none.
pub fn fitting<T: DeserializeOwned>(request: &Value) -> Result<T, String> {
    // serde would take a list for a struct.
    let Some(fields) = request.as_object() else { return Err("it is not a JSON object".into()) };
    let error = match T::deserialize(request) {
        Ok(fits) => return Ok(fits),
        Err(error) => error.to_string(),
    };
    let fails = |fields: serde_json::Map<String, Value>| {
        T::deserialize(&Value::Object(fields)).is_err_and(|other| other.to_string() == error)
    };
    // serde does not say where. A field that alone is refused for the same reason is the one; but what is missing at the
    // top is missing beside every field.
    let missing = error.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
    let at_top = missing.is_some_and(|name| {
        let mut filled = fields.clone();
        filled.insert(name.to_owned(), Value::Null);
        !fails(filled)
    });
    let culprit = fields.iter().filter(|_| !at_top).find(|(name, value)| {
        let alone = || fails([((*name).clone(), (*value).clone())].into_iter().collect());
        !error.contains(&format!("`{name}`")) && alone()
    });
    Err(match culprit {
        Some((name, _)) => format!("'{name}': {error}"),
        None => error,
    })
}

#[cfg(test)]
mod tests;
