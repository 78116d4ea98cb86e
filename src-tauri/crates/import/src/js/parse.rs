//! From words to a tree.

use super::lex::{Token, lex};
use super::{DEEPEST, Entry, Js, Piece};

/// Longest text that is read, in bytes.
const LONGEST: usize = 64 * 1024;
/// Most levels of a tree. Brackets are counted while they are read; chains of operators add levels without any.
const HIGHEST: usize = 450;

/// Reads one expression; the error is a sentence about what is not read.
pub(crate) fn parse(text: &str) -> Result<Js, String> {
    parse_at(text, 0).map(|(found, _)| found)
}

/// The expression and how many levels it has.
fn parse_at(text: &str, depth: usize) -> Result<(Js, usize), String> {
    if text.len() > LONGEST {
        return Err(format!("it has more than {LONGEST} bytes"));
    }
    let tokens = lex(text)?;
    let mut parser = Parser { tokens, at: 0, depth, height: 0 };
    if parser.tokens.is_empty() {
        return Err("it is empty".into());
    }
    let found = parser.expression()?;
    while parser.take(";") {}
    match parser.tokens.get(parser.at) {
        None => Ok((found, parser.height)),
        Some(Token::Sign(sign @ ("=" | "+=" | "-=" | "++" | "--"))) => Err(format!("'{sign}' assigns a value")),
        Some(_) => Err("it is more than one expression".into()),
    }
}

pub(super) struct Parser {
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Levels of what was read last.
    pub(super) height: usize,
}

/// Signs between two operands, from what binds least.
const LEVELS: [&[&str]; 9] = [
    &["??"],
    &["||"],
    &["&&"],
    &["===", "!==", "==", "!="],
    &["<=", ">=", "<", ">", "in", "instanceof"],
    &["<<", ">>", ">>>"],
    &["+", "-"],
    &["*", "/", "%"],
    &["**"],
];

impl Parser {
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let there = matches!(self.tokens.get(self.at), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(there);
        there
    }

    pub(super) fn need(&mut self, sign: &str) -> Result<(), String> {
        if self.take(sign) { Ok(()) } else { Err(format!("'{sign}' is missing")) }
    }

