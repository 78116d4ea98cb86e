//! Proofs of error handling in the builder.

use crate::Caller;
use crate::app::App;
use crate::commands::saved_test::{checked_name, free_file, name_of};
use crate::dto::{ByRef, ProofSaveTest, ProofStart, ProofView, TestSaved};
use crate::error::{ApiError, ApiResult, Class};
use crate::workflows::check::catalog;
use crate::workflows::library::id_of;
use crate::workflows::saved_tests;
use crate::workflows::step_sandbox::StepSandbox;
use signalbox_model::Workflow;
use signalbox_simulate::Kinds;
use signalbox_simulate::prove::{MOST_PAIRS, PAIRS, fault_test};

pub(crate) fn proof_start(app: &App, _: &Caller, request: ProofStart) -> ApiResult<ProofView> {
    let path = app.path_of(&request.reference)?;
    let pairs = request.pairs.unwrap_or(PAIRS);
    if pairs > MOST_PAIRS {
        let message = format!("At most {MOST_PAIRS} pairs of faults are tried.");
        return Err(ApiError::bad_request(message, "Ask for fewer pairs."));
    }
    let proving = app.proving(&path, request.document)?;
    let workflow = proving.compiled.workflow.id.clone();
    app.planning.app()?.prove_in_background(&request.reference, proving, pairs)?;
    app.proof_view(&request.reference, &workflow)
}

pub(crate) fn proof_get(app: &App, _: &Caller, request: ByRef) -> ApiResult<ProofView> {
    let path = app.path_of(&request.reference)?;
    app.proof_view(&request.reference, &id_of(&path).unwrap_or_default())
}

pub(crate) fn proof_cancel(app: &App, _: &Caller, request: ByRef) -> ApiResult<ProofView> {
    let path = app.path_of(&request.reference)?;
    app.proofs.cancel(&request.reference);
    app.proof_view(&request.reference, &id_of(&path).unwrap_or_default())
}

pub(crate) fn proof_save_test(app: &App, _: &Caller, request: ProofSaveTest) -> ApiResult<TestSaved> {
    let path = app.path_of(&request.reference)?;
    let name = checked_name(&request.name)?;
    let proving = app.proving(&path, request.document)?;
    let workflows: Vec<&Workflow> = proving.workflows.iter().map(AsRef::as_ref).collect();
    let (file, out) = (name_of(&path), free_file(&path, &name)?);
    let place = (name.as_str(), file.as_str(), workflows.as_slice());
    let sandbox = StepSandbox::default();
    let subject = (&proving.compiled, Kinds::with_code(catalog(), &sandbox));
    let made = fault_test(subject, &proving.tests, &request.fault, request.also.as_ref(), place);
    let (test, notes) = made.map_err(|error| {
        let message = format!("The fault cannot be saved as a test. {}", error.message);
        ApiError::new(Class::Conflict, "NOT_REPEATABLE", message, error.hint)
    })?;
    saved_tests::write(&out, &test, false)?;
    Ok(TestSaved { file: name_of(&out), notes })
}
