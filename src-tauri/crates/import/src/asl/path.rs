//! Paths and intrinsic functions of the Amazon States Language as CEL.

use crate::cel::{Cel, Ty};
use serde_json::{Value, json};
use signalbox_model::Map;

/// What `$`, `$$` and variables mean where an expression stands.
pub(super) struct Here<'a> {
    /// The input of the state, or its result.
    pub(super) root: Cel,
    /// What `$$` and `$states.input` mean, where they are something else than the root.
    pub(super) input: Cel,
    /// Name of the state.
    pub(super) state: &'a str,
}

pub(super) type Out = Result<Cel, String>;

/// `$.a.b[0]`, `$$.Execution.Id`, `$name.a`, `States.Format(…)`.
pub(super) fn value(text: &str, here: &Here<'_>) -> Out {
    let text = text.trim();
    if text.starts_with("States.") {
        return intrinsic(text, here, 0);
    }
    if let Some(rest) = text.strip_prefix("$$") {
        return context(rest.trim_start_matches('.'), here);
    }
    let Some(rest) = text.strip_prefix('$') else { return Err(format!("'{text}' is no path")) };
    let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    if name.is_empty() {
        return steps(here.root.clone(), rest);
    }
    steps(Cel::new("context", Ty::Map).field(&name), &rest[name.len()..])
}

fn context(path: &str, here: &Here<'_>) -> Out {
    let known = [
        ("Execution.Id", "run.id"),
        ("Execution.Name", "run.id"),
        ("Execution.StartTime", "run.startedAt"),
        ("State.EnteredTime", "run.startedAt"),
        ("StateMachine.Id", "workflow.id"),
        ("StateMachine.Name", "workflow.id"),
    ];
    if let Some((_, cel)) = known.iter().find(|(known, _)| *known == path) {
        return Ok(Cel::new(*cel, Ty::Text));
    }
    for (prefix, cel) in [("Execution.Input", "params"), ("Map.Item.Value", "_item"), ("Map.Item.Index", "_index")] {
        if let Some(rest) = path.strip_prefix(prefix) {
            return steps(Cel::any(cel), rest);
        }
    }
    match path {
        "State.Name" => Ok(Cel::text(here.state)),
        "State.RetryCount" => Ok(Cel::new("0", Ty::Number)),
        "Task.Token" => Ok(Cel::text("the task in the inbox")),
        _ => Err(format!("'$$.{path}' of the context object is not known here")),
    }
}

/// What follows a root: names, places, all entries.
fn steps(mut owner: Cel, path: &str) -> Out {
    let mut rest = path;
    while !rest.is_empty() {
        if rest.starts_with("..") {
            return Err("a path with '..' looks at every level".into());
        }
        if let Some(after) = rest.strip_prefix('.') {
            if let Some(after) = after.strip_prefix('*') {
                owner = Cel::any(format!("{0}.map(k, {0}[k])", owner.owner()));
                rest = after;
                continue;
            }
            let end = after.find(['.', '[']).unwrap_or(after.len());
            if end == 0 {
                return Err("a path has an empty name".into());
            }
            owner = owner.field(&after[..end]);
            rest = &after[end..];
            continue;
        }
        let Some(after) = rest.strip_prefix('[') else { return Err(format!("'{rest}' of a path is not read")) };
        let (inner, behind) = after.split_once(']').ok_or("a bracket of a path is not closed")?;
        let inner = inner.trim();
        rest = behind;
        if inner == "*" {
            if rest.is_empty() {
                continue;
            }
            // The rest is taken of each entry.
            let each = steps(Cel::new("x", Ty::Any), rest)?;
            if each.text.contains(".map(x") {
                return Err("a path takes entries of entries".into());
            }
            return Ok(Cel::any(format!("{}.map(x, {})", owner.owner(), each.text)));
        }
        if let Some(name) = inner.strip_prefix(['\'', '"']) {
            owner = owner.field(name.trim_end_matches(['\'', '"']));
        } else if let Ok(at) = inner.parse::<i64>() {
            let size = Cel::call("size", &[&owner], Ty::Number);
            let place = if at < 0 { format!("{} - {}", size.text, -at) } else { at.to_string() };
            owner = owner.index(&Cel::new(place, Ty::Number));
        } else if let Some((from, to)) = inner.split_once(':') {
            let from = from.trim().parse::<i64>().unwrap_or(0);
            let mut args = vec![Cel::new(from.to_string(), Ty::Number)];
            if let Ok(to) = to.trim().parse::<i64>() {
                args.push(Cel::new(to.to_string(), Ty::Number));
            }
            owner = owner.method("slice", &args.iter().collect::<Vec<_>>(), Ty::Any);
        } else {
            return Err(format!("'[{inner}]' of a path is not translated"));
        }
    }
    Ok(owner)
}

/// The arguments between the outermost brackets.
fn arguments(text: &str) -> Result<Vec<&str>, String> {
    let mut out = Vec::new();
    let (mut depth, mut quoted, mut begin) = (0usize, false, 0);
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if quoted => drop(letters.next()),
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1).ok_or("a bracket is closed too often")?,
            ',' if depth == 0 => {
                out.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    if quoted || depth > 0 {
        return Err("an intrinsic function is not closed".into());
    }
    let last = text[begin..].trim();
    if !last.is_empty() || !out.is_empty() {
        out.push(last);
    }
    Ok(out)
}

