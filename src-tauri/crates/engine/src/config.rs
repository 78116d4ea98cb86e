//! Evaluating a node's `config` by its schema: `x-cel` fields stay source text (the kind evaluates them per item),
//! `x-url` fields are rendered with percent-encoding, all other strings follow K-08, `x-host` fields among them.

use crate::{
    address,
    catalog::PLACEHOLDER_KIND,
    expr::{self, Expr, ExprError, Short},
    scope::Scope,
    template,
};
use serde_json::Value;
use signalbox_model::{Map, Node, NodeDescriptor, diagnostic::pointer_token};
use std::borrow::Cow;

/// What a place in the config is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// CEL source, evaluated by the kind.
    Cel,
    /// A URL template.
    Url,
    /// A value that says which server is reached: its host or its port.
    Host,
    /// A value.
    Value,
    /// Kept as it is written (`x-raw`): a schema may hold any text.
    Raw,
}

fn flag(schema: Option<&Value>, name: &str) -> bool {
    schema.and_then(|s| s.get(name)).and_then(Value::as_bool) == Some(true)
}

fn place(schema: Option<&Value>) -> Place {
    if flag(schema, "x-raw") {
        Place::Raw
    } else if flag(schema, "x-cel") {
        Place::Cel
    } else if flag(schema, "x-url") {
        Place::Url
    } else if flag(schema, "x-host") {
        Place::Host
    } else {
        Place::Value
    }
}

fn child<'a>(schema: Option<&'a Value>, key: &str) -> Option<&'a Value> {
    let schema = schema?;
    schema
        .get("properties")
        .and_then(|p| p.get(key))
        .or_else(|| schema.get("additionalProperties").filter(|a| a.is_object()))
}

/// What stands directly in a value, with its name and its schema; nothing where it is handed on as it is.
pub(crate) fn parts<'a>(
    value: &'a Value,
    schema: Option<&'a Value>,
) -> Vec<(Option<&'a str>, &'a Value, Option<&'a Value>)> {
    match value {
        _ if place(schema) == Place::Raw => Vec::new(),
        Value::Array(list) => {
            let items = schema.and_then(|s| s.get("items"));
            list.iter().map(|one| (None, one, items)).collect()
        }
        Value::Object(map) => map.iter().map(|(key, one)| (Some(key.as_str()), one, child(schema, key))).collect(),
        _ => Vec::new(),
    }
}

