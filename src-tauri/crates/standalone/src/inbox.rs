//! The page for tasks: a list, one task, its answer. Reachable from this machine only, with a token that changes at each start.

use crate::failure::Failure;
use crate::host::Host;
use crate::output::{OK, Output};
use crate::runs::os_user;
use crate::tasks;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_model::{TaskAction, TaskState};
use signalbox_runtime::task_answer::GivenAnswer;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;

const PAGE: &str = include_str!("inbox/inbox.html");
const SCRIPT: &str = include_str!("inbox/inbox.js");
const STYLE: &str = include_str!("inbox/inbox.css");
/// Largest answer. The same as for tasks in Signalbox.
const LARGEST: usize = 16 * 1024 * 1024;
/// The page loads nothing from elsewhere and is in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct Inbox {
    host: Host,
    token: String,
    address: SocketAddr,
}

/// Serves until it is dropped.
pub(crate) async fn serve(host: &Host, port: u16, output: &Output) -> Result<u8, Failure> {
    let no_port = |error: std::io::Error| {
        let message = format!("Port {port} of 127.0.0.1 cannot be used: {error}.");
        Failure::invalid("PORT_IN_USE", message, "Name another with --port; 0 takes a free one.")
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(no_port)?;
    let address = listener.local_addr().map_err(no_port)?;
    let mut secret = [0; 16];
    getrandom::fill(&mut secret).map_err(|error| {
        Failure::invalid("NO_RANDOM", format!("The system gives no random numbers: {error}."), "Try again.")
    })?;
    let token: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    // Behind '#', so that no log and no other page gets to see it.
    let url = format!("http://{address}/#token={token}");
    if output.json {
        output.value(&json!({ "url": url }));
    } else {
        output.line(&format!("Tasks: {url}"));
    }
    let inbox = Arc::new(Inbox { host: host.clone(), token, address });
    let with_token = Router::new()
        .route("/tasks", get(list))
        .route("/tasks/{task}", get(show).post(answer))
        .layer(middleware::from_fn_with_state(Arc::clone(&inbox), require_token));
    let app = Router::new()
        .route("/", get(|| async { asset("text/html; charset=utf-8", PAGE) }))
        .route("/inbox.js", get(|| async { asset("text/javascript; charset=utf-8", SCRIPT) }))
        .route("/inbox.css", get(|| async { asset("text/css; charset=utf-8", STYLE) }))
        .merge(with_token)
        .layer(DefaultBodyLimit::max(LARGEST))
        .layer(middleware::from_fn_with_state(Arc::clone(&inbox), require_host))
        .with_state(inbox);
    axum::serve(listener, app).await.map_err(no_port)?;
    Ok(OK)
}

fn asset(kind: &'static str, body: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}

/// Another name in `Host` means that a web page reached this server through a name of its own.
async fn require_host(State(inbox): State<Arc<Inbox>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = inbox.address.port();
    if host != format!("127.0.0.1:{port}") && host != format!("localhost:{port}") {
        let failure = Failure::invalid("BAD_HOST", "This address is not served.", "Use the address that was printed.");
        return refused(StatusCode::FORBIDDEN, &failure);
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, header::HeaderValue::from_static(value));
    }
    response
}

async fn require_token(State(inbox): State<Arc<Inbox>>, headers: HeaderMap, request: Request, next: Next) -> Response {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let given = given.strip_prefix("Bearer ").unwrap_or_default();
    if !is_same(given.as_bytes(), inbox.token.as_bytes()) {
        let hint = "Open the address that the program printed; each start has a new one.";
        let failure = Failure::invalid("BAD_TOKEN", "The token is missing or was of another start.", hint);
        return refused(StatusCode::UNAUTHORIZED, &failure);
    }
    next.run(request).await
}

/// Takes as long whatever differs.
fn is_same(given: &[u8], wanted: &[u8]) -> bool {
    given.len() == wanted.len() && given.iter().zip(wanted).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

fn refused(status: StatusCode, failure: &Failure) -> Response {
    (status, Json(json!({ "error": failure }))).into_response()
}

fn answered(done: Result<Value, Failure>) -> Response {
    match done {
        Ok(value) => Json(value).into_response(),
        Err(failure) => {
            let status = match failure.code.as_str() {
                "NOT_FOUND" => StatusCode::NOT_FOUND,
                "ALREADY_ANSWERED" | "EXPIRED" | "CLOSED" | "STALE" | "CLAIMED" | "ALREADY_VOTED" => {
                    StatusCode::CONFLICT
                }
                "SELF_APPROVAL" => StatusCode::FORBIDDEN,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            refused(status, &failure)
        }
    }
}

/// The database is read and written on a thread that may wait.
async fn with_host(
    inbox: &Arc<Inbox>,
    work: impl FnOnce(&Host) -> Result<Value, Failure> + Send + 'static,
) -> Result<Value, Failure> {
    let inbox = Arc::clone(inbox);
    let done = tokio::task::spawn_blocking(move || work(&inbox.host)).await;
    done.unwrap_or_else(|_| Err(Failure::invalid("INTERNAL", "The program met a fault.", "Try again.")))
}

async fn list(State(inbox): State<Arc<Inbox>>) -> Response {
    let found = with_host(&inbox, |host| {
        let (rows, total) = tasks::open_tasks(host, false)?;
        Ok(json!({ "tasks": rows.iter().map(tasks::row).collect::<Value>(), "total": total, "program": host.name }))
    });
    answered(found.await)
}

async fn show(State(inbox): State<Arc<Inbox>>, Path(task): Path<String>) -> Response {
    answered(with_host(&inbox, move |host| tasks::details(host, &task)).await)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Answer {
    action: TaskAction,
    corrected_input: Option<Value>,
    target_node_id: Option<String>,
    notes: Option<String>,
    revision: Option<i64>,
}

async fn answer(State(inbox): State<Arc<Inbox>>, Path(task): Path<String>, body: Bytes) -> Response {
    let given: Answer = match serde_json::from_slice(&body) {
        Ok(given) => given,
        Err(error) => {
            let failure = Failure::invalid("BAD_REQUEST", format!("This is no answer: {error}."), "Send the action.");
            return refused(StatusCode::BAD_REQUEST, &failure);
        }
    };
    let given = GivenAnswer {
        corrected_input: given.corrected_input,
        target_node_id: given.target_node_id,
        notes: given.notes.filter(|notes| !notes.trim().is_empty()),
        revision: given.revision,
        ..GivenAnswer::new(given.action)
    };
    let stored = with_host(&inbox, move |host| {
        let done = tasks::submit(host, &task, given, &os_user(), "rest")?;
        Ok(json!({
            "taskId": done.task_id, "runId": done.run_id, "state": done.state, "approvals": done.approvals,
            "minApprovals": done.min_approvals,
        }))
    })
    .await;
    let stored = match stored {
        Ok(stored) => stored,
        Err(failure) => return answered(Err(failure)),
    };
    // An approval that is not the last one leaves the run where it is.
    if stored["state"] != json!(TaskState::Open)
        && let Some(run) = stored["runId"].as_str()
        && let Err(error) = inbox.host.runtime.wake(run).await
    {
        return answered(Err(error.into()));
    }
    answered(Ok(stored))
}
