//! The admin API of the Restate server: which deployments there are, and which runs they have.

use crate::OBJECT;
use crate::deployment::{Deployment, Deployments, Registration};
use crate::ingress::{RestateServer, below, root};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use url::Url;

/// Metadata of a deployment: the release of its workers.
const RELEASE: &str = "signalbox.release";
/// Invocations that carry a run out, that have not ended.
const OPEN: &str = "target_handler_name = 'drive' AND status <> 'completed'";

/// The admin API of a server.
pub struct Admin {
    server: RestateServer,
    client: Client,
}

impl Admin {
    /// Requests are made with what `server` says.
    pub fn new(server: RestateServer) -> Result<Self, String> {
        let client = server.client()?;
        Ok(Self { server, client })
    }

    /// Where it is.
    pub fn url(&self) -> &Url {
        &self.server.admin
    }

    /// All deployments of workers.
    pub async fn deployments(&self) -> Result<Deployments, String> {
        let listed = self.ask(Method::GET, &["deployments"], None).await?;
        let newest = self.ask(Method::GET, &["services"], None).await?;
        let newest = list(&newest, "services").iter().find(|one| one["name"] == OBJECT);
        let newest = newest.map(|one| text(one, "deployment_id"));
        let is_ours = |one: &&Value| list(one, "services").iter().any(|service| service["name"] == OBJECT);
        let mut all: Vec<Deployment> = list(&listed, "deployments").iter().filter(is_ours).map(deployment).collect();
        all.sort_by(|one, other| other.created_at.cmp(&one.created_at));
        let rows = self.query(format!(
            "SELECT pinned_deployment_id AS deployment, status, count(*) AS runs, max(last_failure) AS failure \
             FROM sys_invocation WHERE target_service_name = '{OBJECT}' AND {OPEN} GROUP BY pinned_deployment_id, status"
        ));
        let mut queued = 0;
        for row in rows.await? {
            let runs = row["runs"].as_u64().unwrap_or_default();
            let id = text(&row, "deployment");
            match all.iter_mut().find(|one| one.id == id) {
                Some(one) => count(one, text(&row, "status"), runs, text(&row, "failure")),
                None => queued += runs,
            }
        }
        for one in &mut all {
            one.takes_new_runs = newest == Some(one.id.as_str());
        }
        Ok(Deployments { all, queued })
    }

    /// Makes workers of `release` known at `url`. `Taken` when they must not be called there.
    pub async fn register(&self, url: &Url, release: &str) -> Result<(Registration, Deployments), String> {
        let known = self.deployments().await?;
        let registration = Registration::of(&known.all, url.as_str(), release);
        let replaces = match &registration {
            Registration::New => false,
            Registration::Replaces => true,
            Registration::Known(_) | Registration::Taken(_) => return Ok((registration, known)),
        };
        let body = json!({ "uri": url, "force": replaces, "metadata": { RELEASE: release } });
        self.ask(Method::POST, &["deployments"], Some(body)).await?;
        if replaces {
            return Ok((registration, known));
        }
        // Without `force` nothing changes, and nothing is said, when somebody else has registered the address just now.
        let now = self.deployments().await?;
        match Registration::of(&now.all, url.as_str(), release) {
            Registration::Known(_) | Registration::New => Ok((registration, known)),
            taken @ Registration::Taken(_) => Ok((taken, now)),
            Registration::Replaces => {
                Err(format!("{url} was registered by workers of another release at the same time"))
            }
        }
    }

    /// Forgets a deployment. Who asks has looked whether its workers are needed.
    pub async fn remove(&self, id: &str) -> Result<(), String> {
        let mut url = below(&self.server.admin, &["deployments", id]);
        // The server knows no other way yet.
        url.set_query(Some("force=true"));
        self.answer(Method::DELETE, url, None).await.map(drop)
    }

    /// Ends the journals of a deployment's runs, and says how many there were. Each begins a new one where the history stands, with the deployment that takes
    /// new runs, as when the server has lost its data.
    pub async fn move_runs(&self, id: &str) -> Result<u64, String> {
        if !id.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            return Err(format!("{id} is no id of a deployment"));
        }
        let rows = self.query(format!(
            "SELECT id, target_service_key AS run FROM sys_invocation WHERE target_service_name = '{OBJECT}' AND {OPEN} \
             AND pinned_deployment_id = '{id}'"
        ));
        let mut moved = 0;
        for row in rows.await? {
            let (invocation, run) = (text(&row, "id"), text(&row, "run"));
            self.ask(Method::PATCH, &["invocations", invocation, "kill"], None).await?;
            // Without an awakeable nobody takes the run for one that waits. The change waits for the end of the invocation.
            let state = json!({ "object_key": run, "new_state": {} });
            self.ask(Method::POST, &["services", OBJECT, "state"], Some(state)).await?;
            moved += 1;
        }
        Ok(moved)
    }

    async fn query(&self, sql: String) -> Result<Vec<Value>, String> {
        let mut found = self.ask(Method::POST, &["query"], Some(json!({ "query": sql }))).await?;
        Ok(found["rows"].as_array_mut().map(std::mem::take).unwrap_or_default())
    }

    async fn ask(&self, method: Method, path: &[&str], body: Option<Value>) -> Result<Value, String> {
        self.answer(method, below(&self.server.admin, path), body).await
    }

    async fn answer(&self, method: Method, url: Url, body: Option<Value>) -> Result<Value, String> {
        let mut request = self.client.request(method, url).header("accept", "application/json");
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let answer = self.server.signed(request).send().await.map_err(|error| root(&error))?;
        let status = answer.status();
        let text = answer.text().await.map_err(|error| root(&error))?;
        if status.is_success() {
            return Ok(serde_json::from_str(&text).unwrap_or_default());
        }
        let found = serde_json::from_str::<Value>(&text).ok();
        let said = found.as_ref().and_then(|found| found["message"].as_str()).unwrap_or(&text);
        Err(format!("it answered {status}: {}", said.chars().take(500).collect::<String>()))
    }
}

fn deployment(one: &Value) -> Deployment {
    let release = one["metadata"][RELEASE].as_str().map(str::to_owned);
    let (id, url, created_at) = (text(one, "id"), text(one, "uri"), text(one, "created_at"));
    Deployment { id: id.into(), url: url.into(), created_at: created_at.into(), release, ..Deployment::default() }
}

/// Adds runs with a status of Restate.
fn count(one: &mut Deployment, status: &str, runs: u64, failure: &str) {
    match status {
        "suspended" => one.runs.waiting += runs,
        "backing-off" | "paused" => {
            one.runs.standing += runs;
            one.runs.reason = Some(failure.lines().next().unwrap_or_default().chars().take(400).collect());
        }
        _ => one.runs.running += runs,
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}
