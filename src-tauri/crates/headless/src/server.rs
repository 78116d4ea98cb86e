//! REST, events and the web UI on this machine (INTERFACES 3). One handler: name of the server, origin, token, role,
//! content type, size, then the route.

mod access;
mod activity;
pub(crate) mod address;
mod answer;
mod command_route;
mod connections;
mod forms;
mod guard;
mod handlers;
mod hooks;
mod limits;
mod openapi;
pub(crate) mod people;
mod routes;
mod scope;
mod sessions;
mod shapes;
pub(crate) mod sign_in;
mod sse;
mod task_hooks;
pub(crate) mod tls;
mod tokens;
mod types;
mod ui;

use crate::a2a_server::{AgentServer, Place as AgentPlace};
use crate::mcp_server::{AuthorServer, HttpTools, McpServer};
use access::AccessTokens;
use address::PublicUrl;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use connections::RequestGuard;
use guard::{Admitted, Names};
use limits::Limits;
use routes::Access;
use sign_in::SignIn;
use signalbox_adapters::RealClock;
use signalbox_app::dto::CallerRole;
use signalbox_app::{ApiError, App, Caller, Class, Followers};
use signalbox_ports::Clock;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tls::ServedCertificate;
use tokens::Tokens;
use tokio::time::{Instant, timeout_at};

/// Largest body: a workflow file of the largest size inside a command.
pub(crate) const BODY_LIMIT: usize = 20 * 1024 * 1024;

/// Where active workflows are tools (MCP).
const MCP: &str = "/mcp";

/// Where agents plan workflows (MCP).
const AUTHOR: &str = "/mcp/author";

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
    /// Tokens of the list.
    pub(crate) access: Arc<AccessTokens>,
    pub(crate) ui: bool,
    /// Requests come from programs of this machine only.
    pub(crate) local: bool,
    pub(crate) limits: Limits,
    pub(crate) forms: forms::Pages,
    /// Active workflows as tools, at [`MCP`].
    pub(crate) tools: HttpTools<McpServer>,
    pub(crate) author: HttpTools<AuthorServer>,
    /// Active workflows as skills of an agent.
    agent: Arc<AgentServer>,
    /// Who signs people in.
    pub(crate) sign_in: Option<Arc<SignIn>>,
}

/// How a server is to be.
pub(crate) struct Settings {
    pub(crate) addr: SocketAddr,
    pub(crate) token_file: PathBuf,
    pub(crate) ui: bool,
    pub(crate) certificate: Option<Arc<ServedCertificate>>,
    /// The address for people; that of `addr` when absent.
    pub(crate) public: Option<PublicUrl>,
}

/// A server that listens but does not answer yet.
pub(crate) struct Bound {
    /// The address with the real port.
    pub(crate) addr: SocketAddr,
    /// For the address with token.
    pub(crate) token: Option<String>,
    /// The address for people.
    pub(crate) public: PublicUrl,
    listener: tokio::net::TcpListener,
    tls: Option<connections::Tls>,
    server: Server,
}

/// Refuses an address that stands for every network of the machine.
pub(crate) fn not_everywhere(addr: SocketAddr) -> Result<(), ApiError> {
    if !addr.ip().is_unspecified() {
        return Ok(());
    }
    let message = format!("{addr} would listen on every network of this machine.");
    Err(ApiError::new(Class::BadRequest, "BAD_ADDRESS", message, "Use one address, for example 127.0.0.1:9160."))
}

