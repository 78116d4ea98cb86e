//! The server at `/mcp` of `serve`: the guards of the other routes have passed a request before it comes here.

use super::exact_arguments;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{Method, header::CONTENT_LENGTH, request::Parts};
use axum::response::Response;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use signalbox_app::{ApiError, Caller, Class};
use std::sync::Arc;

/// Clients that are connected at the same time.
const SESSIONS: usize = 100;

/// The header that names the session of a request.
const SESSION: &str = "mcp-session-id";

/// A server of MCP over HTTP, for all clients.
pub(crate) struct HttpTools<S> {
    service: StreamableHttpService<S, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
}

impl<S: ServerHandler + Clone> HttpTools<S> {
    /// `largest`: bytes of a request.
    pub(crate) fn new(server: S, largest: usize) -> Self {
        let sessions = Arc::new(LocalSessionManager::default());
        // Host and Origin are checked for every route of this server, before the token.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(largest);
        let make = move || Ok(server.clone());
        Self { service: StreamableHttpService::new(make, Arc::clone(&sessions), config), sessions }
    }

    /// Answers one request of a caller.
    pub(crate) async fn answer(&self, caller: Caller, parts: Parts, body: Vec<u8>) -> Result<Response, ApiError> {
        let opens = parts.method == Method::POST && !parts.headers.contains_key(SESSION);
        if opens && self.sessions.sessions.read().await.len() >= SESSIONS {
            let message = format!("{SESSIONS} clients are connected.");
            return Err(ApiError::unavailable("TOO_MANY_CLIENTS", message, "Close one of them, or wait five minutes."));
        }
        let mut parts = parts;
        parts.extensions.insert(caller);
        let marked = std::str::from_utf8(&body).ok().and_then(exact_arguments::marked).map(String::into_bytes);
        parts.headers.remove(CONTENT_LENGTH);
        let request = Request::from_parts(parts, Body::from(Bytes::from(marked.unwrap_or(body))));
        Ok(self.service.handle(request).await.map(Body::new))
    }
}

/// Methods of the transport.
pub(crate) fn known(method: &Method, path: &str) -> Result<(), ApiError> {
    if [Method::GET, Method::POST, Method::DELETE].contains(method) {
        return Ok(());
    }
    let message = format!("There is no route {method} {path}.");
    Err(ApiError::new(Class::WrongMethod, "METHOD_NOT_ALLOWED", message, "MCP uses GET, POST and DELETE."))
}
