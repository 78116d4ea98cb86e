//! `a2a.agent`: sends a message to an agent that speaks the A2A protocol and waits until its task is settled. A question of the
//! agent becomes a task for a person (ADR 123); what is in `a2a` says how the protocol is read.

use crate::a2a::card::{self, Card};
use crate::a2a::conversation::{Conversation, TaskState};
use crate::a2a::event_stream::{EventStream, Excess};
use crate::a2a::{rpc, signature};
use crate::http_answer as answers;
use crate::http_credential::credential;
use crate::http_header::header;
use crate::support::{flag, made, setting, text, text_or, whole, wrong_choice, wrong_setting};
use crate::{EffectFuture, Kind, Outcome};
use futures_util::future::{Either, select};
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallSlot, ToolAnswer};
use signalbox_engine::question::{INPUT_REQUIRED, QUESTION};
use signalbox_model::call_progress::ToolMessage;
use signalbox_model::{CallProgress, ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::{
    BodySink, CallLog, EVENT_STREAM, HttpError, HttpRequest, HttpResponse, Redirects, World, is_event_stream,
};
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

pub(crate) const KIND: Kind = Kind::Effect(start);

/// Longest wait for a task, where nobody says another.
const DEFAULT_TIMEOUT_MS: u64 = 600_000;
const LONGEST_TIMEOUT_MS: u64 = 86_400_000;
/// One exchange, or a silence of a stream.
const EXCHANGE_MS: u64 = 60_000;
/// To tell an agent that its task is not wanted any more.
const CANCEL_MS: u64 = 4_000;
/// Between two looks at a task.
const FIRST_LOOK_MS: i64 = 1_000;
const LONGEST_LOOK_MS: i64 = 10_000;
/// Streams of one task; after them it is looked at instead.
const MOST_STREAMS: usize = 4;
/// Questions of one task.
const MOST_QUESTIONS: u64 = 50;
/// Largest answer that is no stream.
const LARGEST: usize = 8 * 1024 * 1024;
/// Characters of a question that a person reads.
const LONGEST_QUESTION: usize = 4_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let timeout_ms = whole(slot, "timeoutMs", 1, LONGEST_TIMEOUT_MS)?.unwrap_or(DEFAULT_TIMEOUT_MS);
    let due_ms = world.clock.now_ms().saturating_add(i64::try_from(timeout_ms).unwrap_or(i64::MAX));
    let wait = Wait { world, log, due_ms, timeout_ms };
    let parts = parts(slot)?;
    let from = card::address(text(slot, "url")?)?;
    let card = wait.over(card(call, slot, world, &from)).await.map_err(|stop| wait.failure(stop))??;
    let streams = card.streams && flag(slot, "stream", true)?;
    let talk = Talk { call, slot, world, log, card, wait };
    let (message, mut known) = match &call.permits.held {
        None => {
            let context = setting(slot, "contextId").map(|_| text(slot, "contextId")).transpose()?;
            let context = context.filter(|id| !id.is_empty());
            (rpc::message(&talk.message_id(), parts, None, context), Conversation::default())
        }
        Some(held) => talk.answered(&held.conversation, held.answer.as_ref()).await?,
    };
    let round = call.permits.held.as_ref().and_then(|held| held.conversation["round"].as_u64()).unwrap_or_default();
    talk.until_settled(message, streams, &mut known).await?;
    talk.outcome(&known, round)
}

/// What is sent: text, data, or both.
fn parts(slot: &CallSlot) -> Result<Vec<Value>, NodeFailure> {
    let mut parts = Vec::new();
    match setting(slot, "message") {
        None => {}
        Some(Value::String(text)) if text.trim().is_empty() => {}
        Some(Value::String(text)) => parts.push(json!({ "text": text })),
        Some(other) => return Err(wrong_setting("message", "text", other)),
    }
    if let Some(data) = setting(slot, "data") {
        parts.push(json!({ "data": data }));
    }
    if parts.is_empty() {
        let words = "There is nothing to send: the message is empty and there is no data";
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "message"));
    }
    Ok(parts)
}

/// The card, read and checked.
async fn card(call: &Call, slot: &CallSlot, world: &World, from: &Url) -> Result<Card, NodeFailure> {
    let answer = document(call, slot, world, from, "The agent card").await?;
    let checked = text_or(slot, "signature", "present")?;
    match checked {
        "required" if !signature::is_signed(&answer) => {
            return Err(NodeFailure::tool(
                "AGENT_SIGNATURE",
                "The agent card is not signed, and the step requires a signature",
            ));
        }
        "required" | "present" if signature::is_signed(&answer) => {
            check_signature(call, slot, world, from, &answer).await?
        }
        "present" | "ignore" => {}
        _ => return Err(wrong_choice("signature", "present, required or ignore", &slot.config["signature"])),
    }
    let endpoint = setting(slot, "endpoint").map(|_| text(slot, "endpoint")).transpose()?;
    card::read(&answer, from, endpoint.filter(|given| !given.trim().is_empty()))
}

