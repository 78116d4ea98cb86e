//! Spans made of the events of runs (O-01, O-07): one for a run, below it one for each call of a step, below that one for each
//! answer of a model and each tool. Pure. Ids are hashes of what they stand for, so that everybody who knows a run knows its
//! trace, also after a crash. Names of attributes: those of the specification beside the semantic conventions 1.37 for
//! generative AI. No values and no messages of errors: they may hold data of people.

use signalbox_model::event::Telemetry;
use signalbox_model::hash::{digest_of_parts, hex};
use signalbox_model::trace_context::trace_id;
use signalbox_model::{EventBody, RunEvent, RunStatus, TraceContext, time};
use signalbox_ports::telemetry::{Span, SpanKind, SpanValue};
use signalbox_runtime::CallPlace;
use std::collections::HashMap;

/// Runs that are followed at once. The spans of a run above that are left out.
pub(super) const RUNS: usize = 20_000;

/// The tenant of a run that is in no workspace.
const TENANT: &str = "default";

fn span_id(parts: &[&[u8]]) -> String {
    let digest = digest_of_parts(parts);
    hex(&digest[..8])
}

/// The trace that the spans of a run belong to: that of its caller, or the run's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunTrace {
    pub(crate) id: String,
    /// The span of the caller.
    parent: Option<String>,
    /// Spans of a trace that its caller does not record are not sent, either.
    pub(super) sampled: bool,
    pub(super) state: Option<String>,
    /// Stands for trace and run in the ids of calls: those are made for each call, and a short text is hashed sooner.
    calls: [u8; 16],
}

impl RunTrace {
    pub(crate) fn of(run_id: &str, caller: Option<TraceContext>) -> Self {
        let (id, parent, sampled, state) = match caller {
            Some(caller) => (caller.trace_id, Some(caller.span_id), caller.sampled, caller.state),
            None => (trace_id(run_id), None, true, None),
        };
        let mut calls = [0; 16];
        calls.copy_from_slice(&digest_of_parts(&[b"calls", id.as_bytes(), run_id.as_bytes()])[..16]);
        Self { id, parent, sampled, state, calls }
    }

    /// The span of a part of a run. A caller may start several runs within one trace.
    fn root(&self, run_id: &str, part: u64) -> String {
        span_id(&[b"run", self.id.as_bytes(), run_id.as_bytes(), &part.to_be_bytes()])
    }

    /// The span of a call in that part.
    pub(super) fn call(&self, call: &CallPlace, part: u64) -> String {
        self.call_of(&call.step, call.path.as_deref(), (call.item, call.visit, call.attempt), part)
    }

    fn call_of(
        &self,
        step: &str,
        path: Option<&str>,
        (item, visit, attempt): (Option<usize>, u32, u32),
        part: u64,
    ) -> String {
        let item = item.map_or(u64::MAX, |item| item as u64);
        let mut which = [0; 40];
        which[..16].copy_from_slice(&self.calls);
        which[16..24].copy_from_slice(&item.to_be_bytes());
        which[24..28].copy_from_slice(&visit.to_be_bytes());
        which[28..32].copy_from_slice(&attempt.to_be_bytes());
        // After a crash the same attempt may begin again.
        which[32..].copy_from_slice(&part.to_be_bytes());
        span_id(&[&which, step.as_bytes(), path.unwrap_or_default().as_bytes()])
    }

    /// What goes along with a request of a call.
    pub(crate) fn outgoing(self, run_id: &str, call: &CallPlace, part: u64) -> TraceContext {
        let span_id = if call.is_recovery { self.root(run_id, part) } else { self.call(call, part) };
        TraceContext { trace_id: self.id, span_id, sampled: self.sampled, state: self.state }
    }
}

/// The part of its run that an event begins: a number that no other part has.
pub(super) fn part_of(event: &RunEvent) -> Option<u64> {
    match &event.body {
        EventBody::WorkflowStart(_) => Some(0),
        EventBody::WorkflowResumed(_) => Some(event.seq.unwrap_or_default()),
        _ => None,
    }
}

/// A call within its run; attempts follow one another.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    step: String,
    path: Option<String>,
    item: Option<usize>,
    visit: Option<u32>,
}

