//! What a run's data looks like to a person who writes an expression: folded from the run's events, read-only, never
//! part of the engine's state. Seen from a path: nodes there, and nodes around it.

use crate::place::{self, Frame};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use signalbox_engine::scope::{NodeView, Scope};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{ErrorPayload, EventBody, Item, Role, RunEvent, Workflow, time, wire};
use std::collections::HashMap;
use std::sync::Arc;

/// Events that are looked at; a panel beside the editor does not need the end of a very long run.
pub(crate) const MOST_EVENTS: usize = 20_000;

/// A value and how it is fetched whole.
#[derive(Debug, Clone, Default)]
struct Place {
    seq: u64,
    pointer: String,
}

/// What happened to one node.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeData {
    input: IndexMap<usize, (Arc<Value>, Place)>,
    output: IndexMap<String, Vec<(Item, Place)>>,
    error: Option<(Arc<ErrorPayload>, Place)>,
    config: Option<(Arc<Value>, Place)>,
}

/// A run, folded.
#[derive(Debug, Clone)]
pub(crate) struct RunView {
    pub(crate) run_id: String,
    pub(crate) started_ms: i64,
    pub(crate) workflow_name: String,
    params: Arc<Value>,
    context: IndexMap<String, Arc<Value>>,
    nodes: HashMap<String, NodeData>,
    /// Up to where it is folded.
    pub(crate) seq: u64,
    taken: usize,
    path: String,
    /// Where each node of the file is that can be seen from the path.
    homes: HashMap<String, String>,
    workflow: Option<Arc<Workflow>>,
}

