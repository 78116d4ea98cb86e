use super::*;
use futures_util::stream;
use rmcp::model::NumberOrString;

fn size(text: &str) -> usize {
    EventSize::default().take(text.as_bytes())
}

#[test]
fn an_event_ends_with_an_empty_line_however_lines_end() {
    for end in ["\n", "\r\n", "\r"] {
        let event = format!("data: 1234{end}data: 5678{end}{end}");
        assert!(size(&event) <= event.len() && size(&event) >= 20, "{end:?}: {}", size(&event));
        assert_eq!(size(&event.repeat(50)), size(&event), "{end:?}");
        let long = format!("data: 1234{end}").repeat(50);
        assert!(size(&long) >= 500, "{end:?}: the lines of one event count together");
    }
}

#[test]
fn it_does_not_matter_where_an_event_is_cut() {
    for text in
        ["data: a\r\n\r\ndata: bb\n\n", "a\r\rbb\r\n\nccc", "\n\r\n\r\r\n\n", "id: 1\ndata: {}\n\n: still there\n\n"]
    {
        for at in 0..=text.len() {
            let (first, rest) = text.as_bytes().split_at(at);
            let mut parts = EventSize::default();
            assert_eq!(parts.take(first).max(parts.take(rest)), size(text), "{text:?} at {at}");
        }
    }
}

#[tokio::test]
async fn an_event_that_is_too_large_is_an_error_for_whoever_asked_and_ends_the_rest() {
    let chunks = ["data: {\"small\":1}\n\ndata: {\"lar", "ge\":\"12345678901234567890\"}\n\n", "data: 3\n\n"];
    let chunks = || stream::iter(chunks.map(|chunk| Ok(Bytes::from(chunk))));
    let read = async |asked| -> Vec<String> {
        events(chunks(), 30, asked).map(|event| event.expect("an event").data.unwrap_or_default()).collect().await
    };
    let told = read(Some(NumberOrString::Number(7))).await;
    assert_eq!(told[0], "{\"small\":1}");
    let error: serde_json::Value = serde_json::from_str(told.last().expect("an error")).expect("JSON");
    assert_eq!(error["id"], 7);
    let words = error["error"]["message"].as_str().expect("words");
    assert_eq!(depth::too_large_told(depth::CODE, words), Some("more than 0 MiB in one message"));
    assert!(!read(None).await.iter().any(|data| data.contains("error") || data == "3"));
}

#[test]
fn headers_that_the_protocol_sets_are_not_taken_from_a_credential() {
    for (name, ours) in [
        ("accept", true),
        ("mcp-session-id", true),
        ("last-event-id", true),
        ("mcp-protocol-version", false),
        ("x-key", false),
    ] {
        assert_eq!(is_ours(&HeaderName::from_static(name)), ours, "{name}");
    }
}