fn argument(text: &str, here: &Here<'_>, depth: usize) -> Out {
    if let Some(quoted) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        let mut out = String::new();
        let mut letters = quoted.chars();
        while let Some(letter) = letters.next() {
            out.push(if letter == '\\' { letters.next().unwrap_or('\\') } else { letter });
        }
        return Ok(Cel::text(&out));
    }
    if text.starts_with("States.") {
        return intrinsic(text, here, depth + 1);
    }
    if text.starts_with('$') {
        return value(text, here);
    }
    match text {
        "true" | "false" => Ok(Cel::new(text, Ty::Bool)),
        "null" => Ok(Cel::new("null", Ty::Null)),
        _ if text.parse::<f64>().is_ok() => Ok(Cel::new(text, Ty::Number)),
        _ => Err(format!("the argument '{text}' is not read")),
    }
}

fn intrinsic(text: &str, here: &Here<'_>, depth: usize) -> Out {
    if depth > 10 {
        return Err("intrinsic functions are nested more than 10 levels deep".into());
    }
    let (name, rest) = text.split_once('(').ok_or("an intrinsic function has no brackets")?;
    let inner = rest.trim_end().strip_suffix(')').ok_or("an intrinsic function is not closed")?;
    let args = arguments(inner)?;
    let args: Vec<Cel> = args.into_iter().map(|arg| argument(arg, here, depth)).collect::<Result<_, _>>()?;
    let name = name.trim().trim_start_matches("States.");
    Ok(match (name, args.as_slice()) {
        ("Format", [template, rest @ ..]) => {
            let template = literal(template).ok_or("the template of States.Format is computed")?;
            let mut parts = template.split("{}");
            let mut out = Cel::text(parts.next().unwrap_or_default());
            let mut values = rest.iter();
            for part in parts {
                let value = values.next().ok_or("States.Format has too few values")?;
                let text = if value.ty == Ty::Text { value.clone() } else { Cel::call("string", &[value], Ty::Text) };
                out = out.binary("+", &text, Ty::Text);
                if !part.is_empty() {
                    out = out.binary("+", &Cel::text(part), Ty::Text);
                }
            }
            out
        }
        ("StringToJson", [one]) => Cel::call("fromJson", &[one], Ty::Any),
        ("JsonToString", [one]) => Cel::call("json", &[one], Ty::Text),
        ("Array", all) => {
            let list: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
            Cel::new(format!("[{}]", list.join(", ")), Ty::List)
        }
        ("ArrayContains", [list, one]) => one.binary("in", list, Ty::Bool),
        ("ArrayGetItem", [list, at]) => list.index(at),
        ("ArrayLength", [list]) => Cel::call("size", &[list], Ty::Number),
        ("ArrayUnique", [list]) => list.method("unique", &[], Ty::List),
        ("ArrayRange", [from, to, step]) => {
            let number = |one: &Cel| one.text.parse::<i64>().map_err(|_| "a range is computed".to_owned());
            let (from, to, step) = (number(from)?, number(to)?, number(step)?);
            if step == 0 || (to - from) / step > 200 {
                return Err("a range has more than 200 entries".into());
            }
            let mut list = Vec::new();
            let mut at = from;
            while if step > 0 { at <= to } else { at >= to } {
                list.push(at.to_string());
                at += step;
            }
            Cel::new(format!("[{}]", list.join(", ")), Ty::List)
        }
        ("MathAdd", [a, b]) => a.binary("+", b, Ty::Number),
        ("StringSplit", [text, at]) => {
            let at_text = literal(at).ok_or("the letters of States.StringSplit are computed")?;
            if at_text.chars().count() != 1 {
                return Err("States.StringSplit splits at several letters".into());
            }
            text.method("split", &[at], Ty::List)
        }
        (other, _) => return Err(format!("States.{other} is not translated")),
    })
}

fn literal(one: &Cel) -> Option<String> {
    let inner = one.text.strip_prefix('\'')?.strip_suffix('\'').filter(|_| one.ty == Ty::Text)?;
    Some(inner.replace("\\n", "\n").replace("\\'", "'").replace("\\\\", "\\"))
}

/// A payload template: fields whose names end with `.$` are paths.
pub(super) fn template(value_of: &Value, here: &Here<'_>, depth: usize) -> Result<Value, String> {
    if depth > 60 {
        return Err("a template is nested more than 60 levels deep".into());
    }
    Ok(match value_of {
        Value::Object(map) => {
            let mut out = Map::new();
            for (name, one) in map {
                match (name.strip_suffix(".$"), one) {
                    (Some(name), Value::String(path)) => {
                        out.insert(name.to_owned(), json!(format!("={}", value(path, here)?.text)));
                    }
                    (Some(name), _) => return Err(format!("'{name}.$' is no path")),
                    (None, one) => drop(out.insert(name.clone(), template(one, here, depth + 1)?)),
                }
            }
            Value::Object(out)
        }
        Value::Array(list) => {
            Value::Array(list.iter().map(|one| template(one, here, depth + 1)).collect::<Result<_, _>>()?)
        }
        Value::String(text) => json!(crate::text::literal(text)),
        other => other.clone(),
    })
}
