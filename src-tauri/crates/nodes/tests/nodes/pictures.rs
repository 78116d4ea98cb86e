//! Pictures that tools answer (ADR 70), through a step that asks a model: which of them it sees, and what is kept of them.

#[allow(dead_code, reason = "not every test file needs all of it")]
use crate::common;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::{FakeHttp, call, slot, world};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use signalbox_engine::effect::{self, CallOutput, Suspended};
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Effects, NodeFailure};
use signalbox_nodes::{kind, run_call};
use signalbox_ports::llm::{
    DeltaSink, Finish, ImageSource, LlmAnswer, LlmFailure, LlmRequest, Message, Part, ToolUse, Usage,
};
use signalbox_ports::tools::{ToolAnswer, ToolCall, ToolFailure, ToolHearer, ToolInfo};
use signalbox_ports::{Binaries, BinaryError, HttpError, World};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Calls the tools that its script names, one list for each time that it is asked, and then says something. What it was asked
/// last is kept.
struct Model {
    script: Vec<&'static [&'static str]>,
    asked: Mutex<(usize, Vec<Message>)>,
}

#[async_trait]
impl signalbox_ports::Llm for Model {
    async fn ask(&self, request: LlmRequest, _: &dyn DeltaSink) -> Result<LlmAnswer, LlmFailure> {
        let mut asked = self.asked.lock().expect("no panic");
        let at = asked.0;
        *asked = (at + 1, request.messages);
        let uses = self.script.get(at).copied().unwrap_or_default().iter().enumerate();
        let uses = uses.map(|(n, name)| ToolUse { id: format!("t{at}-{n}"), name: (*name).into(), input: json!({}) });
        let mut parts: Vec<Part> = uses.map(Part::ToolUse).collect();
        if parts.is_empty() {
            parts.push(Part::Text("Done.".into()));
        }
        let (model, finish, usage) = (request.model, Finish::Stop, Usage::default());
        Ok(LlmAnswer { parts, model, provider: None, id: None, finish, usage })
    }
}

/// `shot` answers one picture after the other, `fails` does so with an error, `pay` needs a person.
struct Tools {
    answers: Vec<Vec<Vec<u8>>>,
    called: Mutex<usize>,
}

#[async_trait]
impl signalbox_ports::Tools for Tools {
    async fn list(&self, server: &str) -> Result<Vec<ToolInfo>, ToolFailure> {
        let tool = |name: &str| ToolInfo {
            unusable: None,
            server: server.to_owned(),
            name: name.to_owned(),
            title: None,
            description: String::new(),
            input_schema: json!({ "type": "object" }),
            output_schema: None,
            read_only: true,
            idempotent: true,
            destructive: false,
            open_world: false,
            bears_secrets: false,
            is_egress: false,
            is_untrusted: false,
        };
        Ok(["shot", "fails", "pay"].map(tool).to_vec())
    }

    async fn call(&self, call: ToolCall, _: &dyn ToolHearer) -> Result<ToolAnswer, ToolFailure> {
        let mut content = vec![json!({ "type": "text", "text": "So:" })];
        if call.tool != "pay" {
            let mut called = self.called.lock().expect("no panic");
            for bytes in self.answers.get(*called).into_iter().flatten() {
                content.push(json!({ "type": "image", "mimeType": "image/gif", "data": STANDARD.encode(bytes) }));
            }
            *called += 1;
        }
        Ok(ToolAnswer { content, structured: None, is_error: call.tool == "fails", started_ms: 0, ended_ms: 5 })
    }
}

/// Bytes of one run, in memory, and how often some were kept.
#[derive(Default)]
struct Kept(Mutex<(usize, HashMap<String, Vec<u8>>)>);

#[async_trait]
impl Binaries for Kept {
    async fn keep(&self, _: &str, bytes: Vec<u8>) -> Result<String, BinaryError> {
        let hash = sha256_hex(&bytes);
        let mut kept = self.0.lock().expect("no panic");
        kept.0 += 1;
        kept.1.insert(hash.clone(), bytes);
        Ok(hash)
    }
    async fn read(&self, _: &str, sha256: &str) -> Result<Option<Vec<u8>>, BinaryError> {
        Ok(self.0.lock().expect("no panic").1.get(sha256).cloned())
    }
}

struct Place {
    model: Arc<Model>,
    kept: Arc<Kept>,
    world: World,
}

