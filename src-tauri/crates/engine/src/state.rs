//! What a run is at one moment. Every field but the transient ones is a function of the recorded events.

mod body;
mod debug;
mod slot_outputs;
mod slots;
mod work_index;

pub(crate) use body::{Aside, Body, Cut, Frame, Frames, Outcome, Own};
pub(crate) use debug::{Debug, Met, Pace};
pub(crate) use slots::{Results, Slots};
pub(crate) use work_index::WorkIndex;

use crate::effect::{Decided, Granted, Suspended};
use crate::{compiled::Compiled, lineage::Lineage, numbers::Spread, scope::Context, scope::NodeView, scope::RunView};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::{
    Data, ErrorPayload, Item, Items, NodeState, RunStatus, TaskKind,
    base::{AskedAgain, Foreign, KeptAnswer, Sent, named},
    debug::{Breakpoint, Stopped},
    task::{Answer, OnExpiry},
    time::Millis,
    trace_context::trace_id,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// What starts runs of a schedule that a person activated on this machine.
pub const BY_SCHEDULE: &str = "schedule";

/// What a run says started it, when an event (a delivery, a file, a new item) did.
pub const BY_TRIGGER: &str = "trigger";

/// State of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    pub(crate) run_id: Arc<str>,
    pub(crate) client_run_token: Option<String>,
    pub(crate) status: RunStatus,
    pub(crate) seq: u64,
    pub(crate) started_ms: Millis,
    pub(crate) last_ms: Millis,
    pub(crate) seed: u64,
    pub(crate) params: Arc<Value>,
    pub(crate) started_by: Option<String>,
    pub(crate) parent_run_id: Option<String>,
    /// Up to here people approved what models cost, in millionths.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) approved_to: u64,
    /// Calls of tools that people allowed for the whole run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) granted: Vec<Granted>,
    /// Answers of the original that are given again; each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) kept_answers: Vec<KeptAnswer>,
    /// The task of the original that is asked again, until it is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reopens: Option<AskedAgain>,
    /// The failed run that was sent to the inbox, until a person is asked about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sent: Option<Box<Sent>>,
    /// What a checkpoint of another program said, in a run that began at one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) foreign: Option<Box<Foreign>>,
    /// It ends after one step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Box<Until>>,
    /// While the base of a re-run is folded: the step it begins at.
    #[serde(skip)]
    pub(crate) basing: Option<Arc<str>>,
    /// What expressions see as `run`, without the step that executed last; made anew when the run's start is another.
    #[serde(skip)]
    pub(crate) run_seen: Made<Arc<Value>>,
    /// The trace of the run; who drives it knows whether its caller sent one.
    #[serde(skip)]
    pub(crate) trace: Made<Arc<str>>,
    /// The step that executed last (D-07).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_node: Option<Arc<str>>,
    pub(crate) context: Context,
    /// A node of a body has here what its iterations came to that have ended.
    pub(crate) nodes: Spread<NodeRun>,
    pub(crate) edges: Spread<EdgeState>,
    /// Open iterations, branches and sub-workflows.
    #[serde(default, skip_serializing_if = "Frames::is_empty")]
    pub(crate) frames: Frames,
    /// What waits, by what it waits for.
    #[serde(flatten)]
    pub(crate) work: WorkIndex,
    /// Open tasks by id.
    pub(crate) tasks: BTreeMap<String, OpenTask>,
    /// Exit wires that have not settled.
    pub(crate) exits: BTreeMap<usize, OpenExit>,
    pub(crate) ending: Option<Ending>,
    /// Somebody looks into the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) debug: Option<Box<Debug>>,
    pub(crate) output: Vec<Data>,
    pub(crate) stop_id: Option<String>,
    pub(crate) error: Option<Arc<ErrorPayload>>,
    pub(crate) failed_step: Option<String>,
    /// A cancel that waits for calls in flight, and the run that takes the place of this one. Not part of the recorded state: the request is a durable input of its
    /// own and comes again after a crash.
    #[serde(skip)]
    pub(crate) cancel: Transient,
    /// What nodes of iterations that are gone came to, while somebody follows the run to compare it.
    #[serde(skip)]
    pub(crate) gone: Gone,
}

