//! One connection to a server, from its first word to its end.

use super::access::Access;
use super::cursors::Cursors;
use super::definition::ToolServerDefinition;
use super::elicitation::{Client, Questions};
use super::fault::{self, Meaning, failure};
use super::handshake::{self, Door, Greeted, slow_start};
use super::listed;
use super::load::Load;
use super::notifications::{Notification, NotificationRouter, NotificationSender};
use super::process::Process;
use super::{Inspection, Limits, health_check};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientRequest,
    ListToolsRequest, PaginatedRequestParams, RequestId, RequestParamsMeta as _, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, RunningService, ServiceError};
use serde_json::Value;
use signalbox_ports::tools::{ToolAnswer, ToolCall, ToolFailure, ToolFault, ToolNotice, ToolReply};
use signalbox_ports::trace_scope;
use signalbox_ports::{Secrets, in_words};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout};

/// Tools that a server may have; more is no list for a person to approve.
const MOST_TOOLS: usize = 1_000;
/// Bytes of all that a server says of its tools: each look at the tools of this machine reads them.
const MOST_TOLD: usize = 4 * 1024 * 1024;

/// Bytes that the notices of one call may bring; what comes after is left out.
const NOTICE_BYTES: usize = 4 * 1024 * 1024;

/// What became of a call.
pub(super) enum Outcome {
    Answered(ToolAnswer),
    Failed(ToolFailure),
    /// The server does not know the session; it did nothing.
    SessionGone,
}

/// A connection.
pub(super) struct Link {
    name: String,
    definition: ToolServerDefinition,
    peer: Peer<RoleClient>,
    service: tokio::sync::Mutex<Option<RunningService<RoleClient, Client>>>,
    board: Arc<NotificationRouter>,
    process: Option<Process>,
    told: Mutex<Arc<Inspection>>,
    limits: Limits,
    secrets: Arc<dyn Secrets>,
    /// Who gets in there.
    access: Option<Arc<Access>>,
    /// What of [`NotificationRouter::tools_changed`] the tools that are told of know.
    looked: AtomicU64,
    /// No further call goes here.
    retired: AtomicBool,
    load: watch::Sender<Load>,
}

/// A connection that somebody uses: it is not ended for want of use as long as this lives.
pub(super) struct Held(Arc<Link>);

impl Held {
    /// Unless it was given up.
    pub(super) fn new(link: &Arc<Link>) -> Option<Self> {
        link.load.send_if_modified(Load::begin).then(|| Self(Arc::clone(link)))
    }
}

impl Deref for Held {
    type Target = Arc<Link>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.load.send_modify(Load::end);
    }
}

impl Link {
    /// Starts or reaches the server and asks for its tools.
    pub(super) async fn start(door: Door<'_>) -> Result<Self, ToolFailure> {
        let Door { name, definition, access, secrets, limits, .. } = door;
        let due = Instant::now() + limits.start;
        let scrubber = secrets.scrubber();
        let Greeted { process, service, board } = handshake::greeted(door, due).await?;
        let peer = service.peer().clone();
        let info = peer.peer_info();
        let server = info.as_ref().and_then(|info| info.server_info.as_ref());
        let told = Inspection {
            server: server.map(|server| {
                let told = format!("{} {}", server.name, server.version);
                scrubber.text(told.trim()).chars().take(200).collect()
            }),
            protocol: info.as_ref().map(|info| info.protocol_version.to_string()).unwrap_or_default(),
            tools: Vec::new(),
        };
        let link = Self {
            name: name.to_owned(),
            definition: definition.clone(),
            peer,
            service: tokio::sync::Mutex::new(Some(service)),
            board,
            process,
            told: Mutex::new(Arc::new(told)),
            limits,
            secrets: Arc::clone(secrets),
            access: access.cloned(),
            looked: AtomicU64::new(0),
            retired: AtomicBool::new(false),
            load: watch::Sender::new(Load::new()),
        };
        let has_tools = info.as_ref().is_none_or(|info| info.capabilities.tools.is_some());
        if has_tools {
            link.ask_tools(due).await?;
        }
        Ok(link)
    }

