//! `/hooks/{path}`: requests of other programs. They need what their webhook asks for, and nothing else of this program.

use super::Fires;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::json;
use signalbox_runtime::triggers::webhook::{ActiveHook, HookIndex, HookReply, HookRequest, Started, unavailable};
use signalbox_runtime::triggers::{Class, TriggerError, TriggerHost, TriggerResult};
use std::sync::Arc;
use std::time::Duration;

/// How long a body may take.
const BODY: Duration = Duration::from_secs(30);

struct Hooks {
    fires: Arc<Fires>,
    index: Arc<HookIndex>,
}

pub(super) fn routes(fires: &Arc<Fires>) -> Router {
    let hooks = Hooks { fires: Arc::clone(fires), index: Arc::default() };
    Router::new().route("/hooks/{*path}", any(handle)).with_state(Arc::new(hooks))
}

/// The answer of an error, without secrets.
pub(super) fn refused(fires: &Fires, error: TriggerError) -> Response {
    let mut told = json!({ "error": { "code": error.code, "message": error.message, "hint": error.hint } });
    if let Some(details) = error.details {
        told["error"]["details"] = details;
    }
    fires.world().secrets.scrubber().value(&mut told);
    let status = StatusCode::from_u16(error.class.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, axum::Json(told)).into_response()
}

async fn handle(State(hooks): State<Arc<Hooks>>, Path(path): Path<String>, request: Request) -> Response {
    let found = match hooks.find(&path).await {
        Ok(found) => found,
        Err(error) => return refused(&hooks.fires, error),
    };
    match hooks.deliver(&found, request).await {
        Ok(reply) => response(reply),
        Err(error) => {
            let class = error.class;
            let mut response = refused(&hooks.fires, error);
            let headers = response.headers_mut();
            match class {
                Class::Unauthorized => {
                    let how = if found.is_basic() { "Basic realm=\"webhook\"" } else { "Bearer" };
                    headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(how));
                }
                Class::Unavailable => drop(headers.insert(header::RETRY_AFTER, HeaderValue::from_static("10"))),
                Class::WrongMethod => {
                    if let Ok(methods) = HeaderValue::from_str(&found.hook.methods.join(", ")) {
                        headers.insert(header::ALLOW, methods);
                    }
                }
                _ => {}
            }
            response
        }
    }
}

impl Hooks {
    async fn find(&self, path: &str) -> TriggerResult<Arc<ActiveHook>> {
        if let Some(known) = self.index.known(path) {
            return Ok(known);
        }
        self.look(path).await?.ok_or_else(|| {
            let hint = "Check the address; the command --describe shows the paths of this program.";
            TriggerError::new(Class::NotFound, "NOT_FOUND", "There is no webhook at this address.", hint)
        })
    }

    async fn look(&self, path: &str) -> TriggerResult<Option<Arc<ActiveHook>>> {
        let (index, path) = (Arc::clone(&self.index), path.to_owned());
        self.fires
            .blocking(move |fires| {
                index.refresh(fires.store())?;
                Ok(index.known(&path))
            })
            .await
    }

    async fn deliver(&self, active: &Arc<ActiveHook>, request: Request) -> TriggerResult<HookReply> {
        let mut slot = self.index.slot().ok_or_else(unavailable)?;
        let method = request.method().as_str().to_owned();
        if !active.hook.methods.contains(&method) {
            let message = format!("This webhook takes {} only.", active.hook.methods.join(", "));
            let hint = "Send the request with one of these methods.";
            return Err(TriggerError::new(Class::WrongMethod, "METHOD_NOT_ALLOWED", message, hint));
        }
        let most = active.max_bytes();
        let (parts, body) = request.into_parts();
        let declared = parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if declared.is_some_and(|length: usize| length > most) {
            return Err(too_large(most));
        }
        // Room for all that may come is taken first.
        if !slot.grow(declared.unwrap_or(most)) {
            return Err(unavailable());
        }
        let body = read(body, most).await?;
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let request = Arc::new(HookRequest {
            method,
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect(),
            body,
        });
        let started = {
            // The semaphore is never closed.
            let _turn = self.index.starts.acquire().await;
            let (one, sent) = (Arc::clone(active), Arc::clone(&request));
            self.fires
                .blocking(move |fires| {
                    let host: &dyn TriggerHost = fires;
                    host.start_delivery(&one, &sent)
                })
                .await?
        };
        let run = match started {
            Started::Told(reply) => return Ok(reply),
            Started::Run(run) => run,
        };
        let host: &dyn TriggerHost = self.fires.as_ref();
        match host.reply(&active.hook, &run).await {
            Some(reply) => Ok(reply),
            None => Ok(HookReply::of_outcome(&run, &self.fires.outcome(run.clone()).await?)),
        }
    }
}

/// The body of a request, as far as it is allowed.
pub(super) async fn read(body: Body, most: usize) -> TriggerResult<Vec<u8>> {
    match tokio::time::timeout(BODY, axum::body::to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes.to_vec()),
        Ok(Err(_)) => Err(too_large(most)),
        Err(_) => {
            let message = "The body did not come in time.";
            Err(TriggerError::new(Class::TooSlow, "TIMEOUT", message, "Send the request again."))
        }
    }
}

fn too_large(most: usize) -> TriggerError {
    let message = format!("The body is larger than {most} bytes, or was cut off.");
    TriggerError::new(Class::TooLarge, "TOO_LARGE", message, "Send less.")
}

/// A workflow decides what is in it: a browser shows it as a page of nobody, never as one of this program.
fn response(reply: HookReply) -> Response {
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    for (name, value) in reply.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.insert(name, value);
        }
    }
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    response
}