/// Opens the port and the token file.
pub(crate) async fn bind(app: Arc<App>, settings: Settings) -> Result<Bound, ApiError> {
    let Settings { addr, token_file, ui, certificate, public } = settings;
    let refuse = |code: &str, message: String, hint: &str| ApiError::new(Class::BadRequest, code, message, hint);
    not_everywhere(addr)?;
    if ui && !ui::built() {
        let message = "This program was built without the web UI.".to_owned();
        return Err(refuse(
            "NO_UI",
            message,
            "Build the UI first (cd ui && npm ci && npm run build), then build signalbox again.",
        ));
    }
    let (tokens, token) = Tokens::open(&token_file)
        .map_err(|why| refuse("BAD_TOKEN_FILE", format!("{why}."), "Fix or delete the token file."))?;
    let listener = connections::listen(addr).map_err(|error| {
        refuse(
            "ADDRESS_IN_USE",
            format!("{addr} cannot be opened: {error}."),
            "Choose another port, or 0 for a free one.",
        )
    })?;
    let addr = listener.local_addr().map_err(|error| {
        ApiError::unavailable("NO_ADDRESS", format!("The port could not be determined: {error}."), "Try again.")
    })?;
    let is_tls = certificate.is_some();
    let public = public.or_else(|| PublicUrl::of(addr, is_tls)).ok_or_else(|| {
        refuse("BAD_ADDRESS", format!("{addr} is no address of a server."), "Use one like 127.0.0.1:9160.")
    })?;
    // Behind a proxy requests of others come from this machine, too.
    let local = addr.ip().is_loopback() && public.is_here();
    let tls = match certificate {
        None => None,
        Some(certificate) => {
            let acceptor = tls::acceptor(certificate).map_err(|why| refuse("BAD_TLS", format!("{why}."), ""))?;
            Some(connections::Tls { acceptor, base: public.base() })
        }
    };
    let limits = Limits::of_this_process();
    let followers = sse::followers(&app);
    let tools = HttpTools::new(McpServer::new(Arc::clone(&app), None), BODY_LIMIT);
    let author = HttpTools::new(AuthorServer::new(Arc::clone(&app), None), BODY_LIMIT);
    let agent = Arc::new(AgentServer::new(Arc::clone(&app)));
    let server = Server {
        followers,
        app,
        names: Names::of(addr, is_tls, &public),
        tokens,
        access: Arc::default(),
        ui,
        local,
        limits,
        forms: forms::Pages::default(),
        tools,
        author,
        agent,
        sign_in: None,
    };
    Ok(Bound { addr, token, public, listener, tls, server })
}

impl Bound {
    /// Answers until `stop` is done; then streams of events get a moment to end.
    pub(crate) async fn serve(self, stop: impl Future<Output = ()>) {
        let (limits, server) = (self.server.limits.clone(), Arc::new(self.server));
        let hears = Arc::downgrade(&server);
        let threads = tokio::runtime::Handle::current();
        server.app.on_access_change(move || {
            if let Some(server) = hears.upgrade() {
                look_at_access(&server, &threads);
            }
        });
        let watch = tokio::spawn(watch_access(Arc::clone(&server))).abort_handle();
        let handle = move |request| handle(Arc::clone(&server), request);
        connections::serve(self.listener, limits, self.tls, handle, stop, GRACE).await;
        watch.abort();
    }

    /// People sign in by a provider from here on.
    pub(crate) fn set_sign_in(&mut self, sign_in: SignIn) {
        self.server.sign_in = Some(Arc::new(sign_in));
    }

    /// Names and roles of the tokens.
    pub(crate) fn holders(&self) -> impl Iterator<Item = &tokens::Holder> {
        self.server.tokens.holders()
    }
}

/// Ends what was ended in the store. Waits for the store.
fn look_at_access(server: &Server, threads: &tokio::runtime::Handle) {
    // A store that cannot be read lets nobody in who was not in; it is looked at again.
    drop(server.access.refresh(&server.app, RealClock.now_ms()));
    if let Some(sign_in) = &server.sign_in {
        drop(sign_in.refresh(&server.app, threads));
    }
}

/// Looks after tokens and sessions, again and again.
async fn watch_access(server: Arc<Server>) {
    loop {
        tokio::time::sleep(sessions::LOOK).await;
        let (looked, threads) = (Arc::clone(&server), tokio::runtime::Handle::current());
        let look = move || look_at_access(&looked, &threads);
        drop(tokio::task::spawn_blocking(look).await);
        if let Some(sign_in) = &server.sign_in {
            sign_in.look(&server.app, Instant::now()).await;
        }
    }
}

