//! Foreign expressions as CEL: what each name means here (K-08, K-36), and how texts, truth and sums are written.

use super::syntax::{Ast, Op};
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
}

/// CEL, or why there is none.
pub(super) type Cel = Result<String, String>;

/// Strength of what is no binary operator.
const TIGHT: u8 = 9;

/// A value for a setting, `in` or `out`: `=` and CEL, or a text with holes.
pub(super) fn value(writer: &mut Writer<'_>, ast: &Ast) -> Cel {
    if let Ast::Text(text) = ast {
        return Ok(literal(text));
    }
    if writer.ty(ast) == Ty::Text
        && let Ast::Binary(Op::Add, ..) = ast
        && let Some(text) = writer.template(ast)?
    {
        return Ok(text);
    }
    Ok(format!("={}", writer.cel(ast)?))
}

/// A text that means itself here.
pub(super) fn literal(text: &str) -> String {
    if text.contains("{{") {
        format!("={}", quoted(text))
    } else if text.starts_with('=') {
        format!("={text}")
    } else {
        text.to_owned()
    }
}

/// CEL as a hole of a text; none when its own braces would end it early.
pub(super) fn hole(cel: &str) -> Option<String> {
    if cel.contains("{{") || cel.contains("}}") {
        return None;
    }
    let braces = cel.starts_with('{') || cel.ends_with('}');
    Some(if braces { format!("{{{{ {cel} }}}}") } else { format!("{{{{{cel}}}}}") })
}

/// A text as CEL.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// Words that CEL keeps for itself.
const RESERVED: &[&str] = &[
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
];

/// `.name`, or `['name']` where the name is no word of CEL.
pub(super) fn field(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !RESERVED.contains(&name);
    if plain { format!(".{name}") } else { format!("[{}]", quoted(name)) }
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
            Ast::Binary(..) => Ty::Bool,
            Ast::Choice(_, yes, no) => {
                let (yes, no) = (self.ty(yes), self.ty(no));
                if yes == no { yes } else { Ty::Any }
            }
            Ast::Null | Ast::Field(..) | Ast::Index(..) | Ast::Object(_) | Ast::Call(_) => Ty::Any,
        }
    }

    /// A sum of texts as a text with holes; none when it cannot be written so.
    fn template(&mut self, ast: &Ast) -> Result<Option<String>, String> {
        let mut parts = Vec::new();
        self.summands(ast, &mut parts);
        let mut text = String::new();
        for part in parts {
            let written = match part {
                Ast::Text(part) => Some(part.clone()).filter(|part| !part.contains("{{")),
                part => hole(&self.cel(part)?),
            };
            match written {
                Some(part) => text.push_str(&part),
                None => return Ok(None),
            }
        }
        Ok((!text.starts_with('=')).then_some(text))
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
            Ast::Binary(op @ (Op::And | Op::Or), left, right) => {
                let (left, right) = (self.true_at(left, op.rank())?, self.true_at(right, op.rank() + 1)?);
                (format!("{left} {} {right}", op.sign()), op.rank())
            }
            Ast::Binary(op, ..) if self.ty(ast) == Ty::Bool => (self.cel(ast)?, op.rank()),
            _ if self.ty(ast) == Ty::Bool => (format!("{} == true", self.at(ast, 4)?), 3),
            _ => (format!("!({} in [null, false, 0, ''])", self.at(ast, 5)?), 8),
        };
        Ok(if rank < least { format!("({text})") } else { text })
    }

    /// CEL of an expression.
    pub(super) fn cel(&mut self, ast: &Ast) -> Cel {
        self.at(ast, 0)
    }

    /// In brackets, unless it binds at least as strongly as `least`.
    fn at(&mut self, ast: &Ast, least: u8) -> Cel {
        let (text, rank) = self.ranked(ast)?;
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
            Ast::Binary(Op::And | Op::Or, ..) => {
                let text = self.truth(ast)?;
                let rank = if matches!(ast, Ast::Binary(Op::And, ..)) { 2 } else { 1 };
                (text, rank)
            }
            Ast::Binary(Op::Add, left, right) if self.ty(ast) == Ty::Text => {
                let (left, right) = (self.text(left, 5)?, self.text(right, 6)?);
                (format!("{left} + {right}"), 5)
            }
            Ast::Binary(op, left, right) => {
                // Comparisons of comparisons need brackets in CEL, too.
                let own = if matches!(op.rank(), 3 | 4) { 5 } else { op.rank() };
                let next = if matches!(op.rank(), 3 | 4) { 5 } else { op.rank() + 1 };
                (format!("{} {} {}", self.at(left, own)?, op.sign(), self.at(right, next)?), op.rank())
            }
            Ast::Choice(when, yes, no) => {
                let when = self.true_at(when, 1)?;
                (format!("{when} ? {} : {}", self.at(yes, 1)?, self.at(no, 1)?), 0)
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
            "SYSVAR" => return Err("'SYSVAR' is no value by itself".into()),
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
