//! Servers that ask back (`elicitation/create`) in the middle of a call: which call a question belongs to, and the calls that
//! stay open while a person thinks. The protocol does not name the call, so a question is taken only when there is no doubt.

use super::Told;
use super::notifications::NotificationRouter;
use rmcp::ErrorData;
use rmcp::handler::client::ClientHandler;
use rmcp::model::{ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction};
use rmcp::service::{RequestContext, RoleClient};
use serde_json::Value;
use signalbox_ports::tools::ToolReply;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// Longest question, characters.
const LONGEST: usize = 4_000;
/// Largest schema of an answer, bytes.
const LARGEST: usize = 64 * 1024;
/// Questions of one call.
const MOST_QUESTIONS: usize = 50;
/// Calls of this process that wait for a person at a time.
const MOST_PARKED: usize = 500;
/// The inbox ends a question first; this ends one that nobody looks after any more.
const SPARE: Duration = Duration::from_secs(60);

/// A question on its way to its call.
pub(super) struct Asked {
    pub(super) message: String,
    pub(super) schema: Value,
    pub(super) reply: oneshot::Sender<ToolReply>,
}

/// What answers a server's requests.
pub(super) struct Client {
    pub(super) config: ClientConfig,
    pub(super) board: Arc<NotificationRouter>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return Err(ErrorData::invalid_params("Only questions with a form are answered here", None));
        };
        let schema = serde_json::to_value(requested_schema).unwrap_or_default();
        if schema.to_string().len() > LARGEST {
            let words = format!("The schema of the answer is larger than {} KiB", LARGEST / 1024);
            return Err(ErrorData::invalid_params(words, None));
        }
        let message = self.board.scrubbed(&message).chars().take(LONGEST).collect();
        let (reply, answered) = oneshot::channel();
        if !self.board.ask(Asked { message, schema, reply }) {
            return Ok(ElicitResult::new(ElicitationAction::Cancel));
        }
        tokio::select! {
            // Who asked takes the question back.
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            // Whoever was to answer is gone: nobody says anything.
            reply = answered => Ok(match reply.unwrap_or(ToolReply::Cancel) {
                ToolReply::Accept(values) => ElicitResult::new(ElicitationAction::Accept).with_content(values),
                ToolReply::Decline => ElicitResult::new(ElicitationAction::Decline),
                ToolReply::Cancel => ElicitResult::new(ElicitationAction::Cancel),
            }),
        }
    }
}

/// The questions of one call, one at a time; the next one waits.
pub(super) struct Questions<F> {
    ask: F,
    /// Whether people are asked at all.
    answered: bool,
    /// How many there were.
    count: usize,
    later: VecDeque<Asked>,
    open: Option<Open>,
    waits: Arc<AtomicBool>,
}

struct Open {
    to: oneshot::Sender<ToolReply>,
    person: oneshot::Receiver<ToolReply>,
    since: Instant,
}

impl<F: Fn(String, Value, oneshot::Sender<ToolReply>)> Questions<F> {
    pub(super) fn new(answered: bool, waits: Arc<AtomicBool>, ask: F) -> Self {
        Self { ask, answered, count: 0, later: VecDeque::new(), open: None, waits }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// One that is dropped here is answered with `cancel`.
    pub(super) fn came(&mut self, asked: Asked) {
        self.count += 1;
        if !self.answered {
            drop(asked.reply.send(ToolReply::Decline));
        } else if self.count <= MOST_QUESTIONS {
            if self.is_open() {
                self.later.push_back(asked);
            } else {
                self.put(asked);
            }
        }
    }

    fn put(&mut self, asked: Asked) {
        let (to, person) = oneshot::channel();
        self.waits.store(true, Ordering::SeqCst);
        (self.ask)(asked.message, asked.schema, to);
        self.open = Some(Open { to: asked.reply, person, since: Instant::now() });
    }

    /// Passes the answer on when there is one; how long that took.
    pub(super) async fn answered(&mut self) -> Duration {
        let Some(open) = &mut self.open else { return std::future::pending().await };
        let reply = (&mut open.person).await.unwrap_or(ToolReply::Cancel);
        let Some(open) = self.open.take() else { return Duration::ZERO };
        drop(open.to.send(reply));
        match self.later.pop_front() {
            Some(next) => self.put(next),
            None => self.waits.store(false, Ordering::SeqCst),
        }
        open.since.elapsed()
    }
}

/// A call that waits for a person. Dropped, it is given up.
pub(super) struct Parked {
    pub(super) run: Arc<str>,
    pub(super) answer_within: Option<Duration>,
    pub(super) told: mpsc::UnboundedReceiver<Told>,
    pub(super) reply: oneshot::Sender<ToolReply>,
}

/// The calls of this process that wait for people.
#[derive(Default)]
pub(super) struct Parking(Mutex<BTreeMap<String, Parked>>);

impl Parking {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Parked>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a call; its name, or the call when too many wait.
    pub(super) fn keep(&self, call: Parked) -> Result<String, Parked> {
        let mut all = self.all();
        if all.len() >= MOST_PARKED {
            return Err(call);
        }
        // Of no other process either: one that finds the name in a log must not find a call of its own by it.
        let id = uuid::Uuid::now_v7().to_string();
        all.insert(id.clone(), call);
        Ok(id)
    }

    pub(super) fn take(&self, id: &str) -> Option<Parked> {
        self.all().remove(id)
    }

    pub(super) fn run_ended(&self, run: &str) {
        // Dropped outside the lock.
        let gone: Vec<Parked> = self.all().extract_if(.., |_, call| &*call.run == run).map(|(_, call)| call).collect();
        drop(gone);
    }

    pub(super) fn clear(&self) {
        drop(std::mem::take(&mut *self.all()));
    }
}

/// How long a call is kept whose question may be answered within this time.
pub(super) fn kept_for(answer_within: Duration) -> Duration {
    answer_within.saturating_add(SPARE)
}
