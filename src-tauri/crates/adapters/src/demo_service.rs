//! The demo service: a small web service of this process for samples and tests. It listens on a free port of
//! 127.0.0.1, answers only below a random first path segment and only to its own Host, and ends when it is dropped.

use crate::clock::random;
use crate::samples;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A running demo service.
pub struct DemoService {
    base: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

struct Shared {
    hosts: [String; 2],
    hits: AtomicU64,
    failures: Mutex<HashMap<(u32, String), u32>>,
    orders: Mutex<Orders>,
}

#[derive(Default)]
struct Orders {
    made: Vec<Value>,
    by_key: HashMap<String, usize>,
}

/// Ports that systems do not give to connections that go out (RFC 6335, and the range of Linux from 32768): a run that waits
/// finds its service at the same port again, however many connections come and go meanwhile.
const PORTS: std::ops::Range<u16> = 20_000..32_000;
/// Ports that are tried before the system chooses one.
const TRIES: usize = 20;

/// Most orders and failure counters kept; a loop in a workflow must not fill the memory.
const MOST_KEPT: usize = 10_000;

impl DemoService {
    /// Starts on a free port.
    pub async fn start() -> std::io::Result<Self> {
        let segment = format!("{:016x}", random());
        for _ in 0..TRIES {
            let offset = u16::try_from(random() % u64::from(PORTS.end - PORTS.start)).unwrap_or_default();
            if let Ok(started) = Self::listen(PORTS.start + offset, &segment).await {
                return Ok(started);
            }
        }
        Self::listen(0, &segment).await
    }

    /// Starts again at an address that an earlier one had, so that a run that recorded it can go on.
    pub async fn start_at(base: &str) -> std::io::Result<Self> {
        let bad = || std::io::Error::new(std::io::ErrorKind::InvalidInput, "not an address of the demo service");
        let rest = base.strip_prefix("http://127.0.0.1:").ok_or_else(bad)?;
        let (port, segment) = rest.trim_end_matches('/').split_once('/').ok_or_else(bad)?;
        if segment.len() != 16 || !segment.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(bad());
        }
        Self::listen(port.parse().map_err(|_| bad())?, segment).await
    }

    async fn listen(port: u16, segment: &str) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
            hits: AtomicU64::new(0),
            failures: Mutex::default(),
            orders: Mutex::default(),
        });
        let app = Router::new()
            .nest(&format!("/{segment}"), routes())
            .layer(from_fn_with_state(Arc::clone(&shared), guard))
            .with_state(Arc::clone(&shared));
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                // Nobody waits for this task; a request will find the port closed.
                eprintln!("the demo service stopped: {error}");
            }
        });
        Ok(Self { base: format!("http://127.0.0.1:{port}/{segment}"), shared, server })
    }

    /// Address without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.base
    }

    /// Requests that passed the Host check.
    pub fn hits(&self) -> u64 {
        self.shared.hits.load(Ordering::Relaxed)
    }
}

impl Drop for DemoService {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Starts the service when somebody needs it; each ends with its last holder. Runs that are taken up again may need
/// several at a time, each at the address that it had.
#[derive(Default)]
pub struct DemoServiceOnDemand(tokio::sync::Mutex<Vec<Weak<DemoService>>>);

impl DemoServiceOnDemand {
    /// A running service, or a new one.
    pub async fn lease(&self) -> std::io::Result<Arc<DemoService>> {
        self.find_or(|_| true, DemoService::start()).await
    }

    /// The service at the address that a run has recorded: the running one if there is, else one started there.
    pub async fn lease_at(&self, base: &str) -> std::io::Result<Arc<DemoService>> {
        self.find_or(|demo_service| demo_service.base_url() == base, DemoService::start_at(base)).await
    }

    async fn find_or(
        &self,
        fits: impl Fn(&DemoService) -> bool,
        start: impl Future<Output = std::io::Result<DemoService>>,
    ) -> std::io::Result<Arc<DemoService>> {
        let mut running = self.0.lock().await;
        if let Some(demo_service) = running.iter().filter_map(Weak::upgrade).find(|demo_service| fits(demo_service)) {
            return Ok(demo_service);
        }
        let demo_service = Arc::new(start.await?);
        running.retain(|other| other.strong_count() > 0);
        running.push(Arc::downgrade(&demo_service));
        Ok(demo_service)
    }
}

/// Another name for this port is a web page that tries to reach it.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !shared.hosts.iter().any(|known| known == host) || request.headers().contains_key(header::ORIGIN) {
        return say(StatusCode::FORBIDDEN, &json!({ "error": "this service answers its own program only" }));
    }
    shared.hits.fetch_add(1, Ordering::Relaxed);
    next.run(request).await
}

fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/users", get(users))
        .route("/users/{id}", get(user))
        .route("/orders", get(orders).post(order_new))
        .route("/orders/{id}", get(order))
        .route("/fail/{n}", any(fail))
        .route("/slow", any(slow))
        .route("/html", any(html))
        .route("/echo", any(echo))
        .route("/status/{code}", any(status))
        .fallback(nothing)
}

fn say(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

async fn nothing(uri: Uri) -> Response {
    let tail = uri.path().splitn(3, '/').nth(2).unwrap_or_default().to_owned();
    let known = "/users, /users/{id}, /orders, /orders/{id}, /fail/{n}, /slow, /html, /echo, /status/{code}";
    say(StatusCode::NOT_FOUND, &json!({ "error": format!("there is no /{tail}"), "known": known }))
}

/// (login, name, bio, age, role, company)
const USERS: &[(&str, &str, &str, u32, &str, &str)] = &[
    ("ada", "Ada Lovelace", "First programmer", 36, "admin", "Analytical Engines"),
    ("grace", "Grace Hopper", "Wrote the first compiler", 85, "editor", "Harbour Systems"),
    ("alan", "Alan Turing", "Asked whether machines can think", 41, "viewer", "Bombe Works"),
    ("katherine", "Katherine Johnson", "Computed the way to the moon", 101, "editor", "Orbit Lab"),
    ("konrad", "Konrad Zuse", "Built the Z3", 85, "viewer", "Zuse"),
    ("hedy", "Hedy Lamarr", "Let radio hop frequencies", 85, "viewer", "Spread Spectrum"),
    ("tim", "Tim Young", "Intern, not of age yet", 16, "viewer", "Harbour Systems"),
];

fn user_at(index: usize) -> Option<Value> {
    let (login, name, bio, age, role, company) = USERS.get(index)?;
    Some(json!({
        "login": login, "id": index + 1, "bio": bio, "name": name, "email": format!("{login}@example.org"),
        "age": age, "role": role, "company": company
    }))
}

async fn users(Query(query): Query<HashMap<String, String>>) -> Response {
    let all = (0..USERS.len()).filter_map(user_at);
    let list: Vec<Value> =
        all.filter(|user| query.iter().all(|(name, value)| user.get(name).is_none_or(|v| text(v) == *value))).collect();
    say(StatusCode::OK, &Value::Array(list))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

async fn user(Path(id): Path<String>) -> Response {
    let index = id.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let index = index.or_else(|| USERS.iter().position(|user| user.0 == id));
    match index.and_then(user_at) {
        Some(user) => say(StatusCode::OK, &user),
        None => say(StatusCode::NOT_FOUND, &json!({ "error": format!("there is no user '{id}'") })),
    }
}

fn known_orders() -> Vec<Value> {
    let file = samples::FILES.iter().find(|(name, _)| *name == "orders.json").map(|(_, bytes)| *bytes);
    file.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default()
}

async fn orders(State(shared): State<Arc<Shared>>, Query(query): Query<HashMap<String, String>>) -> Response {
    let mut list = known_orders();
    list.extend(shared.orders.lock().unwrap_or_else(PoisonError::into_inner).made.iter().cloned());
    list.retain(|order| query.iter().all(|(name, value)| order.get(name).is_none_or(|v| text(v) == *value)));
    say(StatusCode::OK, &Value::Array(list))
}

async fn order(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Response {
    let mut list = known_orders();
    list.extend(shared.orders.lock().unwrap_or_else(PoisonError::into_inner).made.iter().cloned());
    match list.into_iter().find(|order| order.get("id").is_some_and(|known| text(known) == id)) {
        Some(order) => say(StatusCode::OK, &order),
        None => say(StatusCode::NOT_FOUND, &json!({ "error": format!("there is no order '{id}'") })),
    }
}

/// An order needs a customer and a total; the same Idempotency-Key gives the same order again.
async fn order_new(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let Ok(Value::Object(given)) = serde_json::from_slice::<Value>(&body) else {
        return say(StatusCode::BAD_REQUEST, &json!({ "error": "the body must be a JSON object" }));
    };
    let wrong = violations(&given);
    if !wrong.is_empty() {
        return say(
            StatusCode::UNPROCESSABLE_ENTITY,
            &json!({ "error": "the order is not complete", "violations": wrong }),
        );
    }
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok()).map(str::to_owned);
    let mut orders = shared.orders.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = key.as_ref().and_then(|key| orders.by_key.get(key)).and_then(|at| orders.made.get(*at)) {
        return say(StatusCode::OK, known);
    }
    if orders.made.len() >= MOST_KEPT {
        return say(StatusCode::INSUFFICIENT_STORAGE, &json!({ "error": "the demo service is full" }));
    }
    let mut order =
        Map::from_iter([("id".to_owned(), json!(2_001 + orders.made.len())), ("status".to_owned(), json!("open"))]);
    for (name, value) in given {
        order.entry(name).or_insert(value);
    }
    let order = Value::Object(order);
    orders.made.push(order.clone());
    let at = orders.made.len() - 1;
    if let Some(key) = key {
        orders.by_key.insert(key, at);
    }
    drop(orders);
    say(StatusCode::CREATED, &order)
}

fn violations(order: &Map<String, Value>) -> Vec<Value> {
    let mut wrong = Vec::new();
    if !order.get("customerId").is_some_and(|id| id.is_u64() || id.as_str().is_some_and(|id| !id.is_empty())) {
        wrong.push(json!({ "path": "/customerId", "message": "a customer is needed" }));
    }
    if !order.get("total").and_then(Value::as_f64).is_some_and(|total| total > 0.0) {
        wrong.push(json!({ "path": "/total", "message": "the total must be a number above 0" }));
    }
    wrong
}

/// 503 for the first `n` requests of a key, then 200.
async fn fail(
    State(shared): State<Arc<Shared>>,
    Path(n): Path<u32>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let key = query.get("key").cloned().unwrap_or_default();
    let mut failures = shared.failures.lock().unwrap_or_else(PoisonError::into_inner);
    if failures.len() >= MOST_KEPT {
        failures.clear();
    }
    let count = failures.entry((n, key)).or_default();
    if *count < n {
        *count += 1;
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    say(StatusCode::OK, &json!({ "name": "Ada", "age": 36, "failedBefore": n }))
}

/// Answers after `?ms=` milliseconds, at most a minute.
async fn slow(Query(query): Query<HashMap<String, String>>) -> Response {
    let ms = query.get("ms").and_then(|ms| ms.parse::<u64>().ok()).unwrap_or(1_000).min(60_000);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    say(StatusCode::OK, &json!({ "waitedMs": ms }))
}

async fn html() -> Response {
    let page = "<!doctype html><html><head><title>Hello</title></head><body><h1>Hello</h1><p>This is not JSON.</p></body></html>\n";
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

async fn echo(method: Method, uri: Uri, Query(query): Query<Vec<(String, String)>>, request: Request) -> Response {
    let mut headers = Map::new();
    for name in request.headers().keys() {
        let values: Vec<_> = request.headers().get_all(name).iter().filter_map(|value| value.to_str().ok()).collect();
        headers.insert(name.as_str().to_owned(), json!(values.join(", ")));
    }
    let mut fields = Map::new();
    for (name, value) in query {
        match fields.get_mut(&name) {
            None => {
                fields.insert(name, json!(value));
            }
            Some(Value::Array(list)) => list.push(json!(value)),
            Some(one) => *one = json!([one.clone(), value]),
        }
    }
    let Ok(body) = axum::body::to_bytes(request.into_body(), 8 * 1024 * 1024).await else {
        return say(StatusCode::PAYLOAD_TOO_LARGE, &json!({ "error": "the body has more than 8 MiB" }));
    };
    let body = if body.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(&body).unwrap_or_else(|_| json!(String::from_utf8_lossy(&body)))
    };
    let query = uri.query().unwrap_or_default();
    say(
        StatusCode::OK,
        &json!({ "method": method.as_str(), "query": fields, "rawQuery": query, "headers": headers, "body": body }),
    )
}

async fn status(Path(code): Path<u16>, Query(query): Query<HashMap<String, String>>) -> Response {
    let Ok(status) = StatusCode::from_u16(code) else {
        return say(StatusCode::BAD_REQUEST, &json!({ "error": format!("{code} is not a status") }));
    };
    let mut response = if code < 200 || matches!(code, 204 | 205 | 304) {
        // These have no body; a status below 200 would leave the client waiting.
        let status = if code < 200 { StatusCode::BAD_REQUEST } else { status };
        (status, Body::empty()).into_response()
    } else {
        say(status, &json!({ "status": code }))
    };
    if let Some(wait) = query.get("retryAfter").and_then(|wait| wait.parse().ok()) {
        response.headers_mut().insert(header::RETRY_AFTER, wait);
    }
    response
}
