//! A run in memory: a handful of made-up kinds, scripted failures, calls that finish in any order.

use serde_json::{Value, json};
use signalbox_engine::{
    Catalog, Compiled, Effect, Input, RunState,
    effect::{Call, CallOutput, OutItem, Timer},
    fold,
    rerun::Rerun,
    snapshot, step,
};
use signalbox_model::call_progress::{CallProgress, LlmDelta};
use signalbox_model::debug::{DebugRequest, DebugStart};
use signalbox_model::event::Telemetry;
use signalbox_model::{Effects, EventBody, NodeDescriptor, NodeFailure, RunEvent, TaskAction, Workflow, task::Answer};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

fn recovery(name: &str, ports: &[&str]) -> NodeDescriptor {
    let ports: Vec<Value> = ports.iter().map(|id| json!({ "id": id })).collect();
    serde_json::from_value(json!({
        "type": name, "version": 1, "title": name, "description": name, "category": "error", "icon": "box",
        "role": "recovery", "modes": ["each"], "effects": "none", "ports": ports,
        "config": { "type": "object", "properties": {
            "rules": { "type": "array", "x-raw": true }, "validationSchema": { "type": ["object", "string"], "x-raw": true },
            "ttlMs": { "type": "number" }, "onExpiry": { "type": "string" }, "title": { "type": "string" },
            "instructions": { "type": "string" }, "assignee": { "type": "string" }, "priority": { "type": "number" } } }
    }))
    .expect("descriptor")
}

fn container(name: &str, role: &str, modes: &[&str]) -> NodeDescriptor {
    serde_json::from_value(json!({
        "type": name, "version": 1, "title": name, "description": name, "category": "logic", "icon": "box",
        "role": role, "modes": modes, "effects": "none", "ports": [{ "id": "success" }, { "id": "error" }],
        "config": { "type": "object", "properties": {
            "source": {}, "while": { "type": "string", "x-cel": true }, "collect": { "type": "string", "x-cel": true },
            "mode": { "type": "string" }, "maxIterations": { "type": "integer" },
            "maxConcurrency": { "type": "integer" }, "onChildError": { "type": "string" },
            "workflow": { "type": "string" }, "params": { "type": "object" } } }
    }))
    .expect("descriptor")
}

/// How many cases a property tries. The numbers come from a fixed seed, so that more of them would be the same ones again each time;
/// who changes the engine looks further: `PROPTEST_CASES=2560 PROPTEST_RNG_SEED=7` tries ten times as many, and others.
pub(crate) fn cases(usual: u32) -> u32 {
    /// What proptest takes when nobody asks for a number.
    const OF_PROPTEST: u32 = 256;
    (usual * proptest::test_runner::Config::default().cases / OF_PROPTEST).max(1)
}