/// A small JSON document at the agent's address.
async fn document(call: &Call, slot: &CallSlot, world: &World, url: &Url, what: &str) -> Result<Value, NodeFailure> {
    let request = HttpRequest {
        method: "GET".into(),
        url: url.to_string(),
        headers: vec![("Accept".into(), "application/json".into())],
        body: None,
        timeout: Duration::from_millis(EXCHANGE_MS),
        loopback_allowed: call.loopback_allowed,
        redirects: Redirects::SameHost,
        trust_redirects: false,
        cookies: Vec::new(),
        max_body: card::LARGEST,
        credential: None,
    };
    let request = HttpRequest { credential: credential(slot, world, &request).await?, ..request };
    let scrubber = world.secrets.scrubber();
    let answer = world.http.send(request).await.map_err(|error| match error {
        HttpError::TooLarge { .. } => {
            NodeFailure::tool("AGENT_CARD", format!("{what} is larger than {} KiB", card::LARGEST >> 10))
        }
        other => {
            let failure = answers::exchange_failure(other, EXCHANGE_MS, &scrubber);
            // Nothing but a document was asked for.
            NodeFailure { may_have_happened: false, ..failure }
        }
    })?;
    let answer = answers::without_secrets(answer, &scrubber);
    if answer.status >= 400 {
        let failure = answers::status_failure(&answer, world.clock.now_ms());
        let message = format!("{what} cannot be read. {}", failure.message);
        return Err(NodeFailure { may_have_happened: false, message, ..failure });
    }
    if let Some(failure) = answers::undecoded(&answer) {
        return Err(failure);
    }
    serde_json::from_slice(&answer.body)
        .map_err(|error| NodeFailure::tool("AGENT_CARD", format!("{what} is not JSON: {error}; look at the address")))
}

async fn check_signature(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    from: &Url,
    card: &Value,
) -> Result<(), NodeFailure> {
    let wrong = |words: String| NodeFailure::tool("AGENT_SIGNATURE", words).suggest(SuggestedAction::HumanReview);
    let signatures = signature::of(card);
    if let Some(keys) = setting(slot, "keys") {
        if signatures.iter().any(|one| signature::verifies(card, one, keys)) {
            return Ok(());
        }
        return Err(wrong("No signature of the agent card was made by a key of the step; look at the keys".into()));
    }
    let mut elsewhere = None;
    for one in &signatures {
        let Some(at) = one.keys_at.as_deref().and_then(|at| Url::parse(at).ok()) else { continue };
        // Whoever signs may not say that keys of another place hold, nor what this machine reaches.
        if at.origin() != from.origin() {
            elsewhere = Some(at.origin().ascii_serialization());
            continue;
        }
        let keys = document(call, slot, world, &at, "The set of keys of the agent card").await?;
        if signature::verifies(card, one, &keys) {
            return Ok(());
        }
        elsewhere = None;
    }
    Err(wrong(match elsewhere {
        Some(origin) => format!("The keys of the signed agent card are at {origin}, not at the agent; write the keys into the step"),
        None if signatures.iter().all(|one| one.keys_at.is_none()) => {
            "The agent card is signed but does not say where its keys are; write the keys into the step, or ignore signatures".into()
        }
        None => "No signature of the agent card is valid: the card was changed, or signed with another key".into(),
    }))
}

/// Why work was not finished.
#[derive(Debug, Clone, Copy)]
enum Stop {
    Cancelled,
    TimedOut,
}

/// How long is waited.
#[derive(Clone, Copy)]
struct Wait<'a> {
    world: &'a World,
    log: &'a dyn CallLog,
    due_ms: i64,
    timeout_ms: u64,
}

impl Wait<'_> {
    /// Waits for work until the time is over or the run is cancelled.
    async fn over<T>(&self, work: impl Future<Output = T> + Send) -> Result<T, Stop> {
        let (late, cancelled) = (self.world.clock.sleep_until(self.due_ms), self.log.cancelled());
        let work = pin!(work);
        match select(work, select(late, cancelled)).await {
            Either::Left((done, _)) => Ok(done),
            Either::Right((Either::Left(_), _)) => Err(Stop::TimedOut),
            Either::Right((Either::Right(_), _)) => Err(Stop::Cancelled),
        }
    }

    fn failure(&self, stop: Stop) -> NodeFailure {
        match stop {
            Stop::Cancelled => NodeFailure::tool("AGENT_CANCELED", "The run was cancelled"),
            Stop::TimedOut => NodeFailure::new(
                ErrorType::Timeout,
                "TIMEOUT",
                format!("The agent did not finish within {}", crate::run::duration(self.timeout_ms)),
            )
            .retryable()
            .detail("timeoutMs", self.timeout_ms),
        }
    }
}

