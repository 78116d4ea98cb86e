//! The bodies of the routes: thin, everything real is a command.

use super::routes::Action;
use super::{Server, answer, openapi, sse};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use signalbox_app::{ApiError, ApiResult, Caller};
use signalbox_model::Map;
use std::sync::Arc;

pub(crate) fn health() -> Response {
    answer::json(StatusCode::OK, &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RunRequest {
    workflow: String,
    #[serde(default)]
    params: Map,
    #[serde(default)]
    client_run_token: Option<String>,
}

pub(crate) async fn run(
    server: &Arc<Server>,
    action: Action,
    caller: &Caller,
    id: String,
    parts: &Parts,
    body: &[u8],
) -> ApiResult<Response> {
    let app = &server.app;
    let ok = |value: Value| answer::json(StatusCode::OK, &value);
    match action {
        Action::Health => Ok(health()),
        Action::OpenApi => Ok(ok(openapi::document())),
        Action::RunStart => {
            let request: RunRequest = parse(body)?;
            let started = app.start_stored(request.workflow, request.params, request.client_run_token).await?;
            Ok(ok(json!({ "runId": started })))
        }
        Action::RunStatus => Ok(ok(app.summary(id).await?)),
        Action::RunEvents => sse::stream(app, id, parts).await,
        Action::RunAbort => {
            let _: Empty = parse_or_empty(body)?;
            app.dispatch(caller, "run_cancel", json!({ "runId": id })).await?;
            Ok(ok(json!({ "runId": id })))
        }
        Action::WorkflowList => Ok(ok(app.dispatch(caller, "workflow_list", json!({})).await?)),
        Action::WorkflowGet => {
            let open = app.stored(id).await?;
            let revision = open["revision"].as_str().unwrap_or_default().to_owned();
            Ok(with_etag(ok(open), &revision))
        }
        Action::WorkflowPut => {
            let stored = app.store_workflow(id, parse(body)?, revision_of(parts)).await?;
            let revision = stored["revision"].as_str().unwrap_or_default().to_owned();
            Ok(with_etag(ok(stored), &revision))
        }
        Action::WorkflowDelete => Ok(ok(app.delete_stored(id, revision_of(parts)).await?)),
        Action::Catalog => Ok(ok(app.dispatch(caller, "catalog_list", json!({})).await?)),
        Action::Rpc => {
            let request: Value = if body.is_empty() { json!({}) } else { parse(body)? };
            Ok(ok(app.dispatch(caller, &id, request).await?))
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Empty {}

fn parse<T: DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    serde_json::from_slice(body).map_err(|error| {
        ApiError::bad_request(
            format!("The body does not fit: {error}."),
            "Send the JSON object that this route takes; see /openapi.json.",
        )
    })
}

fn parse_or_empty<T: DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    if body.is_empty() { parse(b"{}") } else { parse(body) }
}

/// `If-Match`, with or without quotes; `*` means whatever is there.
fn revision_of(parts: &Parts) -> Option<String> {
    let value = parts.headers.get(header::IF_MATCH)?.to_str().ok()?.trim();
    Some(value.trim_start_matches("W/").trim_matches('"').to_owned())
}

fn with_etag(mut response: Response, revision: &str) -> Response {
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{revision}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}
