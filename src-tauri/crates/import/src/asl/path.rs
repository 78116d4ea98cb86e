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
        "State" => Ok(Cel::new(
            format!("{{'EnteredTime': run.startedAt, 'Name': {}, 'RetryCount': 0}}", Cel::text(here.state).text),
            Ty::Map,
        )),
        "StateMachine" => Ok(Cel::new("{'Id': workflow.id, 'Name': workflow.id}", Ty::Map)),
        "Map.Item" => Ok(Cel::new("{'Index': _index, 'Value': _item}", Ty::Map)),
        "" | "Execution" | "Execution.RoleArn" => {
            Err("the context object has the role and the account of the service, which do not exist here".into())
        }
        "State.RetryCount" => Ok(Cel::new("0", Ty::Number)),
        "Task.Token" => Ok(Cel::text("the task in the inbox")),
        _ => Err(format!("'$$.{path}' of the context object is not known here")),
    }
}

/// What follows a root: names, places, all entries.
fn steps(mut owner: Cel, path: &str) -> Out {
    let mut rest = path;
    while !rest.is_empty() {
        owner = owner.bounded()?;
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
            if after[..end].contains([' ', '=', '~', '<', '>', '!', '(', ')', '\'', '"', '/', '@', '?']) {
                return Err(format!("'{}' of a path is not read", &after[..end]));
            }
            owner = owner.field(&after[..end]);
            rest = &after[end..];
            continue;
        }
        let Some(after) = rest.strip_prefix('[') else { return Err(format!("'{rest}' of a path is not read")) };
        let end = closing(after).ok_or("a bracket of a path is not closed")?;
        let (inner, behind) = (after[..end].trim(), &after[end + 1..]);
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
        if let Some(test) = inner.strip_prefix('?') {
            let test = condition(test.trim())?;
            owner = Cel::any(format!("{}.filter(x, {test})", owner.owner()));
            if rest.is_empty() {
                continue;
            }
            let each = steps(Cel::new("x", Ty::Any), rest)?;
            return Ok(Cel::any(format!("{}.map(x, {})", owner.owner(), each.text)));
        }
        if inner.starts_with(['\'', '"']) {
            owner = owner.field(&unquoted(inner).ok_or("a name in a bracket of a path is not closed")?);
        } else if let Ok(at) = inner.parse::<i64>() {
            let size = Cel::call("size", &[&owner], Ty::Number);
            let place = if at < 0 { format!("{} - {}", size.text, at.unsigned_abs()) } else { at.to_string() };
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

/// Where the bracket that is open ends, past texts in quotes and brackets inside.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0usize, None);
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (letter, quote) {
            ('\\', Some(_)) => drop(letters.next()),
            (_, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(letter),
            ('[' | '(', None) => depth += 1,
            (']', None) if depth == 0 => return Some(at),
            (']' | ')', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// What a text in quotes means.
fn unquoted(text: &str) -> Option<String> {
    let open = text.chars().next()?;
    let inner = text.strip_prefix(open)?.strip_suffix(open)?;
    let mut out = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        // Only the quote and the backslash are escaped.
        let escaped = letters.clone().next().filter(|next| letter == '\\' && (*next == open || *next == '\\'));
        out.push(escaped.unwrap_or(letter));
        if escaped.is_some() {
            letters.next();
        }
    }
    Some(out)
}

/// The condition of a filter: comparisons of fields of the entry with values, put together by `&&` and `||`.
fn condition(text: &str) -> Result<String, String> {
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    let mut out = String::new();
    for (n, either) in inner.split("||").enumerate() {
        if n > 0 {
            out.push_str(" || ");
        }
        for (n, part) in either.split("&&").enumerate() {
            if n > 0 {
                out.push_str(" && ");
            }
            out.push_str(&comparison(part.trim())?);
        }
    }
    Ok(out)
}

fn comparison(text: &str) -> Result<String, String> {
    let operand = |text: &str| -> Result<Cel, String> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix('@') {
            return steps(Cel::new("x", Ty::Any), rest);
        }
        if let Some(text) = text.starts_with(['\'', '"']).then(|| unquoted(text)).flatten() {
            return Ok(Cel::text(&text));
        }
        match text {
            "true" | "false" | "null" => Ok(Cel::new(text, Ty::Any)),
            _ if text.parse::<f64>().is_ok() => Ok(Cel::new(text, Ty::Number)),
            _ => Err(format!("'{text}' of a filter in a path is not translated")),
        }
    };
    for sign in ["==", "!=", "<=", ">=", "<", ">"] {
        let Some((left, right)) = text.split_once(sign) else { continue };
        let test = operand(left)?.binary(sign, &operand(right)?, Ty::Bool);
        // An entry without the field does not fit.
        return Ok(format!("coalesce({}, false)", test.text));
    }
    let field = operand(text)?;
    Ok(format!("coalesce({}) != null", field.text))
}

/// As a text, as the service puts values into one: everything but texts as JSON.
pub(super) fn told(one: &Cel) -> Cel {
    match one.ty {
        Ty::Text => one.clone(),
        Ty::Number | Ty::Bool => Cel::call("string", &[one], Ty::Text),
        _ if one.text.len() > 200 => Cel::call("json", &[one], Ty::Text),
        _ => {
            let is_text = Cel::call("type", &[one], Ty::Any).binary("==", &Cel::new("string", Ty::Any), Ty::Bool);
            let text = is_text.choice(one, &Cel::call("json", &[one], Ty::Text));
            Cel::new(format!("({})", text.text), Ty::Text)
        }
    }
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
            let Some(template) = literal(template) else {
                // One that is computed has as many holes as there are values, or the place does not exist.
                let parts = template.method("split", &[&Cel::text("{}")], Ty::List);
                let part = |at: usize| parts.index(&Cel::new(at.to_string(), Ty::Number));
                let mut out = part(0);
                for (at, value) in rest.iter().enumerate() {
                    out = out.binary("+", &told(value), Ty::Text).binary("+", &part(at + 1), Ty::Text);
                }
                return Ok(out.is(Ty::Text));
            };
            let mut parts = template.split("{}");
            let mut out = Cel::text(parts.next().unwrap_or_default());
            let mut values = rest.iter();
            for part in parts {
                let value = values.next().ok_or("States.Format has too few values")?;
                out = out.binary("+", &told(value), Ty::Text);
                if !part.is_empty() {
                    out = out.binary("+", &Cel::text(part), Ty::Text);
                }
            }
            out
        }
        // Of a text of nothing but spaces it is null.
        ("StringToJson", [one]) => {
            let text = one.method("trim", &[], Ty::Text);
            text.binary("==", &Cel::text(""), Ty::Bool)
                .choice(&Cel::new("null", Ty::Null), &Cel::call("fromJson", &[one], Ty::Any))
        }
        ("JsonToString", [one]) => Cel::call("json", &[one], Ty::Text),
        ("Array", all) => {
            let list: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
            Cel::new(format!("[{}]", list.join(", ")), Ty::List)
        }
        ("ArrayContains", [list, one]) => one.binary("in", list, Ty::Bool),
        ("ArrayGetItem", [list, at]) => list.index(at),
        ("ArrayLength", [list]) => Cel::call("size", &[list], Ty::Number),
        ("ArrayUnique", [list]) => list.method("unique", &[], Ty::List),
        ("ArrayRange", [from, to, step]) => Cel::call("range", &[from, to, step], Ty::List),
        ("ArrayPartition", [list, size]) => list.method("chunks", &[size], Ty::List),
        ("Base64Encode", [text]) => Cel::call("base64", &[text], Ty::Text),
        ("Base64Decode", [text]) => Cel::call("fromBase64", &[text], Ty::Text),
        ("Hash", [value, name]) => {
            if let Some(name) = literal(name).filter(|name| !matches!(name.as_str(), "SHA-256" | "SHA-384" | "SHA-512"))
            {
                return Err(format!("hashes by {name} are not made: it is not safe any more"));
            }
            Cel::call("hash", &[&told(value), name], Ty::Text)
        }
        ("JsonMerge", [first, second, deep]) if deep.text == "false" => Cel::call("merge", &[first, second], Ty::Map),
        ("UUID" | "MathRandom", _) => {
            return Err(format!(
                "States.{name} gives another value each time; a run here gives the same when it is repeated"
            ));
        }
        ("MathAdd", [a, b]) => a.binary("+", b, Ty::Number),
        ("StringSplit", [text, at]) => {
            // Each letter separates, and nothing between two of them is no part.
            let split = match literal(at) {
                Some(letters) if letters.chars().count() > 1 => {
                    let mut class = String::from("[");
                    for letter in letters.chars() {
                        if !letter.is_alphanumeric() {
                            class.push('\\');
                        }
                        class.push(letter);
                    }
                    class.push(']');
                    let first: String = letters.chars().take(1).collect();
                    let first = Cel::text(&first);
                    text.method("replacePattern", &[&Cel::text(&class), &first], Ty::Text).method(
                        "split",
                        &[&first],
                        Ty::List,
                    )
                }
                Some(letters) if letters.is_empty() => return Ok(Cel::new(format!("[{}]", text.text), Ty::List)),
                Some(_) => text.method("split", &[at], Ty::List),
                None => {
                    let escape = [Cel::text("([!-/:-@\\[-`{-~])"), Cel::text("\\$1")];
                    let class = at.method("replacePattern", &[&escape[0], &escape[1]], Ty::Text);
                    let class = Cel::text("[").binary("+", &class, Ty::Text).binary("+", &Cel::text("]"), Ty::Text);
                    let mark = Cel::text("\u{1}");
                    text.method("replacePattern", &[&class, &mark], Ty::Text).method("split", &[&mark], Ty::List)
                }
            };
            Cel::new(format!("{}.filter(part, part != '')", split.text), Ty::List)
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
