//! From words to a tree.

use super::lex::{Token, lex};
use super::{DEEPEST, Entry, Js, Piece};

/// Longest text that is read, in bytes.
const LONGEST: usize = 64 * 1024;

/// Reads one expression; the error is a sentence about what is not read.
pub(crate) fn parse(text: &str) -> Result<Js, String> {
    parse_at(text, 0)
}

fn parse_at(text: &str, depth: usize) -> Result<Js, String> {
    if text.len() > LONGEST {
        return Err(format!("it has more than {LONGEST} bytes"));
    }
    let tokens = lex(text)?;
    let mut parser = Parser { tokens, at: 0, depth };
    if parser.tokens.is_empty() {
        return Err("it is empty".into());
    }
    let found = parser.expression()?;
    while parser.take(";") {}
    match parser.tokens.get(parser.at) {
        None => Ok(found),
        Some(Token::Sign(sign @ ("=" | "+=" | "-=" | "++" | "--"))) => Err(format!("'{sign}' assigns a value")),
        Some(_) => Err("it is more than one expression".into()),
    }
}

pub(super) struct Parser {
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) depth: usize,
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

    pub(super) fn expression(&mut self) -> Result<Js, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} levels deep"));
        }
        let found = self.choice();
        self.depth -= 1;
        found
    }

    fn choice(&mut self) -> Result<Js, String> {
        if let Some(head) = self.arrow_head()? {
            return self.function(head);
        }
        let test = self.binary(0)?;
        if !self.take("?") {
            return Ok(test);
        }
        let yes = Box::new(self.expression()?);
        self.need(":")?;
        let no = Box::new(self.expression()?);
        Ok(Js::Choice { test: Box::new(test), yes, no })
    }

    fn binary(&mut self, level: usize) -> Result<Js, String> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let mut chain = 0;
        loop {
            let sign = match self.tokens.get(self.at) {
                Some(Token::Sign(sign)) => signs.iter().find(|known| *known == sign),
                Some(Token::Name(name)) => signs.iter().find(|known| *known == name),
                _ => None,
            };
            let Some(sign) = sign else { return Ok(left) };
            self.at += 1;
            chain += 1;
            if chain > 400 {
                return Err("it strings more than 400 operations together".into());
            }
            // A power binds to the right.
            let right = if *sign == "**" { self.binary(level)? } else { self.binary(level + 1)? };
            left = Js::Binary { sign, left: Box::new(left), right: Box::new(right) };
        }
    }

    fn unary(&mut self) -> Result<Js, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} levels deep"));
        }
        let found = if self.take("!") {
            Js::Not(Box::new(self.unary()?))
        } else if self.take("-") {
            Js::Minus(Box::new(self.unary()?))
        } else if self.take("+") {
            Js::Plus(Box::new(self.unary()?))
        } else if self.tokens.get(self.at) == Some(&Token::Name("typeof".into())) {
            self.at += 1;
            Js::Typeof(Box::new(self.unary()?))
        } else if self.tokens.get(self.at) == Some(&Token::Name("await".into())) {
            return Err("it waits for something ('await')".into());
        } else {
            let first = self.primary()?;
            self.postfix(first)?
        };
        self.depth -= 1;
        Ok(found)
    }

    fn postfix(&mut self, first: Js) -> Result<Js, String> {
        let mut found = first;
        let mut chain = 0;
        loop {
            chain += 1;
            if chain > 200 {
                return Err("it strings more than 200 calls together".into());
            }
            let optional = self.take("?.");
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
                return Ok(found);
            }
        }
    }

    fn arguments(&mut self) -> Result<Vec<Js>, String> {
        self.need("(")?;
        let mut args = Vec::new();
        while !self.take(")") {
            args.push(self.entry()?);
            if !self.take(",") {
                self.need(")")?;
                break;
            }
        }
        Ok(args)
    }

    /// A value, or `...list`.
    fn entry(&mut self) -> Result<Js, String> {
        if self.take("...") { Ok(Js::Spread(Box::new(self.expression()?))) } else { self.expression() }
    }

    fn primary(&mut self) -> Result<Js, String> {
        let token = self.tokens.get(self.at).cloned().ok_or("it ends too early")?;
        self.at += 1;
        Ok(match token {
            Token::Number(value) => Js::Number(value),
            Token::Text(text) => Js::Text(text),
            Token::Pattern(pattern, flags) => Js::Pattern(pattern, flags),
            Token::Template(texts, holes) => {
                let mut pieces = Vec::new();
                let mut holes = holes.into_iter();
                for text in texts {
                    if !text.is_empty() {
                        pieces.push(Piece::Text(text));
                    }
                    if let Some(hole) = holes.next() {
                        pieces.push(Piece::Hole(parse_at(&hole, self.depth + 1)?));
                    }
                }
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
                let mut list = Vec::new();
                while !self.take("]") {
                    list.push(self.entry()?);
                    if !self.take(",") {
                        self.need("]")?;
                        break;
                    }
                }
                Js::List(list)
            }
            Token::Sign("{") => self.object()?,
            Token::Sign(sign) => return Err(format!("'{sign}' is in an unexpected place")),
        })
    }

    fn object(&mut self) -> Result<Js, String> {
        let mut entries = Vec::new();
        while !self.take("}") {
            if self.take("...") {
                entries.push(Entry::Spread(self.expression()?));
            } else if self.take("[") {
                let key = self.expression()?;
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
            if !self.take(",") {
                self.need("}")?;
                break;
            }
        }
        Ok(Js::Object(entries))
    }
}
