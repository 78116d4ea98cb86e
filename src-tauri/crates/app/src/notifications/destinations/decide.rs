//! Decisions from a service: a signed webhook whose value the destination maps to an answer. Who decided is what the service
//! reports, and is recorded as that. Whatever is no decision is answered with 200 and does nothing, because services stop
//! sending webhooks that fail.

use super::exchange::{expression, text};
use super::{Destination, HOOKS, unknown};
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{CallerRole, Host, Via};
use crate::error::{ApiError, ApiResult, Class};
use crate::triggers::{HookReply, HookRequest, Signed, check_signature};
use serde_json::{Value, json};
use signalbox_engine::connector::tasks::{answer_of, webhook_auth};
use signalbox_model::connector::tasks::TaskDecisions;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{AuditEvent, NodeFailure, TaskAction, TaskState};
use signalbox_runtime::task_answer::GivenAnswer;
use signalbox_store::TaskCopy;
use signalbox_store::audit::Level;
use std::sync::Arc;

/// So long a webhook is known: the same one again does nothing.
const SEEN_MS: i64 = 7 * 86_400_000;

/// What a webhook says.
struct ReportedDecision {
    id: String,
    value: String,
    person: String,
}

fn refused() -> ApiError {
    let hint = "Check the signature or the secret of the request, and the clock of the sender.";
    ApiError::new(Class::Unauthorized, "UNAUTHORIZED", "The request was refused.", hint)
}

fn reply(result: &str, reason: Option<&str>) -> HookReply {
    let mut body = json!({ "result": result });
    if let Some(reason) = reason {
        body["reason"] = reason.into();
    }
    HookReply::json(200, &body)
}

/// The body as a value: JSON, or a form with JSON in its field `payload` (Slack), or a form.
fn body_of(request: &HookRequest) -> Option<Value> {
    let kind = request.header("content-type").unwrap_or_default().to_ascii_lowercase();
    if !kind.starts_with("application/x-www-form-urlencoded") {
        return serde_json::from_slice(&request.body).ok();
    }
    let fields: Vec<(String, String)> = url::form_urlencoded::parse(&request.body).into_owned().collect();
    if let Some((_, payload)) = fields.iter().find(|(name, _)| name == "payload") {
        return serde_json::from_str(payload).ok();
    }
    Some(fields.into_iter().map(|(name, value)| (name, Value::from(value))).collect::<serde_json::Map<_, _>>().into())
}

fn said(decisions: &TaskDecisions, facts: &Value) -> Result<Option<ReportedDecision>, NodeFailure> {
    if let Some(when) = &decisions.when
        && expression(when, facts, "when")? != Value::Bool(true)
    {
        return Ok(None);
    }
    let one = |field: &str, of: &str| Ok::<_, NodeFailure>(text(&expression(of, facts, field)?));
    let said = ReportedDecision {
        id: one("id", &decisions.id)?,
        value: one("value", &decisions.value)?,
        person: one("person", &decisions.person)?,
    };
    Ok(Some(said).filter(|said| !said.id.is_empty() && !said.value.is_empty()))
}

/// The key of a webhook: what is signed goes first, because whoever caught one could send it with another name.
fn key(signed: &Signed, body: &[u8]) -> String {
    match (&signed.id, &signed.signature) {
        (Some(id), _) => format!("delivery {id}"),
        (None, Some(signature)) => format!("signature {signature}"),
        (None, None) => format!("body {}", sha256_hex(body)),
    }
}

/// A name as it stands in ids.
fn word(name: &str) -> String {
    let word = |c: char| if c.is_whitespace() || c.is_control() { '_' } else { c };
    let name: String = name.chars().take(100).map(word).collect();
    if name.is_empty() { "unknown".into() } else { name }
}

impl App {
    /// Takes a webhook of a destination.
    pub async fn task_hook(self: &Arc<Self>, id: &str, request: HookRequest) -> ApiResult<HookReply> {
        let id = id.to_owned();
        self.blocking(move |app| app.take_task_hook(&id, &request)).await
    }

