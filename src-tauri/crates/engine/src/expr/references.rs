//! What an expression uses, read off its tree (save-time checks, HOST_FROM_DATA, races).

use super::funcs::{self, Fun};
use super::lower::Node;

/// Names, steps and paths of an expression, each once, in order of appearance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// Free names, such as `item` or `context`; not the variables of loops.
    pub roots: Vec<String>,
    /// Ids used as `nodes.ID`, `nodes['my-id']` or `has(nodes.ID)`.
    pub nodes: Vec<String>,
    /// Ids used as `paired('ID')`; they are in `nodes`, too.
    pub paired: Vec<String>,
    /// Paths as far as they are static, such as `context.user.name` or `nodes['my-id'].output`.
    pub paths: Vec<String>,
    /// `nodes` is used in a way that does not tell which steps (`nodes[x]`, `size(nodes)`).
    pub any_node: bool,
    /// `context` is used in a way that does not tell which variables.
    pub any_context: bool,
}

pub(super) fn of(root: &Node) -> References {
    let mut walk = Walk { out: References::default(), bound: Vec::new() };
    walk.node(root);
    walk.out
}

struct Walk<'n> {
    out: References,
    bound: Vec<&'n str>,
}

fn once(list: &mut Vec<String>, name: String) {
    if !list.contains(&name) {
        list.push(name);
    }
}

impl<'n> Walk<'n> {
    fn node(&mut self, node: &'n Node) {
        match node {
            Node::Name(_) | Node::Field { .. } | Node::Has { .. } | Node::Index { .. } => self.path(node),
            Node::Null | Node::Bool(_) | Node::Int(_) | Node::Uint(_) | Node::Double(_) => {}
            Node::Text(_) | Node::Bytes(_) => {}
            Node::Not(one) | Node::Negate(one) => self.node(one),
            Node::And(two) | Node::Or(two) | Node::Binary(_, two) => two.iter().for_each(|one| self.node(one)),
            Node::Choice(three) => three.iter().for_each(|one| self.node(one)),
            Node::Call { fun: Fun::Paired, args, .. } => {
                if let [Node::Text(step)] = args.as_slice() {
                    once(&mut self.out.roots, "nodes".to_owned());
                    once(&mut self.out.nodes, step.to_string());
                    once(&mut self.out.paired, step.to_string());
                    let mut path = "nodes".to_owned();
                    push_key(&mut path, step);
                    once(&mut self.out.paths, path);
                }
            }
            Node::Call { args, .. } => args.iter().for_each(|one| self.node(one)),
            Node::List(list) => list.iter().for_each(|one| self.node(one)),
            Node::Map(map) => {
                for (key, value) in map {
                    self.node(key);
                    self.node(value);
                }
            }
            Node::Loop(found) => {
                self.node(&found.range);
                self.bound.push(&found.name);
                if let Some(test) = &found.test {
                    self.node(test);
                }
                self.node(&found.body);
                self.bound.pop();
            }
        }
    }

    /// A name with the static steps after it; keys that are computed end the path and are looked at themselves.
    fn path(&mut self, top: &'n Node) {
        let mut steps: Vec<Step<'n>> = Vec::new();
        let mut at = top;
        let root = loop {
            match at {
                Node::Field { of, name } | Node::Has { of, name } => {
                    steps.push(Step::Key(name));
                    at = of;
                }
                Node::Index { of, key } => {
                    steps.push(match key.as_ref() {
                        Node::Text(key) => Step::Key(key),
                        Node::Int(place) => Step::Place(*place),
                        other => Step::Computed(other),
                    });
                    at = of;
                }
                Node::Name(name) => break Some(name.as_ref()),
                other => {
                    self.node(other);
                    break None;
                }
            }
        };
        steps.reverse();
        for step in &steps {
            if let Step::Computed(key) = step {
                self.node(key);
            }
        }
        let Some(root) = root else { return };
        // `int` in `type(x) == int` names a type, not data.
        if self.bound.contains(&root) || (steps.is_empty() && funcs::type_name(root).is_some()) {
            return;
        }
        once(&mut self.out.roots, root.to_owned());
        let mut path = root.to_owned();
        for step in &steps {
            match step {
                Step::Key(key) => push_key(&mut path, key),
                Step::Place(place) => path.push_str(&format!("[{place}]")),
                Step::Computed(_) => break,
            }
        }
        match (root, steps.first()) {
            ("nodes", Some(Step::Key(id))) => once(&mut self.out.nodes, (*id).to_owned()),
            ("nodes", _) => self.out.any_node = true,
            ("context", Some(Step::Key(_))) => {}
            ("context", _) => self.out.any_context = true,
            _ => {}
        }
        once(&mut self.out.paths, path);
    }
}

enum Step<'n> {
    Key(&'n str),
    Place(i64),
    Computed(&'n Node),
}

/// `.name`, or `['odd key']`.
pub(crate) fn push_key(path: &mut String, key: &str) {
    let plain = key.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain {
        path.push('.');
        path.push_str(key);
    } else {
        path.push_str(&format!("['{}']", key.replace('\\', "\\\\").replace('\'', "\\'")));
    }
}

/// The path of a node for a message.
pub(super) fn shown(node: &Node) -> String {
    match node {
        Node::Name(name) => name.to_string(),
        Node::Field { of, name } | Node::Has { of, name } => {
            let mut path = shown(of);
            push_key(&mut path, name);
            path
        }
        Node::Index { of, key } => {
            let mut path = shown(of);
            match key.as_ref() {
                Node::Text(key) => push_key(&mut path, key),
                Node::Int(place) => path.push_str(&format!("[{place}]")),
                _ => path.push_str("[…]"),
            }
            path
        }
        _ => "(…)".into(),
    }
}
