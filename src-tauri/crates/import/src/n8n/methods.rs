//! Methods of values: those of JavaScript, of luxon's times, and those that n8n adds.

use super::expr::{Maker, Out};
use super::patterns::pattern;
use super::times::{from_millis, millis, to_time};
use crate::cel::{Cel, Ty};
use crate::js::{Entry, Js};

/// How a kind of value is called.
pub(super) fn word(ty: &Ty) -> &'static str {
    match ty {
        Ty::Any => "a value",
        Ty::Number => "a number",
        Ty::Text => "a text",
        Ty::Bool => "true or false",
        Ty::List => "a list",
        Ty::Map => "an object",
        Ty::Null => "nothing",
        Ty::Time(_) => "a time",
        Ty::Item | Ty::Items => "an item",
        Ty::Node => "a step",
        Ty::Space(_) => "a library",
        Ty::Span(_) => "a span of time",
    }
}

pub(super) fn to_number(one: &Cel) -> Cel {
    match one.ty {
        Ty::Number => one.clone(),
        Ty::Bool => one.truthy().choice(&Cel::new("1", Ty::Number), &Cel::new("0", Ty::Number)),
        _ => Cel::call("double", &[one], Ty::Number),
    }
}

/// An operand of arithmetic.
pub(super) fn numeric(one: &Cel) -> Out {
    match one.ty {
        Ty::Number | Ty::Any => Ok(one.clone()),
        Ty::Text => Ok(to_number(one)),
        _ => Err(format!("it computes with {}", word(&one.ty))),
    }
}

pub(super) fn is_empty(one: &Cel) -> Cel {
    match one.ty {
        Ty::List | Ty::Items | Ty::Map if !one.missing => {
            Cel::call("size", &[one], Ty::Number).binary("==", &Cel::new("0", Ty::Number), Ty::Bool)
        }
        Ty::Text if !one.missing => one.binary("==", &Cel::text(""), Ty::Bool),
        _ => one.or(&Cel::text("")).binary("in", &Cel::new("['', [], {}]", Ty::List), Ty::Bool),
    }
}

pub(super) fn includes(owner: &Cel, part: &Cel) -> Cel {
    let in_list = part.binary("in", owner, Ty::Bool);
    match owner.ty {
        Ty::List => in_list,
        Ty::Text => owner.method("contains", &[part], Ty::Bool),
        _ => {
            let is_list = Cel::call("type", &[owner], Ty::Any).binary("==", &Cel::new("list", Ty::Any), Ty::Bool);
            is_list.choice(&in_list, &owner.method("contains", &[part], Ty::Bool))
        }
    }
}

/// `text[at]`
pub(super) fn letter(owner: &Cel, at: &Cel) -> Cel {
    let next = at.binary("+", &Cel::new("1", Ty::Number), Ty::Number);
    owner.method("slice", &[at, &next], Ty::Text)
}

