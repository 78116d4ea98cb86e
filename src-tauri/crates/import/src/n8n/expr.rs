//! Expressions of n8n as CEL: the same value, or a reason why there is none.

use super::{methods, patterns, times};
use crate::cel::{Cel, Ty};
use crate::js::{self, Entry, Js, Piece};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What names mean where an expression stands.
pub(crate) struct Place<'a> {
    /// The id here of a step by its name there, if it has a result.
    pub(crate) node: &'a dyn Fn(&str) -> Option<String>,
    /// Name of the workflow.
    pub(crate) workflow: &'a str,
    /// Zone of the workflow.
    pub(crate) zone: Option<&'a str>,
    /// It stands in the body of a loop.
    pub(crate) in_loop: bool,
    /// Variables of the machine or the account that are asked for; they become params.
    pub(crate) asked: &'a RefCell<BTreeSet<String>>,
}

pub(super) type Out = Result<Cel, String>;

/// What [`Place::node`] says of the loop around a step.
pub(crate) const THIS_ROUND: &str = "@round";

/// Translates one expression.
pub(crate) fn translate(source: &str, place: &Place<'_>) -> Out {
    let tree = js::parse(source).map_err(|why| format!("it could not be read: {why}"))?;
    let found = Maker::new(place).of(&tree)?;
    match found.ty {
        Ty::Node | Ty::Space(_) | Ty::Span(_) | Ty::Item | Ty::Items => {
            Err("it uses an item or a step as a value".into())
        }
        _ => Ok(found),
    }
}

pub(super) struct Maker<'a> {
    pub(super) place: &'a Place<'a>,
    /// Parameters of functions and variables, from the outermost: their name there and what they are.
    bound: Vec<(String, Bound)>,
    /// Functions with a name that are being called.
    calls: usize,
}

/// What a name of an expression is.
#[derive(Clone)]
enum Bound {
    Value(Out),
    Function(Js),
}

/// Most calls of named functions within each other.
const MOST_CALLS: usize = 8;

/// Roots that exist in n8n only.
const FOREIGN: [(&str, &str); 18] = [
    ("$env", "all environment variables are asked for"),
    ("process", "environment variables are not read here; use a param of the workflow"),
    ("$vars", "all variables are asked for"),
    ("$secrets", "secrets are chosen as a credential of a step"),
    ("$binary", "files are taken by name in the steps that use them"),
    ("$parameter", "it reads a setting of a step"),
    ("$prevNode", "it asks which step came before"),
    ("$fromAI", "a model fills it in"),
    ("$jmespath", "JMESPath is not translated"),
    ("$itemIndex", "the place of an item in its list is not known"),
    ("$position", "the place of an item in its list is not known"),
    ("$getWorkflowStaticData", "data kept between runs is the step 'Remember'"),
    ("$getPairedItem", "write paired('step')"),
    ("$nodeVersion", "it asks for the version of a step"),
    ("$nodeId", "it asks for the id of a step"),
    ("$node", "it uses all steps at once"),
    ("require", "modules are not available"),
    ("$evaluateExpression", "expressions are not made at run time"),
];

impl<'a> Maker<'a> {
    fn new(place: &'a Place<'a>) -> Self {
        Self { place, bound: Vec::new(), calls: 0 }
    }

    pub(super) fn of(&mut self, js: &Js) -> Out {
        self.unbounded(js)?.bounded()
    }

