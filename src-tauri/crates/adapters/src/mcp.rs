//! Tools of MCP servers on rmcp. What that library leaves to its user is here: a process with few variables and a whole
//! process tree to end, addresses under our rules, limits of time and size, who hears which notice, and that nothing is
//! called before a person approved what the server says of itself.
//!
//! One connection per server, shared by its calls: begun at the first, ended when nobody used it for a while. A process
//! that was told to stop a call and may not have done so gets no further call; it ends with the calls that it still has.

mod access;
mod approval_hash;
mod connection;
mod cursors;
mod definition;
mod depth;
mod elicitation;
mod ending;
mod fault;
mod handshake;
mod health_check;
mod listed;
mod load;
mod notifications;
mod post;
mod process;
mod process_tree;
mod tool_capabilities;
mod web;
mod wire;

pub use crate::oauth::ToolSignIn;
pub use approval_hash::{approval_hash, sorted, tool_hashes};
pub use definition::{PASSED_ON, ToolServerDefinition};
pub use tool_capabilities::{ToolWord, ToolWords};

use crate::clock::RealClock;
use crate::oauth::{Challenge, SignedIn};
use access::Access;
use async_trait::async_trait;
use connection::{Held, Link, Outcome};
use elicitation::{Parked, Parking};
use ending::Ending;
use handshake::Door;
use process_tree::Trees;
use serde_json::{Map, Value};
use signalbox_ports::tools::{
    ToolAnswer, ToolCall, ToolFailure, ToolFault, ToolHearer, ToolInfo, ToolNotice, ToolQuestion, ToolReply,
};
use signalbox_ports::{Clock, Secrets, Tools};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

/// The servers that a person registered on this machine, and what was approved of them.
#[async_trait]
pub trait ServerBook: Send + Sync {
    /// How a server is started or reached; fails when there is none, or nobody approved it as it is defined now.
    async fn server(&self, name: &str) -> Result<ToolServerDefinition, ToolFailure>;
    /// What a person says of these tools, when they are the approved ones; `None` when they are not. Keeps nothing: a list that was
    /// asked for long ago says nothing of what the server is now.
    async fn approved(
        &self,
        name: &str,
        definition: &ToolServerDefinition,
        seen: Arc<Inspection>,
    ) -> Result<Option<ToolWords>, ToolFailure>;
    /// Whether a server's tools (as [`McpTools::inspect`] tells them) are those that were approved; what a person says of them. Others
    /// are kept as what the server is now, and block it.
    async fn admit(
        &self,
        name: &str,
        definition: &ToolServerDefinition,
        seen: Arc<Inspection>,
    ) -> Result<ToolWords, ToolFailure>;

    /// The sign-in of a person at a server, when there is one for how it is reached now.
    async fn signed_in(
        &self,
        _name: &str,
        _definition: &ToolServerDefinition,
    ) -> Result<Option<Arc<SignedIn>>, ToolFailure> {
        Ok(None)
    }
    /// The id of the sign-in that holds now; asked before each request, also of another process's doing.
    async fn signed_in_as(&self, name: &str, definition: &ToolServerDefinition) -> Result<Option<String>, ToolFailure> {
        Ok(self.signed_in(name, definition).await?.map(|signed| signed.kept.id.clone()))
    }
    /// Keeps a sign-in with new tokens, unless the one that it was made of is there no more.
    async fn renewed(&self, _name: &str, signed: SignedIn) -> Result<Arc<SignedIn>, ToolFailure> {
        Ok(Arc::new(signed))
    }
    /// While what this gives lives, nobody else renews a sign-in at this server. Fails when somebody does and does not come to
    /// an end.
    async fn renewing(&self, _name: &str) -> Result<Box<dyn Send>, ToolFailure> {
        Ok(Box::new(()))
    }
    /// Hears what a server wants of somebody who signs in.
    async fn wants(&self, _name: &str, _definition: &ToolServerDefinition, _challenge: Challenge) {}
    /// Hears that a sign-in is over, and why, without a full stop.
    async fn sign_in_ended(&self, _name: &str, _signed: &SignedIn, _why: &str) {}
}

