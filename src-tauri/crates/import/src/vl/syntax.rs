//! Expressions of the foreign format: text to a tree. Names get their meaning in [`super::cel`].

use signalbox_engine::expr::MAX_LENGTH;
use std::fmt;

/// Deepest nesting.
const MAX_DEPTH: usize = 16;
/// Operators, fields and entries of one expression: trees are as deep as such chains are long.
const MAX_PARTS: usize = 300;

/// One expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ast {
    Null,
    Bool(bool),
    /// As written: digits, perhaps with a point.
    Number(String),
    Text(String),
    /// `$name`.
    Variable(String),
    /// A name without `$`: a param, `SYSVAR`, or one that steps bind (`_item`).
    Name(String),
    Field(Box<Ast>, String),
    Index(Box<Ast>, Box<Ast>),
    Not(Box<Ast>),
    Minus(Box<Ast>),
    Binary(Op, Box<Ast>, Box<Ast>),
    Choice(Box<Ast>, Box<Ast>, Box<Ast>),
    List(Vec<Ast>),
    Object(Vec<(String, Ast)>),
    /// `name(…)`: the format has no functions.
    Call(String),
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl Op {
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
        }
    }

    /// How strongly it binds, from 1.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Eq | Self::Ne => 3,
            Self::Lt | Self::Le | Self::Gt | Self::Ge => 4,
            Self::Add | Self::Sub => 5,
            Self::Mul | Self::Div | Self::Rem => 6,
        }
    }
}

/// Why a text is no expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    /// Character from 1.
    pub(super) at: usize,
    pub(super) why: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (character {})", self.why, self.at)
    }
}

/// Reads a whole expression, without its leading `=`.
pub(super) fn parse(text: &str) -> Result<Ast, Wrong> {
    if text.len() > MAX_LENGTH {
        return Err(Wrong { at: 1, why: format!("it has {} bytes, and at most {MAX_LENGTH} are read", text.len()) });
    }
    let mut parser = Parser { text: text.chars().collect(), at: 0, depth: 0, parts: 0 };
    let ast = parser.choice()?;
    parser.blank();
    match parser.peek() {
        None => Ok(ast),
        Some(found) => Err(parser.wrong(format!("'{found}' is not expected here"))),
    }
}

struct Parser {
    text: Vec<char>,
    at: usize,
    depth: usize,
    parts: usize,
}

