//! Traces of runs for a collector of OpenTelemetry: a thread turns what runs commit into spans and sends them in batches.
//! Off by default. A collector that is slow or down never holds a run up: what does not fit into
//! the queue, or does not arrive, is dropped and counted.

mod settings;
pub(crate) mod spans;

use crate::App;
use crate::error::{ApiError, ApiResult};
use signalbox_adapters::otlp;
use signalbox_model::trace_context::trace_id;
use signalbox_model::{RunEvent, TraceContext};
use signalbox_ports::telemetry::{Span, SpanExporter};
use signalbox_runtime::CallPlace;
use spans::{RunTrace, Spans};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// Commits that wait to become spans.
const WAITING: usize = 2_048;
/// Spans that are sent together.
const BATCH: usize = 512;
/// A span waits no longer than this for others.
const PAUSE: Duration = Duration::from_secs(1);
/// Events of a run that another process began that are read to know what is under way.
const HISTORY: usize = 20_000;
/// The end of the process waits no longer than this for the last spans.
const LAST: Duration = Duration::from_secs(3);

enum Message {
    Events(Arc<[RunEvent]>),
    /// All before it is sent, or given up, when this is answered.
    Flush(SyncSender<()>),
}

/// What became of the spans of this process.
#[derive(Debug, Default)]
struct Counts {
    sent: AtomicU64,
    /// Spans that the collector did not take, and commits that found the queue full.
    dropped: AtomicU64,
    /// Why the last spans did not arrive.
    error: Mutex<Option<String>>,
}

