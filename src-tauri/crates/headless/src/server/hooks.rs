//! `/hooks/{path}` and `/hooks-test/{path}`: requests of other programs. They need no token of this server, only what their
//! webhook asks for, and nobody can take so many places with them that others are not answered.

use super::{Server, answer, read_within};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};
use signalbox_app::{ApiError, Class, HookReply, HookRequest, HookTarget};
use std::sync::Arc;

/// What a sender that comes too often waits, in seconds.
const RETRY_AFTER: &str = "1";

/// The path of a webhook in the path of a request, and whether it is a test.
pub(crate) fn path_of(path: &str) -> Option<(&str, bool)> {
    let active = path.strip_prefix("/hooks/").map(|path| (path, false));
    active.or_else(|| path.strip_prefix("/hooks-test/").map(|path| (path, true)))
}

/// Answers a request whose Host and Origin were checked.
pub(crate) async fn handle(server: &Arc<Server>, path: &str, is_test: bool, request: Request) -> Response {
    match deliver(server, path, is_test, request).await {
        Ok(response) => response,
        Err(Refusal::Busy) => {
            let error = ApiError::new(
                Class::Unavailable,
                "TOO_MANY_REQUESTS",
                "Too many requests are under way.",
                "Send it again a little later.",
            );
            let mut response = answer::json(StatusCode::TOO_MANY_REQUESTS, &json!({ "error": error }));
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER));
            response
        }
        Err(Refusal::Error(error, target)) => {
            let mut response = answer::error(&server.app.without_secrets(error));
            let headers = response.headers_mut();
            match &target {
                Some(target) if headers.contains_key(header::WWW_AUTHENTICATE) && target.is_basic() => {
                    headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"webhook\""));
                }
                _ => {}
            }
            if response.status() == StatusCode::SERVICE_UNAVAILABLE {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("10"));
            }
            if response.status() == StatusCode::METHOD_NOT_ALLOWED
                && let Some(methods) =
                    target.and_then(|target| HeaderValue::from_str(&target.methods().join(", ")).ok())
            {
                response.headers_mut().insert(header::ALLOW, methods);
            }
            response
        }
    }
}

enum Refusal {
    Busy,
    Error(ApiError, Option<HookTarget>),
}

async fn deliver(server: &Arc<Server>, path: &str, is_test: bool, request: Request) -> Result<Response, Refusal> {
    let mut slot = server.app.hook_slot().ok_or(Refusal::Busy)?;
    let found = server.app.hook_target(path, is_test).await;
    let target = found.map_err(|error| Refusal::Error(error, None))?;
    let method = request.method().as_str().to_owned();
    let refuse = |error: ApiError| Refusal::Error(error, Some(target.clone()));
    if !target.methods().contains(&method) {
        let message = format!("This webhook takes {} only.", target.methods().join(", "));
        let hint = "Send the request with one of these methods.";
        return Err(refuse(ApiError::new(Class::WrongMethod, "METHOD_NOT_ALLOWED", message, hint)));
    }
    let most = target.max_bytes();
    let (parts, body) = request.into_parts();
    let declared = parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if declared.is_some_and(|length: usize| length > most) {
        return Err(refuse(too_large(most)));
    }
    let mut is_full = false;
    let body = read_within(body, server.limits.body, |size, more| {
        is_full = !slot.grow(more);
        if is_full || size > most { Err(too_large(most)) } else { Ok(()) }
    })
    .await;
    if is_full {
        return Err(Refusal::Busy);
    }
    let sent = HookRequest {
        method,
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: headers(&parts.headers),
        body: body.map_err(refuse)?,
    };
    let reply = server.app.hook_deliver(target.clone(), sent).await.map_err(refuse)?;
    Ok(response(reply))
}

fn too_large(most: usize) -> ApiError {
    let message = format!("The body is larger than {most} bytes.");
    ApiError::new(Class::TooLarge, "TOO_LARGE", message, "Send less.")
}

pub(super) fn headers(given: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    given.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

/// A workflow decides what is in it: a browser shows it as a page of nobody, never as one of this server.
pub(super) fn response(reply: HookReply) -> Response {
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    for (name, value) in reply.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.insert(name, value);
        }
    }
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// `/hooks/{path}` for the OpenAPI document: its requests and answers are those of each webhook.
pub(crate) fn openapi() -> Value {
    let error = json!({ "$ref": "#/components/responses/Error" });
    let mut operation = json!({
        "operationId": "post_hooks_path",
        "tags": ["hooks"],
        "summary": "Starts a run through a webhook of an active workflow. The webhook says which methods, bodies and credentials it takes.",
        "security": [],
        "parameters": [{ "name": "path", "in": "path", "required": true, "schema": { "type": "string", "pattern": "^[A-Za-z0-9._/-]+$" } }],
        "requestBody": { "required": false, "content": { "*/*": {} } },
        "responses": {
            "202": {
                "description": "The run was started, and the start is durable.",
                "content": { "application/json": { "schema": {
                    "type": "object", "required": ["runId"],
                    "properties": { "runId": { "type": "string" }, "status": { "type": "string" } },
                } } },
            },
            "default": { "description": "What the workflow answers.", "content": { "*/*": {} } },
        },
    });
    for status in ["400", "401", "403", "404", "405", "408", "413", "415", "429", "503"] {
        operation["responses"][status] = error.clone();
    }
    json!({ "post": operation })
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn only_what_is_below_the_prefix_is_a_webhook() {
        assert_eq!(path_of("/hooks/orders/new"), Some(("orders/new", false)));
        assert_eq!(path_of("/hooks-test/orders"), Some(("orders", true)));
        for other in ["/hooks", "/Hooks/orders", "/hook/orders", "/hooks-tests/orders", "//hooks/orders"] {
            assert_eq!(path_of(other), None, "{other}");
        }
    }
}
