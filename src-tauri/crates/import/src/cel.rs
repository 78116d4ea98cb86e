//! Parts of CEL that a translation puts together.

use crate::text::quoted as quote;
use signalbox_engine::expr::MAX_LENGTH;

/// What a value is known to be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ty {
    Any,
    Number,
    Text,
    Bool,
    List,
    Map,
    Null,
    /// A moment, and the zone in which it is shown; UTC without one.
    Time(Option<String>),
    /// An item of the other program: its data is in `.json`.
    Item,
    /// A list of such items.
    Items,
    /// An earlier step, by its id here.
    Node,
    /// A name that has members only, such as `Math`.
    Space(&'static str),
    /// A difference of times, counted in a unit.
    Span(&'static str),
}

/// An expression of CEL.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cel {
    pub(crate) text: String,
    pub(crate) ty: Ty,
    /// How tightly its outermost operator binds.
    pub(crate) level: u8,
    /// A field of it may not exist.
    pub(crate) missing: bool,
}

const CHOICE: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const RELATION: u8 = 3;
const ADD: u8 = 4;
const MULTIPLY: u8 = 5;
const UNARY: u8 = 6;
const PRIMARY: u8 = 7;

/// Words that are no field names after a dot.
const RESERVED: [&str; 22] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
    "__result__",
];

/// A name that can stand after a dot.
pub(crate) fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !RESERVED.contains(&name)
}

impl Cel {
    pub(crate) fn new(text: impl Into<String>, ty: Ty) -> Self {
        Self { text: text.into(), ty, level: PRIMARY, missing: false }
    }

    pub(crate) fn any(text: impl Into<String>) -> Self {
        Self { missing: true, ..Self::new(text, Ty::Any) }
    }

    pub(crate) fn text(text: &str) -> Self {
        Self::new(quote(text), Ty::Text)
    }

    pub(crate) fn is(self, ty: Ty) -> Self {
        Self { ty, ..self }
    }

    /// Refuses what no expression can hold. Some translations name a part twice, so that a few hundred letters would become
    /// gigabytes if nobody looked.
    pub(crate) fn bounded(self) -> Result<Self, String> {
        if self.text.len() > MAX_LENGTH {
            return Err(format!("it would have more than {MAX_LENGTH} bytes here"));
        }
        Ok(self)
    }

    /// Its text where an operator of this level takes it.
    fn at(&self, level: u8) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text.clone() }
    }

    /// Its text before a dot or a bracket.
    pub(crate) fn owner(&self) -> String {
        self.at(PRIMARY)
    }

    pub(crate) fn field(&self, name: &str) -> Self {
        let owner = self.owner();
        let text = if is_name(name) { format!("{owner}.{name}") } else { format!("{owner}[{}]", quote(name)) };
        Self::any(text)
    }

    pub(crate) fn index(&self, key: &Self) -> Self {
        Self::any(format!("{}[{}]", self.owner(), key.text))
    }

    /// `self.name(args)`.
    pub(crate) fn method(&self, name: &str, args: &[&Self], ty: Ty) -> Self {
        let list: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        let missing = self.missing || args.iter().any(|arg| arg.missing);
        Self { missing, ..Self::new(format!("{}.{name}({})", self.owner(), list.join(", ")), ty) }
    }

    /// `name(args)`.
    pub(crate) fn call(name: &str, args: &[&Self], ty: Ty) -> Self {
        let list: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        Self { missing: args.iter().any(|arg| arg.missing), ..Self::new(format!("{name}({})", list.join(", ")), ty) }
    }

    pub(crate) fn binary(&self, sign: &str, right: &Self, ty: Ty) -> Self {
        let level = match sign {
            "||" => OR,
            "&&" => AND,
            "+" | "-" => ADD,
            "*" | "/" | "%" => MULTIPLY,
            _ => RELATION,
        };
        // Relations do not chain without brackets.
        let left = if level == RELATION { self.at(level + 1) } else { self.at(level) };
        let text = format!("{left} {sign} {}", right.at(level + 1));
        Self { text, ty, level, missing: self.missing || right.missing }
    }

    pub(crate) fn choice(&self, yes: &Self, no: &Self) -> Self {
        let ty = if yes.ty == no.ty { yes.ty.clone() } else { Ty::Any };
        let text = format!("{} ? {} : {}", self.at(OR), yes.at(OR), no.at(CHOICE));
        Self { text, ty, level: CHOICE, missing: self.missing || yes.missing || no.missing }
    }

    pub(crate) fn not(&self) -> Self {
        Self { text: format!("!{}", self.at(UNARY)), ty: Ty::Bool, level: UNARY, missing: self.missing }
    }

    pub(crate) fn minus(&self) -> Self {
        Self { text: format!("-{}", self.at(UNARY)), ty: Ty::Number, level: UNARY, missing: self.missing }
    }

    /// Null where a field does not exist.
    pub(crate) fn or_null(&self) -> Self {
        if !self.missing {
            return self.clone();
        }
        Self { missing: false, ..Self::new(format!("coalesce({})", self.text), Ty::Any) }
    }

    /// Another value where it is null or a field does not exist.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let text = format!("coalesce({}, {})", self.text, other.text);
        Self { missing: false, ..Self::new(text, if self.ty == other.ty { self.ty.clone() } else { Ty::Any }) }
    }

    /// True where JavaScript takes it for true.
    pub(crate) fn truthy(&self) -> Self {
        let (fallback, wrong) = match &self.ty {
            Ty::Bool if !self.missing => return self.clone(),
            Ty::Bool => return self.or(&Self::new("false", Ty::Bool)).is(Ty::Bool),
            Ty::Text => ("''", "''"),
            Ty::Number => ("0", "0"),
            Ty::Null => return Self::new("false", Ty::Bool),
            Ty::List | Ty::Map | Ty::Time(_) | Ty::Item | Ty::Items if !self.missing => {
                return Self::new("true", Ty::Bool);
            }
            _ => {
                let list = Self::new("[null, false, 0, '']", Ty::List);
                let inside = self.or_null().binary("in", &list, Ty::Bool);
                return inside.not();
            }
        };
        let value = if self.missing { self.or(&Self::new(fallback, self.ty.clone())) } else { self.clone() };
        value.binary("!=", &Self::new(wrong, self.ty.clone()), Ty::Bool)
    }

    /// As a text, as JavaScript puts it into one. A missing field stays an error: there it would be the word `undefined`.
    pub(crate) fn stringed(&self) -> Result<Self, String> {
        Ok(match &self.ty {
            Ty::Text => Self { missing: false, ..self.clone() },
            Ty::Time(_) => self.iso(),
            Ty::List => {
                let text = format!("{}.map(x, string(x)).join(',')", self.owner());
                Self::new(text, Ty::Text)
            }
            Ty::Map | Ty::Item | Ty::Items => return Err("it puts an object into a text".into()),
            Ty::Null => Self::text("null"),
            Ty::Span(_) => return Err("it writes a span of time as a text".into()),
            Ty::Node | Ty::Space(_) => return Err("it uses a step or a library as a value".into()),
            Ty::Any | Ty::Number | Ty::Bool => Self { missing: false, ..Self::call("string", &[self], Ty::Text) },
        })
    }

    /// A moment as ISO 8601 with milliseconds.
    pub(crate) fn iso(&self) -> Self {
        match &self.ty {
            Ty::Time(Some(zone)) if zone != "UTC" => {
                let pattern = Self::text("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
                Self::call("formatTime", &[self, &pattern, &Self::text(zone)], Ty::Text)
            }
            _ => Self::call("formatTime", &[self, &Self::text("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")], Ty::Text),
        }
    }
}
