//! What kinds of values an expression can come to, without evaluating it: a part that fails with every value, a field that
//! nothing has, a comparison that is never true. What is not known is anything, and nothing is said about it.

use super::error::{near, quote};
use super::funcs::Fun;
use super::library::Library;
use super::lower::{Loop, Node, Op};
use super::references::shown;
use super::{Expr, lower};
use serde_json::Value;

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kinds(u16);

impl Kinds {
    const NULL: Self = Self(1);
    const BOOL: Self = Self(1 << 1);
    const NUMBER: Self = Self(1 << 2);
    const TEXT: Self = Self(1 << 3);
    const BYTES: Self = Self(1 << 4);
    const LIST: Self = Self(1 << 5);
    const MAP: Self = Self(1 << 6);
    const TIME: Self = Self(1 << 7);
    const TYPE: Self = Self(1 << 8);
    const ANY: Self = Self((1 << 9) - 1);
    /// Of JSON.
    const DATA: Self = Self(0b110_1111);

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn of_type(name: &str) -> Self {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOL,
            "number" | "integer" => Self::NUMBER,
            "string" => Self::TEXT,
            "array" => Self::LIST,
            "object" => Self::MAP,
            _ => Self::DATA,
        }
    }

    fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOL,
            Value::Number(_) => Self::NUMBER,
            Value::String(_) => Self::TEXT,
            Value::Array(_) => Self::LIST,
            Value::Object(_) => Self::MAP,
        }
    }

    /// In words: "a number", "a text or nothing".
    fn words(self) -> String {
        let all = [
            (Self::BOOL, "true or false"),
            (Self::NUMBER, "a number"),
            (Self::TEXT, "a text"),
            (Self::BYTES, "bytes"),
            (Self::LIST, "a list"),
            (Self::MAP, "an object"),
            (Self::TIME, "a time"),
            (Self::TYPE, "a type"),
            (Self::NULL, "null"),
        ];
        let found: Vec<&str> = all.into_iter().filter(|(kind, _)| self.meets(*kind)).map(|(_, word)| word).collect();
        found.join(" or ")
    }
}

/// What is known of a value: its kinds, and what a JSON Schema says of it.
#[derive(Debug, Clone, Copy)]
struct Shape<'a> {
    kinds: Kinds,
    schema: Option<&'a Value>,
}

impl<'a> Shape<'a> {
    const ANY: Self = Self::just(Kinds::ANY);

    const fn just(kinds: Kinds) -> Self {
        Self { kinds, schema: None }
    }

    /// What fits a schema. What is said in other words than these is anything.
    fn of(schema: &'a Value) -> Self {
        let kinds = match schema.get("type") {
            Some(Value::String(name)) => Kinds::of_type(name),
            Some(Value::Array(names)) => {
                names.iter().filter_map(Value::as_str).fold(Kinds(0), |all, name| all.or(Kinds::of_type(name)))
            }
            _ => match (schema.get("const"), schema.get("enum").and_then(Value::as_array)) {
                (Some(one), _) => Kinds::of_value(one),
                (None, Some(list)) => list.iter().fold(Kinds(0), |all, one| all.or(Kinds::of_value(one))),
                (None, None) => Kinds::DATA,
            },
        };
        Self { kinds: if kinds == Kinds(0) { Kinds::DATA } else { kinds }, schema: Some(schema) }
    }

