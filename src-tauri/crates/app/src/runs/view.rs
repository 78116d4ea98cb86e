//! What a run's data looks like to a person who writes an expression: folded from the run's events, read-only, never
//! part of the engine's state. Seen from a path: nodes there, and nodes around it.

mod node;
mod paired;

use crate::workflows::node_scope::{self, Frame};
use crate::workflows::pins::Pins;
use indexmap::IndexMap;
use serde_json::{Map, Value};
use signalbox_engine::config;
use signalbox_engine::expr::Expr;
use signalbox_engine::schemas::Schemas;
use signalbox_engine::scope::{Context, NodeView, Scope};
use signalbox_model::data::{Read, Text};
use signalbox_model::{Data, EventBody, Item, Role, RunEvent, Workflow, time};
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) use node::NodeData;
use node::{Made, Place};

/// Events that are looked at; a panel beside the editor does not need the end of a very long run.
pub(crate) const MOST_EVENTS: usize = 20_000;

/// When an expression of a node is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// With the call: `if`, `in`, settings.
    Before,
    /// With its end: `out`, `print`, and what a loop asks about an iteration.
    After,
}

/// A run, folded.
#[derive(Debug, Clone)]
pub(crate) struct RunView {
    pub(crate) run_id: String,
    pub(crate) started_ms: i64,
    pub(crate) workflow_name: String,
    params: Arc<Value>,
    context: Context,
    nodes: HashMap<String, NodeData>,
    /// Up to where it is folded.
    pub(crate) seq: u64,
    taken: usize,
    path: String,
    /// Where each node of the file is that can be seen from the path.
    homes: HashMap<String, String>,
    workflow: Option<Arc<Workflow>>,
    /// The step that executed last.
    last_node: Option<String>,
}

impl RunView {
    pub(crate) fn new(run_id: &str, path: &str, workflow: Option<&Workflow>, initial: Map<String, Value>) -> Self {
        Self {
            homes: workflow.map(|workflow| homes(workflow, path)).unwrap_or_default(),
            workflow: workflow.cloned().map(Arc::new),
            path: path.to_owned(),
            last_node: None,
            seq: 0,
            taken: 0,
            run_id: run_id.to_owned(),
            started_ms: 0,
            workflow_name: String::new(),
            params: Arc::new(Value::Null),
            context: Arc::new(initial.into_iter().map(|(name, value)| (name, Arc::new(value))).collect()),
            nodes: HashMap::new(),
        }
    }

    /// It is this run's, seen from this path.
    pub(crate) fn is_of(&self, run_id: &str, path: &str) -> bool {
        self.run_id == run_id && self.path == path
    }

    /// It looks at no more events.
    pub(crate) fn is_full(&self) -> bool {
        self.taken >= MOST_EVENTS
    }

    /// The path and those around it, but the top.
    pub(crate) fn paths(&self) -> Vec<&str> {
        self.frames().iter().map(|frame| frame.path).collect()
    }

