//! The selection of fields of a GraphQL operation: read, checked against the types of the connector, and what it gives as a
//! JSON Schema.

use crate::catalog::nearest;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use signalbox_model::connector::graphql::{GraphQl, GraphQlTypes as Types, named};
use signalbox_model::{Connector, Node};

/// The setting of a step with its selection.
pub const FIELDS_SETTING: &str = "fields";
/// Longest selection, in bytes.
const LONGEST: usize = 64 * 1024;
/// Deepest selection.
const DEEPEST: usize = 32;
/// The field that every type has.
const TYPE_NAME: &str = "__typename";

/// Fields between braces.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Selection {
    fields: Vec<Field>,
    /// `... on Type { … }`; without a type, of the type around it.
    fragments: Vec<(Option<String>, Selection)>,
}

#[derive(Debug, PartialEq, Eq)]
struct Field {
    alias: Option<String>,
    name: String,
    inner: Option<Selection>,
}

/// The selection in the settings of a step; nothing when it uses the usual one.
pub fn own_fields(node: &Node) -> Option<&str> {
    let text = node.config.as_ref()?.get(FIELDS_SETTING)?.as_str()?;
    (!text.trim().is_empty()).then_some(text)
}

/// Reads a selection.
///
/// # Errors
/// Why it is none, in a sentence without a full stop.
pub fn read(text: &str) -> Result<Selection, String> {
    if text.len() > LONGEST {
        return Err(format!("The selection has {} bytes; {LONGEST} are the most", text.len()));
    }
    let mut reader = Reader { rest: text };
    let selection = reader.selection(0)?;
    match reader.peek() {
        None if selection.is_empty() => Err("The selection names no field".into()),
        None => Ok(selection),
        Some(_) => Err(reader.unexpected("a field")),
    }
}

