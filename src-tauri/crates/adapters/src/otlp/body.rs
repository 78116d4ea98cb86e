//! A batch of spans as OTLP sends it over HTTP: the protobuf message `ExportTraceServiceRequest` (opentelemetry-proto 1.7), written
//! from the spans in one go. By way of the types of the SDK and those of the protocol each attribute would be copied four times, which
//! is most of what a span costs.

use opentelemetry_sdk::Resource;
use signalbox_ports::telemetry::{Span, SpanKind, SpanValue};

/// Types of fields on the wire.
const VARINT: u8 = 0;
const FIXED64: u8 = 1;
const BYTES: u8 = 2;
const FIXED32: u8 = 5;

/// The trace is recorded; whether the parent is of another program is known, and it is one (`SpanFlags`).
const SAMPLED: u32 = 1;
const HAS_IS_REMOTE: u32 = 0x100;
const IS_REMOTE: u32 = 0x200;
/// `STATUS_CODE_ERROR`.
const ERROR: u64 = 2;

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number as u8 & 0x7f) | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn varint_length(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

fn tag(out: &mut Vec<u8>, field: u8, kind: u8) {
    varint(out, u64::from(field) << 3 | u64::from(kind));
}

/// A text, bytes or a message that is written already.
fn bytes(out: &mut Vec<u8>, field: u8, value: &[u8]) {
    tag(out, field, BYTES);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// Bytes of a field of this many bytes, with its tag and its length.
fn framed(length: usize) -> usize {
    1 + varint_length(length as u64) + length
}

/// The head of a message of this many bytes.
fn message(out: &mut Vec<u8>, field: u8, length: usize) {
    tag(out, field, BYTES);
    varint(out, length as u64);
}

fn value_length(value: &SpanValue) -> usize {
    match value {
        SpanValue::Text(text) => framed(text.len()),
        // Negative numbers take ten bytes.
        SpanValue::Number(number) => 1 + varint_length(*number as u64),
        SpanValue::Texts(texts) => framed(list_length(texts)),
    }
}

fn list_length(texts: &[String]) -> usize {
    texts.iter().map(|text| framed(framed(text.len()))).sum()
}

/// `AnyValue`.
fn value(out: &mut Vec<u8>, value: &SpanValue) {
    match value {
        SpanValue::Text(text) => bytes(out, 1, text.as_bytes()),
        SpanValue::Number(number) => {
            tag(out, 3, VARINT);
            varint(out, *number as u64);
        }
        SpanValue::Texts(texts) => {
            message(out, 5, list_length(texts));
            for text in texts {
                message(out, 1, framed(text.len()));
                bytes(out, 1, text.as_bytes());
            }
        }
    }
}

/// `KeyValue`.
fn attribute(out: &mut Vec<u8>, field: u8, name: &str, known: &SpanValue) {
    let length = value_length(known);
    message(out, field, framed(name.len()) + framed(length));
    bytes(out, 1, name.as_bytes());
    message(out, 2, length);
    value(out, known);
}

/// An id of hex digits; nothing of what is none.
fn id(out: &mut Vec<u8>, field: u8, hex: &str) {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut raw = [0_u8; 16];
    let length = hex.len() / 2;
    if length > raw.len() || !hex.len().is_multiple_of(2) {
        return;
    }
    for (byte, pair) in raw.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        let (Some(high), Some(low)) = (digit(pair[0]), digit(pair[1])) else { return };
        *byte = high << 4 | low;
    }
    bytes(out, field, &raw[..length]);
}

fn moment(out: &mut Vec<u8>, field: u8, ms: i64) {
    tag(out, field, FIXED64);
    out.extend_from_slice(&u64::try_from(ms).unwrap_or_default().saturating_mul(1_000_000).to_le_bytes());
}

fn flags(out: &mut Vec<u8>, field: u8, parent_is_remote: bool) {
    let remote = if parent_is_remote { IS_REMOTE } else { 0 };
    tag(out, field, FIXED32);
    out.extend_from_slice(&(SAMPLED | HAS_IS_REMOTE | remote).to_le_bytes());
}

fn span(out: &mut Vec<u8>, span: &Span) {
    let state = span.trace_state.as_deref().filter(|state| !state.is_empty());
    id(out, 1, &span.trace_id);
    id(out, 2, &span.span_id);
    if let Some(state) = state {
        bytes(out, 3, state.as_bytes());
    }
    if let Some(parent) = &span.parent_id {
        id(out, 4, parent);
    }
    bytes(out, 5, span.name.as_bytes());
    tag(out, 6, VARINT);
    out.push(match span.kind {
        SpanKind::Internal => 1,
        SpanKind::Client => 3,
    });
    moment(out, 7, span.began_ms);
    moment(out, 8, span.ended_ms);
    for (name, known) in &span.attributes {
        attribute(out, 9, name, known);
    }
    if let Some(earlier) = &span.continues {
        let mut link = Vec::new();
        id(&mut link, 1, &span.trace_id);
        id(&mut link, 2, earlier);
        if let Some(state) = state {
            bytes(&mut link, 3, state.as_bytes());
        }
        flags(&mut link, 6, false);
        bytes(out, 13, &link);
    }
    let mut status = Vec::new();
    if let Some(code) = &span.error {
        bytes(&mut status, 2, code.as_bytes());
        tag(&mut status, 3, VARINT);
        varint(&mut status, ERROR);
    }
    bytes(out, 15, &status);
    flags(out, 16, span.parent_is_remote);
}

/// What stands around the spans of every batch.
#[derive(Debug)]
pub(super) struct Around {
    /// `Resource`, as a field.
    resource: Vec<u8>,
    schema: Vec<u8>,
    /// `InstrumentationScope`, as a field.
    scope: Vec<u8>,
}

impl Around {
    pub(super) fn of(resource: &Resource, scope: &str, version: &str) -> Self {
        let (mut attributes, mut schema) = (Vec::new(), Vec::new());
        for (name, known) in resource.iter() {
            attribute(&mut attributes, 1, name.as_str(), &SpanValue::Text(known.as_str().into_owned()));
        }
        if let Some(url) = resource.schema_url() {
            bytes(&mut schema, 3, url.as_bytes());
        }
        let (mut of_resource, mut inner, mut of_scope) = (Vec::new(), Vec::new(), Vec::new());
        bytes(&mut of_resource, 1, &attributes);
        bytes(&mut inner, 1, scope.as_bytes());
        bytes(&mut inner, 2, version.as_bytes());
        bytes(&mut of_scope, 1, &inner);
        Self { resource: of_resource, schema, scope: of_scope }
    }

    /// The whole message.
    pub(super) fn body(&self, spans: &[Span]) -> Vec<u8> {
        let (mut all, mut one) = (Vec::with_capacity(spans.len() * 512), Vec::with_capacity(512));
        for known in spans {
            one.clear();
            span(&mut one, known);
            bytes(&mut all, 2, &one);
        }
        let of_scope = self.scope.len() + all.len();
        let of_resource = self.resource.len() + framed(of_scope) + self.schema.len();
        let mut out = Vec::with_capacity(framed(of_resource));
        message(&mut out, 1, of_resource);
        out.extend_from_slice(&self.resource);
        message(&mut out, 2, of_scope);
        out.extend_from_slice(&self.scope);
        out.extend_from_slice(&all);
        out.extend_from_slice(&self.schema);
        out
    }
}
