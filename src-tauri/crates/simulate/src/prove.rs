//! Proof of error handling: the workflow is run in memory once for each fault that its steps may have, and the report says what
//! each fault leads to. Nothing outside is called.

mod environment;
mod faults;
mod outcome;

pub use outcome::Outcome;

use crate::simulation::{End, Limits, Simulation, Start};
use crate::test_file::{CallReply, TestFile};
use environment::{Injected, ProofEnvironment};
use faults::{FaultGroup, FaultKind};
use indexmap::IndexMap;
use outcome::{Base, classify};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_engine::{Catalog, Compiled};
use signalbox_model::{EventBody, RunStatus};
use std::sync::Arc;

/// Time at the start of a proof without a recorded run: 2026-01-05T09:00:00Z, a Monday.
const START_MS: i64 = 1_767_603_600_000;

/// What one fault, or several that are handled alike, lead to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FaultResult {
    /// The step that has the fault.
    pub step: String,
    /// The faults: `Timeout TIMEOUT`, `crash`, `cancel`, `empty result`, `huge result`, `nobody answers`.
    pub faults: Vec<String>,
    /// `true`: only the first call has it; `false`: every call for the same item does.
    pub first_call_only: bool,
    /// What it leads to.
    pub outcome: Outcome,
    /// What happens after it, in order: retries, rules, steps.
    pub route: Vec<String>,
    /// The same in a sentence.
    pub message: String,
    /// The fault as a mock for a test file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mock: Option<CallReply>,
}

/// Faults that were not tried, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NotTried {
    /// The step; none when it is about all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// How many faults; absent when they cannot be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<usize>,
    /// Why.
    pub reason: String,
}

/// A run without a fault that the proof starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BaseRun {
    /// Name of the test, or `sample data`.
    pub name: String,
    /// How it ends without a fault.
    pub status: String,
    /// Why it does not end well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What a proof found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofReport {
    /// Id of the workflow.
    pub workflow: String,
    /// The runs without a fault.
    pub base: Vec<BaseRun>,
    /// Of the tried faults, how many are handled, in percent; none when nothing was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<u32>,
    /// Faults that were tried.
    pub tried: usize,
    /// Simulated runs.
    pub runs: usize,
    /// Outcome → number of faults.
    pub totals: IndexMap<String, usize>,
    /// By step, in the order of the file.
    pub results: Vec<FaultResult>,
    /// What was not tried.
    pub not_tried: Vec<NotTried>,
}

/// A recorded or sampled world, and the run without a fault in it.
struct World<'t> {
    name: String,
    test: Option<&'t TestFile>,
    base: Base,
}

/// Runs a workflow once for each fault of its steps. `tests` are the recorded runs that it starts from; without one, answers are
/// made up of what the kinds of the steps declare.
pub fn prove(compiled: &Arc<Compiled>, catalog: &Catalog, tests: &[TestFile]) -> ProofReport {
    let mut runs = 0;
    let tests: Vec<TestFile> = tests.iter().map(healthy).collect();
    let tests: Vec<Option<&TestFile>> = if tests.is_empty() { vec![None] } else { tests.iter().map(Some).collect() };
    let mut worlds = Vec::new();
    for test in tests {
        runs += 1;
        let (end, base) = run_base(compiled, catalog, test);
        let name = test.map_or_else(|| "sample data".to_owned(), |test| test.name.clone());
        worlds.push((World { name, test, base }, end));
    }
    let base = worlds.iter().map(|(world, end)| base_run(world, end)).collect();
    let worlds: Vec<World<'_>> = worlds.into_iter().map(|(world, _)| world).collect();
    let mut report = ProofReport {
        workflow: compiled.workflow.id.clone(),
        base,
        score: None,
        tried: 0,
        runs: 0,
        totals: IndexMap::new(),
        results: Vec::new(),
        not_tried: Vec::new(),
    };
    let plan = faults::plan(&compiled.workflow, catalog);
    report.not_tried = plan.not_tried;
    let mut good = 0;
    for group in plan.groups {
        let Some(world) = worlds.iter().find(|world| world.base.reached.contains(&group.step)) else {
            let last = report.not_tried.last_mut().filter(|last| last.step.as_deref() == Some(group.step.as_str()));
            match last {
                Some(last) => last.faults = last.faults.map(|count| count + group.faults.len()),
                None => report.not_tried.push(NotTried {
                    step: Some(group.step.clone()),
                    faults: Some(group.faults.len()),
                    reason: "No run without a fault reaches this step. Save a run that does as a test.".to_owned(),
                }),
            }
            continue;
        };
        runs += 1;
        let result = run_fault(compiled, catalog, world, &group, false);
        // What a retry may mend is tried with one failing call as well.
        let fails = matches!(group.kind, FaultKind::Error(_) | FaultKind::Timeout);
        let may_recover = fails && result.route.iter().any(|step| step.starts_with("retry"));
        let again = may_recover.then(|| run_fault(compiled, catalog, world, &group, true));
        for result in std::iter::once(result).chain(again) {
            runs += usize::from(result.first_call_only);
            let count = result.faults.len();
            report.tried += count;
            *report.totals.entry(result.outcome.as_str().to_owned()).or_default() += count;
            if result.outcome.is_good() {
                good += count;
            }
            report.results.push(result);
        }
    }
    report.runs = runs;
    report.score = (report.tried > 0).then(|| u32::try_from(good * 100 / report.tried).unwrap_or(100));
    report
}

