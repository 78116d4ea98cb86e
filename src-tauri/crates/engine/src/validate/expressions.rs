//! Expressions: syntax, limits, names, ancestors, context races, address from data.

use super::{containers::Around, words};
use crate::{
    catalog::{Catalog, nearest},
    config::{self, NodeExpression},
    expr::{self, Expr, ExprError},
    graph_order::topological,
    tool_rules,
};
use signalbox_model::{Code, Diagnostic, Node, Role, Workflow, diagnostic::pointer_token, workflow::ErrorPolicy};
use std::collections::{BTreeMap, BTreeSet};

const BEFORE: &[&str] = &["params", "run", "workflow", "context", "item", "items", "nodes", "error", "err", "ctx"];
const AFTER: &[&str] = &["_result", "_meta", "_toolResult"];
/// In the body of a loop.
const ITERATION: &[&str] = &["_item", "_index"];

pub(super) fn check(workflow: &Workflow, catalog: &Catalog, found: &mut Vec<Diagnostic>) {
    let params: Option<Vec<&str>> = workflow
        .params
        .as_ref()
        .and_then(|p| p.get("properties"))
        .and_then(|p| p.as_object())
        .map(|p| p.keys().map(String::as_str).collect());
    let ancestors = Ancestors::of(workflow);
    let mut reads: Vec<(usize, String)> = Vec::new();
    let mut writes: Vec<(usize, String)> = Vec::new();
    for (index, (id, node)) in workflow.nodes.iter().enumerate() {
        let at = format!("/nodes/{}", pointer_token(id));
        let descriptor = catalog.get(&node.kind);
        let role = descriptor.map_or(Role::Step, |descriptor| descriptor.role);
        let in_loop = Around::of(workflow, id).any(|outer| {
            workflow.nodes.get(outer).and_then(|n| catalog.get(&n.kind)).is_some_and(|d| d.role == Role::Loop)
        });
        for found_expression in config::expressions(node, descriptor.map(AsRef::as_ref)) {
            let NodeExpression { pointer, text, expressions, after } = found_expression;
            for expression in expressions {
                let place = format!("{at}{pointer}");
                match expression {
                    Err(error) => found.push(broken(&place, &text, &error)),
                    Ok(expression) => {
                        let known = Known { after, own: own_names(role, &node.kind, &pointer), iteration: in_loop };
                        names(workflow, &expression, &place, known, params.as_deref(), found);
                        for named in &expression.references().nodes {
                            ancestor(workflow, &ancestors, index, id, named, &place, found);
                        }
                        for path in &expression.references().paths {
                            if let Some(name) = path.strip_prefix("context.") {
                                let name = name.split(['.', '[']).next().unwrap_or(name);
                                reads.push((index, name.to_owned()));
                            }
                        }
                    }
                }
            }
        }
        for target in node.out.iter().flatten().filter_map(|(target, _)| target.strip_prefix('$')) {
            writes.push((index, target.split(['.', '[']).next().unwrap_or(target).to_owned()));
        }
        if node.kind == crate::agent::KIND {
            writes.extend(node.writes.iter().flatten().map(|name| (index, name.clone())));
        }
        let from_data = descriptor.and_then(|d| config::setting_with_host_from_data(node, d, config::TRUSTED));
        if let Some(setting) = from_data {
            found.push(Diagnostic::warning(
                Code::HostFromData,
                format!("{at}/config{setting}"),
                format!("The address of '{id}' comes from data of the run, so it can reach public hosts only"),
                "Write the host into the address, or take it from params",
            ));
        }
    }
    if let Some(ErrorPolicy::Rules(list)) = workflow.settings.as_ref().and_then(|s| s.error_policy.as_ref()) {
        for (i, rule) in list.rules.iter().enumerate() {
            let place = format!("/settings/errorPolicy/rules/{i}/when");
            match Expr::compile(&rule.when) {
                Err(error) => found.push(broken(&place, &rule.when, &error)),
                Ok(expression) => {
                    names(workflow, &expression, &place, Known::default(), params.as_deref(), found);
                }
            }
        }
    }
    for (i, rule) in super::agents::rules(workflow) {
        let place = format!("{}/{i}/when", tool_rules::OF_WORKFLOW);
        match Expr::compile(&rule.when) {
            Err(error) => found.push(broken(&place, &rule.when, &error)),
            Ok(expression) => {
                let known = Known { own: &tool_rules::NAMES, ..Known::default() };
                names(workflow, &expression, &place, known, params.as_deref(), found);
            }
        }
    }
    // Where a wire leads nowhere the order of the steps is not known yet: that is told, not what follows from it.
    if !found.iter().any(|d| d.code == Code::DanglingEdge && d.path.starts_with("/edges/")) {
        races(workflow, catalog, &ancestors, &reads, &writes, found);
    }
}

