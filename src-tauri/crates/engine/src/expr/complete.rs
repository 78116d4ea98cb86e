//! Names for the editor's completion.

use super::references::push_key;
use super::val::V;
use super::{NAMES, funcs};
use crate::scope::Scope;
use std::borrow::Cow;

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

/// Names with their fields, to depth 3, as the scope holds them. `each`: of a step that runs once for each item; its own item and
/// those that it descends from are offered, and never the first one of a list of items, which is the same for all.
pub fn completions(scope: &Scope, each: bool) -> Vec<Completion> {
    let mut out = Vec::new();
    if each {
        for (step, view) in scope.nodes.iter() {
            // Before a run the shape of its items is known.
            let data = match scope.paired.as_ref().and_then(|paired| paired.get(step)) {
                Some(Ok(data)) => Some(data),
                Some(Err(_)) => None,
                None => view.items.first(),
            };
            if let Some(data) = data {
                walk(format!("paired('{step}')"), &V::of_data(data), 1, false, &mut out);
            }
        }
    }
    let mut names: Vec<&str> = NAMES.to_vec();
    names.extend(scope.locals.iter().map(|(name, _)| *name).filter(|name| !NAMES.contains(name)));
    // `err` is only another name of `error`.
    for name in names.into_iter().filter(|name| *name != "err") {
        if let Some(found) = V::named(scope, name) {
            walk(name.to_owned(), &found, 0, each, &mut out);
        }
    }
    out
}

fn walk(label: String, value: &V<'_>, depth: usize, each: bool, out: &mut Vec<Completion>) {
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
                walk(inner, &one, depth + 1, each, out);
            }
        }
    } else if each && (matches!(value, V::Items(_)) || (label.starts_with("nodes") && label.ends_with(".output"))) {
        // The list as a whole is offered.
    } else if let Some(one) = value.nth(0) {
        walk(format!("{label}[0]"), &one, depth + 1, each, out);
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
    let begin = match value {
        V::LongText(text) => text.part.stretches().next(),
        _ => value.text().map(Cow::Borrowed),
    };
    match (value, begin, value.len()) {
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
