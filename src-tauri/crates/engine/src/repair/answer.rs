//! JSON out of what a model answered. Fewer rungs than for an input: what stands around it is taken away, slips of the pen
//! are mended, and a number that was written as a text becomes one. No type is guessed and no name is changed: what does not
//! fit goes back to the model with the reasons.

use super::Rung;
use super::text::{Found, Wanted, fences, mend, prose};
use crate::json;
use crate::schema::{Schema, Violation};
use serde_json::Value;

/// A number is tried in so many places at most.
const NUMBERS: usize = 256;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The value.
    pub value: Value,
    /// What had to be done to read it.
    pub mended: Vec<Rung>,
}

/// Why nothing was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// JSON was begun but cannot be read: why.
    Broken(String),
    /// There is none.
    Nothing,
}

/// Reads the one JSON value of an answer.
///
/// # Errors
/// Why there is none.
pub fn answered(text: &str) -> Result<Answered, Unanswered> {
    if let Ok(value) = json::parse(text.trim()) {
        return Ok(Answered { value, mended: Vec::new() });
    }
    let wanted = Wanted { object: true, list: true };
    let (mut rest, mut mended, mut why) = (text.trim().to_owned(), Vec::new(), None);
    for (rung, take) in [(Rung::StripFences, fences as fn(&str, Wanted) -> Found), (Rung::StripProse, prose)] {
        match take(&rest, wanted) {
            Found::Value(value, _) => {
                mended.push(rung);
                return Ok(Answered { value, mended });
            }
            Found::Text(inner) => {
                mended.push(rung);
                rest = inner;
            }
            Found::Refused(reason) => why = why.or(Some(reason)),
            Found::Nothing => {}
        }
    }
    match mend(&rest, wanted) {
        Found::Value(value, _) => {
            mended.push(Rung::JsonRepair);
            return Ok(Answered { value, mended });
        }
        Found::Refused(reason) => why = Some(reason),
        Found::Text(_) | Found::Nothing => {}
    }
    let begun = text.contains('{') || text.contains("```") || text.trim_start().starts_with('[');
    Err(if begun { Unanswered::Broken(why.unwrap_or_else(|| "it does not end".into())) } else { Unanswered::Nothing })
}

/// Makes numbers of texts where only a number fits and nothing is lost; where it was done, and what still does not fit.
pub fn numbered(value: &mut Value, schema: &Schema) -> (Vec<String>, Vec<Violation>) {
    let mut done = Vec::new();
    let mut violations = schema.validate(value).err().unwrap_or_default();
    while done.len() < NUMBERS {
        let next = violations.iter().filter(|one| one.keyword == "type").find_map(|one| {
            let number = value.pointer(&one.path).and_then(exact_number)?;
            let mut tried = value.clone();
            *tried.pointer_mut(&one.path)? = number;
            let left = schema.validate(&tried).err().unwrap_or_default();
            let helped = !left.iter().any(|other| other.path == one.path && other.keyword == "type");
            helped.then(|| (one.path.clone(), tried, left))
        });
        let Some((path, tried, left)) = next else { break };
        done.push(path);
        *value = tried;
        violations = left;
    }
    (done, violations)
}

/// The number that a text spells exactly as JSON would.
fn exact_number(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    let number: Value = serde_json::from_str(text).ok()?;
    let exact = number.as_number().is_some_and(|spelled| spelled.to_string() == text);
    exact.then_some(number)
}

#[cfg(test)]
mod tests;