    fn take_task_hook(&self, id: &str, request: &HookRequest) -> ApiResult<HookReply> {
        let row = self.store.task_destination(id)?.ok_or_else(|| unknown(id))?;
        let destination = self.destination_of(row);
        let described = destination.mapping().and_then(|mapping| mapping.decisions.as_ref());
        let (Some(rules), Some(described)) = (&destination.config.decisions, described) else {
            return Err(ApiError::not_found("This destination takes no decisions."));
        };
        let unavailable =
            || ApiError::unavailable("HOOK_UNAVAILABLE", "The request cannot be taken now.", "Send it again later.");
        let name = rules.secret.strip_prefix("secret://").unwrap_or_default();
        let auth = webhook_auth(described, name).map_err(|_| unavailable())?.auth;
        let credential = self.secrets.credential_unasked(name).map_err(|_| unavailable())?;
        let now = self.now_ms();
        let signed = check_signature(&auth, Some(&credential), request, now).map_err(|_| refused())?;
        let key = key(&signed, &request.body);
        if self.store.task_decision_seen(id, &key, now)? {
            return Ok(reply("ignored", Some("this webhook was received before")));
        }
        let Some(body) = body_of(request) else {
            return Err(ApiError::bad_request("The body is not JSON.", "Send JSON, or a form with JSON in payload."));
        };
        let reply = self.decide_by(&destination, described, body, &key)?;
        // Remembered afterwards: a process that is killed in between gets it again, and the answer has its id.
        self.store.task_decision_see(id, &key, now, now.saturating_add(SEEN_MS))?;
        Ok(reply)
    }

    fn decide_by(
        &self,
        destination: &Destination,
        described: &TaskDecisions,
        body: Value,
        key: &str,
    ) -> ApiResult<HookReply> {
        let facts = json!({ "body": body, "settings": destination.settings() });
        let said = match said(described, &facts) {
            Ok(Some(said)) => said,
            Ok(None) => return Ok(reply("ignored", Some("it is no decision"))),
            // Other webhooks of the service do not have the fields of a decision.
            Err(failure) => return Ok(reply("ignored", Some(&failure.message))),
        };
        let values = destination.decision_values();
        let Some(action) = values.get(&said.value).and_then(|action| answer_of(action)) else {
            return Ok(reply("ignored", Some("the value stands for no answer")));
        };
        let Some(copy) = self.store.task_copy_external(&destination.row.id, &said.id)? else {
            return Ok(reply("ignored", Some("it is not about a task of this destination")));
        };
        // The service says so, too, when the entry is closed with its task.
        let task = self.store.task(&copy.task)?;
        if task.is_none_or(|task| task.state != TaskState::Open) {
            return Ok(reply("ignored", Some("the task is not open any more")));
        }
        match self.answer_from(destination, &copy, &said, action, key) {
            Ok(()) => {
                self.store.task_copy_note(&copy.id, None)?;
                Ok(reply("decided", None))
            }
            Err(error) if error.class == Class::Unavailable => Err(error),
            Err(error) => {
                let note =
                    format!("{} decided “{}” there, which was not taken: {}", said.person, said.value, error.message);
                self.store.task_copy_note(&copy.id, Some(&note))?;
                let facts = json!({
                    "reason": error.code, "destination": destination.row.name, "externalId": said.id,
                    "value": said.value, "reportedName": said.person, "taskId": copy.task,
                });
                let record = self.fact(
                    AuditEvent::AnswerRefused,
                    Level::Warn,
                    Self::reporter(destination, &said).actor(),
                    facts,
                );
                self.store.audit_append(record, None, true)?;
                Ok(reply("ignored", Some(&error.message)))
            }
        }
    }

    /// Who decided, as the service reports it: never a name of this installation.
    fn reporter(destination: &Destination, said: &ReportedDecision) -> Caller {
        let principal = format!("reported:{}/{}", word(&destination.row.name), word(&said.person));
        Caller {
            host: Host::Http,
            role: CallerRole::Operator,
            here: false,
            principal,
            via: Via::Destination,
            token: None,
            session: None,
            workspaces: None,
        }
    }

    fn answer_from(
        &self,
        destination: &Destination,
        copy: &TaskCopy,
        said: &ReportedDecision,
        action: TaskAction,
        key: &str,
    ) -> ApiResult<()> {
        let record = crate::tasks::answer::record(self, &copy.task)?;
        // The names of a service are not ours: two of them may be one person.
        if record.row.min_approvals > 1 || record.row.no_self_approval {
            let message = "This task needs approvals by known people.";
            return Err(ApiError::forbidden(message, "Answer it in the inbox."));
        }
        let given = GivenAnswer {
            notes: Some(format!(
                "{} in {} ({}), by {} as reported there",
                said.value, destination.row.name, said.id, said.person
            )),
            request_id: Some(format!("{HOOKS}{} {key}", destination.row.id)),
            ..GivenAnswer::new(action)
        };
        crate::tasks::answer::answer(self, &Self::reporter(destination, said), &copy.task, given).map(drop)
    }
}
