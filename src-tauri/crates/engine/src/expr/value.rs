//! Config values: strings are literals, `=CEL` or texts with `{{ }}` (SEMANTICS 3, K-08).

use super::{Expr, ExprError};
use crate::scope::Scope;
use crate::template::Template;
use serde_json::{Map, Value};
use signalbox_model::Data;
use signalbox_model::data::TEXT_FROM;
use signalbox_model::diagnostic::pointer_token;
use std::sync::Arc;

/// Deepest nesting of a config value.
const DEPTH: usize = 128;

/// Evaluates every string of `v`; the rest stays as it is. The result is never looked at again, so `{{` in data stays
/// what it is.
///
/// # Errors
/// The first error, with the JSON pointer of its string in `more.pointer` and in the message.
pub fn value(v: &Value, scope: &Scope) -> Result<Value, ExprError> {
    walk(v, scope, &mut String::new(), 0)
}

fn walk(v: &Value, scope: &Scope, pointer: &mut String, depth: usize) -> Result<Value, ExprError> {
    if depth > DEPTH {
        return Err(too_deep(pointer));
    }
    Ok(match v {
        Value::String(text) => string(text, scope).map_err(|e| e.under(pointer))?,
        Value::Array(list) => {
            let mut out = Vec::with_capacity(list.len());
            for (place, one) in list.iter().enumerate() {
                let length = push(pointer, &place.to_string());
                out.push(walk(one, scope, pointer, depth + 1)?);
                pointer.truncate(length);
            }
            Value::Array(out)
        }
        Value::Object(map) => {
            let mut out = Map::with_capacity(map.len());
            for (key, one) in map {
                let length = push(pointer, key);
                out.insert(key.clone(), walk(one, scope, pointer, depth + 1)?);
                pointer.truncate(length);
            }
            Value::Object(out)
        }
        other => other.clone(),
    })
}

fn string(text: &str, scope: &Scope) -> Result<Value, ExprError> {
    if let Some(rest) = text.strip_prefix('=') {
        if rest.starts_with('=') {
            return Ok(Value::String(rest.to_owned()));
        }
        return Expr::compile(rest)?.eval(scope);
    }
    if !text.contains("{{") {
        return Ok(Value::String(text.to_owned()));
    }
    Template::parse(text)?.render(scope).map(Value::String)
}

/// The object of these values. Where one of them is long it is composed: a long part of the data is shared and not copied, and a text with
/// one in it is there once (ADR 206).
///
/// # Errors
/// As [`value`]; in which of them, is in `more.pointer`.
pub(crate) fn object(of: &Map<String, Value>, scope: &Scope) -> Result<Data, ExprError> {
    let mut members = Vec::with_capacity(of.len());
    for (name, one) in of {
        let made = walk_data(one, scope, &mut String::new(), 0).map_err(|error| error.inside(name))?;
        members.push((name, made));
    }
    Ok(object_of(members))
}

fn object_of(members: Vec<(&String, Data)>) -> Data {
    if members.iter().any(|(_, data)| data.length() >= TEXT_FROM) {
        let name = |(key, data): (&String, Data)| (Value::from(key.as_str()).to_string(), data);
        return Data::object(members.into_iter().map(name).collect());
    }
    let member = |(key, data): (&String, Data)| (key.clone(), Arc::unwrap_or_clone(data.value()));
    Value::Object(members.into_iter().map(member).collect()).into()
}

fn walk_data(v: &Value, scope: &Scope, pointer: &mut String, depth: usize) -> Result<Data, ExprError> {
    match v {
        Value::String(text) => string_data(text, scope).map_err(|e| e.under(pointer)),
        Value::Object(map) if depth <= DEPTH => {
            let mut members = Vec::with_capacity(map.len());
            for (key, one) in map {
                let length = push(pointer, key);
                members.push((key, walk_data(one, scope, pointer, depth + 1)?));
                pointer.truncate(length);
            }
            Ok(object_of(members))
        }
        other => walk(other, scope, pointer, depth).map(Data::from),
    }
}

fn string_data(text: &str, scope: &Scope) -> Result<Data, ExprError> {
    match text.strip_prefix('=') {
        Some(rest) if !rest.starts_with('=') => Expr::compile(rest)?.eval_text(scope),
        None if text.contains("{{") => Template::parse(text)?.render_data(scope),
        Some(_) | None => string(text, scope).map(Data::from),
    }
}

/// All expressions of a config value with the JSON pointer of their string; a string with several holes gives several.
pub fn value_refs(v: &Value) -> Vec<(String, Result<Expr, ExprError>)> {
    let mut out = Vec::new();
    collect(v, &mut String::new(), 0, &mut out);
    out
}

fn collect(v: &Value, pointer: &mut String, depth: usize, out: &mut Vec<(String, Result<Expr, ExprError>)>) {
    if depth > DEPTH {
        out.push((pointer.clone(), Err(too_deep(pointer))));
        return;
    }
    match v {
        Value::String(text) => {
            if let Some(rest) = text.strip_prefix('=') {
                if !rest.starts_with('=') {
                    out.push((pointer.clone(), Expr::compile(rest).map_err(|e| e.under(pointer))));
                }
            } else if text.contains("{{") {
                match Template::parse(text) {
                    Ok(template) => out.extend(template.exprs().map(|expr| (pointer.clone(), Ok(expr.clone())))),
                    Err(error) => out.push((pointer.clone(), Err(error.under(pointer)))),
                }
            }
        }
        Value::Array(list) => {
            for (place, one) in list.iter().enumerate() {
                let length = push(pointer, &place.to_string());
                collect(one, pointer, depth + 1, out);
                pointer.truncate(length);
            }
        }
        Value::Object(map) => {
            for (key, one) in map {
                let length = push(pointer, key);
                collect(one, pointer, depth + 1, out);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

fn too_deep(pointer: &str) -> ExprError {
    ExprError::new(super::Code::Limit, "The value is nested deeper than 128 levels.").under(pointer)
}

/// Adds a step to a JSON pointer (RFC 6901); returns the length before it.
fn push(pointer: &mut String, step: &str) -> usize {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(&pointer_token(step));
    length
}

#[cfg(test)]
mod tests;
