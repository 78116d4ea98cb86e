//! The page for tasks: a list, one task, its answer. Reachable from this machine only, with a token that changes at each start.

use crate::failure::Failure;
use crate::host::Host;
use crate::page;
use crate::task_api::{self, Answers, refused};
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use std::net::SocketAddr;

const PAGE: &str = include_str!("inbox/inbox.html");
const SCRIPT: &str = include_str!("inbox/inbox.js");

/// The page, and the tasks that it shows.
pub(crate) fn routes(host: &Host, token: &str) -> Router {
    Router::new()
        .route("/", page::asset(page::HTML, PAGE))
        .route("/inbox.js", page::script(SCRIPT))
        .route("/fields.js", page::fields())
        .route("/page.css", page::style())
        .merge(task_api::routes(host, token, Answers::Here))
        .layer(middleware::from_fn(from_this_machine))
}

/// People of other machines come through a server with a sign-in, which runs on this one.
async fn from_this_machine(request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    if !peer.is_some_and(|ip| ip.to_canonical().is_loopback()) {
        let hint = "Put a server with TLS and sign-in before it for others.";
        let failure = Failure::invalid("FORBIDDEN", "The page for tasks is for this machine only.", hint);
        return refused(StatusCode::FORBIDDEN, &failure);
    }
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, header::HeaderValue::from_static(page::POLICY));
    response
}