    fn unbounded(&mut self, js: &Js) -> Out {
        Ok(match js {
            Js::Number(value) => number(*value),
            Js::Text(text) => Cel::text(text),
            Js::Bool(value) => Cel::new(value.to_string(), Ty::Bool),
            Js::Null | Js::Undefined => Cel::new("null", Ty::Null),
            Js::Template(pieces) => self.template(pieces)?,
            Js::Pattern(..) => return Err("a regular expression is used as a value".into()),
            Js::Name(name) => self.name(name)?,
            Js::Member { of, name, .. } if matches!(&**of, Js::Name(root) if root == "$env" || root == "$vars") => {
                self.place.asked.borrow_mut().insert(name.clone());
                Cel::any(Cel::new("params", Ty::Map).field(name).text)
            }
            Js::Member { of, name, .. } => {
                let owner = self.of(of)?;
                self.member(&owner, name)?
            }
            Js::Index { of, key, .. } => self.index(of, key)?,
            Js::Call { callee, args } => self.call(callee, args)?,
            Js::New { name, args } => self.made(name, args)?,
            Js::Not(of) => self.of(of)?.truthy().not(),
            Js::Minus(of) => match &**of {
                Js::Number(value) => number(-*value),
                _ => self.of(of)?.minus(),
            },
            Js::Plus(of) => methods::to_number(&self.of(of)?),
            Js::Typeof(_) => return Err("'typeof' outside of a comparison is not translated".into()),
            Js::Binary { sign, left, right } => self.binary(sign, left, right)?,
            Js::Choice { test, yes, no } => {
                let test = self.of(test)?.truthy();
                test.choice(&self.of(yes)?, &self.of(no)?)
            }
            Js::List(entries) => self.list(entries)?,
            Js::Object(entries) => self.object(entries)?,
            Js::Arrow { .. } => return Err("a function is used as a value".into()),
            Js::Let { name, value, body } => {
                let bound = self.bind(value);
                self.inside(vec![(name.clone(), bound)], body)?
            }
            Js::Spread(_) => return Err("'...' stands in an unexpected place".into()),
        })
    }

    /// A value that is kept: a missing field is null.
    pub(super) fn data(&mut self, js: &Js) -> Out {
        let found = self.of(js)?;
        match found.ty {
            Ty::Time(_) => Ok(found.iso()),
            Ty::Node | Ty::Space(_) | Ty::Span(_) | Ty::Item | Ty::Items => {
                Err("it uses an item or a step as a value".into())
            }
            _ => Ok(found.or_null()),
        }
    }

    fn list(&mut self, entries: &[Js]) -> Out {
        let mut out: Option<Cel> = None;
        let mut here: Vec<String> = Vec::new();
        let add = |out: &mut Option<Cel>, more: Cel| {
            *out = Some(match out.take() {
                None => more,
                Some(before) => before.binary("+", &more, Ty::List),
            });
        };
        for entry in entries {
            match entry {
                Js::Spread(of) => {
                    if !here.is_empty() {
                        add(&mut out, Cel::new(format!("[{}]", here.join(", ")), Ty::List));
                        here.clear();
                    }
                    let more = self.of(of)?;
                    add(&mut out, more);
                }
                one => here.push(self.data(one)?.text),
            }
        }
        if out.is_none() || !here.is_empty() {
            add(&mut out, Cel::new(format!("[{}]", here.join(", ")), Ty::List));
        }
        Ok(out.unwrap_or_else(|| Cel::new("[]", Ty::List)))
    }

    fn object(&mut self, entries: &[Entry]) -> Out {
        let mut out: Option<Cel> = None;
        let mut here: Vec<String> = Vec::new();
        let add = |out: &mut Option<Cel>, more: Cel| {
            *out = Some(match out.take() {
                None => more,
                Some(before) => Cel::call("merge", &[&before, &more], Ty::Map),
            });
        };
        for entry in entries {
            match entry {
                Entry::Field(name, value) => {
                    here.push(format!("{}: {}", Cel::text(name).text, self.data(value)?.text));
                }
                Entry::Computed(name, value) => {
                    let name = self.of(name)?.stringed()?;
                    here.push(format!("{}: {}", name.text, self.data(value)?.text));
                }
                Entry::Spread(of) => {
                    if !here.is_empty() {
                        add(&mut out, Cel::new(format!("{{{}}}", here.join(", ")), Ty::Map));
                        here.clear();
                    }
                    let of = self.of(of)?;
                    // Nothing spreads to nothing.
                    add(&mut out, if of.missing { of.or(&Cel::new("{}", Ty::Map)).is(Ty::Map) } else { of });
                }
            }
        }
        if out.is_none() || !here.is_empty() {
            add(&mut out, Cel::new(format!("{{{}}}", here.join(", ")), Ty::Map));
        }
        Ok(out.unwrap_or_else(|| Cel::new("{}", Ty::Map)))
    }