pub(crate) fn broken(at: &str, text: &str, error: &ExprError) -> Diagnostic {
    if text.trim_start_matches('=').trim().is_empty() {
        let hint = "Enter one, for example item.total > 100";
        return Diagnostic::error(Code::MissingConfig, at, "The expression is empty", hint);
    }
    let code = if error.code == expr::Code::Limit { Code::CelLimit } else { Code::CelSyntax };
    let shown: String = text.chars().take(120).collect();
    // A syntax error quotes the expression and says where; others do not know it.
    // A limit brings its own advice as a second sentence: that is the hint.
    let (what, advice) = match error.message.split_once(". ") {
        Some((what, advice)) if code == Code::CelLimit => (what, Some(advice.trim_end_matches('.'))),
        _ => (error.message.as_str(), None),
    };
    let message = if what.contains(&shown) || error.position.is_some() || code == Code::CelLimit {
        what.to_owned()
    } else {
        format!("The expression `{shown}` is not valid: {what}")
    };
    let hint = match error.suggestions.first() {
        Some(near) => format!("Did you mean '{near}'?"),
        None if code == Code::CelLimit => advice.unwrap_or("Split it into several steps").to_owned(),
        None => "Expressions are CEL, for example item.total > 100".to_owned(),
    };
    Diagnostic::error(code, at, message, hint)
}

/// Names that exist in some places only.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// The step has run.
    after: bool,
    /// The setting's own.
    own: &'static [&'static str],
    /// In the body of a loop.
    iteration: bool,
}

impl Known {
    fn has(self, root: &str) -> bool {
        BEFORE.contains(&root)
            || (self.after && AFTER.contains(&root))
            || self.own.contains(&root)
            || (self.iteration && ITERATION.contains(&root))
    }
}

/// What the settings of a loop, and rules over tools, see besides what every expression sees.
fn own_names(role: Role, kind: &str, pointer: &str) -> &'static [&'static str] {
    if super::agents::uses_tools(kind) && pointer.starts_with(&format!("/config/{}/", tool_rules::FIELD)) {
        return &tool_rules::NAMES;
    }
    match (role, pointer) {
        (Role::Loop, "/config/while") => &["_index", "_result"],
        (Role::Loop, "/config/collect") => &["_item", "_index", "_result"],
        _ => &[],
    }
}

fn names(
    workflow: &Workflow,
    expression: &Expr,
    at: &str,
    known: Known,
    params: Option<&[&str]>,
    found: &mut Vec<Diagnostic>,
) {
    for root in &expression.references().roots {
        if known.has(root) {
            continue;
        }
        let hint = if ITERATION.contains(&root.as_str()) {
            format!("'{root}' is only available in the body of a loop")
        } else if AFTER.contains(&root.as_str()) {
            format!("'{root}' is only available in 'out', 'print' and the checks after the call")
        } else if let Some(name) = root.strip_prefix('$') {
            format!("Write context.{name}")
        } else if params.is_some_and(|p| p.contains(&root.as_str())) {
            format!("Write params.{root}")
        } else if workflow.nodes.contains_key(root) {
            format!("Write nodes.{root}.output")
        } else {
            let here: Vec<&str> = known.own.iter().chain(BEFORE).copied().collect();
            nearest(root, here.iter().copied())
                .map_or_else(|| format!("Available: {}", here.join(", ")), |near| format!("Did you mean '{near}'?"))
        };
        found.push(Diagnostic::error(
            Code::UnknownName,
            at,
            format!("`{}` uses '{root}', which is not available here", quote(expression.text())),
            hint,
        ));
    }
    let Some(params) = params else { return };
    for path in &expression.references().paths {
        let Some(rest) = path.strip_prefix("params.") else { continue };
        let name = rest.split(['.', '[']).next().unwrap_or(rest);
        if !params.contains(&name) {
            found.push(Diagnostic::error(
                Code::UnknownName,
                at,
                format!("`{}` uses params.{name}, which the workflow does not declare", quote(expression.text())),
                nearest(name, params.iter().copied()).map_or_else(
                    || format!("Declared params: {}", params.join(", ")),
                    |near| format!("Did you mean params.{near}?"),
                ),
            ));
        }
    }
}