    fn frames(&self) -> Vec<Frame<'_>> {
        self.workflow.as_ref().and_then(|workflow| node_scope::frames(workflow, &self.path)).unwrap_or_default()
    }

    pub(crate) fn take(&mut self, event: &RunEvent) {
        self.taken += 1;
        self.take_at(event, event.seq.unwrap_or_default(), "");
    }

    /// `prefix` is where an event stands that is part of another one: what a re-run keeps of its original.
    fn take_at(&mut self, event: &RunEvent, seq: u64, prefix: &str) {
        match &event.body {
            EventBody::WorkflowStart(start) => {
                self.started_ms = time::parse(&event.ts).unwrap_or_default();
                self.workflow_name.clone_from(&start.name);
                self.params = Arc::clone(&start.params);
                for (index, kept) in start.base.iter().flat_map(|base| base.events.iter().enumerate()) {
                    self.take_at(kept, seq, &base_pointer(index));
                }
                for (name, value) in start.context.iter().flatten() {
                    Arc::make_mut(&mut self.context).insert(name.clone(), Arc::new(value.clone()));
                }
            }
            // A sub-workflow has variables of its own.
            EventBody::VarChanged(_) if self.leads_outside(event.path.as_deref().unwrap_or_default()) => {}
            EventBody::VarChanged(change) => {
                let found = Arc::clone(&self.context);
                if let Some(node) = self.node_of(event) {
                    node.ends(&found);
                    node.writes = true;
                }
                let name = change.name.trim_start_matches('$');
                Arc::make_mut(&mut self.context).insert(name.to_owned(), Arc::clone(&change.new_value));
            }
            EventBody::StepStart(_) | EventBody::StepDone(_) | EventBody::StepError(_) => {
                if !matches!(event.body, EventBody::StepStart(_)) {
                    self.last_node.clone_from(&event.step_id);
                }
                let found = Arc::clone(&self.context);
                if let Some(node) = self.node_of(event) {
                    node.take(event, seq, prefix);
                    node.finds(event, &found);
                }
                self.share(event.step_id.as_deref().unwrap_or_default());
            }
            EventBody::WorkflowDone(_)
            | EventBody::WorkflowFailed(_)
            | EventBody::WorkflowCancelled(_)
            | EventBody::WorkflowResumed(_)
            | EventBody::BreakpointsSet(_)
            | EventBody::WorkflowPaused(_)
            | EventBody::WorkflowContinued(_)
            | EventBody::InputEdited(_)
            | EventBody::StepInterrupted(_)
            | EventBody::StepSkipped(_)
            | EventBody::RetryScheduled(_)
            | EventBody::ErrorHandled(_)
            | EventBody::AutoFixAttempt(_)
            | EventBody::HumanTaskCreated(_)
            | EventBody::HumanTaskCompleted(_)
            | EventBody::HumanTaskReminded(_)
            | EventBody::HumanTaskHeld(_)
            | EventBody::HumanTaskContinued(_)
            | EventBody::HumanTaskClosed(_)
            | EventBody::Escalated(_)
            | EventBody::PauseTimeout(_)
            | EventBody::Telemetry(_) => {}
        }
    }

    /// What a node has and another one has, too, is there once.
    fn share(&mut self, node: &str) {
        let Some(mut own) = self.nodes.remove(node) else { return };
        own.share(|text| self.nodes.values().find_map(|other| other.same(text)));
        self.nodes.insert(node.to_owned(), own);
    }

    /// The node of an event, when it can be seen from here.
    fn node_of(&mut self, event: &RunEvent) -> Option<&mut NodeData> {
        let node = event.step_id.as_deref()?;
        let home = self.homes.get(node).map_or("", String::as_str);
        (home == event.path.as_deref().unwrap_or_default()).then(|| self.nodes.entry(node.to_owned()).or_default())
    }

    fn leads_outside(&self, path: &str) -> bool {
        self.workflow.as_ref().is_some_and(|workflow| node_scope::frames(workflow, path).is_none())
    }

    /// The context as a node found it; as it stands, where the node was not called.
    fn found_by(&self, node: &str, item: usize, when: When) -> Context {
        let data = self.nodes.get(node);
        let found = data.and_then(|data| match when {
            When::Before => data.began.get(&item).or_else(|| data.began.values().next()),
            When::After => data.ended.as_ref(),
        });
        Arc::clone(found.unwrap_or(&self.context))
    }

    /// The context as it stands.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.context.iter().map(|(name, value)| (name, &**value))
    }

    pub(crate) fn node(&self, id: &str) -> Option<&NodeData> {
        self.nodes.get(id)
    }

    /// Nothing has run yet.
    pub(crate) fn before_any_run(workflow: &Workflow) -> Self {
        let initial = workflow.initial_context().into_iter().collect();
        Self { workflow_name: workflow.name.clone(), ..Self::new("", "", Some(workflow), initial) }
    }

    /// From here on these steps have put out what is pinned for them, as the next run in the builder will.
    pub(crate) fn pin(&mut self, workflow: &Workflow, pins: &Pins) {
        for id in workflow.nodes.keys() {
            let Some(pin) = pins.get(id) else { continue };
            // As many items as came stand for these, one by one; any other number belongs to the first.
            let came = self.items_for(workflow, id).map_or(0, |items| items.len());
            let count = pin.ports.values().map(Vec::len).sum::<usize>();
            let mut all = 0..count;
            let mut item = |data: &Value| {
                let index = all.next().unwrap_or_default();
                let paired_item = if came == count { Some(index) } else { (came > 0).then_some(0) };
                let item = Item { paired_item, ..Item::default() };
                Made { item, data: data.clone().into(), place: Place::default() }
            };
            let output = pin.ports.iter().map(|(port, items)| (port.clone(), items.iter().map(&mut item).collect()));
            let output = output.collect();
            self.nodes.entry(id.clone()).or_default().output = output;
        }
    }

    /// [`Self::items_for`]; where all wires of a node come from pinned steps, what they bring counts and not what a run brought.
    pub(crate) fn arriving(&self, workflow: &Workflow, node: &str, pins: Option<&Pins>) -> Option<Vec<Data>> {
        let wires: Vec<_> = workflow.edges.iter().filter(|edge| edge.to == node).collect();
        let pinned =
            pins.filter(|pins| !wires.is_empty() && wires.iter().all(|edge| pins.contains_key(edge.from.node())));
        let items = pinned.map(|_| self.handed_on(workflow, node).1).filter(|items| !items.is_empty());
        items.or_else(|| self.items_for(workflow, node))
    }

    /// Whether a wire leads to a node, and what the steps before it would hand it now.
    fn handed_on(&self, workflow: &Workflow, node: &str) -> (bool, Vec<Data>) {
        let mut found = Vec::new();
        let mut wired = false;
        for edge in workflow.edges.iter().filter(|edge| edge.to == node) {
            wired = true;
            let list = self.nodes.get(edge.from.node()).and_then(|data| data.output.get(edge.from.port()));
            found.extend(list.into_iter().flatten().map(|made| made.data.clone()));
        }
        (wired, found)
    }

    /// Data of the items that a node got; of a node that has not run, what the steps before it would hand it now.
    pub(crate) fn items_for(&self, workflow: &Workflow, node: &str) -> Option<Vec<Data>> {
        // One that is only pinned got nothing yet.
        if let Some(data) = self.nodes.get(node).filter(|data| !data.is_empty()) {
            let mut items: Vec<_> = data.input.iter().collect();
            items.sort_by_key(|(index, _)| **index);
            return Some(items.into_iter().map(|(_, (data, _))| data.clone()).collect());
        }
        let (wired, found) = self.handed_on(workflow, node);
        if !wired {
            // An entry gets the run's input; in a body, what its container hands it.
            return match node_scope::around(workflow, node).last() {
                None => Some(vec![Arc::clone(&self.params).into()]),
                Some(container) if node_scope::role(workflow, container) == Some(Role::Loop) => {
                    self.element(workflow, node).map(|(item, _)| vec![item])
                }
                Some(container) => self.nodes.contains_key(*container).then(|| self.items_for(workflow, container))?,
            };
        }
        (!found.is_empty()).then_some(found)
    }

    /// `_result` of a node's last call for one of its items: data of what it put out, a list of several.
    pub(crate) fn result(&self, node: &str, item: usize) -> Option<Data> {
        let own = |made: &&Made| made.item.paired_item.is_none_or(|paired| paired == item);
        let made: Vec<Data> = self
            .nodes
            .get(node)?
            .output
            .iter()
            .filter(|(port, _)| *port != "error")
            .flat_map(|(_, items)| items.iter().filter(own).map(|made| made.data.clone()))
            .collect();
        one_or_list(&made)
    }

    /// `_result` of the iteration that is looked at: data of what left the body; `None` when nothing did.
    pub(crate) fn result_inside(&self, container: &str) -> Option<Data> {
        let leaves = leaves(self.workflow.as_ref()?, container);
        let success = leaves.filter_map(|leaf| self.nodes.get(leaf)?.output.get("success"));
        one_or_list(&success.flatten().map(|made| made.data.clone()).collect::<Vec<_>>())
    }

    /// `_item` and `_index` of the nearest loop around a node.
    fn element(&self, workflow: &Workflow, node: &str) -> Option<(Data, usize)> {
        let around = node_scope::around(workflow, node);
        let container = around.iter().rev().find(|id| node_scope::role(workflow, id) == Some(Role::Loop))?;
        self.element_of(container)
    }

    /// `_item` and `_index` of a loop in the iteration that is looked at.
    pub(crate) fn element_of(&self, container: &str) -> Option<(Data, usize)> {
        let frames = self.frames();
        let index = frames.iter().rev().find(|frame| frame.container == container)?.index?;
        let data = self.nodes.get(container)?;
        let config = data.config.as_ref().map(|(config, _)| &**config)?;
        let input = |index: usize| data.input.get(&index).map(|(data, _)| data.clone());
        if let Some(list) = self.long_source(container, config) {
            let Read::List(list) = list.read() else { return None };
            return Some((list.get(index)?.value().into(), index));
        }
        let item = match config.get("source").and_then(Value::as_array) {
            Some(list) => list.get(index).cloned().map(Data::from),
            None if config.get("while").is_some() => input(0),
            None => input(index),
        };
        Some((item.unwrap_or_default(), index))
    }

    /// The list of a loop that stayed an expression in its settings.
    fn long_source(&self, container: &str, config: &Value) -> Option<Text> {
        let source = Expr::compile(config::late(config, "/source")?).ok()?;
        let workflow = self.workflow.clone()?;
        let items = self.items_for(&workflow, container)?;
        match source.eval_text(&self.scope(&workflow, container, items, 0, When::Before)).ok()? {
            Data::Text(text) => Some(text),
            Data::Value(_) => None,
        }
    }

    /// The scope of a node's expressions for one of its items.
    pub(crate) fn scope(&self, workflow: &Workflow, node: &str, items: Vec<Data>, item: usize, when: When) -> Scope {
        let current = items.get(item).cloned().unwrap_or_default();
        let started = time::format(self.started_ms);
        let mut views = IndexMap::new();
        for id in workflow.nodes.keys() {
            let Some(success) = self.nodes.get(id).and_then(|data| data.output.get("success")) else { continue };
            let all: Vec<Data> = success.iter().map(|made| made.data.clone()).collect();
            let output = one_or_list(&all).unwrap_or_default();
            views.insert(id.clone(), NodeView { output, items: Arc::new(all) });
        }
        let element = self.element(workflow, node);
        let bound = |(item, index): (Data, usize)| [("_item", item), ("_index", Value::from(index).into())];
        Scope {
            paired: paired::of(self, workflow, node, item, items.len()),
            locals: element.into_iter().flat_map(bound).collect(),
            params: Arc::clone(&self.params),
            run: serde_json::json!({ "id": self.run_id, "startedAt": started, "lastNode": self.last_node }).into(),
            workflow: Arc::new(serde_json::json!({ "id": workflow.id })),
            context: self.found_by(node, item, when),
            item: current.clone(),
            items: Arc::new(items),
            nodes: Arc::new(views),
            data: current,
            schemas: Schemas::of(workflow),
            ..Scope::empty()
        }
    }
}

