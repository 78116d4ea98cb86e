//! An authorization server on loopback, and a service that takes its tokens: codes hold once and for one verifier, refresh
//! tokens are rotated, and one that is sent twice ends the sign-in, as large services do it.

use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

pub(crate) const CLIENT: &str = "client-1";
pub(crate) const SECRET: &str = "client-secret-5f81";

type Fields = BTreeMap<String, String>;

/// What it knows.
#[derive(Default)]
pub(crate) struct Known {
    /// Seconds that the next tokens last; 3600 when it is empty.
    pub(crate) lasts: Vec<i64>,
    /// `iss` in what the browser brings back.
    pub(crate) iss: Option<String>,
    /// What the token endpoint was asked, in order.
    pub(crate) asked: Vec<Fields>,
    /// What the token endpoint answers to questions for a device code, in order; then it gives tokens.
    pub(crate) device: Vec<&'static str>,
    /// Answers instead of the tokens.
    pub(crate) instead: Option<(u16, Value)>,
    codes: HashMap<String, Fields>,
    /// Token → sign-in.
    refresh: HashMap<String, usize>,
    used: HashSet<String>,
    access: HashMap<String, usize>,
    ended: HashSet<usize>,
    made: usize,
}

impl Known {
    /// Requests to the token endpoint with this grant.
    pub(crate) fn grants(&self, grant: &str) -> usize {
        self.asked.iter().filter(|fields| fields["grant_type"] == grant).count()
    }
    /// Ends every sign-in, as a person does in their account.
    pub(crate) fn revoke_all(&mut self) {
        self.ended.extend(0..self.made);
    }
    /// Access tokens are over before their time; what renews them holds.
    pub(crate) fn forget_access(&mut self) {
        self.access.clear();
    }

    fn tokens(&mut self, sign_in: usize, renews: bool) -> Value {
        self.made += 1;
        let (access, refresh) = (format!("access-{:08}", self.made), format!("refresh-{:08}", self.made));
        self.access.insert(access.clone(), sign_in);
        let lasts = if self.lasts.is_empty() { 3600 } else { self.lasts.remove(0) };
        let mut told =
            json!({ "access_token": access, "token_type": "Bearer", "expires_in": lasts, "scope": "read write" });
        if renews {
            self.refresh.insert(refresh.clone(), sign_in);
            told["refresh_token"] = json!(refresh);
        }
        told
    }
}

/// The server.
#[derive(Clone)]
pub(crate) struct AuthorizationServer {
    pub(crate) base: String,
    known: Arc<Mutex<Known>>,
}

impl AuthorizationServer {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let server = Self { base, known: Arc::default() };
        let routes = Router::new()
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/device", post(device))
            .route("/revoke", post(revoke))
            .route("/api", get(api))
            .with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        server
    }
    pub(crate) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("not poisoned")
    }
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

async fn authorize(State(server): State<AuthorizationServer>, Query(asked): Query<Fields>) -> Response {
    let good =
        asked["client_id"] == CLIENT && asked["response_type"] == "code" && asked["code_challenge_method"] == "S256";
    if !good {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let mut known = server.known();
    known.made += 1;
    let code = format!("code-{:08}", known.made);
    let mut back = url::Url::parse(&asked["redirect_uri"]).expect("an address");
    back.query_pairs_mut().append_pair("code", &code).append_pair("state", &asked["state"]);
    if let Some(iss) = &known.iss {
        back.query_pairs_mut().append_pair("iss", iss);
    }
    known.codes.insert(code, asked);
    (StatusCode::FOUND, [(header::LOCATION, back.to_string())]).into_response()
}

/// The client proves who it is, in the header or in the form.
fn is_client(headers: &HeaderMap, fields: &Fields) -> bool {
    let wanted = format!("Basic {}", STANDARD.encode(format!("{CLIENT}:{SECRET}")));
    let in_header = headers.get(header::AUTHORIZATION).is_some_and(|sent| sent.as_bytes() == wanted.as_bytes());
    let field = |name: &str| fields.get(name).map(String::as_str);
    in_header || (field("client_id") == Some(CLIENT) && field("client_secret") == Some(SECRET))
}

fn no(error: &str) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response()
}

async fn token(State(server): State<AuthorizationServer>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    let mut known = server.known();
    known.asked.push(fields.clone());
    // A signed assertion says itself who the client is.
    let is_signed = fields["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer";
    if !is_signed && !is_client(&headers, &fields) {
        return (StatusCode::UNAUTHORIZED, Json(json!({ "error": "invalid_client" }))).into_response();
    }
    if let Some((status, body)) = &known.instead {
        return (StatusCode::from_u16(*status).expect("a status"), Json(body.clone())).into_response();
    }
    match fields["grant_type"].as_str() {
        "authorization_code" => {
            let Some(asked) = known.codes.remove(&fields["code"]) else { return no("invalid_grant") };
            let hash = ring::digest::digest(&ring::digest::SHA256, fields["code_verifier"].as_bytes());
            let proved = URL_SAFE_NO_PAD.encode(hash) == asked["code_challenge"];
            if !proved || fields["redirect_uri"] != asked["redirect_uri"] {
                return no("invalid_grant");
            }
            let sign_in = known.made;
            Json(known.tokens(sign_in, true)).into_response()
        }
        "refresh_token" => {
            let sent = fields["refresh_token"].clone();
            let Some(sign_in) = known.refresh.get(&sent).copied() else { return no("invalid_grant") };
            if !known.used.insert(sent) {
                known.ended.insert(sign_in);
            }
            if known.ended.contains(&sign_in) {
                return no("invalid_grant");
            }
            Json(known.tokens(sign_in, true)).into_response()
        }
        "client_credentials" => {
            let sign_in = known.made;
            Json(known.tokens(sign_in, false)).into_response()
        }
        "urn:ietf:params:oauth:grant-type:device_code" => {
            if fields["device_code"] != "device-4711" {
                return no("invalid_grant");
            }
            if !known.device.is_empty() {
                return no(known.device.remove(0));
            }
            let sign_in = known.made;
            Json(known.tokens(sign_in, true)).into_response()
        }
        _ => no("unsupported_grant_type"),
    }
}

async fn device(State(server): State<AuthorizationServer>) -> Response {
    let page = server.at("/enter");
    let told = json!({
        "device_code": "device-4711", "user_code": "WDJB-MJHT", "verification_uri": page,
        "verification_uri_complete": format!("{page}?user_code=WDJB-MJHT"), "expires_in": 900, "interval": 7,
    });
    Json(told).into_response()
}

async fn revoke(State(server): State<AuthorizationServer>, Form(fields): Form<Fields>) -> Response {
    let mut known = server.known();
    let sign_in = known.refresh.get(&fields["token"]).or_else(|| known.access.get(&fields["token"])).copied();
    known.ended.extend(sign_in);
    StatusCode::OK.into_response()
}

async fn api(State(server): State<AuthorizationServer>, headers: HeaderMap) -> Response {
    let known = server.known();
    let sent = headers.get(header::AUTHORIZATION).and_then(|sent| sent.to_str().ok()?.strip_prefix("Bearer "));
    let sign_in = sent.and_then(|token| known.access.get(token));
    match sign_in.filter(|sign_in| !known.ended.contains(sign_in)) {
        Some(_) => Json(json!({ "fine": true })).into_response(),
        None => (StatusCode::UNAUTHORIZED, Json(json!({ "error": "token" }))).into_response(),
    }
}