/// `t.pass` and `t.split` are pure, `t.read` and `t.write` have effects, `t.all` joins, `t.stop` ends, `t.wait` waits.
pub(crate) fn catalog() -> Catalog {
    let kind = |name: &str, effects: Value, modes: Value, ports: Value, extra: Value| {
        let mut all = json!({
            "type": name, "version": 1, "title": name, "description": name, "category": "data", "icon": "box",
            "modes": modes, "effects": effects, "ports": ports,
            "config": { "type": "object", "properties": {
                "url": { "type": "string" }, "ms": { "type": "number" }, "stopId": { "type": "string" } } }
        });
        for (key, value) in extra.as_object().expect("object") {
            all[key] = value.clone();
        }
        serde_json::from_value::<NodeDescriptor>(all).expect("descriptor")
    };
    let both = json!([{ "id": "success" }, { "id": "error" }]);
    Catalog::new(vec![
        kind("t.pass", json!("none"), json!(["each", "all"]), both.clone(), json!({ "keepsError": true })),
        kind(
            "t.split",
            json!("none"),
            json!(["each"]),
            json!([{ "id": "true" }, { "id": "false" }, { "id": "error" }]),
            json!({ "keepsError": true }),
        ),
        kind("t.many", json!("none"), json!(["all"]), both.clone(), json!({})),
        kind("t.orders", json!("none"), json!(["all"]), both.clone(), json!({})),
        kind("t.hundreds", json!("none"), json!(["all"]), both.clone(), json!({})),
        // One item becomes two; the items in the other order; one item of all.
        kind("t.twice", json!("none"), json!(["each"]), both.clone(), json!({})),
        kind("t.turn", json!("none"), json!(["all"]), both.clone(), json!({})),
        kind("t.sum", json!("none"), json!(["all"]), both.clone(), json!({})),
        kind("t.thousands", json!("none"), json!(["all"]), both.clone(), json!({})),
        kind("t.read", json!("read"), json!(["each", "all"]), both.clone(), json!({})),
        kind("t.write", json!("write"), json!(["each"]), both.clone(), json!({ "replay": "ask" })),
        // The one kind that sends its idempotency key along.
        kind("http.request", json!("write"), json!(["each"]), both.clone(), json!({ "replay": "ask" })),
        kind("t.all", json!("none"), json!(["all"]), both.clone(), json!({ "keepsError": true })),
        kind("t.approval", json!("none"), json!(["all"]), both.clone(), json!({ "role": "approval" })),
        kind("t.form", json!("none"), json!(["all"]), both.clone(), json!({ "role": "form" })),
        kind("t.pause", json!("none"), json!(["all"]), both.clone(), json!({ "role": "pause" })),
        kind("t.wait", json!("read"), json!(["all"]), both, json!({ "role": "wait", "keepsError": true })),
        kind("t.fail", json!("none"), json!(["all"]), json!([{ "id": "error" }]), json!({})),
        kind("t.break", json!("none"), json!(["all"]), json!([]), json!({ "role": "break" })),
        container("t.loop", "loop", &["all"]),
        container("t.par", "parallel", &["all"]),
        container("t.sub", "subworkflow", &["each"]),
        kind("t.stop", json!("none"), json!(["all"]), json!([]), json!({ "role": "stop" })),
        kind(
            "builtin.audit",
            json!("write"),
            json!(["each"]),
            json!([{ "id": "success" }, { "id": "error" }]),
            json!({ "replay": "safe", "keepsError": true }),
        ),
        recovery("builtin.error_handler", &["retry", "auto_fix", "human_review", "fallback", "context", "abort"]),
        recovery("builtin.self_healing", &["success", "error"]),
        recovery("builtin.human_decision", &["retry", "corrected", "skip", "alternative", "abort", "error"]),
    ])
}

pub(crate) fn compile(file: Value) -> Compiled {
    let workflow: Workflow = serde_json::from_value(file).expect("workflow");
    match Compiled::new(Arc::new(workflow), "hash", &catalog()) {
        Ok(compiled) => compiled,
        Err(diagnostics) => panic!("{diagnostics:#?}"),
    }
}

/// The step and the items that a call of its own begins with; one without items has item 0.
pub(crate) fn takes(event: &RunEvent) -> Option<(String, BTreeSet<usize>)> {
    let EventBody::StepStart(start) = &event.body else { return None };
    let step = event.step_id.clone().filter(|_| start.origin.is_none())?;
    let items: BTreeSet<usize> = start.input.iter().map(|input| input.item).collect();
    Some((step, if items.is_empty() { BTreeSet::from([0]) } else { items }))
}

/// Steps and items that were finished.
pub(crate) fn finished<'a>(events: impl Iterator<Item = &'a RunEvent>) -> BTreeSet<(String, usize)> {
    finished_calls(events).into_iter().map(|((_, step, _), item)| (step, item)).collect()
}

/// Path, step and visit.
pub(crate) type Entered = (Option<String>, String, Option<u32>);