async fn handle(server: Arc<Server>, request: Request) -> Response {
    let route = routes::find(request.method(), request.uri().path()).map(|(route, _)| route);
    let path = request.uri().path().to_owned();
    let mut response = match answer_to(&server, request).await {
        Ok(response) => response,
        // Not every error comes from the app: a body that does not fit is refused before.
        Err(error) => answer::error(&server.app.without_secrets(error)),
    };
    // Every test that asks the server checks what the document says about it.
    debug_assert!(
        route.is_none_or(|route| route.may_answer(response.status())),
        "{route:?} does not say that it answers {}",
        response.status()
    );
    if response.status() == StatusCode::METHOD_NOT_ALLOWED
        && !response.headers().contains_key(header::ALLOW)
        && let Ok(methods) = HeaderValue::from_str(&routes::methods(&path).join(", "))
    {
        response.headers_mut().insert(header::ALLOW, methods);
    }
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// What a person sees who comes back from a sign-in.
async fn signed_in(app: &Arc<App>, query: &str) -> Response {
    let (status, words) = match app.sign_in_arrived(query).await {
        Some(true) => (StatusCode::OK, "You are signed in. You can close this page and go back to Signalbox."),
        Some(false) => (StatusCode::OK, "The sign-in failed. Signalbox shows why; you can close this page."),
        None => (StatusCode::BAD_REQUEST, "This belongs to no sign-in that waits here."),
    };
    let mut response = Response::new(Body::from(words));
    *response.status_mut() = status;
    for (name, value) in [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn answer_to(server: &Arc<Server>, request: Request) -> Result<Response, ApiError> {
    server.names.check(request.uri(), request.headers())?;
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    if let Some((hook, is_test)) = hooks::path_of(&path) {
        return Ok(hooks::handle(server, hook, is_test, request).await);
    }
    if let Some(place) = task_hooks::place_of(&path) {
        return Ok(task_hooks::handle(server, place, request).await);
    }
    let found = routes::find(&method, &path);
    let under_way = request.extensions().get::<Arc<RequestGuard>>().cloned();
    // Forms are for everybody who reaches this server: they need no token, and get nowhere else.
    if let Some(place) = forms::Place::of(&path) {
        return forms::answer(server, place, request, under_way).await;
    }
    if let Some((route, _)) = &found
        && route.access == Access::Open
    {
        return Ok(handlers::health());
    }
    // A browser that comes back from a sign-in has no token; the state in its address is what lets it in.
    if method == Method::GET && path == signalbox_app::SIGN_IN_CALLBACK {
        return Ok(signed_in(&server.app, request.uri().query().unwrap_or_default()).await);
    }
    if let Some(place) = sign_in::Place::of(&path) {
        return sign_in::handle(server, place, request).await;
    }
    let agent = AgentPlace::of(&path);
    // A card is for everybody who reaches this server: it says how the agent is asked, and that a token is needed.
    if method == Method::GET
        && let Some(AgentPlace::Card(skill)) = &agent
    {
        let base = server.names.base_of(request.uri(), request.headers()).unwrap_or_default();
        return server.agent.card(skill.as_deref(), &base).await;
    }
    if server.ui
        && found.is_none()
        && method == Method::GET
        && let Some(file) = ui::file(&path, request.headers())
    {
        return Ok(file);
    }
    let Admitted { holder, token, session, ended } = guard::admit(server, request.headers()).await?;
    if let Some(under_way) = under_way {
        // A program has its own part of the connections.
        let name = token.as_ref().map_or_else(|| holder.name.clone(), |token| format!("{}, {token}", holder.name));
        under_way.belongs_to(&name)?;
    }
    let caller = Caller::http(holder.role, server.local, &holder.name).with_token(token).in_session(session);
    let caller = caller.with_workspaces(holder.workspaces);
    let response = answer_to_caller(server, caller, request).await?;
    Ok(match ended {
        Some(ended) => sessions::until_end(response, ended),
        None => response,
    })
}

/// A request of somebody who is known.
async fn answer_to_caller(server: &Arc<Server>, caller: Caller, request: Request) -> Result<Response, ApiError> {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let (found, agent) = (routes::find(&method, &path), AgentPlace::of(&path));
    if path == MCP || path == AUTHOR {
        caller.require_everywhere("What programs find as tools")?;
        if path == AUTHOR {
            caller.require(CallerRole::Builder)?;
        }
        crate::mcp_server::known(&method, &path)?;
        guard::json_only(&method, request.headers())?;
        let (parts, body) = request.into_parts();
        let body = read(body, server.limits.body).await?;
        return match path.as_str() {
            AUTHOR => server.author.answer(caller, parts, body).await,
            _ => server.tools.answer(caller, parts, body).await,
        };
    }
    if let Some(AgentPlace::Messages(skill)) = &agent {
        caller.require_everywhere("The agent of this server")?;
        if method != Method::POST {
            let message = format!("There is no route {method} {path}.");
            return Err(ApiError::new(Class::WrongMethod, "METHOD_NOT_ALLOWED", message, "A2A messages use POST."));
        }
        guard::json_only(&method, request.headers())?;
        let (parts, body) = request.into_parts();
        let body = read(body, server.limits.body).await?;
        return server.agent.answer(caller, skill.as_deref(), &parts, &body).await;
    }
    let Some((route, id)) = found else { return Err(unknown(&method, &path)) };
    let least = match route.access {
        Access::Role(least) => least,
        Access::Open | Access::Command => CallerRole::Viewer,
    };
    caller.require_somewhere(least)?;
    guard::json_only(&method, request.headers())?;
    let (parts, body) = request.into_parts();
    let body = read(body, server.limits.body).await?;
    handlers::run(server, (route.action, least), &caller, id.unwrap_or_default(), &parts, &body).await
}

/// The whole body.
async fn read(body: Body, limit: Duration) -> Result<Vec<u8>, ApiError> {
    read_most(body, limit, BODY_LIMIT).await
}

/// The whole body, at most so many bytes. Each stretch of time has to bring some of it, or its end.
async fn read_most(body: Body, limit: Duration, most: usize) -> Result<Vec<u8>, ApiError> {
    read_within(body, limit, |size, _| {
        if size > most {
            let hint = "Send less; keep data out of workflow files.";
            let message = format!("The request is larger than {most} bytes.");
            return Err(ApiError::new(Class::TooLarge, "TOO_LARGE", message, hint));
        }
        Ok(())
    })
    .await
}

/// The whole body, as long as `takes` its size and what came last. Each stretch of time has to bring some of it, or its end.
async fn read_within(
    body: Body,
    limit: Duration,
    mut takes: impl FnMut(usize, usize) -> Result<(), ApiError>,
) -> Result<Vec<u8>, ApiError> {
    let mut body = body;
    let mut bytes = Vec::new();
    let (mut until, mut came) = (Instant::now() + limit, 0);
    loop {
        let next = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let frame = match timeout_at(until, next).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => return Ok(bytes),
            Ok(Some(Err(_))) => {
                return Err(ApiError::bad_request("The request was interrupted.", "Send it again."));
            }
            Err(_) => {
                let least = Limits::BODY_LEAST;
                let message = format!("Less than {least} bytes of the body arrived in {} s.", limit.as_secs());
                return Err(ApiError::new(Class::TooSlow, "TOO_SLOW", message, "Send the whole body at once."));
            }
        };
        let Ok(data) = frame.into_data() else { continue };
        takes(bytes.len() + data.len(), data.len())?;
        bytes.extend_from_slice(&data);
        came += data.len();
        if came >= Limits::BODY_LEAST {
            (until, came) = (Instant::now() + limit, 0);
        }
    }
}

fn unknown(method: &Method, path: &str) -> ApiError {
    let methods = routes::methods(path);
    let shown: String = path.chars().take(SHOWN).collect();
    let hint = "All routes are listed at /openapi.json, and in the app under Help, REST and events.";
    if methods.is_empty() {
        return ApiError::new(Class::NotFound, "NOT_FOUND", format!("There is no route {shown}."), hint);
    }
    let method: String = method.as_str().chars().take(SHOWN).collect();
    let message = format!("There is no route {method} {shown}; it supports only {}.", methods.join(", "));
    ApiError::new(Class::WrongMethod, "METHOD_NOT_ALLOWED", message, hint)
}
