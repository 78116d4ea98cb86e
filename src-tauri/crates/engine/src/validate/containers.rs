//! Containers: what stands in what, borders, branches, and settings that make no sense there (SEMANTICS 2 and 6).

use super::words::{step, step_of};
use crate::{
    catalog::{Catalog, nearest},
    recovery::{EdgeKind, Recovery},
};
use signalbox_model::{Code, Diagnostic, Role, Workflow, diagnostic::pointer_token};
use std::collections::{BTreeMap, BTreeSet};

/// Containers in containers.
const DEEPEST: usize = 16;

pub(super) fn check(workflow: &Workflow, catalog: &Catalog, found: &mut Vec<Diagnostic>) {
    let role = |id: &str| workflow.nodes.get(id).and_then(|node| catalog.get(&node.kind)).map(|d| d.role);
    for (id, node) in &workflow.nodes {
        let at = format!("/nodes/{}", pointer_token(id));
        if let Some(parent) = &node.parent {
            place(workflow, catalog, id, parent, &format!("{at}/parent"), found);
        }
        match role(id) {
            Some(kind) if kind.is_container() => container(workflow, catalog, id, kind, &at, found),
            Some(Role::Break) if !Around::of(workflow, id).any(|outer| role(outer) == Some(Role::Loop)) => {
                found.push(Diagnostic::error(
                    Code::BadConfig,
                    at,
                    format!(
                        "{} is not inside a loop, so there is nothing it could end",
                        step_of(workflow, catalog, id)
                    ),
                    "Move it into a loop, or use a Stop step to end the run",
                ));
            }
            Some(_) | None => {}
        }
    }
    borders(workflow, catalog, found);
    branches(workflow, catalog, found);
}

/// The containers around a node, the nearest first; it ends, whatever the file says.
pub(super) struct Around<'a> {
    workflow: &'a Workflow,
    next: Option<&'a str>,
    left: usize,
}

impl<'a> Around<'a> {
    pub(super) fn of(workflow: &'a Workflow, id: &str) -> Self {
        let next = workflow.nodes.get(id).and_then(|node| node.parent.as_deref());
        Self { workflow, next, left: workflow.nodes.len() }
    }
}

impl<'a> Iterator for Around<'a> {
    type Item = &'a str;
    fn next(&mut self) -> Option<&'a str> {
        let this = self.next.filter(|_| self.left > 0)?;
        self.left -= 1;
        self.next = self.workflow.nodes.get(this).and_then(|node| node.parent.as_deref());
        Some(this)
    }
}

fn place(workflow: &Workflow, catalog: &Catalog, id: &str, parent: &str, at: &str, found: &mut Vec<Diagnostic>) {
    let name = step_of(workflow, catalog, id);
    let mut bad = |message: String, hint: String| found.push(Diagnostic::error(Code::BadParent, at, message, hint));
    let Some(node) = workflow.nodes.get(parent) else {
        let near = nearest(parent, workflow.nodes.keys().map(String::as_str));
        return bad(
            format!("{name} is in the container '{parent}', which does not exist"),
            near.map_or_else(|| "Remove 'parent'".into(), |near| format!("Did you mean '{near}'?")),
        );
    };
    let role = match catalog.get(&node.kind) {
        Some(descriptor) => descriptor.role,
        // That there is no such kind is told at the container.
        None => return,
    };
    let own = workflow.nodes.get(id).and_then(|node| catalog.get(&node.kind)).map(|d| d.role);
    match role {
        Role::Subworkflow => {
            bad(format!("{name} is in '{parent}', whose body is another file"), "Move the step into that file".into())
        }
        role if !role.is_container() => bad(
            format!("{name} is in {}, which is not a container", step_of(workflow, catalog, parent)),
            "Remove 'parent', or set it to a loop or a parallel".into(),
        ),
        _ if own == Some(Role::Trigger) => bad(
            format!("{name} starts the workflow, so it cannot be in a container"),
            "Remove 'parent'; the first steps of a body start automatically".into(),
        ),
        _ if Around::of(workflow, id).any(|outer| outer == id) => {
            bad(format!("{name} is its own container"), "Remove one 'parent' of the cycle".into());
        }
        _ if Around::of(workflow, id).count() > DEEPEST => bad(
            format!("{name} is nested more than {DEEPEST} containers deep"),
            "Move the inner ones into a separate workflow".into(),
        ),
        _ => {}
    }
}

fn container(workflow: &Workflow, catalog: &Catalog, id: &str, role: Role, at: &str, found: &mut Vec<Diagnostic>) {
    let Some(node) = workflow.nodes.get(id) else { return };
    let name = step(node, catalog.get(&node.kind).map(AsRef::as_ref));
    if node.error_handling.as_ref().is_some_and(|handling| handling.retry_policy.is_some()) {
        found.push(Diagnostic::error(
            Code::BadConfig,
            format!("{at}/errorHandling/retryPolicy"),
            format!("{name} has a retry policy, but containers are not retried"),
            "Set the retry policy on the steps inside, or connect its error port to an error handler",
        ));
    }
    if role == Role::Subworkflow {
        return;
    }
    if !begins(workflow, Some(id)) {
        found.push(Diagnostic::error(
            Code::EmptyContainer,
            at,
            format!("{name} contains no step that could start"),
            "Add a step to it, or remove it",
        ));
    }
    let set = |field: &str| node.config.as_ref().and_then(|c| c.get(field)).filter(|value| !value.is_null());
    if role == Role::Loop && set("while").is_some() {
        let mut bad = |message: &str, hint: &str| {
            found.push(Diagnostic::error(Code::BadConfig, format!("{at}/config/while"), message, hint));
        };
        if set("source").is_some() {
            bad(
                &format!("{name} has both a list and a condition"),
                "Keep one of them: 'source' iterates over a list, 'while' repeats as long as it is true",
            );
        }
        if set("mode").and_then(|mode| mode.as_str()) == Some("parallel") {
            bad(
                &format!("{name} evaluates its condition before each iteration, so iterations cannot run in parallel"),
                "Remove 'mode', or iterate over a list with 'source'",
            );
        }
    }
}