impl Parser {
    fn wrong(&self, why: impl Into<String>) -> Wrong {
        Wrong { at: self.at + 1, why: why.into() }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Takes a sign, after blanks.
    fn take(&mut self, sign: &str) -> bool {
        self.blank();
        let found = sign.chars().enumerate().all(|(i, c)| self.text.get(self.at + i) == Some(&c));
        if found {
            self.at += sign.chars().count();
        }
        found
    }

    fn need(&mut self, sign: &str) -> Result<(), Wrong> {
        if self.take(sign) {
            return Ok(());
        }
        Err(match self.peek() {
            Some(found) => self.wrong(format!("'{sign}' is expected, but '{found}' was found")),
            None => self.wrong(format!("it ends where '{sign}' is expected")),
        })
    }

    fn part(&mut self) -> Result<(), Wrong> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(self.wrong(format!("it has more than {MAX_PARTS} parts")));
        }
        Ok(())
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.wrong(format!("it is nested more than {MAX_DEPTH} levels deep")));
        }
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn choice(&mut self) -> Result<Ast, Wrong> {
        let when = self.binary(1)?;
        if !self.take("?") {
            return Ok(when);
        }
        self.part()?;
        let (yes, no) = self.nested(|this| {
            let yes = this.choice()?;
            this.need(":")?;
            Ok((yes, this.choice()?))
        })?;
        Ok(Ast::Choice(Box::new(when), Box::new(yes), Box::new(no)))
    }

    /// The operator that stands here, if it binds at least as strongly as `rank`.
    fn operator(&mut self, rank: u8) -> Option<Op> {
        const SIGNS: [(&str, Op); 15] = [
            ("||", Op::Or),
            ("&&", Op::And),
            ("===", Op::Eq),
            ("!==", Op::Ne),
            ("==", Op::Eq),
            ("!=", Op::Ne),
            ("<=", Op::Le),
            (">=", Op::Ge),
            ("<", Op::Lt),
            (">", Op::Gt),
            ("+", Op::Add),
            ("-", Op::Sub),
            ("*", Op::Mul),
            ("/", Op::Div),
            ("%", Op::Rem),
        ];
        let before = self.at;
        let found = SIGNS.into_iter().find(|(sign, _)| self.take(sign)).map(|(_, op)| op);
        match found {
            Some(op) if op.rank() >= rank => Some(op),
            _ => {
                self.at = before;
                None
            }
        }
    }

    fn binary(&mut self, rank: u8) -> Result<Ast, Wrong> {
        let mut left = self.unary()?;
        while let Some(op) = self.operator(rank) {
            self.part()?;
            let right = self.binary(op.rank() + 1)?;
            left = Ast::Binary(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Ast, Wrong> {
        for (sign, make) in [("!", Ast::Not as fn(Box<Ast>) -> Ast), ("-", Ast::Minus)] {
            if self.take(sign) {
                self.part()?;
                return Ok(make(Box::new(self.nested(Self::unary)?)));
            }
        }
        self.path()
    }

    fn path(&mut self) -> Result<Ast, Wrong> {
        let mut value = self.primary()?;
        loop {
            // A blank ends a path: what follows is an operator.
            if self.peek() == Some('.') {
                self.at += 1;
                self.part()?;
                let name = self.word();
                if name.is_empty() {
                    return Err(self.wrong("the name of a field is expected after '.'"));
                }
                value = Ast::Field(Box::new(value), name);
            } else if self.peek() == Some('[') {
                self.at += 1;
                self.part()?;
                let index = self.nested(Self::choice)?;
                self.need("]")?;
                value = Ast::Index(Box::new(value), Box::new(index));
            } else if self.peek() == Some('(') {
                let name = match &value {
                    Ast::Name(name) | Ast::Field(_, name) => name.clone(),
                    _ => return Err(self.wrong("'(' is not expected here")),
                };
                self.skip_call()?;
                value = Ast::Call(name);
            } else {
                return Ok(value);
            }
        }
    }

    /// What stands between the brackets of a call says nothing: there is no such function.
    fn skip_call(&mut self) -> Result<(), Wrong> {
        self.need("(")?;
        if self.take(")") {
            return Ok(());
        }
        self.nested(|this| {
            loop {
                this.part()?;
                this.choice()?;
                if !this.take(",") {
                    return this.need(")");
                }
            }
        })
    }

    /// Letters, digits and `_`.
    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            self.at += 1;
        }
        self.text[start..self.at].iter().collect()
    }

    fn primary(&mut self) -> Result<Ast, Wrong> {
        self.blank();
        let Some(first) = self.peek() else { return Err(self.wrong("it ends where a value is expected")) };
        match first {
            '(' => {
                self.at += 1;
                let inner = self.nested(Self::choice)?;
                self.need(")")?;
                Ok(inner)
            }
            '"' | '\'' => self.quoted().map(Ast::Text),
            '$' => {
                self.at += 1;
                let name = self.word();
                if name.is_empty() {
                    return Err(self.wrong("the name of a variable is expected after '$'"));
                }
                Ok(Ast::Variable(name))
            }
            '[' => {
                self.at += 1;
                let mut list = Vec::new();
                self.nested(|this| {
                    while !this.take("]") {
                        this.part()?;
                        list.push(this.choice()?);
                        if !this.take(",") {
                            return this.need("]");
                        }
                    }
                    Ok(())
                })?;
                Ok(Ast::List(list))
            }
            '{' => {
                self.at += 1;
                let mut entries: Vec<(String, Ast)> = Vec::new();
                self.nested(|this| {
                    while !this.take("}") {
                        this.part()?;
                        let key = this.key()?;
                        if entries.iter().any(|(known, _)| *known == key) {
                            return Err(this.wrong(format!("the key '{key}' occurs twice")));
                        }
                        this.need(":")?;
                        entries.push((key, this.choice()?));
                        if !this.take(",") {
                            return this.need("}");
                        }
                    }
                    Ok(())
                })?;
                Ok(Ast::Object(entries))
            }
            c if c.is_ascii_digit() => self.number(),
            c if c.is_alphabetic() || c == '_' => {
                let word = self.word();
                Ok(match word.as_str() {
                    "true" => Ast::Bool(true),
                    "false" => Ast::Bool(false),
                    "null" | "undefined" => Ast::Null,
                    _ => Ast::Name(word),
                })
            }
            other => Err(self.wrong(format!("'{other}' is not expected here"))),
        }
    }

    fn key(&mut self) -> Result<String, Wrong> {
        self.blank();
        match self.peek() {
            Some('"' | '\'') => self.quoted(),
            _ => {
                let word = self.word();
                if word.is_empty() { Err(self.wrong("the name of a field is expected")) } else { Ok(word) }
            }
        }
    }

    fn number(&mut self) -> Result<Ast, Wrong> {
        let start = self.at;
        let digits = |this: &mut Self| {
            while this.peek().is_some_and(|c| c.is_ascii_digit()) {
                this.at += 1;
            }
        };
        digits(self);
        let next = self.text.get(self.at + 1).copied();
        if self.peek() == Some('.') && next.is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            digits(self);
        }
        let text: String = self.text[start..self.at].iter().collect();
        if self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return Err(self.wrong("a number ends in a letter"));
        }
        let fits = if text.contains('.') {
            text.parse::<f64>().is_ok_and(f64::is_finite)
        } else {
            text.parse::<i64>().is_ok()
        };
        if fits { Ok(Ast::Number(text)) } else { Err(self.wrong("the number is too large")) }
    }

    fn quoted(&mut self) -> Result<String, Wrong> {
        let quote = self.peek();
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else { return Err(self.wrong("it ends in the middle of a text")) };
            self.at += 1;
            match c {
                c if Some(c) == quote => return Ok(text),
                '\\' => {
                    let Some(escaped) = self.peek() else {
                        return Err(self.wrong("it ends in the middle of a text"));
                    };
                    self.at += 1;
                    match escaped {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        'b' => text.push('\u{8}'),
                        'f' => text.push('\u{c}'),
                        'u' => {
                            let code: String = self.text.iter().skip(self.at).take(4).collect();
                            let letter = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                            let letter = letter.filter(|_| code.len() == 4);
                            text.push(letter.ok_or_else(|| self.wrong("\\u needs four hexadecimal digits"))?);
                            self.at += 4;
                        }
                        other => text.push(other),
                    }
                }
                other => text.push(other),
            }
        }
    }
}
