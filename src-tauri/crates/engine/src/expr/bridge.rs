//! Timestamps and durations: the `cel` crate's own functions, called with one value at a time.

use super::error::{Code, ExprError};
use super::eval::{Out, fail};
use super::val::V;
use cel::common::ast::{CallExpr, Expr};
use cel::{Context, Env, IdedExpr};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

const NAMES: [&str; 3] = ["a0", "a1", "a2"];

fn env() -> Arc<Env> {
    static ENV: OnceLock<Arc<Env>> = OnceLock::new();
    Arc::clone(ENV.get_or_init(|| Arc::new(Env::stdlib())))
}

/// Calls a function of the crate with at most three scalars.
pub(super) fn call<'a>(name: &str, member: bool, args: &[&V<'_>]) -> Out<V<'a>> {
    let mut context = Context::with_env(env());
    let mut nodes = Vec::with_capacity(args.len());
    for (arg, variable) in args.iter().zip(NAMES) {
        context.add_variable_from_value(variable, scalar(arg)?);
        nodes.push(IdedExpr { id: 0, expr: Expr::Ident(variable.to_owned()) });
    }
    let target = if member && !nodes.is_empty() { Some(Box::new(nodes.remove(0))) } else { None };
    let tree = IdedExpr { id: 0, expr: Expr::Call(CallExpr { func_name: name.to_owned(), target, args: nodes }) };
    // Dates at the edge of what the crate can hold must not become a panic.
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| cel::Value::resolve(&tree, &context)));
    match found {
        Ok(Ok(found)) => back(found),
        Ok(Err(cel::ExecutionError::Overflow(..))) => fail(format!(
            "The result of `{}` is out of range: times are of the years 1 to 9999, durations at most 292 years long.",
            sign(name)
        )),
        _ => {
            if let (true, [V::Time(_), zone]) = (member, args)
                && args[0].kind() == "google.protobuf.Timestamp"
                && let Some(zone) = zone.text()
            {
                return fail(format!(
                    "`{name}`: there is no time zone `{}`. Write a name such as `Europe/Berlin`, `UTC`, or an offset such as \
                     `+05:30`.",
                    super::error::quote(zone)
                ));
            }
            let kinds: Vec<&str> = args.iter().map(|arg| arg.kind_with_article()).collect();
            let name = sign(name);
            let hint = match name {
                "timestamp" => " A time looks like `2026-01-31T09:30:00Z`, in the years 1 to 9999.",
                "duration" => " A duration looks like `1h30m` or `45s`, of at most 292 years.",
                _ => "",
            };
            fail(format!("`{name}` does not work with {}.{hint}", kinds.join(" and ")))
        }
    }
}

/// An operator as it is written.
fn sign(name: &str) -> &str {
    match name {
        "_+_" => "+",
        "_-_" => "-",
        other => other,
    }
}

fn scalar(value: &V<'_>) -> Out<cel::Value> {
    Ok(match value {
        V::Null => cel::Value::Null,
        V::Bool(v) => cel::Value::Bool(*v),
        V::Int(v) => cel::Value::Int(*v),
        V::Uint(v) => cel::Value::UInt(*v),
        V::Double(v) => cel::Value::Float(*v),
        V::Text(_) | V::MadeText(_) | V::LongText(_) => {
            let text = value.text().unwrap_or_default();
            if text.len() > 200 {
                return fail("The text is too long for a time or a duration.");
            }
            cel::Value::String(Arc::new(text.to_owned()))
        }
        V::Time(v) => cel::Value::clone(v),
        other => return fail(format!("{} is no time and no duration.", other.kind_with_article())),
    })
}

fn back<'a>(value: cel::Value) -> Out<V<'a>> {
    Ok(match value {
        cel::Value::Null => V::Null,
        cel::Value::Bool(v) => V::Bool(v),
        cel::Value::Int(v) => V::Int(v),
        cel::Value::UInt(v) => V::Uint(v),
        cel::Value::Float(v) => V::Double(v),
        cel::Value::String(v) => V::MadeText(v.as_str().into()),
        // Without a zone the getters mean UTC, whatever offset the text had (CEL); the crate would take that offset.
        cel::Value::Timestamp(v) => V::Time(Arc::new(cel::Value::Timestamp(v.to_utc().fixed_offset()))),
        cel::Value::Duration(_) => V::Time(Arc::new(value)),
        _ => return fail("The function gives a value of an unknown type."),
    })
}

/// Timestamps as RFC 3339, durations as milliseconds (K-08).
pub(super) fn json(value: &cel::Value) -> Out<Value> {
    match value {
        cel::Value::Duration(v) => Ok(Value::Number(v.num_milliseconds().into())),
        cel::Value::Timestamp(_) => match call("string", false, &[&V::Time(Arc::new(value.clone()))])? {
            V::MadeText(text) => Ok(Value::String(text.to_string())),
            _ => fail("The time cannot be written as text."),
        },
        _ => Err(Box::new(ExprError::new(Code::SchemaMismatch, "The result has a type that JSON does not know."))),
    }
}
