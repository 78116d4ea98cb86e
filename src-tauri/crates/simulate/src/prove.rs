//! Proof of error handling: the workflow is run in memory once for each fault that its steps may have, and the report says what
//! each fault leads to. Nothing outside is called.

mod environment;
mod fault_test;
mod faults;
mod fixes;
mod outcome;
mod pairs;
mod scope;

pub use fault_test::{FaultName, fault_test};
pub use fixes::ProofFix;
pub use outcome::Outcome;

use crate::sandbox::Kinds;
use crate::simulation::{End, Limits, Simulation, Start};
use crate::test_file::{CallReply, TestFile};
use environment::{Injected, ProofEnvironment};
use faults::{FaultGroup, FaultKind};
use indexmap::IndexMap;
use outcome::{Base, classify};
use pairs::Single;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_engine::{Compiled, summary};
use signalbox_model::{EventBody, RunEvent, RunStatus};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Time at the start of a proof without a recorded run: 2026-01-05T09:00:00Z, a Monday.
const START_MS: i64 = 1_767_603_600_000;

/// What one fault, or several that are handled alike, lead to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FaultResult {
    /// The step that has the fault; `call/fetch` is a step of the workflow that `call` runs.
    pub step: String,
    /// The faults: `Timeout TIMEOUT`, `crash`, `cancel`, `empty result`, `huge result`, `nobody answers`.
    pub faults: Vec<String>,
    /// `true`: only the first call has it; `false`: every call for the same item does.
    pub first_call_only: bool,
    /// In a pair: the fault of a later step in the same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also: Option<SecondFault>,
    /// What it leads to.
    pub outcome: Outcome,
    /// What happens after it, in order: retries, rules, steps.
    pub route: Vec<String>,
    /// The same in a sentence.
    pub message: String,
    /// The step at which the run fails; absent when it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_step: Option<String>,
    /// The fault as a mock for a test file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mock: Option<CallReply>,
    /// Changes of the workflow that help.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<ProofFix>,
}

/// The second fault of a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecondFault {
    /// The step that has it, in every call.
    pub step: String,
    /// The faults that are handled alike.
    pub faults: Vec<String>,
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

/// What the faults of one step came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepProof {
    /// Faults that were tried, without pairs.
    pub tried: usize,
    /// Those of them that are handled.
    pub handled: usize,
    /// Faults that no run without a fault reaches.
    pub not_reached: usize,
}

impl StepProof {
    /// Every fault of the step was tried and is handled.
    pub fn is_proved(self) -> bool {
        self.tried > 0 && self.handled == self.tried && self.not_reached == 0
    }
}

/// Pairs of faults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairsReport {
    /// What was tried: error handling that fails as well, and a fault after a retry.
    pub results: Vec<FaultResult>,
    /// Those of them that are handled.
    pub handled: usize,
    /// Pairs of faults of two steps that were not tried.
    pub left_out: usize,
}

/// What a proof found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofReport {
    /// Id of the workflow.
    pub workflow: String,
    /// SHA-256 of the definition that was proved, without positions.
    pub definition: String,
    /// The runs without a fault.
    pub base: Vec<BaseRun>,
    /// Of the tried faults without pairs, how many are handled, in percent; none when nothing was tried.
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
    /// Step → its faults; steps that can have none are absent.
    pub steps: IndexMap<String, StepProof>,
    /// Two faults in one run.
    pub pairs: PairsReport,
    /// What was not tried.
    pub not_tried: Vec<NotTried>,
}

impl ProofReport {
    /// Every fault and every pair that was tried is handled.
    pub fn is_good(&self) -> bool {
        self.results.iter().chain(&self.pairs.results).all(|result| result.outcome.is_good())
    }
}

/// How far a proof is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Faults and pairs that were run.
    pub done: usize,
    /// All of them; more pairs may be found.
    pub total: usize,
}

/// Pairs that a proof tries when nobody says how many.
pub const PAIRS: usize = 50;
/// Most pairs.
pub const MOST_PAIRS: usize = 1_000;

/// A recorded or sampled world, and the run without a fault in it.
struct World<'t> {
    name: String,
    test: Option<&'t TestFile>,
    base: Base,
}

/// Runs a workflow once for each fault of its steps, and for at most [`PAIRS`] pairs of them. `tests` are the recorded runs that
/// it starts from; without one, answers are made up of what the kinds of the steps declare.
pub fn prove(compiled: &Arc<Compiled>, kinds: Kinds<'_>, tests: &[TestFile]) -> ProofReport {
    prove_pairs(compiled, kinds, tests, PAIRS)
}

