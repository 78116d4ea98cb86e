//! What a run's data looks like to a person who writes an expression: folded from the run's events, read-only, never
//! part of the engine's state.

use indexmap::IndexMap;
use serde_json::{Map, Value};
use signalbox_engine::scope::{NodeView, Scope};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{ErrorPayload, EventBody, Item, RunEvent, Workflow, time, wire};
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
    last_start: u64,
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
}

impl RunView {
    pub(crate) fn new(run_id: &str, initial: Map<String, Value>) -> Self {
        Self {
            run_id: run_id.to_owned(),
            started_ms: 0,
            workflow_name: String::new(),
            params: Arc::new(Value::Null),
            context: initial.into_iter().map(|(name, value)| (name, Arc::new(value))).collect(),
            nodes: HashMap::new(),
        }
    }

    pub(crate) fn take(&mut self, event: &RunEvent) {
        let seq = event.seq.unwrap_or_default();
        match &event.body {
            EventBody::WorkflowStart(start) => {
                self.started_ms = time::parse(&event.ts).unwrap_or_default();
                self.workflow_name.clone_from(&start.name);
                self.params = Arc::clone(&start.params);
                for (name, value) in start.context.iter().flatten() {
                    self.context.insert(name.clone(), Arc::new(value.clone()));
                }
            }
            EventBody::VarChanged(change) => {
                let name = change.name.trim_start_matches('$');
                self.context.insert(name.to_owned(), Arc::clone(&change.new_value));
            }
            EventBody::StepStart(start) => {
                let node = self.nodes.entry(event.step_id.clone().unwrap_or_default()).or_default();
                node.last_start = seq;
                node.config = Some((Arc::clone(&start.config), Place { seq, pointer: "/payload/config".into() }));
                for (index, item) in start.input.iter().enumerate() {
                    let place = Place { seq, pointer: format!("/payload/input/{index}/data") };
                    node.input.insert(item.item, (Arc::clone(&item.data), place));
                }
            }
            EventBody::StepDone(done) => {
                let node = self.nodes.entry(event.step_id.clone().unwrap_or_default()).or_default();
                for (port, items) in &done.items {
                    let list = node.output.entry(port.clone()).or_default();
                    for (index, item) in items.iter().enumerate() {
                        let pointer = format!("/payload/items/{}/{index}/data", pointer_token(port));
                        list.push((item.clone(), Place { seq, pointer }));
                    }
                }
            }
            EventBody::StepError(failed) => {
                let node = self.nodes.entry(event.step_id.clone().unwrap_or_default()).or_default();
                let place = Place { seq, pointer: "/payload/error".into() };
                node.error = Some((Arc::clone(&failed.error), place));
            }
            EventBody::WorkflowDone(_)
            | EventBody::WorkflowFailed(_)
            | EventBody::WorkflowCancelled(_)
            | EventBody::WorkflowResumed(_)
            | EventBody::StepInterrupted(_)
            | EventBody::StepSkipped(_)
            | EventBody::StepPrint(_)
            | EventBody::RetryScheduled(_)
            | EventBody::ErrorHandled(_)
            | EventBody::AutoFixAttempt(_)
            | EventBody::HumanTaskCreated(_)
            | EventBody::HumanTaskCompleted(_)
            | EventBody::HumanTaskReminded(_)
            | EventBody::HumanTaskClosed(_)
            | EventBody::Escalated(_)
            | EventBody::PauseStart(_)
            | EventBody::PauseResumed(_)
            | EventBody::PauseTimeout(_)
            | EventBody::FileStart(_)
            | EventBody::FileDone(_) => {}
        }
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
            // An entry gets the run's input.
            return Some(vec![Arc::clone(&self.params)]);
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

    /// The scope of a node's expressions for one of its items.
    pub(crate) fn scope(&self, workflow: &Workflow, items: Vec<Arc<Value>>, item: usize) -> Scope {
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
        Scope {
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

fn cut(value: &Value, run: &str, place: &Place) -> Value {
    let reference = format!("{run}/{}{}", place.seq, place.pointer);
    wire::truncate(value, &reference).unwrap_or_else(|| value.clone())
}
