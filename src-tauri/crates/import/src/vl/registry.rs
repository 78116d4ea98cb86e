//! What a foreign file declares: params, variables, addresses, documents, schemas.

use super::cel::Ty;
use super::read::{Registry, says, type_of};
use crate::report::{Findings, Level};
use serde_json::{Value, json};
use signalbox_model::{Map, diagnostic::pointer_token};

const PATH: &str = "/registry";

pub(super) fn read<'a>(value: Option<&'a Value>, found: &mut Findings) -> Registry<'a> {
    let mut registry = Registry::default();
    let Some(all) = value.and_then(Value::as_object) else {
        let hint = "Its params and variables are taken from their use.";
        found.add(Level::Warning, "NO_REGISTRY", None, PATH, "Missing registry.", hint);
        return registry;
    };
    for (at, text) in texts(all, "params", found) {
        param(&mut registry, &at, text, found);
    }
    for (at, text) in texts(all, "vars", found) {
        variable(&mut registry, &at, text, found);
    }
    apis(&mut registry, all, found);
    for (id, text) in all.get("docs").and_then(Value::as_object).into_iter().flatten() {
        registry.docs.insert(id, text.as_str().unwrap_or_default());
    }
    registry.schemas = all.get("schemas").and_then(Value::as_object);
    if let Some(files) = all.get("files").filter(|files| says(files)) {
        let globs = |field: &str| {
            let list = files.get(field).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        };
        let (reads, writes) = (globs("inputs"), globs("artifacts"));
        let words =
            |what: &str, list: &str| if list.is_empty() { String::new() } else { format!(" It {what} {list}.") };
        let message = format!(
            "Files are read and written in folders that this machine grants.{}{}",
            words("reads", &reads),
            words("writes", &writes)
        );
        let hint = "Grant the folder of the project for writing, in the app or with --allow-dir DIR:rw.";
        found.add(Level::Missing, "FOLDER", None, format!("{PATH}/files"), message, hint);
    }
    registry
}

/// The texts of a list, with their places.
fn texts<'a>(all: &'a Map, field: &str, found: &mut Findings) -> Vec<(String, &'a str)> {
    let Some(value) = all.get(field).filter(|value| says(value)) else { return Vec::new() };
    let Some(list) = value.as_array() else {
        let message = format!("'{field}' of the registry is no list; it is not read.");
        found.add(Level::Warning, "BAD_DECLARATION", None, format!("{PATH}/{field}"), message, "Correct it there.");
        return Vec::new();
    };
    let mut read = Vec::new();
    for (at, one) in list.iter().enumerate() {
        let path = format!("{PATH}/{field}/{at}");
        match one.as_str() {
            Some(text) => read.push((path, text)),
            None => declined(found, path, &one.to_string()),
        }
    }
    read
}

fn declined(found: &mut Findings, path: String, text: &str) {
    let shown: String = text.chars().take(80).collect();
    let message = format!("'{shown}' is no declaration; it is not read.");
    found.add(Level::Warning, "BAD_DECLARATION", None, path, message, "Write name(TYPE), as the format says.");
}

/// `name(TYPE) = default`: name, type, default.
fn declaration(text: &str) -> Option<(&str, &str, Option<&str>)> {
    let (name, rest) = text.split_once('(')?;
    let (kind, rest) = rest.split_once(')')?;
    let name = name.trim();
    let word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    let default = match rest.trim() {
        "" => None,
        rest => Some(rest.strip_prefix('=')?.trim()),
    };
    word.then_some((name, kind, default))
}

fn param<'a>(registry: &mut Registry<'a>, at: &str, text: &'a str, found: &mut Findings) {
    let Some((name, kind, default)) = declaration(text).filter(|(name, ..)| !name.contains('$')) else {
        return declined(found, at.to_owned(), text);
    };
    let (mut schema, ty) = type_of(kind);
    if kind.trim().eq_ignore_ascii_case("OBJECT") {
        schema = json!({ "type": "object" });
    }
    schema["title"] = json!(name);
    if let Some(default) = default {
        let quoted = serde_json::from_str(default).unwrap_or_else(|_| json!(default.trim_matches(['\'', '"'])));
        let fits = match ty {
            Ty::Text => json!(quoted.as_str().map_or_else(|| default.to_owned(), str::to_owned)),
            Ty::Number | Ty::Bool | Ty::List | Ty::Object | Ty::Any => quoted,
        };
        schema["default"] = fits;
    }
    if registry.names.params.insert(name.to_owned(), ty).is_some() {
        let message = format!("The param '{name}' is declared twice; the first declaration counts.");
        found.add(Level::Warning, "DECLARED_TWICE", None, at, message, "Remove one of the two.");
        return;
    }
    registry.params.push((name.to_owned(), schema, default.is_none()));
}

fn variable<'a>(registry: &mut Registry<'a>, at: &str, text: &'a str, found: &mut Findings) {
    let Some((name, kind, _)) = declaration(text) else { return declined(found, at.to_owned(), text) };
    let name = name.strip_prefix('$').unwrap_or(name);
    if name.is_empty() || name.contains('$') {
        return declined(found, at.to_owned(), text);
    }
    let (mut schema, ty) = type_of(kind);
    // Nothing is in a variable before the first step that sets it.
    if let Some(kind) = schema.get("type").cloned() {
        schema["type"] = json!([kind, "null"]);
    } else {
        schema = json!({ "description": kind.trim() });
    }
    if registry.names.vars.insert(name.to_owned(), ty).is_some() {
        let message = format!("The variable '${name}' is declared twice; the first declaration counts.");
        found.add(Level::Warning, "DECLARED_TWICE", None, at, message, "Remove one of the two.");
        return;
    }
    if registry.names.params.contains_key(name) {
        let message = format!("'{name}' is a param and a variable; here they are params.{name} and context.{name}.");
        found.add(Level::Warning, "DECLARED_TWICE", None, at, message, "Nothing, if the steps use the right one.");
    }
    registry.vars.push((name.to_owned(), schema));
}

fn apis<'a>(registry: &mut Registry<'a>, all: &'a Map, found: &mut Findings) {
    match all.get("apis") {
        Some(Value::Array(list)) => {
            for (at, one) in list.iter().enumerate() {
                match one.get("id").and_then(Value::as_str).zip(one.as_object()) {
                    Some((id, api)) => drop(registry.apis.insert(id, api)),
                    None => declined(found, format!("{PATH}/apis/{at}"), &one.to_string()),
                }
            }
        }
        Some(Value::Object(map)) => {
            for (id, one) in map {
                match one.as_object() {
                    Some(api) => drop(registry.apis.insert(id, api)),
                    None => declined(found, format!("{PATH}/apis/{}", pointer_token(id)), &one.to_string()),
                }
            }
        }
        _ => {}
    }
}
