//! The real engine over the real store beside a small model, through the same random commands: start, ends of calls, answers,
//! cancel, crash and re-run (TRUST, "How to test the engine"). Fixed seed: every build makes the same few hundred steps.

mod reference;

use proptest::test_runner::{Config, RngSeed};
use proptest_state_machine::{StateMachineTest, prop_state_machine};
use reference::{Do, Is, Kind, Model, Run};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallOutput, Effect, Timer};
use signalbox_engine::input::Input;
use signalbox_engine::rerun::{Original, Overrides, plan};
use signalbox_engine::{Compiled, RunState, fold, snapshot, step, summary};
use signalbox_model::task::Answer;
use signalbox_model::{ErrorType, EventBody, NodeFailure, NodeState, RunEvent, RunOrigin, RunStatus, TaskAction};
use signalbox_store::{NewRun, Owner, RunCommit, RunEnd, Snapshot, Store, StoreOptions};
use signalbox_testkit::scenario::{compile, oracles, workflow};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A process: the state of a run in memory, and what it has in its hands.
struct Process {
    store: Store,
    owner: Option<Owner>,
    state: RunState,
    recorded: RunStatus,
    under_way: BTreeMap<usize, Call>,
}

struct Real {
    folder: tempfile::TempDir,
    compiled: Arc<Compiled>,
    process: Option<Process>,
    /// Effects that were carried out, over all runs and processes.
    calls: Vec<usize>,
    run: String,
    parent: Option<String>,
    now: i64,
}

fn name(at: usize) -> String {
    format!("n{at}")
}

fn at(name: &str) -> usize {
    name.trim_start_matches('n').parse().expect("a number")
}

fn file(model: &Model) -> Value {
    let nodes: Map<String, Value> = model
        .kinds
        .iter()
        .enumerate()
        .map(|(at, kind)| {
            let node = match kind {
                Kind::Call => {
                    json!({ "type": "http.request", "mode": "all", "config": { "url": "http://api.example/" } })
                }
                Kind::Pass => json!({ "type": "flow.noop" }),
                Kind::Ask => json!({ "type": "builtin.human_approval", "config": { "title": "Shall we?" } }),
            };
            (name(at), node)
        })
        .collect();
    let port = |from: usize, port: Is| match (model.kinds[from], port) {
        (Kind::Ask, Is::Good) => "approved",
        (Kind::Ask, _) => "rejected",
        (_, Is::Good) => "success",
        _ => "error",
    };
    let edges: Vec<Value> = model
        .wires
        .iter()
        .map(|(from, is, to)| json!({ "from": format!("{}.{}", name(*from), port(*from, *is)), "to": name(*to) }))
        .collect();
    json!({ "nodes": nodes, "edges": edges })
}

impl Real {
    fn open(&self) -> Store {
        let store = Store::open(self.folder.path(), &StoreOptions::default()).expect("the store opens");
        assert_eq!(store.alarms(), []);
        store
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().expect("it lives")
    }

    fn events(&self, run: &str) -> Vec<RunEvent> {
        self.process.as_ref().expect("it lives").store.events(run, 0, 10_000).expect("readable")
    }

    /// Everything that follows from an input: each step of the engine is a commit.
    fn feed(&mut self, first: Input) {
        let mut inputs = VecDeque::from([first]);
        while let Some(input) = inputs.pop_front() {
            self.now += 1;
            let compiled = Arc::clone(&self.compiled);
            let out = step(&compiled, &mut self.process().state, input).expect("the engine takes it");
            self.commit(out.events);
            for effect in out.effects {
                match effect {
                    Effect::Call(call) if &*call.kind == "http.request" => {
                        let at = at(&call.node_id);
                        self.calls[at] += 1;
                        assert!(self.process().under_way.insert(at, *call).is_none(), "{at} is under way twice");
                    }
                    Effect::Call(call) => {
                        let Some(signalbox_nodes::Kind::Pure(code)) = signalbox_nodes::kind(&call.kind) else {
                            panic!("{} has effects", call.kind)
                        };
                        let results = call.slots.iter().map(|slot| (slot.item, signalbox_nodes::run_pure(code, slot)));
                        let results = results.collect();
                        inputs.push_back(Input::NodeFinished { key: call.key, results, now: self.now });
                    }
                    // Calls under way do not report: their time is over at once.
                    Effect::Timer { timer: Timer::Grace, .. } => {
                        inputs.push_back(Input::TimerFired { timer: Timer::Grace, now: self.now + 5_000 });
                    }
                    Effect::CancelCalls => self.process().under_way.clear(),
                    Effect::CancelCall(key) => self.process().under_way.retain(|_, call| call.key != key),
                    Effect::Timer { .. } | Effect::WriteArtifact { .. } => {}
                }
            }
        }
    }