/// A run that ends after one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Until {
    /// The step.
    pub(crate) step: usize,
    /// What runs; of containers all that they hold.
    pub(crate) runs: BTreeSet<usize>,
    /// The containers around the step, from the inside: of what they hold only what stands in `runs` does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) through: Vec<usize>,
    /// Where a re-run that ends inside a container begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<Arc<str>>,
}

/// A value that is no part of equality, snapshots or the fold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transient(pub(crate) Option<Millis>, pub(crate) Option<String>);

impl PartialEq for Transient {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Names and ends of nodes whose frames are gone; nothing is kept unless somebody asks. No part of equality, snapshots or
/// the fold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gone(pub(crate) Option<Vec<(String, NodeRun)>>);

impl PartialEq for Gone {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Gone {
    pub(crate) fn add(&mut self, path: &str, step: &str, run: &NodeRun) {
        if let Some(kept) = &mut self.0 {
            kept.push((named(Some(path), step), run.told()));
        }
    }
}

/// Why nothing new starts any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Ending {
    /// A Stop was reached.
    Stop,
    /// An abort or an unhandled error.
    Abort {
        error: Arc<ErrorPayload>,
        step: String,
        reason: Option<String>,
        since: Millis,
        /// The `onAbort` chain has begun.
        chain: bool,
        /// The chain itself failed; nothing more of it starts.
        chain_over: bool,
    },
}

/// A person is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OpenTask {
    pub(crate) kind: TaskKind,
    /// The slots it stands for: those of one node.
    pub(crate) cases: Vec<(usize, usize)>,
    /// The human node that asks; `None` for a default task and for a node that asks for itself.
    pub(crate) asks: Option<usize>,
    pub(crate) fingerprint: String,
    /// It stands for what comes after the first hundred of a fingerprint.
    pub(crate) many: bool,
    pub(crate) created_ms: Millis,
    pub(crate) ttl_ms: Option<Millis>,
    pub(crate) expires_ms: Option<Millis>,
    pub(crate) on_expiry: Option<OnExpiry>,
    pub(crate) level: u32,
    pub(crate) remind_every_ms: Option<Millis>,
    pub(crate) reminders: u32,
    /// Reminders that are left, in order, when there is no `remind_every_ms`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) remind_at: Vec<Millis>,
    /// `ttl_ms` is working time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) business: bool,
    /// It waits for somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) held: Option<Held>,
    /// How long it has waited for somebody else before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) waited_ms: Millis,
}

/// A task whose time stands still.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) since: Millis,
    /// What is left of its time.
    pub(crate) remaining: Option<Millis>,
}

impl OpenTask {
    /// From when on intervals of reminders count.
    pub(crate) fn remind_from(&self) -> Millis {
        self.created_ms.saturating_add(self.waited_ms)
    }
    /// When the next reminder is due.
    pub(crate) fn next_reminder(&self) -> Option<Millis> {
        let every = self.remind_every_ms.filter(|every| *every > 0);
        every
            .map(|every| self.remind_from().saturating_add(every.saturating_mul(Millis::from(self.reminders) + 1)))
            .or_else(|| self.remind_at.first().copied())
    }
    /// When something happens automatically.
    pub(crate) fn due_ms(&self) -> Option<Millis> {
        if self.held.is_some() {
            return None;
        }
        self.next_reminder().into_iter().chain(self.expires_ms).min()
    }
}

/// An exit wire that waits for its origins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OpenExit {
    /// Origins that have not ended.
    pub(crate) open: usize,
    /// (origin, slot, item) of the cases that left through it.
    pub(crate) items: Vec<(usize, usize, Item)>,
}

/// A failed call that is being dealt with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Case {
    /// What failed; a healer that gives up replaces it by its own failure, which holds the first one.
    pub(crate) error: Arc<ErrorPayload>,
    pub(crate) at: At,
    /// What happens once the case comes back to its origin.
    pub(crate) intent: Option<Intent>,
}

