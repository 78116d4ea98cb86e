//! Foreign expressions as CEL: what each name means here (K-08, K-36), and how texts, truth and sums are written.

use super::syntax::{Ast, Op};
use crate::cel::is_name;
use crate::text::{Text, literal, quoted};
use signalbox_engine::expr::{MAX_CHAIN, MAX_LENGTH};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the type of a value before any run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ty {
    Text,
    Number,
    Bool,
    List,
    Object,
    Any,
}

/// Names of a file.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) params: BTreeMap<String, Ty>,
    pub(super) vars: BTreeMap<String, Ty>,
}

/// Where an expression stands: which names steps bind there, and what they are here.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// Id of the loop around it.
    pub(super) in_loop: Option<String>,
    /// What `_result` is; none where there is none.
    pub(super) result: Option<String>,
    /// The step handles an error.
    pub(super) error: bool,
}

/// Names that were used without being declared, and settings of the other program.
#[derive(Debug, Default)]
pub(super) struct Used {
    pub(super) undeclared: BTreeSet<String>,
    pub(super) settings: BTreeSet<String>,
    /// `.length` was read as the size of a value.
    pub(super) length: bool,
}

/// Writes expressions of one place.
pub(super) struct Writer<'a> {
    pub(super) names: &'a Names,
    pub(super) place: &'a Place,
    pub(super) used: &'a mut Used,
    /// How deep in the tree it is.
    pub(super) depth: usize,
}

/// CEL, or why there is none.
pub(super) type Cel = Result<String, String>;

/// Strength of what is no binary operator.
const TIGHT: u8 = 9;

/// What counts as false there.
const FALSE: &str = "[null, false, 0, '']";

/// A value for a setting, `in` or `out`: `=` and CEL, or a text with holes.
pub(super) fn value(writer: &mut Writer<'_>, ast: &Ast) -> Cel {
    if let Ast::Text(text) = ast {
        return Ok(literal(text));
    }
    if let Ast::Binary(Op::Add, ..) = ast
        && writer.ty(ast) == Ty::Text
    {
        return writer.template(ast);
    }
    Ok(format!("={}", writer.cel(ast)?))
}

/// `.name`, or `['name']` where the name is no word of CEL.
pub(super) fn field(name: &str) -> String {
    if is_name(name) { format!(".{name}") } else { format!("[{}]", quoted(name)) }
}

/// The codes of errors here, as the type that the other program tells.
const ERROR_TYPES: &str = "{'AUTH': 'auth_error', 'INPUT_INVALID': 'bad_request', 'HTTP_STATUS': 'bad_request', \
    'RATE_LIMIT': 'rate_limit', 'TIMEOUT': 'timeout', 'CONTEXT_LENGTH': 'context_length_exceeded', \
    'CONTENT_POLICY': 'content_policy_violation', 'SERVICE_UNAVAILABLE': 'service_unavailable', \
    'CONNECTION': 'connection_error', 'NON_JSON': 'json_parse_error', 'NO_STRUCTURED_OUTPUT': 'json_parse_error', \
    'SCHEMA_MISMATCH': 'schema_validation_error', 'INTERNAL': 'internal_error'}";