    pub(super) fn definition(&self) -> &ToolServerDefinition {
        &self.definition
    }

    /// Whether a person's sign-in goes along.
    pub(super) async fn is_signed_in(&self) -> bool {
        match &self.access {
            Some(access) => access.is_signed_in().await,
            None => false,
        }
    }

    /// Whether it goes with the sign-in that holds now, or with none when nobody is signed in.
    pub(super) async fn goes_with_who_is_signed_in(&self) -> bool {
        match &self.access {
            Some(access) => access.stands().await,
            None => true,
        }
    }

    /// What the server says of itself.
    pub(super) fn inspection(&self) -> Arc<Inspection> {
        Arc::clone(&self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a further call may go here.
    pub(super) fn is_usable(&self) -> bool {
        !self.retired.load(Ordering::SeqCst)
            && !self.board.ended.load(Ordering::SeqCst)
            && !self.peer.is_transport_closed()
    }

    /// Asks for the tools again when the server said that they are others. Given up in between, the next one asks.
    pub(super) async fn look_again(&self) -> Result<(), ToolFailure> {
        let said = self.board.tools_changed.load(Ordering::SeqCst);
        if said != self.looked.load(Ordering::SeqCst) {
            self.ask_tools(Instant::now() + self.limits.start).await?;
            self.looked.store(said, Ordering::SeqCst);
        }
        Ok(())
    }

    async fn ask_tools(&self, due: Instant) -> Result<(), ToolFailure> {
        let mut tools: Vec<Value> = Vec::new();
        let mut cursor: Option<String> = None;
        let mut given = Cursors::default();
        let mut bytes = 0;
        // Before anybody looks at them, approves or keeps them.
        let scrubber = self.secrets.scrubber();
        loop {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let page = tokio::time::timeout_at(due, self.peer.send_request(request)).await;
            let page = match page {
                Err(_) => return Err(self.with_words(slow_start(&self.name, self.limits)).await),
                Ok(Err(error)) => return Err(self.explain(&error, ToolFault::Connect).await),
                Ok(Ok(ServerResult::ListToolsResult(page))) => page,
                Ok(Ok(_)) => return Err(failure(ToolFault::BadAnswer, "The server did not say which tools it has")),
            };
            for tool in page.tools {
                let mut tool = listed::kept(&serde_json::to_value(tool).unwrap_or_default());
                scrubber.value(&mut tool);
                bytes += tool.to_string().len();
                tools.push(tool);
            }
            if tools.len() > MOST_TOOLS || bytes > MOST_TOLD {
                let words = format!(
                    "The server lists more than {MOST_TOOLS} tools, or says more than {} MiB of them, which nobody could look \
                     through; start it with fewer tools",
                    MOST_TOLD / (1024 * 1024)
                );
                return Err(failure(ToolFault::TooLarge, words));
            }
            // An empty one is what the first page is asked for without one: it ends the list.
            let Some(next) = page.next_cursor.filter(|next| !next.is_empty()) else { break };
            given.take(&next)?;
            cursor = Some(next);
        }
        let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
        tools.sort_by_key(name);
        if let Some(pair) = tools.windows(2).find(|pair| name(&pair[0]) == name(&pair[1])) {
            let words = format!("The server lists the tool '{}' twice", name(&pair[0]));
            return Err(failure(ToolFault::BadAnswer, words));
        }
        Arc::make_mut(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner)).tools = tools;
        Ok(())
    }

    /// Calls a tool. `rest` is the time that is left in all; `gone` ends when nobody waits any more.
    pub(super) async fn call(
        self: &Arc<Self>,
        call: &ToolCall,
        rest: Duration,
        gone: impl Future<Output = ()>,
        hear: impl Fn(ToolNotice),
        ask: impl Fn(String, Value, oneshot::Sender<ToolReply>),
    ) -> Outcome {
        let (sender, mut heard) = mpsc::unbounded_channel();
        let waits = Arc::new(AtomicBool::new(false));
        let mut params = CallToolRequestParams::new(call.tool.clone()).with_arguments(call.arguments.clone());
        if let Some(context) = trace_scope::outgoing() {
            params.set_traceparent(&context.traceparent());
            if let Some(state) = &context.state {
                params.set_tracestate(state);
            }
        }
        let mut request = CallToolRequest::new(params);
        request.extensions.insert(NotificationSender { to: sender, waits: Arc::clone(&waits) });
        let sent =
            self.peer.send_cancellable_request(ClientRequest::CallToolRequest(request), PeerRequestOptions::default());
        let mut handle = match sent.await {
            Ok(handle) => handle,
            Err(error) => return self.failed(&error).await,
        };
        let token = handle.progress_token.clone();
        let begun = Instant::now();
        let mut total = begun + rest;
        let mut silence = begun + call.timeout;
        let mut questions = Questions::new(call.answer_within.is_some(), waits, ask);
        let (mut left, mut room) = (self.limits.notices, NOTICE_BYTES);
        let mut tell = |heard: Notification, silence: &mut Instant| {
            let notice = match heard {
                Notification::Notice(notice) => notice,
                Notification::Progress(notice) => {
                    *silence = Instant::now() + call.timeout;
                    notice
                }
                // The call has ended.
                Notification::Asks(_) => return,
            };
            if left > 1 {
                let data = notice.data.as_ref().map_or(0, |data| data.to_string().len());
                match room.checked_sub(notice.message.len() + data) {
                    Some(rest) => room = rest,
                    None => left = 1,
                }
            }
            match left {
                0 => return,
                1 => hear(ToolNotice { level: "warn", message: "Further notices are left out".into(), data: None }),
                _ => hear(notice),
            }
            left -= 1;
        };
        tokio::pin!(gone);
        let scrubber = self.secrets.scrubber();
        let lost = async {
            match self.process {
                // The end of a process ends its stream.
                Some(_) => std::future::pending().await,
                None => health_check::gone(&self.peer, self.limits.pulse, &scrubber).await,
            }
        };
        tokio::pin!(lost);
        let outcome = loop {
            tokio::select! {
                biased;
                () = &mut gone => {
                    self.stop(&handle.id, "the call was given up").await;
                    break Outcome::Failed(under_way(fault::cancelled()));
                }
                Some(one) = heard.recv() => match one {
                    Notification::Asks(asked) => questions.came(asked),
                    told => tell(told, &mut silence),
                },
                thought = questions.answered() => {
                    // While a person thinks, nobody waits for the server.
                    silence = Instant::now() + call.timeout;
                    total += thought;
                }
                answer = &mut handle.rx => {
                    // What the server said before its answer is there by now.
                    while let Ok(one) = heard.try_recv() {
                        tell(one, &mut silence);
                    }
                    break match answer {
                        Ok(Ok(result)) => self.answer(result),
                        Ok(Err(error)) => self.failed(&error).await,
                        Err(_) => self.failed(&ServiceError::TransportClosed).await,
                    };
                }
                () = &mut lost => {
                    self.retire();
                    let words = "The server cannot be reached any more; what it was asked to do may have happened";
                    break Outcome::Failed(under_way(failure(ToolFault::Cut, words)));
                }
                () = sleep_until(silence.min(total)), if !questions.is_open() => {
                    self.stop(&handle.id, "it took too long").await;
                    let words = if silence < total {
                        format!("The tool sent nothing for {}; it may still be working", in_words(call.timeout))
                    } else {
                        format!("The tool was not finished after {}; it may still be working", in_words(call.total))
                    };
                    break Outcome::Failed(under_way(self.with_words(failure(ToolFault::Timeout, words)).await));
                }
            }
        };
        self.board.forget(&token);
        outcome
    }

    fn answer(&self, result: ServerResult) -> Outcome {
        let ServerResult::CallToolResult(result) = result else {
            let words =
                "What the server sent is no answer of a tool, or it asks for something that cannot be asked here";
            return Outcome::Failed(under_way(failure(ToolFault::BadAnswer, words)));
        };
        let content = result.content.iter().map(|part| serde_json::to_value(part).unwrap_or_default()).collect();
        Outcome::Answered(ToolAnswer {
            content,
            structured: result.structured_content,
            is_error: result.is_error.unwrap_or(false),
            started_ms: 0,
            ended_ms: 0,
        })
    }

    /// Tells the server that a call is not waited for. What cannot be told to stop for sure gets no further call: its
    /// process ends with the calls that it still has.
    async fn stop(&self, id: &RequestId, reason: &str) {
        let params = CancelledNotificationParam::new(Some(id.clone()), Some(reason.to_owned()));
        let notice = self.peer.send_notification(CancelledNotification::new(params).into());
        drop(timeout(self.limits.grace, notice).await);
        if self.process.is_some() {
            self.retire();
        }
    }

    /// No further call goes here.
    pub(super) fn retire(&self) {
        self.retired.store(true, Ordering::SeqCst);
        // Whoever watches looks again.
        self.load.send_modify(|_| {});
    }

    async fn failed(&self, error: &ServiceError) -> Outcome {
        match fault::of_request(error, &self.secrets.scrubber()) {
            Meaning::SessionGone => Outcome::SessionGone,
            _ => Outcome::Failed(under_way(self.explain(error, ToolFault::Cut).await)),
        }
    }

    /// What an error of the connection means; an end of it is `ended`.
    async fn explain(&self, error: &ServiceError, ended: ToolFault) -> ToolFailure {
        if let Some(failure) = fault::beyond(self.board.beyond.get(), self.limits.message) {
            self.retire();
            return failure;
        }
        match fault::of_request(error, &self.secrets.scrubber()) {
            Meaning::Failure(failure) if self.process.is_none() => {
                // Who was not let in begins anew: a person may sign in meanwhile.
                if matches!(failure.fault, ToolFault::Connect | ToolFault::Cut | ToolFault::Auth) {
                    self.retire();
                }
                match &self.access {
                    Some(access) => access.explain(failure),
                    None => failure,
                }
            }
            Meaning::Failure(failure) => failure,
            Meaning::Ended | Meaning::SessionGone => {
                self.retire();
                let what = if self.process.is_some() { "process of" } else { "connection to" };
                let words = format!("The {what} the tool server '{}' ended", self.name);
                self.with_words(failure(ended, words)).await
            }
        }
    }

    async fn with_words(&self, failure: ToolFailure) -> ToolFailure {
        let stderr = match &self.process {
            Some(process) => process.last_words().await,
            None => None,
        };
        ToolFailure { stderr, ..failure }
    }

    /// Ends the connection when nobody used it for `idle`, or when it is retired and its last call has ended.
    pub(super) fn watch(self: &Arc<Self>, idle: Duration) {
        let mut told = self.load.subscribe();
        let link = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                let Load { users, since, .. } = *told.borrow_and_update();
                let Some(here) = link.upgrade() else { return };
                let usable = here.is_usable();
                if here.load.send_if_modified(|load| load.give_up(usable, idle)) {
                    here.retire();
                    here.end().await;
                    return;
                }
                drop(here);
                tokio::select! {
                    changed = told.changed() => if changed.is_err() { return },
                    () = sleep_until(since + idle), if users == 0 => {}
                }
            }
        });
    }

    /// Says goodbye, waits a little, and ends what is left of its process tree.
    pub(super) async fn end(&self) {
        self.retired.store(true, Ordering::SeqCst);
        if let Some(mut service) = self.service.lock().await.take() {
            drop(service.close_with_timeout(self.limits.grace).await);
        }
        if let Some(process) = &self.process {
            process.end(self.limits.grace).await;
        }
    }
}

/// The tool was asked before this went wrong.
fn under_way(failure: ToolFailure) -> ToolFailure {
    ToolFailure { sent: true, ..failure }
}