/// Calls and items that were finished: many items end in parts, some of which fail.
pub(crate) fn finished_calls<'a>(events: impl Iterator<Item = &'a RunEvent>) -> BTreeSet<(Entered, usize)> {
    let mut open: HashMap<(Entered, Option<usize>), BTreeSet<usize>> = HashMap::new();
    let mut done = BTreeSet::new();
    for event in events {
        let Some(step) = &event.step_id else { continue };
        let step: Entered = (event.path.as_deref().map(str::to_owned), step.clone(), event.visit);
        if let Some((_, items)) = takes(event) {
            open.insert((step.clone(), event.item), items);
        }
        match &event.body {
            EventBody::StepError(failed) if failed.origin.is_none() => {
                let batch = open.get_mut(&(step.clone(), None));
                if let (Some(batch), Some(item)) = (batch, event.item) {
                    batch.remove(&item);
                }
            }
            EventBody::StepDone(ended) if ended.origin.is_none() => {
                let items = open.remove(&(step.clone(), event.item)).unwrap_or_default();
                done.extend(items.into_iter().map(|item| (step.clone(), item)));
            }
            _ => {}
        }
    }
    done
}

/// Every other run takes its items in parts of two, as one does with thousands (ADR 62).
pub(crate) fn parted(compiled: Compiled, order: u64) -> Compiled {
    if order.is_multiple_of(2) { compiled.in_parts_of(2) } else { compiled }
}

/// What a call answers: a function of (node, item, attempt).
pub(crate) type Script<'a> = &'a dyn Fn(&str, usize, u32) -> Option<NodeFailure>;

/// From this visit on every call succeeds: without an end of its troubles a run would ask people for ever.
const LAST_VISIT: u32 = 4;

pub(crate) struct World<'a> {
    pub(crate) compiled: &'a Compiled,
    pub(crate) state: RunState,
    pub(crate) events: Vec<RunEvent>,
    pub(crate) states: Vec<(u64, RunState)>,
    pub(crate) calls: HashMap<(String, usize), u32>,
    pending: Vec<Effect>,
    now: i64,
    script: Script<'a>,
    order: u64,
    pub(crate) keep_states: bool,
    /// People use every answer that they are offered, not only retry, skip and abort.
    pub(crate) every_answer: bool,
    /// What is pending is taken in the order in which it was decided, timers by their time; nothing else takes time.
    pub(crate) in_order: bool,
    /// Calls with effects tell things while they are under way, and after.
    pub(crate) talks: bool,
    /// Invariant 7 at every step, which takes a copy of the state.
    pub(crate) checked: bool,
}

impl<'a> World<'a> {
    pub(crate) fn new(compiled: &'a Compiled, script: Script<'a>, order: u64) -> Self {
        Self {
            compiled,
            state: RunState::new(compiled, "run", None),
            events: Vec::new(),
            states: Vec::new(),
            calls: HashMap::new(),
            pending: Vec::new(),
            now: 1_000_000,
            script,
            order,
            keep_states: false,
            every_answer: false,
            in_order: false,
            talks: false,
            checked: true,
        }
    }

    pub(crate) fn start(&mut self, params: Value) {
        self.start_watched(params, None);
    }

    /// A run that somebody looks into.
    pub(crate) fn start_watched(&mut self, params: Value, debug: Option<DebugStart>) {
        self.start_as(params, debug, None);
    }

    /// A run that ends after a step.
    pub(crate) fn start_until(&mut self, params: Value, step: &str) {
        self.start_as(params, None, Some(step.to_owned()));
    }

    fn start_as(&mut self, params: Value, debug: Option<DebugStart>, until: Option<String>) {
        let input = Input::Start {
            params: Arc::new(params),
            context: signalbox_model::Map::new(),
            seed: 7,
            started_by: None,
            debug,
            until,
            now: self.now,
        };
        self.give(input);
    }

    /// Runs to its end, every state of it checked.
    pub(crate) fn ran(compiled: &'a Compiled, script: Script<'a>, order: u64, params: Value) -> Self {
        let mut world = Self::new(compiled, script, order);
        world.keep_states = true;
        world.start(params);
        world.run_to_end();
        check(compiled, &world.events, &world.states);
        world
    }

