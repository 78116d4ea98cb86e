//! From the parser's tree to ours: operators are resolved once, macros are loops again (the parser expands them into
//! folds over an accumulator), unknown functions are found at compile time.

use super::error::{Code, ExprError, near, quote};
use super::funcs::{self, Fun};
use super::references::shown;
use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue};
use std::sync::Arc;

/// A node of our tree.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Arc<str>),
    Bytes(Arc<[u8]>),
    Name(Box<str>),
    Field { of: Box<Node>, name: Box<str> },
    Has { of: Box<Node>, name: Box<str> },
    Index { of: Box<Node>, key: Box<Node> },
    Not(Box<Node>),
    Negate(Box<Node>),
    And(Box<[Node; 2]>),
    Or(Box<[Node; 2]>),
    Choice(Box<[Node; 3]>),
    Binary(Op, Box<[Node; 2]>),
    Call { fun: Fun, name: Box<str>, member: bool, args: Vec<Node> },
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    Loop(Box<Loop>),
}

/// Two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
}

impl Op {
    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::In => "in",
        }
    }

    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "_+_" => Self::Add,
            "_-_" => Self::Sub,
            "_*_" => Self::Mul,
            "_/_" => Self::Div,
            "_%_" => Self::Rem,
            "_==_" => Self::Eq,
            "_!=_" => Self::Ne,
            "_<_" => Self::Lt,
            "_<=_" => Self::Le,
            "_>_" => Self::Gt,
            "_>=_" => Self::Ge,
            "@in" => Self::In,
            _ => return None,
        })
    }
}

/// What a loop makes of its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    All,
    Exists,
    ExistsOne,
    Map,
}

/// `range.kind(name, test, body)`.
#[derive(Debug, Clone)]
pub(super) struct Loop {
    pub(super) kind: Kind,
    pub(super) range: Node,
    pub(super) name: Box<str>,
    /// Elements that pass; only `map` and `filter`.
    pub(super) test: Option<Node>,
    pub(super) body: Node,
}

pub(super) fn lower(text: &str, tree: IdedExpr) -> Result<Node, ExprError> {
    Lower { text }.node(tree).map_err(|e| e.finish(text))
}

struct Lower<'t> {
    text: &'t str,
}

type Out<T> = Result<T, Box<ExprError>>;

