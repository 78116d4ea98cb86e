//! Signing people in to the page by an identity provider (OpenID Connect). There is no cookie: the page that begins a sign-in
//! keeps a random text, and only with that text does it get the session when the browser has come back (ADR 204).

mod refusals;

use super::people::{KnownPerson, PeopleRules};
use super::sessions::{Session, Sessions};
use super::tokens::random_token;
use super::{Server, answer, guard};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use refusals::Refusals;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use signalbox_adapters::oauth::{CallbackParams, Fault, OpenIdProvider, PendingPerson, Person, Trouble};
use signalbox_app::{AccessEnd, ApiError, ApiResult, App, Class, SignedInPerson};
use signalbox_model::hash::sha256_hex;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// Where the browser comes back to; it has to be registered at the provider.
pub(crate) const CALLBACK: &str = "/sign-in/callback";
/// How long a person may take at the provider, and the page to fetch what came of it.
const WAITS: Duration = Duration::from_secs(10 * 60);
/// Sign-ins that wait at once; the oldest makes room.
const MOST: usize = 2_000;
/// Sign-ins that the provider is asked about at the same time.
const AT_ONCE: usize = 8;
/// Bytes of a request.
const LARGEST: usize = 4 * 1024;

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Who signs people in.
    About,
    /// The page begins.
    Begin,
    /// The browser comes back.
    Callback,
    /// The page fetches its session.
    Finish,
    /// A person signs out.
    End,
}

impl Place {
    /// Of a path; `None`: it belongs to somebody else.
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            "/sign-in" => Some(Self::About),
            "/sign-in/begin" => Some(Self::Begin),
            CALLBACK => Some(Self::Callback),
            "/sign-in/finish" => Some(Self::Finish),
            "/sign-in/end" => Some(Self::End),
            _ => None,
        }
    }

    fn method(self) -> Method {
        if matches!(self, Self::About | Self::Callback) { Method::GET } else { Method::POST }
    }
}

/// The hash of what the page keeps.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BeginRequest {
    binding_hash: String,
}

/// What the page keeps, and what the browser came back with.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FinishRequest {
    binding: String,
    handover: String,
}

struct Waiting {
    pending: PendingPerson,
    binding_hash: String,
    since: Instant,
}

/// What came of a sign-in, until the page that began it fetches it.
struct Handover {
    binding_hash: String,
    since: Instant,
    result: ApiResult<(Person, KnownPerson)>,
}

/// Who signs people in, those who wait, and those who are signed in.
pub(crate) struct SignIn {
    /// The provider for people.
    name: String,
    provider: Arc<OpenIdProvider>,
    rules: PeopleRules,
    redirect: String,
    /// Names that tokens have.
    reserved: Vec<String>,
    waiting: Mutex<BTreeMap<u64, Waiting>>,
    handovers: Mutex<BTreeMap<String, Handover>>,
    next: std::sync::atomic::AtomicU64,
    turns: Semaphore,
    refusals: Mutex<Refusals>,
    pub(crate) sessions: Sessions,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A refusal of the provider, or of what it said.
fn failed(fault: Fault) -> ApiError {
    let message = format!("{}.", fault.message);
    match fault.trouble {
        Trouble::Unreachable => ApiError::unavailable("PROVIDER_UNREACHABLE", message, "Try again in a moment."),
        _ => ApiError::new(
            Class::Forbidden,
            "SIGN_IN_FAILED",
            message,
            "Sign in again. If it fails again, ask the person who runs this server.",
        ),
    }
}

impl SignIn {
    /// `base`: the address of this server for people.
    pub(crate) fn new(
        name: String,
        provider: OpenIdProvider,
        rules: PeopleRules,
        base: &str,
        reserved: Vec<String>,
    ) -> Self {
        Self {
            name,
            provider: Arc::new(provider),
            rules,
            redirect: format!("{base}{CALLBACK}"),
            reserved,
            waiting: Mutex::default(),
            handovers: Mutex::default(),
            next: std::sync::atomic::AtomicU64::default(),
            turns: Semaphore::new(AT_ONCE),
            refusals: Mutex::default(),
            sessions: Sessions::default(),
        }
    }

    /// Ends sessions and asks the provider about them, once.
    pub(crate) async fn look(&self, app: &Arc<App>, now: Instant) {
        self.sessions.look(app, &self.provider, &self.rules, now).await;
    }

    /// The session of a token.
    pub(crate) async fn session(&self, app: &Arc<App>, token: &str) -> Option<Arc<Session>> {
        self.sessions.admit(app, &self.provider, &self.rules, token).await
    }

