//! Methods of values: those of JavaScript, of luxon's times, and those that n8n adds.

use super::expr::{Maker, Out};
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

pub(super) fn millis(one: &Cel) -> Out {
    match one.ty {
        Ty::Time(_) => {
            let seconds = Cel::call("int", &[one], Ty::Number).binary("*", &Cel::new("1000", Ty::Number), Ty::Number);
            Ok(seconds.binary("+", &one.method("getMilliseconds", &[], Ty::Number), Ty::Number))
        }
        _ => numeric(one),
    }
}

/// A value as a moment: text of ISO 8601; a day begins at midnight UTC.
pub(super) fn to_time(one: &Cel, zone: Option<String>) -> Out {
    match &one.ty {
        Ty::Time(_) => Ok(one.clone()),
        Ty::Text | Ty::Any => {
            // A day alone is no time here.
            let day = Cel::text("^[0-9]{4}-[0-9]{2}-[0-9]{2}$");
            let test = one.method("matches", &[&day], Ty::Bool);
            let midnight = one.binary("+", &Cel::text("T00:00:00Z"), Ty::Text);
            let whole = test.choice(&midnight, one);
            Ok(Cel { missing: one.missing, ..Cel::call("timestamp", &[&whole], Ty::Time(zone)) })
        }
        _ => Err(format!("a time is made of {}", word(&one.ty))),
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

/// The pattern of a regular expression, as it is written here.
pub(super) fn pattern(source: &str, flags: &str) -> Result<String, String> {
    let mut out = String::new();
    let marks: String = flags.chars().filter(|flag| matches!(flag, 'i' | 'm' | 's')).collect();
    if flags.contains('y') {
        return Err("the flag y of a regular expression is not translated".into());
    }
    if !marks.is_empty() {
        out.push_str(&format!("(?{marks})"));
    }
    let mut in_class = false;
    let mut rest = source;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '\\' => {
                let Some(next) = rest.chars().next() else {
                    return Err("a regular expression ends with a backslash".into());
                };
                rest = &rest[next.len_utf8()..];
                match (next, in_class) {
                    ('d', false) => out.push_str("[0-9]"),
                    ('d', true) => out.push_str("0-9"),
                    ('D', false) => out.push_str("[^0-9]"),
                    ('w', false) => out.push_str("[A-Za-z0-9_]"),
                    ('w', true) => out.push_str("A-Za-z0-9_"),
                    ('W', false) => out.push_str("[^A-Za-z0-9_]"),
                    ('b', false) => out.push_str("(?-u:\\b)"),
                    ('1'..='9' | 'k', _) => return Err("a regular expression refers back to a group".into()),
                    ('s' | 'S' | 'n' | 'r' | 't' | 'D' | 'W' | 'B' | 'u' | 'x' | 'p' | 'f' | 'v', _) => {
                        if matches!(next, 'u' | 'x' | 'B' | 'p') || in_class && matches!(next, 'D' | 'W') {
                            return Err(format!("'\\{next}' of a regular expression is not translated"));
                        }
                        out.push('\\');
                        out.push(next);
                    }
                    (c, _) if c.is_ascii_alphanumeric() => {
                        return Err(format!("'\\{c}' of a regular expression is not translated"));
                    }
                    ('/' | '"' | '\'' | '`' | '@' | '%' | ',' | ':' | ';' | '<' | '>' | '=' | '!' | '_' | ' ', _) => {
                        out.push(next)
                    }
                    (c, _) => {
                        out.push('\\');
                        out.push(c);
                    }
                }
            }
            '[' if in_class => out.push_str("\\["),
            '[' => {
                if rest.starts_with(']') || rest.starts_with("^]") {
                    return Err("an empty class of a regular expression is not translated".into());
                }
                in_class = true;
                out.push('[');
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            '(' if !in_class && ["?=", "?!", "?<=", "?<!"].iter().any(|ahead| rest.starts_with(ahead)) => {
                return Err("a regular expression looks ahead or behind".into());
            }
            '{' if !in_class => {
                let inner = rest.split('}').next().unwrap_or_default();
                let counts = !inner.is_empty()
                    && inner.starts_with(|c: char| c.is_ascii_digit())
                    && inner.chars().all(|c| c.is_ascii_digit() || c == ',')
                    && rest.contains('}');
                if counts {
                    out.push_str(&format!("{{{inner}}}"));
                    rest = &rest[inner.len() + 1..];
                } else {
                    out.push_str("\\{");
                }
            }
            '}' if !in_class => out.push_str("\\}"),
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(letter);
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

/// What replaces a match, as it is written here.
fn replacement(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if let Some(more) = after.strip_prefix('$') {
            out.push_str("$$");
            rest = more;
        } else if let Some(more) = after.strip_prefix('&') {
            out.push_str("${0}");
            rest = more;
        } else if digits > 0 && !after.starts_with('0') {
            out.push_str(&format!("${{{}}}", &after[..digits]));
            rest = &after[digits..];
        } else {
            out.push_str("$$");
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// Letters that mean something in a pattern, with a backslash.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if "\\.+*?()|[]{}^$#&-~".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// Groups of a pattern move on by two: what stands before the match, and the match.
fn shifted(with: &str) -> String {
    let mut out = String::new();
    let mut rest = with;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let (number, more) = after.split_once('}').unwrap_or((after, ""));
        let number = number.parse::<u32>().unwrap_or(0);
        out.push_str(&format!("${{{}}}", number + 2));
        rest = more;
    }
    out.push_str(rest);
    out
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
            ("Number", "parseFloat", [one]) => to_number(&self.of(one)?),
            ("Number", "parseInt", [one]) => Cel::call("int", &[&to_number(&self.of(one)?)], Ty::Number),
            ("Date", "now", []) => millis(&Cel::new("timestamp(run.startedAt)", Ty::Time(None)))?,
            ("DateTime", "now" | "local", []) => self.time("timestamp(run.startedAt)"),
            ("DateTime", "utc", []) => Cel::new("timestamp(run.startedAt)", Ty::Time(None)),
            ("DateTime", "fromISO", [one]) => to_time(&self.of(one)?, self.place.zone.map(str::to_owned))?,
            ("DateTime", "fromJSDate", [one]) => to_time(&self.of(one)?, self.place.zone.map(str::to_owned))?,
            ("DateTime", "fromSeconds", [one]) => {
                let one = self.of(one)?;
                Cel { missing: one.missing, ..self.time(&format!("timestamp(int({}))", one.text)) }
            }
            ("DateTime", "fromMillis", [one]) => {
                let one = self.of(one)?;
                let zero = whole("'1970-01-01T00:00:00Z'");
                let start = Cel::call("timestamp", &[&zero], Ty::Any);
                let text = Cel::call("string", &[&Cel::call("int", &[&one], Ty::Number)], Ty::Text);
                let span = Cel::call("duration", &[&text.binary("+", &Cel::text("ms"), Ty::Text)], Ty::Any);
                let ty = Ty::Time(self.place.zone.map(str::to_owned));
                start.binary("+", &span, ty)
            }
            _ => return Err(format!("'{space}.{name}()' is not translated")),
        })
    }

    fn of_time(&mut self, owner: &Cel, zone: Option<String>, name: &str, args: &[Js]) -> Out {
        Ok(match (name, args) {
            ("toISO" | "toISOString" | "toString" | "toJSON" | "toDateTime" | "toJSDate" | "toUTC", []) => match name {
                "toISO" | "toJSON" | "toString" => owner.iso(),
                "toISOString" => owner.clone().is(Ty::Time(None)).iso(),
                "toUTC" => owner.clone().is(Ty::Time(None)),
                _ => owner.clone(),
            },
            ("toISODate", []) => format(owner, "yyyy-MM-dd", &zone),
            ("toFormat" | "format", [Js::Text(wanted)]) => format(owner, &luxon(wanted)?, &zone),
            ("toMillis" | "valueOf" | "getTime", []) => millis(owner)?,
            ("toSeconds" | "toUnixInteger", []) => Cel::call("int", &[owner], Ty::Number),
            ("plus" | "minus", [Js::Object(parts)]) => {
                let mut found = owner.clone();
                for part in parts {
                    let Entry::Field(unit, amount) = part else { return Err("a span of time is computed".into()) };
                    found = self.moved(&found, name == "minus", unit, amount)?;
                }
                found
            }
            ("plus" | "minus", [amount, Js::Text(unit)]) => self.moved(owner, name == "minus", unit, amount)?,
            ("startOf" | "beginningOf", [Js::Text(unit)]) => start_of(owner, unit)?,
            ("endOf", [Js::Text(unit)]) if unit == "day" => {
                let zone_text = zone_of(&zone);
                let text =
                    format!("timestamp(formatTime({}, \"yyyy-MM-dd'T23:59:59.999'XXX\"{zone_text}))", owner.text);
                Cel { missing: owner.missing, ..Cel::new(text, Ty::Time(zone)) }
            }
            ("setZone", [Js::Text(zone)]) => owner.clone().is(Ty::Time(Some(zone.clone()))),
            (
                "getFullYear" | "getMonth" | "getDate" | "getHours" | "getMinutes" | "getSeconds" | "getMilliseconds",
                [],
            ) => owner.method(name, &zone_arg(&zone).iter().collect::<Vec<_>>(), Ty::Number),
            ("getDay", []) => owner.method("getDayOfWeek", &zone_arg(&zone).iter().collect::<Vec<_>>(), Ty::Number),
            ("toLocaleString" | "toLocaleDateString" | "toLocaleTimeString" | "toRelative", _) => {
                return Err("texts of a language or region are not made".into());
            }
            ("diff" | "diffTo" | "diffToNow" | "diffNow", _) => {
                return Err("differences of times are the step 'Date and time'".into());
            }
            _ => return Err(format!("'.{name}()' of a time is not translated")),
        })
    }

    fn moved(&mut self, owner: &Cel, back: bool, unit: &str, amount: &Js) -> Out {
        let (factor, mark) = match unit.trim_end_matches('s') {
            "week" => (168, "h"),
            "day" => (24, "h"),
            "hour" => (1, "h"),
            "minute" => (1, "m"),
            "second" => (1, "s"),
            "millisecond" => (1, "ms"),
            "month" | "year" | "quarter" => {
                return Err("months and years are added by the step 'Date and time'".into());
            }
            other => return Err(format!("the unit of time '{other}' is not known")),
        };
        let span = match amount {
            Js::Number(amount) if amount.fract() == 0.0 && amount.abs() < 1e9 => {
                #[allow(clippy::cast_possible_truncation)]
                let amount = *amount as i64 * factor;
                Cel::new(format!("duration('{amount}{mark}')"), Ty::Any)
            }
            _ => {
                let amount = numeric(&self.of(amount)?)?;
                let amount = Cel::call("int", &[&amount], Ty::Number);
                let amount = if factor == 1 {
                    amount
                } else {
                    amount.binary("*", &Cel::new(factor.to_string(), Ty::Number), Ty::Number)
                };
                let text = Cel::call("string", &[&amount], Ty::Text).binary("+", &Cel::text(mark), Ty::Text);
                Cel::call("duration", &[&text], Ty::Any)
            }
        };
        Ok(owner.binary(if back { "-" } else { "+" }, &span, owner.ty.clone()))
    }

    /// Methods of lists.
    fn of_list(&mut self, owner: &Cel, name: &str, args: &[Js], entry: Ty) -> Out {
        let kept = if entry == Ty::Item { Ty::Items } else { Ty::List };
        let turn = |name: &str, variable: &str, body: &Cel, ty: Ty| Cel {
            missing: owner.missing || body.missing,
            ..Cel::new(format!("{}.{name}({variable}, {})", owner.owner(), body.text), ty)
        };
        Ok(match (name, args) {
            ("map", [function]) => {
                let (variable, body) = self.with(function, entry)?;
                match body.ty {
                    // The item itself stays one.
                    Ty::Item => turn("map", &variable, &body, Ty::Items),
                    Ty::Time(_) => turn("map", &variable, &body.iso(), Ty::List),
                    Ty::Items | Ty::Node | Ty::Space(_) => return Err("a list of lists of items is made".into()),
                    _ => turn("map", &variable, &body.or_null(), Ty::List),
                }
            }
            ("filter", [Js::Name(name)]) if name == "Boolean" => {
                let body = Cel { missing: false, ..Cel::new("x", Ty::Any) }.truthy();
                turn("filter", "x", &body, kept)
            }
            ("filter" | "some" | "every" | "find", [function]) => {
                let (variable, body) = self.with(function, entry.clone())?;
                let body = body.truthy();
                match name {
                    "filter" => turn("filter", &variable, &body, kept),
                    "some" => turn("exists", &variable, &body, Ty::Bool),
                    "every" => turn("all", &variable, &body, Ty::Bool),
                    _ => {
                        let first = turn("filter", &variable, &body, Ty::List).index(&Cel::new("0", Ty::Number));
                        Cel { missing: true, ..first.is(entry) }
                    }
                }
            }
            ("reduce", [function, Js::Number(begin)]) if *begin == 0.0 => {
                let (variable, body) = self.added(function, entry)?;
                let list = turn("map", &variable, &numeric(&body)?, Ty::List);
                list.method("sum", &[], Ty::Number)
            }
            ("first", []) => Cel { missing: true, ..owner.index(&Cel::new("0", Ty::Number)).is(entry) },
            ("last", []) => {
                let last = Cel::call("size", &[owner], Ty::Number).binary("-", &Cel::new("1", Ty::Number), Ty::Number);
                Cel { missing: true, ..owner.index(&last).is(entry) }
            }
            ("at", [Js::Minus(one)]) if **one == Js::Number(1.0) => return self.of_list(owner, "last", &[], entry),
            ("at", [Js::Number(at)]) if *at >= 0.0 && at.fract() == 0.0 => {
                Cel { missing: true, ..owner.index(&Cel::new(at.to_string(), Ty::Number)).is(entry) }
            }
            ("slice", [] | [_] | [_, _]) => {
                let args = self.all(args)?;
                owner.method("slice", &args.iter().collect::<Vec<_>>(), kept)
            }
            ("isEmpty", []) => is_empty(owner),
            ("isNotEmpty", []) => is_empty(owner).not(),
            ("reverse" | "unique", []) => owner.method(name, &[], kept),
            ("removeDuplicates", []) => owner.method("unique", &[], kept),
            _ if entry == Ty::Item => return Err(format!("'.{name}()' of a list of items is not translated")),
            ("includes", [one]) => includes(owner, &self.of(one)?),
            ("join", [] | [_]) => {
                let between = args.first().map_or_else(|| Ok(Cel::text(",")), |one| self.of(one))?;
                let texts = Cel {
                    missing: owner.missing,
                    ..Cel::new(format!("{}.map(x, string(x))", owner.owner()), Ty::List)
                };
                texts.method("join", &[&between], Ty::Text)
            }
            ("concat", [one]) => owner.binary("+", &self.of(one)?, Ty::List),
            ("append", [one]) => {
                let one = self.of(one)?;
                owner.binary("+", &Cel::new(format!("[{}]", one.text), Ty::List), Ty::List)
            }
            ("sum" | "min" | "max", []) => owner.method(name, &[], Ty::Number),
            ("average", []) => {
                let sum = Cel::call("double", &[&owner.method("sum", &[], Ty::Number)], Ty::Number);
                sum.binary("/", &Cel::call("size", &[owner], Ty::Number), Ty::Number)
            }
            ("pluck", [Js::Text(field)]) => {
                let entry = Cel::any("x").field(field);
                turn("map", "x", &entry.or_null(), Ty::List)
            }
            ("toJsonString", []) => json(owner, None)?,
            ("toString", []) => owner.stringed()?,
            (
                "forEach" | "flat" | "flatMap" | "sort" | "push" | "reduce" | "splice" | "smartJoin" | "chunk"
                | "randomItem",
                _,
            ) => {
                return Err(format!("'.{name}()' of a list is not translated; use a JavaScript step"));
            }
            _ => return Err(format!("'.{name}()' of a list is not translated")),
        })
    }

    fn all(&mut self, args: &[Js]) -> Result<Vec<Cel>, String> {
        args.iter().map(|arg| self.of(arg)).collect()
    }

    /// Methods of texts and numbers, and of what may be anything.
    fn of_value(&mut self, owner: &Cel, name: &str, args: &[Js]) -> Out {
        let zone = self.place.zone.map(str::to_owned);
        Ok(match (name, args) {
            ("toLowerCase" | "toLocaleLowerCase", []) => owner.method("lower", &[], Ty::Text),
            ("toUpperCase" | "toLocaleUpperCase", []) => owner.method("upper", &[], Ty::Text),
            ("trim", []) => owner.method("trim", &[], Ty::Text),
            ("toString", []) => Cel { missing: owner.missing, ..owner.stringed()? },
            ("toString", [_]) => return Err("a number is written in another base".into()),
            ("startsWith" | "endsWith", [part]) => owner.method(name, &[&self.of(part)?], Ty::Bool),
            ("includes", [part]) => includes(owner, &self.of(part)?),
            ("split", [Js::Pattern(..)]) => return Err("a text is split by a regular expression".into()),
            ("split", [Js::Text(at)]) if at.is_empty() => return Err("a text is split into its letters".into()),
            ("split", [at]) => owner.method("split", &[&self.of(at)?], Ty::List),
            ("replace" | "replaceAll", [wanted, with]) => self.replaced(owner, name == "replaceAll", wanted, with)?,
            ("match", [Js::Pattern(source, flags)]) if !flags.contains('g') => {
                owner.method("findPattern", &[&Cel::text(&pattern(source, flags)?)], Ty::Any)
            }
            ("match" | "matchAll", _) => return Err("all matches of a regular expression are taken".into()),
            ("substring" | "slice" | "substr" | "charAt", [first, rest @ ..]) if rest.len() < 2 => {
                self.part(owner, name, first, rest.first())?
            }
            ("slice", []) => owner.clone(),
            ("indexOf", [part]) if owner.ty == Ty::Text => owner.method("indexOf", &[&self.of(part)?], Ty::Number),
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
            ("hasField" | "hasOwnProperty", [field]) => {
                let field = self.of(field)?;
                field.binary("in", owner, Ty::Bool)
            }
            (
                "padStart" | "padEnd" | "repeat" | "localeCompare" | "normalize" | "charCodeAt" | "at" | "lastIndexOf",
                _,
            ) if owner.ty == Ty::Text => {
                return Err(format!("'.{name}()' of a text is not translated; use the step 'Text'"));
            }
            _ if matches!(owner.ty, Ty::Any | Ty::List) => return self.of_list(owner, name, args, Ty::Any),
            _ => return Err(format!("'.{name}()' of {} is not translated", word(&owner.ty))),
        })
    }

    fn replaced(&mut self, owner: &Cel, every: bool, wanted: &Js, with: &Js) -> Out {
        let (source, global) = match wanted {
            Js::Pattern(source, flags) => (pattern(source, flags)?, flags.contains('g')),
            Js::Text(text) if every && !text.is_empty() => {
                let with = self.of(with)?;
                if let (Ty::Text, false) = (&with.ty, with.text.contains('$')) {
                    return Ok(owner.method("replace", &[&Cel::text(text), &with], Ty::Text));
                }
                (escaped(text), true)
            }
            Js::Text(text) if !text.is_empty() => (escaped(text), false),
            _ => {
                return Err("what is replaced is computed".into());
            }
        };
        let literal = matches!(with, Js::Text(_));
        let with = match with {
            Js::Text(text) => Cel::text(&replacement(text)),
            Js::Arrow { .. } => return Err("a function makes what replaces a match".into()),
            other => {
                let found = self.of(other)?.stringed()?;
                Cel {
                    missing: found.missing,
                    ..found.method("replace", &[&Cel::text("$"), &Cel::text("$$")], Ty::Text)
                }
            }
        };
        if global || source.starts_with('^') && !source.contains('|') {
            return Ok(owner.method("replacePattern", &[&Cel::text(&source), &with], Ty::Text));
        }
        // Only the first match: what stands before it is taken along.
        let (marks, body) = match source.strip_prefix("(?").and_then(|rest| rest.split_once(')')) {
            Some((marks, body)) if marks.chars().all(|c| matches!(c, 'i' | 'm' | 's')) => {
                (marks.to_owned(), body.to_owned())
            }
            _ => (String::new(), source),
        };
        if marks.contains('m') || body.contains('^') && !body.contains("[^") {
            return Err("a regular expression with '^' replaces its first match".into());
        }
        let inner = if marks.is_empty() { format!("({body})") } else { format!("((?{marks}){body})") };
        let with = match with.text.strip_prefix('\'').filter(|_| literal) {
            Some(rest) => Cel::new(format!("'${{1}}{}", shifted(rest)), Ty::Text),
            None => Cel::text("${1}").binary("+", &with, Ty::Text),
        };
        Ok(owner.method("replacePattern", &[&Cel::text(&format!("\\A((?s:.*?)){inner}")), &with], Ty::Text))
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

/// All items of a step.
pub(super) fn items_of(node: &Cel) -> Cel {
    let items = Cel::new("nodes", Ty::Map).field(&node.text).field("items");
    Cel { missing: false, ..items.is(Ty::Items) }
}

fn json(one: &Cel, indent: Option<f64>) -> Out {
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

fn zone_arg(zone: &Option<String>) -> Option<Cel> {
    zone.as_deref().filter(|zone| *zone != "UTC").map(Cel::text)
}

fn zone_of(zone: &Option<String>) -> String {
    zone_arg(zone).map_or_else(String::new, |zone| format!(", {}", zone.text))
}

fn format(owner: &Cel, wanted: &str, zone: &Option<String>) -> Cel {
    let wanted = Cel::text(wanted);
    let mut args = vec![owner, &wanted];
    let zone = zone_arg(zone);
    args.extend(zone.as_ref());
    Cel::call("formatTime", &args, Ty::Text)
}

/// The start of a day, month, year or hour.
pub(super) fn start_of(owner: &Cel, unit: &str) -> Out {
    let pattern = match unit {
        "day" => "yyyy-MM-dd'T00:00:00'XXX",
        "month" => "yyyy-MM'-01T00:00:00'XXX",
        "year" => "yyyy'-01-01T00:00:00'XXX",
        "hour" => "yyyy-MM-dd'T'HH':00:00'XXX",
        "minute" => "yyyy-MM-dd'T'HH:mm':00'XXX",
        other => return Err(format!("the start of a {other} is not translated")),
    };
    let Ty::Time(zone) = &owner.ty else { return Err("the start of something that is no time".into()) };
    let text = format!("timestamp(formatTime({}, {}{}))", owner.text, Cel::text(pattern).text, zone_of(zone));
    Ok(Cel { missing: owner.missing, ..Cel::new(text, owner.ty.clone()) })
}

pub(super) fn part_of_time(owner: &Cel, name: &str) -> Out {
    let Ty::Time(zone) = &owner.ty else { return Err("a part of something that is no time".into()) };
    let zone = zone_arg(zone);
    let args: Vec<&Cel> = zone.iter().collect();
    let get = |method: &str| owner.method(method, &args, Ty::Number);
    let number = |text: &str| Cel::new(text, Ty::Number);
    Ok(match name {
        "year" => get("getFullYear"),
        "month" => get("getMonth").binary("+", &number("1"), Ty::Number),
        "day" => get("getDate"),
        "hour" => get("getHours"),
        "minute" => get("getMinutes"),
        "second" => get("getSeconds"),
        "millisecond" => get("getMilliseconds"),
        "ordinal" => get("getDayOfYear").binary("+", &number("1"), Ty::Number),
        "weekday" => {
            let from_monday = get("getDayOfWeek").binary("+", &number("6"), Ty::Number);
            from_monday.binary("%", &number("7"), Ty::Number).binary("+", &number("1"), Ty::Number)
        }
        "monthLong" | "monthShort" | "weekdayLong" | "weekdayShort" => {
            let pattern = match name {
                "monthLong" => "MMMM",
                "monthShort" => "MMM",
                "weekdayLong" => "EEEE",
                _ => "EEE",
            };
            let Ty::Time(zone) = &owner.ty else { return Err("a part of something that is no time".into()) };
            format(owner, pattern, zone)
        }
        "ts" => millis(owner)?,
        _ => return Err(format!("'.{name}' of a time is not translated")),
    })
}

/// A format of luxon, as it is written here.
fn luxon(wanted: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = wanted;
    while let Some(letter) = rest.chars().next() {
        if letter == '\'' {
            let (quoted, after) = rest[1..].split_once('\'').ok_or("a quote in the format of a time is not closed")?;
            out.push_str(&format!("'{quoted}'"));
            rest = after;
            continue;
        }
        if !letter.is_ascii_alphabetic() {
            out.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        }
        let run = rest.len() - rest.trim_start_matches(letter).len();
        let (token, after) = rest.split_at(run);
        out.push_str(match token {
            "yyyy" | "yy" | "MMMM" | "MMM" | "MM" | "M" | "dd" | "d" | "HH" | "H" | "hh" | "h" | "mm" | "ss"
            | "SSS" | "a" => token,
            "EEE" | "ccc" => "EEE",
            "EEEE" | "cccc" => "EEEE",
            "LL" => "MM",
            "L" => "M",
            "LLL" => "MMM",
            "LLLL" => "MMMM",
            "ZZ" => "XXX",
            "y" => "yyyy",
            other => return Err(format!("'{other}' in the format of a time is not translated")),
        });
        rest = after;
    }
    Ok(out)
}