impl Place {
    fn of(event: &RunEvent) -> Option<Self> {
        let step = event.step_id.clone()?;
        Some(Self { step, path: event.path.clone(), item: event.item, visit: event.visit })
    }
}

struct Call {
    id: String,
    kind: String,
    began_ms: i64,
    items: usize,
    attempt: u32,
    /// Answers and tools of this call so far: parts of the ids of their spans.
    inner: u64,
    /// Tools that have begun, the last one at the end.
    tools: Vec<(String, i64)>,
}

struct Run {
    trace: RunTrace,
    /// The workspace that it belongs to.
    tenant: String,
    name: String,
    version: String,
    /// A run that was taken up after a crash or shutdown has a span for each part: [`part_of`].
    part: u64,
    /// The span of this part, under which each call stands.
    root: String,
    /// The part before.
    before: Option<u64>,
    began_ms: i64,
    /// Of the last event.
    last_ms: i64,
    calls: HashMap<Place, Call>,
}

/// The trace that a run was given by its caller.
type CallerOf = Box<dyn Fn(&str) -> Option<TraceContext> + Send>;

/// The workspace of a run.
type WorkspaceOf = Box<dyn Fn(&str) -> Option<String> + Send>;

/// What the events of runs come to.
pub(crate) struct Spans {
    runs: HashMap<String, Run>,
    /// The trace that a run was given by its caller.
    caller: CallerOf,
    /// The workspace of a run.
    workspace: WorkspaceOf,
}

impl Spans {
    /// `caller` says which trace a run was given.
    pub(crate) fn new(caller: impl Fn(&str) -> Option<TraceContext> + Send + 'static) -> Self {
        Self { runs: HashMap::new(), caller: Box::new(caller), workspace: Box::new(|_| None) }
    }

    /// `workspace` says to which one a run belongs.
    pub(crate) fn with_workspaces(self, workspace: impl Fn(&str) -> Option<String> + Send + 'static) -> Self {
        Self { workspace: Box::new(workspace), ..self }
    }

    /// Whether the run began here, or was read with [`Self::replay`].
    pub(crate) fn knows(&self, run_id: &str) -> bool {
        self.runs.contains_key(run_id)
    }

    /// Takes what happened to a run before this process had it: its spans are not told again.
    pub(crate) fn replay(&mut self, events: &[RunEvent]) {
        for event in events {
            self.take(event);
        }
    }

    /// The spans that have ended with an event.
    pub(crate) fn take(&mut self, event: &RunEvent) -> Vec<Span> {
        let at = time::parse(&event.ts).unwrap_or_default();
        if let EventBody::WorkflowStart(start) = &event.body {
            if self.runs.len() < RUNS {
                let trace = RunTrace::of(&event.run_id, (self.caller)(&event.run_id));
                let run = Run {
                    root: trace.root(&event.run_id, 0),
                    trace,
                    tenant: (self.workspace)(&event.run_id).unwrap_or_else(|| TENANT.to_owned()),
                    name: start.name.clone(),
                    version: start.version.clone(),
                    part: 0,
                    before: None,
                    began_ms: at,
                    last_ms: at,
                    calls: HashMap::new(),
                };
                self.runs.insert(event.run_id.clone(), run);
            }
            return Vec::new();
        }
        let Some(run) = self.runs.get_mut(&event.run_id) else { return Vec::new() };
        let mut ended = Vec::new();
        match &event.body {
            EventBody::StepStart(start) => run.begin(event, &start.kind, start.input.len(), at),
            EventBody::StepDone(_) => ended.extend(run.end(event, at, "ok", None)),
            EventBody::StepError(error) => {
                ended.extend(run.end(event, at, "error", Some(error.error.code().to_owned())));
            }
            EventBody::StepInterrupted(_) => {
                ended.extend(run.end(event, at, "error", Some("INTERRUPTED".to_owned())));
            }
            EventBody::Telemetry(report) => ended.extend(run.inside(event, report, at)),
            EventBody::WorkflowResumed(_) => {
                // The process that had it could not end its span.
                ended.push(run.span(&event.run_id, run.last_ms, "interrupted", Some("INTERRUPTED".to_owned())));
                run.before = Some(std::mem::replace(&mut run.part, part_of(event).unwrap_or_default()));
                run.root = run.trace.root(&event.run_id, run.part);
                run.began_ms = at;
            }
            EventBody::WorkflowDone(_) => {
                ended.push(run.span(&event.run_id, at, RunStatus::Completed.as_str(), None));
            }
            EventBody::WorkflowFailed(failed) => {
                let code = Some(failed.error.code().to_owned());
                ended.push(run.span(&event.run_id, at, RunStatus::Failed.as_str(), code));
            }
            EventBody::WorkflowCancelled(_) => {
                ended.extend(run.cut_off(&event.run_id, at));
                ended.push(run.span(&event.run_id, at, RunStatus::Cancelled.as_str(), None));
            }
            _ => {}
        }
        run.last_ms = at;
        if !run.trace.sampled {
            ended.clear();
        }
        if event.body.is_terminal() {
            self.runs.remove(&event.run_id);
        }
        ended
    }
}