    /// A field of it; the known names when nothing has it.
    fn field(self, name: &str) -> Result<Self, Vec<&'a str>> {
        let Some(schema) = self.schema else { return Ok(Self::ANY) };
        let known = schema.get("properties").and_then(Value::as_object);
        if let Some(field) = known.and_then(|known| known.get(name)) {
            return Ok(Self::of(field));
        }
        let others = ["patternProperties", "allOf", "anyOf", "oneOf", "$ref", "if", "$dynamicRef"];
        let open = schema.get("additionalProperties") != Some(&Value::Bool(false))
            || others.iter().any(|word| schema.get(*word).is_some());
        if open { Ok(Self::ANY) } else { Err(known.into_iter().flatten().map(|(name, _)| name.as_str()).collect()) }
    }

    fn entry(self) -> Self {
        self.schema.and_then(|schema| schema.get("items")).filter(|items| items.is_object()).map_or(Self::ANY, Self::of)
    }

    /// The texts that it can be, when they are listed.
    fn texts(self) -> Option<Vec<&'a str>> {
        let list = self.schema?.get("enum")?.as_array()?;
        list.iter().map(Value::as_str).collect()
    }
}

/// The names that an expression may use, each with the schema of its value. A name that is not listed is anything.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known(pub(crate) Vec<(String, Value)>);

/// What the expression is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A condition.
    Truth,
    /// Something to go through.
    Elements,
    /// Any value.
    Anything,
}

/// Why a part of an expression can never do what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Never {
    /// What and why, in one sentence without a full stop.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: String,
    /// A name that does not exist, not a kind that does not fit.
    pub(crate) name: bool,
}

/// The first thing that can never work, in the order of reading.
pub(crate) fn check(expression: &Expr, known: &Known, wanted: Wanted) -> Option<Never> {
    let mut look = Look { known, bound: Vec::new(), found: None };
    let all = look.node(&expression.0.root);
    let text = quote(&expression.0.text);
    match wanted {
        Wanted::Truth if !all.kinds.meets(Kinds::BOOL) => look.tell(
            format!("The condition `{text}` is {}, never true or false", all.kinds.words()),
            "Compare it with something, for example `… == true` or `… > 0`",
        ),
        Wanted::Elements if !all.kinds.meets(Kinds::LIST.or(Kinds::NULL)) => {
            look.tell(format!("`{text}` is {}, never a list", all.kinds.words()), "Give a list");
        }
        Wanted::Truth | Wanted::Elements | Wanted::Anything => {}
    }
    look.found
}

struct Look<'a> {
    known: &'a Known,
    bound: Vec<(&'a str, Shape<'a>)>,
    found: Option<Never>,
}

impl<'a> Look<'a> {
    fn tell(&mut self, message: String, hint: impl Into<String>) {
        self.found.get_or_insert(Never { message, hint: hint.into(), name: false });
    }

    fn node(&mut self, node: &'a Node) -> Shape<'a> {
        match node {
            Node::Null => Shape::just(Kinds::NULL),
            Node::Bool(_) => Shape::just(Kinds::BOOL),
            Node::Int(_) | Node::Uint(_) | Node::Double(_) => Shape::just(Kinds::NUMBER),
            Node::Text(_) => Shape::just(Kinds::TEXT),
            Node::Bytes(_) => Shape::just(Kinds::BYTES),
            Node::Name(name) => self.name(name),
            Node::Field { of, name } => self.field(of, name),
            Node::Has { of, .. } => {
                let owner = self.node(of);
                self.needs(of, owner, Kinds::MAP.or(Kinds::NULL), "`has(…)`", "Test the object itself");
                Shape::just(Kinds::BOOL)
            }
            Node::Index { of, key } => self.index(of, key),
            Node::Not(one) => {
                let found = self.node(one);
                self.needs(one, found, Kinds::BOOL, "`!`", "Compare it with something first");
                Shape::just(Kinds::BOOL)
            }
            Node::Negate(one) => {
                let found = self.node(one);
                self.needs(one, found, Kinds::NUMBER, "`-`", "Turn it into a number with `int(…)` or `double(…)`");
                Shape::just(Kinds::NUMBER)
            }
            Node::And(two) | Node::Or(two) => {
                let sign = if matches!(node, Node::And(_)) { "`&&`" } else { "`||`" };
                for one in two.iter() {
                    let found = self.node(one);
                    self.needs(one, found, Kinds::BOOL, sign, "Compare it with something first");
                }
                Shape::just(Kinds::BOOL)
            }
            Node::Choice(three) => {
                let test = self.node(&three[0]);
                self.needs(&three[0], test, Kinds::BOOL, "`? :`", "Compare it with something first");
                let (one, other) = (self.node(&three[1]), self.node(&three[2]));
                Shape::just(one.kinds.or(other.kinds))
            }
            Node::Binary(op, two) => {
                let (left, right) = (self.node(&two[0]), self.node(&two[1]));
                self.binary(*op, (&two[0], left), (&two[1], right))
            }
            Node::Call { fun, name, member, args } => self.call(*fun, name, *member, args),
            Node::List(entries) => {
                for entry in entries {
                    self.node(entry);
                }
                Shape::just(Kinds::LIST)
            }
            Node::Map(entries) => {
                for (key, value) in entries {
                    self.node(key);
                    self.node(value);
                }
                Shape::just(Kinds::MAP)
            }
            Node::Loop(found) => self.turn(found),
        }
    }

    fn name(&self, name: &str) -> Shape<'a> {
        let bound = self.bound.iter().rev().find(|(bound, _)| *bound == name).map(|(_, shape)| *shape);
        let known = || self.known.0.iter().find(|(known, _)| known == name).map(|(_, schema)| Shape::of(schema));
        bound.or_else(known).unwrap_or(Shape::ANY)
    }

