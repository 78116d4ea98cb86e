//! `/task-hooks/{destination}`: webhooks of services that tasks are copied to, and `/task-links/{copy}`: the links in their
//! entries. Neither needs a token of this server. A GET of either is counted and decides nothing, whoever sends it: programs
//! look at links before people do.

use super::{Server, answer, read_within};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};
use signalbox_app::{ApiError, Class, HookRequest};
use std::sync::Arc;

/// Largest webhook.
const LARGEST: usize = 1 << 20;

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    /// Takes decisions of this destination.
    Hook(&'a str),
    /// Opens the task of this copy in the inbox.
    Link(&'a str),
}

/// The place of a request.
pub(crate) fn place_of(path: &str) -> Option<Place<'_>> {
    let hook = path.strip_prefix("/task-hooks/").map(Place::Hook);
    hook.or_else(|| path.strip_prefix("/task-links/").map(Place::Link))
}

/// Answers a request whose Host and Origin were checked.
pub(crate) async fn handle(server: &Arc<Server>, place: Place<'_>, request: Request) -> Response {
    let done = match place {
        Place::Hook(id) => hook(server, id, request).await,
        Place::Link(id) => link(server, id, request.method()).await,
    };
    let mut response = done.unwrap_or_else(|error| answer::error(&server.app.without_secrets(error)));
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn wrong_method(allowed: &'static str) -> Response {
    let message = format!("This address takes {allowed} only; nothing was done.");
    let error =
        ApiError::new(Class::WrongMethod, "METHOD_NOT_ALLOWED", message, "Send the webhook as its service does.");
    let mut response = answer::error(&error);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

async fn hook(server: &Arc<Server>, id: &str, request: Request) -> Result<Response, ApiError> {
    if request.method() != Method::POST {
        server.app.task_hook_opened(id).await?;
        return Ok(wrong_method("POST"));
    }
    let busy =
        || ApiError::unavailable("TOO_MANY_REQUESTS", "Too many requests are under way.", "Send it again later.");
    let mut slot = server.app.hook_slot().ok_or_else(busy)?;
    let (parts, body) = request.into_parts();
    let too_large = || {
        ApiError::new(Class::TooLarge, "TOO_LARGE", format!("The body is larger than {LARGEST} bytes."), "Send less.")
    };
    let mut is_full = false;
    let body = read_within(body, server.limits.body, |size, more| {
        is_full = !slot.grow(more);
        if is_full || size > LARGEST { Err(too_large()) } else { Ok(()) }
    })
    .await;
    if is_full {
        return Err(busy());
    }
    let sent = HookRequest {
        method: "POST".to_owned(),
        query: String::new(),
        headers: super::hooks::headers(&parts.headers),
        body: body?,
    };
    let reply = server.app.task_hook(id, sent).await?;
    Ok(super::hooks::response(reply))
}

async fn link(server: &Arc<Server>, id: &str, method: &Method) -> Result<Response, ApiError> {
    if method != Method::GET && method != Method::HEAD {
        return Ok(wrong_method("GET, HEAD"));
    }
    let Some(task) = server.app.task_link_opened(id).await? else {
        return Err(ApiError::not_found("This link leads to no task: it was deleted, or the destination was removed."));
    };
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    let plain = task.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let to = if plain { format!("/#/inbox/{task}") } else { "/#/inbox".to_owned() };
    if let Ok(to) = HeaderValue::from_str(&to) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    Ok(response)
}

/// The two paths for the OpenAPI document.
pub(crate) fn openapi() -> [(&'static str, Value); 2] {
    let error = json!({ "$ref": "#/components/responses/Error" });
    let parameter = json!([{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }]);
    let mut hook = json!({
        "operationId": "post_task_hooks_id",
        "tags": ["hooks"],
        "summary": "Takes a webhook of a service that tasks are copied to. The connector says how it is signed.",
        "security": [],
        "parameters": parameter,
        "requestBody": { "required": true, "content": { "application/json": {}, "application/x-www-form-urlencoded": {} } },
        "responses": { "200": {
            "description": "It was a decision, or it was ignored; then the reason is told.",
            "content": { "application/json": { "schema": {
                "type": "object", "required": ["result"],
                "properties": { "result": { "type": "string", "enum": ["decided", "ignored"] }, "reason": { "type": "string" } },
            } } },
        } },
    });
    for status in ["400", "401", "404", "405", "413", "503"] {
        hook["responses"][status] = error.clone();
    }
    let mut link = json!({
        "operationId": "get_task_links_id",
        "tags": ["hooks"],
        "summary": "Opens a task in the inbox. It is counted, and decides nothing.",
        "security": [],
        "parameters": parameter,
        "responses": { "302": { "description": "To the task in the inbox." } },
    });
    for status in ["404", "405", "503"] {
        link["responses"][status] = error.clone();
    }
    [("/task-hooks/{id}", json!({ "post": hook })), ("/task-links/{id}", json!({ "get": link }))]
}
