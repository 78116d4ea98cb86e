//! Conditions of Choice states.

use super::path::{Here, Out, value};
use crate::cel::{Cel, Ty};
use serde_json::Value;
use signalbox_model::Map;

/// One rule as a condition.
pub(super) fn rule(rule: &Map, here: &Here<'_>, depth: usize) -> Out {
    if depth > 12 {
        return Err("its conditions are nested more than 12 levels deep".into());
    }
    let all = |list: &Value, sign: &str| -> Out {
        let mut out: Option<Cel> = None;
        for one in list.as_array().into_iter().flatten().filter_map(Value::as_object) {
            let next = self::rule(one, here, depth + 1)?;
            out = Some(match out {
                None => next,
                Some(before) => before.binary(sign, &next, Ty::Bool),
            });
        }
        out.ok_or_else(|| "And and Or need rules".into())
    };
    if let Some(list) = rule.get("And") {
        return all(list, "&&");
    }
    if let Some(list) = rule.get("Or") {
        return all(list, "||");
    }
    if let Some(one) = rule.get("Not").and_then(Value::as_object) {
        return Ok(self::rule(one, here, depth + 1)?.not());
    }
    let variable = rule.get("Variable").and_then(Value::as_str).ok_or("a rule has no Variable")?;
    let variable = value(variable, here)?;
    let known = ["Variable", "Next", "Comment", "Assign", "Output"];
    let (name, wanted) =
        rule.iter().find(|(name, _)| !known.contains(&name.as_str())).ok_or("a rule compares nothing")?;
    compared(name, &variable, wanted, here)
}

fn compared(name: &str, variable: &Cel, wanted: &Value, here: &Here<'_>) -> Out {
    let kind = |list: &str| {
        let is = Cel::call("type", &[&variable.or_null()], Ty::Any).binary("in", &Cel::new(list, Ty::List), Ty::Bool);
        if wanted == &Value::Bool(false) { is.not() } else { is }
    };
    let null = Cel::new("null", Ty::Null);
    match name {
        "IsPresent" => {
            // Null is present, and only a path that leads nowhere is not; both are null here.
            let is = variable.or_null().binary("!=", &null, Ty::Bool);
            return Ok(if wanted == &Value::Bool(false) { is.not() } else { is });
        }
        "IsNull" => {
            let is = variable.binary("==", &null, Ty::Bool);
            return Ok(if wanted == &Value::Bool(false) { is.not() } else { is });
        }
        "IsString" => return Ok(kind("[string]")),
        "IsNumeric" => return Ok(kind("[int, double]")),
        "IsBoolean" => return Ok(kind("[bool]")),
        "IsTimestamp" => {
            let text = Cel::text("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})$");
            let is = kind("[string]").binary("&&", &variable.method("matches", &[&text], Ty::Bool), Ty::Bool);
            return Ok(if wanted == &Value::Bool(false) { is.not() } else { is });
        }
        "StringMatches" => {
            let wanted = wanted.as_str().ok_or("StringMatches needs a text")?;
            let mut pattern = String::from("^(?s:");
            let mut letters = wanted.chars();
            while let Some(letter) = letters.next() {
                match letter {
                    '*' => pattern.push_str(".*"),
                    '\\' => {
                        if let Some(next) = letters.next() {
                            escaped(next, &mut pattern);
                        }
                    }
                    other => escaped(other, &mut pattern),
                }
            }
            pattern.push_str(")$");
            let is = variable.method("matches", &[&Cel::text(&pattern)], Ty::Bool);
            // Something else than a text does not match.
            return Ok(Cel::call("type", &[variable], Ty::Any)
                .binary("==", &Cel::new("string", Ty::Any), Ty::Bool)
                .binary("&&", &is, Ty::Bool));
        }
        _ => {}
    }
    let (kind, rest) = ["String", "Numeric", "Boolean", "Timestamp"]
        .into_iter()
        .find_map(|kind| name.strip_prefix(kind).map(|rest| (kind, rest)))
        .ok_or_else(|| format!("the comparison '{name}' is not known"))?;
    let (rest, other) = match (rest.strip_suffix("Path"), wanted) {
        (Some(rest), Value::String(path)) => (rest, value(path, here)?),
        (None, Value::String(text)) => (rest, Cel::text(text)),
        (None, other @ (Value::Number(_) | Value::Bool(_))) => (rest, Cel::new(other.to_string(), Ty::Any)),
        _ => return Err(format!("'{name}' compares with something that is no value")),
    };
    let sign = match rest {
        "Equals" => "==",
        "LessThan" => "<",
        "GreaterThan" => ">",
        "LessThanEquals" => "<=",
        "GreaterThanEquals" => ">=",
        _ => return Err(format!("the comparison '{name}' is not known")),
    };
    let names = match kind {
        "Numeric" => "[int, double]",
        "Boolean" => "[bool]",
        _ => "[string]",
    };
    // A value of another type is not met and no error, as long as it is there.
    let fits = Cel::call("type", &[variable], Ty::Any).binary("in", &Cel::new(names, Ty::List), Ty::Bool);
    let time = |one: &Cel| if kind == "Timestamp" { Cel::call("timestamp", &[one], Ty::Any) } else { one.clone() };
    Ok(fits.binary("&&", &time(variable).binary(sign, &time(&other), Ty::Bool), Ty::Bool))
}

fn escaped(letter: char, out: &mut String) {
    if "\\.+*?()|[]{}^$#&-~".contains(letter) {
        out.push('\\');
    }
    out.push(letter);
}
