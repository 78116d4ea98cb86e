//! Where spans go by the settings of this machine. The variables of the process come first: where they decide, the settings
//! are kept and not used.

use super::HISTORY;
use super::spans::{RunTrace, part_of};
use crate::App;
use crate::caller::Caller;
use crate::dto::{RunTraceOf, RunTraceView, TelemetryProtocol, TelemetrySet, TelemetryTest, TelemetryView};
use crate::error::{ApiError, ApiResult};
use crate::host::outgoing;
use crate::host::stored::{given, stored_setting};
use serde::{Deserialize, Serialize};
use serde_json::json;
use signalbox_adapters::otlp::{self, Place};
use signalbox_model::hash::sha256_parts;
use signalbox_model::secret_ref::SCHEME;
use signalbox_model::{AuditEvent, EventBody};
use signalbox_ports::telemetry::{Span, SpanExporter, SpanKind};
use signalbox_runtime::CallPlace;
use signalbox_store::audit::Level;
use std::convert::Infallible;
use url::Url;

/// Where the settings are kept.
const NAME: &str = "telemetry";
/// The variable that decides, when it is set.
const VARIABLE: &str = "SIGNALBOX_OTEL";
/// Variables that say where spans go.
const WHERE: [&str; 4] = [
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
];
/// Stands for the trace in the address of a tracing program.
const TRACE: &str = "{traceId}";
/// Stands for the span.
const SPAN: &str = "{spanId}";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Kept {
    on: bool,
    endpoint: Option<String>,
    grpc: bool,
    /// The name of a secret.
    credential: Option<String>,
    link: Option<String>,
}

/// Whether the variable turns spans on or off; `None` when it says nothing.
pub(super) fn variable() -> ApiResult<Option<bool>> {
    match std::env::var(VARIABLE).as_deref() {
        Err(_) | Ok("") => Ok(None),
        Ok("off") => Ok(Some(false)),
        Ok("on") => Ok(Some(true)),
        Ok(other) => {
            let message = format!("SIGNALBOX_OTEL is '{other}'.");
            Err(ApiError::unavailable("TELEMETRY", message, "Set it to 'on' or 'off'."))
        }
    }
}

/// The address of a tracing program is opened by whoever looks at a run: it leads to the web and names the trace.
fn link(text: &str) -> ApiResult<()> {
    let hint = "Write it like https://traces.example/trace/{traceId}?span={spanId}.";
    let tried = text.replace(TRACE, "0").replace(SPAN, "0");
    if !text.contains(TRACE) || tried.contains(['{', '}']) {
        let message = "The address of a trace needs {traceId}, may have {spanId}, and no other braces.";
        return Err(ApiError::bad_request(message, hint));
    }
    match Url::parse(&tried) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(()),
        _ => Err(ApiError::bad_request(format!("'{}' is no http or https address.", outgoing::shown(text)), hint)),
    }
}

impl Kept {
    fn of(app: &App) -> ApiResult<Self> {
        stored_setting(app, NAME)
    }

    fn place(&self, app: &App) -> Result<Place, String> {
        let endpoint = self.endpoint.as_deref().ok_or("no address of a collector is set")?;
        let credential = self.credential.as_deref().map(|name| app.secrets.credential_unasked(name)).transpose();
        Ok(Place {
            url: Place::address(endpoint, self.grpc)?,
            grpc: self.grpc,
            credential: credential.map_err(|error| error.message.trim_end_matches('.').to_owned())?,
        })
    }
}

impl App {
    /// Begins or ends sending as the settings say. What hinders it is told and shown: no run waits for telemetry.
    pub(super) fn follow_settings(&self) {
        *self.telemetry.counts.error() = None;
        let started = match Kept::of(self) {
            Ok(kept) if kept.on => kept.place(self).and_then(|place| self.send_spans(|| otlp::exporter_to(&place))),
            Ok(_) => {
                self.send_no_spans();
                Ok(())
            }
            Err(error) => Err(error.message),
        };
        if let Err(why) = started {
            self.send_no_spans();
            if let Some((_, complain)) = self.telemetry.process.get() {
                complain(&format!("Spans cannot be sent: {why}"));
            }
            *self.telemetry.counts.error() = Some(why);
        }
    }

    pub(crate) fn telemetry_now(&self) -> ApiResult<TelemetryView> {
        let kept = Kept::of(self)?;
        let decides = variable()?;
        let (sent, dropped) = self.telemetry.counts();
        let mut view = TelemetryView {
            on: decides.unwrap_or(kept.on),
            endpoint: kept.endpoint,
            protocol: if kept.grpc { TelemetryProtocol::Grpc } else { TelemetryProtocol::Http },
            credential: kept.credential.map(|name| format!("{SCHEME}{name}")),
            link: kept.link,
            variables: Vec::new(),
            sending: self.telemetry.is_on(),
            sent,
            dropped,
            error: self.telemetry.counts.error().clone(),
        };
        if let Some(on) = decides {
            view.variables.push(VARIABLE.to_owned());
            if on {
                let set = |name: &&str| std::env::var(name).is_ok_and(|value| !value.is_empty());
                view.variables.extend(WHERE.iter().filter(|name| set(name)).map(|name| (*name).to_owned()));
                if let Ok((url, grpc)) = otlp::place_from_env() {
                    view.endpoint = Some(outgoing::shown(url.as_str()));
                    view.protocol = if grpc { TelemetryProtocol::Grpc } else { TelemetryProtocol::Http };
                }
                view.credential = None;
            }
        }
        Ok(view)
    }