/// Where a case is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum At {
    /// It has come to a recovery node, which has not run yet.
    Node(usize),
    /// The call of that recovery node is under way.
    Running(usize),
    /// The built-in repair is tried next.
    BuiltInFix,
    /// A person is asked next, by a default task.
    Ask,
    /// The person was asked.
    Asked,
    /// The human node was answered.
    Answered { node: usize, answer: Answer },
    /// Nobody answered the human node in time, and its policy aborts.
    Expired { node: usize },
    /// A retry is planned next.
    Retry,
}

/// What a case comes back for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Intent {
    /// The next attempt.
    Retry,
    /// The next attempt, with a repaired input.
    Fixed(Arc<Value>),
    /// The next visit.
    Again,
    /// The next visit, with a corrected input.
    Corrected(Arc<Value>),
    /// It goes on as decided: an Audit on the way does not change what a rule or a person chose.
    Decided {
        /// The action of a rule, or `skip`.
        action: String,
        /// Why a run that ends this way ends.
        reason: Option<String>,
    },
}

/// One wire.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) enum EdgeState {
    #[default]
    Open,
    Dead,
    /// Items wait for the join.
    Taken(Arc<Items>),
    /// Taken, and the join has fired with so many items of it.
    Consumed(usize),
}

/// One node at one path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NodeRun {
    pub(crate) state: NodeState,
    /// Incoming edges that are still open.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) open_in: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) visits: u32,
    /// Calls made, summed over slots.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) calls: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) activation: Option<Activation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<StoredView>,
    /// Where its input came from; only in files that ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lineage: Option<Arc<Lineage>>,
}

/// Most nodes of a large graph have done nothing yet or nothing more to tell: they stay small in a snapshot.
fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// [`NodeView`] as kept in the state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredView {
    pub(crate) output: Data,
    pub(crate) items: Arc<Vec<Data>>,
    /// How many of `items` left through which port, in their order; only where single items are looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) ports: Vec<(Arc<str>, usize)>,
}

impl NodeRun {
    pub(crate) fn pending(open_in: usize) -> Self {
        Self { state: NodeState::Pending, open_in, visits: 0, calls: 0, activation: None, last: None, lineage: None }
    }

    /// What a summary tells of it.
    pub(crate) fn told(&self) -> Self {
        Self { visits: self.visits, calls: self.calls, state: self.state, ..Self::default() }
    }
}

impl Default for NodeRun {
    fn default() -> Self {
        Self::pending(0)
    }
}

impl StoredView {
    /// One item of a port.
    pub(crate) fn item(&self, port: &str, place: usize) -> Option<Data> {
        let mut before = 0;
        for (name, items) in &self.ports {
            if &**name == port {
                return self.items.get(before + place).filter(|_| place < *items).cloned();
            }
            before += items;
        }
        None
    }

    pub(crate) fn view(&self) -> NodeView {
        NodeView { output: self.output.clone(), items: Arc::clone(&self.items) }
    }
}

/// A join that has fired and not ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Activation {
    pub(crate) input: Arc<Items>,
    pub(crate) slots: Slots,
    /// Slots that are not closed.
    pub(crate) open: usize,
    /// First slot that may still be `Fresh`.
    pub(crate) next_fresh: usize,
    /// Context writes of the running call, applied with its `step_done`.
    pub(crate) staged: Vec<(String, Arc<Value>)>,
    /// Data of `input`, for all slots whose expressions name `items`: a list for each would be quadratic.
    #[serde(skip)]
    items: Made<Arc<Vec<Data>>>,
}

/// Bytes of text of a list whose rows expressions read where they stand.
const LONG: usize = 4 * 1024 * 1024;

impl Activation {
    pub(crate) fn new(input: Items, slots: usize, visit: u32) -> Self {
        Self {
            input: Arc::new(input),
            slots: Slots::new(slots, visit),
            open: slots,
            next_fresh: 0,
            staged: Vec::new(),
            items: Made::default(),
        }
    }

