//! Spans for a collector of OpenTelemetry, by OTLP over HTTP (protobuf) or gRPC. Address, headers, time limit and protocol
//! are those of the standard `OTEL_…` variables. What is sent is made of events (`app/src/host/tracing`).

mod body;

use crate::http::client_for;
use crate::request_credentials;
use async_trait::async_trait;
use body::Around;
use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{Array, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::tonic_types::metadata::MetadataMap;
use opentelemetry_otlp::{Protocol, WithExportConfig, WithHttpConfig, WithTonicConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanExporter as _, SpanLinks};
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use signalbox_ports::telemetry::{self, Span, SpanValue};
use signalbox_ports::{Credential, CredentialKind, HttpError as Refusal};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where a collector listens that is on this machine and was not told otherwise.
const HTTP: &str = "http://localhost:4318/v1/traces";
const GRPC: &str = "http://localhost:4317";

/// A collector's answer is a few bytes.
const MAX_ANSWER: usize = 1 << 20;

/// Requests by the client of this crate: certificates, addresses and redirects are treated as everywhere else. The exporter makes
/// the request and knows when it is sent again; what is sent was written by [`body`].
#[derive(Debug)]
struct OwnClient {
    client: reqwest::Client,
    body: Arc<Mutex<Bytes>>,
}

#[async_trait]
impl HttpClient for OwnClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, _empty) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string())?;
        let body = self.body.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut response = self.client.request(parts.method, url).headers(parts.headers).body(body).send().await?;
        let mut told = Response::builder().status(response.status());
        if let Some(headers) = told.headers_mut() {
            headers.clone_from(response.headers());
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if bytes.len() + chunk.len() > MAX_ANSWER {
                return Err("the answer is larger than 1 MiB".into());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(told.body(Bytes::from(bytes))?)
    }
}

struct Otlp {
    exporter: opentelemetry_otlp::SpanExporter,
    scope: InstrumentationScope,
    /// Over HTTP: what stands around the spans, and the place of the body that is sent next.
    http: Option<(Around, Arc<Mutex<Bytes>>)>,
    /// However the exporter tries again, a batch takes no longer.
    limit: Duration,
}

#[async_trait]
impl telemetry::SpanExporter for Otlp {
    async fn export(&self, spans: Vec<Span>) -> Result<(), String> {
        let batch = match &self.http {
            // Spans are sent one batch after the other.
            Some((around, body)) => {
                *body.lock().unwrap_or_else(PoisonError::into_inner) = around.body(&spans).into();
                Vec::new()
            }
            None => spans.iter().map(|span| data(span, &self.scope)).collect(),
        };
        match tokio::time::timeout(self.limit, self.exporter.export(batch)).await {
            Ok(done) => done.map_err(|error| error.to_string()),
            Err(_) => Err(format!("the collector did not answer within {} s", self.limit.as_secs())),
        }
    }
}

/// The variables, the one for traces before the one for all signals. An empty one counts as unset.
fn variable(read: &dyn Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    let own = read(&format!("OTEL_EXPORTER_OTLP_TRACES_{name}")).filter(|value| !value.is_empty());
    own.or_else(|| read(&format!("OTEL_EXPORTER_OTLP_{name}")).filter(|value| !value.is_empty()))
}

/// The address that spans are sent to, and whether by gRPC.
fn target(read: &dyn Fn(&str) -> Option<String>) -> Result<(Url, bool), String> {
    let grpc = match variable(read, "PROTOCOL").as_deref() {
        None | Some("http/protobuf") => false,
        Some("grpc") => true,
        Some(other) => {
            return Err(format!("OTEL_EXPORTER_OTLP_PROTOCOL is '{other}'. Set it to 'http/protobuf' or 'grpc'."));
        }
    };
    let text = match read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").filter(|value| !value.is_empty()) {
        Some(whole) => whole,
        None => match read("OTEL_EXPORTER_OTLP_ENDPOINT").filter(|value| !value.is_empty()) {
            Some(base) if grpc => base,
            Some(base) => format!("{}/v1/traces", base.trim_end_matches('/')),
            None if grpc => GRPC.to_owned(),
            None => HTTP.to_owned(),
        },
    };
    match address(&text) {
        Ok(url) => Ok((url, grpc)),
        Err(why) => Err(format!("{why} Set OTEL_EXPORTER_OTLP_ENDPOINT to one like {HTTP}, without the path.")),
    }
}

fn address(text: &str) -> Result<Url, String> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ => Err(format!("'{text}' is not the address of a collector.")),
    }
}

/// Milliseconds that a batch may take.
fn limit(read: &dyn Fn(&str) -> Option<String>) -> Result<Duration, String> {
    let Some(text) = variable(read, "TIMEOUT") else { return Ok(Duration::from_secs(10)) };
    match text.parse::<u64>() {
        Ok(ms) if ms > 0 => Ok(Duration::from_millis(ms)),
        _ => Err(format!("OTEL_EXPORTER_OTLP_TIMEOUT is '{text}'. Set it to a number of milliseconds.")),
    }
}

/// Where spans go when the variables do not say it.
pub struct Place {
    /// The whole address: over HTTP with its path.
    pub url: Url,
    /// By gRPC, else by HTTP.
    pub grpc: bool,
    /// Goes along as a header, when it may be sent there.
    pub credential: Option<Arc<Credential>>,
}

impl Place {
    /// The place that a person wrote down: over HTTP `/v1/traces` is added to an address without a path.
    ///
    /// # Errors
    /// Why it is no address of a collector.
    pub fn address(text: &str, grpc: bool) -> Result<Url, String> {
        let mut url = address(text)?;
        if !grpc && url.path() == "/" {
            url.set_path("/v1/traces");
        }
        Ok(url)
    }
}

