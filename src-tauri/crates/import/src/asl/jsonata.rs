//! Expressions of JSONata, as far as they are paths, operators and plain functions.

use super::path::{Here, Out};
use crate::cel::{Cel, Ty};
use crate::js::{self, Entry, Js};
use serde_json::{Value, json};

/// A value with `{% … %}` in its texts, as the value of a setting.
pub(super) fn template(value: &Value, here: &Here<'_>) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => match source(text) {
            Some(source) => json!(format!("={}", translate(source, here)?.text)),
            None => json!(crate::text::literal(text)),
        },
        Value::Array(list) => Value::Array(list.iter().map(|one| template(one, here)).collect::<Result<_, _>>()?),
        Value::Object(map) => Value::Object(
            map.iter().map(|(name, one)| Ok((name.clone(), template(one, here)?))).collect::<Result<_, String>>()?,
        ),
        other => other.clone(),
    })
}

/// The expression of a text that is one.
pub(super) fn source(text: &str) -> Option<&str> {
    // With a space in front it is a text.
    text.strip_prefix("{%")?.strip_suffix("%}")
}

pub(super) fn translate(source: &str, here: &Here<'_>) -> Out {
    let tree = js::parse(&rewritten(source)?).map_err(|why| format!("it could not be read: {why}"))?;
    let made = of(&tree, here)?;
    if let Ty::Space(name) = made.ty {
        return Err(format!("all of '{name}' at once is not known here"));
    }
    Ok(made)
}

/// Operators that are written in another way.
fn rewritten(source: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut letters = source.chars().peekable();
    let mut quote: Option<char> = None;
    let mut word = String::new();
    let mut before = ' ';
    let end = |word: &mut String, out: &mut String| {
        out.push_str(match word.as_str() {
            "and" => "&&",
            "or" => "||",
            other => other,
        });
        word.clear();
    };
    while let Some(letter) = letters.next() {
        if let Some(open) = quote {
            out.push(letter);
            if letter == '\\' {
                out.extend(letters.next());
            } else if letter == open {
                quote = None;
            }
            continue;
        }
        if letter.is_alphanumeric() || letter == '_' || letter == '$' {
            word.push(letter);
            before = letter;
            continue;
        }
        end(&mut word, &mut out);
        match letter {
            '"' | '\'' => {
                quote = Some(letter);
                out.push(letter);
            }
            '`' => return Err("a name in backticks".into()),
            '~' | '^' | '@' | '#' => return Err(format!("'{letter}' of JSONata is not translated")),
            ':' if letters.peek() == Some(&'=') => return Err("a variable is bound in an expression".into()),
            '&' => out.push_str(" << "),
            '=' if before == '!' || before == '<' || before == '>' => out.push('='),
            '=' => out.push_str("=="),
            other => out.push(other),
        }
        before = letter;
    }
    end(&mut word, &mut out);
    if quote.is_some() {
        return Err("a text is not closed".into());
    }
    Ok(out)
}

fn text(one: &Cel) -> Cel {
    super::path::told(one)
}

fn of(js: &Js, here: &Here<'_>) -> Out {
    unbounded(js, here)?.bounded()
}

