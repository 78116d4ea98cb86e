//! Events over HTTP: replayed after a seq, then live, each exactly once (K-27, TS-097); and that tasks have changed (D2.11).

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use signalbox_app::{ApiError, ApiResult, App, Caller, EventStream, TaskChanges, WireEvent};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// Batches that wait for a slow reader; then the sender waits, and nothing is buffered for it but the store.
const WAITING: usize = 16;
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) async fn stream(app: &Arc<App>, caller: &Caller, run_id: String, parts: &Parts) -> ApiResult<Response> {
    let after = after(parts)?;
    let events = app.subscribe(caller, run_id, after).await?;
    Ok(sent(Events(events)))
}

/// That tasks have changed, and nothing of what they are: a reader asks for that.
pub(crate) fn task_changes(app: &Arc<App>, parts: &Parts) -> ApiResult<Response> {
    let streams = parts.headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    // It has no end: who does not know that would wait for ever.
    if !streams.into_iter().any(|value| value.contains("text/event-stream")) {
        return Err(ApiError::bad_request(
            "This is a stream without an end.".to_owned(),
            "Ask with 'Accept: text/event-stream', or GET /human-tasks for the tasks as they are now.",
        ));
    }
    Ok(sent(Changes(app.task_changes())))
}

/// What is sent piece by piece. To be asked again after it was given up.
trait Frames: Send + 'static {
    fn next(&mut self) -> impl Future<Output = Option<String>> + Send;
}

struct Events(EventStream);
impl Frames for Events {
    async fn next(&mut self) -> Option<String> {
        Some(self.0.next().await?.iter().map(frame).collect())
    }
}

struct Changes(TaskChanges);
impl Frames for Changes {
    async fn next(&mut self) -> Option<String> {
        Some(format!("event: tasks\ndata: {{\"change\":{}}}\n\n", self.0.next().await?))
    }
}

fn sent(mut frames: impl Frames) -> Response {
    let (sender, receiver) = mpsc::channel::<Result<Bytes, Infallible>>(WAITING);
    tokio::spawn(async move {
        // The first bytes at once: the reader learns that it is connected.
        let mut next = Bytes::from_static(b": connected\n\n");
        loop {
            if sender.send(Ok(next)).await.is_err() {
                return;
            }
            next = tokio::select! {
                batch = frames.next() => match batch {
                    Some(batch) => Bytes::from(batch),
                    None => return,
                },
                () = tokio::time::sleep(KEEP_ALIVE) => Bytes::from_static(b": alive\n\n"),
                () = sender.closed() => return,
            };
        }
    });
    let mut response = Response::new(Body::from_stream(ReceiverStream::new(receiver)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// One event as a frame. An event that is not stored has no `id:`.
fn frame(event: &WireEvent) -> String {
    let id = event.seq.map(|seq| format!("id: {seq}\n")).unwrap_or_default();
    format!("{id}event: {}\ndata: {}\n\n", event.kind, event.text)
}

/// `Last-Event-ID` is where a broken connection stood; it goes before `?after=` of the first one.
fn after(parts: &Parts) -> ApiResult<u64> {
    let wrong = |what: &str| {
        ApiError::bad_request(format!("{what} is no seq."), "Give the seq of the last event you have, or leave it out.")
    };
    if let Some(id) = parts.headers.get("last-event-id") {
        return id.to_str().ok().and_then(|text| text.parse().ok()).ok_or_else(|| wrong("Last-Event-ID"));
    }
    let mut after = 0;
    for pair in parts.uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("after", text)) => after = text.parse().map_err(|_| wrong("after"))?,
            _ => {
                return Err(ApiError::bad_request(format!("'{pair}' is not known here."), "Only ?after=SEQ is taken."));
            }
        }
    }
    Ok(after)
}

#[cfg(test)]
mod tests {
    use super::frame;
    use serde_json::json;
    use signalbox_app::WireEvent;

    #[test]
    fn a_frame_is_one_line_of_data() {
        let event = json!({"runId": "R", "seq": 10, "type": "step_done", "payload": {"text": "two\nlines"}});
        let text = frame(&WireEvent::of_value(event));
        assert!(text.starts_with("id: 10\nevent: step_done\ndata: {\"runId\":\"R\""), "{text}");
        assert!(text.ends_with("}\n\n") && text.matches('\n').count() == 4, "{text}");
        let live = WireEvent::of_value(json!({"live": true, "type": "llm_token"}));
        assert!(frame(&live).starts_with("event: llm_token\n"));
    }
}