    fn commit(&mut self, events: Vec<RunEvent>) {
        let (compiled, run, parent, now) =
            (Arc::clone(&self.compiled), self.run.clone(), self.parent.clone(), self.now);
        let process = self.process();
        if events.is_empty() {
            return;
        }
        let status = process.state.status();
        let end = status.is_terminal().then(|| RunEnd { ended_ms: now, ..RunEnd::default() });
        match process.owner.clone() {
            None => {
                let owner = process.store.create_run(NewRun {
                    run_id: run,
                    workflow_id: compiled.workflow.id.clone(),
                    workflow_name: compiled.workflow.name.clone(),
                    definition_hash: compiled.definition_hash.clone(),
                    definition: Some("{}".into()),
                    parent_run_id: parent,
                    started_ms: now,
                    origin: RunOrigin::default(),
                    status,
                    events,
                    snapshot: None,
                    end,
                    tasks: Vec::new(),
                    audit: Vec::new(),
                    durable: false,
                    rests: false,
                    key: None,
                    firing: None,
                    limited: None,
                    replayed: None,
                    handed: None,
                });
                process.owner = Some(owner.expect("a new run"));
            }
            Some(owner) => {
                let state = snapshot::encode(&compiled, &process.state);
                let snapshot = Snapshot { seq: process.state.last_seq(), version: snapshot::VERSION, body: state };
                process
                    .store
                    .commit(RunCommit {
                        status: (status != process.recorded).then_some(status),
                        end,
                        snapshot: snapshot.seq.is_multiple_of(3).then_some(snapshot),
                        ..RunCommit::new(run, owner, events)
                    })
                    .expect("committed");
            }
        }
        process.recorded = status;
    }

    fn end(&mut self, at: usize, outcome: Result<CallOutput, NodeFailure>) -> Input {
        let call = self.process().under_way.remove(&at).expect("it is under way");
        let results = call.slots.iter().map(|slot| (slot.item, outcome.clone())).collect();
        Input::NodeFinished { key: call.key, results, now: self.now }
    }

    fn crash(&mut self, heard: Option<usize>) {
        if let Some(at) = heard {
            // It heard the end of a call, decided what follows, and died before the commit.
            let input = self.end(at, Ok(CallOutput::success(json!({ "heard": true }))));
            let mut lost = self.process().state.clone();
            step(&self.compiled, &mut lost, input).expect("the engine takes it");
        }
        let dead = self.process.take().expect("it lives");
        let (last, epoch) = (dead.state, dead.owner.expect("it drove").epoch);
        drop(dead.store);
        let store = self.open();
        let owner = store.take_over(&self.run).expect("readable").expect("nobody drives it");
        assert_eq!(owner.epoch, epoch + 1);
        let mut state = RunState::new(&self.compiled, &self.run, None);
        for event in store.events(&self.run, 0, 10_000).expect("readable") {
            fold(&self.compiled, &mut state, &event).expect("it folds");
        }
        assert_eq!(state, last, "what is in the store is all that it knew");
        let row = store.run(&self.run).expect("listed");
        // The shortcut leads to the same state.
        if let Some(kept) = store.latest_snapshot(&self.run).expect("readable") {
            let mut short = snapshot::decode(&self.compiled, &kept.body).expect("a snapshot of this version");
            for event in store.events(&self.run, kept.seq, 10_000).expect("readable") {
                fold(&self.compiled, &mut short, &event).expect("it folds");
            }
            assert_eq!(short, last, "a snapshot is only a shortcut");
        }
        let recorded = row.status;
        self.process = Some(Process { store, owner: Some(owner), state, recorded, under_way: BTreeMap::new() });
        let now = self.now;
        self.feed(Input::Resume { now });
    }

    fn rerun(&mut self, from: usize) {
        let events = self.events(&self.run);
        let original = Original { compiled: &self.compiled, events: &events };
        let plan = plan(original, &self.compiled, &name(from)).expect("it has run");
        let made = plan.with(&self.compiled, Overrides::default()).expect("nothing is changed");
        let new = format!("{}-again", self.run);
        self.parent = Some(std::mem::replace(&mut self.run, new.clone()));
        let state = RunState::new(&self.compiled, &new, None);
        let process = self.process();
        process.owner = None;
        process.recorded = state.status();
        process.state = state;
        let now = self.now;
        self.feed(Input::Rerun { rerun: Box::new(made), seed: 7, started_by: None, debug: None, now });
    }

