//! Faults that a person puts into steps for one run in the builder (ADR 144). They are in the definition of that run only: no
//! file holds one, and nothing but that start carries it.

use crate::dto::{FaultSpec, FaultSpecs};
use crate::error::{ApiError, ApiResult, Class};
use crate::workflows::check;
use serde_json::json;
use signalbox_model::{FaultError, NodeDescriptor, Role, StepFault, Workflow};

/// Longest delay of a call: one hour.
const MOST_DELAY_MS: u64 = 3_600_000;
/// Largest result, as compact JSON.
const MOST_OUTPUT: usize = 1024 * 1024;

fn refused(step: &str, why: &str, hint: &str) -> ApiError {
    ApiError::new(Class::Invalid, "BAD_FAULTS", format!("The step '{step}' cannot have this fault: {why}."), hint)
}

/// Puts faults into the definition of a run.
///
/// # Errors
/// `BAD_FAULTS`: the step is not there, is carried out by the engine, or does not declare the error or the port.
pub(crate) fn put_into(workflow: &mut Workflow, faults: &FaultSpecs) -> ApiResult<()> {
    for (id, fault) in faults {
        let Some(node) = workflow.nodes.get_mut(id) else {
            return Err(refused(id, "the workflow has no such step", "Remove the fault."));
        };
        let Some(kind) = check::catalog().get(&node.kind) else {
            return Err(refused(id, "its kind is not known", "Remove the fault."));
        };
        if !matches!(kind.role, Role::Step | Role::Trigger) {
            let hint = "Choose the steps in or before it.";
            return Err(refused(id, "the engine itself carries it out", hint));
        }
        if node.pinned.is_some() {
            return Err(refused(
                id,
                "its output is pinned, so it is not called",
                "Unpin its output, or remove the fault.",
            ));
        }
        let ports = kind.port_ids(node.config.as_ref());
        node.fault = Some(json!(checked(id, kind, &ports, fault)?));
    }
    Ok(())
}

fn checked(id: &str, kind: &NodeDescriptor, ports: &[String], fault: &FaultSpec) -> ApiResult<StepFault> {
    let delay_ms = fault.delay_ms.unwrap_or_default();
    if delay_ms > MOST_DELAY_MS {
        return Err(refused(id, "it would wait for more than an hour", "Choose at most 3600000 ms."));
    }
    let error = match (&fault.error, &fault.output) {
        (Some(_), Some(_)) => {
            return Err(refused(id, "it has an error and a result", "Send one of the two."));
        }
        (None, None) if delay_ms == 0 => {
            return Err(refused(id, "it does nothing", "Send an error, a result or a delay."));
        }
        (Some(code), None) => {
            let Some(declared) = kind.errors.iter().find(|declared| declared.code == *code) else {
                let known: Vec<&str> = kind.errors.iter().map(|declared| declared.code.as_str()).collect();
                let hint = format!("Choose one of {}.", known.join(", "));
                return Err(refused(id, &format!("steps of this kind have no error '{code}'"), &hint));
            };
            Some(FaultError {
                error_type: declared.error_type,
                code: declared.code.clone(),
                message: format!("{} (put in by a person for this run)", declared.when.trim_end_matches('.')),
                retryable: declared.retryable,
                may_have_happened: false,
            })
        }
        (None, Some(output)) => {
            if let Some(port) = output.keys().find(|port| *port == "error" || !ports.contains(port)) {
                return Err(refused(id, &format!("it has no port '{port}' for a result"), "Name one of its ports."));
            }
            if json!(output).to_string().len() > MOST_OUTPUT {
                return Err(refused(id, "the result is larger than 1 MiB", "Send fewer items."));
            }
            None
        }
        (None, None) => None,
    };
    Ok(StepFault { error, output: fault.output.clone(), delay_ms, first_call_only: fault.first_call_only })
}

/// Takes faults out of the definition of a run; the steps that had one.
pub(crate) fn take_from(workflow: &mut Workflow) -> Vec<String> {
    let nodes = workflow.nodes.iter_mut();
    nodes.filter_map(|(id, node)| node.fault.take().map(|_| id.clone())).collect()
}

/// Whether the definition of a run has faults.
pub(crate) fn has(workflow: &Workflow) -> bool {
    workflow.nodes.values().any(|node| node.fault.is_some())
}

/// What the audit chain says about them: step → code, or what else happens.
pub(crate) fn told(faults: &FaultSpecs) -> Vec<String> {
    let word = |fault: &FaultSpec| match (&fault.error, &fault.output) {
        (Some(code), _) => code.clone(),
        (None, Some(_)) => "result".to_owned(),
        (None, None) => "delay".to_owned(),
    };
    faults.iter().map(|(step, fault)| format!("{step}: {}", word(fault))).collect()
}

#[cfg(test)]
mod tests;
