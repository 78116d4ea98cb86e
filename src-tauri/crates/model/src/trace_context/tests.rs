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