    fn field(&mut self, of: &'a Node, name: &str) -> Shape<'a> {
        let owner = self.node(of);
        if !owner.kinds.meets(Kinds::MAP) {
            let message = format!("`{}.{name}` does not exist: `{}` is {}", shown(of), shown(of), owner.kinds.words());
            self.tell(message, "Use the value itself");
            return Shape::ANY;
        }
        owner.field(name).unwrap_or_else(|known| {
            let near = near(name, known.iter().copied());
            let hint = match near.first() {
                Some(near) => format!("Did you mean '{near}'?"),
                None => format!("Available: {}", known.iter().take(12).copied().collect::<Vec<_>>().join(", ")),
            };
            let message = format!("`{}.{name}` does not exist", shown(of));
            self.found.get_or_insert(Never { message, hint, name: true });
            Shape::ANY
        })
    }

    fn index(&mut self, of: &'a Node, key: &'a Node) -> Shape<'a> {
        let owner = self.node(of);
        if let Node::Text(name) = key
            && !owner.kinds.meets(Kinds::LIST)
        {
            return self.field(of, name);
        }
        let key_shape = self.node(key);
        if !owner.kinds.meets(Kinds::MAP.or(Kinds::LIST)) {
            let message = format!("`{}[…]` does not exist: `{}` is {}", shown(of), shown(of), owner.kinds.words());
            self.tell(message, "Use the value itself");
        } else if !owner.kinds.meets(Kinds::MAP) && !key_shape.kinds.meets(Kinds::NUMBER) {
            let message = format!("`{}` is a list: its entries are taken by a whole number", shown(of));
            self.tell(message, "Write a number between the brackets, or use `exists`");
        }
        if owner.kinds.meets(Kinds::MAP) { Shape::ANY } else { owner.entry() }
    }

    fn needs(&mut self, node: &Node, found: Shape<'_>, kinds: Kinds, sign: &str, hint: &str) {
        if !found.kinds.meets(kinds) {
            let message = format!("{sign} needs {}, but `{}` is {}", kinds.words(), shown(node), found.kinds.words());
            self.tell(message, hint);
        }
    }

