//! One delivery: who sent it, what it holds, the run that it starts, and what its sender is told.

use super::body;
use super::index::ActiveHook;
use super::signature::{self, Signed};
use crate::triggers::error::{Class, TriggerError, TriggerResult};
use crate::triggers::fire::Occurrence;
use crate::triggers::host::TriggerHost;
use serde_json::{Value, json};
use signalbox_engine::webhook::{Auth, RESPOND, Respond, Signing, Webhook};
use signalbox_model::event::EventBody;
use signalbox_model::{Map, RunEvent, TraceContext, time};
use std::collections::BTreeSet;
use std::time::Duration;

/// The same delivery sent again within this time starts nothing.
const SAME_MS: i64 = 86_400_000;

/// What the host read of a request.
#[derive(Debug, Default)]
pub struct HookRequest {
    /// In capitals.
    pub method: String,
    /// What stands behind `?`.
    pub query: String,
    /// Names in lower case, in the order in which they came.
    pub headers: Vec<(String, String)>,
    /// As it came: signatures are made of these bytes.
    pub body: Vec<u8>,
}

impl HookRequest {
    /// A header that is there once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter().filter(|(known, _)| known == name);
        let (_, value) = all.next()?;
        all.next().is_none().then_some(value.as_str())
    }

    /// The id of a delivery in a header.
    pub(crate) fn id(&self, name: &str) -> Option<String> {
        signature::short(self.header(name)?)
    }
}

/// What the sender is told.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HookReply {
    /// The status code.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl HookReply {
    /// An answer in JSON.
    pub fn json(status: u16, value: &Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self { status, headers, body: value.to_string().into_bytes() }
    }

    /// The run was started, and the start is durable.
    pub fn accepted(run: &str) -> Self {
        Self::json(202, &json!({ "runId": run }))
    }

    /// What a run came to, by its summary as somebody sees it who may see least.
    pub fn of_outcome(run: &str, summary: &Value) -> Self {
        let status = summary["status"].as_str().unwrap_or_default();
        let told = json!({ "runId": run, "status": status });
        match status {
            "completed" => Self::json(200, &json!({ "runId": run, "status": status, "output": summary["output"] })),
            // Why it failed is for the people of this machine.
            "failed" | "cancelled" => Self::json(500, &told),
            _ => Self::json(202, &told),
        }
    }

    /// What a step of the kind `flow.respond` said.
    fn of_step(said: &Value) -> Self {
        let status = said["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(200);
        let given = said["headers"].as_object().into_iter().flatten();
        let mut headers: Vec<(String, String)> =
            given.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
        let (kind, body) = match &said["body"] {
            Value::Null => (None, Vec::new()),
            Value::String(text) => (Some("text/plain; charset=utf-8"), text.clone().into_bytes()),
            other => (Some("application/json"), other.to_string().into_bytes()),
        };
        if let Some(kind) = kind.filter(|_| headers.iter().all(|(name, _)| name != "content-type")) {
            headers.push(("content-type".to_owned(), kind.to_owned()));
        }
        Self { status, headers, body }
    }
}

fn refused() -> TriggerError {
    let hint = "Check the credentials or the signature of the request, and the clock of the sender.";
    TriggerError::new(Class::Unauthorized, "UNAUTHORIZED", "The request was refused.", hint)
}

/// What keeps a delivery from being stored now is not the sender's business; that it may try again is.
pub fn unavailable() -> TriggerError {
    TriggerError::unavailable("HOOK_UNAVAILABLE", "The request cannot be taken now.", "Send it again later.")
}

/// A request whose sender is known.
pub struct Delivery {
    /// Names the delivery; another one with the same key is the same.
    pub key: Option<String>,
    /// What the step hands on.
    pub event: Map,
    /// The files, each with its SHA-256.
    pub binaries: Vec<(String, Vec<u8>)>,
}

/// The header that a sender may name a delivery by, and the id of the sender's own kind.
fn key(hook: &Webhook, request: &HookRequest, signed: &Signed) -> (Option<String>, Option<String>) {
    let chosen = hook.dedupe.as_deref().and_then(|name| request.id(name));
    let idempotency = request.id("idempotency-key").map(|key| key.trim_matches('"').to_owned());
    // Whoever has caught a delivery could send it with another name, where the name is not signed: what is signed goes first.
    let by_sender = match &hook.auth {
        Auth::Hmac { signing: Signing::Generic { .. }, .. } => chosen.or(idempotency),
        Auth::Hmac { .. } => signed.id.clone().or(chosen),
        _ => chosen.or(idempotency),
    };
    let key = match (&by_sender, &signed.signature) {
        (Some(id), _) => Some(format!("delivery {id}")),
        (None, Some(signature)) => Some(format!("signature {signature}")),
        (None, None) => None,
    };
    (key, by_sender)
}