impl Run {
    fn begin(&mut self, event: &RunEvent, kind: &str, items: usize, at: i64) {
        let Some(place) = Place::of(event) else { return };
        let attempt = event.attempt.unwrap_or_default();
        let which = (place.item, place.visit.unwrap_or(1), attempt);
        let id = self.trace.call_of(&place.step, place.path.as_deref(), which, self.part);
        let kind = kind.to_owned();
        self.calls.insert(place, Call { id, kind, began_ms: at, items, attempt, inner: 0, tools: Vec::new() });
    }

    fn end(&mut self, event: &RunEvent, at: i64, status: &str, error: Option<String>) -> Option<Span> {
        let place = Place::of(event)?;
        let call = self.calls.remove(&place)?;
        Some(self.call_span(&event.run_id, &place, &call, (at, status, error)))
    }

    /// Calls that a cancel left without an end.
    fn cut_off(&mut self, run_id: &str, at: i64) -> Vec<Span> {
        let calls: Vec<(Place, Call)> = self.calls.drain().collect();
        let cancelled = || (at, "error", Some("CANCELLED".to_owned()));
        calls.iter().map(|(place, call)| self.call_span(run_id, place, call, cancelled())).collect()
    }

    fn call_span(
        &self,
        run: &str,
        place: &Place,
        call: &Call,
        (at, status, error): (i64, &str, Option<String>),
    ) -> Span {
        let mut attributes: Vec<(&'static str, SpanValue)> = vec![
            ("node.id", place.step.as_str().into()),
            ("node.type", call.kind.as_str().into()),
            ("run.id", run.into()),
            ("tenant.id", self.tenant.as_str().into()),
            ("nodeId", place.step.as_str().into()),
            ("nodeType", call.kind.as_str().into()),
            ("status", status.into()),
            ("itemCount", count(call.items as u64)),
            ("attempt", count(u64::from(call.attempt))),
        ];
        if let Some(path) = &place.path {
            attributes.push(("path", path.as_str().into()));
        }
        self.finish(Span {
            trace_id: self.trace.id.clone(),
            trace_state: self.trace.state.clone(),
            span_id: call.id.clone(),
            parent_id: Some(self.root.clone()),
            parent_is_remote: false,
            continues: None,
            kind: SpanKind::Internal,
            name: "node.execute".to_owned(),
            began_ms: call.began_ms,
            ended_ms: at,
            attributes,
            error,
        })
    }

    /// The span of the run, or of the part of it that one process had.
    fn span(&self, run_id: &str, at: i64, status: &str, error: Option<String>) -> Span {
        let attributes: Vec<(&'static str, SpanValue)> = vec![
            ("run.id", run_id.into()),
            ("runId", run_id.into()),
            ("tenant.id", self.tenant.as_str().into()),
            ("workflow.name", self.name.as_str().into()),
            ("workflow.version", self.version.as_str().into()),
            ("status", status.into()),
        ];
        self.finish(Span {
            trace_id: self.trace.id.clone(),
            trace_state: self.trace.state.clone(),
            span_id: self.root.clone(),
            parent_id: self.trace.parent.clone(),
            parent_is_remote: self.trace.parent.is_some(),
            continues: self.before.map(|before| self.trace.root(run_id, before)),
            kind: SpanKind::Internal,
            name: "workflow.run".to_owned(),
            began_ms: self.began_ms,
            ended_ms: at,
            attributes,
            error,
        })
    }

