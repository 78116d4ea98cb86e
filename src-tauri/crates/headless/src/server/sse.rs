//! Events over HTTP: replayed after a seq, then live, each exactly once (K-27, TS-097); and that tasks have changed (D2.11).

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use signalbox_app::{ApiError, ApiResult, App, Caller, Follower, Followers, TaskChanges, WireEvent};
use std::convert::Infallible;
use std::fmt::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};
use tokio_stream::Stream;

const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Who follows runs over HTTP: each event is written as a frame once for all of them.
pub(crate) fn followers(app: &Arc<App>) -> Followers {
    Followers::new(Arc::clone(app), frame)
}

pub(crate) async fn stream(
    followers: &Followers,
    caller: &Caller,
    run_id: String,
    parts: &Parts,
) -> ApiResult<Response> {
    let after = after(parts)?;
    Ok(sent(followers.follow(caller, run_id, after).await?))
}

/// That tasks have changed, and nothing of what they are: a reader asks for that.
pub(crate) fn task_changes(app: &Arc<App>, parts: &Parts) -> ApiResult<Response> {
    let streams = parts.headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    // It has no end: who does not know that would wait for ever.
    if !streams.into_iter().any(|value| value.contains("text/event-stream")) {
        return Err(ApiError::bad_request(
            "This is an endless stream.".to_owned(),
            "Send 'Accept: text/event-stream', or GET /human-tasks for the current tasks.",
        ));
    }
    Ok(sent(Changes(app.task_changes())))
}

/// What is sent piece by piece.
trait Frames: Send + 'static {
    fn next(&mut self) -> impl Future<Output = Option<Bytes>> + Send;
}

impl Frames for Follower {
    fn next(&mut self) -> impl Future<Output = Option<Bytes>> + Send {
        Follower::next(self)
    }
}

struct Changes(TaskChanges);
impl Frames for Changes {
    async fn next(&mut self) -> Option<Bytes> {
        Some(format!("event: tasks\ndata: {{\"change\":{}}}\n\n", self.0.next().await?).into())
    }
}

/// The frames and the next piece of them.
type Next<F> = Pin<Box<dyn Future<Output = (F, Option<Bytes>)> + Send>>;

fn ahead<F: Frames>(mut frames: F) -> Next<F> {
    Box::pin(async move {
        let next = frames.next().await;
        (frames, next)
    })
}

/// Asked for a piece whenever the connection has room for one, so that nothing waits for a slow reader. What is under way is
/// kept while a sign of life goes out.
struct Sending<F> {
    greeted: bool,
    next: Option<Next<F>>,
    alive: Pin<Box<Sleep>>,
}

impl<F: Frames> Stream for Sending<F> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // The first bytes at once: the reader learns that it is connected.
        if !std::mem::replace(&mut self.greeted, true) {
            return Poll::Ready(Some(Ok(Bytes::from_static(b": connected\n\n"))));
        }
        let Some(next) = &mut self.next else { return Poll::Ready(None) };
        let piece = match next.as_mut().poll(cx) {
            Poll::Ready((frames, Some(piece))) => {
                self.next = Some(ahead(frames));
                piece
            }
            Poll::Ready((_, None)) => {
                self.next = None;
                return Poll::Ready(None);
            }
            Poll::Pending if self.alive.as_mut().poll(cx).is_ready() => Bytes::from_static(b": alive\n\n"),
            Poll::Pending => return Poll::Pending,
        };
        self.alive.as_mut().reset(Instant::now() + KEEP_ALIVE);
        Poll::Ready(Some(Ok(piece)))
    }
}

fn sent<F: Frames>(frames: F) -> Response {
    let alive = Box::pin(tokio::time::sleep(KEEP_ALIVE));
    let sending = Sending { greeted: false, next: Some(ahead(frames)), alive };
    let mut response = Response::new(Body::from_stream(sending));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Writes one event as a frame. An event that is not stored has no `id:`.
fn frame(event: &WireEvent, out: &mut String) {
    // Writing to a text does not fail.
    let _ = match event.seq {
        Some(seq) => write!(out, "id: {seq}\nevent: {}\ndata: {}\n\n", event.kind, event.text),
        None => write!(out, "event: {}\ndata: {}\n\n", event.kind, event.text),
    };
}

/// `Last-Event-ID` is where a broken connection stood; it goes before `?after=` of the first one.
fn after(parts: &Parts) -> ApiResult<u64> {
    let wrong = |what: &str| {
        ApiError::bad_request(
            format!("{what} is not a sequence number."),
            "Send the seq of the last event you have, or omit it.",
        )
    };
    if let Some(id) = parts.headers.get("last-event-id") {
        return id.to_str().ok().and_then(|text| text.parse().ok()).ok_or_else(|| wrong("Last-Event-ID"));
    }
    let mut after = 0;
    for pair in parts.uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("after", text)) => after = text.parse().map_err(|_| wrong("after"))?,
            _ => {
                return Err(ApiError::bad_request(
                    format!("The query parameter '{pair}' is unknown."),
                    "Only ?after=SEQ is supported.",
                ));
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
        let framed = |event| {
            let mut text = String::new();
            frame(&WireEvent::of_value(event), &mut text);
            text
        };
        let text = framed(event);
        assert!(text.starts_with("id: 10\nevent: step_done\ndata: {\"runId\":\"R\""), "{text}");
        assert!(text.ends_with("}\n\n") && text.matches('\n').count() == 4, "{text}");
        let live = framed(json!({"live": true, "type": "llm_token"}));
        assert!(live.starts_with("event: llm_token\n"));
    }
}
