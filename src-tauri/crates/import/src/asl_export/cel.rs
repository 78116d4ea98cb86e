//! Expressions as JSONata, as far as both languages say the same.

use crate::js::{self, Entry, Js};
use serde_json::Value;
use std::collections::BTreeSet;

/// Where an expression stands.
pub(super) struct Here<'a> {
    /// What `item` is.
    pub(super) item: &'a str,
    /// Steps whose output expressions name; it is kept in variables.
    pub(super) named: &'a mut BTreeSet<String>,
}

/// What a value of a setting is there: itself, or a text with an expression.
pub(super) fn value(given: &Value, here: &mut Here<'_>) -> Result<Value, String> {
    Ok(match given {
        Value::String(text) => match source(text, here)? {
            Some(expression) => format!("{{% {expression} %}}").into(),
            None => text.strip_prefix("==").map_or_else(|| text.clone(), |rest| format!("={rest}")).into(),
        },
        Value::Array(list) => Value::Array(list.iter().map(|one| value(one, here)).collect::<Result<_, _>>()?),
        Value::Object(map) => Value::Object(
            map.iter().map(|(name, one)| Ok((name.clone(), value(one, here)?))).collect::<Result<_, String>>()?,
        ),
        other => other.clone(),
    })
}

/// The expression of a text that is one, or has holes; none when it means itself.
fn source(text: &str, here: &mut Here<'_>) -> Result<Option<String>, String> {
    if let Some(cel) = text.strip_prefix('=').filter(|rest| !rest.starts_with('=')) {
        return expression(cel, here).map(Some);
    }
    if !text.contains("{{") {
        return Ok(None);
    }
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        let (hole, behind) = after.split_once("}}").ok_or("a hole of a text is not closed")?;
        if !before.is_empty() {
            parts.push(quoted(before));
        }
        parts.push(format!("$string({})", expression(hole, here)?));
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(quoted(rest));
    }
    Ok(Some(parts.join(" & ")))
}

/// CEL as JSONata.
pub(super) fn expression(cel: &str, here: &mut Here<'_>) -> Result<String, String> {
    let tree = js::parse(cel).map_err(|why| format!("`{cel}`: {why}"))?;
    of(&tree, here).map_err(|why| format!("`{cel}`: {why}"))
}

pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn field(owner: &str, name: &str) -> Result<String, String> {
    let plain =
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    if plain { Ok(format!("{owner}.{name}")) } else { Err(format!("the name '{name}'")) }
}

/// Names of a path, outermost first.
fn path(js: &Js) -> Option<Vec<&str>> {
    match js {
        Js::Name(name) => Some(vec![name]),
        Js::Member { of, name, .. } => {
            let mut names = path(of)?;
            names.push(name);
            Some(names)
        }
        _ => None,
    }
}

fn is_text(js: &Js) -> bool {
    match js {
        Js::Text(_) => true,
        Js::Binary { sign: "+", left, right } => is_text(left) || is_text(right),
        Js::Call { callee, .. } => {
            matches!(&**callee, Js::Name(name) if name == "string")
                || matches!(&**callee, Js::Member { name, .. } if matches!(name.as_str(), "upper" | "lower" | "join" | "trim"))
        }
        _ => false,
    }
}

