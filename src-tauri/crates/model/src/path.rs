//! One resolver for dotted paths (K-44): `$`, `$.a.b`, `$.a[0].b`, `a.b[0]`, `['odd key']`.
//!
//! No wildcards, filters, slices or negative indices. A present key with value null is found; a missing key is not.

use serde_json::{Value, json};

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Object key.
    Key(String),
    /// List index.
    Index(usize),
}

/// A path that does not parse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{path}' is not a path: {why} (character {at})")]
pub struct BadPath {
    /// The text.
    pub path: String,
    /// What is wrong.
    pub why: &'static str,
    /// Character, from 1.
    pub at: usize,
}

/// A path that leads nowhere (K-51).
#[derive(Debug, Clone, PartialEq)]
pub struct Missing {
    /// The path as given.
    pub path: String,
    /// Keys (or index range) at the deepest parent that exists; at most 20.
    pub available: Vec<String>,
    /// That parent's path, `$` at the top.
    pub available_at: String,
    /// Keys at the top; at most 20.
    pub top_level: Vec<String>,
    /// Types only, at most 2,000 characters.
    pub sample: Value,
}

/// Parses a path.
pub fn parse(path: &str) -> Result<Vec<Segment>, BadPath> {
    let chars: Vec<char> = path.chars().collect();
    let fail = |why, at: usize| BadPath { path: path.to_owned(), why, at: at + 1 };
    let mut segments = Vec::new();
    let mut at = 0;
    if chars.first() == Some(&'$') {
        at = 1;
        if at < chars.len() && chars[at] != '.' && chars[at] != '[' {
            return Err(fail("after $ comes . or [", at));
        }
    } else if !chars.is_empty() && chars[0] != '[' {
        at = key(&chars, 0, &mut segments).map_err(|(why, at)| fail(why, at))?;
    } else if chars.is_empty() {
        return Err(fail("it is empty", 0));
    }
    while at < chars.len() {
        match chars[at] {
            '.' => at = key(&chars, at + 1, &mut segments).map_err(|(why, at)| fail(why, at))?,
            '[' => {
                let quote = chars.get(at + 1).copied();
                if let Some(q @ ('\'' | '"')) = quote {
                    let start = at + 2;
                    let end = (start..chars.len())
                        .find(|i| chars[*i] == q)
                        .ok_or_else(|| fail("the quote is not closed", at))?;
                    if chars.get(end + 1) != Some(&']') {
                        return Err(fail("] is missing", end));
                    }
                    segments.push(Segment::Key(chars[start..end].iter().collect()));
                    at = end + 2;
                } else {
                    let start = at + 1;
                    let end =
                        (start..chars.len()).find(|i| chars[*i] == ']').ok_or_else(|| fail("] is missing", at))?;
                    let digits: String = chars[start..end].iter().collect();
                    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                        return Err(fail("an index is a whole number from 0", start));
                    }
                    segments.push(Segment::Index(digits.parse().map_err(|_| fail("the index is too large", start))?));
                    at = end + 1;
                }
            }
            _ => return Err(fail("expected . or [", at)),
        }
    }
    Ok(segments)
}

fn key(chars: &[char], start: usize, segments: &mut Vec<Segment>) -> Result<usize, (&'static str, usize)> {
    let end = (start..chars.len()).find(|i| matches!(chars[*i], '.' | '[')).unwrap_or(chars.len());
    if end == start {
        return Err(("a name is missing", start));
    }
    if let Some(bad) = (start..end).find(|i| matches!(chars[*i], '*' | '?' | ']' | '\'' | '"' | '$')) {
        return Err(("this character needs ['…']", bad));
    }
    segments.push(Segment::Key(chars[start..end].iter().collect()));
    Ok(end)
}

/// Follows a path.
pub fn resolve<'a>(value: &'a Value, path: &str, segments: &[Segment]) -> Result<&'a Value, Missing> {
    let mut here = value;
    let mut done = String::from("$");
    for segment in segments {
        let next = match (segment, here) {
            (Segment::Key(name), Value::Object(map)) => map.get(name),
            (Segment::Index(index), Value::Array(list)) => list.get(*index),
            (Segment::Key(_) | Segment::Index(_), _) => None,
        };
        match next {
            Some(found) => {
                here = found;
                match segment {
                    Segment::Key(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') => {
                        done.push('.');
                        done.push_str(name);
                    }
                    Segment::Key(name) => done.push_str(&format!("['{name}']")),
                    Segment::Index(index) => done.push_str(&format!("[{index}]")),
                }
            }
            None => {
                return Err(Missing {
                    path: path.to_owned(),
                    available: available(here),
                    available_at: done,
                    top_level: available(value),
                    sample: sample(value),
                });
            }
        }
    }
    Ok(here)
}

/// Keys of an object, the index range of a list, nothing otherwise; at most 20.
pub fn available(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => map.keys().take(20).cloned().collect(),
        Value::Array(list) if list.is_empty() => Vec::new(),
        Value::Array(list) if list.len() == 1 => vec!["[0]".into()],
        Value::Array(list) => vec![format!("[0]…[{}]", list.len() - 1)],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// The structure of a value: types only, no values, at most 2,000 characters.
pub fn sample(value: &Value) -> Value {
    fn shape(value: &Value, depth: usize, budget: &mut usize) -> Value {
        *budget = budget.saturating_sub(12);
        match value {
            Value::Null => json!("null"),
            Value::Bool(_) => json!("boolean"),
            Value::Number(_) => json!("number"),
            Value::String(_) => json!("string"),
            Value::Array(list) if depth == 0 || *budget == 0 => json!(format!("array of {}", list.len())),
            Value::Array(list) => Value::Array(list.first().map(|v| shape(v, depth - 1, budget)).into_iter().collect()),
            Value::Object(map) if depth == 0 || *budget == 0 => json!(format!("object of {}", map.len())),
            Value::Object(map) => {
                let mut out = crate::Map::new();
                for (key, child) in map.iter().take(20) {
                    if *budget == 0 {
                        break;
                    }
                    *budget = budget.saturating_sub(key.len() + 4);
                    let child = shape(child, depth - 1, budget);
                    out.insert(key.chars().take(60).collect(), child);
                }
                Value::Object(out)
            }
        }
    }
    let mut budget = 1_600;
    shape(value, 4, &mut budget)
}

#[cfg(test)]
mod tests;
