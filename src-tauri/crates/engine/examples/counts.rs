//! Fixed pieces of work for the engine, whose instructions `cargo xtask counts` counts. The input, the time and the seed are
//! always the same, so that the same program gives the same count whatever else the machine does.
//!
//! `counts NAME` does one of them and prints what came out; `counts` alone prints the names.

// Without these nothing can be measured.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::{Value, json};
use signalbox_engine::{
    Catalog, Compiled, Effect, Input, RunState,
    effect::{Call, CallOutput},
    snapshot, step,
};
use signalbox_model::{Map, NodeDescriptor, NodeFailure, Workflow};
use std::collections::VecDeque;
use std::sync::Arc;

/// What a run does besides deciding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Its events are written as the store gets them.
    Events,
    /// A snapshot is taken besides, after every hundredth commit.
    Snapshots,
}

struct Work {
    name: &'static str,
    file: fn() -> Value,
    params: fn() -> Value,
    keep: Keep,
}

const WORK: [Work; 5] = [
    // Steps without effects: they run inside the engine, in bursts.
    Work { name: "pure-chain", file: pure_chain, params: || json!({}), keep: Keep::Events },
    // Each step is a call outside and a commit of its own.
    Work { name: "durable-chain", file: durable_chain, params: || json!({}), keep: Keep::Snapshots },
    // Each step fails twice and is tried again.
    Work { name: "error-retry", file: error_retry, params: || json!({}), keep: Keep::Events },
    // A thousand times through the same steps, with expressions.
    Work { name: "loop-1000", file: loop_1000, params: numbers, keep: Keep::Events },
    // Calls side by side, joined, with a large variable beside them.
    Work { name: "parallel-join", file: parallel_join, params: numbers, keep: Keep::Snapshots },
];

fn numbers() -> Value {
    json!({ "list": (0..1_000).collect::<Vec<u32>>() })
}

fn chain(steps: usize, node: impl Fn(usize) -> Value) -> Value {
    let nodes: Map = (0..steps).map(|at| (format!("n{at}"), node(at))).collect();
    let edges: Vec<Value> =
        (1..steps).map(|at| json!({ "from": format!("n{}.success", at - 1), "to": format!("n{at}") })).collect();
    file(&json!({ "errorPolicy": "fail" }), nodes, edges)
}

fn file(settings: &Value, nodes: impl Into<Value>, edges: Vec<Value>) -> Value {
    json!({ "signalbox": 1, "id": "counts", "name": "Counts", "settings": settings, "nodes": nodes.into(), "edges": edges })
}

fn pure_chain() -> Value {
    chain(1_000, |at| json!({ "type": "counts.pure", "in": { "n": at, "text": "Step {{ run.id }}" } }))
}

fn durable_chain() -> Value {
    chain(400, |at| match at {
        0 => json!({ "type": "counts.write" }),
        _ => json!({
            "type": "counts.write",
            "config": { "url": "https://example.org/{{ item.step }}", "body": { "n": "=item.count + 1" } },
            "out": { "$last": "=_result.step" },
        }),
    })
}

fn error_retry() -> Value {
    let retry =
        json!({ "maxAttempts": 3, "backoff": "exponential", "initialDelayMs": 10, "maxDelayMs": 100, "jitter": true });
    chain(150, |_| json!({ "type": "counts.flaky", "errorHandling": { "retryPolicy": retry } }))
}

fn loop_1000() -> Value {
    let nodes = json!({
        "each": { "type": "counts.loop", "config": { "source": "=params.list", "collect": "_result.twice" } },
        "twice": { "type": "counts.pure", "parent": "each", "in": { "twice": "=_item * 2", "at": "=_index" } },
        "small": { "type": "counts.pure", "parent": "each", "if": "_item < 500",
                   "in": { "twice": "=nodes.twice.output.twice", "text": "{{ _item }} of {{ size(params.list) }}" } },
    });
    file(&json!({ "errorPolicy": "fail" }), nodes, vec![json!({ "from": "twice.success", "to": "small" })])
}

fn parallel_join() -> Value {
    let nodes = json!({
        "all": { "type": "counts.loop", "config": { "source": "=params.list.filter(n, n % 4 == 0)", "mode": "parallel", "maxConcurrency": 8 },
                 "in": { "list": "=params.list" }, "out": { "$rows": "=items.map(i, {'n': i, 'text': 'a row of the table'})" } },
        "left": { "type": "counts.write", "parent": "all", "config": { "body": { "n": "=_item" } } },
        "right": { "type": "counts.write", "parent": "all" },
        "join": { "type": "counts.join", "parent": "all", "in": { "both": "=[nodes.left.output.count, nodes.right.output.count]" } },
        "after": { "type": "counts.join" },
    });
    let wires = [("left.success", "join"), ("right.success", "join"), ("all.success", "after")];
    let edges = wires.map(|(from, to)| json!({ "from": from, "to": to })).to_vec();
    let mut made = file(&json!({ "errorPolicy": "fail" }), nodes, edges);
    let rows: Vec<Value> =
        (0..500).map(|n| json!({ "id": n, "name": "a row of some length", "tags": ["a", "b"] })).collect();
    made["context"] = json!({ "initial": { "table": rows, "rows": [] } });
    made
}