/// [`prove`] with at most so many pairs.
pub fn prove_pairs(compiled: &Arc<Compiled>, kinds: Kinds<'_>, tests: &[TestFile], most: usize) -> ProofReport {
    let report = prove_watched(compiled, kinds, tests, most, &mut |_| true);
    // Nobody stops it.
    report.unwrap_or_else(|| empty_report(compiled))
}

fn empty_report(compiled: &Compiled) -> ProofReport {
    ProofReport {
        workflow: compiled.workflow.id.clone(),
        definition: compiled.definition_hash.clone(),
        base: Vec::new(),
        score: None,
        tried: 0,
        runs: 0,
        totals: IndexMap::new(),
        results: Vec::new(),
        steps: IndexMap::new(),
        pairs: PairsReport::default(),
        not_tried: Vec::new(),
    }
}

/// [`prove`] with at most so many pairs; `go_on` is asked before each run, and `None` comes back when it says no.
pub fn prove_watched(
    compiled: &Arc<Compiled>,
    kinds: Kinds<'_>,
    tests: &[TestFile],
    most_pairs: usize,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> Option<ProofReport> {
    let prover = Prover::new(compiled, kinds);
    let tests: Vec<TestFile> = tests.iter().map(healthy).collect();
    let worlds = prover.worlds(&tests);
    let mut report = empty_report(compiled);
    report.runs = worlds.len();
    report.base = worlds.iter().map(|(world, end)| base_run(world, end)).collect();
    let worlds: Vec<World<'_>> = worlds.into_iter().map(|(world, _)| world).collect();
    let plan = faults::plan(compiled, kinds.catalog());
    report.not_tried = plan.not_tried;
    let groups = plan.groups;
    let mut singles = Vec::new();
    let mut good = 0;
    for (at, group) in groups.iter().enumerate() {
        let steps = report.steps.entry(group.step.clone()).or_default();
        let Some(world) = worlds.iter().position(|world| world.base.reached.contains(&group.step)) else {
            steps.not_reached += group.faults.len();
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
        if !go_on(Progress { done: at, total: groups.len() }) {
            return None;
        }
        let first = prover.run(&worlds[world], &[(group, false)]);
        // What a retry may mend is tried with one failing call as well.
        let fails = matches!(group.kind, FaultKind::Error(_) | FaultKind::Timeout);
        let may_recover = fails && first.result.route.iter().any(|step| step.starts_with("retry"));
        let again = may_recover.then(|| prover.run(&worlds[world], &[(group, true)]));
        for Ran { result, called, .. } in std::iter::once(first).chain(again) {
            report.runs += 1;
            let count = result.faults.len();
            let handled = if result.outcome.is_good() { count } else { 0 };
            report.tried += count;
            steps.tried += count;
            steps.handled += handled;
            good += handled;
            *report.totals.entry(result.outcome.as_str().to_owned()).or_default() += count;
            let (first_call_only, outcome) = (result.first_call_only, result.outcome);
            singles.push(Single { group: at, world, first_call_only, outcome, called });
            report.results.push(result);
        }
    }
    report.score = (report.tried > 0).then(|| u32::try_from(good * 100 / report.tried).unwrap_or(100));
    let bases: Vec<&Base> = worlds.iter().map(|world| &world.base).collect();
    let (pairs, possible) = pairs::plan(&groups, &singles, &bases);
    let total = groups.len() + pairs.len().min(most_pairs);
    for (at, pair) in pairs.iter().take(most_pairs).enumerate() {
        if !go_on(Progress { done: groups.len() + at, total }) {
            return None;
        }
        let faults = [(&groups[pair.first], pair.first_call_only), (&groups[pair.second], false)];
        let ran = prover.run(&worlds[pair.world], &faults);
        report.runs += 1;
        // Where the second does not happen the pair is the first fault alone.
        if ran.both {
            report.pairs.handled += usize::from(ran.result.outcome.is_good());
            report.pairs.results.push(ran.result);
        }
    }
    report.pairs.left_out = possible.saturating_sub(report.pairs.results.len());
    if report.pairs.left_out > 0 {
        let (tried, left) = (report.pairs.results.len(), report.pairs.left_out);
        let which = "Tried are faults of the error handling, and faults after a retry";
        let pairs = if left == 1 { "1 other pair".to_owned() } else { format!("{left} other pairs") };
        let reason = format!("{pairs} of faults in one run; {tried} were tried. {which}.");
        report.not_tried.push(NotTried { step: None, faults: None, reason });
    }
    Some(report)
}

/// A simulated run with faults.
struct Ran {
    result: FaultResult,
    /// Steps that it called.
    called: BTreeSet<String>,
    /// All its faults happened.
    both: bool,
    events: Vec<RunEvent>,
}

/// What all runs of a proof have in common.
struct Prover<'p> {
    compiled: &'p Arc<Compiled>,
    kinds: Kinds<'p>,
    /// Steps whose code does not take the made-up answers of others: their results are made up as well.
    sampled: RefCell<BTreeSet<String>>,
}

impl<'p> Prover<'p> {
    fn new(compiled: &'p Arc<Compiled>, kinds: Kinds<'p>) -> Self {
        Self { compiled, kinds, sampled: RefCell::default() }
    }

    /// The recorded worlds, or a made-up one, each with its run without a fault.
    fn worlds<'t>(&self, tests: &'t [TestFile]) -> Vec<(World<'t>, End)> {
        let recorded: Vec<Option<&TestFile>> =
            if tests.is_empty() { vec![None] } else { tests.iter().map(Some).collect() };
        let world = |test: Option<&'t TestFile>| {
            let (end, base) = self.run_base(test);
            let name = test.map_or_else(|| "sample data".to_owned(), |test| test.name.clone());
            (World { name, test, base }, end)
        };
        recorded.into_iter().map(world).collect()
    }

    fn run_base(&self, test: Option<&TestFile>) -> (End, Base) {
        let mut environment =
            ProofEnvironment::new((self.compiled, self.kinds), test, Vec::new(), &self.sampled).learning();
        let limits = Limits { events: 50_000, ..Limits::default() };
        let mut simulation = Simulation::new(Arc::clone(self.compiled), &mut environment, limits);
        simulation.start(start_of(self.compiled, test));
        let end = simulation.run(|_| false);
        let (events, state) = simulation.into_events();
        (end, Base::of(self.compiled, &state, &events))
    }

    /// Runs the workflow with these faults; `true`: only the first call has it.
    fn run(&self, world: &World<'_>, faults: &[(&FaultGroup, bool)]) -> Ran {
        self.run_until(world, faults, true)
    }

    /// `stops`: as soon as a person is asked about the fault, it is known what becomes of it.
    fn run_until(&self, world: &World<'_>, faults: &[(&FaultGroup, bool)], stops: bool) -> Ran {
        let injected = faults.iter().map(|(group, once)| Injected::new(group, *once)).collect();
        let mut environment = ProofEnvironment::new((self.compiled, self.kinds), world.test, injected, &self.sampled);
        let events = world.base.events * 20 + 5_000;
        let is_huge = faults.iter().any(|(group, _)| group.kind == FaultKind::Huge);
        let events = if is_huge { events + 20_000 } else { events };
        let limits = Limits { events, ..Limits::default() };
        let mut simulation = Simulation::new(Arc::clone(self.compiled), &mut environment, limits);
        simulation.start(start_of(self.compiled, world.test));
        let mut looked = 0;
        let known = &world.base.tasks;
        let end = simulation.run(|run| {
            let new = run.events()[looked..].iter().any(|event| match &event.body {
                EventBody::HumanTaskCreated(task) => {
                    outcome::is_about_fault(task) && !known.contains(&outcome::task_place(event))
                }
                _ => false,
            });
            looked = run.events().len();
            new && stops
        });
        let (events, state) = simulation.into_events();
        let places = environment.places();
        let placed: Vec<_> = faults.iter().zip(&places).map(|((group, _), place)| (*group, place.as_ref())).collect();
        let (outcome, route, message) = classify(self.compiled, &world.base, &placed, &end, &state, &events);
        let failed_step = (outcome == Outcome::EndsFailed)
            .then(|| summary::without_output(self.compiled, &state).failed_step_id)
            .flatten()
            .map(|step| scope::top(&scope::failed_at(self.compiled, &events, &step)).to_owned());
        let (first, once) = faults[0];
        let second = faults.get(1).map(|(group, _)| *group);
        let culprit = second.unwrap_or(first);
        let result = FaultResult {
            step: first.step.clone(),
            faults: first.faults.clone(),
            first_call_only: once,
            also: second.map(|second| SecondFault { step: second.step.clone(), faults: second.faults.clone() }),
            outcome,
            route,
            message,
            fixes: fixes::of(&self.compiled.workflow, self.kinds.catalog(), culprit, outcome, failed_step.as_deref()),
            failed_step,
            mock: first.mock(places[0].as_ref(), once),
        };
        Ran {
            result,
            called: outcome::called(self.compiled, &events),
            both: places.iter().all(Option::is_some),
            events,
        }
    }
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
            rerun: None,
            now_ms: test.started_ms(),
        },
        None => Start {
            params: sample_params(compiled),
            context: Map::new(),
            seed: environment::SEED,
            until: None,
            rerun: None,
            now_ms: START_MS,
        },
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