impl Writer<'_> {
    /// What is known of the type of an expression.
    fn ty(&self, ast: &Ast) -> Ty {
        match ast {
            Ast::Text(_) => Ty::Text,
            Ast::Bool(_) | Ast::Not(_) => Ty::Bool,
            Ast::Number(_) | Ast::Minus(_) => Ty::Number,
            Ast::List(_) => Ty::List,
            Ast::Variable(name) => self.names.vars.get(name).copied().unwrap_or(Ty::Any),
            Ast::Name(name) if name == "_index" => Ty::Number,
            Ast::Name(name) if name == "_iterDir" => Ty::Text,
            Ast::Name(name) => self.names.params.get(name).copied().unwrap_or(Ty::Any),
            Ast::Binary(Op::Add, left, right) => match (self.ty(left), self.ty(right)) {
                (Ty::Text, _) | (_, Ty::Text) => Ty::Text,
                (Ty::Number, Ty::Number) => Ty::Number,
                _ => Ty::Any,
            },
            Ast::Binary(Op::Sub | Op::Mul | Op::Div | Op::Rem, ..) => Ty::Number,
            Ast::Binary(Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, ..) => Ty::Bool,
            // One of the two, as it is.
            Ast::Binary(Op::And | Op::Or, yes, no) | Ast::Choice(_, yes, no) => {
                let (yes, no) = (self.ty(yes), self.ty(no));
                if yes == no { yes } else { Ty::Any }
            }
            Ast::Null | Ast::Field(..) | Ast::Index(..) | Ast::Object(_) | Ast::Call(_) => Ty::Any,
        }
    }

    /// A sum of texts as a text with holes.
    fn template(&mut self, ast: &Ast) -> Cel {
        let mut parts = Vec::new();
        self.summands(ast, &mut parts);
        let mut text = Text::default();
        for part in parts {
            match part {
                Ast::Text(words) => text.say(words),
                // As a text a whole number has no point, as JSON it keeps it: `3.0`.
                part if fractional(part) => text.fill(format!("string({})", self.cel(part)?)),
                part => text.fill(self.cel(part)?),
            }
        }
        Ok(text.write())
    }

    fn summands<'t>(&self, ast: &'t Ast, parts: &mut Vec<&'t Ast>) {
        match ast {
            Ast::Binary(Op::Add, left, right) if self.ty(ast) == Ty::Text => {
                self.summands(left, parts);
                self.summands(right, parts);
            }
            other => parts.push(other),
        }
    }

    /// CEL that is true when the other program takes the value for true.
    pub(super) fn truth(&mut self, ast: &Ast) -> Cel {
        self.true_at(ast, 0)
    }

    fn true_at(&mut self, ast: &Ast, least: u8) -> Cel {
        let (text, rank) = match ast {
            Ast::Bool(_) => (self.cel(ast)?, TIGHT),
            Ast::Not(inner) => (format!("!{}", self.true_at(inner, TIGHT)?), 8),
            Ast::Binary(op @ (Op::And | Op::Or), left, right) => self.both(*op, left, right)?,
            Ast::Binary(op, ..) if self.ty(ast) == Ty::Bool => (self.cel(ast)?, op.rank()),
            _ if self.ty(ast) == Ty::Bool => (format!("{} == true", self.at(ast, 4)?), 3),
            _ => (format!("!({} in {FALSE})", self.at(ast, 5)?), 8),
        };
        Ok(if rank < least { format!("({text})") } else { text })
    }

    /// CEL of an expression.
    pub(super) fn cel(&mut self, ast: &Ast) -> Cel {
        self.at(ast, 0)
    }

    /// CEL beside an operator that compares.
    pub(super) fn operand(&mut self, ast: &Ast) -> Cel {
        self.at(ast, 5)
    }

    /// In brackets, unless it binds at least as strongly as `least`.
    fn at(&mut self, ast: &Ast, least: u8) -> Cel {
        // Trees are as deep as their chains are long; the engine reads no longer ones, and a stack has an end.
        if self.depth > MAX_CHAIN {
            return Err(format!("it strings more than {MAX_CHAIN} operations together"));
        }
        self.depth += 1;
        let ranked = self.ranked(ast);
        self.depth -= 1;
        let (text, rank) = ranked?;
        Ok(if rank < least { format!("({text})") } else { text })
    }

    fn ranked(&mut self, ast: &Ast) -> Result<(String, u8), String> {
        Ok(match ast {
            Ast::Null => ("null".into(), TIGHT),
            Ast::Bool(value) => (value.to_string(), TIGHT),
            Ast::Number(text) => (text.clone(), TIGHT),
            Ast::Text(text) => (quoted(text), TIGHT),
            Ast::Variable(name) => (self.variable(name), TIGHT),
            Ast::Name(name) => self.name(name)?,
            Ast::Field(of, name) => (self.member(of, name)?, TIGHT),
            Ast::Index(of, index) => (format!("{}[{}]", self.at(of, TIGHT)?, self.cel(index)?), TIGHT),
            Ast::Not(_) => (self.truth(ast)?, 8),
            Ast::Minus(inner) => (format!("-{}", self.at(inner, TIGHT)?), 8),
            Ast::Binary(op @ (Op::And | Op::Or), left, right) => self.either(*op, left, right)?,
            Ast::Binary(Op::Add, left, right) if self.ty(ast) == Ty::Text => {
                let (left, right) = (self.text(left, 5)?, self.text(right, 6)?);
                (format!("{left} + {right}"), 5)
            }
            Ast::Binary(Op::Div, left, right) => (self.quotient(left, right)?, Op::Div.rank()),
            Ast::Binary(Op::Rem, _, right) if zero(right) => return Err("it divides by zero".into()),
            Ast::Binary(Op::Rem, left, right) if fractional(left) || fractional(right) => {
                return Err("'%' works only on whole numbers here".into());
            }
            Ast::Binary(op, left, right) => {
                // Comparisons of comparisons need brackets in CEL, too.
                let own = if matches!(op.rank(), 3 | 4) { 5 } else { op.rank() };
                let next = if matches!(op.rank(), 3 | 4) { 5 } else { op.rank() + 1 };
                (format!("{} {} {}", self.at(left, own)?, op.sign(), self.at(right, next)?), op.rank())
            }
            Ast::Choice(when, yes, no) => {
                let when = self.true_at(when, 1)?;
                (format!("{when} ? {} : {}", self.at(yes, 1)?, self.cel(no)?), 0)
            }
            Ast::List(entries) => {
                let entries = entries.iter().map(|entry| self.cel(entry)).collect::<Result<Vec<_>, _>>()?;
                (format!("[{}]", entries.join(", ")), TIGHT)
            }
            Ast::Object(entries) => {
                let mut texts = Vec::new();
                for (key, entry) in entries {
                    texts.push(format!("{}: {}", quoted(key), self.cel(entry)?));
                }
                (format!("{{{}}}", texts.join(", ")), TIGHT)
            }
            Ast::Call(name) => return Err(format!("there is no function '{name}' for it here")),
        })
    }

    /// Two conditions as one.
    fn both(&mut self, op: Op, left: &Ast, right: &Ast) -> Result<(String, u8), String> {
        let (left, right) = (self.true_at(left, op.rank())?, self.true_at(right, op.rank() + 1)?);
        Ok((format!("{left} {} {right}", op.sign()), op.rank()))
    }

    /// `&&` and `||` give one of their two values there; here they are conditions. Where both values are true or false, that
    /// is the same.
    fn either(&mut self, op: Op, left: &Ast, right: &Ast) -> Result<(String, u8), String> {
        if self.certain(left, op == Op::Or) && self.certain(right, false) {
            return self.both(op, left, right);
        }
        // `a || b || c` is `a || (b || c)`: each value stands twice, and not once more with every operator.
        if let Ast::Binary(inner, first, second) = left
            && *inner == op
        {
            let rest = Ast::Binary(op, second.clone(), Box::new(right.clone()));
            return self.either(op, first, &rest);
        }
        let chain = matches!(right, Ast::Choice(..) | Ast::Binary(Op::And | Op::Or, ..));
        let plain = self.ty(left) != Ty::Bool && !matches!(left, Ast::Binary(Op::And | Op::Or, ..));
        let text = match op {
            Op::And if plain => {
                format!("{} in {FALSE} ? {} : {}", self.at(left, 5)?, self.at(left, 1)?, self.cel(right)?)
            }
            Op::And => format!("!{} ? {} : {}", self.true_at(left, TIGHT)?, self.at(left, 1)?, self.cel(right)?),
            // A value and what stands for it when it is missing.
            _ if plain && !chain => {
                format!("{} in {FALSE} ? {} : {}", self.at(left, 5)?, self.at(right, 1)?, self.cel(left)?)
            }
            _ => format!("{} ? {} : {}", self.true_at(left, 1)?, self.at(left, 1)?, self.cel(right)?),
        };
        if text.len() > MAX_LENGTH {
            return Err(format!("as a choice between its values it has more than {MAX_LENGTH} bytes"));
        }
        Ok((text, 0))
    }

    /// Whether a value is true or false, and nothing else. What is declared so may be null, too: left of `||` that is the
    /// same as false.
    fn certain(&self, ast: &Ast, or_null: bool) -> bool {
        match ast {
            Ast::Bool(_) | Ast::Not(_) => true,
            Ast::Binary(Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, ..) => true,
            Ast::Binary(Op::And | Op::Or, left, right) | Ast::Choice(_, left, right) => {
                self.certain(left, or_null) && self.certain(right, or_null)
            }
            Ast::Variable(_) | Ast::Name(_) => or_null && self.ty(ast) == Ty::Bool,
            _ => false,
        }
    }

    /// Numbers are divided as decimal ones there; whole ones would lose what is behind the point here.
    fn quotient(&mut self, left: &Ast, right: &Ast) -> Cel {
        if zero(right) {
            return Err("it divides by zero".into());
        }
        let rank = Op::Div.rank();
        // Each side is written once: what is written twice doubles with every level.
        let over = match (left, right) {
            _ if fractional(left) || fractional(right) => self.at(left, rank)?,
            (_, Ast::Number(whole)) => return Ok(format!("{} / {whole}.0", self.at(left, rank)?)),
            (Ast::Number(whole), _) => format!("{whole}.0"),
            _ => format!("double({})", self.cel(left)?),
        };
        Ok(format!("{over} / {}", self.at(right, rank + 1)?))
    }

    /// A summand of a text.
    fn text(&mut self, ast: &Ast, least: u8) -> Cel {
        if self.ty(ast) == Ty::Text { self.at(ast, least) } else { Ok(format!("string({})", self.cel(ast)?)) }
    }

    fn variable(&mut self, name: &str) -> String {
        if !self.names.vars.contains_key(name) {
            self.used.undeclared.insert(name.to_owned());
        }
        format!("context{}", field(name))
    }

    fn name(&mut self, name: &str) -> Result<(String, u8), String> {
        let in_loop = self.place.in_loop.as_deref();
        let own = match name {
            "_item" | "_index" if in_loop.is_some() => name.to_owned(),
            "_iterDir" => {
                let id = in_loop.ok_or("'_iterDir' is there only in a loop")?;
                return Ok((format!("{} + string(_index)", quoted(&format!("{id}_"))), 5));
            }
            "_item" | "_index" => return Err(format!("'{name}' is there only in a loop")),
            "_result" => match &self.place.result {
                Some(text) => text.clone(),
                None => return Err("'_result' is there only in 'out' of a step that has a result".into()),
            },
            "_meta" | "_toolResult" if self.place.result.as_deref() == Some("_result") => name.to_owned(),
            "_error" if self.place.error => "error".into(),
            "_error" => return Err("'_error' is there only in the step that 'onError' names".into()),
            "SYSVAR" => return Err("'SYSVAR' alone is not a value".into()),
            param if self.names.params.contains_key(param) => format!("params{}", field(param)),
            other => return Err(format!("there is no param '{other}'")),
        };
        Ok((own, TIGHT))
    }

    fn member(&mut self, of: &Ast, name: &str) -> Cel {
        match of {
            Ast::Name(root) if root == "SYSVAR" => {
                self.used.settings.insert(name.to_owned());
                Ok(format!("params.SYSVAR{}", field(name)))
            }
            Ast::Name(root) if root == "_error" && self.place.error => Ok(match name {
                "type" => {
                    let code = "error.details.code";
                    format!("({code} in {ERROR_TYPES} ? {ERROR_TYPES}[{code}] : 'unknown_error')")
                }
                "code" => "error.details.code".into(),
                "status_code" => "error.details.status".into(),
                other => format!("error{}", field(other)),
            }),
            _ if name == "length" => {
                self.used.length = true;
                Ok(format!("size({})", self.cel(of)?))
            }
            _ => Ok(format!("{}{}", self.at(of, TIGHT)?, field(name))),
        }
    }
}

