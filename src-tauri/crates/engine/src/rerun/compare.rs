//! What becomes of each step in a re-run, and what a newer definition changed of it (UX C24).

use super::pending_steps::to_come;
use super::{Range, place};
use crate::{
    compiled::{Compiled, CompiledNode},
    state::{At, NodeRun, Phase, RunState, Slot},
};
use serde_json::Value;
use signalbox_model::{Effects, EventBody, Node, NodeState, Replay, Role, RunEvent, Workflow, base::Base};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What becomes of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepDisposition {
    /// Its result stands; it does not execute.
    Kept,
    /// It executes again.
    Again,
    /// It may run now: it did not run in the original, or not for everything that it is there for.
    Open,
    /// It does not run: the new run ends before it.
    Left,
    /// The definition does not have it any more; its result is not used.
    Gone,
}

/// What the definition changed of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing that runs.
    None,
    /// Its settings or its wires.
    Changed,
    /// It was not there.
    Added,
    /// It is not there any more.
    Removed,
    /// Its recorded result does not fit any more, so it executes again.
    Incompatible,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct StepPlan {
    /// Id of the step.
    pub step: String,
    /// Its title.
    pub title: Option<String>,
    /// Its kind.
    pub kind: String,
    /// What becomes of it.
    pub fate: StepDisposition,
    /// What the definition changed.
    pub change: Change,
    /// What it does outside.
    pub effects: Effects,
    /// To repeat it may do the same a second time.
    pub repeats: bool,
    /// Calls in the original.
    pub calls: usize,
    /// A person is asked.
    pub asks: bool,
}

/// All steps of the top file: those of the new definition in their order, then those that are gone.
pub(super) fn steps(
    original: &Compiled,
    target: &Compiled,
    all: &[&RunEvent],
    range: &Range,
    state: &RunState,
    base: &Base,
) -> Vec<StepPlan> {
    let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    // Steps inside a sub-workflow ask for the step that calls it.
    let mut asked_inside: BTreeSet<&str> = BTreeSet::new();
    for event in all {
        match &event.body {
            EventBody::StepStart(_) => {
                *calls.entry(event.step_id.as_deref().unwrap_or_default()).or_default() += 1;
            }
            EventBody::HumanTaskCreated(_) => {
                asked.extend(place(event).map(|(_, step)| step));
                asked.extend(event.step_id.as_deref());
                let around = event.path.iter().flat_map(|path| path.split('/'));
                asked_inside.extend(around.map(|part| part.split_once('[').map_or(part, |(id, _)| id)));
            }
            _ => {}
        }
    }
    // A recovery node works for the step that an event of it is about.
    let about = |event| place(event).map(|(_, step)| step);
    let mut stands: BTreeSet<&str> = base.events.iter().filter_map(about).collect();
    stands.extend(base.events.iter().filter_map(|event| event.step_id.as_deref()));
    // Whether a call that was cut off happened, a person says.
    let asks_now: BTreeSet<usize> = state
        .nodes
        .all()
        .filter(|(_, run)| run.activation.iter().flat_map(|a| a.slots.open()).any(|(_, slot)| is_asked_about(slot)))
        .map(|(number, _)| target.nodes.local(number))
        .collect();
    let to_come = to_come(target, state);
    let mut found = Vec::new();
    for (index, node) in target.nodes.iter().enumerate().filter(|(_, node)| node.file == 0) {
        let before = original.workflow.nodes.get(&*node.id);
        let count = calls.get(&*node.id).copied().unwrap_or_default();
        let left = state.nodes.get(index);
        let inner = node.region != 0
            && state.nodes.inner().any(|(number, run)| target.nodes.local(number) == index && unfinished(run));
        let executes = range.executes(target, index) || inner || left.is_some_and(unfinished);
        let may = to_come.contains(&index);
        let fate = match (count > 0, executes) {
            (true, true) => StepDisposition::Again,
            (true, false) if !stands.contains(&*node.id) => StepDisposition::Again,
            (true, false) if may => StepDisposition::Open,
            (true, false) => StepDisposition::Kept,
            (false, true) => StepDisposition::Open,
            // Skipped, or on a way that was not taken.
            (false, false) if !may && left.is_some_and(|run| run.state == NodeState::Skipped) => StepDisposition::Kept,
            (false, false) => StepDisposition::Open,
        };
        // Its result went, because it does not fit or because another kind gave it.
        let other = before.is_some_and(|before| *before.kind != *node.kind);
        let lost = fate == StepDisposition::Again && (!executes || (other && !range.executes(target, index)));
        let change = match before {
            None => Change::Added,
            Some(_) if lost => Change::Incompatible,
            Some(before)
                if same(before, &node.node)
                    && wires(original, &node.id) == wires(target, &node.id)
                    && same_inside(original, target, &node.id) =>
            {
                Change::None
            }
            Some(_) => Change::Changed,
        };
        // A sub-workflow does what the steps of its file do, and they have no lines of their own here.
        let inside = inside(target, index, Some((range, &to_come)));
        let does_at: Vec<usize> = std::iter::once(index).chain(inside.iter().copied()).collect();
        let does: Vec<&CompiledNode> = does_at.iter().map(|node| &target.nodes[*node]).collect();
        let effects = does.iter().map(|node| node.descriptor.effects.of(&node.config)).max_by_key(weight);
        // What is pinned is not called.
        let called = node.pinned.is_none();
        let effects = effects.filter(|_| called).unwrap_or(Effects::None);
        found.push(StepPlan {
            step: node.id.to_string(),
            title: node.node.title.clone(),
            kind: node.kind.to_string(),
            fate,
            change,
            effects,
            repeats: called && does.iter().any(|node| repeats(node)),
            calls: count,
            asks: called
                && (asked.contains(&*node.id)
                    || (!inside.is_empty() && asked_inside.contains(&*node.id))
                    || does_at.iter().any(|node| asks_now.contains(node))),
        });
    }
    for (id, node) in original.workflow.nodes.iter().filter(|(id, _)| !target.workflow.nodes.contains_key(*id)) {
        found.push(StepPlan {
            step: id.clone(),
            title: node.title.clone(),
            kind: node.kind.clone(),
            fate: StepDisposition::Gone,
            change: Change::Removed,
            effects: Effects::None,
            repeats: false,
            calls: calls.get(id.as_str()).copied().unwrap_or_default(),
            asks: false,
        });
    }
    found
}