    fn binary(&mut self, op: Op, (a, left): (&Node, Shape<'a>), (b, right): (&Node, Shape<'a>)) -> Shape<'a> {
        let bool = Shape::just(Kinds::BOOL);
        match op {
            Op::Eq | Op::Ne => {
                self.same(op, (a, left), (b, right));
                bool
            }
            Op::In => {
                if right.kinds.meets(Kinds::LIST) {
                    self.one_of((a, left), b);
                } else if !right.kinds.meets(Kinds::MAP) {
                    let message =
                        format!("`in` looks into lists and objects, but `{}` is {}", shown(b), right.kinds.words());
                    self.tell(message, "For a part of a text write `text.contains('part')`");
                }
                bool
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let orders = [Kinds::NUMBER, Kinds::TEXT, Kinds::BOOL, Kinds::BYTES, Kinds::TIME];
                self.together(op, &orders, left, right);
                bool
            }
            Op::Add => {
                let sums = [Kinds::NUMBER, Kinds::TEXT, Kinds::LIST, Kinds::BYTES, Kinds::TIME];
                Shape::just(self.together(op, &sums, left, right))
            }
            Op::Sub => Shape::just(self.together(op, &[Kinds::NUMBER, Kinds::TIME], left, right)),
            Op::Mul | Op::Div | Op::Rem => Shape::just(self.together(op, &[Kinds::NUMBER], left, right)),
        }
    }

    /// Both sides are of one kind; which ones that may be.
    fn together(&mut self, op: Op, kinds: &[Kinds], left: Shape<'_>, right: Shape<'_>) -> Kinds {
        let both = left.kinds.and(right.kinds);
        let fits = kinds.iter().filter(|kind| both.meets(**kind)).fold(Kinds(0), |all, kind| all.or(*kind));
        if fits != Kinds(0) {
            return fits;
        }
        let (a, b) = (left.kinds.words(), right.kinds.words());
        let message = format!("`{}` cannot be used between {a} and {b}", op.sign());
        let texts = left.kinds == Kinds::TEXT || right.kinds == Kinds::TEXT;
        let hint = match op {
            Op::Add if texts => "Turn the other side into a text with `string(…)`",
            _ if texts => "Turn the text into a number with `int(…)` or `double(…)`",
            _ => "Compare values of one kind",
        };
        self.tell(message, hint);
        Kinds::ANY
    }

    /// A comparison that comes out the same whatever the values are. Tests for null are left alone: they are there to be safe.
    fn same(&mut self, op: Op, (a, left): (&Node, Shape<'_>), (b, right): (&Node, Shape<'_>)) {
        if matches!(a, Node::Null) || matches!(b, Node::Null) {
            return;
        }
        let ends = if op == Op::Eq { "never true" } else { "always true" };
        if !left.kinds.meets(right.kinds) {
            let (one, other) = (left.kinds.words(), right.kinds.words());
            let message = format!("`{} {} {}` is {ends}: {one} is not {other}", shown(a), op.sign(), shown(b));
            self.tell(message, "Compare values of one kind");
        } else if let (Node::Text(text), Some(texts)) = (b, left.texts()) {
            self.listed(a, text, &texts, ends);
        } else if let (Node::Text(text), Some(texts)) = (a, right.texts()) {
            self.listed(b, text, &texts, ends);
        }
    }

    /// `x in ['a', 'b']`, where `x` is one of a list of texts.
    fn one_of(&mut self, (a, left): (&Node, Shape<'_>), b: &Node) {
        if let (Node::List(entries), Some(texts)) = (b, left.texts()) {
            for entry in entries {
                if let Node::Text(text) = entry {
                    self.listed(a, text, &texts, "never true for it");
                }
            }
        }
    }

    fn listed(&mut self, node: &Node, text: &str, texts: &[&str], ends: &str) {
        if texts.contains(&text) {
            return;
        }
        let near = near(text, texts.iter().copied());
        let hint = match near.first() {
            Some(near) => format!("Did you mean '{near}'?"),
            None => format!("It is one of: {}", texts.iter().take(20).copied().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("`{}` is never '{text}', so the comparison is {ends}", shown(node));
        self.found.get_or_insert(Never { message, hint, name: true });
    }

    fn call(&mut self, fun: Fun, name: &str, member: bool, args: &'a [Node]) -> Shape<'a> {
        if fun == Fun::HasSchema {
            // What does not exist is no schema: that is an answer, too.
            return Shape::just(Kinds::BOOL);
        }
        if fun == Fun::Coalesce {
            // A field that nothing has is what the function is for.
            return Shape::just(Kinds::ANY);
        }
        let found: Vec<Shape<'a>> = args.iter().map(|arg| self.node(arg)).collect();
        let text_first = matches!(
            fun,
            Fun::StartsWith
                | Fun::EndsWith
                | Fun::Matches
                | Fun::Lower
                | Fun::Upper
                | Fun::Trim
                | Fun::Split
                | Fun::Replace
        );
        if let (true, Some(first), Some(shape)) = (text_first, args.first(), found.first()) {
            let sign = if member { format!("`….{name}()`") } else { format!("`{name}(…)`") };
            self.needs(first, *shape, Kinds::TEXT, &sign, "Turn it into a text with `string(…)`");
        }
        Shape::just(match fun {
            Fun::Size | Fun::Int | Fun::Uint | Fun::Double => Kinds::NUMBER,
            Fun::Contains | Fun::StartsWith | Fun::EndsWith | Fun::Matches | Fun::Bool => Kinds::BOOL,
            Fun::Text | Fun::Lower | Fun::Upper | Fun::Trim | Fun::Join | Fun::Replace | Fun::UrlEncode => Kinds::TEXT,
            Fun::Split => Kinds::LIST,
            Fun::Bytes => Kinds::BYTES,
            Fun::Type => Kinds::TYPE,
            Fun::HasSchema => Kinds::BOOL,
            Fun::Library(fun) => match fun {
                Library::Json | Library::Fixed | Library::ReplacePattern | Library::FormatTime => Kinds::TEXT,
                Library::Base64 | Library::FromBase64 | Library::Hash => Kinds::TEXT,
                Library::FormatNumber | Library::UrlDecode => Kinds::TEXT,
                Library::Sqrt | Library::Pow => Kinds::NUMBER,
                Library::Flatten | Library::FindAllPattern => Kinds::LIST,
                Library::AddTime => Kinds::ANY,
                Library::Merge => Kinds::MAP,
                Library::IndexOf | Library::Round | Library::Floor | Library::Ceil | Library::Abs | Library::Sum => {
                    Kinds::NUMBER
                }
                Library::Min | Library::Max => Kinds::NUMBER.or(Kinds::NULL),
                Library::FindPattern => Kinds::LIST.or(Kinds::NULL),
                Library::Reverse | Library::Unique | Library::Chunks | Library::Range => Kinds::LIST,
                Library::Slice => Kinds::TEXT.or(Kinds::LIST),
                Library::FromJson => Kinds::DATA,
                Library::Untranslated => Kinds::ANY,
            },
            Fun::Dyn | Fun::Time | Fun::Put | Fun::Paired | Fun::Coalesce => Kinds::ANY,
        })
    }

    fn turn(&mut self, found: &'a Loop) -> Shape<'a> {
        let range = self.node(&found.range);
        self.needs(&found.range, range, Kinds::LIST.or(Kinds::MAP), "A loop", "Give a list");
        let entry = if range.kinds.meets(Kinds::MAP) { Shape::ANY } else { range.entry() };
        self.bound.push((&found.name, entry));
        if let Some(test) = &found.test {
            self.node(test);
        }
        let body = self.node(&found.body);
        if found.kind != lower::Kind::Map {
            self.needs(&found.body, body, Kinds::BOOL, "The test of each entry", "Compare it with something");
        }
        self.bound.pop();
        Shape::just(match found.kind {
            lower::Kind::Map => Kinds::LIST,
            lower::Kind::All | lower::Kind::Exists | lower::Kind::ExistsOne => Kinds::BOOL,
        })
    }
}

#[cfg(test)]
mod tests;