fn quote(text: &str) -> String {
    text.chars().take(120).collect()
}

fn ancestor(
    workflow: &Workflow,
    ancestors: &Ancestors,
    index: usize,
    id: &str,
    named: &str,
    at: &str,
    found: &mut Vec<Diagnostic>,
) {
    let Some(other) = workflow.nodes.get_index_of(named) else {
        found.push(Diagnostic::error(
            Code::UnknownName,
            at,
            format!("There is no step '{named}'"),
            nearest(named, workflow.nodes.keys().map(String::as_str)).map_or_else(
                || "Choose a step that runs before this one".into(),
                |near| format!("Did you mean '{near}'?"),
            ),
        ));
        return;
    };
    if !ancestors.before(other, index) {
        found.push(Diagnostic::error(
            Code::NotAnAncestor,
            at,
            format!("'{id}' reads the output of '{named}', which does not run before it"),
            format!("Connect '{named}' so that '{id}' runs after it"),
        ));
    }
}

/// Which node comes before which: one row of bits per node, filled once in topological order (5,000 nodes take 3 MB).
struct Ancestors {
    rows: Vec<Vec<u64>>,
    /// Drawn wires of each node that has more than one outgoing port: (port, target).
    forks: Vec<(usize, Vec<(String, usize)>)>,
    /// The container of each node.
    parents: Vec<Option<usize>>,
}

impl Ancestors {
    /// Empty when the wires form a circle, which is told elsewhere.
    fn of(workflow: &Workflow) -> Self {
        let Ok(order) = topological(workflow) else {
            return Self { rows: Vec::new(), forks: Vec::new(), parents: Vec::new() };
        };
        let count = workflow.nodes.len();
        let mut out: Vec<Vec<(String, usize)>> = vec![Vec::new(); count];
        for edge in &workflow.edges {
            let pair = (workflow.nodes.get_index_of(edge.from.node()), workflow.nodes.get_index_of(&edge.to));
            if let (Some(from), Some(to)) = pair {
                out[from].push((edge.from.port().to_owned(), to));
            }
        }
        for (from, (_, node)) in workflow.nodes.iter().enumerate() {
            let target = node.error_handling.as_ref().and_then(|e| e.fallback_node_id.as_ref());
            if let Some(to) = target.and_then(|t| workflow.nodes.get_index_of(t)) {
                out[from].push(("fallback".into(), to));
            }
        }
        let mut rows = vec![vec![0_u64; count.div_ceil(64)]; count];
        for from in order {
            let mut row = rows[from].clone();
            row[from / 64] |= 1 << (from % 64);
            for (_, to) in &out[from] {
                for (word, more) in rows[*to].iter_mut().zip(&row) {
                    *word |= more;
                }
            }
        }
        let forks = out
            .into_iter()
            .enumerate()
            .filter(|(_, wires)| wires.first().is_some_and(|(port, _)| wires.iter().any(|(other, _)| other != port)))
            .collect();
        let parent = |node: &Node| workflow.nodes.get_index_of(node.parent.as_deref()?);
        let parents = workflow.nodes.values().map(parent).collect();
        Self { rows, forks, parents }
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.parents.get(node).copied().flatten()
    }