/// Whether doing it again may do the same a second time.
fn repeats(node: &CompiledNode) -> bool {
    matches!(node.descriptor.effects.of(&node.config), Effects::Write)
        && !node.node.sends_key()
        && matches!(node.descriptor.replay.of(&node.config), Replay::Ask)
}

fn weight(effects: &Effects) -> u8 {
    match effects {
        Effects::None => 0,
        Effects::Read => 1,
        Effects::Write => 2,
    }
}

/// All steps of the file that a step calls, and of the files that those call; empty for any other step. `again`: of a file
/// that the run begins in, only what executes again or may run.
fn inside(compiled: &Compiled, index: usize, again: Option<(&Range, &BTreeSet<usize>)>) -> Vec<usize> {
    let (mut found, mut todo, mut seen) = (BTreeSet::new(), vec![index], BTreeSet::new());
    while let Some(caller) = todo.pop() {
        let Some(file) = called(compiled, caller) else { continue };
        let part = again.filter(|(range, _)| range.leads_through(caller));
        if seen.insert((file, part.is_some())) {
            let own = (0..compiled.nodes.len()).filter(|node| compiled.nodes[*node].file == file);
            let runs = |(range, to_come): (&Range, &BTreeSet<usize>), node: usize| {
                range.executes(compiled, node) || to_come.contains(&node)
            };
            let own: Vec<usize> = own.filter(|node| part.is_none_or(|again| runs(again, *node))).collect();
            todo.extend(own.iter().filter(|node| called(compiled, **node).is_some()));
            found.extend(own);
        }
    }
    found.into_iter().collect()
}

/// The file that a step calls.
fn called(compiled: &Compiled, caller: usize) -> Option<usize> {
    let node = &compiled.nodes[caller];
    if node.role != Role::Subworkflow {
        return None;
    }
    let first = compiled.regions.get(*node.bodies.first()?)?.nodes.first()?;
    Some(compiled.nodes[*first].file)
}

/// Whether what a step calls is the same in both definitions.
pub(crate) fn same_inside(original: &Compiled, target: &Compiled, id: &str) -> bool {
    let files = |compiled: &Compiled| {
        let inside = compiled.node_index(id).map(|index| inside(compiled, index, None)).unwrap_or_default();
        let files: BTreeSet<usize> = inside.iter().map(|node| compiled.nodes[*node].file).collect();
        files.into_iter().map(|file| Arc::clone(&compiled.files[file].workflow)).collect::<Vec<_>>()
    };
    let (before, now) = (files(original), files(target));
    before.len() == now.len() && before.iter().zip(&now).all(|(before, now)| same_file(before, now))
}

/// Whether two files do the same: names, notes and places do not matter.
fn same_file(one: &Workflow, other: &Workflow) -> bool {
    let node = |id: &String, node: &Node| other.nodes.get(id).is_some_and(|other| same(node, other));
    one.nodes.len() == other.nodes.len()
        && one.nodes.iter().all(|(id, one)| node(id, one))
        && one.edges == other.edges
        && one.settings == other.settings
        && one.params == other.params
}

fn unfinished(run: &NodeRun) -> bool {
    run.activation.as_ref().is_some_and(|activation| {
        let open = |(_, slot): (usize, &Slot)| matches!(slot.phase, Phase::Inside | Phase::Interrupted);
        activation.slots.fresh(0).next().is_some() || activation.slots.open().any(open)
    })
}

/// Nobody has been asked yet; a case of a step that a human node asks about is at that node.
fn is_asked_about(slot: &Slot) -> bool {
    matches!(&slot.phase, Phase::Case(case) if case.at == At::Ask)
}

/// Whether two entries of a file do the same: names and notes do not matter.
pub(crate) fn same(one: &Node, other: &Node) -> bool {
    let plain = |node: &Node| {
        let bare =
            Node { title: None, description: None, pinned: None, fault: None, type_version: None, ..node.clone() };
        serde_json::to_value(bare).unwrap_or(Value::Null)
    };
    plain(one) == plain(other)
}

/// The wires into a step, as a set.
pub(crate) fn wires<'a>(compiled: &'a Compiled, id: &str) -> BTreeSet<&'a str> {
    compiled.workflow.edges.iter().filter(|edge| edge.to == id).map(|edge| edge.from.as_str()).collect()
}