    /// Takes up the sessions of before a restart; how many. Whoever would not get in now is signed out.
    pub(crate) async fn restore(&self, app: &Arc<App>) -> ApiResult<usize> {
        let refuses = |person: &SignedInPerson| {
            let (claim, value) = &person.role_by;
            // In a workspace, or for everything.
            let gives = |workspace: Option<&str>, role, value: &str| {
                let mut rules = self.rules.roles.iter();
                rules.any(|rule| rule.workspace.as_deref() == workspace && rule.role == role && rule.value == value)
            };
            let is_given = *claim == self.rules.role_claim
                && (person.limited || gives(None, person.role, value))
                && person.workspaces.iter().all(|one| gives(Some(&one.name), one.role, &one.by));
            if person.issuer != self.provider.issuer() {
                Some("The server uses another identity provider now".to_owned())
            } else if !is_given {
                Some("The rules for roles were changed".to_owned())
            } else {
                let is_taken = self.reserved.iter().any(|name| name.to_lowercase() == person.name.to_lowercase());
                is_taken.then(|| "A token of the server has the name of the person now".to_owned())
            }
        };
        self.sessions.restore(app, refuses).await
    }

    /// Ends the sessions that somebody ended in the store. Waits for it.
    pub(crate) fn refresh(&self, app: &App, threads: &tokio::runtime::Handle) -> ApiResult<()> {
        for session in self.sessions.ended_elsewhere(app)? {
            let provider = Arc::clone(&self.provider);
            threads.spawn(async move { super::sessions::revoke(&provider, &session).await });
        }
        Ok(())
    }

    async fn begin(&self, request: BeginRequest) -> ApiResult<Value> {
        let is_hash = request.binding_hash.len() == 64 && request.binding_hash.bytes().all(|b| b.is_ascii_hexdigit());
        if !is_hash {
            return Err(ApiError::bad_request("'bindingHash' is no SHA-256 in hex.", "Open the page of this server."));
        }
        let pending = self.provider.begin(&self.redirect).await.map_err(failed)?;
        let address = pending.address.to_string();
        let id = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut waiting = locked(&self.waiting);
        waiting.retain(|_, one| one.since.elapsed() < WAITS);
        if waiting.len() >= MOST {
            waiting.pop_first();
        }
        let binding_hash = request.binding_hash.to_ascii_lowercase();
        waiting.insert(id, Waiting { pending, binding_hash, since: Instant::now() });
        Ok(json!({ "address": address }))
    }

    /// Takes what the browser brought. `None`: it belongs to no sign-in that waits.
    async fn arrived(&self, app: &Arc<App>, query: &str) -> Option<String> {
        let params = CallbackParams::of_query(query);
        let waiting = {
            let mut all = locked(&self.waiting);
            let id = all
                .iter()
                .find(|(_, one)| one.since.elapsed() < WAITS && one.pending.is_for(&params))
                .map(|(id, _)| *id)?;
            all.remove(&id)?
        };
        let result = self.identified(app, waiting.pending, params).await;
        let handover = random_token().ok()?;
        let mut all = locked(&self.handovers);
        all.retain(|_, one| one.since.elapsed() < WAITS);
        if all.len() >= MOST
            && let Some(oldest) = all.iter().min_by_key(|(_, one)| one.since).map(|(key, _)| key.clone())
        {
            all.remove(&oldest);
        }
        let one = Handover { binding_hash: waiting.binding_hash, since: Instant::now(), result };
        all.insert(sha256_hex(handover.as_bytes()), one);
        Some(handover)
    }

    /// Who came back, if they may come in.
    async fn identified(
        &self,
        app: &Arc<App>,
        pending: PendingPerson,
        params: CallbackParams,
    ) -> ApiResult<(Person, KnownPerson)> {
        let finished = {
            // The semaphore is never closed.
            let _turn = self.turns.acquire().await;
            self.provider.finish(pending, params).await
        };
        let person = match finished {
            Ok(person) => person,
            Err(fault) => {
                let error = failed(fault);
                self.refused(app, "signInFailed", json!({ "message": error.message })).await;
                return Err(error);
            }
        };
        let mut known = match self.rules.read(&person.subject, &person.claims) {
            Ok(known) => known,
            Err(why) => {
                self.refused(app, "noName", json!({ "subject": person.subject })).await;
                let hint = "Whoever runs this server chooses the claim with --oidc-name-claim.";
                return Err(ApiError::new(Class::Forbidden, "SIGN_IN_NO_NAME", format!("{why}."), hint));
            }
        };
        let facts =
            |known: &KnownPerson| json!({ "person": format!("user:{}", known.name), "subject": person.subject });
        if known.role.is_none() {
            self.refused(app, "noRole", facts(&known)).await;
            let message = format!("{} is known to {}, and has no role here.", known.name, self.name);
            let hint =
                format!("Ask the person who runs this server: a value of '{}' gives a role.", self.rules.role_claim);
            return Err(ApiError::new(Class::Forbidden, "SIGN_IN_NO_ROLE", message, hint));
        }
        let (issuer, wanted) = (self.provider.issuer().to_owned(), known.name.clone());
        match app.name_person(issuer, person.subject.clone(), wanted, self.reserved.clone()).await {
            Ok(name) => known.name = name,
            Err(error) => {
                if error.code == "NAME_TAKEN" {
                    self.refused(app, "nameTaken", facts(&known)).await;
                }
                return Err(error);
            }
        }
        Ok((person, known))
    }