impl RunView {
    pub(crate) fn new(run_id: &str, path: &str, workflow: Option<&Workflow>, initial: Map<String, Value>) -> Self {
        Self {
            homes: workflow.map(|workflow| homes(workflow, path)).unwrap_or_default(),
            workflow: workflow.cloned().map(Arc::new),
            path: path.to_owned(),
            seq: 0,
            taken: 0,
            run_id: run_id.to_owned(),
            started_ms: 0,
            workflow_name: String::new(),
            params: Arc::new(Value::Null),
            context: initial.into_iter().map(|(name, value)| (name, Arc::new(value))).collect(),
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
        self.workflow.as_ref().and_then(|workflow| place::frames(workflow, &self.path)).unwrap_or_default()
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
                    self.context.insert(name.clone(), Arc::new(value.clone()));
                }
            }
            // A sub-workflow has variables of its own.
            EventBody::VarChanged(_) if self.leads_outside(event.path.as_deref().unwrap_or_default()) => {}
            EventBody::VarChanged(change) => {
                let name = change.name.trim_start_matches('$');
                self.context.insert(name.to_owned(), Arc::clone(&change.new_value));
            }
            EventBody::StepStart(_) | EventBody::StepDone(_) | EventBody::StepError(_) => {
                let node = event.step_id.as_deref().unwrap_or_default();
                let home = self.homes.get(node).map_or("", String::as_str);
                if home == event.path.as_deref().unwrap_or_default() {
                    self.nodes.entry(node.to_owned()).or_default().take(event, seq, prefix);
                }
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
            | EventBody::StepPrint(_)
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
            | EventBody::PauseStart(_)
            | EventBody::PauseResumed(_)
            | EventBody::PauseRejected(_)
            | EventBody::PauseTimeout(_)
            | EventBody::FileStart(_)
            | EventBody::FileDone(_)
            | EventBody::LlmToken(_)
            | EventBody::LlmThinking(_)
            | EventBody::LlmToolUse(_)
            | EventBody::LlmToolResult(_)
            | EventBody::LlmDone(_)
            | EventBody::LlmError(_)
            | EventBody::ToolStart(_)
            | EventBody::ToolMessage(_)
            | EventBody::ToolDone(_)
            | EventBody::ToolError(_) => {}
        }
    }

    fn leads_outside(&self, path: &str) -> bool {
        self.workflow.as_ref().is_some_and(|workflow| place::frames(workflow, path).is_none())
    }

    /// The context as it stands.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.context.iter().map(|(name, value)| (name, &**value))
    }

    pub(crate) fn node(&self, id: &str) -> Option<&NodeData> {
        self.nodes.get(id)
    }

    /// Data of the items that a node got; of a node that has not run, what the steps before it would hand it now.
    pub(crate) fn items_for(&self, workflow: &Workflow, node: &str) -> Option<Vec<Arc<Value>>> {
        if let Some(data) = self.nodes.get(node) {
            let mut items: Vec<_> = data.input.iter().collect();
            items.sort_by_key(|(index, _)| **index);
            return Some(items.into_iter().map(|(_, (data, _))| Arc::clone(data)).collect());
        }
        let mut found = Vec::new();
        let mut wired = false;
        for edge in workflow.edges.iter().filter(|edge| edge.to == node) {
            wired = true;
            let list = self.nodes.get(edge.from.node()).and_then(|data| data.output.get(edge.from.port()));
            found.extend(list.into_iter().flatten().map(|(item, _)| Arc::clone(&item.data)));
        }
        if !wired {
            // An entry gets the run's input; in a body, what its container hands it.
            return match place::around(workflow, node).last() {
                None => Some(vec![Arc::clone(&self.params)]),
                Some(container) if place::role(workflow, container) == Some(Role::Loop) => {
                    self.element(workflow, node).map(|(item, _)| vec![item])
                }
                Some(container) => self.nodes.contains_key(*container).then(|| self.items_for(workflow, container))?,
            };
        }
        (!found.is_empty()).then_some(found)
    }

    /// `_result` of a node's last call for one of its items: data of what it put out, a list of several.
    pub(crate) fn result(&self, node: &str, item: usize) -> Option<Arc<Value>> {
        let own = |made: &&(Item, Place)| made.0.paired_item.is_none_or(|paired| paired == item);
        let made: Vec<Arc<Value>> = self
            .nodes
            .get(node)?
            .output
            .iter()
            .filter(|(port, _)| *port != "error")
            .flat_map(|(_, items)| items.iter().filter(own).map(|(item, _)| Arc::clone(&item.data)))
            .collect();
        match made.as_slice() {
            [] => None,
            [one] => Some(Arc::clone(one)),
            many => Some(Arc::new(Value::Array(many.iter().map(|value| (**value).clone()).collect()))),
        }
    }

    /// `_item` and `_index` of the nearest loop around a node.
    fn element(&self, workflow: &Workflow, node: &str) -> Option<(Arc<Value>, usize)> {
        let around = place::around(workflow, node);
        let container = around.iter().rev().find(|id| place::role(workflow, id) == Some(Role::Loop))?;
        let frames = self.frames();
        let index = frames.iter().rev().find(|frame| frame.container == *container)?.index?;
        let data = self.nodes.get(*container)?;
        let config = data.config.as_ref().map(|(config, _)| &**config)?;
        let input = |index: usize| data.input.get(&index).map(|(data, _)| Arc::clone(data));
        let item = match config.get("source").and_then(Value::as_array) {
            Some(list) => list.get(index).cloned().map(Arc::new),
            None if config.get("while").is_some() => input(0),
            None => input(index),
        };
        Some((item.unwrap_or_default(), index))
    }

    /// The scope of a node's expressions for one of its items.
    pub(crate) fn scope(&self, workflow: &Workflow, node: &str, items: Vec<Arc<Value>>, item: usize) -> Scope {
        let null = Arc::new(Value::Null);
        let current = items.get(item).cloned().unwrap_or_else(|| Arc::clone(&null));
        let started = time::format(self.started_ms);
        let mut views = IndexMap::new();
        for id in workflow.nodes.keys() {
            let Some(success) = self.nodes.get(id).and_then(|data| data.output.get("success")) else { continue };
            let all: Vec<Arc<Value>> = success.iter().map(|(item, _)| Arc::clone(&item.data)).collect();
            let output = match all.as_slice() {
                [] => Arc::clone(&null),
                [one] => Arc::clone(one),
                many => Arc::new(Value::Array(many.iter().map(|value| (**value).clone()).collect())),
            };
            views.insert(id.clone(), NodeView { output, items: Arc::new(all) });
        }
        let element = self.element(workflow, node);
        let bound = |(item, index)| [("_item", item), ("_index", Arc::new(Value::from(index)))];
        Scope {
            locals: element.into_iter().flat_map(bound).collect(),
            params: Arc::clone(&self.params),
            run: Arc::new(serde_json::json!({ "id": self.run_id, "startedAt": started })),
            workflow: Arc::new(serde_json::json!({ "id": workflow.id })),
            context: Arc::new(self.context.clone()),
            item: Arc::clone(&current),
            items: Arc::new(items),
            nodes: Arc::new(views),
            data: current,
            ..Scope::empty()
        }
    }
}

