//! Which trace a run belongs to: that of its caller (W3C Trace Context, level 1), or one made of its id.

use crate::hash::sha256_parts;

/// Header with the ids of the trace and of the span that asks.
pub const TRACEPARENT: &str = "traceparent";
/// Header with what the monitoring systems on the way have added.
pub const TRACESTATE: &str = "tracestate";

/// Most entries of a `tracestate`.
const MOST_ENTRIES: usize = 32;
/// A longer `tracestate` is left out.
const MOST_STATE: usize = 512;

/// A place in a trace that other programs know too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    /// 32 lowercase hex digits, not all zero.
    pub trace_id: String,
    /// 16 lowercase hex digits, not all zero: the span that asks.
    pub span_id: String,
    /// Who began the trace records it.
    pub sampled: bool,
    /// `tracestate`, passed on as it came.
    pub state: Option<String>,
}

/// The trace of a run that continues no other: 32 hex digits, so that who knows the run knows its trace.
pub fn trace_id(run_id: &str) -> String {
    let mut id = sha256_parts(&[b"trace", run_id.as_bytes()]);
    id.truncate(32);
    id
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_id(text: &str, digits: usize) -> bool {
    is_hex(text, digits) && text.bytes().any(|byte| byte != b'0')
}

/// A `tracestate` as it may be passed on: `name=value` entries, each name once.
fn is_state(text: &str) -> bool {
    let mut names = Vec::new();
    for entry in text.split(',').map(|entry| entry.trim_matches([' ', '\t'])).filter(|entry| !entry.is_empty()) {
        let Some((name, value)) = entry.split_once('=') else { return false };
        let letters = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/' | b'@');
        let fits = !name.is_empty() && name.len() <= 256 && name.bytes().all(letters) && !names.contains(&name);
        let plain = |byte: u8| (0x20..=0x7e).contains(&byte) && byte != b',' && byte != b'=';
        if !fits || value.is_empty() || value.len() > 256 || !value.bytes().all(plain) {
            return false;
        }
        names.push(name);
    }
    !names.is_empty() && names.len() <= MOST_ENTRIES && text.len() <= MOST_STATE
}

impl TraceContext {
    /// Reads the two headers. A `traceparent` that breaks the rules is no context; such a `tracestate` is left out.
    pub fn parse(traceparent: &str, tracestate: Option<&str>) -> Option<Self> {
        let mut parts = traceparent.splitn(5, '-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        // Later versions may have more at the end; version ff is forbidden.
        let ends = parts.next().is_none() || version != "00";
        if !is_hex(version, 2) || version == "ff" || !ends || !is_id(trace, 32) || !is_id(span, 16) || !is_hex(flags, 2)
        {
            return None;
        }
        Some(Self {
            trace_id: trace.to_owned(),
            span_id: span.to_owned(),
            sampled: u8::from_str_radix(flags, 16).is_ok_and(|flags| flags & 1 == 1),
            state: tracestate.filter(|state| is_state(state)).map(str::to_owned),
        })
    }

    /// The context that a request came with. Two `traceparent` headers are none.
    pub fn of_headers<'a>(headers: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let (mut parent, mut states) = (None, Vec::new());
        for (name, value) in headers {
            if name.eq_ignore_ascii_case(TRACEPARENT) && parent.replace(value).is_some() {
                return None;
            }
            if name.eq_ignore_ascii_case(TRACESTATE) {
                states.push(value);
            }
        }
        let state = (!states.is_empty()).then(|| states.join(","));
        Self::parse(parent?.trim(), state.as_deref())
    }

    /// The value of `traceparent`.
    pub fn traceparent(&self) -> String {
        format!("00-{}-{}-{:02x}", self.trace_id, self.span_id, u8::from(self.sampled))
    }

    /// One line that [`Self::from_line`] reads.
    pub fn line(&self) -> String {
        match &self.state {
            Some(state) => format!("{} {state}", self.traceparent()),
            None => self.traceparent(),
        }
    }

    /// Reads [`Self::line`].
    pub fn from_line(line: &str) -> Option<Self> {
        match line.split_once(' ') {
            Some((parent, state)) => Self::parse(parent, Some(state)),
            None => Self::parse(line, None),
        }
    }
}

#[cfg(test)]
mod tests;
