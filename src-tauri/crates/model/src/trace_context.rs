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
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn a_context_is_read_and_written() {
        let text = format!("00-{TRACE}-{SPAN}-01");
        let read = TraceContext::parse(&text, Some("vendor=a1,other@b=2")).unwrap();
        assert_eq!((read.trace_id.as_str(), read.span_id.as_str(), read.sampled), (TRACE, SPAN, true));
        assert_eq!(read.state.as_deref(), Some("vendor=a1,other@b=2"));
        assert_eq!(read.traceparent(), text);
        assert_eq!(TraceContext::from_line(&read.line()), Some(read));
        let later = TraceContext::parse(&format!("cc-{TRACE}-{SPAN}-02-more-to-come"), None).unwrap();
        assert!(!later.sampled, "flags that are not known are not passed on");
        assert_eq!(later.traceparent(), format!("00-{TRACE}-{SPAN}-00"));
    }

    #[test]
    fn what_breaks_the_rules_is_no_context() {
        let zeros = "0".repeat(32);
        let cases = [
            String::new(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{zeros}-{SPAN}-01"),
            format!("00-{TRACE}-{}-01", &zeros[..16]),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{TRACE}-{SPAN}-0x"),
            format!("0-{TRACE}-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", &TRACE[1..]),
        ];
        for case in cases {
            assert_eq!(TraceContext::parse(&case, None), None, "{case}");
        }
    }

    #[test]
    fn a_broken_state_is_left_out_and_the_trace_goes_on() {
        let parent = format!("00-{TRACE}-{SPAN}-00");
        let long = format!("a={}", "x".repeat(257));
        let many = (0..33).map(|at| format!("k{at}=v")).collect::<Vec<_>>().join(",");
        for state in ["", "a", "a=", "=b", "a=1,a=2", "A=1", "a=ü", "a=b=c", &long, &many] {
            assert_eq!(TraceContext::parse(&parent, Some(state)).unwrap().state, None, "{state}");
        }
    }

    #[test]
    fn headers_are_found_by_any_case_and_two_parents_are_none() {
        let parent = format!("00-{TRACE}-{SPAN}-01");
        let one = [("TraceParent", parent.as_str()), ("tracestate", "a=1"), ("Tracestate", "b=2")];
        assert_eq!(TraceContext::of_headers(one.into_iter()).unwrap().state.as_deref(), Some("a=1,b=2"));
        let two = [("traceparent", parent.as_str()), ("traceparent", parent.as_str())];
        assert_eq!(TraceContext::of_headers(two.into_iter()), None);
        assert_eq!(TraceContext::of_headers([("tracestate", "a=1")].into_iter()), None);
    }
}