    /// Records that somebody was not let in. Whoever floods the chain is counted instead.
    async fn refused(&self, app: &Arc<App>, reason: &str, facts: Value) {
        let Some(omitted) = locked(&self.refusals).next(Instant::now()) else { return };
        // Nobody is let in, whether it is recorded or not.
        drop(app.sign_in_refused(self.provider.issuer(), reason, facts, omitted).await);
    }

    /// The session for the page that began, once.
    async fn finish(&self, app: &Arc<App>, request: FinishRequest) -> ApiResult<Value> {
        let unknown = || {
            let message = "This belongs to no sign-in that was begun in this page, or it was fetched already.";
            ApiError::new(Class::Forbidden, "SIGN_IN_UNKNOWN", message, "Sign in again.")
        };
        let key = sha256_hex(request.handover.as_bytes());
        let found = {
            let mut all = locked(&self.handovers);
            let fits = all.get(&key).is_some_and(|one| {
                one.since.elapsed() < WAITS && one.binding_hash == sha256_hex(request.binding.as_bytes())
            });
            if fits { all.remove(&key) } else { None }
        };
        let (vouched, known) = found.ok_or_else(unknown)?.result?;
        let given = known.role.ok_or_else(unknown)?;
        let person = SignedInPerson {
            name: known.name,
            issuer: self.provider.issuer().to_owned(),
            subject: vouched.subject.clone(),
            shown: known.shown,
            email: known.email,
            role: given.role,
            role_by: (self.rules.role_claim.clone(), given.by),
            workspaces: given.workspaces,
            limited: given.limited,
        };
        let (token, gone) = self.sessions.begin(app, person, vouched).await?;
        for session in gone {
            self.sessions.ended(app, &self.provider, &session, AccessEnd::Expired).await;
        }
        Ok(json!({ "token": token }))
    }

    async fn end(&self, app: &Arc<App>, session: &Arc<Session>) -> Value {
        if self.sessions.end(session) {
            self.sessions.ended(app, &self.provider, session, AccessEnd::SignedOut).await;
        }
        json!({ "providerAddress": self.provider.sign_out_address().await.map(String::from) })
    }
}

/// Answers a request whose Host and Origin were checked.
pub(crate) async fn handle(server: &Arc<Server>, place: Place, request: Request) -> ApiResult<Response> {
    let Some(sign_in) = &server.sign_in else {
        if place == Place::About && request.method() == Method::GET {
            return Ok(answer::json(StatusCode::OK, &json!({ "provider": null, "person": null })));
        }
        let hint = "Open the address with a token, or start the server with --oidc-issuer (Help, HTTPS and sign-in).";
        return Err(ApiError::new(Class::NotFound, "NO_SIGN_IN", "Nobody signs in at this server.", hint));
    };
    if *request.method() != place.method() {
        let message = format!("There is no route {} {}.", request.method(), request.uri().path());
        return Err(ApiError::new(
            Class::WrongMethod,
            "METHOD_NOT_ALLOWED",
            message,
            format!("It takes {} only.", place.method()),
        ));
    }
    guard::json_only(request.method(), request.headers())?;
    let session = match place {
        Place::End => Some(guard::session(server, request.headers()).await?),
        // The page asks this first, with a session or without.
        Place::About => guard::session(server, request.headers()).await.ok(),
        _ => None,
    };
    let (parts, body) = request.into_parts();
    let done = match place {
        Place::About => json!({ "provider": sign_in.name, "person": session.map(|session| person(&session.person())) }),
        Place::Callback => {
            let query = parts.uri.query().unwrap_or_default();
            return Ok(come_back(sign_in.arrived(&server.app, query).await.as_deref()));
        }
        Place::Begin => sign_in.begin(body_of(server, body).await?).await?,
        Place::Finish => sign_in.finish(&server.app, body_of(server, body).await?).await?,
        Place::End => match session {
            Some(session) => sign_in.end(&server.app, &session).await,
            None => Value::Null,
        },
    };
    Ok(answer::json(StatusCode::OK, &done))
}

/// A person for the page.
fn person(person: &SignedInPerson) -> Value {
    json!({ "name": person.name, "shownName": person.shown, "email": person.email, "role": person.role.as_str() })
}

async fn body_of<T: DeserializeOwned>(server: &Server, body: Body) -> ApiResult<T> {
    let bytes = super::read_most(body, server.limits.body, LARGEST).await?;
    serde_json::from_slice(&bytes)
        .map_err(|why| ApiError::bad_request(format!("The body is not valid: {why}."), "Open the page of this server."))
}

/// The browser goes on to the page; what follows `#` is sent to nobody.
fn come_back(handover: Option<&str>) -> Response {
    let mut response = match handover {
        Some(handover) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::SEE_OTHER;
            if let Ok(place) = HeaderValue::from_str(&format!("/#signed-in={handover}")) {
                response.headers_mut().insert(header::LOCATION, place);
            }
            response
        }
        None => {
            let words = "This belongs to no sign-in that waits here. Open Signalbox and sign in again.\n";
            let mut response = answer::text(words.to_owned(), "text/plain; charset=utf-8");
            *response.status_mut() = StatusCode::BAD_REQUEST;
            response
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    );
    response
}
