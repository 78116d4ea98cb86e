//! What this process asks of the Restate server: to carry a run out, and to go on with one that was asked something.

use crate::pace::Pace;
use crate::{Log, OBJECT};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;
use signalbox_runtime::{HandedRun, RunHost};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use url::Url;

/// An answer takes no longer; what is not answered is told again.
const LIMIT: Duration = Duration::from_secs(20);
/// Requests at once.
const AT_ONCE: usize = 64;
/// A server that does not answer is complained about so often.
const COMPLAIN_MS: i64 = 30_000;

/// Where a Restate server is.
#[derive(Debug, Clone)]
pub struct RestateServer {
    /// Its ingress.
    pub ingress: Url,
    /// Its admin API.
    pub admin: Url,
    /// What it asks for as `Authorization: Bearer`.
    pub token: Option<String>,
}

impl RestateServer {
    /// The admin API of a server that was not told where it is: port 9070 of the same machine.
    pub fn admin_beside(ingress: &Url) -> Url {
        let mut admin = ingress.clone();
        // Every address with a host has a port.
        let _ = admin.set_port(Some(9070));
        admin
    }

    pub(crate) fn client(&self) -> Result<Client, String> {
        // A second call finds the provider already there, which is just as well.
        let _already = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).timeout(LIMIT);
        let is_plain = [&self.ingress, &self.admin].iter().all(|url| url.scheme() == "http");
        // Without certificates on the machine there is no client at all, not even for `http:`.
        let builder = if is_plain { builder.tls_certs_only([]) } else { builder };
        builder.build().map_err(|error| error.to_string())
    }

    pub(crate) fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }
}

/// `base/a/b`, whatever `base` ends with.
pub(crate) fn below(base: &Url, parts: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(parts);
    }
    url
}

/// Hands runs over to a Restate server.
pub struct Ingress {
    inner: Arc<Inner>,
}

struct Inner {
    server: RestateServer,
    client: Client,
    handle: Handle,
    pace: Mutex<Pace>,
    turns: Semaphore,
    log: Log,
    complained_ms: Mutex<i64>,
    trouble: Mutex<Option<String>>,
}

impl Ingress {
    /// Requests are made on `handle`.
    pub fn new(server: RestateServer, handle: Handle, log: Log) -> Result<Self, String> {
        let client = server.client()?;
        let (pace, turns) = (Mutex::default(), Semaphore::new(AT_ONCE));
        let inner =
            Inner { server, client, handle, pace, turns, log, complained_ms: Mutex::new(0), trouble: Mutex::default() };
        Ok(Self { inner: Arc::new(inner) })
    }
}

impl RunHost for Ingress {
    fn name(&self) -> &'static str {
        "restate"
    }

    fn begin(&self, run: HandedRun) {
        self.inner.tell(run);
    }

    fn trouble(&self) -> Option<String> {
        self.inner.trouble().clone()
    }

    fn go_on(&self, runs: Vec<HandedRun>) {
        let due = self.inner.pace.lock().unwrap_or_else(PoisonError::into_inner).due(runs, now_ms());
        for run in due {
            self.inner.tell(run);
        }
    }
}

impl Inner {
    fn tell(self: &Arc<Self>, run: HandedRun) {
        let own = Arc::clone(self);
        self.handle.spawn(async move {
            let Ok(_turn) = own.turns.acquire().await else { return };
            let told = own.told(&run).await;
            // What is not told now is told again.
            if let Err(why) = &told {
                own.complain(why);
            }
            *own.trouble() = told.err().map(|why| format!("Restate takes no runs now: {why}."));
        });
    }

    /// A run that waits goes on; one that nobody carries out and that waits for nothing is begun, once for each time that it
    /// was taken over.
    async fn told(&self, run: &HandedRun) -> Result<(), String> {
        // One that nobody has taken yet does not wait.
        if (run.epoch > 1 || run.is_asked) && self.wake(run).await? {
            return Ok(());
        }
        if run.is_driven {
            return Ok(());
        }
        let url = below(&self.server.ingress, &[OBJECT, &run.run_id, "drive", "send"]);
        let key = format!("{}:{}", run.run_id, run.epoch);
        let request = self.client.post(url).header("idempotency-key", key);
        self.sent(request).await.map(drop)
    }

    /// Whether the run waits; it goes on if it was asked something.
    async fn wake(&self, run: &HandedRun) -> Result<bool, String> {
        let url = below(&self.server.ingress, &[OBJECT, &run.run_id, "wake"]);
        let request = self.client.post(url).header("content-type", "application/json").body(run.is_asked.to_string());
        Ok(self.sent(request).await? == Value::Bool(true))
    }

    async fn sent(&self, request: RequestBuilder) -> Result<Value, String> {
        let answer = self.server.signed(request).send().await.map_err(|error| root(&error))?;
        let status = answer.status();
        let text = answer.text().await.map_err(|error| root(&error))?;
        if status.is_success() {
            return Ok(serde_json::from_str(&text).unwrap_or_default());
        }
        let hint = if status == StatusCode::NOT_FOUND { "; is a worker registered with it?" } else { "" };
        Err(format!("it answered {status}: {}{hint}", text.chars().take(300).collect::<String>()))
    }

    /// Why the last run was not handed over.
    fn trouble(&self) -> MutexGuard<'_, Option<String>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn complain(&self, why: &str) {
        let mut last = self.complained_ms.lock().unwrap_or_else(PoisonError::into_inner);
        let now = now_ms();
        if now - *last >= COMPLAIN_MS {
            *last = now;
            let ingress = &self.server.ingress;
            (self.log)(&format!(
                "Runs are not handed to Restate at {ingress} now: {why}. They wait, and it is tried again."
            ));
        }
    }
}

/// The last cause of an error, which says what happened.
pub(crate) fn root(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(next) = last.source() {
        last = next;
    }
    last.to_string()
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
