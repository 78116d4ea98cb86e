//! The structured log (O-05, O-06, O-09): one line of JSON for each thing that happens in the runs that this process drives, in
//! the order in which it happened, masked as for a viewer. The log of a run in the store is the truth; this one is for whoever
//! watches a process. Its shape is in `docs/formats.md`. Tests: `headless/tests/structured_log.rs`.

use crate::App;
use serde::Serialize;
use serde_json::Value;
use signalbox_engine::Compiled;
use signalbox_model::{EventBody, RunEvent, wire};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Commits that wait to be written; a reader that is slower than that slows the runs down, and loses nothing.
const WAITING: usize = 1_024;

/// How grave a line is, and how much is logged: a level has those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RunLogLevel {
    /// A call or a run that failed.
    Error,
    /// Where a run stands: begins, ends, waits, what is done about an error.
    Info,
    /// Each step, value and word.
    Debug,
}

/// One line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    ts: &'a str,
    level: RunLogLevel,
    run_id: &'a str,
    node_id: Option<&'a str>,
    node_type: Option<&'a str>,
    message: String,
    payload: &'a Value,
    /// Of the run's spans.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'a str>,
    event: &'a str,
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    /// What its author says that the step does.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
}

enum LogMessage {
    Events(Arc<[RunEvent]>),
    /// All before it is written when this is answered.
    Flush(SyncSender<()>),
}

/// The way to the thread that writes.
#[derive(Default)]
pub(crate) struct RunLog(Mutex<Option<SyncSender<LogMessage>>>);

impl RunLog {
    fn sender(&self) -> Option<SyncSender<LogMessage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until what was told is written.
    pub(crate) fn flush(&self) {
        let Some(sender) = self.sender() else { return };
        let (done, written) = sync_channel(1);
        if sender.send(LogMessage::Flush(done)).is_ok() {
            // The thread has ended: nothing is left to write.
            let _ = written.recv();
        }
    }
}

impl App {
    /// From now on `write` gets a line for each event of the runs that this process drives. Once for a process.
    pub fn log_runs(self: &Arc<Self>, level: RunLogLevel, mut write: impl FnMut(&str) + Send + 'static) {
        let (sender, receiver) = sync_channel(WAITING);
        *self.run_log.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender.clone());
        let app = Arc::downgrade(self);
        // Without a thread nothing is logged, and the runs go on.
        drop(
            std::thread::Builder::new().name("run-log".into()).spawn(move || serve(&app, level, &receiver, &mut write)),
        );
        self.runtime.observe(move |events| {
            // The program ends: nobody reads any more.
            let _ = sender.send(LogMessage::Events(Arc::clone(events)));
        });
    }
}

fn serve(app: &Weak<App>, level: RunLogLevel, told: &Receiver<LogMessage>, write: &mut dyn FnMut(&str)) {
    let mut known: HashMap<String, Option<Arc<Compiled>>> = HashMap::new();
    for told in told {
        let events = match told {
            LogMessage::Events(events) => events,
            LogMessage::Flush(done) => {
                // Who asked has gone.
                let _ = done.send(());
                continue;
            }
        };
        let (Some(app), Some(first)) = (app.upgrade(), events.first()) else { continue };
        let compiled = known.entry(first.run_id.clone()).or_insert_with(|| {
            let row = app.store.run(&first.run_id).ok()?;
            app.compiled_of(&row).ok().map(Arc::new)
        });
        // Masks learn from each event in its order, also from those that are not written.
        let Ok(shown) = app.masked_events(&first.run_id, &events) else { continue };
        let trace = app.trace_of(&first.run_id);
        for (event, mut shown) in events.iter().zip(shown).filter(|(event, _)| grave(&event.body) <= level) {
            wire::truncate_event(&mut shown);
            if let Ok(line) = serde_json::to_string(&line(event, &shown, compiled.as_deref(), trace.as_deref())) {
                write(&line);
            }
        }
        if events.iter().any(|event| event.body.is_terminal()) {
            known.remove(&first.run_id);
        }
    }
}

fn line<'a>(
    event: &'a RunEvent,
    shown: &'a Value,
    compiled: Option<&'a Compiled>,
    trace_id: Option<&'a str>,
) -> Line<'a> {
    let node = event.step_id.as_deref().and_then(|step| compiled?.node_at(event.path.as_deref(), step));
    Line {
        ts: &event.ts,
        level: grave(&event.body),
        run_id: &event.run_id,
        node_id: event.step_id.as_deref(),
        node_type: node.map(|node| node.kind),
        message: message(event, &shown["payload"], node.map(|node| node.name)),
        payload: &shown["payload"],
        trace_id,
        event: event.body.type_name(),
        seq: event.seq,
        path: event.path.as_deref(),
        item: event.item,
        visit: event.visit,
        attempt: event.attempt,
        description: node.and_then(|node| node.description),
    }
}

/// By the family of an event: its names are an interface, so that a new one falls where its like are.
fn grave(body: &EventBody) -> RunLogLevel {
    let name = body.type_name();
    if name.ends_with("_error") || matches!(name, "workflow_failed" | "step_interrupted") {
        return RunLogLevel::Error;
    }
    let detail = ["step_", "var_", "file_", "llm_", "tool_"].iter().any(|family| name.starts_with(family));
    if detail { RunLogLevel::Debug } else { RunLogLevel::Info }
}

/// One sentence for people, of what is shown: nothing in it is without its mask.
fn message(event: &RunEvent, shown: &Value, name: Option<&str>) -> String {
    let name = name.or(event.step_id.as_deref()).unwrap_or("The run");
    let why = || {
        let message = &shown["error"]["message"];
        message.as_str().or_else(|| message["preview"].as_str()).unwrap_or_default().to_owned()
    };
    match &event.body {
        EventBody::WorkflowStart(start) => format!("{} started", start.name),
        EventBody::WorkflowDone(_) => "The run is completed".into(),
        EventBody::WorkflowFailed(_) => format!("The run failed: {}", why()),
        EventBody::WorkflowCancelled(_) => "The run was cancelled".into(),
        EventBody::StepStart(_) => format!("{name} started"),
        EventBody::StepDone(_) => format!("{name} is done"),
        EventBody::StepError(_) => format!("{name} failed: {}", why()),
        EventBody::RetryScheduled(retry) => format!("{name} is tried again in {} ms", retry.delay_ms),
        EventBody::ErrorHandled(handled) => format!("{name}: {} by {}", handled.action, handled.rule),
        EventBody::HumanTaskCreated(_) => format!("{name} waits for a person"),
        EventBody::HumanTaskCompleted(_) => format!("{name} was answered"),
        body => format!("{name}: {}", body.type_name().replace('_', " ")),
    }
}
