//! The fields that an operation selects when a step names none: what is plain, and one level more where there is nothing plain.

use super::arguments::is_required;
use super::types::{Kind, TypeRef, Types};
use serde_json::Value;
use std::collections::HashMap;

/// Most plain fields of a type, of an object inside, and most objects.
const PLAIN: usize = 60;
const PLAIN_INSIDE: usize = 20;
const OBJECTS: usize = 10;
const TYPE_NAME: &str = "__typename";
/// A field of Relay that only repeats what was sent.
const REPEATED: &str = "clientMutationId";

/// The usual selection of a type. `nested` adds the plain fields of its objects.
pub(super) fn usual(types: &Types<'_>, of: &str, nested: bool) -> String {
    let plain = plain(types, of, PLAIN);
    let has_plain = plain.iter().any(|name| name != TYPE_NAME && name != REPEATED);
    let mut parts = plain;
    if nested || !has_plain {
        parts.extend(objects(types, of));
    }
    if parts.len() > 1 {
        parts.retain(|name| name != REPEATED);
    }
    if parts.is_empty() { TYPE_NAME.to_owned() } else { parts.join(" ") }
}

/// Fields that can be selected without arguments.
fn free<'a>(types: &'a Types<'_>, of: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    types.fields(of).filter(|(_, field)| {
        field["isDeprecated"] != true && !field["args"].as_array().into_iter().flatten().any(is_required)
    })
}

fn plain(types: &Types<'_>, of: &str, most: usize) -> Vec<String> {
    let own = free(types, of).filter(|(_, field)| !types.is_composite(TypeRef::of(field).name()));
    let own = own.map(|(name, _)| name.to_owned()).take(most);
    let mut parts: Vec<String> = own.collect();
    match types.kind(of) {
        Some(Kind::Interface) => parts.insert(0, TYPE_NAME.into()),
        Some(Kind::Union) => {
            parts.insert(0, TYPE_NAME.into());
            parts.extend(members(types, of));
        }
        _ => {}
    }
    parts
}

/// Plain fields of each member of a union. A name that two of them have with other types cannot be selected twice.
fn members(types: &Types<'_>, of: &str) -> Vec<String> {
    let mut known: HashMap<&str, String> = HashMap::new();
    let mut parts = Vec::new();
    for member in types.possible(of).take(OBJECTS) {
        let mut names = Vec::new();
        for (name, field) in free(types, member) {
            let of = TypeRef::of(field);
            if types.is_composite(of.name()) || names.len() >= PLAIN_INSIDE {
                continue;
            }
            if *known.entry(name).or_insert_with(|| of.text()) == of.text() {
                names.push(name);
            }
        }
        if !names.is_empty() {
            parts.push(format!("... on {member} {{ {} }}", names.join(" ")));
        }
    }
    parts
}

fn objects(types: &Types<'_>, of: &str) -> Vec<String> {
    let objects = free(types, of).filter(|(_, field)| types.is_composite(TypeRef::of(field).name()));
    let inside = objects.filter_map(|(name, field)| {
        let fields = plain(types, TypeRef::of(field).name(), PLAIN_INSIDE);
        (!fields.is_empty()).then(|| format!("{name} {{ {} }}", fields.join(" ")))
    });
    inside.take(OBJECTS).collect()
}