    /// What a variable is: its value is worked out where it is used.
    fn bind(&mut self, value: &Js) -> Bound {
        match value {
            Js::Arrow { .. } => Bound::Function(value.clone()),
            Js::Name(name) => {
                let known = self.bound.iter().rev().find(|(known, _)| known == name).map(|(_, bound)| bound.clone());
                known.unwrap_or_else(|| Bound::Value(self.name(name)))
            }
            other => Bound::Value(self.of(other)),
        }
    }

    /// An expression where some more names are known.
    fn inside(&mut self, names: Vec<(String, Bound)>, body: &Js) -> Out {
        let before = self.bound.len();
        self.bound.extend(names);
        let found = self.of(body);
        self.bound.truncate(before);
        found
    }

    /// A call of a function that is written here.
    fn apply(&mut self, function: &Js, args: &[Js]) -> Out {
        let Js::Arrow { names, body } = function else { return Err("a function that is computed is called".into()) };
        if self.calls >= MOST_CALLS {
            return Err("functions call each other too often".into());
        }
        let mut bound = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let one = args.get(at).map_or_else(|| Bound::Value(Ok(Cel::new("null", Ty::Null))), |arg| self.bind(arg));
            bound.push((name.clone(), one));
        }
        self.calls += 1;
        let found = self.inside(bound, body);
        self.calls -= 1;
        found
    }

    fn template(&mut self, pieces: &[Piece]) -> Out {
        let mut out: Option<Cel> = None;
        for piece in pieces {
            let more = match piece {
                Piece::Text(text) => Cel::text(text),
                Piece::Hole(js) => self.of(js)?.stringed()?,
            };
            out = Some(match out {
                None => more,
                Some(before) => before.binary("+", &more, Ty::Text),
            });
        }
        Ok(out.unwrap_or_else(|| Cel::text("")))
    }

    fn name(&mut self, name: &str) -> Out {
        if let Some((_, bound)) = self.bound.iter().rev().find(|(bound, _)| bound == name) {
            return match bound {
                Bound::Value(found) => found.clone(),
                Bound::Function(_) => Err("a function is used as a value".into()),
            };
        }
        Ok(match name {
            "$json" | "$data" => Cel::any("item"),
            "$input" => Cel::new("", Ty::Space("$input")),
            "item" => Cel::new("item", Ty::Item),
            "items" => Cel::new("items", Ty::Items),
            "$now" => self.time("timestamp(run.startedAt)"),
            "$today" => times::start_of(&self.time("timestamp(run.startedAt)"), "day")?,
            "$execution" => Cel::new("", Ty::Space("$execution")),
            "$workflow" => Cel::new("", Ty::Space("$workflow")),
            "$runIndex" if self.place.in_loop => Cel::new("_index", Ty::Number),
            "$runIndex" => Cel::new("0", Ty::Number),
            "Math" => Cel::new("", Ty::Space("Math")),
            "JSON" => Cel::new("", Ty::Space("JSON")),
            "Object" => Cel::new("", Ty::Space("Object")),
            "Array" => Cel::new("", Ty::Space("Array")),
            "Number" => Cel::new("", Ty::Space("Number")),
            "Date" => Cel::new("", Ty::Space("Date")),
            "DateTime" => Cel::new("", Ty::Space("DateTime")),
            "Duration" => return Err("luxon's Duration is not translated".into()),
            "NaN" | "Infinity" => return Err(format!("'{name}' is no value of JSON")),
            _ => {
                let known = FOREIGN.iter().find(|(known, _)| *known == name);
                return Err(
                    known.map_or_else(|| format!("'{name}' is not known"), |(_, why)| format!("'{name}': {why}"))
                );
            }
        })
    }

    pub(super) fn time(&self, text: &str) -> Cel {
        Cel::new(text, Ty::Time(self.place.zone.map(str::to_owned)))
    }

    fn member(&mut self, owner: &Cel, name: &str) -> Out {
        Ok(match (&owner.ty, name) {
            (Ty::Space("$input"), "item") => Cel::new("item", Ty::Item),
            (Ty::Space("$input"), _) => return Err(format!("'$input.{name}' is not translated")),
            (Ty::Space("$execution"), "id") => Cel::new("run.id", Ty::Text),
            (Ty::Space("$workflow"), "id") => Cel::new("workflow.id", Ty::Text),
            (Ty::Space("$workflow"), "name") => Cel::text(self.place.workflow),
            (Ty::Space("Math"), "PI") => Cel::new("3.141592653589793", Ty::Number),
            (Ty::Space(space), _) => return Err(format!("'{space}.{name}' is not translated")),
            (Ty::Node, "item" | "pairedItem") => Cel::new(format!("paired({})", Cel::text(&owner.text).text), Ty::Item),
            (Ty::Node, "json" | "data") => Cel::any(format!("paired({})", Cel::text(&owner.text).text)),
            (Ty::Node, _) => return Err(format!("'.{name}' of a step is not translated")),
            (Ty::Item, "json") => Cel { missing: true, ..owner.clone().is(Ty::Any) },
            (Ty::Item, "item") => owner.clone(),
            (Ty::Item, "binary") => return Err("files are taken by name in the steps that use them".into()),
            (Ty::Item, _) => return Err(format!("'.{name}' of an item is not translated")),
            (Ty::Items, "length") => Cel::call("size", &[owner], Ty::Number),
            (Ty::Items, _) => return Err(format!("'.{name}' of a list of items is not translated")),
            (Ty::Time(_), _) => times::part_of_time(owner, name)?,
            (Ty::Span(unit), _) if name.trim_end_matches('s') == *unit => owner.clone().is(Ty::Number),
            (Ty::Span(_), _) => return Err(format!("'.{name}' of a span of time in another unit")),
            (Ty::Text | Ty::List | Ty::Any, "length") => Cel::call("size", &[owner], Ty::Number),
            (Ty::Text | Ty::Number | Ty::Bool | Ty::List | Ty::Null, _) => {
                return Err(format!("'.{name}' of {} is not known", methods::word(&owner.ty)));
            }
            (Ty::Any | Ty::Map, _) => owner.field(name),
        })
    }

    fn index(&mut self, of: &Js, key: &Js) -> Out {
        if let Js::Name(root) = of
            && root == "$node"
        {
            let Js::Text(name) = key else { return Err("the name of a step is computed".into()) };
            return self.node(name);
        }
        if let (Js::Member { of: item, name: root, .. }, Js::Text(name)) = (of, key)
            && root == "$node"
        {
            let item = self.of(item)?;
            let node = self.node(name)?;
            if item.ty == Ty::Space("$item") && node.ty == Ty::Node {
                return Ok(methods::items_of(&node).index(&Cel::new(item.text, Ty::Number)).is(Ty::Item));
            }
            return Err("'$node' of something that is no item".into());
        }
        let owner = self.of(of)?;
        if let Js::Text(name) = key {
            return self.member(&owner, name);
        }
        if let Js::Minus(_) = key {
            return Err("a list has no places below 0".into());
        }
        let key = self.of(key)?;
        match owner.ty {
            Ty::Items => Ok(Cel { missing: true, ..owner.index(&key).is(Ty::Item) }),
            Ty::Text => Ok(methods::letter(&owner, &key)),
            Ty::Any | Ty::Map | Ty::List => Ok(Cel { missing: true, ..owner.index(&key) }),
            _ => Err(format!("a place of {} is not translated", methods::word(&owner.ty))),
        }
    }

    fn node(&self, name: &str) -> Out {
        match (self.place.node)(name) {
            Some(id) if id == THIS_ROUND => Ok(Cel::new("_item", Ty::Item)),
            Some(id) => Ok(Cel::new(id, Ty::Node)),
            None => Err(format!("the step \"{name}\" does not run before this one, or has no result")),
        }
    }

    fn call(&mut self, callee: &Js, args: &[Js]) -> Out {
        match callee {
            Js::Arrow { .. } => self.apply(callee, args),
            Js::Name(name) => {
                let bound = self.bound.iter().rev().find(|(known, _)| known == name).map(|(_, bound)| bound.clone());
                match bound {
                    Some(Bound::Function(function)) => self.apply(&function, args),
                    Some(Bound::Value(_)) => Err("a function that is computed is called".into()),
                    None => self.function(name, args),
                }
            }
            Js::Member { of, name, .. } => {
                // A pattern has methods of its own.
                if let (Js::Pattern(pattern, flags), "test" | "exec", [text]) = (&**of, name.as_str(), args) {
                    let pattern = Cel::text(&patterns::pattern(pattern, flags)?);
                    let text = self.of(text)?;
                    return Ok(match name.as_str() {
                        "test" => text.method("matches", &[&pattern], Ty::Bool),
                        _ => text.method("findPattern", &[&pattern], Ty::Any),
                    });
                }
                let owner = self.of(of)?;
                self.method(&owner, name, args)
            }
            _ => Err("a function that is computed is called".into()),
        }
    }

    fn function(&mut self, name: &str, args: &[Js]) -> Out {
        Ok(match (name, args) {
            ("$" | "$items" | "$node", [Js::Text(step), ..]) => {
                let node = self.node(step)?;
                if name == "$items" && node.ty == Ty::Node { methods::items_of(&node) } else { node }
            }
            ("$items", []) => Cel::new("items", Ty::Items),
            ("$item", [Js::Number(_) | Js::Text(_)]) => {
                let at = match args {
                    [Js::Number(at)] => at.to_string(),
                    [Js::Text(at)] => at.clone(),
                    _ => String::new(),
                };
                if at.parse::<u32>().is_err() {
                    return Err("the place of an item is no number".into());
                }
                Cel::new(at, Ty::Space("$item"))
            }
            ("$" | "$items", _) => return Err("the name of a step is computed".into()),
            ("String", [one]) => {
                let one = self.of(one)?;
                Cel { missing: one.missing, ..one.stringed()? }
            }
            ("Number", [one]) => match self.of(one)? {
                time if matches!(time.ty, Ty::Time(_)) => times::millis(&time)?,
                other => methods::to_number(&other),
            },
            ("parseFloat", [one]) => methods::parsed(&self.of(one)?, false),
            ("parseInt", [one] | [one, Js::Number(10.0)]) => methods::parsed(&self.of(one)?, true),
            ("decodeURIComponent", [one]) => Cel::call("urlDecode", &[&self.of(one)?], Ty::Text),
            ("Boolean", [one]) => self.of(one)?.truthy(),
            ("Object", [one]) => self.of(one)?,
            ("$if" | "$iif", [test, yes, no]) => {
                let test = self.of(test)?.truthy();
                test.choice(&self.of(yes)?, &self.of(no)?)
            }
            ("$ifEmpty", [one, other]) => {
                let one = self.of(one)?;
                methods::is_empty(&one).choice(&self.of(other)?, &one)
            }
            ("$max" | "$min", _) => {
                let list = self.list(args)?;
                list.method(&name[1..], &[], Ty::Number)
            }
            ("$not", [one]) => self.of(one)?.truthy().not(),
            ("isNaN", [_]) => return Err("'isNaN' is not translated: a text that is no number is an error here".into()),
            ("encodeURIComponent", [one]) => {
                // These stay as they are there and are escaped here.
                let one = self.of(one)?;
                Cel::call("urlEncode", &[&one], Ty::Text)
            }
            _ => {
                let known = FOREIGN.iter().find(|(known, _)| *known == name);
                return Err(known.map_or_else(
                    || format!("the function '{name}' is not known"),
                    |(_, why)| format!("'{name}': {why}"),
                ));
            }
        })
    }

    fn made(&mut self, name: &str, args: &[Js]) -> Out {
        Ok(match (name, args) {
            ("Date", []) => Cel::new("timestamp(run.startedAt)", Ty::Time(None)),
            ("Date", [one]) => match self.of(one)? {
                number if number.ty == Ty::Number => times::from_millis(&number, false, None),
                other => times::to_time(&other, None)?,
            },
            ("Set", [one]) => {
                let list = self.of(one)?;
                list.method("unique", &[], Ty::List)
            }
            _ => return Err(format!("'new {name}' is not translated")),
        })
    }

    /// A function of an entry of a list, and of its place if it asks for that.
    pub(super) fn with(&mut self, function: &Js, list: &Cel, entry: Ty) -> Result<Turned, String> {
        let function = match function {
            Js::Name(name) => match self.bound.iter().rev().find(|(known, _)| known == name) {
                Some((_, Bound::Function(function))) => function.clone(),
                _ => return Err("a function is not written in its place".into()),
            },
            other => other.clone(),
        };
        let Js::Arrow { names, body } = &function else {
            return Err("a function is not written in its place".into());
        };
        match names.as_slice() {
            [] => {
                let variable = self.variable("x");
                let body = self.inside(Vec::new(), body)?;
                Ok(Turned { variable, body, by_place: false })
            }
            [name] => {
                let variable = self.variable(name);
                let one = Bound::Value(Ok(Cel::new(variable.clone(), entry)));
                let body = self.inside(vec![(name.clone(), one), hidden(&variable)], body)?;
                Ok(Turned { variable, body, by_place: false })
            }
            [name, place] => {
                let variable = self.variable(place);
                let at = Cel::new(variable.clone(), Ty::Number);
                let one = Cel { missing: false, ..list.index(&at).is(entry) };
                let names = vec![
                    (name.clone(), Bound::Value(Ok(one))),
                    (place.clone(), Bound::Value(Ok(at))),
                    hidden(&variable),
                ];
                let body = self.inside(names, body)?;
                Ok(Turned { variable, body, by_place: true })
            }
            _ => Err("a function of a list takes more than the entry and its place".into()),
        }
    }

    /// A name for a parameter that hides no other one.
    fn variable(&self, name: &str) -> String {
        let mut variable = safe(name);
        while self.bound.iter().any(|(known, _)| known.strip_prefix(HIDDEN) == Some(&variable)) {
            variable.push('_');
        }
        variable
    }

    /// The parameter of a sum, `(sum, one) => sum + …`, and what is added.
    pub(super) fn added(&mut self, function: &Js, entry: Ty) -> Result<(String, Cel), String> {
        let other = || "only sums are translated from 'reduce'".to_owned();
        let Js::Arrow { names, body } = function else { return Err(other()) };
        let ([sum, name], Js::Binary { sign: "+", left, right }) = (names.as_slice(), &**body) else {
            return Err(other());
        };
        if **left != Js::Name(sum.clone()) {
            return Err(other());
        }
        let variable = self.variable(name);
        let one = Bound::Value(Ok(Cel::new(variable.clone(), entry)));
        let body = self.inside(vec![(name.clone(), one), hidden(&variable)], right)?;
        Ok((variable, body))
    }

    fn binary(&mut self, sign: &'static str, left: &Js, right: &Js) -> Out {
        if let (Js::Typeof(of), Js::Text(name)) | (Js::Text(name), Js::Typeof(of)) = (left, right)
            && matches!(sign, "===" | "==" | "!==" | "!=")
        {
            let same = self.typed(of, name)?;
            return Ok(if sign.starts_with('!') { same.not() } else { same });
        }
        // `list.indexOf(x) !== -1`, `text.indexOf(x) >= 0`
        if let (Js::Call { callee, args }, Some(found)) = (left, found_test(sign, right))
            && let (Js::Member { of, name, .. }, [part]) = (&**callee, args.as_slice())
            && name == "indexOf"
        {
            let owner = self.of(of)?;
            let part = self.of(part)?;
            let inside = methods::includes(&owner, &part);
            return Ok(if found { inside.truthy() } else { inside.truthy().not() });
        }
        let (a, b) = (self.of(left)?, self.of(right)?);
        for side in [&a, &b] {
            if matches!(side.ty, Ty::Item | Ty::Items | Ty::Node | Ty::Space(_) | Ty::Span(_)) {
                return Err("it computes with an item or a step".into());
            }
        }
        Ok(match sign {
            "+" => match (&a.ty, &b.ty) {
                (Ty::Text, _) | (_, Ty::Text) => a.stringed()?.binary("+", &b.stringed()?, Ty::Text),
                (Ty::Number, Ty::Number) => a.binary("+", &b, Ty::Number),
                (Ty::Any, Ty::Any | Ty::Number) | (Ty::Number, Ty::Any) => a.binary("+", &b, Ty::Any),
                _ => return Err(format!("{} and {} are added", methods::word(&a.ty), methods::word(&b.ty))),
            },
            "-" | "*" | "%" => match (&a.ty, &b.ty) {
                (Ty::Time(_), _) | (_, Ty::Time(_)) if sign == "-" => {
                    let (a, b) = (times::millis(&a)?, times::millis(&b)?);
                    a.binary("-", &b, Ty::Number)
                }
                _ => methods::numeric(&a)?.binary(sign, &methods::numeric(&b)?, Ty::Number),
            },
            "/" => Cel::call("double", &[&methods::numeric(&a)?], Ty::Number).binary(
                "/",
                &methods::numeric(&b)?,
                Ty::Number,
            ),
            "==" | "!=" if loosely_equal(&a, &b, left, right).is_some() => {
                let same = loosely_equal(&a, &b, left, right).unwrap_or_else(|| a.clone());
                if sign == "!=" { same.not() } else { same }
            }
            "==" | "===" | "!=" | "!==" => {
                let sign = if sign.starts_with('!') { "!=" } else { "==" };
                let side = |one: &Cel| match one.ty {
                    Ty::Time(_) => one.clone(),
                    _ => one.or_null(),
                };
                side(&a).binary(sign, &side(&b), Ty::Bool)
            }
            "<" | ">" | "<=" | ">=" => {
                let (a, b) = match (&a.ty, &b.ty) {
                    (Ty::Time(_), Ty::Time(_)) => (a, b),
                    (Ty::Time(_), _) => (a, times::to_time(&b, None)?),
                    (_, Ty::Time(_)) => (times::to_time(&a, None)?, b),
                    _ => (a, b),
                };
                let found = a.binary(sign, &b, Ty::Bool);
                // Nothing is neither above nor below a value.
                if found.missing { found.or(&Cel::new("false", Ty::Bool)).is(Ty::Bool) } else { found }
            }
            "&&" if a.ty == Ty::Bool && b.ty == Ty::Bool => a.truthy().binary("&&", &b.truthy(), Ty::Bool),
            "||" if a.ty == Ty::Bool && b.ty == Ty::Bool => a.truthy().binary("||", &b.truthy(), Ty::Bool),
            "&&" => a.truthy().choice(&b, &a.or_null()),
            "||" => a.truthy().choice(&a, &b),
            "??" => a.or(&b),
            "in" => a.binary("in", &b, Ty::Bool),
            "**" => Cel::call("pow", &[&methods::numeric(&a)?, &methods::numeric(&b)?], Ty::Number),
            _ => return Err(format!("'{sign}' is not translated")),
        })
    }

    /// `typeof x === 'name'`
    fn typed(&mut self, of: &Js, name: &str) -> Out {
        let of = self.of(of)?.or_null();
        let kind = |names: &str| {
            let list = Cel::new(names.to_owned(), Ty::List);
            Cel::call("type", &[&of], Ty::Any).binary("in", &list, Ty::Bool)
        };
        Ok(match name {
            "string" => kind("[string]"),
            "number" => kind("[int, double]"),
            "boolean" => kind("[bool]"),
            "object" => kind("[map, list, null_type]"),
            "undefined" => of.binary("==", &Cel::new("null", Ty::Null), Ty::Bool),
            _ => return Err(format!("'typeof' is compared with '{name}'")),
        })
    }
}

