//! `paired('step')` in previews: what was recorded of a run is followed back as the engine follows it (ADR 107).

use super::RunView;
use super::node::Made;
use crate::workflows::{check, node_scope};
use signalbox_engine::lineage::{Lineage, OutputAt, Steps, Unpaired, Wire, trace};
use signalbox_engine::scope::Paired;
use signalbox_model::{Mode, Role, Workflow};
use std::collections::HashMap;
use std::sync::Arc;

/// The steps of a run as far as they can be seen from its path, by their place in the file.
struct Recorded<'a> {
    view: &'a RunView,
    workflow: &'a Workflow,
    lineages: HashMap<usize, Lineage>,
}

impl Steps for Recorded<'_> {
    fn lineage(&self, step: usize) -> Option<&Lineage> {
        self.lineages.get(&step)
    }

    // What did not run is not recorded: its items cannot be followed here.
    fn passed_on(&self, _: usize) -> bool {
        false
    }

    fn entered(&self, step: usize, index: usize) -> Option<(usize, Option<usize>)> {
        let (_, node) = self.workflow.nodes.get_index(step)?;
        let container = node.parent.as_deref()?;
        let set = |name: &str| {
            let config = self.view.node(container).and_then(|data| data.config.as_ref());
            config.is_some_and(|(config, _)| config.get(name).is_some())
        };
        let item = match node_scope::role(self.workflow, container)? {
            Role::Loop if set("source") || set("while") => None,
            Role::Loop => self.view.element_of(container).map(|(_, index)| index),
            _ => Some(index),
        };
        Some((self.workflow.nodes.get_index_of(container)?, item))
    }
}

/// What left a port, in the order in which the engine hands it on: one call for each item may end in any order.
fn put_out<'a>(view: &'a RunView, workflow: &Workflow, step: &str, port: &str) -> Vec<&'a Made> {
    let list = view.node(step).and_then(|data| data.output.get(port));
    let mut items: Vec<&Made> = list.into_iter().flatten().collect();
    if mode(workflow, step) == Some(Mode::Each) {
        items.sort_by_key(|made| made.item.paired_item);
    }
    items
}

fn mode(workflow: &Workflow, step: &str) -> Option<Mode> {
    let node = workflow.nodes.get(step)?;
    Some(check::catalog().get(&node.kind)?.mode_of(node))
}

fn lineages(view: &RunView, workflow: &Workflow) -> HashMap<usize, Lineage> {
    let mut found = HashMap::new();
    for edge in &workflow.edges {
        let (from, port) = (edge.from.node(), edge.from.port());
        let (Some(step), Some(to)) = (workflow.nodes.get_index_of(from), workflow.nodes.get_index_of(&edge.to)) else {
            continue;
        };
        let items = put_out(view, workflow, from, port);
        if items.is_empty() {
            continue;
        }
        let lineage: &mut Lineage = found.entry(to).or_default();
        lineage.wires.push(Wire { step, port: Arc::from(port), items: items.len() });
        lineage
            .paired
            .extend(items.iter().map(|made| made.item.paired_item.and_then(|index| u32::try_from(index).ok())));
    }
    found
}

/// For every earlier step that put something out: its item that an item of a node descends from.
pub(super) fn of(view: &RunView, workflow: &Workflow, node: &str, item: usize, all: usize) -> Option<Arc<Paired>> {
    let step = workflow.nodes.get_index_of(node)?;
    let items = if mode(workflow, node)? == Mode::Each { item..item + 1 } else { 0..all };
    let recorded = Recorded { view, workflow, lineages: lineages(view, workflow) };
    let mut found = Paired::new();
    for (target, id) in workflow.nodes.keys().enumerate().filter(|(target, _)| *target != step) {
        let Some(data) = view.node(id) else { continue };
        let count: usize = data.output.iter().filter(|(port, _)| *port != "error").map(|(_, items)| items.len()).sum();
        if count == 0 {
            continue;
        }
        let at = trace(&recorded, step, items.clone(), target, count == 1);
        let data = at.and_then(|(port, place): OutputAt| {
            let item = put_out(view, workflow, id, &port).get(place).map(|made| made.data.clone());
            item.ok_or(Unpaired::Unrelated)
        });
        found.insert(id.clone(), data);
    }
    Some(Arc::new(found))
}