/// Limits of servers and calls.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Until a server has said what it is and which tools it has. A first start may download a package.
    pub start: Duration,
    /// A connection that nobody used for so long is ended.
    pub idle: Duration,
    /// How often a server at an address is asked whether it is there, while a call waits.
    pub pulse: Duration,
    /// For a process to end by itself, and for others to be told.
    pub grace: Duration,
    /// Bytes of one message.
    pub message: usize,
    /// Notices that one call may bring; what comes after is left out.
    pub notices: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            idle: Duration::from_secs(300),
            pulse: Duration::from_secs(5),
            grace: Duration::from_secs(2),
            message: 8 * 1024 * 1024,
            notices: 10_000,
        }
    }
}

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    /// Its name and version.
    pub server: Option<String>,
    /// Version of the protocol.
    pub protocol: String,
    /// Its tools by name: `name`, `title`, `description`, `inputSchema`, `outputSchema`, `annotations`, as far as told; `leftOut`
    /// has the sizes of those that are too large.
    pub tools: Vec<Value>,
}

/// Tools of registered servers.
pub struct McpTools {
    inner: Arc<Inner>,
}

/// One server's connection. The lock is held while one is made, so that calls that begin together share it.
type Slot = Arc<tokio::sync::Mutex<Option<Arc<Link>>>>;

struct Inner {
    book: Arc<dyn ServerBook>,
    secrets: Arc<dyn Secrets>,
    handle: Handle,
    limits: Limits,
    slots: Mutex<BTreeMap<String, Slot>>,
    closed: AtomicBool,
    trees: Trees,
    /// Calls that wait for people.
    parked: Arc<Parking>,
}

/// What the task of a call tells whoever waits for it.
enum Told {
    Notice(ToolNotice),
    Asks { message: String, schema: Value, reply: oneshot::Sender<ToolReply> },
    Done(Result<ToolAnswer, ToolFailure>),
}

impl McpTools {
    /// Connections live on `handle`, whatever executor calls.
    pub fn new(book: Arc<dyn ServerBook>, secrets: Arc<dyn Secrets>, handle: Handle, limits: Limits) -> Self {
        let (slots, closed, trees) = (Mutex::default(), AtomicBool::new(false), Trees::new());
        let parked = Arc::default();
        Self { inner: Arc::new(Inner { book, secrets, handle, limits, slots, closed, trees, parked }) }
    }

    /// Starts or reaches a server for a moment and asks what it is; nothing has to be approved, and nothing is called.
    pub async fn inspect(&self, name: &str, definition: &ToolServerDefinition) -> Result<Arc<Inspection>, ToolFailure> {
        let (inner, name, definition) = (Arc::clone(&self.inner), name.to_owned(), definition.clone());
        self.on_handle(async move {
            let link = inner.start(&name, &definition).await?;
            let told = link.inspection();
            link.end().await;
            Ok(told)
        })
        .await
    }

    /// Ends the connection to a server; the next call makes a new one.
    pub async fn forget(&self, name: &str) {
        let (inner, name) = (Arc::clone(&self.inner), name.to_owned());
        let done = self.on_handle(async move {
            let slot = inner.slots().remove(&name);
            if let Some(slot) = slot
                && let Some(link) = slot.lock().await.take()
            {
                link.end().await;
            }
            Ok(())
        });
        drop(done.await);
    }

    /// Ends every connection and every process, also those that somebody else is ending; later calls are refused.
    pub async fn shut_down(&self) {
        self.inner.closed.store(true, Ordering::SeqCst);
        self.inner.parked.clear();
        let slots = std::mem::take(&mut *self.inner.slots());
        let (trees, longest) = (self.inner.trees.clone(), self.inner.limits.grace * 3);
        let ending = self.on_handle(async move {
            let mut ended = tokio::task::JoinSet::new();
            for slot in slots.into_values() {
                ended.spawn(async move {
                    if let Some(link) = slot.lock().await.take() {
                        link.end().await;
                    }
                });
            }
            ended.join_all().await;
            // Each has its own time; whoever closes does not wait for one that is only being started.
            drop(tokio::time::timeout(longest, trees.gone()).await);
            Ok(())
        });
        drop(ending.await);
    }

    /// Hears a call until it ends or asks back.
    async fn follow(
        &self,
        (run, answer_within): (Arc<str>, Option<Duration>),
        mut told: mpsc::UnboundedReceiver<Told>,
        hearer: &dyn ToolHearer,
    ) -> Result<ToolAnswer, ToolFailure> {
        while let Some(one) = told.recv().await {
            match one {
                Told::Notice(notice) => hearer.notice(notice),
                Told::Done(result) => return result,
                Told::Asks { message, schema, reply } => {
                    let within = answer_within.unwrap_or_default();
                    match self.inner.parked.keep(Parked { run: Arc::clone(&run), answer_within, told, reply }) {
                        Ok(id) => return Err(self.asks(ToolQuestion { id, message, schema }, within)),
                        Err(call) => {
                            told = call.told;
                            drop(call.reply.send(ToolReply::Cancel));
                        }
                    }
                }
            }
        }
        Err(closing())
    }