/// Where the nodes are that can be seen from a path: those in the containers of the path, and those at the top.
fn homes(workflow: &Workflow, path: &str) -> HashMap<String, String> {
    let frames = node_scope::frames(workflow, path).unwrap_or_default();
    let home = |id: &String| {
        let around = node_scope::around(workflow, id);
        if frames.len() < around.len() || frames.iter().zip(&around).any(|(frame, id)| frame.container != *id) {
            return None;
        }
        let path = around.len().checked_sub(1).map_or("", |depth| frames[depth].path);
        Some((id.clone(), path.to_owned()))
    };
    workflow.nodes.keys().filter_map(home).collect()
}

/// The nodes of a container whose items are its result, in file order.
pub(crate) fn leaves<'a>(workflow: &'a Workflow, container: &'a str) -> impl Iterator<Item = &'a str> {
    let inside = workflow.nodes.iter().filter(move |(_, node)| node.parent.as_deref() == Some(container));
    let goes_on = |id: &str| workflow.edges.iter().any(|edge| edge.from.node() == id && edge.from.port() == "success");
    inside.map(|(id, _)| id.as_str()).filter(move |id| !goes_on(id))
}

fn one_or_list(made: &[Data]) -> Option<Data> {
    match made {
        [] => None,
        [one] => Some(one.clone()),
        many if many.iter().any(|one| matches!(one, Data::Text(_))) => Some(Data::written(Data::list(many))),
        many => Some(Value::Array(many.iter().map(|one| (*one.value()).clone()).collect()).into()),
    }
}

/// Where an event stands that a re-run has from its original, in its first one.
pub(crate) fn base_pointer(index: usize) -> String {
    format!("/payload/base/events/{index}")
}