    /// A new run that begins at a step of another one.
    pub(crate) fn again(compiled: &'a Compiled, script: Script<'a>, order: u64, rerun: Rerun) -> Self {
        let mut world = Self::new(compiled, script, order);
        world.state = RunState::new(compiled, "run", None);
        world.now = 3_000_000;
        let now = world.now;
        world.give(Input::Rerun { rerun: Box::new(rerun), seed: 7, started_by: None, debug: None, now });
        world
    }

    /// Continues from recorded events.
    pub(crate) fn resume(compiled: &'a Compiled, events: &[RunEvent], script: Script<'a>, order: u64) -> Self {
        Self::new(compiled, script, order).after(events)
    }

    /// The same from a world that is set up already.
    pub(crate) fn after(self, events: &[RunEvent]) -> Self {
        let mut world = self;
        let compiled = world.compiled;
        for event in events {
            fold(compiled, &mut world.state, event).expect("recorded events fold");
        }
        world.events = events.to_vec();
        world.now = 2_000_000;
        world.give(Input::Resume { now: world.now });
        world
    }

    pub(crate) fn give(&mut self, input: Input) {
        let again = self.checked.then(|| self.state.clone());
        let output = step(self.compiled, &mut self.state, input.clone()).expect("possible");
        if let Some(mut again) = again {
            let repeated = step(self.compiled, &mut again, input).expect("possible");
            assert_eq!(output.events, repeated.events, "invariant 7: the same arguments give the same result");
            assert_eq!(self.state, again);
        }
        self.events.extend(output.events);
        self.pending.extend(output.effects);
        if self.keep_states {
            self.states.push((self.state.last_seq(), self.state.clone()));
        }
    }

    /// The person who looks into the run asks something of it.
    pub(crate) fn ask(&mut self, request: DebugRequest) {
        let now = self.now;
        self.give(Input::Debug { request, operator_id: Some("user:eve".into()), now });
    }

    /// Takes one pending effect; false when there is none.
    pub(crate) fn turn(&mut self) -> bool {
        if self.pending.is_empty() {
            return self.state.stopped().is_none() && self.answer();
        }
        self.order = self.order.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mut pick = usize::try_from(self.order >> 33).expect("fits") % self.pending.len();
        if self.in_order {
            let due = |effect: &Effect| match effect {
                Effect::Timer { timer: Timer::Grace, .. } => i64::MAX,
                Effect::Timer { due_ms, .. } => *due_ms,
                _ => 0,
            };
            // The first of those that are due first.
            pick = (0..self.pending.len()).min_by_key(|i| due(&self.pending[*i])).unwrap_or_default();
        }
        self.now += i64::from(!self.in_order);
        match self.pending.remove(pick) {
            Effect::Call(call) => {
                let results = call.slots.iter().map(|slot| (slot.item, self.run(&call, slot.item))).collect();
                let now = self.now;
                let tells = self.talks && call.effects != Effects::None;
                if tells {
                    self.tell(&call, false);
                }
                self.give(Input::NodeFinished { key: call.key.clone(), results, now });
                if tells {
                    self.tell(&call, true);
                }
            }
            Effect::Timer { timer: Timer::Grace, .. } if !self.pending.is_empty() => {}
            Effect::Timer { timer, due_ms } => {
                self.now = self.now.max(due_ms);
                let now = self.now;
                self.give(Input::TimerFired { timer, now });
            }
            // What is stopped too late still answers: nobody wants to know it.
            Effect::CancelCall(_) => {}
            Effect::CancelCalls => self.pending.retain(|e| !matches!(e, Effect::Call(_))),
            Effect::WriteArtifact { .. } => {}
        }
        true
    }

    /// A call tells something; when it is over, nobody hears it.
    fn tell(&mut self, call: &Call, over: bool) {
        let piece = |delta: &str| CallProgress::LlmToken(LlmDelta::new(delta));
        let said = vec![piece("a"), piece("b")];
        let before = (self.state.clone(), self.events.len(), self.pending.len());
        self.give(Input::CallSaid { key: call.key.clone(), said, now: self.now });
        let told = &self.events[before.1..];
        assert!(
            told.iter().all(|event| matches!(event.body, EventBody::Telemetry(Telemetry::LlmToken(_)))),
            "it decides nothing: {told:?}"
        );
        assert_eq!(before.2, self.pending.len(), "it has no effect");
        if over || before.0.status().is_terminal() {
            assert_eq!(before.0, self.state, "what a call tells after its end changes nothing");
        }
    }

