//! REST, events and the web UI on this machine (INTERFACES 3). One handler: name of the server, origin, token, role,
//! content type, size, then the route.

mod answer;
mod guard;
mod handlers;
mod openapi;
mod routes;
mod sse;
mod tokens;
mod types;
mod ui;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::response::Response;
use guard::Names;
use routes::Access;
use signalbox_app::{ApiError, App, Caller, Class, Followers};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokens::Tokens;

/// Largest body: a workflow file of the largest size inside a command.
pub(crate) const BODY_LIMIT: usize = 20 * 1024 * 1024;

/// Characters of an unknown path that are told.
const SHOWN: usize = 200;

/// How long open answers may go on after Ctrl-C.
const GRACE: Duration = Duration::from_millis(500);

/// What the handler needs.
pub(crate) struct Server {
    pub(crate) app: Arc<App>,
    pub(crate) followers: Followers,
    pub(crate) names: Names,
    pub(crate) tokens: Tokens,
    pub(crate) ui: bool,
    /// Requests come from programs of this machine only.
    pub(crate) local: bool,
}

/// A server that listens but does not answer yet.
pub(crate) struct Bound {
    /// The address with the real port.
    pub(crate) addr: SocketAddr,
    /// For the address with token.
    pub(crate) token: Option<String>,
    listener: tokio::net::TcpListener,
    server: Arc<Server>,
}

/// Opens the port and the token file.
pub(crate) async fn bind(app: Arc<App>, addr: SocketAddr, token_file: &Path, ui: bool) -> Result<Bound, ApiError> {
    let refuse = |code: &str, message: String, hint: &str| ApiError::new(Class::BadRequest, code, message, hint);
    if addr.ip().is_unspecified() {
        let message = format!("{addr} listens on every network of this machine, under names that cannot be known.");
        return Err(refuse("BAD_ADDRESS", message, "Name one address, for example 127.0.0.1:9160."));
    }
    if ui && !ui::built() {
        let message = "This program was built without the web UI.".to_owned();
        return Err(refuse(
            "NO_UI",
            message,
            "Build the UI first (cd ui && npm ci && npm run build), then build signalbox again.",
        ));
    }
    let (tokens, token) = Tokens::open(token_file)
        .map_err(|why| refuse("BAD_TOKEN_FILE", format!("{why}."), "Fix or delete the token file."))?;
    let listener = tokio::net::TcpListener::bind(addr).await.map_err(|error| {
        refuse(
            "ADDRESS_IN_USE",
            format!("{addr} cannot be opened: {error}."),
            "Choose another port, or 0 for a free one.",
        )
    })?;
    let addr = listener.local_addr().map_err(|error| {
        ApiError::unavailable("NO_ADDRESS", format!("The port is not known: {error}."), "Try again.")
    })?;
    let local = addr.ip().is_loopback();
    let server = Arc::new(Server { followers: sse::followers(&app), app, names: Names::of(addr), tokens, ui, local });
    Ok(Bound { addr, token, listener, server })
}

impl Bound {
    /// Answers until `stop` is done; then streams of events get a moment to end.
    pub(crate) async fn serve(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), ApiError> {
        let router = Router::new().fallback(handle).with_state(self.server);
        let (stopping, stopped) = tokio::sync::oneshot::channel::<()>();
        let stop = async move {
            stop.await;
            drop(stopping);
        };
        let serving = axum::serve(self.listener, router).with_graceful_shutdown(stop);
        tokio::select! {
            ended = serving => ended.map_err(|error| {
                ApiError::unavailable("SERVER_ENDED", format!("The server ended: {error}."), "Start it again.")
            }),
            () = async { drop(stopped.await); tokio::time::sleep(GRACE).await } => Ok(()),
        }
    }
}

async fn handle(State(server): State<Arc<Server>>, request: Request) -> Response {
    let route = routes::find(request.method(), request.uri().path()).map(|(route, _)| route);
    let mut response = match answer_to(&server, request).await {
        Ok(response) => response,
        Err(error) => answer::error(&error),
    };
    // Every test that asks the server checks what the document says about it.
    debug_assert!(
        route.is_none_or(|route| route.may_answer(response.status())),
        "{route:?} does not say that it answers {}",
        response.status()
    );
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

async fn answer_to(server: &Arc<Server>, request: Request) -> Result<Response, ApiError> {
    server.names.check(request.headers())?;
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let found = routes::find(&method, &path);
    if let Some((route, _)) = &found
        && route.access == Access::Open
    {
        return Ok(handlers::health());
    }
    if server.ui
        && found.is_none()
        && method == Method::GET
        && let Some(file) = ui::file(&path)
    {
        return Ok(file);
    }
    let holder = guard::holder(&server.tokens, request.headers())?;
    let Some((route, id)) = found else { return Err(unknown(&method, &path)) };
    let caller = Caller::http(holder.role, server.local, &holder.name);
    if let Access::Role(least) = route.access {
        caller.require(least)?;
    }
    guard::json_only(&method, request.headers())?;
    let (parts, body) = request.into_parts();
    let body = read(body).await?;
    handlers::run(server, route.action, &caller, id.unwrap_or_default(), &parts, &body).await
}

async fn read(body: Body) -> Result<axum::body::Bytes, ApiError> {
    axum::body::to_bytes(body, BODY_LIMIT).await.map_err(|_| {
        ApiError::new(
            Class::TooLarge,
            "TOO_LARGE",
            "The request is larger than 20 MiB, or it broke off.",
            "Send less; keep data out of workflow files.",
        )
    })
}

fn unknown(method: &Method, path: &str) -> ApiError {
    let methods = routes::methods(path);
    let shown: String = path.chars().take(SHOWN).collect();
    let message = if methods.is_empty() {
        format!("There is no route {shown}.")
    } else {
        format!("There is no route {method} {shown}; it answers to {} only.", methods.join(", "))
    };
    ApiError::new(Class::NotFound, "NOT_FOUND", message, "All routes are listed at /openapi.json and in docs/rest.md.")
}