    /// `items` as a slot sees it: the items as they came, its own after `in`.
    pub(crate) fn items_with(&self, slot: usize, own: &Data) -> Arc<Vec<Data>> {
        let all = self.items.0.get_or_init(|| {
            // Every slot may look at all of them: what is not long is made into values once.
            let is_long = self.input.weight(|_| 0) > LONG;
            let of = |index| if is_long { self.input.kept(index) } else { self.input.data(index).map(Data::Value) };
            Arc::new((0..self.input.len()).filter_map(of).collect())
        });
        let mut items = Arc::clone(all);
        // One that was made of text is another piece of memory each time.
        if items.get(slot).is_some_and(|came| !came.same(own) && came != own) {
            Arc::make_mut(&mut items)[slot] = own.clone();
        }
        items
    }
}

/// Made of the rest of the state when it is first asked for, so it is no part of equality.
#[derive(Debug, Clone)]
pub(crate) struct Made<T>(OnceLock<T>);

impl<T> Default for Made<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> PartialEq for Made<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What is executed and counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Slot {
    pub(crate) phase: Phase,
    pub(crate) visit: u32,
    pub(crate) attempt: u32,
    pub(crate) interruptions: u32,
    /// Evaluated config, kept for retries.
    pub(crate) config: Option<Arc<Value>>,
    /// Input data after `in`, kept for retries.
    pub(crate) input: Vec<Data>,
    pub(crate) idempotency_key: Option<String>,
    /// `input` came from a repair or a person: `in` is not evaluated again.
    pub(crate) replaced: bool,
    /// Repairs by rules that were tried in this visit, and repairs that were accepted.
    pub(crate) heals: u32,
    pub(crate) fixes: u32,
    /// What healers asked models in this visit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) asked: Vec<Asked>,
    /// How often each recovery node ran for this slot.
    pub(crate) runs: Vec<(usize, u32)>,
    /// The wire along which its case last went: to a recovery node, or back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) along: Option<usize>,
    /// It waits for a person who allows a call of a tool, or goes on after one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) suspended: Option<Box<Suspended>>,
    /// What people decided about findings of safety checks in its data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) decided: Vec<Decided>,
    /// Of a container: what has become of its body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<Box<Body>>,
}

/// Questions of one healer to models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) healer: usize,
    pub(crate) tries: u32,
    /// Answers that were of no use since the last one that was: the next question tells them.
    pub(crate) refused: Vec<Refused>,
}

/// An answer that was of no use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Refused {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<String>,
    pub(crate) why: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after_ms: Option<u64>,
}

impl Slot {
    pub(crate) fn fresh(visit: u32) -> Self {
        Self {
            phase: Phase::Fresh,
            visit,
            attempt: 0,
            interruptions: 0,
            config: None,
            input: Vec::new(),
            idempotency_key: None,
            replaced: false,
            heals: 0,
            fixes: 0,
            asked: Vec::new(),
            runs: Vec::new(),
            along: None,
            suspended: None,
            decided: Vec::new(),
            body: None,
        }
    }

    /// What a healer asked a model in this visit.
    pub(crate) fn asked_by(&self, healer: usize) -> Option<&Asked> {
        self.asked.iter().find(|asked| asked.healer == healer)
    }

    /// How often a recovery node ran for this slot.
    pub(crate) fn runs_of(&self, node: usize) -> u32 {
        self.runs.iter().find(|(n, _)| *n == node).map_or(0, |(_, count)| *count)
    }
}

