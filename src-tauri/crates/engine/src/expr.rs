//! Expressions: CEL over JSON (SEMANTICS 3, K-08).
//!
//! The grammar is that of the `cel` crate, whose parser is used as it is. The tree is then lowered to a small one of
//! our own (`lower`) and evaluated here (`eval`), for four reasons that the crate's interpreter cannot give: values are
//! views into the scope's JSON and are never converted; every loop, string and list is charged to a budget; numbers
//! follow K-08; and the same input always gives the same bytes (the crate builds maps in random order).
//! Timestamps and durations are in `time`: the crate brings a second table of all time zones for its own.

mod allowance;
mod budget;
mod cache;
mod compared;
mod complete;
mod encode;
mod error;
mod eval;
mod funcs;
pub(crate) mod kinds;
mod library;
mod limits;
mod lower;
mod message;
mod more;
mod ops;
mod references;
mod time;
mod val;
mod value;

pub use allowance::Allowance;
pub(crate) use compared::{Compared, Literal};
pub use complete::{Completion, completions, functions};
pub use error::{Code, ExprError, More};
pub use limits::{MAX_BRACKETS, MAX_CHAIN, MAX_LENGTH};
pub use references::References;
pub(crate) use references::push_key;
pub(crate) use value::object;
pub use value::{value, value_refs};

use crate::scope::Scope;
use serde_json::Value;
use signalbox_model::Data;
use signalbox_model::data::TEXT_FROM;
use std::sync::Arc;

/// Names that can be bound where an expression is evaluated; locals beyond them come from the scope.
pub const NAMES: &[&str] = &[
    "params",
    "run",
    "workflow",
    "context",
    "item",
    "items",
    "nodes",
    "error",
    "err",
    "ctx",
    "_item",
    "_index",
    "_result",
    "_meta",
    "_toolResult",
];

/// A compiled expression. Cheap to clone, usable from every thread.
#[derive(Debug, Clone)]
pub struct Expr(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    text: String,
    root: lower::Node,
    references: References,
}

/// A result as a setting has it.
pub(crate) enum Short {
    Value(Value),
    /// It is long; how many entries it has if it is a list.
    Long(Option<usize>),
}

impl Expr {
    /// Compiles `text`; a leading `=` is ignored. The result is kept in a bounded cache, so compiling the same text
    /// again costs a look-up.
    ///
    /// # Errors
    /// `CEL_LIMIT` when the text is too long or too deep, `CEL_SYNTAX` when it is no expression or calls a function
    /// that does not exist.
    pub fn compile(text: &str) -> Result<Self, ExprError> {
        let source = strip(text);
        if let Some(hit) = cache::get(source) {
            return Ok(hit);
        }
        limits::check(source)?;
        // The parser is foreign code and the text is foreign too: a panic in it must not be one here.
        let parsed = std::panic::catch_unwind(|| cel::parser::PrattParser::new().max_recursion_depth(64).parse(source));
        let tree = match parsed {
            Ok(parsed) => parsed.map_err(|errors| message::syntax(source, &errors))?,
            Err(_) => return Err(message::unreadable(source)),
        };
        let root = lower::lower(source, tree)?;
        let references = references::of(&root);
        let expr = Self(Arc::new(Inner { text: source.to_owned(), root, references }));
        cache::put(&expr);
        Ok(expr)
    }

    /// The text without a leading `=`.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Names, steps and paths that the expression uses, as far as its text tells.
    pub fn references(&self) -> &References {
        &self.0.references
    }

    /// Its literals, and what they are compared with.
    pub(crate) fn compared(&self) -> Compared {
        compared::of(&self.0.root)
    }

    /// Evaluates to JSON.
    ///
    /// # Errors
    /// Whatever is wrong with the data or the expression, see [`Code`].
    pub fn eval(&self, scope: &Scope) -> Result<Value, ExprError> {
        let run = eval::Run::new(scope);
        run.eval(&self.0.root).and_then(|found| run.json(&found)).map_err(|error| error.finish(&self.0.text))
    }