/// There is a step in a container, or at the top, that nothing leads to.
pub(super) fn begins(workflow: &Workflow, container: Option<&str>) -> bool {
    let recovery = Recovery::of(workflow);
    let wired = workflow.edges.iter().zip(&recovery.edges).filter(|(_, kind)| **kind != EdgeKind::Reentry);
    let fallback = workflow.nodes.values().filter_map(|n| n.error_handling.as_ref()?.fallback_node_id.as_deref());
    let on_abort = workflow.settings.as_ref().and_then(|settings| settings.on_abort.as_deref());
    let fed: BTreeSet<&str> = wired.map(|(edge, _)| edge.to.as_str()).chain(fallback).chain(on_abort).collect();
    workflow.nodes.iter().zip(&recovery.kinds).any(|((id, node), recovers)| {
        node.parent.as_deref() == container && recovers.is_none() && !fed.contains(id.as_str())
    })
}

/// Wires and fallbacks stay inside their container.
fn borders(workflow: &Workflow, catalog: &Catalog, found: &mut Vec<Diagnostic>) {
    let parent = |id: &str| workflow.nodes.get(id).map(|node| node.parent.as_deref());
    let crosses = |from: &str, to: &str| matches!((parent(from), parent(to)), (Some(a), Some(b)) if a != b);
    let hint = "Connect it to the container itself: results leave a container through its ports";
    for (i, edge) in workflow.edges.iter().enumerate().filter(|(_, edge)| crosses(edge.from.node(), &edge.to)) {
        found.push(Diagnostic::error(
            Code::CrossesContainer,
            format!("/edges/{i}"),
            format!("The wire {} → {} crosses the border of a container", edge.from, edge.to),
            hint,
        ));
    }
    for (id, node) in &workflow.nodes {
        let Some(to) = node.error_handling.as_ref().and_then(|e| e.fallback_node_id.as_deref()) else { continue };
        if crosses(id, to) {
            found.push(Diagnostic::error(
                Code::CrossesContainer,
                format!("/nodes/{}/errorHandling/fallbackNodeId", pointer_token(id)),
                format!("The fallback of {} is in another container", step_of(workflow, catalog, id)),
                "Choose a step in the same container",
            ));
        }
    }
    let on_abort = workflow.settings.as_ref().and_then(|settings| settings.on_abort.as_deref());
    if let Some(target) = on_abort.filter(|target| parent(target).flatten().is_some()) {
        found.push(Diagnostic::error(
            Code::CrossesContainer,
            "/settings/onAbort",
            format!("'{target}' is in a container; steps after an abort must be outside"),
            "Choose a step outside of all containers",
        ));
    }
}

/// What is reachable from one entry of a parallel is a branch; no step is in two of them.
fn branches(workflow: &Workflow, catalog: &Catalog, found: &mut Vec<Diagnostic>) {
    let is_parallel =
        |id: &str| workflow.nodes.get(id).and_then(|n| catalog.get(&n.kind)).is_some_and(|d| d.role == Role::Parallel);
    if !workflow.nodes.keys().any(|id| is_parallel(id)) {
        return;
    }
    let recovery = Recovery::of(workflow);
    let mut out: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut fed: BTreeSet<&str> = BTreeSet::new();
    for (edge, kind) in workflow.edges.iter().zip(&recovery.edges) {
        if *kind != EdgeKind::Reentry {
            out.entry(edge.from.node()).or_default().push(&edge.to);
            fed.insert(&edge.to);
        }
    }
    for (id, node) in &workflow.nodes {
        if let Some(to) = node.error_handling.as_ref().and_then(|e| e.fallback_node_id.as_deref()) {
            out.entry(id).or_default().push(to);
            fed.insert(to);
        }
    }
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for (i, (id, node)) in workflow.nodes.iter().enumerate() {
        let inside = node.parent.as_deref().is_some_and(is_parallel);
        if !inside || fed.contains(id.as_str()) || recovery.kinds.get(i).is_some_and(Option::is_some) {
            continue;
        }
        let mut seen = BTreeSet::new();
        let mut todo = vec![id.as_str()];
        while let Some(next) = todo.pop() {
            if !seen.insert(next) {
                continue;
            }
            match first.insert(next, id) {
                Some(other) if other != id => {
                    found.push(Diagnostic::error(
                        Code::BranchesMeet,
                        format!("/nodes/{}", pointer_token(next)),
                        format!(
                            "{} is reached from '{other}' and from '{id}': branches of a parallel cannot join inside it",
                            step_of(workflow, catalog, next)
                        ),
                        "Put it after the parallel, which joins its branches",
                    ));
                    // What comes after it is shared for the same reason.
                    continue;
                }
                Some(_) | None => {}
            }
            todo.extend(out.get(next).into_iter().flatten());
        }
    }
}