impl dyn TriggerHost + '_ {
    /// Authenticates and reads a request; `trigger` stands in its event. The error of a refused one says nothing about why:
    /// that is told to `why`.
    pub fn read_delivery(
        &self,
        (hook, trigger, manual): (&Webhook, &str, bool),
        request: &HookRequest,
        now_ms: i64,
        why: impl FnOnce(&'static str),
    ) -> TriggerResult<Delivery> {
        let credential = match &hook.auth {
            Auth::None => None,
            Auth::Secret { secret, .. } | Auth::Basic { secret, .. } | Auth::Hmac { secret, .. } => {
                Some(self.credential(secret).ok_or_else(unavailable)?)
            }
        };
        let signed = signature::check(&hook.auth, credential.as_deref(), request, now_ms).map_err(|reason| {
            why(reason);
            refused()
        })?;
        let (key, id) = key(hook, request, &signed);
        let contents = body::read(hook, request)?;
        let mut event = json!({
            "method": request.method, "path": hook.path, "query": contents.query, "headers": contents.headers,
            "contentType": contents.content_type, "body": contents.body, "files": contents.files, "deliveryId": id,
            "receivedAt": time::format(now_ms), "triggerId": trigger, "manual": manual,
        });
        let scrubber = self.world().secrets.scrubber();
        scrubber.value(&mut event);
        Ok(Delivery { key, event: event.as_object().cloned().unwrap_or_default(), binaries: contents.binaries })
    }

    /// The run of a delivery. It is durable when this answers.
    pub fn start_delivery(&self, active: &ActiveHook, request: &HookRequest) -> TriggerResult<Started> {
        let ActiveHook { row, hook, .. } = active;
        let now = self.now_ms();
        let Delivery { key, event, binaries } = self.read_delivery((hook, &row.id, false), request, now, |_| {})?;
        if let Some(challenge) = challenge(hook, &event) {
            return Ok(Started::Told(challenge));
        }
        let (key, before) = match key {
            Some(key) => self.key_now(&row.id, key, now)?,
            None => (format!("delivery {}", self.runtime().fresh_id()), None),
        };
        if let Some(run) = before {
            return Ok(Started::Run(run));
        }
        let headers = request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let occurrence = Occurrence {
            key: key.clone(),
            at_ms: now,
            is_tick: false,
            event,
            started_by: self.started_by_request(),
            trace: TraceContext::of_headers(headers),
        };
        let started =
            active.version(self.store()).and_then(|version| self.fire_with(row, version, occurrence, binaries, now));
        match started {
            Ok(run) => Ok(Started::Run(run)),
            // The same delivery came twice at once.
            Err(error) if error.code == "FIRED_BEFORE" => {
                self.store().fired_run(&row.id, &key)?.map(Started::Run).ok_or_else(unavailable)
            }
            Err(error) if error.code == "TRIGGER_CHANGED" => Err(error),
            // A full disk, or a workflow that cannot run on this machine any more.
            Err(_) => Err(unavailable()),
        }
    }

    /// The key of a firing, and the run that the same delivery started within a day. Keys are kept for longer: after a day the
    /// same delivery gets another one.
    fn key_now(&self, trigger: &str, first: String, now_ms: i64) -> TriggerResult<(String, Option<String>)> {
        let mut key = first.clone();
        loop {
            let Some(run) = self.store().fired_run(trigger, &key)? else { return Ok((key, None)) };
            // A run that was deleted still has been started.
            let Ok(row) = self.store().run(&run) else { return Ok((key, Some(run))) };
            // A clock that was put back does not end a key.
            if (now_ms - row.started_ms).abs() < SAME_MS {
                return Ok((key, Some(run)));
            }
            key = format!("{first} after {}", row.started_ms);
        }
    }

    /// What the sender of a delivery is told about its run; none: what it came to, [`HookReply::of_outcome`]. A delivery that is sent again
    /// gets the same.
    pub async fn reply(&self, hook: &Webhook, run: &str) -> Option<HookReply> {
        let wait = Duration::from_millis(hook.timeout_ms);
        match hook.respond {
            Respond::Accepted => Some(HookReply::accepted(run)),
            Respond::Ended => match tokio::time::timeout(wait, self.runtime().wait(run)).await {
                Ok(Ok(_)) => None,
                // It takes too long, or this process stops: the run goes on.
                Ok(Err(_)) | Err(_) => Some(HookReply::accepted(run)),
            },
            Respond::Step => match tokio::time::timeout(wait, self.first_response(run)).await {
                Ok(Some(said)) => Some(HookReply::of_step(&said)),
                Ok(None) => None,
                Err(_) => Some(HookReply::accepted(run)),
            },
        }
    }

    /// What the first Respond step of a run said; none when the run ended without one, or cannot be followed.
    async fn first_response(&self, run: &str) -> Option<Value> {
        let mut events = self.runtime().subscribe(run, 0).await.ok()?;
        let mut responding: BTreeSet<(Option<String>, Option<String>)> = BTreeSet::new();
        while let Some(Ok(batch)) = events.next().await {
            for RunEvent { step_id, path, body, .. } in batch {
                match body {
                    EventBody::StepStart(start) if start.kind == RESPOND => {
                        responding.insert((step_id, path));
                    }
                    EventBody::StepDone(done) if responding.contains(&(step_id, path)) => {
                        if let Some(item) = done.items.get("success").and_then(|items| items.first()) {
                            return Some(Value::clone(&item.data));
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }
}

/// What a delivery came to.
pub enum Started {
    /// Its run.
    Run(String),
    /// The sender wanted to know whether somebody is there.
    Told(HookReply),
}

/// Slack asks once whether the address is its owner's: a signed question that wants its own text back.
fn challenge(hook: &Webhook, event: &Map) -> Option<HookReply> {
    let is_slack = matches!(&hook.auth, Auth::Hmac { signing: Signing::Slack, .. });
    let body = event.get("body").filter(|_| is_slack)?;
    let asked = (body["type"] == "url_verification").then(|| body["challenge"].as_str())??;
    let headers = vec![("content-type".to_owned(), "text/plain; charset=utf-8".to_owned())];
    Some(HookReply { status: 200, headers, body: asked.as_bytes().to_vec() })
}
