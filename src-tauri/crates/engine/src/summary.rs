//! State → RunSummary (INTERFACES 1).

use crate::compiled::Compiled;
use crate::fold::cancel_scope;
use crate::state::{NodeRun, RunState};
use serde_json::Value;
use signalbox_model::{Data, RunSummary, StepSummary, time};

/// The summary of a run as it stands.
pub fn of(compiled: &Compiled, state: &RunState) -> RunSummary {
    RunSummary {
        output: state.output.iter().map(|data| (*data.value()).clone()).collect(),
        ..without_output(compiled, state)
    }
}

/// The summary of a run as it stands, as compact JSON. What the run put out is copied once, as text.
pub fn text(compiled: &Compiled, state: &RunState) -> serde_json::Result<String> {
    let rest = serde_json::to_value(without_output(compiled, state))?;
    let length: usize = state.output.iter().map(|data| data.length() + 1).sum();
    let mut text = String::new();
    for (name, value) in rest.as_object().into_iter().flatten() {
        text.push(if text.is_empty() { '{' } else { ',' });
        text.push_str(&Value::from(name.as_str()).to_string());
        text.push(':');
        if name == "output" {
            // Not grown step by step: what a text has room for is taken, too.
            text.reserve_exact(length + 2);
            Data::append_list(state.output.iter().cloned(), &mut text);
        } else {
            text.push_str(&value.to_string());
        }
    }
    text.push('}');
    Ok(text)
}

/// All of a summary but what was put out.
pub fn without_output(compiled: &Compiled, state: &RunState) -> RunSummary {
    let mut runs: Vec<NodeRun> = state.nodes.top().iter().map(NodeRun::told).collect();
    for (node, run) in state.nodes.inner() {
        cancel_scope::add(&mut runs[compiled.nodes.local(node)], run);
    }
    let steps = compiled
        .nodes
        .iter()
        .zip(&runs)
        .filter(|(node, _)| node.file == 0)
        .map(|(node, run)| {
            let summary = StepSummary {
                state: run.state,
                visits: if run.calls == 0 { 0 } else { run.visits },
                attempts: run.calls,
                pinned: node.pinned.is_some() && run.calls > 0,
                faulted: node.fault.is_some() && run.calls > 0,
            };
            (node.id.to_string(), summary)
        })
        .collect();
    RunSummary {
        run_id: state.run_id.to_string(),
        workflow_id: compiled.workflow.id.clone(),
        status: state.status,
        parent_run_id: state.parent_run_id.clone(),
        imported_from: state.foreign.as_ref().map(|foreign| foreign.source.clone()),
        started_at: time::format(state.started_ms),
        ended_at: state.status.is_terminal().then(|| time::format(state.last_ms)),
        duration_ms: time::took_ms(state.started_ms, state.last_ms),
        context: state.context.iter().map(|(k, v)| (k.clone(), (**v).clone())).collect(),
        output: Vec::new(),
        error: state.error.as_ref().map(|e| (**e).clone()),
        failed_step_id: state.failed_step.clone(),
        stopped: state.stopped().cloned(),
        open_tasks: state.tasks.keys().cloned().collect(),
        steps,
    }
}