/// Where a slot stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// Not started.
    Fresh,
    /// A call is under way.
    Running,
    /// `flow.wait` until then.
    Sleeping { due_ms: Millis },
    /// The next attempt starts then.
    RetryAt { due_ms: Millis },
    /// Failed; nobody has decided yet.
    Undecided { error: Arc<ErrorPayload> },
    /// Cut off; the same attempt starts again.
    Interrupted,
    /// The next call starts at once, with the slot's new visit or attempt.
    Reenter,
    /// Somebody deals with the failure.
    Case(Box<Case>),
    /// The body of the container runs.
    Inside,
    /// The node itself waits for a person.
    Asking { task: String },
    /// Left through ports.
    Done { ports: Vec<(String, Items)> },
    /// Left through the red port.
    OnError { error: Arc<ErrorPayload> },
    /// Left through the fallback.
    OnFallback { error: Arc<ErrorPayload> },
    /// Left through exits of a recovery node.
    Exited { edges: Vec<usize>, items: Vec<Item>, skipped: bool },
    /// A person skipped it: through a port, or through the fallback.
    PersonSkipped { ports: Vec<(String, Vec<Item>)>, fallback: Option<Arc<ErrorPayload>> },
    /// Failed the run.
    Failed,
    /// Never finished because the run ended.
    Cancelled,
}

impl Phase {
    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Done { .. }
            | Self::OnError { .. }
            | Self::OnFallback { .. }
            | Self::Exited { .. }
            | Self::PersonSkipped { .. }
            | Self::Failed
            | Self::Cancelled => true,
            Self::Reenter
            | Self::Inside
            | Self::Case(_)
            | Self::Asking { .. }
            | Self::Fresh
            | Self::Running
            | Self::Sleeping { .. }
            | Self::RetryAt { .. }
            | Self::Undecided { .. }
            | Self::Interrupted => false,
        }
    }
}

impl RunState {
    /// A run before its first event.
    pub fn new(compiled: &Compiled, run_id: &str, client_run_token: Option<String>) -> Self {
        let null = Arc::new(Value::Null);
        Self {
            run_id: Arc::from(run_id),
            client_run_token,
            status: RunStatus::Created,
            seq: 0,
            started_ms: 0,
            last_ms: 0,
            seed: 0,
            params: null,
            started_by: None,
            parent_run_id: None,
            approved_to: 0,
            granted: Vec::new(),
            kept_answers: Vec::new(),
            reopens: None,
            sent: None,
            foreign: None,
            until: None,
            basing: None,
            run_seen: Made::default(),
            trace: Made::default(),
            last_node: None,
            context: Context::default(),
            nodes: Spread::new(
                compiled
                    .nodes
                    .iter()
                    .map(|node| NodeRun::pending(if node.region == 0 { node.in_edges.len() } else { 0 }))
                    .collect(),
            ),
            edges: Spread::new(vec![EdgeState::Open; compiled.edges.len()]),
            frames: Frames::default(),
            work: WorkIndex::default(),
            tasks: BTreeMap::new(),
            exits: compiled.regions[0]
                .exits
                .iter()
                .map(|(edge, open)| (*edge, OpenExit { open: *open, items: Vec::new() }))
                .collect(),
            ending: None,
            debug: None,
            output: Vec::new(),
            stop_id: None,
            error: None,
            failed_step: None,
            cancel: Transient::default(),
            gone: Gone::default(),
        }
    }

    /// Bytes of text of the lists that it holds.
    pub fn lists_weight(&self) -> usize {
        let weight = |items: &Items| items.weight(|_| 0);
        let edges = self.edges.top().iter().map(|edge| match edge {
            EdgeState::Taken(items) => weight(items),
            EdgeState::Open | EdgeState::Dead | EdgeState::Consumed(_) => 0,
        });
        let steps = self.nodes.top().iter().filter_map(|node| node.activation.as_ref());
        edges.sum::<usize>() + steps.map(|known| weight(&known.input) + known.slots.texts()).sum::<usize>()
    }

    /// Where the run stands.
    pub fn status(&self) -> RunStatus {
        self.status
    }
    /// Seq of the last event, 0 before the first.
    pub fn last_seq(&self) -> u64 {
        self.seq
    }
    /// Time of `workflow_start`, milliseconds since 1970.
    pub fn started_ms(&self) -> Millis {
        self.started_ms
    }
    /// A person on this machine started the run, or activated the schedule that did: nothing from outside decided it.
    pub(crate) fn is_started_here(&self) -> bool {
        matches!(self.started_by.as_deref(), None | Some(BY_SCHEDULE | BY_TRIGGER))
    }