    /// `node`, or the container around it that stands beside `other`.
    fn beside(&self, node: usize, other: usize) -> Option<usize> {
        let outer = std::iter::successors(Some(node), |node| self.parent(*node));
        outer.take(self.parents.len() + 1).find(|node| self.parent(*node) == self.parent(other))
    }

    /// The first comes before the second, or before the containers around it.
    fn before(&self, first: usize, second: usize) -> bool {
        if self.rows.is_empty() {
            return true;
        }
        self.beside(second, first).is_some_and(|second| first != second && self.precedes(first, second))
    }

    /// Neither comes before the other.
    fn unordered(&self, a: usize, b: usize) -> bool {
        // One of them is a container around the other: it ends after what is in it.
        let around = |inner: usize, outer: usize| self.beside(inner, outer) == Some(outer);
        if a == b || self.rows.is_empty() || around(a, b) || around(b, a) {
            return false;
        }
        let level = std::iter::successors(Some(a), |node| self.parent(*node)).take(self.parents.len() + 1);
        level
            .filter_map(|a| Some((a, self.beside(b, a)?)))
            .next()
            .is_some_and(|(a, b)| a != b && !self.precedes(a, b) && !self.precedes(b, a) && !self.exclusive(a, b))
    }

    fn precedes(&self, first: usize, second: usize) -> bool {
        self.rows.get(second).is_none_or(|row| row[first / 64] & (1 << (first % 64)) != 0)
    }

    /// Both can only be reached through different ports of one node, which sends an item one way only.
    fn exclusive(&self, a: usize, b: usize) -> bool {
        self.forks.iter().any(|(from, wires)| {
            let ports = |target: usize| -> BTreeSet<&str> {
                let leads = |to: usize| to == target || self.precedes(to, target);
                wires.iter().filter(|(_, to)| leads(*to)).map(|(port, _)| port.as_str()).collect()
            };
            self.precedes(*from, a) && self.precedes(*from, b) && ports(a).is_disjoint(&ports(b))
        })
    }
}

/// Pairs that are compared at most: enough to tell the person, bounded for large files.
const MOST_PAIRS: usize = 20_000;

/// Two nodes without an order that write one name, or one that reads what another writes (SEMANTICS 7).
fn races(
    workflow: &Workflow,
    catalog: &Catalog,
    ancestors: &Ancestors,
    reads: &[(usize, String)],
    writes: &[(usize, String)],
    found: &mut Vec<Diagnostic>,
) {
    let id = |i: usize| workflow.nodes.get_index(i).map_or("", |(id, _)| id.as_str());
    let name_of = |i: usize| words::step_of(workflow, catalog, id(i));
    let mut told: BTreeSet<(usize, &str)> = BTreeSet::new();
    let mut pairs = 0;
    let mut race_between = |a: usize, b: usize| {
        pairs += 1;
        pairs <= MOST_PAIRS && ancestors.unordered(a, b)
    };
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (node, name) in writes {
        by_name.entry(name).or_default().push(*node);
    }
    for (name, writers) in &by_name {
        for (i, a) in writers.iter().take(50).enumerate() {
            for b in writers.iter().take(50).skip(i + 1) {
                if race_between(*a, *b) && told.insert((*b, name)) {
                    found.push(race(id(*b), name, &format!("{} and {} both write ${name}", name_of(*a), name_of(*b))));
                }
            }
        }
    }
    for (reader, name) in reads {
        for writer in by_name.get(name.as_str()).into_iter().flatten().take(50) {
            if race_between(*reader, *writer) && told.insert((*reader, name)) {
                let message = format!("{} reads ${name}, which {} writes", name_of(*reader), name_of(*writer));
                found.push(race(id(*reader), name, &message));
            }
        }
    }
}

fn race(id: &str, name: &str, message: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::ContextRace,
        format!("/nodes/{}", pointer_token(id)),
        format!("{message}, and their order is not defined: the value of ${name} depends on timing"),
        "Connect one after the other, or use different names",
    )
}