/// Calls `visit` for every string with its pointer and place.
pub fn walk<'a>(value: &'a Value, schema: Option<&Value>, pointer: &str, visit: &mut dyn FnMut(&str, Place, &'a str)) {
    if place(schema) == Place::Raw {
        return;
    }
    match value {
        Value::String(text) => visit(pointer, place(schema), text),
        Value::Array(list) => {
            let items = schema.and_then(|s| s.get("items"));
            for (i, element) in list.iter().enumerate() {
                walk(element, items, &format!("{pointer}/{i}"), visit);
            }
        }
        Value::Object(map) => {
            for (key, element) in map {
                walk(element, child(schema, key), &format!("{pointer}/{}", pointer_token(key)), visit);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// No string of the config has to be evaluated.
pub(crate) fn is_static(config: &Value, schema: &Value) -> bool {
    let mut fixed = true;
    walk(config, Some(schema), "", &mut |_, place, text| {
        fixed &= place == Place::Cel || !(text.starts_with('=') || text.contains("{{"));
    });
    fixed
}

/// Evaluates a config; an error says in which of its fields. What another than the run evaluates (`x-later`) stays as it is.
pub fn evaluate(value: &Value, schema: Option<&Value>, scope: &Scope) -> Result<Value, ExprError> {
    if place(schema) == Place::Raw || flag(schema, "x-later") {
        return Ok(value.clone());
    }
    Ok(match value {
        Value::String(text) => match place(schema) {
            Place::Cel | Place::Raw => value.clone(),
            Place::Url if !text.starts_with('=') => Value::String(template::render_url(text, scope)?),
            Place::Url | Place::Host | Place::Value => expr::value(value, scope)?,
        },
        Value::Array(list) => {
            let items = schema.and_then(|s| s.get("items"));
            let element =
                |(at, one): (usize, &Value)| evaluate(one, items, scope).map_err(|error| error.inside(&at.to_string()));
            Value::Array(list.iter().enumerate().map(element).collect::<Result<_, _>>()?)
        }
        Value::Object(map) => {
            let mut out = Map::new();
            for (key, one) in map {
                let made = evaluate(one, child(schema, key), scope).map_err(|error| error.inside(key))?;
                out.insert(key.clone(), made);
            }
            Value::Object(out)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}

/// In evaluated settings: the JSON pointers of those that stay expressions, because their values are long parts of the data. The step
/// reads them as text. No setting has this name.
const LATE: &str = "$late";
/// In the settings of a loop: how many entries a list has that stays an expression.
const ENTRIES: &str = "$entries";

/// Settings that may stay expressions, by kind: the value itself, or the members of an object.
const MAY_BE_LATE: &[(&str, &str)] = &[
    ("data.set", "assign"),
    ("file.write", "content"),
    ("flow.loop", "source"),
    ("http.request", "body"),
    ("object.write", "content"),
];

/// [`evaluate`] for a call: what is long stays an expression in the settings whose step can read it as text.
pub(crate) fn evaluate_call(kind: &str, config: &Value, schema: &Value, scope: &Scope) -> Result<Value, ExprError> {
    let field = MAY_BE_LATE.iter().find(|(known, _)| *known == kind).map(|(_, field)| *field);
    let (Some(field), Value::Object(map)) = (field, config) else { return evaluate(config, Some(schema), scope) };
    let (mut out, mut late) = (Map::new(), Vec::new());
    for (key, one) in map {
        // The members of an object are settings each, not the object.
        let made = if key == field && (kind != "data.set" || one.is_object()) {
            evaluate_short(one, &format!("/{}", pointer_token(key)), scope, &mut late)
        } else {
            evaluate(one, child(Some(schema), key), scope)
        };
        out.insert(key.clone(), made.map_err(|error| error.inside(key))?);
    }
    if kind == "flow.loop" {
        // Something else than a list is refused, and that says what it is.
        match late.first() {
            Some((_, Some(entries))) => out.insert(ENTRIES.to_owned(), (*entries).into()),
            Some((_, None)) => return evaluate(config, Some(schema), scope),
            None => None,
        };
    }
    if !late.is_empty() {
        out.insert(LATE.to_owned(), late.into_iter().map(|(pointer, _)| Value::from(pointer)).collect());
    }
    Ok(Value::Object(out))
}

/// Pointers of settings that stay expressions, and how many entries a list has.
type Late = Vec<(String, Option<usize>)>;

/// A value, or the members of an object; what is long stays an expression, and its pointer is added.
fn evaluate_short(value: &Value, pointer: &str, scope: &Scope, late: &mut Late) -> Result<Value, ExprError> {
    match value {
        Value::String(text) if text.starts_with('=') && !text.starts_with("==") => {
            let short = Expr::compile(text).and_then(|expr| expr.eval_short(scope)).map_err(|error| error.under(""))?;
            Ok(match short {
                Short::Value(short) => short,
                Short::Long(entries) => {
                    late.push((pointer.to_owned(), entries));
                    value.clone()
                }
            })
        }
        Value::String(text) if !text.starts_with('=') && text.contains("{{") => {
            let short = template::Template::parse(text).and_then(|parsed| parsed.render_short(scope));
            Ok(short.map_err(|error| error.under(""))?.map_or_else(
                || {
                    late.push((pointer.to_owned(), None));
                    value.clone()
                },
                Value::String,
            ))
        }
        Value::Object(map) => {
            let mut out = Map::new();
            for (key, one) in map {
                let pointer = format!("{pointer}/{}", pointer_token(key));
                let made = match one {
                    Value::String(_) => evaluate_short(one, &pointer, scope, late),
                    _ => evaluate(one, None, scope),
                };
                out.insert(key.clone(), made.map_err(|error| error.inside(key))?);
            }
            Ok(Value::Object(out))
        }
        _ => evaluate(value, None, scope),
    }
}

/// The expression of a setting that was not evaluated, or its text with holes, because its value is long.
pub fn late<'a>(config: &'a Value, pointer: &str) -> Option<&'a str> {
    let is_late = config.get(LATE)?.as_array()?.iter().any(|one| one == pointer);
    config.pointer(pointer)?.as_str().filter(|_| is_late)
}

/// Evaluated settings as a person sees them: without what is noted of those that stay expressions.
pub fn shown(config: &Value) -> Cow<'_, Value> {
    match config {
        Value::Object(map) if map.contains_key(LATE) => {
            let own = map.iter().filter(|(name, _)| ![LATE, ENTRIES].contains(&name.as_str()));
            Cow::Owned(Value::Object(own.map(|(name, value)| (name.clone(), value.clone())).collect()))
        }
        _ => Cow::Borrowed(config),
    }
}

/// How many entries the list in the settings of a loop has; nothing when it has none there.
pub fn entries(config: &Value) -> Option<usize> {
    let late = config.get(ENTRIES).and_then(Value::as_u64).and_then(|entries| usize::try_from(entries).ok());
    late.or_else(|| Some(config.get("source")?.as_array()?.len()))
}

/// [`evaluate`] for a config whose step must not fail: texts say what is not known, and a field whose expression fails is
/// left out, as if it had not been written.
pub(crate) fn evaluate_known(value: &Value, schema: Option<&Value>, scope: &Scope) -> Value {
    if place(schema) == Place::Raw {
        return value.clone();
    }
    match value {
        Value::String(text) => {
            evaluate(value, schema, scope).unwrap_or_else(|_| match template::Template::parse(text) {
                Ok(template) if !text.starts_with('=') => template.render_known(scope).into(),
                _ => Value::Null,
            })
        }
        Value::Array(list) => {
            let items = schema.and_then(|s| s.get("items"));
            list.iter().map(|one| evaluate_known(one, items, scope)).collect()
        }
        Value::Object(map) => {
            let known = |(key, one): (&String, &Value)| {
                let made = evaluate_known(one, child(schema, key), scope);
                (one.is_null() || !made.is_null()).then(|| (key.clone(), made))
            };
            Value::Object(map.iter().filter_map(known).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// One expression of a node with its place in the file, relative to the node.
pub struct NodeExpression {
    /// JSON Pointer below the node.
    pub pointer: String,
    /// The text as written.
    pub text: String,
    /// The compiled expressions in it (a template has several).
    pub expressions: Vec<Result<Expr, ExprError>>,
    /// It may use `_result` and `_meta`.
    pub after: bool,
}

/// A value of a node in which texts may stand that are evaluated.
pub(crate) struct Written<'a> {
    /// JSON Pointer below the node.
    pub(crate) pointer: String,
    /// Schema of the config.
    pub(crate) schema: Option<&'a Value>,
    pub(crate) value: Cow<'a, Value>,
    /// Evaluated after the call.
    pub(crate) after: bool,
}

/// The values of a node in which texts may stand that are evaluated.
pub(crate) fn written<'a>(node: &'a Node, descriptor: Option<&'a NodeDescriptor>) -> Vec<Written<'a>> {
    let plain = |pointer: String, value: &'a Value, after: bool| Written {
        pointer,
        schema: None,
        value: Cow::Borrowed(value),
        after,
    };
    let mut values = Vec::new();
    for (name, value) in node.input.iter().flatten() {
        values.push(plain(format!("/in/{}", pointer_token(name)), value, false));
    }
    // What a placeholder keeps is of another program: nothing in it is an expression of ours.
    if let Some(config) = node.config.as_ref().filter(|_| node.kind != PLACEHOLDER_KIND) {
        let schema = descriptor.map(|descriptor| &descriptor.config);
        values.push(Written { schema, ..plain("/config".into(), config, false) });
    }
    for (name, value) in node.out.iter().flatten() {
        values.push(plain(format!("/out/{}", pointer_token(name)), value, true));
    }
    if let Some(print) = &node.print {
        values.push(plain("/print".into(), print, true));
    }
    if let Some(key) = &node.idempotency_key {
        let value = Cow::Owned(Value::String(key.clone()));
        values.push(Written { pointer: "/idempotencyKey".into(), schema: None, value, after: false });
    }
    values
}

/// Every expression of a node.
pub fn expressions(node: &Node, descriptor: Option<&NodeDescriptor>) -> Vec<NodeExpression> {
    let mut found = Vec::new();
    let mut cel = |pointer: &str, text: &str, after: bool| {
        found.push(NodeExpression {
            pointer: pointer.to_owned(),
            text: text.to_owned(),
            expressions: vec![Expr::compile(text)],
            after,
        });
    };
    if let Some(condition) = &node.condition {
        cel("/if", condition, false);
    }
    let guards = crate::guard::Guardrails::read(node).ok().flatten().unwrap_or_default();
    for (at, guard) in guards.all() {
        for (field, text) in [("refuse", &guard.refuse), ("value", &guard.value)] {
            if let Some(text) = text {
                cel(&format!("/guardrails{at}/{field}"), text, at.starts_with("/after"));
            }
        }
    }
    for Written { pointer, schema, value, after } in written(node, descriptor) {
        walk(&value, schema, &pointer, &mut |pointer, place, text| {
            let expressions = match place {
                Place::Cel => vec![Expr::compile(text)],
                Place::Url | Place::Host | Place::Value | Place::Raw => {
                    expr::value_refs(&Value::String(text.to_owned())).into_iter().map(|(_, e)| e).collect()
                }
            };
            if !expressions.is_empty() {
                found.push(NodeExpression { pointer: pointer.to_owned(), text: text.to_owned(), expressions, after });
            }
        });
    }
    found
}

/// The expressions of a node that compile.
pub(crate) fn references(node: &Node, descriptor: &NodeDescriptor) -> Vec<Expr> {
    expressions(node, Some(descriptor)).into_iter().flat_map(|e| e.expressions).filter_map(Result::ok).collect()
}

/// Names that no data of a run reaches: a person gave the params.
pub const TRUSTED: &[&str] = &["params", "run", "workflow"];
/// The same in a sub-workflow, whose params are data of the run that calls it.
pub(crate) const TRUSTED_INSIDE: &[&str] = &["run", "workflow"];

/// The authority of an `x-url` field, or an `x-host` field, comes from data (`item`, `items`, `nodes`, `context`): see TRUST, SSRF.
pub fn host_from_data(node: &Node, descriptor: &NodeDescriptor, trusted: &[&str]) -> bool {
    setting_with_host_from_data(node, descriptor, trusted).is_some()
}

/// Pointer, inside the config, to the first such field.
pub(crate) fn setting_with_host_from_data(
    node: &Node,
    descriptor: &NodeDescriptor,
    trusted: &[&str],
) -> Option<String> {
    let mut found = None;
    walk(node.config.as_ref()?, Some(&descriptor.config), "", &mut |pointer, place, text| {
        let tainted = match place {
            Place::Url => address::authority_from_data(text, trusted),
            Place::Host => address::host_from_data(text, trusted),
            Place::Cel | Place::Value | Place::Raw => false,
        };
        if tainted && found.is_none() {
            found = Some(pointer.to_owned());
        }
    });
    found
}