    fn decide(&mut self, at: usize, good: bool) {
        let step = name(at);
        let events = self.events(&self.run);
        let task = events.iter().rev().find_map(|event| match &event.body {
            EventBody::HumanTaskCreated(task) if event.step_id.as_deref() == Some(&step) => Some(task.task_id.clone()),
            _ => None,
        });
        let answer = Answer {
            action: if good { TaskAction::Approve } else { TaskAction::Reject },
            corrected_input: None,
            target_node_id: None,
            budget_micros: None,
            tool_grant: None,
            notes: None,
            operator_id: Some("user:ada".into()),
        };
        let (task_id, now) = (task.expect("it was asked"), self.now);
        self.feed(Input::Decision { task_id, answer, request_id: None, now });
    }
}

struct Agreement;

impl StateMachineTest for Agreement {
    type SystemUnderTest = Real;
    type Reference = Model;

    fn init_test(model: &Model) -> Real {
        let compiled = compile(workflow(&file(model)).expect("a workflow"));
        let mut real = Real {
            folder: tempfile::tempdir().expect("a folder"),
            calls: vec![0; model.kinds.len()],
            process: None,
            run: "run".into(),
            parent: None,
            now: 1_795_298_400_000,
            compiled,
        };
        let state = RunState::new(&real.compiled, &real.run, None);
        let recorded = state.status();
        real.process = Some(Process { store: real.open(), owner: None, state, recorded, under_way: BTreeMap::new() });
        real
    }

    fn apply(mut real: Real, _: &Model, what: Do) -> Real {
        let now = real.now;
        match what {
            Do::Start => {
                let (params, context) = (Arc::new(json!({})), Map::new());
                real.feed(Input::Start { params, context, seed: 7, started_by: None, debug: None, until: None, now });
            }
            Do::Finish(at) => {
                let ended = real.end(at, Ok(CallOutput::success(json!({ "n": at }))));
                real.feed(ended);
            }
            Do::Fail(at) => {
                let ended = real.end(at, Err(NodeFailure::new(ErrorType::ToolError, "NO", "It does not work")));
                real.feed(ended);
            }
            Do::Decide(at, good) => real.decide(at, good),
            // Of a run that has ended nothing is asked.
            Do::Cancel if real.process().state.status().is_terminal() => {}
            Do::Cancel => real.feed(Input::Cancel { superseded_by: None, now }),
            Do::Crash(heard) => real.crash(heard),
            Do::Rerun(from) => real.rerun(from),
        }
        real
    }

    fn check_invariants(real: &Real, model: &Model) {
        let process = real.process.as_ref().expect("it lives");
        let status = process.state.status();
        let wanted = match model.run {
            Run::Fresh => RunStatus::Created,
            Run::Live if model.is_paused() => RunStatus::Paused,
            Run::Live => RunStatus::Running,
            Run::Completed => RunStatus::Completed,
            Run::Failed => RunStatus::Failed,
            Run::Cancelled => RunStatus::Cancelled,
        };
        assert_eq!(status, wanted);
        assert_eq!(real.calls, model.calls, "nothing is called that the model does not call");
        if model.run == Run::Fresh {
            return;
        }
        let row = process.store.run(&real.run).expect("listed");
        assert_eq!((row.status, row.ended_ms.is_some()), (wanted, wanted.is_terminal()));
        assert_eq!(process.store.runs(&Default::default()).expect("readable").runs.len(), model.runs);
        let mut wrong = Vec::new();
        oracles(&real.events(&real.run), &mut wrong);
        assert_eq!(wrong, Vec::<String>::new());
        if matches!(model.run, Run::Failed | Run::Cancelled) {
            assert_eq!((process.under_way.len(), process.state.open_tasks().count()), (0, 0), "all was given up");
            return;
        }
        let running: Vec<usize> = (0..model.is.len()).filter(|at| model.is[*at] == Is::Running).collect();
        assert_eq!(process.under_way.keys().copied().collect::<Vec<_>>(), running);
        let asking = model.is.iter().filter(|is| **is == Is::Asking).count();
        assert_eq!(process.state.open_tasks().count(), asking);
        let summary = summary::of(&real.compiled, &process.state);
        for (at, is) in model.is.iter().enumerate() {
            let state = match (is, model.kinds[at]) {
                (Is::Open, _) => NodeState::Pending,
                (Is::Running, _) => NodeState::Running,
                (Is::Asking, _) => NodeState::AwaitingHitl,
                (Is::Bad, Kind::Call) => NodeState::ErrorHandled,
                (Is::Good | Is::Bad, _) => NodeState::Succeeded,
                (Is::Skipped, _) => NodeState::Skipped,
            };
            assert_eq!(summary.steps[&name(at)].state, state, "n{at} of {:#?}", model);
        }
    }
}

prop_state_machine! {
    #![proptest_config(Config {
        cases: 40,
        rng_seed: RngSeed::Fixed(0x5169_a1b0),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    })]

    #[test]
    fn the_engine_and_the_store_agree_with_the_small_model(sequential 4..24 => Agreement);
}
