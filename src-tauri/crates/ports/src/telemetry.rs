//! Spans: how a run is seen by the monitoring of whoever operates Signalbox. Telemetry may lose what it is told; the log of a
//! run and the audit chain are the record.

use async_trait::async_trait;

/// A value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanValue {
    /// Text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// Several texts.
    Texts(Vec<String>),
}

impl From<&str> for SpanValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SpanValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for SpanValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// Whether a span is work of this program, or a question to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Work of this program.
    Internal,
    /// A question to another program.
    Client,
}

/// Something that began and ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// 32 hex digits.
    pub trace_id: String,
    /// What monitoring systems that the trace came through have added to it (`tracestate`).
    pub trace_state: Option<String>,
    /// 16 hex digits.
    pub span_id: String,
    /// The span that this one is a part of.
    pub parent_id: Option<String>,
    /// Another program made that span.
    pub parent_is_remote: bool,
    /// A span of the same trace that this one continues.
    pub continues: Option<String>,
    /// What it is.
    pub kind: SpanKind,
    /// Few different ones: no ids, no values.
    pub name: String,
    /// Milliseconds since 1970.
    pub began_ms: i64,
    /// Milliseconds since 1970, not before it began.
    pub ended_ms: i64,
    /// What else is known, by name.
    pub attributes: Vec<(&'static str, SpanValue)>,
    /// It failed, and the code of the error. Messages stay at home: they may hold data of people.
    pub error: Option<String>,
}

/// The way to a collector.
#[async_trait]
pub trait SpanExporter: Send + Sync {
    /// Sends spans; an error says in plain words why they did not arrive. It ends within the time limit of its settings.
    async fn export(&self, spans: Vec<Span>) -> Result<(), String>;
}