impl NodeData {
    /// The next event of the node.
    pub(crate) fn take(&mut self, event: &RunEvent, seq: u64, prefix: &str) {
        match &event.body {
            EventBody::StepStart(start) => {
                self.config =
                    Some((Arc::clone(&start.config), Place { seq, pointer: format!("{prefix}/payload/config") }));
                for (index, item) in start.input.iter().enumerate() {
                    let place = Place { seq, pointer: format!("{prefix}/payload/input/{index}/data") };
                    self.input.insert(item.item, (Arc::clone(&item.data), place));
                }
            }
            EventBody::StepDone(done) => {
                for (port, items) in &done.items {
                    let list = self.output.entry(port.clone()).or_default();
                    for (index, item) in items.iter().enumerate() {
                        let pointer = format!("{prefix}/payload/items/{}/{index}/data", pointer_token(port));
                        list.push((item.into_owned(), Place { seq, pointer }));
                    }
                }
            }
            EventBody::StepError(failed) => {
                let place = Place { seq, pointer: format!("{prefix}/payload/error") };
                self.error = Some((Arc::clone(&failed.error), place));
            }
            _ => {}
        }
    }

    /// Nothing was said about the node.
    pub(crate) fn is_empty(&self) -> bool {
        self.config.is_none()
    }

    /// `[{item, data}]`, large values cut.
    pub(crate) fn input(&self, run: &str) -> Value {
        let mut rows: Vec<_> = self.input.iter().collect();
        rows.sort_by_key(|(index, _)| **index);
        let row = |(index, (data, place)): (&usize, &(Arc<Value>, Place))| serde_json::json!({ "item": index, "data": cut(data, run, place) });
        rows.into_iter().map(row).collect()
    }

    /// Port → items, large data cut.
    pub(crate) fn output(&self, run: &str) -> Value {
        let ports = self.output.iter().map(|(port, items)| {
            let items = items.iter().map(|(item, place)| {
                let mut value = serde_json::to_value(item).unwrap_or_default();
                value["data"] = cut(&item.data, run, place);
                value
            });
            (port.clone(), items.collect())
        });
        Value::Object(ports.collect())
    }

    /// The last error, its details cut.
    pub(crate) fn error(&self, run: &str) -> Option<Value> {
        let (error, place) = self.error.as_ref()?;
        let mut value = serde_json::to_value(&**error).ok()?;
        if let Some(input) = value.pointer_mut("/details/input") {
            let inner = Place { seq: place.seq, pointer: format!("{}/details/input", place.pointer) };
            *input = cut(input, run, &inner);
        }
        Some(value)
    }

    /// Evaluated config of the last call.
    pub(crate) fn config(&self, run: &str) -> Value {
        self.config.as_ref().map(|(config, place)| cut(config, run, place)).unwrap_or_default()
    }
}

/// Where the nodes are that can be seen from a path: those in the containers of the path, and those at the top.
fn homes(workflow: &Workflow, path: &str) -> HashMap<String, String> {
    let frames = place::frames(workflow, path).unwrap_or_default();
    let home = |id: &String| {
        let around = place::around(workflow, id);
        if frames.len() < around.len() || frames.iter().zip(&around).any(|(frame, id)| frame.container != *id) {
            return None;
        }
        let path = around.len().checked_sub(1).map_or("", |depth| frames[depth].path);
        Some((id.clone(), path.to_owned()))
    };
    workflow.nodes.keys().filter_map(home).collect()
}

/// Where an event stands that a re-run has from its original, in its first one.
pub(crate) fn base_pointer(index: usize) -> String {
    format!("/payload/base/events/{index}")
}

fn cut(value: &Value, run: &str, place: &Place) -> Value {
    let reference = format!("{run}/{}{}", place.seq, place.pointer);
    wire::truncate(value, &reference).unwrap_or_else(|| value.clone())
}
