//! A step that runs once for each item, and takes the first item of a list every time: all of them get the same data.

use crate::{
    catalog::Catalog,
    config::{self, NodeExpression},
    expr::{Expr, push_key},
    graph_order::topological,
};
use serde_json::Value;
use signalbox_model::{
    Code, Diagnostic, Mode, Role, Workflow,
    diagnostic::{Fix, pointer_token},
};
use std::collections::HashSet;

/// Kinds that may make several items of one.
const SEVERAL: &[&str] =
    &["archive.unpack", "data.split", "data.group", "file.list", "html.select", "pdf.read", "sheet.read", "table.read"];
/// Kinds that make one item of all.
const ONE: &[&str] = &["data.aggregate", "data.summarise"];

pub(super) fn check(workflow: &Workflow, catalog: &Catalog, found: &mut Vec<Diagnostic>) {
    let several = Several::of(workflow, catalog);
    for (id, node) in &workflow.nodes {
        let Some(descriptor) = catalog.get(&node.kind) else { continue };
        if descriptor.mode_of(node) != Mode::Each || !several.arrive.contains(id.as_str()) {
            continue;
        }
        for NodeExpression { pointer, text, expressions, .. } in config::expressions(node, Some(descriptor)) {
            // Evaluated once for all.
            if pointer == "/if" {
                continue;
            }
            for expression in expressions.into_iter().flatten() {
                let at = format!("/nodes/{}{pointer}", pointer_token(id));
                found.extend(first_of_list(&expression, &several).map(|first| told(id, at, &text, &first)));
            }
        }
    }
}

/// `items[0]`, or an element of what an earlier step put out.
struct First {
    /// As it is written.
    path: String,
    /// What is meant, as an expression.
    instead: String,
    /// The earlier step.
    step: Option<String>,
}

fn first_of_list(expression: &Expr, several: &Several<'_>) -> Option<First> {
    expression.references().paths.iter().find_map(|path| {
        if path.starts_with("items[") {
            let end = path.find(']')? + 1;
            return Some(First { path: path[..end].to_owned(), instead: "item".to_owned(), step: None });
        }
        let step = expression.references().nodes.iter().find(|step| {
            several.leave.contains(step.as_str()) && elements(step).iter().any(|begin| path.starts_with(begin.as_str()))
        })?;
        let begin = elements(step).into_iter().find(|begin| path.starts_with(begin.as_str()))?;
        let end = begin.len() + path[begin.len()..].find(']')? + 1;
        Some(First { path: path[..end].to_owned(), instead: format!("paired('{step}')"), step: Some(step.clone()) })
    })
}

/// How an element of a step's output begins: `nodes.orders.items[`.
fn elements(step: &str) -> [String; 2] {
    let mut node = "nodes".to_owned();
    push_key(&mut node, step);
    [format!("{node}.items["), format!("{node}.output[")]
}

fn told(id: &str, at: String, text: &str, first: &First) -> Diagnostic {
    let First { path, instead, step } = first;
    let message =
        format!("'{id}' runs once for each item, but `{path}` is the same for all of them: every item gets this data");
    let hint = match step {
        Some(step) => format!("Write {instead} for the item of '{step}' that the current one comes from"),
        None => format!("Write {instead} for the current item"),
    };
    let mut found = Diagnostic::warning(Code::SameForAllItems, at.clone(), message, hint);
    if text.contains(path.as_str()) {
        let title = format!("Use {instead}");
        found.fix = Some(Box::new(Fix { title, path: at, value: text.replace(path.as_str(), instead).into() }));
    }
    found
}

/// Where several items can arrive, and which steps can put out several.
struct Several<'a> {
    arrive: HashSet<&'a str>,
    leave: HashSet<&'a str>,
}

impl<'a> Several<'a> {
    fn of(workflow: &'a Workflow, catalog: &Catalog) -> Self {
        let (mut arrive, mut leave) = (HashSet::new(), HashSet::new());
        // A circle is told elsewhere.
        for index in topological(workflow).unwrap_or_default() {
            let Some((id, node)) = workflow.nodes.get_index(index) else { continue };
            if workflow.edges.iter().any(|edge| edge.to == *id && leave.contains(edge.from.node())) {
                arrive.insert(id.as_str());
            }
            let splits = node.kind == "data.transform"
                && node.config.as_ref().and_then(|config| config.get("split")).and_then(Value::as_bool) == Some(true);
            let makes = splits
                || SEVERAL.contains(&node.kind.as_str())
                || catalog.get(&node.kind).is_some_and(|descriptor| descriptor.role == Role::Loop);
            if makes || (arrive.contains(id.as_str()) && !ONE.contains(&node.kind.as_str())) {
                leave.insert(id.as_str());
            }
        }
        Self { arrive, leave }
    }
}