    /// A model's answer or a tool within a call.
    fn inside(&mut self, event: &RunEvent, report: &Telemetry, at: i64) -> Option<Span> {
        let call = self.calls.get_mut(&Place::of(event)?)?;
        let (began, name, mut attributes, error) = match report {
            Telemetry::ToolStart(tool) => {
                call.tools.push((tool.name.clone(), at));
                return None;
            }
            Telemetry::ToolDone(tool) => (call.tool_began(&tool.name, at), tool.name.clone(), Vec::new(), None),
            Telemetry::ToolError(tool) => {
                (call.tool_began(&tool.name, at), tool.name.clone(), Vec::new(), Some(tool.error.code().to_owned()))
            }
            Telemetry::LlmDone(done) => {
                let mut attributes = model(&done.model, done.provider.as_deref());
                attributes.push(("gen_ai.response.finish_reasons", SpanValue::Texts(vec![done.finish_reason.clone()])));
                attributes.push(("gen_ai.usage.input_tokens", count(done.usage.input_tokens)));
                attributes.push(("gen_ai.usage.output_tokens", count(done.usage.output_tokens)));
                (at.saturating_sub(done.latency_ms), done.model.clone(), attributes, None)
            }
            Telemetry::LlmError(failed) => {
                let name = failed.model.clone().unwrap_or_default();
                let attributes = model(&name, failed.provider.as_deref());
                (at.saturating_sub(failed.latency_ms), name, attributes, Some(failed.code.clone()))
            }
            _ => return None,
        };
        let is_tool = matches!(report, Telemetry::ToolDone(_) | Telemetry::ToolError(_));
        let operation = if is_tool { "execute_tool" } else { "chat" };
        attributes.push(("gen_ai.operation.name", operation.into()));
        if is_tool {
            attributes.push(("gen_ai.tool.name", name.as_str().into()));
            if call.kind == "mcp.tool" {
                attributes.push(("mcp.method.name", "tools/call".into()));
            }
        }
        attributes.push(("run.id", event.run_id.as_str().into()));
        call.inner += 1;
        let span = Span {
            trace_id: self.trace.id.clone(),
            trace_state: self.trace.state.clone(),
            span_id: span_id(&[b"inner", call.id.as_bytes(), &call.inner.to_be_bytes()]),
            parent_id: Some(call.id.clone()),
            parent_is_remote: false,
            continues: None,
            kind: SpanKind::Client,
            name: format!("{operation} {name}").trim_end().to_owned(),
            // The duration may reach back before this call: a step that a person interrupted counts all its questions.
            began_ms: began.max(call.began_ms),
            ended_ms: at,
            attributes,
            error,
        };
        Some(self.finish(span))
    }

    /// A clock that was set back takes no time; an error has its code in the attribute that the conventions name.
    fn finish(&self, mut span: Span) -> Span {
        span.ended_ms = span.ended_ms.max(span.began_ms);
        if let Some(code) = &span.error {
            span.attributes.push(("error.type", code.as_str().into()));
        }
        span
    }
}

impl Call {
    /// When the last tool of this name began that has not ended.
    fn tool_began(&mut self, name: &str, at: i64) -> i64 {
        let place = self.tools.iter().rposition(|(known, _)| known == name);
        place.map_or(at, |place| self.tools.remove(place).1)
    }
}

fn model(name: &str, provider: Option<&str>) -> Vec<(&'static str, SpanValue)> {
    let mut attributes: Vec<(&'static str, SpanValue)> = Vec::new();
    if !name.is_empty() {
        attributes.push(("gen_ai.response.model", name.into()));
    }
    if let Some(provider) = provider {
        attributes.push(("gen_ai.provider.name", provider.into()));
    }
    attributes
}

fn count(number: u64) -> SpanValue {
    SpanValue::Number(i64::try_from(number).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
