//! HTTP by script: per method and path a list of answers; the last one repeats.

use crate::clock::ManualClock;
use async_trait::async_trait;
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;
use signalbox_ports::{Clock, Http, HttpError, HttpRequest, HttpResponse};
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a request gets.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    /// Status code; 200 when absent.
    #[serde(default = "ok")]
    pub status: u16,
    /// JSON body.
    #[serde(default)]
    pub json: Option<Value>,
    /// Text body, when there is no `json`.
    #[serde(default)]
    pub text: Option<String>,
    /// Headers besides the content type.
    #[serde(default)]
    pub headers: IndexMap<String, String>,
    /// Time before the answer.
    #[serde(default)]
    pub delay_ms: i64,
    /// Instead of an answer.
    #[serde(default)]
    pub fail: Option<Fail>,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fail {
    /// Nothing listens there.
    Connect,
    /// Cut off after the request was sent.
    Cut,
    /// No answer within the request's time.
    Timeout,
    /// Never, not even a time-out.
    Hang,
}

fn ok() -> u16 {
    200
}

impl Answer {
    /// A JSON answer.
    pub fn json(status: u16, body: Value) -> Self {
        Self { status, json: Some(body), text: None, headers: IndexMap::new(), delay_ms: 0, fail: None }
    }
    /// A failure.
    pub fn fail(fail: Fail) -> Self {
        Self { fail: Some(fail), ..Self::json(200, Value::Null) }
    }
    /// After a while.
    #[must_use]
    pub fn after(mut self, delay_ms: i64) -> Self {
        self.delay_ms = delay_ms;
        self
    }
}

#[derive(Debug, Default)]
struct State {
    script: IndexMap<String, (usize, Vec<Answer>)>,
    seen: Vec<HttpRequest>,
}

/// A scripted [`Http`].
#[derive(Debug)]
pub struct ScriptedHttp {
    clock: Arc<ManualClock>,
    state: Mutex<State>,
}

impl ScriptedHttp {
    /// Without any answer: every address refuses the connection.
    pub fn new(clock: Arc<ManualClock>) -> Self {
        Self { clock, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the answers of `GET /path`; the host does not matter.
    pub fn on(&self, method_and_path: &str, answers: Vec<Answer>) {
        self.state().script.insert(method_and_path.to_owned(), (0, answers));
    }

    /// Requests so far, in order.
    pub fn requests(&self) -> Vec<HttpRequest> {
        self.state().seen.clone()
    }

    /// Number of requests of `GET /path`.
    pub fn count(&self, method_and_path: &str) -> usize {
        self.state().seen.iter().filter(|request| key(request) == method_and_path).count()
    }
}

/// `GET /path`, without host and query.
fn key(request: &HttpRequest) -> String {
    let rest = request.url.split_once("://").map_or(request.url.as_str(), |(_, rest)| rest);
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    format!("{} {}", request.method, path.split(['?', '#']).next().unwrap_or(path))
}

#[async_trait]
impl Http for ScriptedHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let key = key(&request);
        let timeout = i64::try_from(request.timeout.as_millis()).unwrap_or(i64::MAX);
        let answer = {
            let mut state = self.state();
            state.seen.push(request);
            state.script.get_mut(&key).and_then(|(at, answers)| {
                let answer = answers.get(*at).or(answers.last()).cloned();
                *at += 1;
                answer
            })
        };
        let Some(answer) = answer else {
            return Err(HttpError::Connect { message: format!("nothing is scripted for {key}") });
        };
        let start = self.clock.now_ms();
        if answer.fail == Some(Fail::Hang) {
            pending::<()>().await;
        }
        if answer.fail == Some(Fail::Timeout) || answer.delay_ms > timeout {
            self.clock.sleep_until(start.saturating_add(timeout)).await;
            return Err(HttpError::Timeout { sent: true });
        }
        if answer.delay_ms > 0 {
            self.clock.sleep_until(start + answer.delay_ms).await;
        }
        match answer.fail {
            Some(Fail::Connect) => return Err(HttpError::Connect { message: "connection refused".into() }),
            Some(Fail::Cut) => return Err(HttpError::Cut { message: "the connection was cut".into() }),
            Some(Fail::Timeout | Fail::Hang) | None => {}
        }
        let (kind, body) = match (&answer.json, &answer.text) {
            (Some(json), _) => ("application/json", json.to_string().into_bytes()),
            (None, Some(text)) => ("text/plain; charset=utf-8", text.clone().into_bytes()),
            (None, None) => ("application/octet-stream", Vec::new()),
        };
        let mut headers: Vec<(String, String)> = answer.headers.into_iter().collect();
        if !headers.iter().any(|(name, _)| name == "content-type") && !body.is_empty() {
            headers.insert(0, ("content-type".to_owned(), kind.to_owned()));
        }
        Ok(HttpResponse { status: answer.status, headers, body, ..HttpResponse::default() })
    }
}