/// Takes the events of a stream into the conversation.
struct StreamReader<'a> {
    events: EventStream,
    known: &'a mut Conversation,
    log: &'a dyn CallLog,
    agent: &'a str,
    refused: Option<NodeFailure>,
}

impl StreamReader<'_> {
    fn take(&mut self, data: &[u8]) -> Result<(), NodeFailure> {
        let said = rpc::result(data)?;
        let told = self.known.take(&said).map_err(bad_answer)?;
        tell(self.log, self.agent, told);
        Ok(())
    }
}

impl BodySink for StreamReader<'_> {
    fn chunk(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let mut found = Vec::new();
        let pushed = self.events.push(bytes, &mut found);
        for data in found {
            if let Err(failure) = self.take(&data) {
                self.refused = Some(failure);
                return ControlFlow::Break(());
            }
        }
        if self.known.is_settled() {
            return ControlFlow::Break(());
        }
        match pushed {
            Ok(()) => ControlFlow::Continue(()),
            Err(excess) => {
                self.refused = Some(too_much(excess));
                ControlFlow::Break(())
            }
        }
    }
}

fn tell(log: &dyn CallLog, agent: &str, told: Option<String>) {
    let Some(words) = told else { return };
    log.say(CallProgress::ToolMessage(ToolMessage {
        name: agent.to_owned(),
        level: "progress".to_owned(),
        message: words.chars().take(1_000).collect(),
        data: None,
    }));
}

fn too_much(excess: Excess) -> NodeFailure {
    NodeFailure::validation("TOO_LARGE", excess.words()).maybe_happened()
}

fn bad_answer(why: String) -> NodeFailure {
    NodeFailure::tool("AGENT_ANSWER", why).maybe_happened()
}

/// What a step and one agent have to do with each other.
struct Talk<'a> {
    call: &'a Call,
    slot: &'a CallSlot,
    world: &'a World,
    log: &'a dyn CallLog,
    card: Card,
    wait: Wait<'a>,
}