    /// [`Expr::eval`], but what is a large part of data that is text stays text.
    ///
    /// # Errors
    /// As [`Expr::eval`].
    pub fn eval_data(&self, scope: &Scope) -> Result<Data, ExprError> {
        let run = eval::Run::new(scope);
        let result = run.eval(&self.0.root).and_then(|found| match &found {
            val::V::TextList(part) | val::V::TextObject(part) if part.length() >= TEXT_FROM => Ok(part.data()),
            val::V::LongText(text) => Ok(text.part.data()),
            found => run.json(found).map(Data::from),
        });
        result.map_err(|error| error.finish(&self.0.text))
    }

    /// [`Expr::eval`], but nothing where the result is a long part of the data: whoever uses it reads it as text, with
    /// [`Expr::eval_text`]. Of a list there is the number of its entries.
    ///
    /// # Errors
    /// As [`Expr::eval`].
    pub(crate) fn eval_short(&self, scope: &Scope) -> Result<Short, ExprError> {
        let run = eval::Run::new(scope);
        let result = run.eval(&self.0.root).and_then(|found| {
            if found.is_long() {
                return Ok(Short::Long(found.len().filter(|_| found.kind() == "list")));
            }
            run.json(&found).map(Short::Value)
        });
        result.map_err(|error| error.finish(&self.0.text))
    }

    /// [`Expr::eval`]; what is long is text, also where the data that it is a part of is not.
    ///
    /// # Errors
    /// As [`Expr::eval`].
    pub fn eval_text(&self, scope: &Scope) -> Result<Data, ExprError> {
        let run = eval::Run::new(scope);
        let result = run.eval(&self.0.root).and_then(|found| match &found {
            found if !found.is_long() => run.json(found).map(Data::from),
            val::V::TextList(part) | val::V::TextObject(part) => Ok(part.data()),
            val::V::LongText(text) => Ok(text.part.data()),
            val::V::Items(list) => Ok(Data::written(Data::list(list))),
            val::V::Array(list) => Ok(Data::written(serde_json::to_string(list).unwrap_or_default())),
            val::V::Object(object) => Ok(Data::written(serde_json::to_string(object).unwrap_or_default())),
            found => run.json(found).map(Data::from),
        });
        result.map_err(|error| error.finish(&self.0.text))
    }

    /// Evaluates to a list and gives its elements one after the other: the list is not made as a whole. What a result
    /// may take is counted for each of them, and what a step may put out for all together. Something else than a list is the result.
    ///
    /// # Errors
    /// As [`Expr::eval`]; elements may have been given before.
    pub fn eval_each(&self, scope: &Scope, take: &mut dyn FnMut(Data)) -> Result<Option<Value>, ExprError> {
        let run = eval::Run::new(scope);
        let mut each = || {
            let found = run.eval(&self.0.root)?;
            if found.kind() != "list" {
                return run.json(&found).map(Some);
            }
            // What is most of a text stays where it stands.
            if let val::V::TextList(list) = &found
                && list.is_most()
            {
                list.shared_entries().for_each(&mut *take);
                return Ok(None);
            }
            for one in (0..found.len().unwrap_or(0)).filter_map(|place| found.nth(place)) {
                run.budget.next_result()?;
                take(ops::json(&run.budget, &one, 1)?.into());
            }
            Ok(None)
        };
        each().map_err(|error: Box<ExprError>| error.finish(&self.0.text))
    }

    /// Evaluates a condition.
    ///
    /// # Errors
    /// As [`Expr::eval`]; also when the result is not a boolean.
    pub fn eval_bool(&self, scope: &Scope) -> Result<bool, ExprError> {
        let run = eval::Run::new(scope);
        let found = run.eval(&self.0.root).map_err(|error| error.finish(&self.0.text))?;
        match found {
            val::V::Bool(found) => Ok(found),
            other => Err(ExprError::new(
                Code::Eval,
                format!(
                    "The condition `{}` gives {}, not true or false. Compare it with something, for example `… == true`.",
                    error::quote(&self.0.text),
                    other.kind_with_article()
                ),
            )
            .finish(&self.0.text)),
        }
    }
}

/// The expression of a text that may start with `=`.
fn strip(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('=').unwrap_or(text).trim()
}
