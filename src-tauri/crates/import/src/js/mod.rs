//! Expressions of JavaScript, as far as templates of other programs use them: read into a tree, never run.

mod function;
mod lex;
mod parse;

pub(crate) use parse::parse;

/// Deepest nesting that is read.
pub(crate) const DEEPEST: usize = 48;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Js {
    Number(f64),
    Text(String),
    /// `` `a${b}c` ``
    Template(Vec<Piece>),
    Bool(bool),
    Null,
    Undefined,
    /// A regular expression and its flags.
    Pattern(String, String),
    Name(String),
    Member {
        of: Box<Js>,
        name: String,
        optional: bool,
    },
    Index {
        of: Box<Js>,
        key: Box<Js>,
        optional: bool,
    },
    Call {
        callee: Box<Js>,
        args: Vec<Js>,
    },
    New {
        name: String,
        args: Vec<Js>,
    },
    Not(Box<Js>),
    Minus(Box<Js>),
    Plus(Box<Js>),
    Typeof(Box<Js>),
    Binary {
        sign: &'static str,
        left: Box<Js>,
        right: Box<Js>,
    },
    Choice {
        test: Box<Js>,
        yes: Box<Js>,
        no: Box<Js>,
    },
    List(Vec<Js>),
    Object(Vec<Entry>),
    Arrow {
        names: Vec<String>,
        body: Box<Js>,
    },
    /// A name for a value in what follows: `const name = value; return body`.
    Let {
        name: String,
        value: Box<Js>,
        body: Box<Js>,
    },
    Spread(Box<Js>),
}

/// A part of a template text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Hole(Js),
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entry {
    Field(String, Js),
    Computed(Js, Js),
    Spread(Js),
}

#[cfg(test)]
mod tests;
