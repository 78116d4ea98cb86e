//! Pinning outputs of steps, for builders.

use super::step_data::output_of;
use crate::Caller;
use crate::app::App;
use crate::dto::{ByRef, Empty, Pin, PinList, RunStepData, StepOfRef, WorkflowPin};
use crate::error::{ApiError, ApiResult};
use crate::workflows::library::id_of;
use crate::workflows::pins;
use signalbox_model::time;

pub(crate) fn workflow_pins(app: &App, _: &Caller, request: ByRef) -> ApiResult<PinList> {
    let path = app.path_of(&request.reference)?;
    Ok(PinList { steps: pins::load(&path)?, file: pins::file_of(&path).display().to_string() })
}

pub(crate) fn workflow_pin(app: &App, caller: &Caller, request: WorkflowPin) -> ApiResult<Pin> {
    let path = app.path_of(&request.reference)?;
    let (ports, run_id) = match (request.ports, request.run_id, request.from_step) {
        (None, None, Some(from)) => {
            let pin = pins::load(&path)?.shift_remove(&from).ok_or_else(|| {
                ApiError::bad_request(
                    format!("Nothing is pinned for the step '{from}'."),
                    "Name a step with pinned output.",
                )
            })?;
            pins::change(&path, |all| {
                all.insert(request.step_id, pin.clone());
            })?;
            return Ok(pin);
        }
        (Some(mut ports), None, None) => {
            let scrubber = app.secrets.vault.scrubber();
            ports.values_mut().flatten().for_each(|data| {
                scrubber.value(data);
            });
            (ports, None)
        }
        (None, Some(run_id), None) => {
            let workflow_id = id_of(&path).unwrap_or_default();
            let node_id = request.step_id.clone();
            let wanted = RunStepData { workflow_id, node_id, run_id: Some(run_id.clone()), path: request.path };
            let ports = output_of(app, caller, wanted)?.unwrap_or_default();
            if ports.values().all(Vec::is_empty) {
                let message = format!("The step '{}' put out nothing in this run.", request.step_id);
                return Err(ApiError::bad_request(message, "Choose another run, or write the data to pin."));
            }
            (ports, Some(run_id))
        }
        _ => {
            return Err(ApiError::bad_request(
                "To pin an output, send one of `runId`, `ports` and `fromStep`.",
                "Name the run or the step whose output is taken, or send the data.",
            ));
        }
    };
    let pin = Pin { ports, run_id, pinned_at: time::format(app.now_ms()) };
    pins::fits(&pin)?;
    pins::change(&path, |all| {
        all.insert(request.step_id, pin.clone());
    })?;
    Ok(pin)
}

pub(crate) fn workflow_unpin(app: &App, _: &Caller, request: StepOfRef) -> ApiResult<Empty> {
    let path = app.path_of(&request.reference)?;
    pins::change(&path, |all| {
        all.shift_remove(&request.step_id);
    })?;
    Ok(Empty {})
}