/// `==` with a number or a text that is one: `5 == '5'` there.
fn loosely_equal(a: &Cel, b: &Cel, left: &Js, right: &Js) -> Option<Cel> {
    let (value, literal) = match (left, right) {
        (_, Js::Number(_) | Js::Text(_)) => (a, right),
        (Js::Number(_) | Js::Text(_), _) => (b, left),
        _ => return None,
    };
    if value.ty != Ty::Any {
        return None;
    }
    let same = match literal {
        Js::Number(0.0) => "[0, '0', '', false]".to_owned(),
        Js::Number(1.0) => "[1, '1', true]".to_owned(),
        Js::Number(wanted) => format!("[{}, {}]", number(*wanted).text, Cel::text(&wanted.to_string()).text),
        Js::Text(text) if text.is_empty() => "['', 0, false]".to_owned(),
        Js::Text(text) => {
            let wanted: f64 = text.trim().parse().ok().filter(|wanted: &f64| wanted.is_finite())?;
            format!("[{}, {}]", Cel::text(text).text, number(wanted).text)
        }
        _ => return None,
    };
    Some(value.or_null().binary("in", &Cel::new(same, Ty::List), Ty::Bool))
}

/// A comparison of `indexOf` that asks whether something was found.
fn found_test(sign: &str, right: &Js) -> Option<bool> {
    let minus_one = matches!(right, Js::Minus(one) if **one == Js::Number(1.0));
    let zero = *right == Js::Number(0.0);
    match sign {
        "!==" | "!=" | ">" if minus_one => Some(true),
        ">=" if zero => Some(true),
        "===" | "==" if minus_one => Some(false),
        "<" if zero => Some(false),
        _ => None,
    }
}