impl Maker<'_> {
    pub(super) fn method(&mut self, owner: &Cel, name: &str, args: &[Js]) -> Out {
        match owner.ty.clone() {
            Ty::Space(space) => self.library(space, name, args),
            Ty::Node => self.of_node(owner, name, args),
            Ty::Time(zone) => self.of_time(owner, zone, name, args),
            Ty::Items => self.of_list(owner, name, args, Ty::Item),
            Ty::Item if matches!(name, "first" | "last") => Ok(owner.clone()),
            Ty::Item => Err(format!("'.{name}()' of an item is not translated")),
            _ => self.of_value(owner, name, args),
        }
    }

    fn of_node(&mut self, owner: &Cel, name: &str, args: &[Js]) -> Out {
        let items = items_of(owner);
        match (name, args) {
            ("all", []) => Ok(items),
            ("first" | "last", []) => self.of_list(&items, name, args, Ty::Item),
            ("first" | "last" | "all", _) => Err("it asks for another output of a step".into()),
            ("itemMatching", [Js::Name(place)]) if place == "$itemIndex" => {
                Ok(Cel::new(format!("paired({})", Cel::text(&owner.text).text), Ty::Item))
            }
            ("itemMatching", _) => Err("'itemMatching' is not translated".into()),
            _ => Err(format!("'.{name}()' of a step is not translated")),
        }
    }

    fn library(&mut self, space: &'static str, name: &str, args: &[Js]) -> Out {
        let whole = |text: &str| Cel::new(text, Ty::Number);
        Ok(match (space, name, args) {
            ("$input", "first", []) => Cel { missing: true, ..Cel::new("items[0]", Ty::Item) },
            ("$input", "last", []) => self.of_list(&Cel::new("items", Ty::Items), "last", &[], Ty::Item)?,
            ("$input", "all", []) => Cel::new("items", Ty::Items),
            ("Math", "round", [one]) => {
                let half = numeric(&self.of(one)?)?.binary("+", &Cel::new("0.5", Ty::Number), Ty::Number);
                Cel::call("floor", &[&half], Ty::Number)
            }
            ("Math", "floor" | "ceil" | "abs", [one]) => Cel::call(name, &[&numeric(&self.of(one)?)?], Ty::Number),
            ("Math", "trunc", [one]) => Cel::call("int", &[&numeric(&self.of(one)?)?], Ty::Number),
            ("Math", "max" | "min", [Js::Spread(list)]) => self.of(list)?.method(name, &[], Ty::Number),
            ("Math", "max" | "min", [_, ..]) => {
                let mut list = Vec::new();
                for arg in args {
                    list.push(numeric(&self.of(arg)?)?);
                }
                let missing = list.iter().any(|one| one.missing);
                let list: Vec<String> = list.into_iter().map(|one| one.text).collect();
                let list = Cel { missing, ..Cel::new(format!("[{}]", list.join(", ")), Ty::List) };
                list.method(name, &[], Ty::Number)
            }
            ("Math", "random", _) => return Err("random numbers are not made by expressions".into()),
            ("JSON", "stringify", [one]) => {
                let one = self.of(one)?;
                json(&one, None)?
            }
            ("JSON", "stringify", [one, Js::Null | Js::Undefined, Js::Number(width)]) => {
                let one = self.of(one)?;
                json(&one, Some(*width))?
            }
            ("JSON", "parse", [one]) => Cel::call("fromJson", &[&self.of(one)?], Ty::Any),
            ("Object", "keys" | "values" | "entries", [one]) => {
                let one = self.of(one)?;
                entries(&one, name)
            }
            ("Array", "isArray", [one]) => {
                let one = self.of(one)?.or_null();
                Cel::call("type", &[&one], Ty::Any).binary("==", &Cel::new("list", Ty::Any), Ty::Bool)
            }
            ("Array", "from", [one]) => {
                let one = self.of(one)?;
                if one.ty != Ty::List {
                    return Err("'Array.from' of something that is no list is not translated".into());
                }
                one
            }
            ("Number", "isInteger", [one]) => {
                let one = self.of(one)?.or_null();
                Cel::call("type", &[&one], Ty::Any).binary("==", &Cel::new("int", Ty::Any), Ty::Bool)
            }
            ("Number", "parseFloat", [one]) => parsed(&self.of(one)?, false),
            ("Number", "parseInt", [one] | [one, Js::Number(10.0)]) => parsed(&self.of(one)?, true),
            ("Object", "assign", [first, rest @ ..]) if !rest.is_empty() => {
                let entries: Vec<Entry> = args.iter().map(|arg| Entry::Spread(arg.clone())).collect();
                let _ = first;
                self.of(&Js::Object(entries))?
            }
            ("Math", "sqrt", [one]) => Cel::call("sqrt", &[&numeric(&self.of(one)?)?], Ty::Number),
            ("Math", "pow", [one, two]) => {
                Cel::call("pow", &[&numeric(&self.of(one)?)?, &numeric(&self.of(two)?)?], Ty::Number)
            }
            ("Date", "now", []) => millis(&Cel::new("timestamp(run.startedAt)", Ty::Time(None)))?,
            ("DateTime", "now" | "local", []) => self.time("timestamp(run.startedAt)"),
            ("DateTime", "utc", []) => Cel::new("timestamp(run.startedAt)", Ty::Time(None)),
            ("DateTime", "fromISO", [one]) => to_time(&self.of(one)?, self.place.zone.map(str::to_owned))?,
            ("DateTime", "fromJSDate", [one]) => to_time(&self.of(one)?, self.place.zone.map(str::to_owned))?,
            ("DateTime", "fromSeconds", [one]) => from_millis(&self.of(one)?, true, self.place.zone.map(str::to_owned)),
            ("DateTime", "fromMillis", [one]) => from_millis(&self.of(one)?, false, self.place.zone.map(str::to_owned)),
            ("Array", "from", [Js::Object(fields), function]) => {
                let [Entry::Field(name, count)] = fields.as_slice() else {
                    return Err("'Array.from' of something that is no list is not translated".into());
                };
                if name != "length" {
                    return Err("'Array.from' of something that is no list is not translated".into());
                }
                let last = numeric(&self.of(count)?)?.binary("-", &whole("1"), Ty::Number);
                let list = Cel::call("range", &[&whole("0"), &last], Ty::List);
                self.method(&list, "map", std::slice::from_ref(&places_only(function)?))?
            }
            _ => return Err(format!("'{space}.{name}()' is not translated")),
        })
    }

    pub(super) fn all(&mut self, args: &[Js]) -> Result<Vec<Cel>, String> {
        args.iter().map(|arg| self.of(arg)).collect()
    }

    /// Methods of texts and numbers, and of what may be anything.
    fn of_value(&mut self, owner: &Cel, name: &str, args: &[Js]) -> Out {
        let zone = self.place.zone.map(str::to_owned);
        Ok(match (name, args) {
            ("toLowerCase" | "toLocaleLowerCase", []) => owner.method("lower", &[], Ty::Text),
            ("toUpperCase" | "toLocaleUpperCase", []) => owner.method("upper", &[], Ty::Text),
            ("length", []) if owner.ty != Ty::Number => Cel::call("size", &[owner], Ty::Number),
            ("trim", []) => owner.method("trim", &[], Ty::Text),
            ("trimStart" | "trimLeft", []) => {
                owner.method("replacePattern", &[&Cel::text("\\A\\s+"), &Cel::text("")], Ty::Text)
            }
            ("trimEnd" | "trimRight", []) => {
                owner.method("replacePattern", &[&Cel::text("\\s+\\z"), &Cel::text("")], Ty::Text)
            }
            ("padStart" | "padEnd" | "repeat", [count, rest @ ..]) if rest.len() < 2 => {
                let (count, one) = (self.of(count)?, Cel::new("1", Ty::Number));
                let unit = match rest.first() {
                    None => Cel::text(" "),
                    Some(unit @ Js::Text(text)) if text.chars().count() == 1 => self.of(unit)?,
                    Some(_) => return Err("a text is filled up with more than one letter".into()),
                };
                // A number is no text before its method is called.
                let text = owner.stringed()?;
                let (from, unit) = if name == "repeat" {
                    (one, text.clone())
                } else {
                    (Cel::call("size", &[&text], Ty::Number).binary("+", &one, Ty::Number), unit)
                };
                let filler = format!("range({}, {}).map(x, {}).join('')", from.text, count.text, unit.text);
                let filler = Cel { missing: owner.missing || count.missing, ..Cel::new(filler, Ty::Text) };
                match name {
                    "padStart" => filler.binary("+", &text, Ty::Text),
                    "padEnd" => text.binary("+", &filler, Ty::Text),
                    _ => filler,
                }
            }
            ("base64Encode", []) => Cel::call("base64", &[owner], Ty::Text),
            ("base64Decode", []) => Cel::call("fromBase64", &[owner], Ty::Text),
            ("urlDecode", []) => Cel::call("urlDecode", &[owner], Ty::Text),
            ("hash", [Js::Text(kind)]) if matches!(kind.as_str(), "sha256" | "sha384" | "sha512") => {
                Cel::call("hash", &[owner, &Cel::text(&kind.replace("sha", "SHA-"))], Ty::Text)
            }
            ("hash", [] | [Js::Text(_)]) => return Err("MD5 and SHA-1 are not made".into()),
            ("isEmail", []) => {
                let space = owner.method("contains", &[&Cel::text(" ")], Ty::Bool).not();
                owner.method("matches", &[&Cel::text(EMAIL)], Ty::Bool).binary("&&", &space, Ty::Bool)
            }
            ("extractEmail", []) => {
                let found = owner.method("findPattern", &[&Cel::text(EMAIL)], Ty::Any);
                Cel { missing: true, ..found.index(&Cel::new("0", Ty::Number)) }
            }
            ("toSnakeCase", []) => {
                let text = owner.method("lower", &[], Ty::Text);
                let text = text.method("replacePattern", &[&Cel::text("[ \\-]"), &Cel::text("_")], Ty::Text);
                let odd = "[\u{2000}-\u{206f}\u{2e00}-\u{2e7f}\\\\'!\"#$%\\&()*+,./:;<=>?@\\[\\]^`{|}\\~]";
                text.method("replacePattern", &[&Cel::text(odd), &Cel::text("")], Ty::Text)
            }
            ("toBoolean", []) => match owner.ty {
                Ty::Bool => owner.clone(),
                Ty::Number => owner.truthy(),
                Ty::Text => {
                    let lower = owner.method("lower", &[], Ty::Text);
                    lower.binary("in", &Cel::new("['', 'false', 'no', '0']", Ty::List), Ty::Bool).not()
                }
                _ => {
                    let lower = Cel::call("string", &[owner], Ty::Text).method("lower", &[], Ty::Text);
                    lower.binary("in", &Cel::new("['', 'false', 'no', '0', '0.0']", Ty::List), Ty::Bool).not()
                }
            },
            ("toLocaleString" | "format", [] | [Js::Text(_)]) if owner.ty == Ty::Number => {
                if args.first().is_some_and(|one| *one != Js::Text("en-US".into())) {
                    return Err("numbers of another language or region are not written".into());
                }
                Cel::call("formatNumber", &[owner, &Cel::new("0", Ty::Number), &Cel::new("3", Ty::Number)], Ty::Text)
            }
            ("toLocaleString", [] | [Js::Text(_)]) if owner.ty == Ty::Any => {
                if args.first().is_some_and(|one| *one != Js::Text("en-US".into())) {
                    return Err("numbers of another language or region are not written".into());
                }
                // A text stays as it is there.
                let is_text = Cel::call("type", &[owner], Ty::Any).binary("==", &Cel::new("string", Ty::Any), Ty::Bool);
                let number = Cel::call(
                    "formatNumber",
                    &[owner, &Cel::new("0", Ty::Number), &Cel::new("3", Ty::Number)],
                    Ty::Text,
                );
                is_text.choice(owner, &number)
            }
            ("removeField", [Js::Text(field)]) if owner.ty != Ty::Text => {
                let _ = field;
                return Err("'.removeField()' of an object is not translated; use the step 'Edit fields'".into());
            }
            ("toString", []) => Cel { missing: owner.missing, ..owner.stringed()? },
            ("toString", [_]) => return Err("a number is written in another base".into()),
            ("startsWith" | "endsWith", [part]) => owner.method(name, &[&self.of(part)?], Ty::Bool),
            ("includes", [part]) => includes(owner, &self.of(part)?),
            ("split", [Js::Pattern(source, flags)]) => self.split_by(owner, source, flags)?,
            ("split", [Js::Text(at)]) if at.is_empty() => {
                let places = format!("range(0, size({}) - 1)", owner.text);
                let letter = letter(owner, &Cel::new("x", Ty::Number));
                Cel { missing: owner.missing, ..Cel::new(format!("{places}.map(x, {})", letter.text), Ty::List) }
            }
            ("split", [at, Js::Number(most)]) if *most >= 0.0 && most.fract() == 0.0 => {
                let list = self.method(owner, "split", std::slice::from_ref(at))?;
                list.method("slice", &[&Cel::new("0", Ty::Number), &Cel::new(most.to_string(), Ty::Number)], Ty::List)
            }
            ("split", [at]) => owner.method("split", &[&self.of(at)?], Ty::List),
            ("replace" | "replaceAll", [wanted, with]) => self.replaced(owner, name == "replaceAll", wanted, with)?,
            ("match", [Js::Pattern(source, flags)]) if !flags.contains('g') => {
                owner.method("findPattern", &[&Cel::text(&pattern(source, flags)?)], Ty::Any)
            }
            ("match", [Js::Pattern(source, flags)]) => {
                let all = owner.method("findAllPattern", &[&Cel::text(&pattern(source, flags)?)], Ty::List);
                let matches = Cel { missing: all.missing, ..Cel::new(format!("{}.map(x, x[0])", all.text), Ty::List) };
                // No match at all is null there.
                let none = Cel::call("size", &[&all], Ty::Number).binary("==", &Cel::new("0", Ty::Number), Ty::Bool);
                none.choice(&Cel::new("null", Ty::Null), &matches)
            }
            ("matchAll", [Js::Pattern(source, flags)]) => {
                owner.method("findAllPattern", &[&Cel::text(&pattern(source, flags)?)], Ty::List)
            }
            ("match" | "matchAll", _) => return Err("a pattern is computed".into()),
            ("search", [Js::Pattern(..)]) => return Err("the place of a match is asked for".into()),
            ("substring" | "slice" | "substr" | "charAt", [first, rest @ ..]) if rest.len() < 2 => {
                self.part(owner, name, first, rest.first())?
            }
            ("slice", []) => owner.clone(),
            ("indexOf", [part]) if matches!(owner.ty, Ty::Text | Ty::Any) => {
                owner.method("indexOf", &[&self.of(part)?], Ty::Number)
            }
            ("concat", [one]) if owner.ty == Ty::Text => owner.binary("+", &self.of(one)?.stringed()?, Ty::Text),
            ("toFixed", [] | [Js::Number(_)]) => {
                let digits = args.first().map_or_else(|| Ok(Cel::new("0", Ty::Number)), |one| self.of(one))?;
                Cel::call("fixed", &[&numeric(owner)?, &digits], Ty::Text)
            }
            ("round", [] | [Js::Number(_)]) if owner.ty != Ty::Text => {
                let mut all = vec![numeric(owner)?];
                all.extend(self.all(args)?);
                Cel::call("round", &all.iter().collect::<Vec<_>>(), Ty::Number)
            }
            ("floor" | "ceil" | "abs", []) if owner.ty != Ty::Text => Cel::call(name, &[&numeric(owner)?], Ty::Number),
            ("toNumber" | "toFloat", []) => to_number(owner),
            ("toInt", []) => Cel::call("int", &[&to_number(owner)], Ty::Number),
            ("isEven" | "isOdd", []) => {
                let rest = owner.binary("%", &Cel::new("2", Ty::Number), Ty::Number);
                rest.binary(if name == "isEven" { "==" } else { "!=" }, &Cel::new("0", Ty::Number), Ty::Bool)
            }
            ("isEmpty", []) => is_empty(owner),
            ("isNotEmpty", []) => is_empty(owner).not(),
            ("toDateTime" | "toDate", []) => to_time(owner, zone)?,
            ("toDateTime", [Js::Text(unit)]) if unit == "s" || unit == "ms" => {
                from_millis(&to_number(owner), unit == "s", zone)
            }
            ("toISOString" | "toISO" | "toFormat" | "toMillis" | "plus" | "minus" | "format" | "toISODate", _)
                if owner.ty == Ty::Any =>
            {
                return Err(format!(
                    "'.{name}()' of data: times of the data are texts; write '.toDateTime()' before it"
                ));
            }
            ("urlEncode", []) => Cel::call("urlEncode", &[owner], Ty::Text),
            ("removeTags", []) => owner.method("replacePattern", &[&Cel::text("<[^>]*>?"), &Cel::text("")], Ty::Text),
            ("parseJson", []) => Cel::call("fromJson", &[owner], Ty::Any),
            ("toJsonString", []) => json(owner, None)?,
            ("keys" | "values", []) => entries(owner, name),
            ("getTime" | "valueOf", []) if owner.ty == Ty::Number => owner.clone(),
            ("hasField" | "hasOwnProperty", [field]) => {
                let field = self.of(field)?;
                field.binary("in", owner, Ty::Bool)
            }
            ("localeCompare" | "normalize" | "charCodeAt" | "at" | "lastIndexOf", _) if owner.ty == Ty::Text => {
                return Err(format!("'.{name}()' of a text is not translated; use the step 'Text'"));
            }
            _ if matches!(owner.ty, Ty::Any | Ty::List) => return self.of_list(owner, name, args, Ty::Any),
            _ => return Err(format!("'.{name}()' of {} is not translated", word(&owner.ty))),
        })
    }

    fn part(&mut self, owner: &Cel, name: &str, first: &Js, second: Option<&Js>) -> Out {
        let ty = if owner.ty == Ty::Text || name != "slice" { Ty::Text } else { Ty::Any };
        let from_the_end = matches!(first, Js::Minus(_)) || matches!(second, Some(Js::Minus(_)));
        if from_the_end && name != "slice" {
            return Err(format!("'.{name}()' counts from the end"));
        }
        let begin = self.of(first)?;
        let one = Cel::new("1", Ty::Number);
        let end = match (name, second) {
            ("charAt", _) => Some(begin.binary("+", &one, Ty::Number)),
            (_, None) => None,
            ("substr", Some(length)) => Some(begin.binary("+", &self.of(length)?, Ty::Number)),
            (_, Some(end)) => Some(self.of(end)?),
        };
        let mut args = vec![&begin];
        args.extend(end.as_ref());
        Ok(owner.method("slice", &args, ty))
    }
}

