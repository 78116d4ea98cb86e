//! A schema with its references put in place: for forms and lists of fields, which show a few levels and no circles.

use serde_json::{Map, Value};

/// So many schemas are put out; below that, any value fits.
const MOST: usize = 5_000;

/// The schema without references, `most` levels deep. What leads back into itself ends there, and parts of `allOf` are one
/// object. Values that fit the original fit it as well; it accepts more.
pub fn inlined(schema: &Value, most: usize) -> Value {
    let none = Value::Null;
    let mut inline = Inline { defs: schema.get("$defs").unwrap_or(&none), way: Vec::new(), left: MOST, most };
    inline.at(schema, 0)
}

struct Inline<'a> {
    defs: &'a Value,
    /// Names of the shared schemas around this place.
    way: Vec<&'a str>,
    left: usize,
    most: usize,
}

impl<'a> Inline<'a> {
    fn at(&mut self, schema: &'a Value, depth: usize) -> Value {
        let Some(map) = schema.as_object() else { return schema.clone() };
        if depth > self.most || self.left == 0 {
            return Value::Object(Map::new());
        }
        self.left -= 1;
        if let Some(name) = map.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix("#/$defs/")) {
            let Some(target) = self.defs.get(name).filter(|_| !self.way.contains(&name)) else {
                return Value::Object(Map::new());
            };
            self.way.push(name);
            let mut made = self.at(target, depth);
            self.way.pop();
            // What the place itself says comes first.
            if let (Value::Object(made), Some(words)) = (&mut made, map.get("description")) {
                made.insert("description".into(), words.clone());
            }
            return made;
        }
        let mut made = Map::new();
        for (keyword, inner) in map {
            match (keyword.as_str(), inner) {
                ("$defs" | "allOf", _) => {}
                ("properties", Value::Object(fields)) => {
                    let fields = fields.iter().map(|(name, field)| (name.clone(), self.at(field, depth + 1))).collect();
                    made.insert(keyword.clone(), Value::Object(fields));
                }
                ("items" | "additionalProperties", _) => {
                    made.insert(keyword.clone(), self.at(inner, depth + 1));
                }
                ("oneOf" | "anyOf", Value::Array(ways)) => self.ways(keyword, ways, &mut made, depth),
                _ => {
                    made.insert(keyword.clone(), inner.clone());
                }
            }
        }
        for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            let part = self.at(part, depth);
            together(&mut made, part);
        }
        Value::Object(made)
    }

    /// Alternatives; one beside null is the value itself.
    fn ways(&mut self, keyword: &str, ways: &'a [Value], made: &mut Map<String, Value>, depth: usize) {
        let mut all: Vec<Value> = Vec::new();
        for way in ways.iter().filter(|way| way["type"] != "null") {
            all.push(self.at(way, depth + 1));
        }
        match all.len() {
            1 => all.into_iter().for_each(|one| together(made, one)),
            _ => {
                made.insert(keyword.to_owned(), all.into());
            }
        }
    }
}

/// Adds the keywords of a part of `allOf`; fields and required names are united.
fn together(all: &mut Map<String, Value>, part: Value) {
    let Value::Object(part) = part else { return };
    for (keyword, inner) in part {
        match (keyword.as_str(), all.get_mut(&keyword), inner) {
            ("properties", Some(Value::Object(fields)), Value::Object(more)) => {
                for (name, field) in more {
                    match fields.get_mut(&name) {
                        // Both say something about the same field.
                        Some(Value::Object(known)) => together(known, field),
                        _ => {
                            fields.insert(name, field);
                        }
                    }
                }
            }
            ("required", Some(Value::Array(names)), Value::Array(more)) => {
                for name in more {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
            (_, Some(_), _) => {}
            (_, None, inner) => {
                all.insert(keyword, inner);
            }
        }
    }
}

#[cfg(test)]
mod tests;