    /// A collector may stand on this machine or in its network, so only a person on this machine names one.
    pub(crate) fn telemetry_set(&self, caller: &Caller, request: TelemetrySet) -> ApiResult<TelemetryView> {
        if !caller.here {
            let message = "Only a person on this machine sets where spans go.";
            let hint = "Set it in the window or the browser on that machine, or with the OTEL_… variables (Help, Metrics and traces).";
            return Err(ApiError::forbidden(message, hint));
        }
        let grpc = request.protocol == TelemetryProtocol::Grpc;
        let endpoint = given(request.endpoint);
        if let Some(text) = &endpoint {
            outgoing::address(text)?;
            let hint = "Write it like http://localhost:4318, for gRPC http://localhost:4317.";
            Place::address(text, grpc).map_err(|why| ApiError::bad_request(why, hint))?;
        } else if request.on {
            let hint = "Write the address of a collector, such as http://localhost:4318, or leave spans off.";
            return Err(ApiError::bad_request("There is no address to send spans to.", hint));
        }
        let link_text = given(request.link);
        if let Some(text) = &link_text {
            link(text)?;
        }
        let credential = given(request.credential);
        let credential = credential.map(|name| self.known_secret(&name)).transpose()?.map(|(name, _)| name);
        let kept = Kept { on: request.on, endpoint, grpc, credential, link: link_text };
        let facts = json!({
            "on": kept.on, "endpoint": kept.endpoint, "grpc": kept.grpc, "credential": kept.credential, "link": kept.link,
        });
        let record = self.fact(AuditEvent::TelemetryChanged, Level::Info, caller.actor(), caller.signed(facts));
        let value = serde_json::to_value(&kept).unwrap_or_default();
        let Ok(()) = self.store.setting_change_recorded(NAME, record, move |_| Ok::<_, Infallible>(Some(value)))?;
        if variable()?.is_none() {
            self.follow_settings();
        }
        self.telemetry_now()
    }

    /// Sends one span the way that spans go, or would go once they are on.
    pub(crate) fn telemetry_test(&self) -> ApiResult<TelemetryTest> {
        let ids = sha256_parts(&[b"test", uuid::Uuid::now_v7().as_bytes()]);
        let (trace_id, span_id) = (ids.chars().take(32).collect::<String>(), ids.chars().skip(32).take(16).collect());
        let now = self.now_ms();
        let span = Span {
            trace_id: trace_id.clone(),
            trace_state: None,
            span_id,
            parent_id: None,
            parent_is_remote: false,
            continues: None,
            kind: SpanKind::Internal,
            name: "signalbox.test".to_owned(),
            began_ms: now,
            ended_ms: now,
            attributes: Vec::new(),
            error: None,
        };
        let endpoint = self.telemetry_now()?.endpoint.unwrap_or_default();
        let exporter: Result<Box<dyn SpanExporter>, String> = if variable()? == Some(true) {
            self.within(otlp::exporter_from_env)
        } else {
            Kept::of(self)?.place(self).and_then(|place| self.within(|| otlp::exporter_to(&place)))
        };
        let error = match exporter {
            Ok(exporter) => self.wait_for(exporter.export(vec![span]))?.err(),
            Err(why) => Some(why),
        };
        Ok(TelemetryTest { ok: error.is_none(), endpoint, trace_id, error })
    }

    /// Exporters are made within the runtime that they work in.
    fn within<T>(&self, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let threads = self.threads.as_ref().ok_or("Signalbox is closing")?;
        let _within = threads.handle().enter();
        work()
    }

    /// The trace of a run, whether spans are sent or not; where somebody can use it, also the span of the last call of a step.
    pub(crate) fn run_trace(&self, request: &RunTraceOf) -> ApiResult<RunTraceView> {
        let trace = RunTrace::of(&request.run_id, self.store.run(&request.run_id)?.trace);
        let (link, sending) = (Kept::of(self)?.link, self.telemetry.is_on());
        let mut span_id = None;
        if let Some(step) = request.step_id.as_ref().filter(|_| sending || link.is_some()) {
            let mut part = 0;
            for event in self.store.events(&request.run_id, 0, HISTORY)? {
                part = part_of(&event).unwrap_or(part);
                let is_asked = event.step_id.as_ref() == Some(step)
                    && (request.path.is_none() || request.path == event.path)
                    && (request.item.is_none() || request.item == event.item);
                if is_asked && matches!(event.body, EventBody::StepStart(_)) {
                    let call = CallPlace {
                        step: step.clone(),
                        path: event.path.clone(),
                        item: event.item,
                        visit: event.visit.unwrap_or(1),
                        attempt: event.attempt.unwrap_or_default(),
                        is_recovery: false,
                    };
                    span_id = Some(trace.call(&call, part));
                }
            }
        }
        let url = link.map(|link| {
            let span = span_id.as_deref().unwrap_or_default();
            link.replace(TRACE, &trace.id).replace(SPAN, span)
        });
        Ok(RunTraceView { trace_id: trace.id, span_id, url, sending })
    }
}

#[cfg(test)]
mod tests;