    /// A person answers the first open task: a function of the step, the item and the visit alone.
    fn answer(&mut self) -> bool {
        let open = |task: &str| self.state.open_tasks().any(|id| id == task);
        let asked = self.events.iter().find_map(|event| match &event.body {
            EventBody::HumanTaskCreated(created) if open(&created.task_id) => Some((event, created)),
            _ => None,
        });
        let Some((event, created)) = asked else { return false };
        // A human node's own visit differs after a crash: the failed slot decides, not it.
        let (item, visit, failed) = match &created.origin {
            Some(origin) => (origin.item, origin.visit, origin.step_id.as_str()),
            None => (event.item, event.visit.unwrap_or(1), ""),
        };
        let step = event.step_id.as_deref().unwrap_or_default();
        let fate = step.bytes().chain(failed.bytes()).map(usize::from).sum::<usize>() + item.unwrap_or(0) * 7;
        let may = |action: TaskAction| created.allowed_actions.contains(&action);
        let action = match (visit, fate % 4) {
            _ if self.every_answer => {
                use TaskAction::{Abort, Alternative, Correct, Retry, Skip};
                let liked =
                    [Correct, Retry, Alternative, Skip, Correct, Skip, Alternative, Retry, Skip, Correct, Abort];
                let from = (fate + usize::try_from(visit).expect("small") * 3) % liked.len();
                let mut liked = liked.iter().cycle().skip(from).take(liked.len()).copied();
                liked.find(|action| may(*action)).unwrap_or(Abort)
            }
            (1, 0 | 1) if may(TaskAction::Retry) => TaskAction::Retry,
            (_, 3) => TaskAction::Abort,
            _ if may(TaskAction::Skip) => TaskAction::Skip,
            _ => TaskAction::Abort,
        };
        let corrected = (action == TaskAction::Correct).then(|| Arc::new(json!({ "corrected": visit })));
        let target = created.alternatives.get(fate % created.alternatives.len().max(1));
        let target = target.filter(|_| action == TaskAction::Alternative).map(|a| a.target_node_id.clone());
        let answer = Answer {
            action,
            corrected_input: corrected,
            target_node_id: target,
            notes: None,
            budget_micros: None,
            tool_grant: None,
            operator_id: None,
        };
        let input = Input::Decision { task_id: created.task_id.clone(), answer, request_id: None, now: self.now + 1 };
        self.now += 1;
        self.give(input.clone());
        // Invariant 6: what comes twice changes nothing.
        let (seq, effects) = (self.state.last_seq(), self.pending.len());
        self.give(input);
        assert_eq!((seq, effects), (self.state.last_seq(), self.pending.len()), "an answer counts once");
        true
    }

    pub(crate) fn run_to_end(&mut self) {
        let mut turns = 0;
        while self.turn() {
            turns += 1;
            assert!(turns < 50_000, "the run does not end");
        }
    }