/// A test with the answers only that calls got when they succeeded: faults that were recorded are not the ones to prove.
fn healthy(test: &TestFile) -> TestFile {
    let mut healthy = test.clone();
    healthy.calls.retain(|call| call.output.is_some() || call.pass.is_some());
    healthy
}

fn base_run(world: &World<'_>, end: &End) -> BaseRun {
    let base = &world.base;
    let problem = match end {
        End::Settled | End::Stopped => match (&base.error, base.status) {
            (Some((step, code, message)), _) => Some(format!("It fails at '{step}' with {code}: {message}")),
            (None, RunStatus::Paused) => Some("It waits for a person.".to_owned()),
            (None, _) => None,
        },
        End::Unanswered(call) => Some(format!("'{}' has no answer.", call.step)),
        End::TooManyEvents | End::TooLong => Some("It does not end.".to_owned()),
        End::Fault(why) => Some(format!("A fault of the program: {why}.")),
    };
    BaseRun { name: world.name.clone(), status: base.status.as_str().to_owned(), problem }
}

fn start_of(compiled: &Compiled, test: Option<&TestFile>) -> Start {
    match test {
        Some(test) => Start {
            params: signalbox_engine::params::complete(&compiled.workflow, &Value::Object(test.params.clone())),
            context: test.context.clone(),
            seed: test.seed(),
            until: None,
            now_ms: test.started_ms(),
        },
        None => Start { params: sample_params(compiled), context: Map::new(), seed: 7, until: None, now_ms: START_MS },
    }
}

/// Defaults and made-up values of the declared params.
fn sample_params(compiled: &Compiled) -> Value {
    let mut params = Map::new();
    let declared =
        compiled.workflow.params.as_ref().and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    for (name, schema) in declared.into_iter().flatten() {
        let first = schema["examples"].get(0).or_else(|| schema["enum"].get(0));
        let value = schema.get("default").or(first).cloned();
        params.insert(name.clone(), value.unwrap_or_else(|| signalbox_planner::example(schema, 4)));
    }
    Value::Object(params)
}

fn run_base(compiled: &Arc<Compiled>, catalog: &Catalog, test: Option<&TestFile>) -> (End, Base) {
    let mut environment = ProofEnvironment::new(catalog, test, None);
    let mut simulation =
        Simulation::new(Arc::clone(compiled), &mut environment, Limits { events: 50_000, ..Limits::default() });
    simulation.start(start_of(compiled, test));
    let end = simulation.run(|_| false);
    let (events, state) = simulation.into_events();
    (end, Base::of(compiled, &state, &events))
}

fn run_fault(
    compiled: &Arc<Compiled>,
    catalog: &Catalog,
    world: &World<'_>,
    group: &FaultGroup,
    first_call_only: bool,
) -> FaultResult {
    let injected = Injected::new(group, first_call_only);
    let mut environment = ProofEnvironment::new(catalog, world.test, Some(injected));
    let events = world.base.events * 20 + 5_000;
    let events = if group.kind == FaultKind::Huge { events + 20_000 } else { events };
    let mut simulation =
        Simulation::new(Arc::clone(compiled), &mut environment, Limits { events, ..Limits::default() });
    simulation.start(start_of(compiled, world.test));
    let mut looked = 0;
    let known = &world.base.tasks;
    // As soon as a person is asked about the fault, it is known what becomes of it.
    let end = simulation.run(|run| {
        let new = run.events()[looked..].iter().any(|event| match &event.body {
            EventBody::HumanTaskCreated(task) => {
                outcome::is_about_fault(task) && !known.contains(&outcome::task_place(event))
            }
            _ => false,
        });
        looked = run.events().len();
        new
    });
    let (events, state) = simulation.into_events();
    let place = environment.fault_place();
    let (outcome, route, message) = classify(compiled, &world.base, group, &end, &state, &events, place.as_ref());
    FaultResult {
        step: group.step.clone(),
        faults: group.faults.clone(),
        first_call_only,
        outcome,
        route,
        message,
        mock: group.mock(place.as_ref(), first_call_only),
    }
}
