//! The small model: what a run of a graph without loops must come to, written from the rules (SEMANTICS 2, 4, 5, 8, 9)
//! with maps and nothing of the engine.

use proptest::prelude::*;
use proptest::sample::select;
use proptest_state_machine::ReferenceStateMachine;
use std::collections::BTreeSet;

/// Most steps of a graph.
const STEPS: usize = 6;
/// The third interruption of one call is an error; that has a test of its own.
const CUTS: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A call to the outside: the test says when it ends, and how.
    Call,
    /// Done at once.
    Pass,
    /// A person is asked.
    Ask,
}

/// How a step stands. `Good` and `Bad` are also the two ports that a wire begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Is {
    Open,
    Running,
    Asking,
    Good,
    Bad,
    Skipped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    Fresh,
    Live,
    Completed,
    Failed,
    Cancelled,
}

#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) kinds: Vec<Kind>,
    /// From a step and its port to a later step.
    pub(crate) wires: BTreeSet<(usize, Is, usize)>,
    pub(crate) is: Vec<Is>,
    /// Calls that began, over all runs.
    pub(crate) calls: Vec<usize>,
    /// Interruptions of the call under way.
    cuts: Vec<usize>,
    pub(crate) run: Run,
    pub(crate) runs: usize,
}

#[derive(Debug, Clone)]
pub(crate) enum Do {
    Start,
    Finish(usize),
    Fail(usize),
    Decide(usize, bool),
    Cancel,
    /// The process dies. With a step: it heard the end of its call and did not come to write it.
    Crash(Option<usize>),
    Rerun(usize),
}

impl Model {
    fn of(&self, wanted: Is) -> Vec<usize> {
        (0..self.kinds.len()).filter(|at| self.is[*at] == wanted).collect()
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.run == Run::Live && self.of(Is::Running).is_empty()
    }

    fn possible(&self) -> Vec<Do> {
        match self.run {
            Run::Fresh => vec![Do::Start],
            Run::Live => {
                let running = self.of(Is::Running);
                let mut all: Vec<Do> = Vec::new();
                for at in &running {
                    all.extend([Do::Finish(*at), Do::Finish(*at), Do::Fail(*at)]);
                }
                for at in self.of(Is::Asking) {
                    all.extend([Do::Decide(at, true), Do::Decide(at, false)]);
                }
                if running.iter().all(|at| self.cuts[*at] < CUTS) {
                    all.push(Do::Crash(None));
                    all.extend(running.first().map(|at| Do::Crash(Some(*at))));
                }
                all.push(Do::Cancel);
                all
            }
            Run::Completed => {
                (0..self.kinds.len()).filter(|at| matches!(self.is[*at], Is::Good | Is::Bad)).map(Do::Rerun).collect()
            }
            Run::Failed | Run::Cancelled => Vec::new(),
        }
    }

    fn begin(&mut self, at: usize) {
        self.cuts[at] = 0;
        self.is[at] = match self.kinds[at] {
            Kind::Call => {
                self.calls[at] += 1;
                Is::Running
            }
            Kind::Pass => Is::Good,
            Kind::Ask => Is::Asking,
        };
    }

    /// Wires lead to later steps only, so one look from the first to the last is enough.
    fn settle(&mut self) {
        for at in 0..self.kinds.len() {
            if self.is[at] != Is::Open {
                continue;
            }
            let into: Vec<(usize, Is)> =
                self.wires.iter().filter(|wire| wire.2 == at).map(|wire| (wire.0, wire.1)).collect();
            let ended = |from: usize| matches!(self.is[from], Is::Good | Is::Bad | Is::Skipped);
            if into.is_empty() || into.iter().any(|(from, port)| self.is[*from] == *port) {
                if into.iter().all(|(from, _)| ended(*from)) {
                    self.begin(at);
                }
            } else if into.iter().all(|(from, _)| ended(*from)) {
                self.is[at] = Is::Skipped;
            }
        }
        if !self.is.iter().any(|is| matches!(is, Is::Open | Is::Running | Is::Asking)) {
            self.run = Run::Completed;
        }
    }

    fn reached_from(&self, at: usize) -> BTreeSet<usize> {
        let mut all = BTreeSet::from([at]);
        for (from, _, to) in &self.wires {
            // In the order of their beginnings, and they lead forward only.
            if all.contains(from) {
                all.insert(*to);
            }
        }
        all
    }
}

impl ReferenceStateMachine for Model {
    type State = Self;
    type Transition = Do;

    fn init_state() -> BoxedStrategy<Self> {
        let kind = select(vec![Kind::Call, Kind::Call, Kind::Call, Kind::Pass, Kind::Ask]);
        let kinds = prop::collection::vec(kind, 2..=STEPS);
        let wires = prop::collection::vec((0..STEPS, 0..STEPS, any::<bool>()), 1..STEPS * 2);
        (kinds, wires)
            .prop_map(|(kinds, drawn)| {
                let steps = kinds.len();
                let wires = drawn
                    .into_iter()
                    .map(|(a, b, good)| (a.min(b), good, a.max(b)))
                    .filter(|(from, good, to)| from != to && *to < steps && (*good || kinds[*from] != Kind::Pass))
                    .map(|(from, good, to)| (from, if good { Is::Good } else { Is::Bad }, to))
                    .collect();
                Self {
                    wires,
                    is: vec![Is::Open; steps],
                    calls: vec![0; steps],
                    cuts: vec![0; steps],
                    run: Run::Fresh,
                    runs: 1,
                    kinds,
                }
            })
            .boxed()
    }

    fn transitions(state: &Self) -> BoxedStrategy<Do> {
        let possible = state.possible();
        // Nothing happens to a run that has ended badly; the strategy must still have something to say.
        if possible.is_empty() { Just(Do::Cancel).boxed() } else { select(possible).boxed() }
    }

    fn preconditions(state: &Self, wanted: &Do) -> bool {
        state.possible().iter().any(|one| format!("{one:?}") == format!("{wanted:?}"))
            || matches!((state.run, wanted), (Run::Failed | Run::Cancelled, Do::Cancel))
    }

    fn apply(mut state: Self, what: &Do) -> Self {
        match what {
            Do::Start => {
                state.run = Run::Live;
                state.settle();
            }
            Do::Finish(at) => {
                state.is[*at] = Is::Good;
                state.settle();
            }
            Do::Fail(at) => {
                state.is[*at] = Is::Bad;
                if state.wires.iter().any(|wire| (wire.0, wire.1) == (*at, Is::Bad)) {
                    state.settle();
                } else {
                    state.run = Run::Failed;
                }
            }
            Do::Decide(at, good) => {
                state.is[*at] = if *good { Is::Good } else { Is::Bad };
                state.settle();
            }
            Do::Cancel => {
                if state.run == Run::Live {
                    state.run = Run::Cancelled;
                }
            }
            Do::Crash(_) => {
                // What was under way is called again; what waits for a person waits.
                for at in state.of(Is::Running) {
                    state.calls[at] += 1;
                    state.cuts[at] += 1;
                }
            }
            Do::Rerun(from) => {
                for at in state.reached_from(*from) {
                    state.is[at] = Is::Open;
                }
                state.run = Run::Live;
                state.runs += 1;
                state.settle();
            }
        }
        state
    }
}