/// An address of e-mail, as n8n finds one.
const EMAIL: &str = "(([^<>()\\[\\]\\\\.,;:\\s@\"]+(\\.[^<>()\\[\\]\\\\.,;:\\s@\"]+)*)|(\".+\"))@((\\[[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}])|(([a-zA-Z\\-0-9]+\\.)+[a-zA-Z]{2,}))";

/// `parseInt` and `parseFloat`: the number with which a text begins.
pub(super) fn parsed(one: &Cel, is_whole: bool) -> Cel {
    if one.ty == Ty::Number {
        return if is_whole { Cel::call("int", &[one], Ty::Number) } else { one.clone() };
    }
    let text = if one.ty == Ty::Text { one.clone() } else { Cel::call("string", &[one], Ty::Text) };
    let wanted =
        if is_whole { "^\\s*([+-]?[0-9]+)" } else { "^\\s*([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)" };
    let found = text.method("findPattern", &[&Cel::text(wanted)], Ty::Any).index(&Cel::new("1", Ty::Number));
    let made = Cel::call(if is_whole { "int" } else { "double" }, &[&found], Ty::Number);
    Cel { missing: one.missing, ..made }
}

/// A function of (entry, place) over a list that has places only.
fn places_only(function: &Js) -> Result<Js, String> {
    match function {
        Js::Arrow { names, body } if names.len() == 2 => {
            Ok(Js::Arrow { names: vec![names[1].clone()], body: body.clone() })
        }
        Js::Arrow { names, body } if names.is_empty() => Ok(Js::Arrow { names: Vec::new(), body: body.clone() }),
        _ => Err("'Array.from' of something that is no list is not translated".into()),
    }
}

/// All items of a step.
pub(super) fn items_of(node: &Cel) -> Cel {
    let items = Cel::new("nodes", Ty::Map).field(&node.text).field("items");
    Cel { missing: false, ..items.is(Ty::Items) }
}

pub(super) fn json(one: &Cel, indent: Option<f64>) -> Out {
    let one = match one.ty {
        Ty::Time(_) => one.iso(),
        Ty::Items | Ty::Item | Ty::Node | Ty::Space(_) => return Err("an item or a step is written as JSON".into()),
        _ => one.clone(),
    };
    Ok(match indent {
        Some(width) if width >= 1.0 => Cel::call("json", &[&one, &Cel::new(width.to_string(), Ty::Number)], Ty::Text),
        _ => Cel::call("json", &[&one], Ty::Text),
    })
}

fn entries(one: &Cel, name: &str) -> Cel {
    let owner = one.owner();
    let text = match name {
        "keys" => format!("{owner}.map(k, k)"),
        "values" => format!("{owner}.map(k, {owner}[k])"),
        _ => format!("{owner}.map(k, [k, {owner}[k]])"),
    };
    Cel { missing: one.missing, ..Cel::new(text, Ty::List) }
}
