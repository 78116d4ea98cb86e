//! Names for the editor's completion.

use super::references::push_key;
use super::val::V;
use super::{NAMES, funcs};
use crate::scope::Scope;

/// Deepest level of fields that is offered.
const DEPTH: usize = 3;
/// Most names in all.
const MAX: usize = 500;

/// One name that can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What is inserted, such as `item.user.name` or `nodes['my-id'].output`.
    pub label: String,
    /// `null`, `boolean`, `integer`, `number`, `string`, `array`, `object` or `function`.
    pub kind: &'static str,
    /// A short sample of the value, or how the function is used.
    pub sample: String,
}

/// Names with their fields, to depth 3, as the scope holds them.
pub fn completions(scope: &Scope) -> Vec<Completion> {
    let mut out = Vec::new();
    let mut names: Vec<&str> = NAMES.to_vec();
    names.extend(scope.locals.iter().map(|(name, _)| *name).filter(|name| !NAMES.contains(name)));
    // `err` is only another name of `error`.
    for name in names.into_iter().filter(|name| *name != "err") {
        if let Some(found) = V::named(scope, name) {
            walk(name.to_owned(), &found, 0, &mut out);
        }
    }
    out
}

fn walk(label: String, value: &V<'_>, depth: usize, out: &mut Vec<Completion>) {
    if out.len() >= MAX {
        return;
    }
    out.push(Completion { label: label.clone(), kind: json_kind(value), sample: sample(value) });
    if depth >= DEPTH {
        return;
    }
    if value.is_map() {
        for key in value.key_texts(50) {
            if let Some(one) = value.member(&key) {
                let mut inner = label.clone();
                push_key(&mut inner, &key);
                walk(inner, &one, depth + 1, out);
            }
        }
    } else if let Some(one) = value.nth(0) {
        walk(format!("{label}[0]"), &one, depth + 1, out);
    }
}

fn json_kind(value: &V<'_>) -> &'static str {
    match value.kind() {
        "null_type" => "null",
        "bool" => "boolean",
        "int" => "integer",
        "double" => "number",
        "list" => "array",
        "map" => "object",
        _ => "string",
    }
}

fn sample(value: &V<'_>) -> String {
    const LENGTH: usize = 60;
    match (value, value.text(), value.len()) {
        (_, Some(text), _) => {
            let mut out: String = text.chars().take(LENGTH).map(|c| if c.is_control() { ' ' } else { c }).collect();
            if text.chars().nth(LENGTH).is_some() {
                out.push('…');
            }
            out
        }
        (V::Null, ..) => "null".into(),
        (_, _, Some(1)) => "1 entry".into(),
        (_, _, Some(total)) => format!("{total} entries"),
        _ => super::ops::plain(value).unwrap_or_default(),
    }
}

/// The functions that expressions may call.
pub fn functions() -> Vec<Completion> {
    funcs::described()
        .map(|(name, usage)| Completion { label: name.to_owned(), kind: "function", sample: usage.to_owned() })
        .collect()
}
