//! `--params` and `--set`.

use serde_json::Value;
use signalbox_app::ApiError;
use signalbox_model::{Map, lossless, text::without_bom};

const STRING_HINT: &str = "A text needs double quotes inside the quotes of the shell: --set 'name=\"Ada\"'.";

/// Params and initial context values of a run.
pub(crate) fn parse(params: Option<&str>, sets: &[String]) -> Result<(Map, Map), ApiError> {
    let mut all = match params {
        None => Map::new(),
        Some(text) => object(text)?,
    };
    let mut context = Map::new();
    for set in sets {
        let bad = |why: String| ApiError::bad_request(format!("--set {set}: {why}"), STRING_HINT);
        let (name, text) = set.split_once('=').ok_or_else(|| bad("there is no '='.".into()))?;
        let value: Value =
            serde_json::from_str(text).map_err(|error| bad(format!("the value is not JSON ({error}).")))?;
        if let Some(lost) = lossless::loss(text) {
            return Err(bad(format!("{}.", lost.told())));
        }
        let (target, name) = match name.strip_prefix('$') {
            Some(name) => (&mut context, name),
            None => (&mut all, name),
        };
        if name.is_empty() {
            return Err(bad("the name is missing.".into()));
        }
        target.insert(name.to_owned(), value);
    }
    Ok((all, context))
}

/// A JSON value, or `@FILE` with one.
pub(crate) fn value(argument: &str, given: &str) -> Result<Value, ApiError> {
    read(given, |why| ApiError::bad_request(format!("{argument}: {why}"), "Pass JSON in shell quotes, or @FILE."))
}

fn object(given: &str) -> Result<Map, ApiError> {
    let hint = "Pass a JSON object, for example --params '{\"name\":\"Ada\"}', or @FILE.";
    let bad = |why: String| ApiError::bad_request(format!("--params: {why}"), hint);
    match read(given, bad)? {
        Value::Object(map) => Ok(map),
        _ => Err(bad("this is JSON, but not an object.".into())),
    }
}

fn read(given: &str, bad: impl Fn(String) -> ApiError) -> Result<Value, ApiError> {
    let text = match given.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file).map_err(|error| bad(format!("{file} cannot be read: {error}.")))?,
        None => given.to_owned(),
    };
    let value = serde_json::from_str(without_bom(&text)).map_err(|error| {
        if error.is_eof() {
            bad("this is not JSON: it ends too early; a quote or bracket is not closed.".into())
        } else {
            bad(format!("this is not JSON ({error})."))
        }
    })?;
    match lossless::loss(&text) {
        Some(lost) => Err(bad(format!("{}.", lost.told()))),
        None => Ok(value),
    }
}

#[cfg(test)]
mod tests;
