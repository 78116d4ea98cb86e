//! A fault of a proof as a test: the world of the proof, the fault as a mock, and what comes of it as the expectations.

use super::faults::{self, FaultGroup, FaultKind};
use super::scope::scoped;
use super::{Prover, healthy};
use crate::check::propose;
use crate::record::{RecordError, record};
use crate::sandbox::Kinds;
use crate::test_file::{CallReply, TestFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_engine::Compiled;
use signalbox_model::Workflow;
use std::sync::Arc;

/// Names a result of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FaultName {
    /// The step that has the fault.
    pub step: String,
    /// One of the faults of the result.
    pub fault: String,
    /// Only the first call has it.
    #[serde(default)]
    pub first_call_only: bool,
}

fn unknown(message: String) -> RecordError {
    RecordError { message, hint: "Prove the workflow again, and choose one of its results.".to_owned() }
}

/// Makes a test of a fault; `also`: a fault of a later step in the same run. `workflows` are the workflow and those that it
/// calls. With what a person should know about the test, one sentence each.
///
/// # Errors
/// When the workflow has no such fault, no run reaches it, or a test cannot repeat the run.
pub fn fault_test(
    (compiled, kinds): (&Arc<Compiled>, Kinds<'_>),
    tests: &[TestFile],
    fault: &FaultName,
    also: Option<&FaultName>,
    (name, file, workflows): (&str, &str, &[&Workflow]),
) -> Result<(TestFile, Vec<String>), RecordError> {
    let tests: Vec<TestFile> = tests.iter().map(healthy).collect();
    let prover = Prover::new(compiled, kinds);
    let worlds = prover.worlds(&tests);
    let plan = faults::plan(compiled, kinds.catalog());
    let find = |wanted: &FaultName| {
        let group = plan.groups.iter().find(|group| group.step == wanted.step && group.faults.contains(&wanted.fault));
        let group = group.map(|group| (group, wanted.first_call_only));
        group.ok_or_else(|| unknown(format!("'{}' has no fault '{}' any more.", wanted.step, wanted.fault)))
    };
    let mut injected: Vec<(&FaultGroup, bool)> = vec![find(fault)?];
    if let Some(also) = also {
        injected.push(find(also)?);
    }
    let world = worlds.iter().map(|(world, _)| world).find(|world| world.base.reached.contains(&fault.step));
    let Some(world) = world else { return Err(unknown(format!("No run reaches '{}'.", fault.step))) };
    let ran = prover.run_until(world, &injected, false);
    let bytes_of = |sha256: &str| world.test.and_then(|test| test.bytes.get(sha256)).map(<[u8]>::to_vec);
    let recorded = record(name, file, &ran.events, workflows, kinds.catalog(), &bytes_of)?;
    let (mut test, mut notes) = (recorded.test, recorded.notes);
    for (group, once) in &injected {
        if let Some(mock) = group.mock(None, *once).filter(|_| matches!(group.kind, FaultKind::Error(_))) {
            let is_its = |call: &CallReply| scoped(compiled, call.path.as_deref(), &call.step) == group.step;
            let place = test.calls.iter().find(|call| is_its(call) && call.error.is_some());
            let mock = CallReply { path: place.and_then(|call| call.path.clone()), ..mock };
            let mock = CallReply { item: place.and_then(|call| call.item), ..mock };
            // What the mock answers is not recorded as well.
            let code = mock.error.as_ref().map(|error| error.code.clone());
            test.calls.retain(|call| {
                let failed = call.error.as_ref().map(|error| &error.code);
                !is_its(call) || failed.is_none() || failed != code.as_ref()
            });
            test.mocks.push(mock);
        }
    }
    notes.extend(propose(&mut test, &ran.events, compiled, kinds));
    Ok((test, notes))
}