/// A function of the entries of a list as CEL.
pub(super) struct Turned {
    /// Its parameter: the entry, or its place.
    pub(super) variable: String,
    pub(super) body: Cel,
    /// It runs over the places of the list.
    pub(super) by_place: bool,
}

/// What a name of CEL that is in use begins with in the list of names; no name there has it.
const HIDDEN: char = '\u{0}';

fn hidden(variable: &str) -> (String, Bound) {
    (format!("{HIDDEN}{variable}"), Bound::Value(Err(String::new())))
}

/// A name of a parameter that is one in CEL and hides nothing.
fn safe(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    let taken = signalbox_engine::expr::NAMES.contains(&plain.as_str()) || !crate::cel::is_name(&plain);
    if taken { format!("{plain}_") } else { plain }
}

fn number(value: f64) -> Cel {
    #[allow(clippy::cast_possible_truncation)]
    let text = if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        (value as i64).to_string()
    } else {
        let text = value.to_string();
        if text.contains(['.', 'e']) { text } else { format!("{text}.0") }
    };
    Cel::new(text, Ty::Number)
}

/// A method of a value that is translated already.
pub(super) fn call_on(place: &Place<'_>, owner: &Cel, name: &str, args: &[Js]) -> Out {
    Maker::new(place).method(owner, name, args)
}
