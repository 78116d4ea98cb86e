//! Containers: what stands in what, borders, branches, and settings that make no sense there (SEMANTICS 2 and 6).

use super::words::{step, step_of};
use crate::{
    catalog::{Catalog, LATER_KINDS, nearest},
    recovery::{EdgeKind, Recovery},
};
use signalbox_model::{Code, Diagnostic, Node, Role, Severity, Workflow, diagnostic::pointer_token};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
                    format!("{} stands in no loop, so there is nothing it could end", step_of(workflow, catalog, id)),
                    "Put it into a loop, or use a Stop step to end the run",
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
            format!("{name} stands in the container '{parent}', which does not exist"),
            near.map_or_else(|| "Remove 'parent'".into(), |near| format!("Did you mean '{near}'?")),
        );
    };
    let role = match catalog.get(&node.kind) {
        Some(descriptor) => descriptor.role,
        None if LATER_KINDS.contains(&node.kind.as_str()) => {
            return found.push(Diagnostic::error(
                Code::NotAvailable,
                at,
                format!("'{id}' stands in the container '{parent}', whose kind this release does not have"),
                "Remove 'parent', or use a newer Signalbox",
            ));
        }
        // That there is no such kind is told at the container.
        None => return,
    };
    let own = workflow.nodes.get(id).and_then(|node| catalog.get(&node.kind)).map(|d| d.role);
    match role {
        Role::Subworkflow => bad(
            format!("{name} stands in '{parent}', whose body is another file"),
            "Put the step into that file".into(),
        ),
        role if !role.is_container() => bad(
            format!("{name} stands in {}, which is no container", step_of(workflow, catalog, parent)),
            "Remove 'parent', or name a loop or a parallel".into(),
        ),
        _ if own == Some(Role::Trigger) => bad(
            format!("{name} starts the workflow, so it cannot stand in a container"),
            "Remove 'parent'; the first steps of a body begin by themselves".into(),
        ),
        _ if Around::of(workflow, id).any(|outer| outer == id) => {
            bad(format!("{name} stands in itself"), "Remove one 'parent' of the circle".into());
        }
        _ if Around::of(workflow, id).count() > DEEPEST => bad(
            format!("{name} stands in more than {DEEPEST} containers"),
            "Move the inner ones into a workflow of their own".into(),
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
            format!("{name} has a retry policy, but a container is not repeated by itself"),
            "Give the retry policy to the steps in it, or wire its red port to an error handler",
        ));
    }
    if role == Role::Subworkflow {
        return;
    }
    if !begins(workflow, Some(id)) {
        found.push(Diagnostic::error(
            Code::EmptyContainer,
            at,
            format!("{name} has no step in it that could begin"),
            "Put a step into it, or remove it",
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
                "Keep one of them: 'source' goes through a list, 'while' goes on as long as it is true",
            );
        }
        if set("mode").and_then(|mode| mode.as_str()) == Some("parallel") {
            bad(
                &format!("{name} asks its condition before each iteration, so these cannot run at the same time"),
                "Remove 'mode', or go through a list with 'source'",
            );
        }
    }
}

/// The files of sub-workflows: each is there, has no errors of its own, and none leads back to itself.
pub(crate) fn check_files(
    workflow: &Workflow,
    catalog: &Catalog,
    files: &BTreeMap<String, Arc<Workflow>>,
) -> Vec<Diagnostic> {
    let mut following =
        Following { catalog, files, way: vec![&workflow.id], levels: BTreeMap::new(), found: Vec::new() };
    following.follow(workflow, None);
    following.found
}

/// The walk through the files of sub-workflows: into each of them once, however many steps name it.
struct Following<'a> {
    catalog: &'a Catalog,
    files: &'a BTreeMap<String, Arc<Workflow>>,
    /// The files around the one that is looked at, and itself.
    way: Vec<&'a str>,
    /// Files that were looked at, and how many levels of files are in them.
    levels: BTreeMap<&'a str, usize>,
    found: Vec<Diagnostic>,
}