    /// The call stays open for so long.
    fn asks(&self, question: ToolQuestion, within: Duration) -> ToolFailure {
        let (parked, id) = (Arc::downgrade(&self.inner.parked), question.id.clone());
        drop(self.inner.handle.spawn(async move {
            tokio::time::sleep(elicitation::kept_for(within)).await;
            drop(parked.upgrade().and_then(|parked| parked.take(&id)));
        }));
        let words = question.message.clone();
        ToolFailure { sent: true, asks: Some(Box::new(question)), ..fault::failure(ToolFault::Asks, words) }
    }

    /// Runs on the executor of the connections; dropping the future ends the work.
    async fn on_handle<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, ToolFailure>> + Send + 'static,
    ) -> Result<T, ToolFailure> {
        let task = Ending::new(self.inner.handle.spawn(work));
        task.await.unwrap_or_else(|_| Err(closing()))
    }
}

impl Inner {
    fn slots(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection to a server whose tools are the approved ones, and what a person says of them.
    async fn link(self: &Arc<Self>, name: &str) -> Result<(Held, ToolWords), ToolFailure> {
        let definition = self.book.server(name).await?;
        let slot = Arc::clone(self.slots().entry(name.to_owned()).or_default());
        let mut held = slot.lock().await;
        if let Some(link) = held.as_ref() {
            // Used from here on: whoever ends connections that nobody uses leaves it alone.
            if link.is_usable()
                && *link.definition() == definition
                && link.goes_with_who_is_signed_in().await
                && let Some(used) = Held::new(link)
            {
                let words = match used.look_again().await {
                    Ok(()) => self.book.approved(name, used.definition(), used.inspection()).await?,
                    // It ended without a word; a new one may do.
                    Err(_) => None,
                };
                match words {
                    Some(words) => return Ok((used, words)),
                    // Something else was approved meanwhile, or taken back: what the server is now is told by a new connection.
                    None => used.retire(),
                }
            }
            if let Some(old) = held.take() {
                old.retire();
            }
        }
        if self.closed.load(Ordering::SeqCst) {
            return Err(closing());
        }
        let link = Arc::new(self.start(name, &definition).await?);
        let words = match self.admit(name, &link).await {
            Ok(words) => words,
            Err(refused) => {
                link.end().await;
                return Err(refused);
            }
        };
        let used = Held::new(&link).ok_or_else(closing)?;
        *held = Some(Arc::clone(&link));
        link.watch(self.limits.idle);
        Ok((used, words))
    }

    async fn start(&self, name: &str, definition: &ToolServerDefinition) -> Result<Link, ToolFailure> {
        let access = Access::new(name, definition, &self.book, &self.secrets);
        let (secrets, limits, trees) = (&self.secrets, self.limits, &self.trees);
        Link::start(Door { name, definition, access: access.as_ref(), secrets, limits, trees }).await
    }

    async fn admit(&self, name: &str, link: &Link) -> Result<ToolWords, ToolFailure> {
        self.book.admit(name, link.definition(), link.inspection()).await
    }

    async fn call(
        self: &Arc<Self>,
        call: ToolCall,
        notices: &mpsc::UnboundedSender<Told>,
    ) -> Result<ToolAnswer, ToolFailure> {
        let begun = tokio::time::Instant::now();
        // A server that has forgotten the session did nothing; it is asked once more in a new one.
        for _ in 0..2 {
            // Nobody needs a server that is being started for a call which is given up.
            let link = tokio::select! {
                () = notices.closed() => return Err(fault::cancelled()),
                link = self.link(&call.server) => link?.0,
            };
            if !link.inspection().tools.iter().any(|tool| tool["name"] == call.tool.as_str()) {
                return Err(fault::failure(
                    ToolFault::NotFound,
                    format!("The server '{}' has no tool '{}'", call.server, call.tool),
                ));
            }
            let started_ms = RealClock.now_ms();
            let rest = call.total.saturating_sub(begun.elapsed());
            let hear = |notice| drop(notices.send(Told::Notice(notice)));
            let ask = |message, schema, reply| drop(notices.send(Told::Asks { message, schema, reply }));
            match link.call(&call, rest, notices.closed(), hear, ask).await {
                Outcome::Answered(mut answer) => {
                    answer.started_ms = started_ms;
                    answer.ended_ms = RealClock.now_ms();
                    return Ok(answer);
                }
                Outcome::Failed(failure) => return Err(failure),
                Outcome::SessionGone => link.retire(),
            }
        }
        Err(fault::failure(ToolFault::Connect, format!("The server '{}' keeps ending its sessions", call.server)))
    }
}

fn closing() -> ToolFailure {
    fault::failure(ToolFault::Connect, "Signalbox is closing")
}

#[async_trait]
impl Tools for McpTools {
    async fn list(&self, server: &str) -> Result<Vec<ToolInfo>, ToolFailure> {
        let (inner, server) = (Arc::clone(&self.inner), server.to_owned());
        self.on_handle(async move {
            let (link, words) = inner.link(&server).await?;
            let signed_in = link.is_signed_in().await;
            let standing = Standing { name: &server, definition: link.definition(), signed_in, words: &words };
            Ok(link.inspection().tools.iter().map(|tool| tool_info(standing, tool)).collect())
        })
        .await
    }