/// The exporter that the variables of this process describe. Within a Tokio runtime.
pub fn exporter_from_env() -> Result<Box<dyn telemetry::SpanExporter>, String> {
    let read = |name: &str| std::env::var(name).ok();
    let (url, grpc) = target(&read)?;
    built(&Place { url, grpc, credential: None }, limit(&read)?)
}

/// The address that the variables of this process name, and whether by gRPC.
pub fn place_from_env() -> Result<(Url, bool), String> {
    target(&|name: &str| std::env::var(name).ok())
}

/// The exporter to a place. Within a Tokio runtime.
pub fn exporter_to(place: &Place) -> Result<Box<dyn telemetry::SpanExporter>, String> {
    built(place, limit(&|name: &str| std::env::var(name).ok())?)
}

/// The credential as headers.
fn headers_of(place: &Place) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    if let Some(credential) = place.credential.as_deref() {
        if matches!(credential.kind, CredentialKind::Query { .. }) {
            return Err(format!("the credential '{}' is part of an address, not a header", credential.name));
        }
        request_credentials::attach(credential, &mut place.url.clone(), &mut headers).map_err(|error| match error {
            Refusal::CredentialRefused { message } => message,
            other => refused(&other),
        })?;
    }
    Ok(headers)
}

fn built(place: &Place, limit: Duration) -> Result<Box<dyn telemetry::SpanExporter>, String> {
    let read = |name: &str| std::env::var(name).ok();
    let (url, headers) = (&place.url, headers_of(place)?);
    // Also for gRPC, whose own client does not know which addresses are refused.
    let client = client_for(url).map_err(|error| refused(&error))?;
    let body = Arc::default();
    let built = if place.grpc {
        // A second call finds the provider already there, which is just as well.
        let _already = rustls::crypto::ring::default_provider().install_default();
        opentelemetry_otlp::SpanExporter::builder()
            .with_tonic()
            .with_protocol(Protocol::Grpc)
            .with_endpoint(url.as_str())
            .with_timeout(limit)
            .with_metadata(MetadataMap::from_headers(headers))
            .build()
    } else {
        let text = |(name, value): (&HeaderName, &HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        opentelemetry_otlp::SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(url.as_str())
            .with_timeout(limit)
            .with_headers(headers.iter().filter_map(text).collect())
            .with_http_client(OwnClient { client, body: Arc::clone(&body) })
            .build()
    };
    let mut exporter = built.map_err(|error| error.to_string())?;
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come before these.
    let named = read("OTEL_SERVICE_NAME").is_some()
        || read("OTEL_RESOURCE_ATTRIBUTES").is_some_and(|all| all.contains("service.name="));
    let mut resource = Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    if !named {
        resource = resource.with_service_name("signalbox");
    }
    let resource = resource.build();
    exporter.set_resource(&resource);
    let (name, version) = ("signalbox", env!("CARGO_PKG_VERSION"));
    let scope = InstrumentationScope::builder(name).with_version(version).build();
    let http = (!place.grpc).then(|| (Around::of(&resource, name, version), body));
    Ok(Box::new(Otlp { exporter, scope, http, limit }))
}

fn refused(error: &Refusal) -> String {
    match error {
        Refusal::Refused { message } | Refusal::BadUrl { message } | Refusal::Connect { message } => message.clone(),
        _ => "the address of the collector cannot be used".to_owned(),
    }
}

fn data(span: &Span, scope: &InstrumentationScope) -> SpanData {
    let trace = TraceId::from_hex(&span.trace_id).unwrap_or(TraceId::INVALID);
    let id = |hex: &str| SpanId::from_hex(hex).unwrap_or(SpanId::INVALID);
    // What breaks the rules was left out when it came in.
    let state: TraceState = span.trace_state.as_deref().and_then(|state| state.parse().ok()).unwrap_or_default();
    let context = |hex: &str| SpanContext::new(trace, id(hex), TraceFlags::SAMPLED, false, state.clone());
    let mut links = SpanLinks::default();
    if let Some(earlier) = &span.continues {
        links.links.push(opentelemetry::trace::Link::with_context(context(earlier)));
    }
    SpanData {
        span_context: context(&span.span_id),
        parent_span_id: span.parent_id.as_deref().map_or(SpanId::INVALID, id),
        parent_span_is_remote: span.parent_is_remote,
        span_kind: match span.kind {
            telemetry::SpanKind::Internal => SpanKind::Internal,
            telemetry::SpanKind::Client => SpanKind::Client,
        },
        name: span.name.clone().into(),
        start_time: moment(span.began_ms),
        end_time: moment(span.ended_ms),
        attributes: span.attributes.iter().map(|(name, value)| KeyValue::new(*name, shown(value))).collect(),
        dropped_attributes_count: 0,
        events: SpanEvents::default(),
        links,
        status: match &span.error {
            Some(code) => Status::error(code.clone()),
            None => Status::Unset,
        },
        instrumentation_scope: scope.clone(),
    }
}

fn shown(value: &SpanValue) -> Value {
    match value {
        SpanValue::Text(text) => text.clone().into(),
        SpanValue::Number(number) => (*number).into(),
        SpanValue::Texts(texts) => {
            Value::Array(Array::String(texts.iter().map(|text| StringValue::from(text.clone())).collect()))
        }
    }
}

fn moment(ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap_or_default())
}

#[cfg(test)]
mod tests;
