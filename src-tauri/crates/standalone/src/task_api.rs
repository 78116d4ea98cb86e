//! Tasks over HTTP: a list, one task, its answer. Every request carries a token.

use crate::failure::Failure;
use crate::host::Host;
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
use std::sync::Arc;

/// Largest answer. The same as for tasks in Signalbox.
const LARGEST: usize = 16 * 1024 * 1024;
/// Longest name of who decided.
const LONGEST_NAME: usize = 100;

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    /// The person at this machine.
    Here,
    /// A service, which says in whose name.
    Reported,
}

struct TaskApi {
    host: Host,
    token: String,
    answers: Answers,
}

/// `/tasks` and `/tasks/{task}` for whoever has the token.
pub(crate) fn routes(host: &Host, token: &str, answers: Answers) -> Router {
    let api = Arc::new(TaskApi { host: host.clone(), token: token.to_owned(), answers });
    Router::new()
        .route("/tasks", get(list))
        .route("/tasks/{task}", get(show).post(answer))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&api), require_token))
        .layer(DefaultBodyLimit::max(LARGEST))
        .with_state(api)
}

async fn require_token(State(api): State<Arc<TaskApi>>, headers: HeaderMap, request: Request, next: Next) -> Response {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let given = given.strip_prefix("Bearer ").unwrap_or_default();
    if !is_same(given.as_bytes(), api.token.as_bytes()) {
        let hint = match api.answers {
            Answers::Here => "Open the address that the program printed; each start has a new one.",
            Answers::Reported => "Send it as Authorization: Bearer …; it is the secret human-review-token.",
        };
        let failure = Failure::invalid("BAD_TOKEN", "The token is missing or wrong.", hint);
        return refused(StatusCode::UNAUTHORIZED, &failure);
    }
    next.run(request).await
}

/// Takes as long whatever differs.
fn is_same(given: &[u8], wanted: &[u8]) -> bool {
    given.len() == wanted.len() && given.iter().zip(wanted).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

pub(crate) fn refused(status: StatusCode, failure: &Failure) -> Response {
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
    api: &Arc<TaskApi>,
    work: impl FnOnce(&Host) -> Result<Value, Failure> + Send + 'static,
) -> Result<Value, Failure> {
    let api = Arc::clone(api);
    let done = tokio::task::spawn_blocking(move || work(&api.host)).await;
    done.unwrap_or_else(|_| Err(Failure::invalid("INTERNAL", "The program met a fault.", "Try again.")))
}

async fn list(State(api): State<Arc<TaskApi>>) -> Response {
    let found = with_host(&api, |host| {
        let (rows, total) = tasks::open_tasks(host, false)?;
        Ok(json!({ "tasks": rows.iter().map(tasks::row).collect::<Value>(), "total": total, "program": host.name }))
    });
    answered(found.await)
}

async fn show(State(api): State<Arc<TaskApi>>, Path(task): Path<String>) -> Response {
    answered(with_host(&api, move |host| tasks::details(host, &task)).await)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Answer {
    action: TaskAction,
    corrected_input: Option<Value>,
    target_node_id: Option<String>,
    notes: Option<String>,
    revision: Option<i64>,
    /// Who decided, as a service reports it.
    decided_by: Option<String>,
}

/// In whose name an answer is recorded.
fn decided_by(answers: Answers, named: Option<&str>) -> Result<String, String> {
    match (answers, named) {
        (Answers::Here, None) => Ok(os_user()),
        (Answers::Here, Some(_)) => Err("`decidedBy` is for answers of services".into()),
        (Answers::Reported, None) => Ok("reported:callback".into()),
        (Answers::Reported, Some(name)) => {
            let fits = !name.is_empty()
                && name.len() <= LONGEST_NAME
                && !name.contains(|c: char| c.is_whitespace() || c.is_control());
            if fits {
                Ok(format!("reported:callback/{name}"))
            } else {
                Err(format!("`decidedBy` has 1 to {LONGEST_NAME} bytes without spaces"))
            }
        }
    }
}

async fn answer(State(api): State<Arc<TaskApi>>, Path(task): Path<String>, body: Bytes) -> Response {
    let bad = |why: String| {
        let failure = Failure::invalid("BAD_REQUEST", format!("This is no answer: {why}."), "Send the action.");
        refused(StatusCode::BAD_REQUEST, &failure)
    };
    let given: Answer = match serde_json::from_slice(&body) {
        Ok(given) => given,
        Err(error) => return bad(error.to_string()),
    };
    let who = match decided_by(api.answers, given.decided_by.as_deref()) {
        Ok(who) => who,
        Err(why) => return bad(why),
    };
    let given = GivenAnswer {
        corrected_input: given.corrected_input,
        target_node_id: given.target_node_id,
        notes: given.notes.filter(|notes| !notes.trim().is_empty()),
        revision: given.revision,
        ..GivenAnswer::new(given.action)
    };
    let stored = with_host(&api, move |host| {
        let done = tasks::submit(host, &task, given, &who, "rest")?;
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
        && let Err(error) = api.host.runtime.wake(run).await
    {
        return answered(Err(error.into()));
    }
    answered(Ok(stored))
}
