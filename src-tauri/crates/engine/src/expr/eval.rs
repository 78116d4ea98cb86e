//! The walk over the tree. Small functions on purpose: the frames of a recursion decide how deep a stack reaches.

use super::NAMES;
use super::budget::{BLOCK, Budget, ENTRY, HELD, TABLE};
use super::error::{Code, ExprError, near};
use super::lower::{Kind, Loop, Node, list, place};
use super::references::shown;
use super::val::{Key, V, whole};
use super::{funcs, ops};
use crate::lineage::Unpaired;
use crate::schemas::Schemas;
use crate::scope::Scope;
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_model::Data;
use std::cell::RefCell;
use std::sync::Arc;

pub(super) type Out<T> = Result<T, Box<ExprError>>;

/// One evaluation.
pub(super) struct Run<'a> {
    scope: &'a Scope,
    pub(super) budget: Budget<'a>,
    bound: RefCell<Vec<(&'a str, V<'a>)>>,
}

pub(super) fn fail<T>(message: impl Into<String>) -> Out<T> {
    Err(Box::new(ExprError::new(Code::Eval, message)))
}

impl<'a> Run<'a> {
    pub(super) fn new(scope: &'a Scope) -> Self {
        Self { scope, budget: Budget::new(scope.allowance.as_deref()), bound: RefCell::default() }
    }