impl Place {
    fn new(script: Vec<&'static [&'static str]>, answers: Vec<Vec<Vec<u8>>>) -> Self {
        let model = Arc::new(Model { script, asked: Mutex::default() });
        let kept = Arc::new(Kept::default());
        let http = FakeHttp::new(|_| Err(HttpError::Connect { message: "closed".into() }));
        let (llm, binaries) = (Arc::clone(&model) as _, Arc::clone(&kept) as _);
        let tools = Arc::new(Tools { answers, called: Mutex::default() });
        Self { model, kept, world: World { llm, tools, binaries, ..world(http) } }
    }

    fn run(&self, held: Option<Suspended>) -> Result<CallOutput, NodeFailure> {
        let config = json!({ "prompt": "Go", "model": "m", "tools": ["cam/shot", "cam/fails", "cam/pay"] });
        let mut call = call("agent.task", Effects::Write, slot(config.clone(), &[json!({})]));
        let rules = json!([{ "name": "money", "when": "tool == 'pay'", "action": "ask" }]);
        let flow = json!({
            "signalbox": 1, "id": "w", "name": "Work", "settings": { "toolRules": rules }, "edges": [],
            "nodes": { "n": { "type": "agent.task", "config": config } }
        });
        call.workflow = Arc::new(serde_json::from_value(flow).expect("a workflow"));
        call.permits.held = held;
        let code = kind("agent.task").expect("it is there");
        let mut done =
            run_call(code, &call, &self.world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
        done.remove(0).1
    }

    /// Goes on after a person has allowed what the step waits for.
    fn allowed(&self, waits: NodeFailure) -> Result<CallOutput, NodeFailure> {
        assert_eq!(waits.code, "TOOL_APPROVAL", "{}", waits.message);
        let answer = Some(effect::ToolAnswer { allowed: true, ..Default::default() });
        self.run(Some(Suspended { conversation: waits.held.expect("a conversation"), answer }))
    }

    /// What the last question was made of.
    fn parts(&self) -> Vec<Part> {
        self.model.asked.lock().expect("no panic").1.iter().flat_map(|message| message.parts.clone()).collect()
    }

    /// The pictures of the last question, by their hashes.
    fn seen(&self) -> Vec<String> {
        let hash = |part| match part {
            Part::Image { from: ImageSource::Run(hash), .. } => Some(hash),
            _ => None,
        };
        self.parts().into_iter().filter_map(hash).collect()
    }

    fn words(&self) -> Vec<String> {
        let text = |part| if let Part::Text(text) = part { Some(text) } else { None };
        self.parts().into_iter().filter_map(text).collect()
    }

    fn kept(&self) -> usize {
        self.kept.0.lock().expect("no panic").0
    }
}

/// A picture of nearly 5 MiB, of which a question takes four.
fn screen(n: u8) -> Vec<u8> {
    let mut bytes = b"GIF89a".to_vec();
    bytes.resize((5 << 20) - 2, n);
    bytes
}

const TURNS: [&[&str]; 5] = [&["shot"], &["shot"], &["shot"], &["shot"], &["shot", "pay"]];

#[test]
fn adr_70_the_newest_picture_is_seen_after_a_person_was_asked() {
    let screens: Vec<Vec<u8>> = (1..=5).map(screen).collect();
    let place = Place::new(TURNS.to_vec(), screens.iter().map(|one| vec![one.clone()]).collect());
    let waits = place.run(None).expect_err("a person is asked");
    place.allowed(waits).expect("it goes on");
    let newest: Vec<String> = screens[1..].iter().map(|one| sha256_hex(one)).collect();
    assert_eq!(place.seen(), newest);
    assert!(!place.words().iter().any(|text| text.contains("too large")), "{:?}", place.words());
}

#[test]
fn adr_70_equal_pictures_keep_their_places_after_a_person_was_asked() {
    let place = Place::new(TURNS.to_vec(), vec![vec![screen(1)]; 5]);
    let waits = place.run(None).expect_err("a person is asked");
    place.allowed(waits).expect("it goes on");
    assert_eq!(place.seen(), vec![sha256_hex(&screen(1)); 4]);
}

#[test]
fn adr_70_an_answer_of_many_pictures_shows_its_last_and_keeps_no_others() {
    let gif = |n: u16| [b"GIF89a".as_slice(), &n.to_be_bytes()].concat();
    let many = |from: u16| (from..from + 500).map(gif).collect::<Vec<_>>();
    let place =
        Place::new(vec![&["shot"], &["shot", "shot"], &["shot"]], vec![many(0), many(500), many(1_000), many(1_500)]);
    place.run(None).expect("it is done");
    let last: Vec<String> = (1_980..2_000).map(|n| sha256_hex(&gif(n))).collect();
    assert_eq!((place.seen(), place.kept()), (last, 4 * 20));
    // A line for each that is seen, and one sentence for those that were.
    let words = place.words();
    assert_eq!(words.iter().filter(|text| text.starts_with("[Older pictures")).count(), 2, "{words:?}");
    assert!(words.len() < 30, "{words:?}");
}

#[test]
fn adr_70_of_an_answer_that_is_an_error_no_picture_is_kept() {
    let place = Place::new(vec![&["fails"]], vec![vec![screen(1)]]);
    place.run(None).expect("it is done");
    assert_eq!((place.seen(), place.kept()), (Vec::new(), 0));
    let told: Vec<Value> = place
        .parts()
        .into_iter()
        .filter_map(|part| if let Part::ToolResult(result) = part { Some(json!(result.content)) } else { None })
        .collect();
    assert_eq!(told, ["So:\n[A picture (image/gif, 5120 KiB)]"]);
}
