//! What a simulated run came to: proposed as expectations when a test is saved, compared with them when it runs.

use crate::test_file::Expectations;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use signalbox_engine::scope::{NodeView, Scope};
use signalbox_engine::{Compiled, RunState, expr, summary};
use signalbox_model::{Data, EventBody, NodeState, RunEvent, RunSummary, Workflow};
use std::sync::Arc;

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Observed {
    /// Its summary.
    pub summary: RunSummary,
    /// Step of the run's own file → port → items that left there.
    pub ports: IndexMap<String, IndexMap<String, usize>>,
    /// Step → calls, in order: `{path, item, visit, attempt, config, input}`.
    pub calls: IndexMap<String, Vec<Value>>,
    /// Step → data of its last output through its success ports.
    last: IndexMap<String, Vec<Data>>,
}

/// The state as it is written.
pub fn state_name(state: NodeState) -> String {
    serde_json::to_value(state).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Whether a path leads into another file.
pub(crate) fn in_called_file(workflow: &Workflow, path: &str) -> bool {
    let names = path.split('/').map(|part| part.split('[').next().unwrap_or(part));
    names.into_iter().any(|name| workflow.nodes.get(name).is_some_and(|node| node.kind == "flow.subworkflow"))
}

impl Observed {
    /// Of a run and its events.
    pub fn new(compiled: &Compiled, state: &RunState, events: &[RunEvent]) -> Self {
        let mut observed = Self {
            summary: summary::of(compiled, state),
            ports: IndexMap::new(),
            calls: IndexMap::new(),
            last: IndexMap::new(),
        };
        for event in events {
            let Some(step) = &event.step_id else { continue };
            if event.path.as_deref().is_some_and(|path| in_called_file(&compiled.workflow, path)) {
                continue;
            }
            match &event.body {
                EventBody::StepStart(start) => {
                    let input: Vec<Value> = start.input.iter().map(|item| (*item.data.value()).clone()).collect();
                    let call = json!({
                        "path": event.path.as_deref().unwrap_or_default(),
                        "item": event.item,
                        "visit": event.visit,
                        "attempt": event.attempt,
                        "config": start.config,
                        "input": input,
                    });
                    observed.calls.entry(step.clone()).or_default().push(call);
                }
                EventBody::StepDone(done) => {
                    let ports = observed.ports.entry(step.clone()).or_default();
                    for (port, items) in &done.ports {
                        *ports.entry(port.clone()).or_default() += items;
                    }
                    let data = done.items.iter().filter(|(port, _)| *port != "error");
                    let data = data.flat_map(|(_, items)| items.pieces().map(|(_, data)| data)).collect();
                    observed.last.insert(step.clone(), data);
                }
                _ => {}
            }
        }
        observed
    }

    /// Expectations that this run fulfils.
    pub fn propose(&self, compiled: &Compiled, declares: &dyn Fn(&str) -> usize) -> Expectations {
        let summary = &self.summary;
        let nodes = &compiled.workflow.nodes;
        let mut steps = IndexMap::new();
        let mut not_called = Vec::new();
        for (id, step) in &summary.steps {
            if step.attempts == 0 {
                not_called.push(id.clone());
            } else {
                steps.insert(id.clone(), state_name(step.state));
            }
        }
        // Of a step with one way out its state says as much.
        let chosen = self.ports.iter().filter(|(id, _)| nodes.get(*id).is_some_and(|node| declares(&node.kind) > 1));
        Expectations {
            status: Some(summary.status.as_str().to_owned()),
            failed_step: summary.failed_step_id.clone(),
            error_code: summary.error.as_ref().map(|error| error.code().to_owned()).filter(|code| !code.is_empty()),
            output: Some(summary.output.clone()),
            context: Map::new(),
            steps,
            ports: chosen.map(|(id, ports)| (id.clone(), ports.clone())).collect(),
            not_called,
            assertions: Vec::new(),
        }
    }

    /// Evaluates an assertion.
    ///
    /// # Errors
    /// In plain words, when it cannot be evaluated.
    pub fn holds(&self, assertion: &str, params: &Value) -> Result<bool, String> {
        let expr = expr::Expr::compile(assertion).map_err(|error| error.to_string())?;
        expr.eval_bool(&self.scope(params)).map_err(|error| error.to_string())
    }

    fn scope(&self, params: &Value) -> Scope {
        let summary = &self.summary;
        let steps: Map<String, Value> = summary
            .steps
            .iter()
            .map(|(id, step)| {
                let ports = json!(self.ports.get(id).cloned().unwrap_or_default());
                let calls = self.calls.get(id).map_or(0, Vec::len);
                (id.clone(), json!({ "state": state_name(step.state), "calls": calls, "ports": ports }))
            })
            .collect();
        let ids = summary.steps.keys();
        let calls: Map<String, Value> =
            ids.map(|id| (id.clone(), json!(self.calls.get(id).cloned().unwrap_or_default()))).collect();
        let nodes: IndexMap<String, NodeView> = self
            .last
            .iter()
            .map(|(id, data)| {
                let output = match data.as_slice() {
                    [] => Data::from(Value::Null),
                    [one] => one.clone(),
                    all => Data::from(Value::Array(all.iter().map(|one| (*one.value()).clone()).collect())),
                };
                (id.clone(), NodeView { output, items: Arc::new(data.clone()) })
            })
            .collect();
        let error = summary.error.as_ref().and_then(|error| serde_json::to_value(error).ok()).unwrap_or_default();
        let context = summary.context.iter().map(|(name, value)| (name.clone(), Arc::new(value.clone())));
        Scope {
            params: Arc::new(params.clone()),
            context: Arc::new(context.collect()),
            nodes: Arc::new(nodes),
            error: Arc::new(error),
            locals: vec![
                ("status", Data::from(Value::from(summary.status.as_str()))),
                ("output", Data::from(Value::Array(summary.output.clone()))),
                ("steps", Data::from(Value::Object(steps))),
                ("calls", Data::from(Value::Object(calls))),
                ("durationMs", Data::from(Value::from(summary.duration_ms))),
            ],
            ..Scope::empty()
        }
    }
}