impl Lower<'_> {
    fn bad(&self, what: &str, word: &str) -> Box<ExprError> {
        let mut error =
            ExprError::new(Code::Syntax, format!("`{}` is not a valid expression: {what}", quote(self.text)));
        error.position = place(self.text, word);
        Box::new(error)
    }

    fn node(&self, tree: IdedExpr) -> Out<Node> {
        match tree.expr {
            Expr::Unspecified => Err(self.bad("a part of it is empty.", "")),
            Expr::Ident(name) => Ok(Node::Name(name.trim_start_matches('.').into())),
            Expr::Literal(value) => self.literal(value),
            Expr::Select(select) => {
                let of = Box::new(self.node(*select.operand)?);
                let name = select.field.into_boxed_str();
                if select.test {
                    return Ok(Node::Has { of, name });
                }
                let field = Node::Field { of, name };
                // A type whose name has dots, as in `type(x) == google.protobuf.Timestamp`.
                let path = shown(&field);
                Ok(if funcs::type_name(&path).is_some() { Node::Name(path.into()) } else { field })
            }
            Expr::List(list) => Ok(Node::List(self.nodes(list.elements)?)),
            Expr::Map(map) => {
                let mut out = Vec::with_capacity(map.entries.len());
                for entry in map.entries {
                    match entry.expr {
                        EntryExpr::MapEntry(entry) => out.push((self.node(entry.key)?, self.node(entry.value)?)),
                        EntryExpr::StructField(_) => return Err(self.bad("objects need quoted keys.", "{")),
                    }
                }
                Ok(Node::Map(out))
            }
            Expr::Struct(found) => Err(self.bad(
                &format!("`{}{{…}}` is unknown; write an object as `{{'key': value}}`.", found.type_name),
                &found.type_name,
            )),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(fold) => self.fold(*fold),
        }
    }

    fn nodes(&self, trees: Vec<IdedExpr>) -> Out<Vec<Node>> {
        trees.into_iter().map(|tree| self.node(tree)).collect()
    }

    fn literal(&self, value: LiteralValue) -> Out<Node> {
        Ok(match value {
            LiteralValue::Null => Node::Null,
            LiteralValue::Boolean(v) => Node::Bool(*v.inner()),
            LiteralValue::Int(v) => Node::Int(*v.inner()),
            LiteralValue::Double(v) => Node::Double(*v.inner()),
            LiteralValue::String(v) => Node::Text(v.inner().into()),
            LiteralValue::Bytes(v) => Node::Bytes(v.inner().into()),
            LiteralValue::UInt(v) => Node::Uint(*v.inner()),
        })
    }

    fn call(&self, call: CallExpr) -> Out<Node> {
        let CallExpr { func_name, target, args } = call;
        if let Some(target) = target {
            let target = *target;
            let count = args.len();
            let fun = self.function(&func_name, true, count)?;
            let mut all = Vec::with_capacity(count + 1);
            all.push(self.node(target)?);
            for arg in args {
                all.push(self.node(arg)?);
            }
            return Ok(Node::Call { fun, name: func_name.into(), member: true, args: all });
        }
        let count = args.len();
        let mut args = self.nodes(args)?;
        let name = func_name.as_str();
        match (name, count) {
            ("!_" | "-_", 1) => {
                if let Some(one) = args.pop() {
                    let one = Box::new(one);
                    return Ok(if name == "!_" { Node::Not(one) } else { Node::Negate(one) });
                }
            }
            ("_?:_" | "_?_:_", 3) => {
                if let Ok(three) = <[Node; 3]>::try_from(args) {
                    return Ok(Node::Choice(Box::new(three)));
                }
                return Err(self.bad("`?` needs a `:`.", "?"));
            }
            (_, 2) => {
                let operator = matches!(name, "_&&_" | "_||_" | "_[_]") || Op::of(name).is_some();
                if operator {
                    let Ok(two) = <[Node; 2]>::try_from(args) else {
                        return Err(self.bad("an operator needs two values.", ""));
                    };
                    return Ok(match name {
                        "_&&_" => Node::And(Box::new(two)),
                        "_||_" => Node::Or(Box::new(two)),
                        "_[_]" => {
                            let [of, key] = two;
                            Node::Index { of: Box::new(of), key: Box::new(key) }
                        }
                        _ => match Op::of(name) {
                            Some(op) => Node::Binary(op, Box::new(two)),
                            None => return Err(self.bad("an operator is unknown.", "")),
                        },
                    });
                }
            }
            _ => {}
        }
        let name = name.trim_start_matches('.');
        let fun = self.function(name, false, count)?;
        if fun == Fun::Paired && !matches!(args.as_slice(), [Node::Text(_)]) {
            return Err(self.bad("`paired` takes the id of a step in quotes: `paired('orders')`.", name));
        }
        Ok(Node::Call { fun, name: name.into(), member: false, args })
    }

    fn function(&self, name: &str, member: bool, count: usize) -> Out<Fun> {
        if let Some(fun) = funcs::find(name, member) {
            return Ok(fun);
        }
        if matches!(name, "has" | "all" | "exists" | "exists_one" | "map" | "filter") {
            let how = if name == "has" { "has(item.name)" } else { "items.map(x, x.name)" };
            return Err(
                self.bad(&format!("`{name}` is not used like that ({count} arguments); for example `{how}`."), name)
            );
        }
        let suggestions = near(name, funcs::names());
        let mut what = if funcs::find(name, !member).is_some() {
            let how = if member { format!("{name}(value)") } else { format!("value.{name}(…)") };
            format!("the function `{name}` is written as `{how}`.")
        } else {
            format!("there is no function `{name}`.")
        };
        if !suggestions.is_empty() {
            what.push_str(&format!(" Did you mean {}?", list(&suggestions)));
        }
        let mut error = self.bad(&what, name);
        error.suggestions = suggestions;
        Err(error)
    }

    fn fold(&self, fold: ComprehensionExpr) -> Out<Node> {
        let name = fold.iter_var.into_boxed_str();
        let range = self.node(fold.iter_range)?;
        let odd = || self.bad("a loop has a form that is not supported.", "");
        let make = |kind, test, body, range, name| Node::Loop(Box::new(Loop { kind, range, name, test, body }));
        let Expr::Call(step) = fold.loop_step.expr else { return Err(odd()) };
        let mut args = step.args;
        match (fold.accu_init.expr, step.func_name.as_str(), args.len()) {
            (Expr::Literal(LiteralValue::Boolean(_)), "_&&_" | "_||_", 2) => {
                let kind = if step.func_name == "_&&_" { Kind::All } else { Kind::Exists };
                let body = self.node(args.remove(1))?;
                Ok(make(kind, None, body, range, name))
            }
            (Expr::Literal(LiteralValue::Int(_)), "_?_:_", 3) => {
                let body = self.node(args.remove(0))?;
                Ok(make(Kind::ExistsOne, None, body, range, name))
            }
            (Expr::List(_), "_+_", 2) => {
                let body = self.appended(args.remove(1))?;
                Ok(make(Kind::Map, None, body, range, name))
            }
            (Expr::List(_), "_?_:_", 3) => {
                let test = self.node(args.remove(0))?;
                let Expr::Call(mut append) = args.remove(0).expr else { return Err(odd()) };
                if append.args.len() != 2 {
                    return Err(odd());
                }
                let body = self.appended(append.args.remove(1))?;
                Ok(make(Kind::Map, Some(test), body, range, name))
            }
            _ => Err(odd()),
        }
    }

    /// The `f` of `@result + [f]`.
    fn appended(&self, tree: IdedExpr) -> Out<Node> {
        match tree.expr {
            Expr::List(mut list) if list.elements.len() == 1 => self.node(list.elements.remove(0)),
            _ => Err(self.bad("a loop has a form that is not supported.", "")),
        }
    }
}

/// Names for a sentence: `a`, `b` or `c`.
pub(super) fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

/// Where `word` stands on its own in `text`, in characters. The parser keeps no places for a good tree; the first
/// place of the word is right in all but contrived expressions.
pub(super) fn place(text: &str, word: &str) -> Option<usize> {
    if word.is_empty() {
        return None;
    }
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .find(|(at, _)| {
            let before = text.get(..*at).and_then(|t| t.chars().next_back());
            let after = text.get(at + word.len()..).and_then(|t| t.chars().next());
            !before.is_some_and(part) && !after.is_some_and(part)
        })
        .and_then(|(at, _)| text.get(..at))
        .map(|before| before.chars().count())
}