    fn run(&mut self, call: &Call, item: usize) -> Result<CallOutput, NodeFailure> {
        // In a body the script knows the step by its path.
        let at = &call.key.path;
        let name = if at.is_empty() { call.node_id.to_string() } else { format!("{at}/{}", call.node_id) };
        *self.calls.entry((name.clone(), item)).or_default() += 1;
        let troubled = call.key.visit < LAST_VISIT && call.key.origin.is_none();
        if let Some(failure) = (self.script)(&name, item, call.key.attempt).filter(|_| troubled) {
            return Err(failure);
        }
        let slot = call.slots.iter().find(|s| s.item == item).expect("slot");
        let handed: Vec<OutItem> =
            slot.input.iter().enumerate().map(|(i, it)| OutItem::new(Arc::clone(&it.data), Some(i))).collect();
        Ok(match &*call.kind {
            "t.split" => CallOutput::items(if item.is_multiple_of(2) { "true" } else { "false" }, handed),
            "t.many" | "t.hundreds" | "t.thousands" => CallOutput::items(
                "success",
                (0..match &*call.kind {
                    "t.many" => 3,
                    "t.hundreds" => 150,
                    _ => 1_200,
                })
                    .map(|i| OutItem::new(Arc::new(json!({ "n": i })), Some(0))),
            ),
            "t.twice" => CallOutput::items("success", handed.iter().chain(&handed).cloned()),
            "t.turn" => CallOutput::items("success", handed.into_iter().rev()),
            // Made of all of them: of none alone.
            "t.sum" => {
                let all: BTreeSet<u64> = slot
                    .input
                    .iter()
                    .flat_map(|item| item.data["from"].as_array().cloned().unwrap_or_default())
                    .filter_map(|from| from.as_u64())
                    .collect();
                CallOutput::items("success", [OutItem::new(Arc::new(json!({ "from": all })), None)])
            }
            "t.orders" => CallOutput::items(
                "success",
                (0..item_count(&call.node_id)).map(|n| OutItem::new(Arc::new(json!({ "from": [n], "n": n })), Some(0))),
            ),
            "t.stop" | "t.break" => CallOutput::default(),
            "t.read" | "t.write" => CallOutput::success(json!({ "from": &*call.node_id, "item": item })),
            _ => CallOutput::items("success", handed),
        })
    }
}

/// `orders4` makes four.
fn item_count(step: &str) -> u64 {
    step.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or(3)
}

/// `step_start l[0]/b`, with visit, attempt and item where they are not the first.
pub(crate) fn told(events: &[RunEvent]) -> Vec<String> {
    events
        .iter()
        .map(|e| {
            let mut text = e.body.type_name().to_owned();
            if let Some(step) = &e.step_id {
                let path = e.path.as_ref().map_or_else(String::new, |path| format!("{path}/"));
                text.push_str(&format!(" {path}{step}"));
            }
            if let Some(item) = e.item {
                text.push_str(&format!("[{item}]"));
            }
            if let Some(visit) = e.visit.filter(|visit| *visit > 1) {
                text.push_str(&format!(" v{visit}"));
            }
            if let Some(attempt) = e.attempt.filter(|attempt| *attempt > 0) {
                text.push_str(&format!(" a{attempt}"));
            }
            text
        })
        .collect()
}

/// Events read back as themselves, the log rebuilds every state that was kept (invariant 2), a snapshot holds it, and
/// nothing is left of a frame that has ended.
pub(crate) fn check(compiled: &Compiled, events: &[RunEvent], states: &[(u64, RunState)]) {
    let mut folded = RunState::new(compiled, "run", None);
    for event in events {
        let text = serde_json::to_string(event).expect("writes");
        let read: RunEvent = serde_json::from_str(&text).expect("reads");
        assert_eq!(&read, event);
        assert_eq!(read.seq, Some(folded.last_seq() + 1));
        fold(compiled, &mut folded, &read).unwrap_or_else(|error| panic!("{error}: {:#?}", told(events)));
        let seq = event.seq.expect("stored");
        match states.iter().rev().find(|(at, _)| *at == seq) {
            Some((_, state)) => assert_eq!(state, &folded, "after event {seq} of {:#?}", told(events)),
            None if states.is_empty() => {}
            None => continue,
        }
        let body = snapshot::encode(compiled, &folded);
        assert_eq!(&snapshot::decode(compiled, &body).expect("decodes"), &folded);
        let body: Value = serde_json::from_str(&body).expect("it is JSON");
        let count = compiled.node_count();
        let frames = body["state"]["frames"]["open"].as_object().cloned().unwrap_or_default();
        for number in body["state"]["nodes"]["inner"].as_object().into_iter().flatten().map(|(number, _)| number) {
            let frame = number.parse::<usize>().expect("a number") / count;
            assert!(frames.contains_key(&frame.to_string()), "{number} is left of frame {frame} after event {seq}");
        }
    }
}