impl Talk<'_> {
    /// The same for every attempt, so that an agent that looks at it does the work once.
    fn message_id(&self) -> String {
        let key = &self.call.idempotency_key;
        if key.is_empty() { format!("{}/{}", self.call.run_id, self.call.launch_id) } else { key.clone() }
    }

    /// What follows from what a person said to the agent's question.
    async fn answered(&self, held: &Value, answer: Option<&ToolAnswer>) -> Result<(Value, Conversation), NodeFailure> {
        let Some(task_id) = held["taskId"].as_str() else {
            return Err(NodeFailure::tool("AGENT_ANSWER", "The agent asked without a task that could go on"));
        };
        let known = Conversation::about(task_id, held["contextId"].as_str(), held["question"].as_str());
        let values = answer.filter(|answer| answer.allowed).and_then(|answer| answer.values.as_deref());
        let Some(values) = values else {
            self.cancel(&known).await;
            let expired = answer.is_some_and(|answer| answer.expired);
            let notes =
                answer.and_then(|answer| answer.notes.as_deref()).map(str::trim).filter(|notes| !notes.is_empty());
            return Err(if expired {
                NodeFailure::new(ErrorType::Timeout, "INPUT_EXPIRED", "Nobody answered the agent's question in time")
            } else {
                let words = "A person refused to answer the agent's question";
                NodeFailure::tool("INPUT_REFUSED", notes.map_or(words.into(), |notes| format!("{words}: {notes}")))
            });
        };
        let text = values.get("answer").and_then(Value::as_str).map_or_else(|| values.to_string(), str::to_owned);
        let parts = vec![json!({ "text": text })];
        Ok((rpc::message(&self.message_id(), parts, Some(task_id), held["contextId"].as_str()), known))
    }

    /// Sends the message and hears the agent until the task is settled.
    async fn until_settled(&self, message: Value, streams: bool, known: &mut Conversation) -> Result<(), NodeFailure> {
        let stop = match self.wait.over(self.exchange(message, streams, known)).await {
            Ok(done) => {
                if let Err(failure) = &done
                    && matches!(failure.code.as_str(), "TOO_LARGE" | "AGENT_ANSWER")
                {
                    self.cancel(known).await;
                }
                return done;
            }
            Err(stop) => stop,
        };
        self.cancel(known).await;
        if matches!(stop, Stop::Cancelled) {
            self.log.give_up();
        }
        Err(self.wait.failure(stop).maybe_happened())
    }

    async fn exchange(&self, message: Value, streams: bool, known: &mut Conversation) -> Result<(), NodeFailure> {
        let modes = json!(["text/plain", "application/json"]);
        let mut params = json!({ "message": message, "configuration": { "acceptedOutputModes": modes } });
        if streams {
            self.stream("SendStreamingMessage", params, known).await?;
            for _ in 1..MOST_STREAMS {
                let (false, Some(task_id)) = (known.is_settled(), &known.task_id) else { break };
                // A stream may end early; the task continues without it.
                let again = json!({ "id": task_id });
                match self.stream("SubscribeToTask", again, known).await {
                    Ok(()) => {}
                    Err(failure) if matches!(failure.code.as_str(), "TOO_LARGE" | "AGENT_ANSWER") => {
                        return Err(failure);
                    }
                    Err(_) => break,
                }
            }
        } else {
            params["configuration"]["returnImmediately"] = true.into();
            let said = self.ask("SendMessage", params).await?;
            tell(self.log, &self.card.name, known.take(&said).map_err(bad_answer)?);
        }
        self.look(known).await
    }

    /// Looks at the task until it is settled.
    async fn look(&self, known: &mut Conversation) -> Result<(), NodeFailure> {
        let (mut pause, mut failed) = (FIRST_LOOK_MS, 0);
        while !known.is_settled() {
            let Some(task_id) = known.task_id.clone() else {
                return Err(bad_answer("The agent's stream ended without a task and without a message".into()));
            };
            match self.ask("GetTask", json!({ "id": task_id })).await {
                Ok(task) => {
                    failed = 0;
                    tell(self.log, &self.card.name, known.task(&task).map_err(bad_answer)?);
                }
                // The task continues although one poll failed.
                Err(failure) if failure.retryable && failed < 5 => failed += 1,
                Err(failure) => return Err(failure.maybe_happened()),
            }
            if !known.is_settled() {
                self.world.clock.sleep_until(self.world.clock.now_ms().saturating_add(pause)).await;
                pause = (pause * 2).min(LONGEST_LOOK_MS);
            }
        }
        Ok(())
    }

    async fn request(&self, method: &str, params: Value, timeout_ms: u64) -> Result<HttpRequest, NodeFailure> {
        let request = HttpRequest {
            method: "POST".into(),
            url: self.card.endpoint.to_string(),
            headers: vec![
                ("Content-Type".into(), "application/json".into()),
                ("Accept".into(), format!("application/json, {EVENT_STREAM}")),
                ("A2A-Version".into(), card::PROTOCOL_VERSION.into()),
            ],
            body: Some(rpc::request(method, params, self.card.tenant.as_deref()).to_string().into_bytes()),
            timeout: Duration::from_millis(timeout_ms),
            loopback_allowed: self.call.loopback_allowed,
            redirects: Redirects::No,
            trust_redirects: false,
            cookies: Vec::new(),
            max_body: LARGEST,
            credential: None,
        };
        let found = credential(self.slot, self.world, &request).await?;
        Ok(HttpRequest { credential: found, ..request })
    }

    fn failed(&self, error: HttpError) -> NodeFailure {
        answers::exchange_failure(error, EXCHANGE_MS, &self.world.secrets.scrubber())
    }

    /// The result in an answer that is no stream.
    fn result(&self, answer: HttpResponse) -> Result<Value, NodeFailure> {
        let answer = answers::without_secrets(answer, &self.world.secrets.scrubber());
        if let Some(failure) = answers::undecoded(&answer) {
            return Err(failure);
        }
        if answer.status >= 300 {
            // Some agents tell errors of the protocol with a status of their own.
            if let Err(failure) = rpc::result(&answer.body)
                && failure.details.contains_key("rpcCode")
                && !matches!(answer.status, 401 | 403 | 429)
            {
                return Err(failure);
            }
            return Err(answers::status_failure(&answer, self.world.clock.now_ms()));
        }
        rpc::result(&answer.body)
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, NodeFailure> {
        let request = self.request(method, params, EXCHANGE_MS).await?;
        let answer = self.world.http.send(request).await.map_err(|error| self.failed(error))?;
        self.result(answer)
    }

    /// One stream. Where it ends early, what is known stays.
    async fn stream(&self, method: &str, params: Value, known: &mut Conversation) -> Result<(), NodeFailure> {
        let request = self.request(method, params, EXCHANGE_MS).await?;
        let agent = self.card.name.as_str();
        let mut sink = StreamReader { events: EventStream::default(), known, log: self.log, agent, refused: None };
        let came = self.world.http.send_streaming(request, &mut sink).await;
        if let Some(failure) = sink.refused {
            return Err(failure);
        }
        let known = sink.known;
        match came {
            Ok(answer) if is_event_stream(answer.status, header(&answer, "content-type")) => Ok(()),
            // An agent may answer at once all the same.
            Ok(answer) => {
                let said = self.result(answer)?;
                tell(self.log, agent, known.take(&said).map_err(bad_answer)?);
                Ok(())
            }
            Err(HttpError::Cut { .. } | HttpError::Timeout { .. }) if known.task_id.is_some() => Ok(()),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Tells the agent that its task is not wanted any more. Whether it hears that is its affair.
    async fn cancel(&self, known: &Conversation) {
        let (Some(task_id), false) = (&known.task_id, known.state.is_some_and(is_over)) else { return };
        let Ok(request) = self.request("CancelTask", json!({ "id": task_id }), CANCEL_MS).await else { return };
        drop(self.world.http.send(request).await);
    }

    /// What a settled task means for the step.
    fn outcome(&self, known: &Conversation, round: u64) -> Outcome {
        let agent = &self.card.name;
        let words = known.words();
        let said = |what: &str| if words.is_empty() { what.to_owned() } else { format!("{what}: {}", cut(&words)) };
        let failure = match known.state {
            None | Some(TaskState::Completed | TaskState::Submitted | TaskState::Working) => {
                return Ok(made(self.slot, known.result(agent)));
            }
            Some(TaskState::Failed) => NodeFailure::tool("AGENT_FAILED", said(&format!("The agent '{agent}' failed"))),
            Some(TaskState::Rejected) => {
                NodeFailure::tool("AGENT_REJECTED", said(&format!("The agent '{agent}' rejected the task")))
            }
            Some(TaskState::Canceled) => {
                NodeFailure::tool("AGENT_CANCELED", said(&format!("The agent '{agent}' canceled the task")))
            }
            Some(TaskState::AuthRequired) => {
                let what = format!("The agent '{agent}' needs somebody to sign in before it continues");
                NodeFailure::tool("AGENT_AUTH", said(&what)).suggest(SuggestedAction::HumanReview)
            }
            Some(TaskState::InputRequired) => return self.question(known, round),
        };
        Err(failure.detail("agent", known.result(agent)))
    }

    /// The agent asks back: the call ends, and the step continues when a person has answered.
    fn question(&self, known: &Conversation, round: u64) -> Outcome {
        let agent = &self.card.name;
        let words = known.words();
        let words = if words.is_empty() {
            "The agent needs more information and does not say which".into()
        } else {
            cut(&words)
        };
        if round >= MOST_QUESTIONS {
            let words = format!("The agent '{agent}' asked more than {MOST_QUESTIONS} questions about one task");
            return Err(NodeFailure::tool("AGENT_ANSWER", words).detail("agent", known.result(agent)));
        }
        if text_or(self.slot, "onQuestion", "ask")? == "fail" {
            let failure = NodeFailure::tool("INPUT_REQUIRED", format!("The agent '{agent}' asks: {words}"));
            return Err(failure.detail("agent", known.result(agent)));
        }
        let mut question = json!({
            "from": agent, "message": words,
            "schema": {
                "type": "object", "required": ["answer"], "additionalProperties": false,
                "properties": { "answer": { "type": "string", "title": "Answer", "minLength": 1, "maxLength": 100_000 } },
            },
        });
        if let Some(ttl) = whole(self.slot, "answerWithinMs", 1_000, 31_536_000_000)? {
            question["ttlMs"] = ttl.into();
        }
        let mut failure = NodeFailure::tool(INPUT_REQUIRED, format!("The agent '{agent}' asks: {words}"))
            .suggest(SuggestedAction::HumanReview)
            .detail(QUESTION, question)
            // A question, not a fault: it is not the first thing that an operator has to see.
            .detail("severity", "WARN");
        failure.held = Some(Arc::new(json!({
            "agent": agent, "taskId": known.task_id, "contextId": known.context_id, "round": round + 1,
            "question": known.question_id(),
        })));
        Err(failure)
    }
}

const fn is_over(state: TaskState) -> bool {
    matches!(state, TaskState::Completed | TaskState::Failed | TaskState::Canceled | TaskState::Rejected)
}

fn cut(words: &str) -> String {
    words.chars().take(LONGEST_QUESTION).collect()
}