    /// The step that executed last, in a container without its path (D-07).
    pub fn last_node(&self) -> Option<&str> {
        self.last_node.as_deref()
    }

    /// A step has executed.
    pub(crate) fn executed(&mut self, step: &Arc<str>) {
        if self.last_node.as_ref() != Some(step) {
            self.last_node = Some(Arc::clone(step));
        }
    }

    /// What expressions see as `run`.
    pub(crate) fn run_seen(&self) -> RunView {
        let seen = || {
            let started = signalbox_model::time::format(self.started_ms);
            Arc::new(serde_json::json!({ "id": &*self.run_id, "startedAt": started }))
        };
        RunView::new(Arc::clone(self.run_seen.0.get_or_init(seen)), self.last_node.clone())
    }
    /// The same run in the trace that its caller sent (ADR 128); without one it has its own.
    #[must_use]
    pub fn in_trace(self, caller: Option<&str>) -> Self {
        match caller {
            Some(caller) => Self { trace: Made(OnceLock::from(Arc::from(caller))), ..self },
            None => self,
        }
    }
    /// What errors say as their trace.
    pub(crate) fn trace_id(&self) -> String {
        self.trace.0.get_or_init(|| trace_id(&self.run_id).into()).to_string()
    }
    /// Time of the last event.
    pub fn last_ms(&self) -> Millis {
        self.last_ms
    }
    /// The run's id.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }
    /// The run's input.
    pub fn params(&self) -> &Arc<Value> {
        &self.params
    }
    /// The original of a re-run.
    pub fn parent_run_id(&self) -> Option<&str> {
        self.parent_run_id.as_deref()
    }
    /// Run-wide variables now.
    pub fn context(&self) -> &Context {
        &self.context
    }
    /// State of a node.
    pub fn node_state(&self, node: usize) -> Option<NodeState> {
        self.nodes.get(node).map(|n| n.state)
    }
    /// Whether calls are under way, timers run or people are asked.
    pub fn is_waiting(&self) -> bool {
        self.is_busy() || !self.work.timed().is_empty() || !self.tasks.is_empty()
    }
    /// Whether calls are under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.work.calls() > 0
    }
    /// It was aborted: what still runs is the chain after that, and nobody is asked any more.
    pub(crate) fn is_given_up(&self) -> bool {
        matches!(self.ending, Some(Ending::Abort { .. }))
    }
    /// Ids of the open tasks.
    pub fn open_tasks(&self) -> impl Iterator<Item = &str> {
        self.tasks.keys().map(String::as_str)
    }
    /// Where and why the run stands stopped.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.debug.as_ref()?.stopped.as_ref()
    }
    /// Calls under way.
    pub fn under_way(&self) -> usize {
        self.work.calls()
    }
    /// Before which calls it stops.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        self.debug.as_ref().map_or(&[], |debug| &debug.breakpoints)
    }
    /// Nothing is running, and somebody stopped it; or nothing is running or due, and a person is asked (SEMANTICS 5).
    pub(crate) fn is_paused(&self) -> bool {
        if self.stopped().is_some() {
            return !self.is_busy() && self.ending.is_none();
        }
        !self.tasks.is_empty()
            && !self.is_busy()
            && self.work.timed().is_empty()
            && !self.work.has_decisions()
            && self.ending.is_none()
            && !self.tasks.values().any(|task| self.is_live(task))
    }

    /// A tool server waits for the answer over a connection of the process that drives the run.
    pub(crate) fn is_live(&self, task: &OpenTask) -> bool {
        task.cases.first().is_some_and(|(node, slot)| {
            let slot = self.nodes.get(*node).and_then(|node| node.activation.as_ref()?.slots.get(*slot));
            matches!(slot.map(|slot| &slot.phase), Some(Phase::Case(case)) if crate::question::is_live(&case.error))
        })
    }
}
