//! Placeholders in texts: `{{customer.name}}`. A path leads into the data; where it meets a list, the row is repeated.

use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// Most characters of a path.
const LONGEST: usize = 1_000;
/// Number of the element of a list, from 1.
const NUMBER: &str = "#";

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// A path as it is written between the braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    text: Arc<str>,
    steps: Vec<Step>,
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// `{{path}}`, or why it is none.
    Path(Result<Path, String>),
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Target<'v> {
    Value(&'v Value),
    /// Into the elements of a list: its path, its elements and the steps in each.
    List(String, &'v [Value], usize),
    /// Nowhere: how far it leads, and the names that are there.
    Nothing(Missing),
}

/// What a path does not find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    /// What is there instead of the next step, in words.
    pub(super) found: String,
    pub(super) available: Vec<String>,
}

/// The parts of a text and how long each is in it.
pub(super) fn pieces(text: &str) -> Vec<(Piece, usize)> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let inner = rest.get(start + 2..).unwrap_or_default();
        let Some(end) = inner.find("}}") else { break };
        if start > 0 {
            pieces.push((Piece::Text(rest.get(..start).unwrap_or_default().to_owned()), start));
        }
        pieces.push((Piece::Path(Path::parse(inner.get(..end).unwrap_or_default())), end + 4));
        rest = inner.get(end + 2..).unwrap_or_default();
    }
    if !rest.is_empty() {
        pieces.push((Piece::Text(rest.to_owned()), rest.len()));
    }
    pieces
}

/// Whether a text may have placeholders.
pub(super) fn has_any(text: &str) -> bool {
    text.find("{{").is_some_and(|start| text.get(start..).is_some_and(|rest| rest.contains("}}")))
}

impl Path {
    /// `a.b`, `a[0].b`, `a["b c.d"]`; spaces around it do not count.
    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let wrong = |why: &str| Err(format!("'{{{{{}}}}}' is no placeholder: {why}", short(text)));
        if text.is_empty() {
            return wrong("a path like customer.name is missing");
        }
        if text.len() > LONGEST {
            return wrong("it is too long");
        }
        let mut steps = Vec::new();
        let mut rest = text;
        loop {
            if let Some(bracket) = rest.strip_prefix('[') {
                let quote = bracket.chars().next().filter(|sign| matches!(sign, '"' | '\''));
                let (step, after) = match quote {
                    Some(quote) => match bracket.get(1..).and_then(|inner| inner.split_once(quote)) {
                        Some((name, after)) => (Step::Key(name.to_owned()), after.strip_prefix(']')),
                        None => return wrong("a quote is not closed"),
                    },
                    None => match bracket.split_once(']').map(|(digits, after)| (digits.parse(), after)) {
                        Some((Ok(index), after)) => (Step::Index(index), Some(after)),
                        _ => return wrong("in [ ] there is a number from 0, or a name in quotes"),
                    },
                };
                steps.push(step);
                let Some(after) = after else { return wrong("a ] is missing") };
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                if name.trim().is_empty() {
                    return wrong("a name is missing");
                }
                if name.contains(['{', '}', '\n']) {
                    return wrong("a name has braces; write it in quotes, like [\"a{b\"]");
                }
                steps.push(Step::Key(name.trim().to_owned()));
                rest = after;
            }
            match rest.strip_prefix('.') {
                Some(after) => rest = after,
                None if rest.is_empty() => break,
                None if rest.starts_with('[') => {}
                None => return wrong("after ] there is a point or the end"),
            }
        }
        Ok(Self { text: text.into(), steps })
    }

    /// Follows the path until it ends or meets a list.
    pub(super) fn follow<'v>(&self, data: &'v Value) -> Target<'v> {
        self.follow_from(0, data)
    }

    fn follow_from<'v>(&self, from: usize, data: &'v Value) -> Target<'v> {
        let mut here = data;
        for (index, step) in self.steps.iter().enumerate().skip(from) {
            let next = match (here, step) {
                (Value::Array(list), Step::Index(at)) => list.get(*at),
                (Value::Array(list), Step::Key(_)) => return Target::List(self.written(index), list, index),
                (Value::Object(map), Step::Key(name)) => map.get(name),
                _ => None,
            };
            match next {
                Some(next) => here = next,
                None => return Target::Nothing(missing(here, step)),
            }
        }
        match here {
            Value::Array(list) => Target::List(self.written(self.steps.len()), list, self.steps.len()),
            value => Target::Value(value),
        }
    }

    /// In an element of a list: its number, or what the rest of the path finds.
    pub(super) fn in_element<'v>(&self, from: usize, element: &'v Value) -> Option<Target<'v>> {
        match self.steps.get(from) {
            Some(Step::Key(name)) if name == NUMBER && from + 1 == self.steps.len() => None,
            _ => Some(self.follow_from(from, element)),
        }
    }

    /// The first steps as one text, the same for the same steps however they are written.
    fn written(&self, count: usize) -> String {
        let mut out = String::new();
        for step in self.steps.iter().take(count) {
            match step {
                Step::Key(name) if name.contains(['.', '[', ']', '"']) => out.push_str(&format!("[\"{name}\"]")),
                Step::Key(name) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(name);
                }
                Step::Index(index) => out.push_str(&format!("[{index}]")),
            }
        }
        out
    }
}

fn missing(here: &Value, step: &Step) -> Missing {
    let wanted = match step {
        Step::Key(name) => format!("'{}'", short(name)),
        Step::Index(index) => format!("element {index}"),
    };
    let found = match here {
        Value::Object(_) => format!("there is no {wanted}"),
        Value::Array(list) => format!("there is no {wanted} in a list of {}", list.len()),
        Value::Null => format!("there is no {wanted} in null"),
        Value::Bool(_) => format!("there is no {wanted} in true or false"),
        Value::Number(_) => format!("there is no {wanted} in a number"),
        Value::String(_) => format!("there is no {wanted} in a text"),
    };
    let available = here.as_object().into_iter().flat_map(|map| map.keys()).take(20).cloned().collect();
    Missing { found, available }
}

/// As much of a text as a message shows.
pub(super) fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests;