fn unbounded(js: &Js, here: &Here<'_>) -> Out {
    Ok(match js {
        Js::Number(value) => Cel::new(value.to_string(), Ty::Number),
        Js::Text(text) => Cel::text(text),
        Js::Bool(value) => Cel::new(value.to_string(), Ty::Bool),
        Js::Null | Js::Undefined => Cel::new("null", Ty::Null),
        Js::Name(name) => match name.as_str() {
            "$" | "$$" => return Err("'$' has no value in a state".into()),
            "$states" => Cel::new("", Ty::Space("$states")),
            _ => match name.strip_prefix('$') {
                Some(variable) => Cel::new("context", Ty::Map).field(variable),
                None => return Err(format!("'{name}' is not known; fields begin with $states.input")),
            },
        },
        Js::Member { of: owner, name, .. } => {
            let owner = of(owner, here)?;
            match (&owner.ty, name.as_str()) {
                (Ty::Space("$states"), "input") => here.input.clone(),
                (Ty::Space("$states"), "result" | "errorOutput") => here.root.clone(),
                (Ty::Space("$states"), "context") => Cel::new("", Ty::Space("context")),
                (Ty::Space("context"), _) => Cel::new(name.clone(), Ty::Space("path")),
                (Ty::Space("path"), _) => {
                    return super::path::value(&format!("$$.{}.{name}", owner.text), here).or_else(|why| {
                        // The context object is deeper than two names for the items of a Map.
                        if owner.text.split('.').count() < 2 {
                            Ok(Cel::new(format!("{}.{name}", owner.text), Ty::Space("path")))
                        } else {
                            Err(why)
                        }
                    });
                }
                (Ty::Space(_), _) => return Err(format!("'.{name}' is not translated")),
                _ => owner.field(name),
            }
        }
        Js::Index { of: owner, key, .. } => {
            let owner = of(owner, here)?;
            match &**key {
                Js::Number(_) => owner.index(&of(key, here)?),
                Js::Minus(one) if **one == Js::Number(1.0) => {
                    owner.index(&Cel::new(format!("size({}) - 1", owner.text), Ty::Number))
                }
                _ => return Err("a list is filtered by a condition".into()),
            }
        }
        Js::Not(_) => return Err("'!' is no operator of JSONata".into()),
        Js::Minus(one) => of(one, here)?.minus(),
        Js::Binary { sign, left, right } => {
            let (a, b) = (of(left, here)?, of(right, here)?);
            match *sign {
                "<<" => text(&a).binary("+", &text(&b), Ty::Text),
                "==" | "!=" => a.or_null().binary(sign, &b.or_null(), Ty::Bool),
                "/" => Cel::call("double", &[&a], Ty::Number).binary("/", &b, Ty::Number),
                "+" | "-" | "*" | "%" => a.binary(sign, &b, Ty::Number),
                "<" | ">" | "<=" | ">=" | "in" => a.binary(sign, &b, Ty::Bool),
                "&&" | "||" => a.truthy().binary(sign, &b.truthy(), Ty::Bool),
                other => return Err(format!("'{other}' is not translated")),
            }
        }
        Js::Choice { test, yes, no } => of(test, here)?.truthy().choice(&of(yes, here)?, &of(no, here)?),
        Js::List(list) => {
            let list: Vec<String> =
                list.iter().map(|one| of(one, here).map(|one| one.text)).collect::<Result<_, _>>()?;
            Cel::new(format!("[{}]", list.join(", ")), Ty::List)
        }
        Js::Object(entries) => {
            let mut parts = Vec::new();
            for entry in entries {
                let Entry::Field(name, value) = entry else { return Err("a name of a field is computed".into()) };
                parts.push(format!("{}: {}", Cel::text(name).text, of(value, here)?.text));
            }
            Cel::new(format!("{{{}}}", parts.join(", ")), Ty::Map)
        }
        Js::Call { callee, args } => {
            let Js::Name(name) = &**callee else { return Err("a function that is computed is called".into()) };
            if let ("$merge", [Js::List(both)]) = (name.as_str(), args.as_slice())
                && let [first, second] = both.as_slice()
            {
                return Ok(Cel::call("merge", &[&of(first, here)?, &of(second, here)?], Ty::Map));
            }
            let args: Vec<Cel> = args.iter().map(|arg| of(arg, here)).collect::<Result<_, _>>()?;
            call(name, &args)?
        }
        _ => return Err("a part of it is not translated".into()),
    })
}

fn call(name: &str, args: &[Cel]) -> Out {
    Ok(match (name, args) {
        ("$string", [one]) => text(one),
        ("$number", [one]) => Cel::call("double", &[one], Ty::Number),
        ("$boolean", [one]) => one.truthy(),
        ("$not", [one]) => one.truthy().not(),
        ("$exists", [one]) => one.or_null().binary("!=", &Cel::new("null", Ty::Null), Ty::Bool),
        ("$count" | "$length", [one]) => Cel::call("size", &[one], Ty::Number),
        ("$sum" | "$max" | "$min" | "$reverse", [one]) => one.method(&name[1..], &[], Ty::Any),
        ("$distinct", [one]) => one.method("unique", &[], Ty::List),
        ("$uppercase", [one]) => one.method("upper", &[], Ty::Text),
        ("$lowercase", [one]) => one.method("lower", &[], Ty::Text),
        ("$contains", [one, part]) if part.ty == Ty::Text => one.method("contains", &[part], Ty::Bool),
        ("$split", [one, at]) if at.ty == Ty::Text => one.method("split", &[at], Ty::List),
        ("$join", [one, at]) => one.method("join", &[at], Ty::Text),
        ("$append", [a, b]) => a.binary("+", b, Ty::List),
        ("$keys", [one]) => Cel::any(format!("{}.map(k, k)", one.owner())),
        ("$floor" | "$ceil" | "$abs", [one]) => Cel::call(&name[1..], &[one], Ty::Number),
        ("$parse", [one]) => Cel::call("fromJson", &[one], Ty::Any),
        ("$now", []) => Cel::new("run.startedAt", Ty::Text),
        _ => return Err(format!("the function '{name}' is not translated")),
    })
}