/// Zero, as written.
fn zero(ast: &Ast) -> bool {
    match ast {
        Ast::Number(text) => text.parse::<f64>() == Ok(0.0),
        Ast::Minus(inner) => zero(inner),
        _ => false,
    }
}

/// A number that is a decimal one, whatever the values are.
fn fractional(ast: &Ast) -> bool {
    match ast {
        Ast::Number(text) => text.contains('.'),
        Ast::Minus(inner) => fractional(inner),
        Ast::Binary(Op::Div, ..) => true,
        Ast::Binary(Op::Add | Op::Sub | Op::Mul, left, right) => fractional(left) || fractional(right),
        _ => false,
    }
}

/// The names of a tree: `$x`, then bare names.
pub(super) fn roots(ast: &Ast, found: &mut Vec<(bool, String)>) {
    match ast {
        Ast::Variable(name) => found.push((true, name.clone())),
        Ast::Name(name) => found.push((false, name.clone())),
        Ast::Field(of, _) | Ast::Not(of) | Ast::Minus(of) => roots(of, found),
        Ast::Index(of, by) => [of, by].into_iter().for_each(|one| roots(one, found)),
        Ast::Binary(_, left, right) => [left, right].into_iter().for_each(|one| roots(one, found)),
        Ast::Choice(when, yes, no) => [when, yes, no].into_iter().for_each(|one| roots(one, found)),
        Ast::List(entries) => entries.iter().for_each(|one| roots(one, found)),
        Ast::Object(entries) => entries.iter().for_each(|(_, one)| roots(one, found)),
        Ast::Call(name) => found.push((false, name.clone())),
        Ast::Null | Ast::Bool(_) | Ast::Number(_) | Ast::Text(_) => {}
    }
}