    pub(super) fn peek(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Sign(found)) if *found == sign)
    }

    /// What was read last is one level above `below` others.
    pub(super) fn above(&mut self, below: usize) -> Result<(), String> {
        self.height = below + 1;
        if self.height > HIGHEST {
            return Err(format!("its operations are nested more than {HIGHEST} levels deep"));
        }
        Ok(())
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<Js, String>) -> Result<Js, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} levels deep"));
        }
        let found = read(self);
        self.depth -= 1;
        found
    }

    pub(super) fn expression(&mut self) -> Result<Js, String> {
        self.nested(Self::choice)
    }

    fn choice(&mut self) -> Result<Js, String> {
        if let Some(head) = self.arrow_head()? {
            let function = self.function(head)?;
            self.above(self.height)?;
            return Ok(function);
        }
        let test = self.binary(0)?;
        if !self.take("?") {
            return Ok(test);
        }
        let below = self.height;
        let yes = Box::new(self.expression()?);
        let below = below.max(self.height);
        self.need(":")?;
        let no = Box::new(self.expression()?);
        self.above(below.max(self.height))?;
        Ok(Js::Choice { test: Box::new(test), yes, no })
    }

    fn binary(&mut self, level: usize) -> Result<Js, String> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let mut below = self.height;
        let mut chain = 0;
        loop {
            let sign = match self.tokens.get(self.at) {
                Some(Token::Sign(sign)) => signs.iter().find(|known| *known == sign),
                Some(Token::Name(name)) => signs.iter().find(|known| *known == name),
                _ => None,
            };
            let Some(sign) = sign else {
                self.height = below;
                return Ok(left);
            };
            self.at += 1;
            chain += 1;
            if chain > 400 {
                return Err("it strings more than 400 operations together".into());
            }
            // A power binds to the right.
            let right = if *sign == "**" { self.nested(|this| this.binary(level))? } else { self.binary(level + 1)? };
            self.above(below.max(self.height))?;
            below = self.height;
            left = Js::Binary { sign, left: Box::new(left), right: Box::new(right) };
        }
    }

    fn unary(&mut self) -> Result<Js, String> {
        self.nested(Self::sign)
    }

    fn sign(&mut self) -> Result<Js, String> {
        let made = if self.take("!") {
            Js::Not
        } else if self.take("-") {
            Js::Minus
        } else if self.take("+") {
            Js::Plus
        } else if self.tokens.get(self.at) == Some(&Token::Name("typeof".into())) {
            self.at += 1;
            Js::Typeof
        } else if self.tokens.get(self.at) == Some(&Token::Name("await".into())) {
            return Err("it waits for something ('await')".into());
        } else {
            let first = self.primary()?;
            return self.postfix(first);
        };
        let of = Box::new(self.unary()?);
        self.above(self.height)?;
        Ok(made(of))
    }

    fn postfix(&mut self, first: Js) -> Result<Js, String> {
        let mut found = first;
        let mut below = self.height;
        let mut chain = 0;
        loop {
            chain += 1;
            if chain > 200 {
                return Err("it strings more than 200 calls together".into());
            }
            let optional = self.take("?.");
            self.height = 0;
            if self.take("[") {
                let key = Box::new(self.expression()?);
                self.need("]")?;
                found = Js::Index { of: Box::new(found), key, optional };
            } else if self.peek("(") {
                let args = self.arguments()?;
                found = Js::Call { callee: Box::new(found), args };
            } else if optional || self.take(".") {
                let Some(Token::Name(name)) = self.tokens.get(self.at) else {
                    return Err("a name is missing after a dot".into());
                };
                found = Js::Member { of: Box::new(found), name: name.clone(), optional };
                self.at += 1;
            } else {
                self.height = below;
                return Ok(found);
            }
            self.above(below.max(self.height))?;
            below = self.height;
        }
    }

    fn arguments(&mut self) -> Result<Vec<Js>, String> {
        self.need("(")?;
        let (mut args, mut below) = (Vec::new(), 0);
        while !self.take(")") {
            args.push(self.entry()?);
            below = below.max(self.height);
            if !self.take(",") {
                self.need(")")?;
                break;
            }
        }
        self.height = below;
        Ok(args)
    }

    /// A value, or `...list`.
    fn entry(&mut self) -> Result<Js, String> {
        if !self.take("...") {
            return self.expression();
        }
        let of = Box::new(self.expression()?);
        self.above(self.height)?;
        Ok(Js::Spread(of))
    }

    fn primary(&mut self) -> Result<Js, String> {
        let token = self.tokens.get(self.at).cloned().ok_or("it ends too early")?;
        self.at += 1;
        self.height = 1;
        Ok(match token {
            Token::Number(value) => Js::Number(value),
            Token::Text(text) => Js::Text(text),
            Token::Pattern(pattern, flags) => Js::Pattern(pattern, flags),
            Token::Template(texts, holes) => {
                let (mut pieces, mut below) = (Vec::new(), 0);
                let mut holes = holes.into_iter();
                for text in texts {
                    if !text.is_empty() {
                        pieces.push(Piece::Text(text));
                    }
                    if let Some(hole) = holes.next() {
                        let (found, height) = parse_at(&hole, self.depth + 1)?;
                        pieces.push(Piece::Hole(found));
                        below = below.max(height);
                    }
                }
                self.above(below)?;
                match pieces.as_slice() {
                    [] => Js::Text(String::new()),
                    [Piece::Text(text)] => Js::Text(text.clone()),
                    _ => Js::Template(pieces),
                }
            }
            Token::Name(name) => match name.as_str() {
                "true" => Js::Bool(true),
                "false" => Js::Bool(false),
                "null" => Js::Null,
                "undefined" => Js::Undefined,
                "new" => {
                    let Some(Token::Name(name)) = self.tokens.get(self.at).cloned() else {
                        return Err("a name is missing after 'new'".into());
                    };
                    self.at += 1;
                    let args = if self.peek("(") { self.arguments()? } else { Vec::new() };
                    self.above(self.height)?;
                    Js::New { name, args }
                }
                "function" => return self.written_function(),
                "async" | "class" | "let" | "const" | "var" | "if" | "for" | "while" | "return" | "throw"
                | "switch" | "try" | "delete" | "void" | "yield" => {
                    return Err(format!("it is a program ('{name}'), not one expression"));
                }
                _ => Js::Name(name),
            },
            Token::Sign("(") => {
                let found = self.expression()?;
                if self.peek(",") {
                    return Err("it has several expressions in brackets".into());
                }
                self.need(")")?;
                found
            }
            Token::Sign("[") => {
                let (mut list, mut below) = (Vec::new(), 0);
                while !self.take("]") {
                    list.push(self.entry()?);
                    below = below.max(self.height);
                    if !self.take(",") {
                        self.need("]")?;
                        break;
                    }
                }
                self.above(below)?;
                Js::List(list)
            }
            Token::Sign("{") => self.object()?,
            Token::Sign(sign) => return Err(format!("'{sign}' is in an unexpected place")),
        })
    }

    fn object(&mut self) -> Result<Js, String> {
        let (mut entries, mut below) = (Vec::new(), 0);
        while !self.take("}") {
            self.height = 1;
            if self.take("...") {
                entries.push(Entry::Spread(self.expression()?));
            } else if self.take("[") {
                let key = self.expression()?;
                below = below.max(self.height);
                self.need("]")?;
                self.need(":")?;
                entries.push(Entry::Computed(key, self.expression()?));
            } else {
                let (name, short) = match self.tokens.get(self.at) {
                    Some(Token::Name(name)) => (name.clone(), true),
                    Some(Token::Text(text)) => (text.clone(), false),
                    Some(Token::Number(number)) => (number.to_string(), false),
                    _ => return Err("a field of an object has no name".into()),
                };
                self.at += 1;
                if self.take(":") {
                    entries.push(Entry::Field(name, self.expression()?));
                } else if short && (self.peek(",") || self.peek("}")) {
                    entries.push(Entry::Field(name.clone(), Js::Name(name)));
                } else {
                    return Err("an object has a function in it".into());
                }
            }
            below = below.max(self.height);
            if !self.take(",") {
                self.need("}")?;
                break;
            }
        }
        self.above(below)?;
        Ok(Js::Object(entries))
    }
}