impl Counts {
    fn error(&self) -> MutexGuard<'_, Option<String>> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gets the reason when spans do not arrive.
type Complain = Arc<dyn Fn(&str) + Send + Sync>;

/// Whether and how spans are sent.
#[derive(Default)]
pub(crate) struct Telemetry {
    /// The way to the thread that makes spans, while they are sent.
    thread: RwLock<Option<SyncSender<Message>>>,
    counts: Arc<Counts>,
    /// The part of each run that is under way: see [`spans::part_of`].
    parts: Mutex<HashMap<String, u64>>,
    /// The runs of this process are observed.
    observes: OnceLock<()>,
    /// The process that may send spans, and whom it tells why they do not arrive.
    process: OnceLock<(Weak<App>, Complain)>,
}

impl Telemetry {
    fn sender(&self) -> Option<SyncSender<Message>> {
        self.thread.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn parts(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_on(&self) -> bool {
        self.thread.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Spans that arrived, and what was dropped: spans, and commits that found the queue full.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.counts.sent.load(Ordering::Relaxed), self.counts.dropped.load(Ordering::Relaxed))
    }

    /// Before what a commit decided is carried out.
    fn tell(&self, events: &Arc<[RunEvent]>) {
        let thread = self.thread.read().unwrap_or_else(PoisonError::into_inner);
        let Some(thread) = thread.as_ref() else { return };
        for event in events.iter() {
            if let Some(part) = spans::part_of(event) {
                let mut parts = self.parts();
                if parts.len() < spans::RUNS || parts.contains_key(&event.run_id) {
                    parts.insert(event.run_id.clone(), part);
                }
            } else if event.body.is_terminal() {
                self.parts().remove(&event.run_id);
            }
        }
        if let Err(TrySendError::Full(_)) = thread.try_send(Message::Events(Arc::clone(events))) {
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits a moment until the last spans are sent.
    pub(crate) fn flush(&self) {
        let Some(thread) = self.sender() else { return };
        let (done, sent) = sync_channel(1);
        // A full queue will not be empty in time; a thread that has ended has nothing left.
        if thread.try_send(Message::Flush(done)).is_ok() {
            let _ = sent.recv_timeout(LAST);
        }
    }
}

impl App {
    /// Where `SIGNALBOX_OTEL` is `on`, spans of the runs that this process executes go to the collector that the `OTEL_…`
    /// variables name; where it is not set, to the one of the settings, also when those change later. `complain` gets the
    /// reason when spans do not arrive, once until they arrive again. Once for a process.
    pub fn trace_runs(self: &Arc<Self>, complain: impl Fn(&str) + Send + Sync + 'static) -> ApiResult<()> {
        self.telemetry.process.get_or_init(|| (Arc::downgrade(self), Arc::new(complain)));
        match settings::variable()? {
            Some(false) => Ok(()),
            Some(true) => self.send_spans(otlp::exporter_from_env).map_err(|why| {
                let hint = "Correct the variable, or unset SIGNALBOX_OTEL to send no spans.";
                ApiError::unavailable("TELEMETRY", format!("Spans cannot be sent: {why}"), hint)
            }),
            None => {
                self.follow_settings();
                Ok(())
            }
        }
    }

    /// Sends spans from now on, or in another way. Those of before are sent as they were to be.
    fn send_spans(&self, exporter: impl FnOnce() -> Result<Box<dyn SpanExporter>, String>) -> Result<(), String> {
        let (Some(threads), Some((app, complain))) = (&self.threads, self.telemetry.process.get()) else {
            return Ok(());
        };
        let handle = threads.handle().clone();
        let exporter = {
            let _within = handle.enter();
            exporter()?
        };
        let (sender, receiver) = sync_channel(WAITING);
        let sending = Sending {
            app: Weak::clone(app),
            counts: Arc::clone(&self.telemetry.counts),
            exporter,
            handle,
            complain: Arc::clone(complain),
            arrives: true,
            batch: Vec::new(),
        };
        // Without a thread nothing is traced, and the runs go on.
        drop(std::thread::Builder::new().name("spans".into()).spawn(move || sending.serve(&receiver)));
        *self.telemetry.thread.write().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        self.telemetry.observes.get_or_init(|| {
            let observer = Weak::clone(app);
            self.runtime.observe(move |events| {
                if let Some(app) = observer.upgrade() {
                    app.telemetry.tell(events);
                }
            });
            let caller = Weak::clone(app);
            self.runtime.trace_calls(move |run, call| caller.upgrade()?.outgoing(run, call));
        });
        Ok(())
    }

    /// Sends none from now on; the thread sends what it has, and ends.
    fn send_no_spans(&self) {
        *self.telemetry.thread.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What goes along with a request of a call, while spans are sent.
    fn outgoing(&self, run_id: &str, call: &CallPlace) -> Option<TraceContext> {
        if !self.telemetry.is_on() {
            return None;
        }
        let trace = RunTrace::of(run_id, self.store.run(run_id).ok()?.trace);
        let part = self.telemetry.parts().get(run_id).copied();
        // A run that rested, or that began before spans were sent. What follows those events is not read.
        let part = part.or_else(|| {
            let events = self.store.events(run_id, 0, HISTORY).ok()?;
            let part = events.iter().rev().find_map(spans::part_of);
            self.telemetry.parts().extend(part.map(|part| (run_id.to_owned(), part)));
            part
        })?;
        Some(trace.outgoing(run_id, call, part))
    }

    /// The trace of a run.
    pub(crate) fn trace_of(&self, run_id: &str) -> Option<String> {
        // A run that cannot be read has no trace to look for.
        let row = self.store.run(run_id).ok()?;
        Some(row.trace.map_or_else(|| trace_id(run_id), |caller| caller.trace_id))
    }
}

/// What the thread has.
struct Sending {
    app: Weak<App>,
    counts: Arc<Counts>,
    exporter: Box<dyn SpanExporter>,
    handle: Handle,
    complain: Complain,
    /// The last batch arrived.
    arrives: bool,
    batch: Vec<Span>,
}

impl Sending {
    fn serve(mut self, receiver: &Receiver<Message>) {
        let (app, of) = (Weak::clone(&self.app), Weak::clone(&self.app));
        let spans = Spans::new(move |run| app.upgrade()?.store.run(run).ok()?.trace);
        let mut spans = spans.with_workspaces(move |run| of.upgrade()?.store.workspace_of_run(run).ok()??);
        let mut since = Instant::now();
        loop {
            let message = if self.batch.is_empty() {
                receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                receiver.recv_timeout(PAUSE.saturating_sub(since.elapsed()))
            };
            match message {
                Ok(Message::Events(events)) => {
                    if self.batch.is_empty() {
                        since = Instant::now();
                    }
                    self.take(&mut spans, &events);
                    if self.batch.len() >= BATCH || since.elapsed() >= PAUSE {
                        self.send();
                    }
                }
                Ok(Message::Flush(done)) => {
                    self.send();
                    // Who asked has gone.
                    let _ = done.send(());
                }
                Err(RecvTimeoutError::Timeout) => self.send(),
                Err(RecvTimeoutError::Disconnected) => return self.send(),
            }
        }
    }

    fn take(&mut self, spans: &mut Spans, events: &[RunEvent]) {
        let Some(first) = events.first() else { return };
        let begins = matches!(first.body, signalbox_model::EventBody::WorkflowStart(_));
        if !begins
            && !spans.knows(&first.run_id)
            && let (Some(app), Some(seq)) = (self.app.upgrade(), first.seq)
            // A log that cannot be read has no spans; opening the run shows why.
            && let Ok(mut before) = app.store.events(&first.run_id, 0, HISTORY)
        {
            before.retain(|event| event.seq.is_some_and(|known| known < seq));
            spans.replay(&before);
        }
        self.batch.extend(events.iter().flat_map(|event| spans.take(event)));
    }

    fn send(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() {
            return;
        }
        let count = batch.len() as u64;
        let done = self.handle.block_on(self.exporter.export(batch));
        match done {
            Ok(()) => {
                self.counts.sent.fetch_add(count, Ordering::Relaxed);
                self.arrives = true;
                *self.counts.error() = None;
            }
            Err(why) => {
                self.counts.dropped.fetch_add(count, Ordering::Relaxed);
                *self.counts.error() = Some(why.clone());
                if std::mem::replace(&mut self.arrives, false) {
                    let about = "Spans do not reach the collector; they are dropped until it answers";
                    (self.complain)(&format!("{about}: {why}"));
                }
            }
        }
    }
}
