//! Steps that ask models and use tools: what the log of a fast stream costs, what a call costs beside what the model and the
//! tool take (both answer at once here), and how much memory agents side by side need.

use crate::Row;
use crate::chains::{Bench, world};
use async_trait::async_trait;
use serde_json::{Map, Value, json};
use signalbox_adapters::RealClock;
use signalbox_adapters::mcp::{Standing, ToolServerDefinition, ToolWords, tool_info};
use signalbox_model::event::Telemetry;
use signalbox_model::{EventBody, RunOrigin, RunStatus, Workflow};
use signalbox_ports::llm::{Delta, DeltaSink, Finish, LlmAnswer, LlmFailure, LlmRequest, Part, ToolUse, Usage};
use signalbox_ports::tools::{ToolAnswer, ToolCall, ToolFailure, ToolHearer, ToolInfo};
use signalbox_ports::{Clock, Llm, Tools, World};
use signalbox_runtime::NewRun;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// First argument of the process whose memory is measured.
pub(crate) const CHILD: &str = "agents-at-once";
const AGENTS: usize = 64;
/// Calls of a tool that an agent makes before it is done.
const TURNS: usize = 8;
/// Bytes of an answer of a tool.
const ANSWER: usize = 8 * 1024;
/// Pieces a second, and seconds, of the stream.
const PIECES: i64 = 2_000;
const SECONDS: i64 = 5;

/// How the model behaves.
enum Way {
    /// It answers at once.
    AtOnce,
    /// Pieces, so many a second.
    Stream,
    /// It asks for the tool again and again, and thinks for so many milliseconds before.
    Agent(i64),
}

