//! Expression fields (`x-cel`): compiled and evaluated here, errors as ErrorPayload details (K-08).

use crate::long_value::LongValue;
use crate::support::wrong_setting;
use serde_json::Value;
use signalbox_engine::config;
use signalbox_engine::effect::CallSlot;
use signalbox_engine::expr::Expr;
use signalbox_engine::scope::Scope;
use signalbox_engine::template::Template;
use signalbox_model::{Data, NodeFailure};

/// Compiles the text of a field.
pub(crate) fn compile(field: &str, source: &str) -> Result<Expr, NodeFailure> {
    Expr::compile(source).map_err(|error| error.failure(field))
}

/// Evaluates a compiled field.
pub(crate) fn value(field: &str, expr: &Expr, scope: &Scope) -> Result<Value, NodeFailure> {
    expr.eval(scope).map_err(|error| error.failure(field))
}

/// Compiles and evaluates a condition.
pub(crate) fn eval_bool(field: &str, source: &str, scope: &Scope) -> Result<bool, NodeFailure> {
    compile(field, source)?.eval_bool(scope).map_err(|error| error.failure(field))
}

fn source<'a>(slot: &'a CallSlot, field: &str) -> Result<&'a str, NodeFailure> {
    match slot.config.get(field) {
        Some(Value::String(text)) => Ok(text),
        other => Err(wrong_setting(field, "an expression", other.unwrap_or(&Value::Null))),
    }
}

/// The compiled expression of a setting.
pub(crate) fn setting_expr(slot: &CallSlot, field: &str) -> Result<Expr, NodeFailure> {
    compile(field, source(slot, field)?)
}

/// The value of an expression setting over the slot's own scope.
pub(crate) fn setting_value(slot: &CallSlot, field: &str) -> Result<Value, NodeFailure> {
    value(field, &setting_expr(slot, field)?, &slot.scope)
}

/// The same; what is a large part of data that is text stays text.
pub(crate) fn setting_data(slot: &CallSlot, field: &str) -> Result<Data, NodeFailure> {
    setting_expr(slot, field)?.eval_data(&slot.scope).map_err(|error| error.failure(field))
}

/// The elements of the list that an expression setting gives, one after the other; something else than a list is the answer.
pub(crate) fn setting_each(
    slot: &CallSlot,
    field: &str,
    take: &mut dyn FnMut(Data),
) -> Result<Option<Value>, NodeFailure> {
    setting_expr(slot, field)?.eval_each(&slot.scope, take).map_err(|error| error.failure(field))
}

/// The truth of a condition setting.
pub(crate) fn setting_bool(slot: &CallSlot, field: &str) -> Result<bool, NodeFailure> {
    eval_bool(field, source(slot, field)?, &slot.scope)
}

/// A setting whose value is so long that it stayed an expression or a text with holes; nothing of any other.
pub(crate) fn long_setting(slot: &CallSlot, pointer: &str) -> Result<Option<LongValue>, NodeFailure> {
    let Some(source) = config::late(&slot.config, pointer) else { return Ok(None) };
    let field = pointer.trim_start_matches('/');
    let found = if source.starts_with('=') {
        Expr::compile(source).and_then(|expr| expr.eval_text(&slot.scope)).map(LongValue::of)
    } else {
        Template::parse(source).and_then(|template| template.render_parts(&slot.scope)).map(LongValue::Words)
    };
    found.map(Some).map_err(|error| error.failure(field))
}
