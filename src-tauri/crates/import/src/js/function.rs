//! Functions: their parameters, and bodies that are a value step by step. `const`, `if` and `return` become one expression.

use super::lex::Token;
use super::parse::Parser;
use super::{DEEPEST, Js};

/// Most statements of a function.
const MOST: usize = 60;

/// What a function takes: its parameters, and the names for parts of them.
pub(super) struct Head {
    names: Vec<String>,
    parts: Vec<(String, Js)>,
}

impl Parser {
    fn name_here(&self) -> Option<&str> {
        match self.tokens.get(self.at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn take_name(&mut self, name: &str) -> bool {
        let there = self.name_here() == Some(name);
        self.at += usize::from(there);
        there
    }

    /// The parameters before `=>`, if that is what follows.
    pub(super) fn arrow_head(&mut self) -> Result<Option<Head>, String> {
        let begin = self.at;
        if let (Some(Token::Name(name)), Some(Token::Sign("=>"))) = (self.tokens.get(begin), self.tokens.get(begin + 1))
        {
            let head = Head { names: vec![name.clone()], parts: Vec::new() };
            self.at = begin + 2;
            return Ok(Some(head));
        }
        if !self.peek("(") || !self.closes_before_arrow() {
            return Ok(None);
        }
        let head = self.parameters()?;
        self.need("=>")?;
        Ok(Some(head))
    }

    /// The bracket that begins here is followed by `=>`.
    fn closes_before_arrow(&self) -> bool {
        let mut depth = 0usize;
        for (n, token) in self.tokens[self.at..].iter().enumerate() {
            match token {
                Token::Sign("(" | "[" | "{") => depth += 1,
                Token::Sign(")" | "]" | "}") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return matches!(self.tokens.get(self.at + n + 1), Some(Token::Sign("=>")));
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// `(a, [b, c], {d})`
    fn parameters(&mut self) -> Result<Head, String> {
        self.need("(")?;
        let mut head = Head { names: Vec::new(), parts: Vec::new() };
        while !self.take(")") {
            let at = head.names.len();
            let whole = format!("part{at}_");
            if self.peek("[") || self.peek("{") {
                self.pattern(&Js::Name(whole.clone()), &mut head.parts)?;
                head.names.push(whole);
            } else {
                let name = self.name_here().ok_or("a parameter of a function has no name")?.to_owned();
                self.at += 1;
                head.names.push(name);
            }
            if self.peek("=") {
                return Err("a parameter of a function has a default".into());
            }
            if !self.take(",") {
                self.need(")")?;
                break;
            }
        }
        Ok(head)
    }

    /// `[a, b]` or `{a, b: c}` as names for parts of a value.
    fn pattern(&mut self, of: &Js, parts: &mut Vec<(String, Js)>) -> Result<(), String> {
        let odd = || "a value is taken apart in a way that is not read".to_owned();
        if self.take("[") {
            let mut place = 0u32;
            while !self.take("]") {
                if !self.peek(",") {
                    let name = self.name_here().ok_or_else(odd)?.to_owned();
                    self.at += 1;
                    let key = Box::new(Js::Number(f64::from(place)));
                    parts.push((name, Js::Index { of: Box::new(of.clone()), key, optional: false }));
                }
                place += 1;
                if !self.take(",") {
                    self.need("]").map_err(|_| odd())?;
                    break;
                }
            }
            return Ok(());
        }
        self.need("{")?;
        while !self.take("}") {
            let field = self.name_here().ok_or_else(odd)?.to_owned();
            self.at += 1;
            let name = if self.take(":") {
                let name = self.name_here().ok_or_else(odd)?.to_owned();
                self.at += 1;
                name
            } else {
                field.clone()
            };
            parts.push((name, Js::Member { of: Box::new(of.clone()), name: field, optional: false }));
            if !self.take(",") {
                self.need("}").map_err(|_| odd())?;
                break;
            }
        }
        Ok(())
    }

    /// The body of a function whose parameters were read.
    pub(super) fn function(&mut self, head: Head) -> Result<Js, String> {
        let body = if self.take("{") { self.block()? } else { self.expression()? };
        let body = head.parts.into_iter().rev().fold(body, |body, (name, value)| Js::Let {
            name,
            value: Box::new(value),
            body: Box::new(body),
        });
        Ok(Js::Arrow { names: head.names, body: Box::new(body) })
    }

    /// `function name(…) { … }`, behind its first word.
    pub(super) fn written_function(&mut self) -> Result<Js, String> {
        if self.name_here().is_some() {
            self.at += 1;
        }
        let head = self.parameters()?;
        if !self.peek("{") {
            return Err("a function has no body".into());
        }
        self.function(head)
    }

    /// Statements up to the brace that closes them; the value is what they return.
    fn block(&mut self) -> Result<Js, String> {
        let found = self.statements(0)?;
        found.ok_or_else(|| "a function has statements that return nothing".into())
    }

    /// Statements up to `}`; none when they end without a `return`.
    fn statements(&mut self, count: usize) -> Result<Option<Js>, String> {
        if count > MOST || self.depth > DEEPEST {
            return Err("a function has too many statements".into());
        }
        while self.take(";") {}
        if self.take("}") {
            return Ok(None);
        }
        if self.take_name("return") {
            let value = if self.peek(";") || self.peek("}") { Js::Undefined } else { self.expression()? };
            while self.take(";") {}
            // What follows is never reached.
            self.skip_block()?;
            return Ok(Some(value));
        }
        if self.take_name("const") || self.take_name("let") || self.take_name("var") {
            let mut parts: Vec<(String, Js)> = Vec::new();
            loop {
                if self.peek("[") || self.peek("{") {
                    let begin = self.at;
                    let mut found = Vec::new();
                    self.pattern(&Js::Undefined, &mut found)?;
                    self.need("=")?;
                    let value = self.expression()?;
                    let behind = self.at;
                    self.at = begin;
                    self.pattern(&value, &mut parts)?;
                    self.at = behind;
                } else {
                    let name = self.name_here().ok_or("a variable has no name")?.to_owned();
                    self.at += 1;
                    if !self.take("=") {
                        return Err("a variable gets its value later".into());
                    }
                    parts.push((name, self.expression()?));
                }
                if !self.take(",") {
                    break;
                }
            }
            if parts.iter().any(|(name, _)| self.is_assigned(name)) {
                return Err("a variable is changed".into());
            }
            let rest = self.statements(count + 1)?;
            return Ok(rest.map(|rest| {
                parts.into_iter().rev().fold(rest, |body, (name, value)| Js::Let {
                    name,
                    value: Box::new(value),
                    body: Box::new(body),
                })
            }));
        }
        if self.take_name("if") {
            self.need("(")?;
            let test = Box::new(self.expression()?);
            self.need(")")?;
            let yes = self.branch(count)?;
            while self.take(";") {}
            let no = if self.take_name("else") { self.branch(count)? } else { None };
            let Some(yes) = yes.map(Box::new) else {
                return Err("a condition in a function does not return".into());
            };
            let no = match no {
                Some(no) => {
                    self.skip_block()?;
                    no
                }
                None => self.statements(count + 1)?.unwrap_or(Js::Undefined),
            };
            return Ok(Some(Js::Choice { test, yes, no: Box::new(no) }));
        }
        let what = self.name_here().unwrap_or("a call").to_owned();
        Err(format!("a function has statements ('{what}')"))
    }

    /// What a branch returns: one statement, or several in braces.
    fn branch(&mut self, count: usize) -> Result<Option<Js>, String> {
        self.depth += 1;
        let found = if self.take("{") {
            self.statements(count + 1)
        } else if self.take_name("return") {
            let value = self.expression()?;
            Ok(Some(value))
        } else {
            Err("a condition in a function does not return".into())
        };
        self.depth -= 1;
        found
    }

    /// A name that is given another value later.
    fn is_assigned(&self, name: &str) -> bool {
        let sets = |token: Option<&Token>| {
            matches!(
                token,
                Some(Token::Sign("=" | "+=" | "-=" | "*=" | "/=" | "%=" | "++" | "--" | "**=" | "||=" | "&&=" | "??="))
            )
        };
        self.tokens[self.at..]
            .windows(2)
            .any(|pair| matches!(&pair[0], Token::Name(one) if one == name) && sets(pair.get(1)))
    }

    /// Goes on behind the brace that closes this block.
    fn skip_block(&mut self) -> Result<(), String> {
        let mut depth = 0usize;
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            match token {
                Token::Sign("{") => depth += 1,
                Token::Sign("}") if depth == 0 => return Ok(()),
                Token::Sign("}") => depth -= 1,
                _ => {}
            }
        }
        Err("a block is not closed".into())
    }
}