struct Model {
    way: Way,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Model {
    fn new(way: Way) -> Arc<Self> {
        Arc::new(Self { way, now: AtomicUsize::new(0), most: AtomicUsize::new(0) })
    }
}

fn answer(request: LlmRequest, part: Part, finish: Finish) -> LlmAnswer {
    let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
    LlmAnswer { parts: vec![part], model: request.model, provider: None, id: None, finish, usage }
}

#[async_trait]
impl Llm for Model {
    async fn ask(&self, request: LlmRequest, hearer: &dyn DeltaSink) -> Result<LlmAnswer, LlmFailure> {
        match self.way {
            Way::AtOnce => Ok(answer(request, Part::Text("Yes.".into()), Finish::Stop)),
            Way::Stream => {
                let (began, mut text) = (RealClock.now_ms(), String::new());
                for piece in 0..PIECES * SECONDS {
                    RealClock.sleep_until(began + piece * 1_000 / PIECES).await;
                    let words = format!("w{piece} ");
                    hearer.delta(Delta::Text(&words));
                    text.push_str(&words);
                }
                Ok(answer(request, Part::Text(text), Finish::Stop))
            }
            Way::Agent(thinks_ms) => {
                let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
                self.most.fetch_max(now, Ordering::SeqCst);
                if thinks_ms > 0 {
                    RealClock.sleep_until(RealClock.now_ms() + thinks_ms).await;
                }
                self.now.fetch_sub(1, Ordering::SeqCst);
                let used = request.messages.iter().flat_map(|message| &message.parts);
                let used = used.filter(|part| matches!(part, Part::ToolResult(_))).count();
                if used >= TURNS {
                    return Ok(answer(request, Part::Text("Done.".into()), Finish::Stop));
                }
                let (id, name) = (format!("t{used}"), request.tools[0].name.clone());
                Ok(answer(request, Part::ToolUse(ToolUse { id, name, input: json!({ "n": used }) }), Finish::ToolUse))
            }
        }
    }
}

/// One server with one tool that answers at once.
struct OneTool;

#[async_trait]
impl Tools for OneTool {
    async fn list(&self, server: &str) -> Result<Vec<ToolInfo>, ToolFailure> {
        let tool = json!({ "name": "look", "description": "Looks.", "inputSchema": { "type": "object" } });
        let definition =
            ToolServerDefinition::Http { url: "http://127.0.0.1/".into(), credential: None, sign_in: None };
        let words = ToolWords::new();
        Ok(vec![tool_info(Standing { name: server, definition: &definition, signed_in: false, words: &words }, &tool)])
    }
    async fn call(&self, call: ToolCall, _: &dyn ToolHearer) -> Result<ToolAnswer, ToolFailure> {
        let text = format!("{}{}", call.arguments.len(), "x".repeat(ANSWER));
        let content = vec![json!({ "type": "text", "text": text })];
        Ok(ToolAnswer { content, structured: None, is_error: false, started_ms: 0, ended_ms: 0 })
    }
}

fn with(model: &Arc<Model>) -> World {
    World { llm: Arc::<Model>::clone(model), tools: Arc::new(OneTool), ..world() }
}

fn chain(kind: &str, config: &Value, steps: usize) -> Value {
    let nodes: Map<String, Value> =
        (0..steps).map(|i| (format!("n{i}"), json!({ "type": kind, "config": config }))).collect();
    let edges: Vec<Value> =
        (1..steps).map(|i| json!({ "from": format!("n{}.success", i - 1), "to": format!("n{i}") })).collect();
    json!({ "signalbox": 1, "id": "bench", "name": "Bench", "nodes": nodes, "edges": edges })
}

fn agent() -> Value {
    chain("agent.task", &json!({ "prompt": "Look.", "model": "m", "tools": ["one/look"], "maxTurns": TURNS + 2 }), 1)
}

/// A stream of 2,000 pieces a second into the log, and what a call costs besides the answer.
pub(crate) fn calls() -> Vec<Row> {
    vec![
        stream(),
        each("a step that asks a model", "llm.chat", &json!({ "prompt": "Well?", "model": "m" })),
        each(
            "a step that calls a tool (synced: it may have effects)",
            "mcp.tool",
            &json!({ "server": "one", "tool": "look" }),
        ),
        turns(),
    ]
}

fn stream() -> Row {
    let bench = Bench::with(with(&Model::new(Way::Stream)));
    let (wall, cpu) = bench.run(chain("llm.chat", &json!({ "prompt": "Well?", "model": "m" }), 1), json!({}));
    let events = bench.runtime.store().events(&bench.last_run(), 0, 100_000).unwrap_or_default();
    let (mut told, mut text) = (0, String::new());
    for event in &events {
        if let EventBody::Telemetry(Telemetry::LlmToken(piece)) = &event.body {
            told += 1;
            text.push_str(&piece.delta);
        }
    }
    let whole = text.split_whitespace().count() as i64 == PIECES * SECONDS;
    Row {
        id: "models",
        what: format!("{PIECES} pieces a second for {SECONDS} s into the log of a run"),
        found: format!(
            "{:.1} s; {told} events ({:.0} a second), the text is {}; {:.0} us CPU for 10 pieces, the clock included",
            wall,
            f64::from(told) / wall,
            if whole { "whole" } else { "NOT whole" },
            cpu * 1e6 / (PIECES * SECONDS) as f64 * 10.0
        ),
        reach: "none dropped, stored together",
    }
}

fn each(what: &str, kind: &str, config: &Value) -> Row {
    let (steps, rounds) = (100, 10);
    let bench = Bench::with(with(&Model::new(Way::AtOnce)));
    bench.run(chain(kind, config, steps), json!({}));
    let mut found: Vec<(f64, f64)> = (0..rounds).map(|_| bench.run(chain(kind, config, steps), json!({}))).collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    let ms = |seconds: f64| seconds * 1_000.0 / steps as f64;
    let mut cpu: Vec<f64> = found.iter().map(|one| ms(one.1)).collect();
    cpu.sort_by(f64::total_cmp);
    Row {
        id: "models",
        what: format!("{what} and gets its answer at once, {steps} in a chain, {rounds} rounds"),
        found: format!(
            "{:.2} ms (from {:.2} to {:.2}), {:.2} ms CPU",
            ms(found[rounds / 2].0),
            ms(found[0].0),
            ms(found[rounds - 1].0),
            cpu[rounds / 2]
        ),
        reach: "<= 1 ms",
    }
}

/// A question and a call of a tool within an agent's loop.
fn turns() -> Row {
    let rounds = 20;
    let bench = Bench::with(with(&Model::new(Way::Agent(0))));
    bench.run(agent(), json!({}));
    let mut found: Vec<f64> = (0..rounds).map(|_| bench.run(agent(), json!({})).0 * 1_000.0 / TURNS as f64).collect();
    found.sort_by(f64::total_cmp);
    Row {
        id: "models",
        what: format!(
            "a turn of an agent (a question and a tool whose answer has {} KB), {TURNS} a run, start and end of the run included, {rounds} runs",
            ANSWER / 1024
        ),
        found: format!("{:.2} ms (from {:.2} to {:.2})", found[rounds / 2], found[0], found[rounds - 1]),
        reach: "<= 2 ms (two calls)",
    }
}

fn memory(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}

/// The process whose memory is measured: agents side by side, each with a conversation of its own.
pub(crate) fn child(folder: &Path) {
    let model = Model::new(Way::Agent(200));
    let bench = Bench::of(folder, with(&model));
    let workflow: Workflow = serde_json::from_value(agent()).expect("a workflow");
    let before = memory("VmRSS");
    bench.threads.block_on(async {
        let pinned = bench.runtime.pin(workflow).await.expect("valid");
        let mut running = tokio::task::JoinSet::new();
        for _ in 0..AGENTS {
            let (runtime, pinned) = (bench.runtime.clone(), pinned.clone());
            running.spawn(async move {
                let new = NewRun {
                    pinned,
                    params: json!({}),
                    context: Map::new(),
                    origin: RunOrigin::default(),
                    debug: None,
                    until: None,
                    kept: None,
                };
                let run = runtime.start(new).await.expect("starts");
                assert_eq!(runtime.wait(&run).await.expect("ends"), RunStatus::Completed);
            });
        }
        while let Some(ended) = running.join_next().await {
            ended.expect("a run");
        }
    });
    println!("{before} {} {}", memory("VmHWM"), model.most.load(Ordering::SeqCst));
}

/// 64 agents at once.
pub(crate) fn at_once() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program).arg(CHILD).arg(folder.path()).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let told: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let found = match told[..] {
        [before, most, at_once] => {
            format!("{most:.0} MB at most in all ({before:.0} MB before), {at_once:.0} questions at once")
        }
        _ => format!("it failed: {}", String::from_utf8_lossy(&output.stderr)),
    };
    vec![Row {
        id: "models",
        what: format!("{AGENTS} agents side by side, {TURNS} tools each with answers of {} KB", ANSWER / 1024),
        found,
        reach: "<= 100 MB",
    }]
}