impl Selection {
    fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.fragments.is_empty()
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', ',', '\u{feff}']);
            match self.rest.strip_prefix('#') {
                Some(comment) => self.rest = comment.find(['\n', '\r']).map_or("", |end| &comment[end..]),
                None => return self.rest.chars().next(),
            }
        }
    }

    fn eat(&mut self, wanted: &str) -> bool {
        self.peek();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn name(&mut self) -> Option<String> {
        let first = self.peek()?;
        if !(first.is_ascii_alphabetic() || first == '_') {
            return None;
        }
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(name.to_owned())
    }

    fn unexpected(&self, wanted: &str) -> String {
        let near: String = self.rest.chars().take(20).collect();
        if near.is_empty() {
            format!("The selection ends where {wanted} should be")
        } else {
            format!("There should be {wanted} at '{near}'")
        }
    }

    fn selection(&mut self, depth: usize) -> Result<Selection, String> {
        if depth > DEEPEST {
            return Err(format!("The selection is nested more than {DEEPEST} levels"));
        }
        let mut selection = Selection::default();
        loop {
            match self.peek() {
                None | Some('}') => return Ok(selection),
                Some('.') => {
                    if !self.eat("...") {
                        return Err(self.unexpected("a field"));
                    }
                    let of = match self.name() {
                        None => None,
                        Some(on) if on == "on" => Some(self.name().ok_or_else(|| self.unexpected("a type"))?),
                        Some(name) => {
                            return Err(format!(
                                "The fragment '{name}' is not known; write its fields as '... on Type {{ … }}'"
                            ));
                        }
                    };
                    self.directives()?;
                    let inner = self.braces(depth)?.ok_or_else(|| self.unexpected("{"))?;
                    selection.fragments.push((of, inner));
                }
                Some(_) => selection.fields.push(self.field(depth)?),
            }
        }
    }

    fn field(&mut self, depth: usize) -> Result<Field, String> {
        let mut name = self.name().ok_or_else(|| self.unexpected("a field"))?;
        let mut alias = None;
        if self.eat(":") {
            let own = self.name().ok_or_else(|| self.unexpected("a field"))?;
            alias = Some(std::mem::replace(&mut name, own));
        }
        self.arguments()?;
        self.directives()?;
        let inner = self.braces(depth)?;
        Ok(Field { alias, name, inner })
    }

    fn braces(&mut self, depth: usize) -> Result<Option<Selection>, String> {
        if !self.eat("{") {
            return Ok(None);
        }
        let inner = self.selection(depth + 1)?;
        if inner.is_empty() {
            return Err(self.unexpected("a field"));
        }
        if self.eat("}") { Ok(Some(inner)) } else { Err(self.unexpected("}")) }
    }

    fn directives(&mut self) -> Result<(), String> {
        while self.eat("@") {
            self.name().ok_or_else(|| self.unexpected("a directive"))?;
            self.arguments()?;
        }
        Ok(())
    }

    /// Values in parentheses; what they mean is the service's matter, but none may reach past their end.
    fn arguments(&mut self) -> Result<(), String> {
        if !self.eat("(") {
            return Ok(());
        }
        let mut open = vec![')'];
        while let Some(wanted) = open.last().copied() {
            let Some(next) = self.peek() else { return Err(self.unexpected(&wanted.to_string())) };
            match next {
                '"' => self.text()?,
                '$' => {
                    return Err(format!("Variables belong to the operation; write a value instead of {}", self.near()));
                }
                '(' | '[' | '{' => {
                    open.push(match next {
                        '(' => ')',
                        '[' => ']',
                        _ => '}',
                    });
                    self.skip(next);
                    if open.len() > DEEPEST {
                        return Err(format!("A value is nested more than {DEEPEST} levels"));
                    }
                }
                ')' | ']' | '}' if next == wanted => {
                    open.pop();
                    self.skip(next);
                }
                ')' | ']' | '}' => return Err(self.unexpected(&wanted.to_string())),
                other => self.skip(other),
            }
        }
        Ok(())
    }

    fn near(&self) -> String {
        self.rest.chars().take(20).collect()
    }

    fn skip(&mut self, one: char) {
        self.rest = &self.rest[one.len_utf8()..];
    }

    fn text(&mut self) -> Result<(), String> {
        let unclosed = || "A text in the selection has no closing quote".to_owned();
        if let Some(block) = self.rest.strip_prefix("\"\"\"") {
            // `\"""` does not end it.
            let mut from = 0;
            loop {
                let end = from + block[from..].find("\"\"\"").ok_or_else(unclosed)?;
                if !block[..end].ends_with('\\') {
                    self.rest = &block[end + 3..];
                    return Ok(());
                }
                from = end + 3;
            }
        }
        let mut escaped = false;
        for (at, c) in self.rest.char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(());
                }
                '\n' | '\r' => break,
                _ => {}
            }
        }
        Err(unclosed())
    }
}

/// What is wrong with a step's selection; nothing when it can be sent.
///
/// # Errors
/// The first problem, and what to do.
pub fn check(text: &str, operation: &GraphQl, connector: &Connector) -> Result<(), (String, String)> {
    if !operation.selects() {
        let message = "The operation gives one value, which has no fields to select";
        return Err((message.into(), "Remove the selection".into()));
    }
    let hint = "Write field names, for example: id title author { login }";
    let selection = read(text).map_err(|why| (why, hint.to_owned()))?;
    fits(&selection, &operation.of, &connector.graphql_types)
}

fn fits(selection: &Selection, of: &str, types: &Types) -> Result<(), (String, String)> {
    let Some(known) = types.get(of) else {
        return if types.is_empty() {
            Ok(())
        } else {
            Err((format!("The connector does not describe the type '{of}'"), "Import the service again".into()))
        };
    };
    for field in &selection.fields {
        let name = field.name.as_str();
        let declared = if name == TYPE_NAME { Some("String!") } else { known.get(name).map(String::as_str) };
        let Some(declared) = declared else {
            let near = nearest(name, known.keys().map(String::as_str));
            let hint = near.map_or_else(|| listed(known), |near| format!("Did you mean '{near}'?"));
            return Err((format!("{of} has no field '{name}'"), hint));
        };
        match (&field.inner, types.contains_key(named(declared))) {
            (Some(inner), true) => fits(inner, named(declared), types)?,
            (None, false) => {}
            (None, true) => {
                let message = format!("'{name}' of {of} is an object, so that its fields have to be selected, too");
                return Err((message, format!("Write for example {name} {{ {} }}", example(named(declared), types))));
            }
            (Some(_), false) => {
                let message = format!("'{name}' of {of} has no fields");
                return Err((message, "Remove the braces after it".into()));
            }
        }
    }
    for (on, inner) in &selection.fragments {
        let on = on.as_deref().unwrap_or(of);
        if !types.contains_key(on) {
            let near = nearest(on, types.keys().map(String::as_str));
            let hint =
                near.map_or_else(|| "Name a type of the service".into(), |near| format!("Did you mean '{near}'?"));
            return Err((format!("There is no type '{on}'"), hint));
        }
        fits(inner, on, types)?;
    }
    Ok(())
}

