//! Which steps and wires of a workflow tests reach.

use crate::expectations::in_called_file;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_engine::Compiled;
use signalbox_model::{EventBody, RunEvent, Workflow};
use std::collections::BTreeSet;

/// Steps and connected ports that are reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Coverage {
    /// Ids of steps that were called, or skipped by their condition.
    pub steps: BTreeSet<String>,
    /// `step.port` of connected ports that items left through.
    pub ports: BTreeSet<String>,
}

/// What is reached of what there is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CoverageReport {
    /// Steps that are reached.
    pub steps_reached: usize,
    /// All steps.
    pub steps: usize,
    /// Connected ports that are reached.
    pub ports_reached: usize,
    /// All connected ports.
    pub ports: usize,
    /// Steps that no test reaches.
    pub missing_steps: Vec<String>,
    /// Connected ports that no test reaches: `step.port`.
    pub missing_ports: Vec<String>,
}

/// The port that the action of a handler leaves through.
fn port_of_action(action: &str) -> &str {
    match action {
        "error_as_context" => "context",
        "escalate" => "human_review",
        "correct" => "corrected",
        other => other,
    }
}

impl Coverage {
    /// Of the events of one run.
    pub fn of(compiled: &Compiled, events: &[RunEvent]) -> Self {
        let workflow = &compiled.workflow;
        let wired: BTreeSet<&str> = workflow.edges.iter().map(|edge| edge.from.as_str()).collect();
        let mut coverage = Self::default();
        let mut reach = |step: &str, port: &str| {
            let name = format!("{step}.{port}");
            if wired.contains(name.as_str()) {
                coverage.ports.insert(name);
            }
        };
        let mut steps = BTreeSet::new();
        for event in events {
            let Some(step) = &event.step_id else { continue };
            if event.path.as_deref().is_some_and(|path| in_called_file(workflow, path)) {
                continue;
            }
            match &event.body {
                EventBody::StepStart(_) => {
                    steps.insert(step.clone());
                }
                EventBody::StepSkipped(_) => {
                    steps.insert(step.clone());
                    reach(step, "success");
                }
                EventBody::StepDone(done) => {
                    done.ports.iter().filter(|(_, items)| **items > 0).for_each(|(port, _)| reach(step, port));
                }
                // Retries of the step itself come before the port; an error that is retried well later counts as well.
                EventBody::StepError(_) => reach(step, "error"),
                EventBody::ErrorHandled(handled) => {
                    steps.insert(step.clone());
                    reach(step, port_of_action(&handled.action));
                }
                EventBody::HumanTaskCompleted(done) => reach(step, port_of_action(done.answer.action.as_str())),
                _ => {}
            }
        }
        coverage.steps = steps.into_iter().filter(|step| workflow.nodes.contains_key(step)).collect();
        coverage
    }

    /// Adds what another run reached.
    pub fn add(&mut self, other: &Self) {
        self.steps.extend(other.steps.iter().cloned());
        self.ports.extend(other.ports.iter().cloned());
    }

    /// Compared with all that a workflow has.
    pub fn report(&self, workflow: &Workflow) -> CoverageReport {
        let steps = workflow.nodes.iter().filter(|(_, node)| node.disabled != Some(true)).map(|(id, _)| id);
        let ports: BTreeSet<&str> = workflow.edges.iter().map(|edge| edge.from.as_str()).collect();
        let missing_steps: Vec<String> = steps.clone().filter(|id| !self.steps.contains(*id)).cloned().collect();
        let missing_ports: Vec<String> =
            ports.iter().filter(|port| !self.ports.contains(**port)).map(|port| (*port).to_owned()).collect();
        let steps = steps.count();
        CoverageReport {
            steps_reached: steps - missing_steps.len(),
            steps,
            ports_reached: ports.len() - missing_ports.len(),
            ports: ports.len(),
            missing_steps,
            missing_ports,
        }
    }
}