fn of(js: &Js, here: &mut Here<'_>) -> Result<String, String> {
    if let Some(names) = path(js) {
        let (owner, rest) = match names.as_slice() {
            ["item", rest @ ..] => (here.item.to_owned(), rest),
            ["params", rest @ ..] => ("$states.context.Execution.Input".to_owned(), rest),
            ["context", name, rest @ ..] => (format!("${name}"), rest),
            ["_item", rest @ ..] => ("$loopItem".to_owned(), rest),
            ["nodes", step, "output", rest @ ..] => {
                here.named.insert((*step).to_owned());
                (format!("$of_{step}"), rest)
            }
            ["run", "startedAt"] => return Ok("$states.context.Execution.StartTime".into()),
            ["run", "id"] => return Ok("$states.context.Execution.Name".into()),
            names => return Err(format!("'{}' does not exist there", names.join("."))),
        };
        return rest.iter().try_fold(owner, |owner, name| field(&owner, name));
    }
    Ok(match js {
        Js::Number(value) => value.to_string(),
        Js::Text(text) => quoted(text),
        Js::Bool(value) => value.to_string(),
        Js::Null => "null".into(),
        Js::Member { of: owner, name, .. } => field(&of(owner, here)?, name)?,
        Js::Index { of: owner, key, .. } => match &**key {
            Js::Text(name) => field(&of(owner, here)?, name)?,
            Js::Number(at) => format!("{}[{at}]", of(owner, here)?),
            _ => return Err("a place in a list is computed".into()),
        },
        Js::Not(one) => format!("$not({})", of(one, here)?),
        Js::Minus(one) => format!("-{}", of(one, here)?),
        Js::Binary { sign, left, right } => {
            let sign = match *sign {
                "==" => "=",
                "&&" => "and",
                "||" => "or",
                "+" if is_text(left) || is_text(right) => "&",
                "+" | "-" | "*" | "%" | "<" | ">" | "<=" | ">=" | "!=" | "in" => sign,
                // Whole numbers are divided without a rest here, and with one there.
                other => return Err(format!("'{other}' means something else there")),
            };
            format!("({} {sign} {})", of(left, here)?, of(right, here)?)
        }
        Js::Choice { test, yes, no } => {
            format!("({} ? {} : {})", of(test, here)?, of(yes, here)?, of(no, here)?)
        }
        Js::List(list) => {
            let list: Vec<String> = list.iter().map(|one| of(one, here)).collect::<Result<_, _>>()?;
            format!("[{}]", list.join(", "))
        }
        Js::Object(entries) => {
            let mut parts = Vec::new();
            for entry in entries {
                match entry {
                    Entry::Field(name, one) => parts.push(format!("{}: {}", quoted(name), of(one, here)?)),
                    Entry::Computed(Js::Text(name), one) => {
                        parts.push(format!("{}: {}", quoted(name), of(one, here)?));
                    }
                    _ => return Err("the name of a field is computed".into()),
                }
            }
            format!("{{{}}}", parts.join(", "))
        }
        Js::Call { callee, args } => call(callee, args, here)?,
        _ => return Err("a part of it does not exist there".into()),
    })
}

fn call(callee: &Js, args: &[Js], here: &mut Here<'_>) -> Result<String, String> {
    let (name, owner) = match callee {
        Js::Name(name) => (name.as_str(), None),
        Js::Member { of: owner, name, .. } => (name.as_str(), Some(&**owner)),
        _ => return Err("a function is computed".into()),
    };
    let all: Vec<String> = owner.into_iter().chain(args).map(|arg| of(arg, here)).collect::<Result<_, _>>()?;
    let there = match (name, all.len()) {
        ("size", 1) => "$count",
        ("string" | "json", 1) => "$string",
        ("double", 1) => "$number",
        ("has", 1) => "$exists",
        ("contains", 2) => "$contains",
        ("upper", 1) => "$uppercase",
        ("lower", 1) => "$lowercase",
        ("split", 2) => "$split",
        ("join", 2) => "$join",
        ("sum", 1) => "$sum",
        ("min", 1) => "$min",
        ("max", 1) => "$max",
        ("reverse", 1) => "$reverse",
        ("unique", 1) => "$distinct",
        ("floor", 1) => "$floor",
        ("ceil", 1) => "$ceil",
        ("abs", 1) => "$abs",
        ("fromJson", 1) => "$parse",
        ("merge", 2) => return Ok(format!("$merge([{}])", all.join(", "))),
        ("coalesce", 2) => return Ok(format!("($exists({0}) ? {0} : {1})", all[0], all[1])),
        _ => return Err(format!("the function '{name}' does not exist there")),
    };
    Ok(format!("{there}({})", all.join(", ")))
}