    /// What `paired('step')` gives; nothing where it is not known.
    pub(super) fn paired(&self, step: &str) -> Option<&'a Result<Data, Unpaired>> {
        self.scope.paired.as_ref()?.get(step)
    }

    /// Schemas that have a name.
    pub(super) fn schemas(&self) -> &'a Schemas {
        &self.scope.schemas
    }

    pub(super) fn eval(&self, node: &'a Node) -> Out<V<'a>> {
        match node {
            Node::Null => Ok(V::Null),
            Node::Bool(v) => Ok(V::Bool(*v)),
            Node::Int(v) => Ok(V::Int(*v)),
            Node::Uint(v) => Ok(V::Uint(*v)),
            Node::Double(v) => Ok(V::Double(*v)),
            Node::Text(v) => Ok(V::Text(v)),
            Node::Bytes(v) => Ok(V::Bytes(Arc::clone(v))),
            Node::Name(name) => self.name(name),
            Node::Field { of, name } => self.field(node, of, name),
            Node::Has { of, name } => self.has(node, of, name),
            Node::Index { of, key } => self.index(node, of, key),
            Node::Not(one) => self.not(one),
            Node::Negate(one) => self.negate(one),
            Node::And(two) => self.logic(two, false),
            Node::Or(two) => self.logic(two, true),
            Node::Choice(three) => self.choice(three),
            Node::Binary(op, two) => {
                let left = self.eval(&two[0])?;
                let right = self.eval(&two[1])?;
                ops::binary(&self.budget, *op, left, right)
            }
            Node::Call { fun, name, member, args } => funcs::call(self, *fun, name, *member, args),
            Node::List(entries) => self.list(entries),
            Node::Map(entries) => self.map(entries),
            Node::Loop(found) => self.turn(found),
        }
    }

    /// A name of the scope, without the variables of loops.
    fn root(&self, name: &str) -> Option<V<'a>> {
        V::named(self.scope, name)
    }

    #[inline(never)]
    fn name(&self, name: &'a str) -> Out<V<'a>> {
        if let Some((_, found)) = self.bound.borrow().iter().rev().find(|(bound, _)| *bound == name) {
            return Ok(found.clone());
        }
        if let Some(found) = self.root(name) {
            return Ok(found);
        }
        if let Some(kind) = funcs::type_name(name) {
            return Ok(V::Type(kind));
        }
        Err(self.unknown(name))
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            NAMES.iter().filter(|name| self.root(name).is_some()).map(|name| (*name).to_owned()).collect();
        for (local, _) in &self.scope.locals {
            if !names.iter().any(|name| name == local) {
                names.push((*local).to_owned());
            }
        }
        names
    }

    #[cold]
    fn unknown(&self, name: &str) -> Box<ExprError> {
        let names = self.names();
        let mut error = ExprError::new(Code::MissingField, "");
        // A bare name is most often a field whose owner was forgotten.
        let mut suggestions: Vec<String> = ["params", "item", "context"]
            .into_iter()
            .filter(|root| self.root(root).is_some_and(|v| v.member(name).is_some()))
            .map(|root| format!("{root}.{name}"))
            .collect();
        suggestions.extend(near(name, names.iter().map(String::as_str)));
        suggestions.truncate(3);
        error.message = if NAMES.contains(&name) {
            format!("`{name}` has no value in this place. Known names here: {}.", names.join(", "))
        } else {
            let hint =
                if suggestions.is_empty() { String::new() } else { format!(" Did you mean {}?", list(&suggestions)) };
            format!("There is no name `{name}`.{hint} Known names here: {}.", names.join(", "))
        };
        error.available.clone_from(&names);
        error.more.top_level = names;
        error.suggestions = suggestions;
        name.clone_into(&mut error.more.word);
        Box::new(error)
    }

    /// A field of `run`: most are there without making the object.
    fn of_run(&self, root: &str, name: &str) -> Option<V<'a>> {
        let is_variable = || self.bound.borrow().iter().any(|(bound, _)| *bound == root);
        (root == "run" && !is_variable()).then(|| self.scope.run.get(name).map(V::of))?
    }

    #[inline(never)]
    fn field(&self, node: &'a Node, of: &'a Node, name: &'a str) -> Out<V<'a>> {
        if let Node::Name(root) = of
            && let Some(found) = self.of_run(root, name)
        {
            return Ok(found);
        }
        let owner = self.eval(of)?;
        match owner.member(name) {
            Some(found) => Ok(found),
            None => Err(self.missing(node, of, &owner, name)),
        }
    }

    #[cold]
    fn missing(&self, node: &Node, of: &Node, owner: &V<'_>, name: &str) -> Box<ExprError> {
        let at = shown(of);
        let path = shown(node);
        let available = owner.key_texts(20);
        let mut error = ExprError::new(Code::MissingField, "");
        error.suggestions = near(name, owner.key_texts(500).iter().map(String::as_str));
        let total = owner.len().unwrap_or(0);
        let hint = if error.suggestions.is_empty() {
            String::new()
        } else {
            format!(" Did you mean {}?", list(&error.suggestions))
        };
        error.message = match owner {
            V::Nodes(_) => {
                format!("`{path}` does not exist: the step `{name}` has no result here. Test with `has({path})`.")
            }
            _ if owner.is_map() && total == 0 => {
                format!("`{path}` does not exist: `{at}` is empty. Test with `has({path})`.")
            }
            _ if owner.is_map() => {
                let more = if total > available.len() {
                    format!(" and {} more", total - available.len())
                } else {
                    String::new()
                };
                format!("`{path}` does not exist.{hint} `{at}` has: {}{more}.", available.join(", "))
            }
            V::Array(_) | V::Items(_) | V::TextList(_) | V::List(_) => format!(
                "`{path}` does not exist: `{at}` is a list with {total} entries. Take one with `{at}[0]`, or use `map`."
            ),
            other => format!("`{path}` does not exist: `{at}` is {}.", other.kind_with_article()),
        };
        error.available = available;
        error.more.available_at = at;
        error.more.top_level = self.names();
        error.more.structure = ops::structure(owner);
        name.clone_into(&mut error.more.word);
        Box::new(error)
    }

    #[inline(never)]
    fn has(&self, node: &'a Node, of: &'a Node, name: &'a str) -> Out<V<'a>> {
        let owner = self.eval(of)?;
        // `error` is null without an error: `has(error.code)` is then simply false.
        if owner.is_map() || matches!(owner, V::Null) {
            return Ok(V::Bool(owner.member(name).is_some()));
        }
        fail(format!(
            "`has({})` needs an object before the last dot, but `{}` is {}.",
            shown(node),
            shown(of),
            owner.kind_with_article()
        ))
    }

    #[inline(never)]
    fn index(&self, node: &'a Node, of: &'a Node, key: &'a Node) -> Out<V<'a>> {
        let owner = self.eval(of)?;
        let key = self.eval(key)?;
        if owner.is_map() {
            if let Some(found) = owner.entry(&key) {
                return Ok(found);
            }
            return match &key {
                V::Text(_) | V::MadeText(_) | V::LongText(_) => {
                    Err(self.missing(node, of, &owner, key.text().unwrap_or_default()))
                }
                V::Int(_) | V::Uint(_) | V::Bool(_) | V::Double(_) => {
                    Err(self.missing(node, of, &owner, &ops::plain(&key).unwrap_or_default()))
                }
                other => fail(format!("{} cannot be a key of `{}`.", other.kind_with_article(), shown(of))),
            };
        }
        let Some(total) = owner.len() else {
            return Err(self.missing(node, of, &owner, key.text().unwrap_or_default()));
        };
        let wanted = match &key {
            V::Int(v) => Some(*v),
            V::Uint(v) => Some(i64::try_from(*v).unwrap_or(i64::MAX)),
            V::Double(v) => whole(*v),
            _ => None,
        };
        let Some(wanted) = wanted else {
            return fail(format!(
                "`{}` is a list; its entries are taken by a whole number, not by {}.",
                shown(of),
                key.kind_with_article()
            ));
        };
        match usize::try_from(wanted).ok().and_then(|place| owner.nth(place)) {
            Some(found) => Ok(found),
            None => {
                let mut error = self.missing(node, of, &owner, "");
                error.message = if total == 0 {
                    format!("`{}[{wanted}]` does not exist: the list is empty.", shown(of))
                } else {
                    format!("`{}[{wanted}]` does not exist: the list has the entries 0 to {}.", shown(of), total - 1)
                };
                Err(error)
            }
        }
    }

    #[inline(never)]
    fn not(&self, one: &'a Node) -> Out<V<'a>> {
        match self.eval(one)? {
            V::Bool(v) => Ok(V::Bool(!v)),
            other => fail(format!("`!` needs true or false, but `{}` is {}.", shown(one), other.kind_with_article())),
        }
    }

    #[inline(never)]
    fn negate(&self, one: &'a Node) -> Out<V<'a>> {
        match self.eval(one)? {
            V::Int(v) => match v.checked_neg() {
                Some(v) => Ok(V::Int(v)),
                None => fail("The integer is too large for 64 bits."),
            },
            V::Large(v) => {
                fail(format!("`-` cannot compute with {v}: whole numbers are computed with up to {}.", i64::MAX))
            }
            V::Double(v) => Ok(V::Double(-v)),
            other => fail(format!("`-` needs a number, but `{}` is {}.", shown(one), other.kind_with_article())),
        }
    }

    /// `&&` and `||`: the side that decides wins, even over an error of the other side (CEL).
    #[inline(never)]
    fn logic(&self, two: &'a [Node; 2], decides: bool) -> Out<V<'a>> {
        let left = self.truth(&two[0], decides);
        if matches!(left, Ok(found) if found == decides) {
            return Ok(V::Bool(decides));
        }
        if matches!(&left, Err(error) if error.code == Code::Limit) {
            return left.map(V::Bool);
        }
        let right = self.truth(&two[1], decides)?;
        if right == decides {
            return Ok(V::Bool(decides));
        }
        left.map(|_| V::Bool(!decides))
    }

    fn truth(&self, node: &'a Node, or: bool) -> Out<bool> {
        match self.eval(node)? {
            V::Bool(found) => Ok(found),
            other => {
                let sign = if or { "||" } else { "&&" };
                fail(format!("`{sign}` needs true or false, but `{}` is {}.", shown(node), other.kind_with_article()))
            }
        }
    }

    #[inline(never)]
    fn choice(&self, three: &'a [Node; 3]) -> Out<V<'a>> {
        match self.eval(&three[0])? {
            V::Bool(true) => self.eval(&three[1]),
            V::Bool(false) => self.eval(&three[2]),
            other => fail(format!(
                "`? :` needs true or false before the `?`, but `{}` is {}.",
                shown(&three[0]),
                other.kind_with_article()
            )),
        }
    }

    #[inline(never)]
    fn list(&self, entries: &'a [Node]) -> Out<V<'a>> {
        self.budget.made(BLOCK + entries.len() * HELD)?;
        let made = entries.iter().map(|entry| self.eval(entry)).collect::<Out<Vec<_>>>()?;
        Ok(V::List(Arc::new(made)))
    }

    #[inline(never)]
    fn map(&self, entries: &'a [(Node, Node)]) -> Out<V<'a>> {
        self.budget.made(TABLE + entries.len() * (HELD + ENTRY))?;
        let mut made = IndexMap::with_capacity(entries.len());
        for (key, value) in entries {
            let key = self.eval(key)?;
            let Some(key) = Key::of(&key).filter(|_| !matches!(key, V::Double(_))) else {
                return fail(format!("{} cannot be a key of an object.", key.kind_with_article()));
            };
            let value = self.eval(value)?;
            if made.insert(key.clone(), value).is_some() {
                let shown = ops::plain(&key.value()).unwrap_or_default();
                return fail(format!("The object has the key `{shown}` twice."));
            }
        }
        Ok(V::MadeObject(Arc::new(made)))
    }

    #[inline(never)]
    fn turn(&self, found: &'a Loop) -> Out<V<'a>> {
        let range = self.eval(&found.range)?;
        let range = if range.is_map() {
            // All keys are gone through, however soon the loop ends.
            self.budget.work(range.len().unwrap_or(0))?;
            V::List(Arc::new(range.keys()))
        } else {
            range
        };
        let Some(total) = range.len() else {
            return fail(format!(
                "A loop needs a list or an object, but `{}` is {}.",
                shown(&found.range),
                range.kind_with_article()
            ));
        };
        let depth = self.bound.borrow().len();
        let out = self.turns(found, &range, total);
        self.bound.borrow_mut().truncate(depth);
        out
    }

    fn turns(&self, found: &'a Loop, range: &V<'a>, total: usize) -> Out<V<'a>> {
        let mut made: Vec<V<'a>> = Vec::new();
        let mut count = 0usize;
        let mut deferred: Option<Box<ExprError>> = None;
        for place in 0..total {
            self.budget.turn()?;
            let Some(one) = range.nth(place) else { break };
            self.bound.borrow_mut().push((&found.name, one));
            let step = self.one(found);
            self.bound.borrow_mut().pop();
            match (found.kind, step) {
                (Kind::Map, step) => {
                    if let Some(value) = step? {
                        self.budget.made(HELD)?;
                        made.push(value);
                    }
                }
                (Kind::All, Ok(Some(V::Bool(false)))) => return Ok(V::Bool(false)),
                (Kind::Exists, Ok(Some(V::Bool(true)))) => return Ok(V::Bool(true)),
                (Kind::ExistsOne, Ok(Some(V::Bool(true)))) => count += 1,
                (_, Ok(Some(V::Bool(_)) | None)) => {}
                (_, Ok(Some(other))) => {
                    return fail(format!("The test of a loop gives {}, not true or false.", other.kind_with_article()));
                }
                // As with `&&` and `||`, an entry that decides wins over an error of another one.
                (Kind::All | Kind::Exists, Err(error)) if error.code != Code::Limit => {
                    deferred.get_or_insert(error);
                }
                (_, Err(error)) => return Err(error),
            }
        }
        match (found.kind, deferred) {
            (_, Some(error)) => Err(error),
            (Kind::Map, _) => Ok(V::List(Arc::new(made))),
            (Kind::All, _) => Ok(V::Bool(true)),
            (Kind::Exists, _) => Ok(V::Bool(false)),
            (Kind::ExistsOne, _) => Ok(V::Bool(count == 1)),
        }
    }

    fn one(&self, found: &'a Loop) -> Out<Option<V<'a>>> {
        if let Some(test) = &found.test {
            match self.eval(test)? {
                V::Bool(true) => {}
                V::Bool(false) => return Ok(None),
                other => {
                    return fail(format!("The test of a loop gives {}, not true or false.", other.kind_with_article()));
                }
            }
        }
        self.eval(&found.body).map(Some)
    }

    /// The result as JSON (K-08).
    pub(super) fn json(&self, found: &V<'a>) -> Out<Value> {
        ops::json(&self.budget, found, 0)
    }
}

impl ExprError {
    /// Adds the text and, if only the word is known, its place.
    pub(super) fn finish(mut self, text: &str) -> Self {
        if self.more.expression.is_empty() {
            text.clone_into(&mut self.more.expression);
        }
        if self.position.is_none() {
            self.position = place(text, &self.more.word);
        }
        self
    }
}
