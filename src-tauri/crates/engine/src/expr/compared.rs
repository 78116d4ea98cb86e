//! What a condition compares with what, read off its tree (rules that can never fit).

use super::lower::{Node, Op};
use super::references::push_key;

/// What something is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Literal {
    Text(String),
    Number,
    Bool,
    Null,
}

/// Literals of a condition, and what stands beside them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    /// All texts in it.
    pub(crate) texts: Vec<String>,
    /// All whole numbers in it.
    pub(crate) numbers: Vec<i64>,
    /// Paths such as `error.type` with what they are compared with, each element of a list by itself.
    pub(crate) pairs: Vec<(String, Literal)>,
    /// Something in it is computed: what it asks of a number is not told by the numbers in it.
    pub(crate) is_computed: bool,
}

pub(super) fn of(root: &Node) -> Compared {
    let mut found = Compared::default();
    found.node(root);
    found
}

impl Compared {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Null | Node::Bool(_) | Node::Name(_) => {}
            Node::Int(number) => self.numbers.push(*number),
            Node::Uint(number) => match i64::try_from(*number) {
                Ok(number) => self.numbers.push(number),
                Err(_) => self.is_computed = true,
            },
            Node::Text(text) => self.texts.push(text.to_string()),
            Node::Double(_) | Node::Bytes(_) => self.is_computed = true,
            Node::Field { of, .. } => self.node(of),
            Node::Index { of, key } => {
                self.is_computed |= path(node).is_none();
                self.node(of);
                self.node(key);
            }
            Node::Not(one) => self.node(one),
            Node::Negate(one) => match one.as_ref() {
                Node::Int(number) => self.numbers.push(number.saturating_neg()),
                other => self.computed([other]),
            },
            Node::And(two) | Node::Or(two) => two.iter().for_each(|one| self.node(one)),
            Node::Binary(op, two) => {
                self.is_computed |= matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem);
                for (one, other) in [(&two[0], &two[1]), (&two[1], &two[0])] {
                    self.pair(one, other);
                }
                two.iter().for_each(|one| self.node(one));
            }
            Node::List(list) => list.iter().for_each(|one| self.node(one)),
            Node::Has { of, .. } => self.computed([of.as_ref()]),
            Node::Choice(three) => self.computed(three.iter()),
            Node::Call { args, .. } => self.computed(args),
            Node::Map(map) => self.computed(map.iter().flat_map(|(key, value)| [key, value])),
            Node::Loop(found) => {
                self.computed([&found.range, &found.body]);
                self.computed(found.test.iter());
            }
        }
    }

    fn computed<'n>(&mut self, parts: impl IntoIterator<Item = &'n Node>) {
        self.is_computed = true;
        parts.into_iter().for_each(|part| self.node(part));
    }

    fn pair(&mut self, one: &Node, other: &Node) {
        let Some(path) = path(one) else { return };
        let list = if let Node::List(list) = other { list.as_slice() } else { std::slice::from_ref(other) };
        for literal in list {
            let literal = match literal {
                Node::Text(text) => Literal::Text(text.to_string()),
                Node::Int(_) | Node::Uint(_) | Node::Double(_) | Node::Negate(_) => Literal::Number,
                Node::Bool(_) => Literal::Bool,
                Node::Null => Literal::Null,
                _ => continue,
            };
            self.pairs.push((path.clone(), literal));
        }
    }
}

/// A name and static keys after it.
fn path(node: &Node) -> Option<String> {
    match node {
        Node::Name(name) => Some(name.to_string()),
        Node::Field { of, name } => {
            let mut path = path(of)?;
            push_key(&mut path, name);
            Some(path)
        }
        Node::Index { of, key } => {
            let Node::Text(key) = key.as_ref() else { return None };
            let mut path = path(of)?;
            push_key(&mut path, key);
            Some(path)
        }
        _ => None,
    }
}