/// A field of a type without fields.
fn example(of: &str, types: &Types) -> String {
    let plain = types.get(of).into_iter().flatten().find(|(_, declared)| !types.contains_key(named(declared)));
    plain.map_or_else(|| TYPE_NAME.to_owned(), |(name, _)| name.clone())
}

fn listed(known: &IndexMap<String, String>) -> String {
    const MOST: usize = 12;
    let names: Vec<&str> = known.keys().take(MOST).map(String::as_str).collect();
    let more = if known.len() > MOST { ", …" } else { "" };
    format!("Its fields: {}{more}", names.join(", "))
}

/// The JSON Schema of what a selection gives; null when it is not known.
pub fn schema(text: &str, of: &str, types: &Types) -> Value {
    match read(text) {
        Ok(selection) if types.contains_key(of) => {
            let mut properties = Map::new();
            collect(&selection, of, types, &mut properties);
            json!({ "type": "object", "properties": properties })
        }
        Ok(_) | Err(_) => Value::Null,
    }
}

fn collect(selection: &Selection, of: &str, types: &Types, into: &mut Map<String, Value>) {
    for field in &selection.fields {
        let shown = field.alias.as_ref().unwrap_or(&field.name).clone();
        let declared = types.get(of).and_then(|known| known.get(&field.name));
        let declared = declared.map_or(if field.name == TYPE_NAME { "String!" } else { "" }, String::as_str);
        into.insert(shown, value(declared, field.inner.as_ref(), types));
    }
    for (on, inner) in &selection.fragments {
        collect(inner, on.as_deref().unwrap_or(of), types, into);
    }
}

fn value(declared: &str, inner: Option<&Selection>, types: &Types) -> Value {
    let (declared, nullable) = declared.strip_suffix('!').map_or((declared, true), |declared| (declared, false));
    let kind = |kind: &str| if nullable { json!([kind, "null"]) } else { json!(kind) };
    if let Some(element) = declared.strip_prefix('[').and_then(|declared| declared.strip_suffix(']')) {
        return json!({ "type": kind("array"), "items": value(element, inner, types) });
    }
    match (declared, inner) {
        (_, Some(inner)) => {
            let mut properties = Map::new();
            collect(inner, declared, types, &mut properties);
            json!({ "type": kind("object"), "properties": properties })
        }
        ("String" | "ID", None) => json!({ "type": kind("string") }),
        ("Int", None) => json!({ "type": kind("integer") }),
        ("Float", None) => json!({ "type": kind("number") }),
        ("Boolean", None) => json!({ "type": kind("boolean") }),
        (_, None) => json!({}),
    }
}

/// Adds the types that a selection goes through: a run keeps these and no others.
pub(super) fn keep_types(text: &str, of: &str, types: &Types, used: &mut Types) {
    if let Ok(selection) = read(text) {
        mark(&selection, of, types, used);
    }
}

fn mark(selection: &Selection, of: &str, types: &Types, used: &mut Types) {
    let Some(known) = types.get(of) else { return };
    let kept = used.entry(of.to_owned()).or_default();
    for field in &selection.fields {
        if let Some(declared) = known.get(&field.name) {
            kept.insert(field.name.clone(), declared.clone());
        }
    }
    for field in &selection.fields {
        if let (Some(inner), Some(declared)) = (&field.inner, known.get(&field.name)) {
            mark(inner, named(declared), types, used);
        }
    }
    for (on, inner) in &selection.fragments {
        mark(inner, on.as_deref().unwrap_or(of), types, used);
    }
}

#[cfg(test)]
mod tests;