impl<'a> Following<'a> {
    /// How many levels of files a workflow has in it. `step` is the place of the step of the run's own file that leads
    /// here; what is found inside is told there.
    fn follow(&mut self, workflow: &'a Workflow, step: Option<&str>) -> usize {
        let mut deepest = 0;
        for (id, node) in &workflow.nodes {
            if self.catalog.get(&node.kind).is_some_and(|descriptor| descriptor.role == Role::Subworkflow) {
                let own = format!("/nodes/{}/config/workflow", pointer_token(id));
                deepest = deepest.max(self.named(workflow, id, node, step.unwrap_or(&own)));
            }
        }
        deepest
    }

    /// The file that a step names: how many levels it adds.
    fn named(&mut self, workflow: &'a Workflow, id: &str, node: &'a Node, at: &str) -> usize {
        let name = step_of(workflow, self.catalog, id);
        let named = node.config.as_ref().and_then(|c| c.get("workflow")).and_then(|v| v.as_str()).unwrap_or_default();
        let mut bad = |code: Code, message: String, hint: &str| {
            self.found.push(Diagnostic::error(code, at, message, hint));
            0
        };
        let too_deep = format!("{name} stands in more than {DEEPEST} workflows");
        if named.starts_with('=') || named.contains("{{") {
            return bad(
                Code::BadConfig,
                format!("{name} names its workflow by an expression, but it is fixed when the run starts"),
                "Write the id of a workflow",
            );
        }
        let Some((key, file)) = self.files.get_key_value(named) else {
            let message = format!("{name} names the workflow '{named}', which is not known");
            return bad(Code::UnknownWorkflow, message, "Choose one");
        };
        if self.way.contains(&key.as_str()) {
            let message = format!("{name} runs '{named}', in which it stands itself");
            return bad(Code::Cycle, message, "Choose another workflow");
        }
        if let Some(levels) = self.levels.get(key.as_str()).copied() {
            if self.way.len() + levels > DEEPEST {
                bad(Code::BadParent, too_deep, "Use fewer levels");
            }
            return levels + 1;
        }
        if self.way.len() > DEEPEST {
            return bad(Code::BadParent, too_deep, "Use fewer levels");
        }
        if !begins(file, None) {
            let message = format!("{name}: the workflow '{named}' has no step that could begin");
            return bad(Code::EmptyWorkflow, message, "Add one");
        }
        for own in super::check(file, self.catalog).into_iter().filter(|d| d.severity == Severity::Error) {
            let message = format!("In the workflow '{named}': {}", own.message);
            bad(own.code, format!("{message} ({})", own.path), &own.hint);
        }
        self.way.push(key);
        let levels = self.follow(file, Some(at));
        self.way.pop();
        self.levels.insert(key, levels);
        levels + 1
    }
}

/// There is a step in a container, or at the top, that nothing leads to.
fn begins(workflow: &Workflow, container: Option<&str>) -> bool {
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
    let hint = "Wire it to the container itself: what is in a container goes on through the container's ports";
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
                format!("The fallback of {} stands in another container", step_of(workflow, catalog, id)),
                "Choose a step that stands beside it",
            ));
        }
    }
    let on_abort = workflow.settings.as_ref().and_then(|settings| settings.on_abort.as_deref());
    if let Some(target) = on_abort.filter(|target| parent(target).flatten().is_some()) {
        found.push(Diagnostic::error(
            Code::CrossesContainer,
            "/settings/onAbort",
            format!("'{target}' stands in a container; what runs after an abort stands outside"),
            "Choose a step outside every container",
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
                            "{} is reached from '{other}' and from '{id}': branches of a parallel do not meet inside",
                            step_of(workflow, catalog, next)
                        ),
                        "Put it behind the parallel, which joins its branches",
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