fn catalog() -> Catalog {
    let kind = |name: &str, role: &str, effects: &str, modes: &[&str], config: Value| {
        let descriptor = json!({
            "type": name, "version": 1, "title": name, "description": name, "category": "data", "icon": "box", "role": role,
            "modes": modes, "effects": effects, "ports": [{ "id": "success" }, { "id": "error" }],
            "config": { "type": "object", "properties": config },
        });
        serde_json::from_value::<NodeDescriptor>(descriptor).expect("a descriptor")
    };
    let call = || json!({ "url": { "type": "string", "x-url": true }, "body": {} });
    Catalog::new(vec![
        kind("counts.pure", "step", "none", &["each", "all"], json!({})),
        kind("counts.join", "step", "none", &["all"], json!({})),
        kind("counts.write", "step", "write", &["each"], call()),
        kind("counts.flaky", "step", "read", &["each"], call()),
        kind(
            "counts.loop",
            "loop",
            "none",
            &["all"],
            json!({
                "source": {}, "while": { "type": "string", "x-cel": true }, "collect": { "type": "string", "x-cel": true },
                "mode": { "type": "string" }, "maxIterations": { "type": "integer" }, "maxConcurrency": { "type": "integer" },
                "onChildError": { "type": "string" },
            }),
        ),
    ])
}

struct Driver<'a> {
    compiled: &'a Compiled,
    keep: Keep,
    state: RunState,
    pending: VecDeque<Effect>,
    now: i64,
    commits: usize,
    events: usize,
    written: Vec<u8>,
    bytes: usize,
}

impl Driver<'_> {
    fn give(&mut self, input: Input) {
        let output = step(self.compiled, &mut self.state, input).expect("possible");
        for event in &output.events {
            self.written.clear();
            serde_json::to_writer(&mut self.written, event).expect("an event is JSON");
            self.bytes += self.written.len();
        }
        self.events += output.events.len();
        self.commits += 1;
        if self.keep == Keep::Snapshots && self.commits.is_multiple_of(100) {
            self.bytes += snapshot::encode(self.compiled, &self.state).len();
        }
        self.pending.extend(output.effects);
    }

    fn run_to_end(&mut self) {
        while let Some(effect) = self.pending.pop_front() {
            match effect {
                Effect::Call(call) => {
                    let results = call.slots.iter().map(|slot| (slot.item, answer(&call, slot.item))).collect();
                    self.now += 1;
                    self.give(Input::NodeFinished { key: call.key.clone(), results, now: self.now });
                }
                Effect::Timer { timer, due_ms } => {
                    self.now = self.now.max(due_ms);
                    self.give(Input::TimerFired { timer, now: self.now });
                }
                Effect::CancelCall(_) | Effect::CancelCalls | Effect::WriteArtifact { .. } => {}
            }
        }
    }
}

fn answer(call: &Call, item: usize) -> Result<CallOutput, NodeFailure> {
    if &*call.kind == "counts.flaky" && call.key.attempt < 2 {
        return Err(NodeFailure::tool("DOWN", "it does not answer").retryable());
    }
    let given = call.slots.iter().find(|slot| slot.item == item).and_then(|slot| slot.input.first());
    if call.kind.starts_with("counts.w") || &*call.kind == "counts.flaky" {
        return Ok(CallOutput::success(json!({ "step": &*call.node_id, "count": item, "ok": true })));
    }
    Ok(CallOutput::success(given.map_or(Value::Null, |item| (*item.data).clone())))
}

fn done(work: &Work) {
    let workflow: Workflow = serde_json::from_value((work.file)()).expect("a workflow");
    let compiled = Compiled::new(Arc::new(workflow), "hash", &catalog()).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    let state = RunState::new(&compiled, "run", None);
    let mut run = Driver {
        compiled: &compiled,
        keep: work.keep,
        state,
        pending: VecDeque::new(),
        now: 1_000_000,
        commits: 0,
        events: 0,
        written: Vec::new(),
        bytes: 0,
    };
    run.give(Input::Start {
        params: Arc::new((work.params)()),
        context: Map::new(),
        seed: 7,
        started_by: None,
        debug: None,
        until: None,
        now: 1_000_000,
    });
    run.run_to_end();
    assert_eq!(run.state.status().as_str(), "completed", "{}", work.name);
    println!("{}: {} commits, {} events, {} bytes", work.name, run.commits, run.events, run.bytes);
}

#[expect(clippy::disallowed_methods, reason = "the name of the work is an argument of this program, not of a run")]
fn main() {
    let Some(wanted) = std::env::args().nth(1) else {
        WORK.iter().for_each(|work| println!("{}", work.name));
        return;
    };
    match WORK.iter().find(|work| work.name == wanted) {
        Some(work) => done(work),
        None => panic!("There is no work '{wanted}'."),
    }
}