    async fn call(&self, call: ToolCall, hearer: &dyn ToolHearer) -> Result<ToolAnswer, ToolFailure> {
        let (sender, told) = mpsc::unbounded_channel();
        let inner = Arc::clone(&self.inner);
        let of = (Arc::clone(&call.run), call.answer_within);
        // The task sees by its channel that nobody waits any more, and tells the server.
        drop(self.inner.handle.spawn(async move {
            let done = inner.call(call, &sender).await;
            drop(sender.send(Told::Done(done)));
        }));
        self.follow(of, told, hearer).await
    }

    async fn resume(
        &self,
        question: &str,
        reply: ToolReply,
        hearer: &dyn ToolHearer,
    ) -> Result<ToolAnswer, ToolFailure> {
        let Some(call) = self.inner.parked.take(question) else {
            let words = "The call that asked is not open any more: Signalbox was restarted, the server ended, or nobody \
                         answered in time. What the tool did before it asked may have happened";
            return Err(ToolFailure { sent: true, ..fault::failure(ToolFault::QuestionGone, words) });
        };
        drop(call.reply.send(reply));
        self.follow((call.run, call.answer_within), call.told, hearer).await
    }

    fn run_ended(&self, run: &str) {
        self.inner.parked.run_ended(run);
    }
}

impl Drop for McpTools {
    fn drop(&mut self) {
        self.inner.closed.store(true, Ordering::SeqCst);
        self.inner.parked.clear();
        self.inner.slots().clear();
    }
}

/// A tool as [`Inspection`] has it, for steps.
pub fn tool_info(server: Standing<'_>, tool: &Value) -> ToolInfo {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let hint = |name: &str, otherwise: bool| tool["annotations"][name].as_bool().unwrap_or(otherwise);
    let info = ToolInfo {
        server: server.name.to_owned(),
        name: text(&tool["name"]).unwrap_or_default(),
        title: text(&tool["title"]).or_else(|| text(&tool["annotations"]["title"])),
        description: text(&tool["description"]).unwrap_or_default(),
        input_schema: tool.get("inputSchema").cloned().unwrap_or_else(|| Value::Object(Map::new())),
        output_schema: tool.get("outputSchema").filter(|schema| schema.is_object()).cloned(),
        read_only: hint("readOnlyHint", false),
        idempotent: hint("idempotentHint", false),
        // The defaults of the protocol are the cautious ones.
        destructive: hint("destructiveHint", true),
        open_world: hint("openWorldHint", true),
        bears_secrets: server.signed_in || server.definition.has_credential(),
        is_egress: hint("openWorldHint", true) || server.definition.is_far(),
        // Nothing that a server says of itself makes its answers an instruction.
        is_untrusted: true,
        unusable: listed::unusable(tool),
    };
    match server.words.get(&info.name) {
        Some(word) => word.over(info),
        None => info,
    }
}

/// Where a tool stands.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// Name of the registered server.
    pub name: &'a str,
    /// How it is started or reached.
    pub definition: &'a ToolServerDefinition,
    /// A person signed in there: what it answers may be private.
    pub signed_in: bool,
    /// What a person says of its tools.
    pub words: &'a ToolWords,
}
